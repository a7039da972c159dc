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
    """Every case that was tried, and whether the claim holds in it by its rule."""
    when: str
    """A condition with {} for the cases: "the machine is {}"."""
    because: str
    """What the figures say, in a sentence or two."""
    figures: tuple[Table, ...]

    @property
    def verdict(self) -> str:
        """ "holds", "does not hold", or "holds when ..." with the cases in which it does."""
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


QUICK = Scope((8, 16, 32, 64), ("mark3", "raw"))
FULL = Scope((8, 16, 32, 64, 128, 256, 512, 1024), model.presets("senn"))  # the network of the claims


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
