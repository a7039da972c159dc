"""The network: whether it matches the algorithm, and other ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from senn.choices import Residency
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table
from senn.experiments.crossovers import winning
from senn.experiments.measuring import RESIDENCIES, Trial, makespans, placed, ratio
from senn.machine.network.arrays import take
from senn.machine.network.topology import slots

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

OPTIMAL_NETWORK = Claim(
    name="senn-optimal",
    place="VI.D",
    says="The SENN is optimal for the implementation of the parallel algorithm.",
    experiment=(
        "The form paper on SENN and on other networks with their own routing and allocation, data at home "
        "or migrating, whichever is faster there: makespan, n = 8 (which the paper draws) to 128; and "
        "network steps."
    ),
    rule=(
        "It holds against a network, at n = 8 and again at the largest n, if that is on no machine faster by "
        "more than a hundredth."
    ),
    examine=lambda scope: _networks(scope),
)

_LARGEST = 128


class Network(NamedTuple):
    """How processes are best named on a network, and how many neighbours a node has."""

    settings: tuple[tuple[str, str], ...]
    allocation: str = "identity"
    degree: str = "4"


def _of(network: str, routing: str = "lowest") -> tuple[tuple[str, str], ...]:
    return (("machine.network", network), ("machine.routing", routing))


SENN = Network(())
OTHERS = {
    "shuffle-exchange": Network(_of("shuffle-exchange", "greedy"), degree="3"),
    "ring": Network(_of("ring"), degree="2"),
    "mesh": Network(_of("mesh", "xy"), "snake"),
    "torus": Network(_of("torus", "xy")),
    "hypercube": Network(_of("hypercube", "e-cube"), "gray", "log2 n"),
    "full": Network(_of("full"), degree="n - 1"),
}


def _networks(scope: Scope) -> Finding:
    sizes = [n for n in scope.few if n <= _LARGEST]
    rows: list[Row] = []
    kept: list[Row] = []
    for name in scope.machines:
        own = [_best(SENN, name, n) for n in sizes]
        kept.append({"network": "SENN", "machine": name, **_by_n(sizes, [where for _, where in own])})
        for label, one in OTHERS.items():
            found = [_best(one, name, n) for n in sizes]
            gains = [ratio(other, senn) for (other, _), (senn, _) in zip(found, own, strict=True)]
            rows.append({"network": label, "degree": one.degree, "machine": name, **_by_n(sizes, gains)})
            kept.append({"network": label, "machine": name, **_by_n(sizes, [where for _, where in found])})
    rows.sort(key=lambda row: list(OTHERS).index(row["network"]))
    kept.sort(key=lambda row: ["SENN", *OTHERS].index(row["network"]))
    cases = {
        f"{label} {when}": all(row[f"n = {n}"] >= 0.99 for row in rows if row["network"] == label)
        for label in OTHERS
        for when, n in (("at n = 8", sizes[0]), ("for long arms", sizes[-1]))
    }
    last = f"n = {sizes[-1]}"
    best = min(rows, key=lambda row: row[last])
    cubes = [row[f"n = {sizes[0]}"] for row in rows if row["network"] == "hypercube"]
    because = (
        f"At n = {sizes[-1]} the closest network is {best['network']} on {best['machine']}: {best[last]} "
        "times the makespan of SENN. On the hypercube and the full network partners are nearby at every "
        "level without moving data, for more wires; at n = 8, where a node of the hypercube has fewer than "
        f"one of SENN, it takes {min(cubes)} to {max(cubes)} times as long."
    )
    figures = (
        Table("Makespan on another network over that on SENN, each with data where it is faster", rows),
        Table("Where data are kept", kept),
        Table("Network steps of the form paper", _steps(scope, sizes)),
    )
    return Finding(cases, "compared with {}", because, figures)


def _best(network: Network, name: str, n: int) -> tuple[int, Residency]:
    """The least makespan, and where data are kept for it."""
    trials = [_trial(network, name, n, residency) for residency in RESIDENCIES]
    least, trial = min((cycles, rank) for rank, cycles in enumerate(makespans(trials).values()))
    return least, trials[trial].residency


def _trial(network: Network, name: str, n: int, residency: Residency) -> Trial:
    return Trial(n, name, residency=residency, allocation=network.allocation, settings=network.settings)


def _steps(scope: Scope, sizes: list[int]) -> list[Row]:
    """Network steps: of SENN both ways, of the others with data at home."""
    ways: dict[str, tuple[Network, Residency]] = {
        "SENN, migrating": (SENN, "migrating"),
        "SENN": (SENN, "home"),
    }
    ways |= {label: (one, "home") for label, one in OTHERS.items()}
    return [
        {
            "network": label,
            **_by_n(sizes, [placed(_trial(one, scope.machines[0], n, where)).network_steps() for n in sizes]),
        }
        for label, (one, where) in ways.items()
    ]


def _by_n(sizes: list[int], entries: list[int] | list[float] | list[Residency]) -> Row:
    return {f"n = {n}": entry for n, entry in zip(sizes, entries, strict=True)}


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
