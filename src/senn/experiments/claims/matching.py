"""Does the network match the algorithm?"""

from __future__ import annotations

import numpy as np

from senn.choices import Residency
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table
from senn.experiments.crossovers import winning
from senn.experiments.measuring import RESIDENCIES, Trial, makespans, placed, ratio
from senn.machine.network.arrays import take
from senn.machine.network.paths import slots

MATCHES = Claim(
    name="senn-matches",
    place="VI.D",
    says=(
        "The SENN perfectly matches the inherent communication structure of different steps of the algorithm."
    ),
    experiment=(
        "For every send of the form paper, placed: the network steps it needs if nothing else is on its way. "
        "And the makespan on every machine, data migrating against data at home."
    ),
    rule=(
        "A send is matched if its network steps do not depend on n: the most of any send is the same at "
        "every n from 8 on. The makespan is matched on a machine if there data that migrate, as the SENN is "
        "made for, take at no n, the paper's 8 included, a hundredth longer than data at home."
    ),
    examine=lambda scope: _matches(scope),
)


def _matches(scope: Scope) -> Finding:
    rows = [_dilation(n, residency) for residency in RESIDENCIES for n in scope.sizes]
    most = {
        residency: [row["most of a send"] for row in rows if row["residency"] == residency]
        for residency in RESIDENCIES
    }
    races = [_race(scope, name) for name in scope.machines]
    won = [row["from n"] for row in races if row["from n"]]
    because = (
        f"Migrating, no send ever needs more than {max(most['migrating'])} network steps: one to the "
        "neighbour and one un-shuffle, and one more where K of both sides meet on one wire. At home the "
        f"worst send needs {most['home'][0]} at n = {scope.sizes[0]} and {most['home'][-1]} at n = "
        f"{scope.sizes[-1]}. But migrating moves more words and pays only for longer arms: "
        + (f"from n = {min(won)} or later, by machine." if won else "on none of these machines.")
    )
    return Finding(
        cases={
            "sends of migrating data": len(set(most["migrating"])) == 1,
            "sends of data at home": len(set(most["home"])) == 1,
            **{
                f"makespans on {row['machine']}": min(row[f"n = {n}"] for n in scope.sizes) >= 0.99
                for row in races
            },
        },
        when="{} are judged",
        because=because,
        figures=(
            Table("Network steps of the form paper", rows),
            Table("Makespan at home over makespan migrating, and from which n it stays above 1", races),
        ),
    )


def _dilation(n: int, residency: Residency) -> Row:
    schedule = placed(Trial(n, "ideal", residency=residency))
    paths = schedule.messages.paths
    needs = [
        slots(take(paths, np.arange(task.posts.start, task.posts.stop)))
        for tasks in schedule.tasks
        for task in tasks
        if len(task.posts)
    ]
    return {
        "n": n,
        "residency": residency,
        "most of a send": max(needs),
        "network steps": sum(needs),
        "most hops of a message": int(paths.hops.max()),
        "messages": len(schedule.messages),
        "hops": int(paths.hops.sum()),
        "words": int(schedule.messages.words.sum()),
    }


def _race(scope: Scope, name: str) -> Row:
    """Which residency is faster, over n, and the n from which migrating stays it."""

    def both(n: int) -> list[int]:
        return [*makespans(Trial(n, name, residency=residency) for residency in RESIDENCIES).values()]

    def won(n: int) -> bool:
        home, away = both(n)
        return away < home

    gains = {f"n = {n}": ratio(*both(n)) for n in scope.sizes}
    return {"machine": name, "from n": winning(won, scope.searched)[1], **gains}
