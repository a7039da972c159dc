"""Verdicts over the intervals of the machines: what a case depends on.

What is tried for a machine that has intervals, each figure at its bounds:

* one figure at a time at its low and at its high bound, the others as given;
* all figures low, all high;
* operations at their high bounds and all of the communication low, and the other way round.

Of a scope that is not `singly`, the first only if one of the others decides some case.

Each is the whole experiment again, with this machine in place of the one as given, at n = 8, 16 and 32 (8
where every case is a program or a network of its own). A case that comes out otherwise than as given does
depend on what was moved; that one which never does is decided for what lies between, and for longer arms, is
not proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from senn.experiments.claims.claim import Claim, Dependence, Finding, Row, Scope, Table, listed
from senn.experiments.measuring import at, machine
from senn.machine.model.figures import corners, plain, together

EXTENT = Scope((8, 16, 32), (), few=(8,), searched=16)
"""How far the experiments go at the corners; machines are those of the scope."""


def judged(claim: Claim, scope: Scope) -> Finding:
    """What was found, and which figures within their intervals decide a case."""
    finding = claim.examine(scope)
    small = replace(
        scope,
        sizes=tuple(n for n in scope.sizes if n in EXTENT.sizes),
        few=tuple(n for n in scope.few if n in EXTENT.few),
        searched=min(scope.searched, EXTENT.searched),
    )
    given = claim.examine(small)
    depends: dict[str, tuple[Dependence, ...]] = {}
    for name in scope.machines:
        for case, ways in _of_machine(claim, small, given, name).items():
            depends[case] = (*depends.get(case, ()), *ways)
    ordered = {case: depends[case] for case in finding.cases if case in depends}
    return replace(finding, depends=ordered, figures=(*finding.figures, *_table(finding, ordered)))


def _of_machine(claim: Claim, scope: Scope, given: Finding, name: str) -> dict[str, list[Dependence]]:
    """By case, the corners of a machine at which it comes out otherwise; single figures before several."""
    found: dict[str, list[Dependence]] = {}
    intervals = machine(name).intervals
    first = len(list(together(intervals)))
    for k, corner in enumerate(corners(intervals)):
        if k == first and not (scope.singly or found):
            break
        there_called = at(name, corner)
        machines = tuple(there_called if one == name else one for one in scope.machines)
        there = claim.examine(replace(scope, machines=machines))
        if k == 0 and there.figures == given.figures:
            return {}  # all that is unverified was moved, and nothing that was measured
        for case, holds in there.cases.items():
            as_given = case.replace(there_called, name)
            if given.cases.get(as_given) != holds:
                values = ", ".join(str(plain(value)) for value in corner.values())
                found.setdefault(as_given, []).append(Dependence(name, tuple(corner), values))
    return {case: _simplest(ways) for case, ways in found.items()}


def _simplest(ways: list[Dependence]) -> list[Dependence]:
    """Figures that decide by themselves; where there are none, the first of those that do together."""
    alone = [way for way in ways if len(way.figures) == 1]
    return alone or ways[:1]


def _table(finding: Finding, depends: dict[str, tuple[Dependence, ...]]) -> Iterator[Table]:
    rows: list[Row] = [
        {
            "case": case,
            "machine": way.machine,
            "figures": listed(way.figures, "and"),
            "as given": "holds" if finding.cases[case] else "does not hold",
            "otherwise at": way.at,
        }
        for case, ways in depends.items()
        for way in ways
    ]
    if rows:
        yield Table("Cases that an interval decides", rows)
