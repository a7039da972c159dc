"""How much faster than one node of the same machine."""

from __future__ import annotations

from senn.algorithms.programs import variants
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table
from senn.experiments.crossovers import race

REDUNDANT = Claim(
    name="redundant-arms",
    place="VII",
    says=(
        "The multilevel parallel computation can lead to a significant speed-up, particularly for highly "
        "redundant arms such as those of the Space Station, which may have as many as 25 degrees of "
        "freedom in total."
    ),
    experiment=(
        "n = 7 and 25 on every machine, data migrating: the best serial solution on one node over the "
        "makespan."
    ),
    rule="Significant: at least one and a half times as fast at n = 25, in the form paper.",
    examine=lambda scope: _redundant(scope),
)


def _redundant(scope: Scope) -> Finding:
    rows: list[Row] = [
        {"machine": name, "n": n, **{form: race(name, n, form).speed_up for form in variants.FORMS}}
        for name in scope.machines
        for n in (7, 25)
    ]
    station = {row["machine"]: row for row in rows if row["n"] == 25}
    best = max(station.values(), key=lambda row: row["short"])
    return Finding(
        cases={name: row["paper"] >= 1.5 for name, row in station.items()},
        when="the machine is {}",
        because=(
            f"50 processors make 25 joints {best['paper']} times as fast at best ({best['machine']}), and "
            f"{best['short']} times in the form short; where a start-up costs as much as hundreds of "
            "operations they are slower than one."
        ),
        figures=(Table("Speed-up over the best serial solution", rows),),
    )
