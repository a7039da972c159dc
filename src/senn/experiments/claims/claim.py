"""Claims, findings and verdicts, and the verdicts over the intervals of the machines.

A verdict is never written by hand: it follows from the cases of an experiment, each of which holds or does
not. `judged` runs an experiment, and runs it again with one machine at a time at a corner of the intervals of
its unverified fields. At such a corner `Scope.machines` has a `VariedMachine` in place of the name; it prints
as that name, so cases keep their names. A case that comes out otherwise depends on the fields that differ.

The corners of a machine with intervals are:

* one field at a time at its low and at its high bound, the others as given;
* all fields low, all high;
* operations at their high bounds and all communication low, and the reverse.

A scope that is not `singly` takes the first only if one of the others decides a case. At corners experiments
run at n = 8, 16 and 32 (8 where every case is a program or a network of its own). That a case which never
changes is decided between the corners, and for longer arms, is not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from senn.experiments.measuring import MachineName, VariedMachine, machine
from senn.machine import model
from senn.machine.model.figures import corners, plain, together

Row: TypeAlias = Mapping[str, Any]
"""One line of measured figures, by column."""


class Table(NamedTuple):
    """Measured figures; all rows have the same columns."""

    title: str
    rows: Sequence[Row]


class Dependence(NamedTuple):
    """Fields of a machine that decide a case within their intervals."""

    machine: str
    figures: tuple[str, ...]
    """One field that decides alone, or several that decide together."""
    at: str
    """Values at which the case comes out otherwise than as given, such as "250"."""

    @property
    def text(self) -> str:
        """ "startup of mark3"; "flop, startup and word of mark3 together"."""
        together = " together" if len(self.figures) > 1 else ""
        return f"{listed(self.figures, 'and')} of {self.machine}{together}"


@dataclass(frozen=True)
class Finding:
    """Result of an experiment: cases, figures, and the verdict that follows from the cases."""

    cases: Mapping[str, bool]
    """Every tested case, and whether the claim holds in it by its rule; empty if it cannot be tested."""
    when: str
    """Condition with {} for the cases: "the machine is {}"."""
    because: str
    """Summary of the figures in a sentence or two."""
    figures: tuple[Table, ...]
    depends: Mapping[str, tuple[Dependence, ...]] = field(default_factory=dict)
    """By case, what decides it within the intervals of the machines; a case without entry never changes."""

    @property
    def verdict(self) -> str:
        """ "holds", "does not hold", "holds when ..." with the cases in which it does; "cannot be tested".

        A case that unverified fields decide is neither: "depends on startup of mark3".
        """
        if not self.cases:
            return "cannot be tested"
        good = [name for name, holds in self.cases.items() if holds and name not in self.depends]
        if len(good) == len(self.cases):
            return "holds"
        parts = [f"holds when {self.when.format(either(good))}"] if good else []
        by_cause: dict[str, list[str]] = {}
        for case, ways in self.depends.items():
            by_cause.setdefault(" and ".join(dict.fromkeys(way.text for way in ways)), []).append(case)
        for cause, cases in by_cause.items():
            alone = len(cases) == 1 and self.depends[cases[0]][-1].machine == cases[0]
            parts.append(
                f"depends on {cause}" + ("" if alone else f" when {self.when.format(either(cases))}")
            )
        return "; ".join(parts) or "does not hold"


@dataclass(frozen=True)
class Scope:
    """Extent of the experiments: sizes and machines."""

    sizes: tuple[int, ...]
    """Numbers of processes, powers of two, ascending."""
    machines: tuple[MachineName, ...]
    """Presets, TOML files, or one of them varied."""
    few: tuple[int, ...]
    """Sizes for experiments in which every case is a program or a network of its own."""
    searched: int
    """Largest n up to which a change of the winner is searched for among all n."""
    singly: bool = True
    """Whether fields are also moved one at a time if no corner that moves all of them decides a case."""


def _scope(sizes: tuple[int, ...], machines: tuple[str, ...]) -> Scope:
    return Scope(sizes, machines, sizes, sizes[-1])


FULL = _scope((8, 16, 32, 64, 128, 256, 512, 1024), model.presets("senn"))  # the network of the claims
QUICK = Scope((8, 16, 32, 64), ("ideal", "mark3"), few=(8, 64), searched=16, singly=False)
"""A machine on which messages cost next to nothing and one on which they are expensive. The only case that
another machine changes is the hypercube at n = 8 of senn-optimal."""


def left_out(scope: Scope) -> str:
    """Sentence on what FULL tests and a scope does not; empty if that is nothing."""
    parts = []
    if machines := [str(name) for name in FULL.machines if name not in scope.machines]:
        parts.append(f"the machines {', '.join(machines)}")
    if sizes := [n for n in FULL.sizes if n not in scope.sizes]:
        parts.append(f"n = {either([str(n) for n in sizes])}")
    if sizes := [n for n in scope.sizes if n not in scope.few]:
        numbers = either([str(n) for n in sizes])
        parts.append(f"n = {numbers} where each case is a program or a network of its own")
    if scope.searched < FULL.searched:
        parts.append(f"changes of the winner beyond n = {scope.searched}")
    if FULL.singly and not scope.singly:
        parts.append("figures moved one at a time within their intervals where all together decide nothing")
    return f"Left out: {'; '.join(parts)}." if parts else ""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the experiment that tests it."""

    name: str
    place: str
    """Section of Fijany (1993)."""
    says: str
    """The paper's words, or nearly."""
    experiment: str
    """What is run or counted."""
    rule: str
    """Condition under which the claim holds."""
    examine: Callable[[Scope], Finding]


def claim(
    *, name: str, place: str, says: str, experiment: str, rule: str
) -> Callable[[Callable[[Scope], Finding]], Claim]:
    """Decorator that makes a claim of its experiment, a function of a scope that returns the finding."""
    return lambda examine: Claim(name, place, says, experiment, rule, examine)


def cases_by(column: str, rows: Iterable[Row], good: Callable[[Row], bool]) -> dict[str, bool]:
    """For each value of a column, whether all rows with it are good."""
    cases: dict[str, bool] = {}
    for row in rows:
        name = str(row[column])
        cases[name] = cases.get(name, True) and good(row)
    return cases


def either(names: Sequence[object]) -> str:
    """ "a, b or c"; empty for no names."""
    return listed(names, "or")


def listed(names: Sequence[object], conjunction: str) -> str:
    """Names in a row, the last one joined by a conjunction; empty for no names."""
    *most, last = [str(name) for name in names] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


# -- verdicts over intervals


EXTENT = Scope((8, 16, 32), (), few=(8,), searched=16)
"""Extent of experiments at corners; their machines are those of the scope."""


def judged(claim: Claim, scope: Scope) -> Finding:
    """Finding of a claim, with the fields of machines that decide a case within their intervals."""
    finding = claim.examine(scope)
    small = replace(
        scope,
        sizes=tuple(n for n in scope.sizes if n in EXTENT.sizes),
        few=tuple(n for n in scope.few if n in EXTENT.few),
        searched=min(scope.searched, EXTENT.searched),
    )
    base = claim.examine(small)
    depends: dict[str, tuple[Dependence, ...]] = {}
    for name in scope.machines:
        for case, ways in _dependences(claim, small, base, str(name)).items():
            depends[case] = (*depends.get(case, ()), *ways)
    ordered = {case: depends[case] for case in finding.cases if case in depends}
    return replace(finding, depends=ordered, figures=(*finding.figures, *_table(finding, ordered)))


def _dependences(claim: Claim, scope: Scope, base: Finding, name: str) -> dict[str, list[Dependence]]:
    """By case, the corners of a machine that change it; single fields before several."""
    changes: dict[str, list[Dependence]] = {}
    intervals = machine(name).intervals
    first_single = len(list(together(intervals)))
    for k, corner in enumerate(corners(intervals)):
        if k == first_single and not (scope.singly or changes):
            break
        varied = VariedMachine(name, tuple(corner.items()))
        machines = tuple(varied if other == name else other for other in scope.machines)
        finding = claim.examine(replace(scope, machines=machines))
        if k == 0 and finding.figures == base.figures:
            return {}  # every unverified field was moved, and no measured figure changed
        for case, holds in finding.cases.items():
            if base.cases.get(str(case)) != holds:
                values = ", ".join(str(plain(value)) for value in corner.values())
                changes.setdefault(str(case), []).append(Dependence(name, tuple(corner), values))
    return {case: _simplest(ways) for case, ways in changes.items()}


def _simplest(ways: list[Dependence]) -> list[Dependence]:
    """Dependences on single fields; if there are none, the first on several."""
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
