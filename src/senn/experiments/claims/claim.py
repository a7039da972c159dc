"""What a claim is, what an experiment found, and how the one judges the other.

A verdict is never written: it follows from the cases of an experiment, each of which holds or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from senn.machine import model

Row: TypeAlias = Mapping[str, Any]
"""One line of measured figures, by column."""


class Table(NamedTuple):
    """Measured figures; all rows have the same columns."""

    title: str
    rows: Sequence[Row]


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

    @property
    def verdict(self) -> str:
        """ "holds", "does not hold", "holds when ..." with the cases in which it does; "cannot be tested"."""
        if not self.cases:
            return "cannot be tested"
        held = [name for name, holds in self.cases.items() if holds]
        if len(held) == len(self.cases):
            return "holds"
        return f"holds when {self.when.format(either(held))}" if held else "does not hold"


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


def _scope(sizes: tuple[int, ...], machines: tuple[str, ...]) -> Scope:
    return Scope(sizes, machines, sizes, sizes[-1])


FULL = _scope((8, 16, 32, 64, 128, 256, 512, 1024), model.presets("senn"))  # the network of the claims
QUICK = Scope((8, 16, 32, 64), ("ideal", "mark3"), few=(8, 64), searched=16)
"""Messages that cost next to nothing, and dear ones: on these two, no verdict is another than in full."""


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
    return " or ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)
