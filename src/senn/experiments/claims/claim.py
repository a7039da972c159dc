"""What a claim is, what an experiment found, and how the one judges the other.

A verdict is never written: it follows from the cases of an experiment, each of which holds or does not.

`judging.judged` examines a claim, and then again with one machine of the scope at a time moved to a corner of
the intervals of its unverified figures. A claim need not know: the machine's name in `Scope.machines` is then
"mark3 at startup = 250", which `measuring.machine` and so every Trial takes like any other, and what the
claim says of it is read as said of mark3. A case that comes out otherwise at a corner depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from senn.machine import model

Row: TypeAlias = Mapping[str, Any]
"""One line of measured figures, by column."""


class Table(NamedTuple):
    """Measured figures; all rows have the same columns."""

    title: str
    rows: Sequence[Row]


class Dependence(NamedTuple):
    """What decides a case: a machine, and which of its figures within their intervals."""

    machine: str
    figures: tuple[str, ...]
    """One that decides by itself, or several that do together."""
    at: str
    """Where the case comes out otherwise than as given: "250"."""

    @property
    def said(self) -> str:
        """ "startup of mark3"; "flop, startup and word of mark3 together"."""
        together = " together" if len(self.figures) > 1 else ""
        return f"{listed(self.figures, 'and')} of {self.machine}{together}"


@dataclass(frozen=True)
class Finding:
    """What an experiment found."""

    cases: Mapping[str, bool]
    """Every case that was tried, and whether the claim holds in it by its rule; none: it cannot be tried."""
    when: str
    """A condition with {} for the cases: "the machine is {}"."""
    because: str
    """What the figures say, in a sentence or two."""
    figures: tuple[Table, ...]
    depends: Mapping[str, tuple[Dependence, ...]] = field(default_factory=dict)
    """By case, what decides it within the intervals of the machines; none: it is the same at all corners."""

    @property
    def verdict(self) -> str:
        """ "holds", "does not hold", "holds when ..." with the cases in which it does; "cannot be tested".

        Cases that depend on figures which nobody could confirm are neither: "depends on startup of mark3".
        """
        if not self.cases:
            return "cannot be tested"
        held = [name for name, holds in self.cases.items() if holds and name not in self.depends]
        if len(held) == len(self.cases):
            return "holds"
        said = [f"holds when {self.when.format(either(held))}"] if held else []
        by_what: dict[str, list[str]] = {}
        for case, ways in self.depends.items():
            by_what.setdefault(" and ".join(dict.fromkeys(way.said for way in ways)), []).append(case)
        for what, cases in by_what.items():
            alone = len(cases) == 1 and self.depends[cases[0]][-1].machine == cases[0]
            said.append(f"depends on {what}" + ("" if alone else f" when {self.when.format(either(cases))}"))
        return "; ".join(said) or "does not hold"


@dataclass(frozen=True)
class Scope:
    """How far experiments go."""

    sizes: tuple[int, ...]
    """Numbers of processes, powers of two, ascending."""
    machines: tuple[str, ...]
    """Presets, or TOML files."""
    few: tuple[int, ...]
    """Those of the sizes that are tried where every case is a program or a network of its own."""
    searched: int
    """Up to this n a change of the winner is searched for among all numbers."""
    singly: bool = True
    """Whether figures within their intervals are moved one at a time, too, where none of the corners that
    move all of them decides anything."""


def _scope(sizes: tuple[int, ...], machines: tuple[str, ...]) -> Scope:
    return Scope(sizes, machines, sizes, sizes[-1])


FULL = _scope((8, 16, 32, 64, 128, 256, 512, 1024), model.presets("senn"))  # the network of the claims
QUICK = Scope((8, 16, 32, 64), ("ideal", "mark3"), few=(8, 64), searched=16, singly=False)
"""Messages that cost next to nothing, and dear ones. What these two do not turn, a machine that is left out
may: the hypercube at n = 8 of senn-optimal, and nothing else."""


def left_out(scope: Scope) -> str:
    """What FULL tries and a scope does not, in a sentence; nothing if that is nothing."""
    parts = []
    if machines := [name for name in FULL.machines if name not in scope.machines]:
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
    """A statement of the paper, and the experiment that tries it."""

    name: str
    place: str
    """Where in Fijany (1993)."""
    says: str
    """In the paper's words, or nearly."""
    experiment: str
    """What is run or counted."""
    rule: str
    """When it counts as holding."""
    examine: Callable[[Scope], Finding]


def held(rows: Iterable[Row], by: str, good: Callable[[Row], bool]) -> dict[str, bool]:
    """Cases from rows: by the values of a column, whether all rows of each are good."""
    found: dict[str, bool] = {}
    for row in rows:
        name = str(row[by])
        found[name] = found.get(name, True) and good(row)
    return found


def either(names: Sequence[str]) -> str:
    """ "a, b or c"; nothing for no names."""
    return listed(names, "or")


def listed(names: Sequence[str], by: str) -> str:
    """Names in a row, the last one joined by a word; nothing for no names."""
    return f" {by} ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)
