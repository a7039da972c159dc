"""What a search found: the best, where it began, and what is proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from senn.machine.search.bounds import Bound


class Tried(Protocol):
    """A placement, or an assignment, and what a run with it gave."""

    @property
    def name(self) -> str: ...
    @property
    def makespan(self) -> int: ...
    @property
    def word_hops(self) -> int: ...


One = TypeVar("One", bound=Tried, covariant=True)


@dataclass(frozen=True, eq=False)
class Found(Generic[One]):
    """The best of those that were run, where the search began, and what is proved."""

    best: One
    starts: tuple[One, ...]  # as given and those that go by a rule, before any search
    bounds: tuple[Bound, ...]
    history: tuple[tuple[int, int], ...]  # (runs so far, makespan) of each that was better than all before
    runs: int
    bounded: int  # of which a bound was computed

    @property
    def bound(self) -> Bound:
        """The largest lower bound; the first of equals."""
        return max(self.bounds, key=lambda bound: bound.cycles)

    @property
    def gap(self) -> int:
        """Cycles between the best and what is proved impossible; 0: it is optimal."""
        return self.best.makespan - self.bound.cycles

    @property
    def because(self) -> str:
        """Why the best is optimal, or how far from it it may be."""
        if not self.gap:
            return f'optimal: it meets the bound "{self.bound.name}": {self.bound.because}'
        percent = 100 * self.gap / self.bound.cycles
        return (
            f"at most {self.gap:,} cycles, {percent:.1f} %, above the optimum: below the bound "
            f'"{self.bound.name}" nothing is possible'
        )
