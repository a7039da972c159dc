"""Placements that were run, and the ways of wandering among placements.

`descend` takes gains until there is none, `chain` kicks away from where a descent ended and descends again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from senn.machine.network.topology import Integers
from senn.machine.search.bounds import Bound

KICKS = 20
"""Kicks in a row without a gain after which a chain ends."""
KICK = 3
"""Random moves that lead away from where a descent ended."""

Score = tuple[int, ...]
Step = tuple[Integers, Score]
"""A placement and its score."""


@dataclass(frozen=True, eq=False)
class Placement:
    """A table, with the makespan and the words x hops of its run."""

    name: str
    makespan: int
    word_hops: int
    table: Integers

    @property
    def score(self) -> Score:
        """Quantity that the search makes least: words x hops decide between equal makespans."""
        return self.makespan, self.word_hops


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best of the placements that were run, the starts of the search, and proved lower bounds."""

    best: Placement
    starts: tuple[Placement, ...]  # as given and those that go by a rule, before any search
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
        """Cycles between the best and the bound; 0: the best is optimal."""
        return self.best.makespan - self.bound.cycles

    @property
    def because(self) -> str:
        """Why the best is optimal, or how far from the optimum it may be."""
        if not self.gap:
            return f'optimal: it meets the bound "{self.bound.name}": {self.bound.because}'
        percent = 100 * self.gap / self.bound.cycles
        return (
            f"at most {self.gap:,} cycles, {percent:.1f} %, above the optimum: below the bound "
            f'"{self.bound.name}" nothing is possible'
        )


def descend(step: Step, gain: Callable[[Step], Step | None]) -> Step:
    """The last point of a way on which each gains on the one before."""
    while (following := gain(step)) is not None:
        step = following
    return step


def chain(
    start: Integers, descended: Callable[[Integers], Step], kicked: Callable[[Integers], Integers]
) -> Iterator[Step]:
    """Ends of descents: from the start, and then from kicks away from the best end so far."""
    best, least = descended(start)
    yield best, least
    kicks = 0  # in a row, without a gain
    while kicks < KICKS:
        placement, score = descended(kicked(best))
        yield placement, score
        kicks = 0 if score < least else kicks + 1
        if score <= least:
            best, least = placement, score
