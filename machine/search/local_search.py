"""One local search for allocations, tables by level, and arrays.

`search` runs the starts and then either bounds all candidates and runs those that are left, so that the best
is the optimum, or lets the candidates wander. The ways of wandering are functions: `descend` takes gains
until there is none, `chain` kicks away from where a descent ended and descends again, `race` runs candidates
in the order of their bounds while these can still win, `first_gain` those of a neighbourhood up to the first
gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from senn.base.errors import InputError
from senn.machine import engines
from senn.machine.engines.issue_times import NEVER
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.search.bounds import Bound

FOUND = "found"
"""The name of every candidate that no rule gave."""
PATIENCE = 20
"""Runs in a row without a gain after which a race, or a look at one neighbourhood, ends."""
KICKS = 20
"""Kicks in a row without a gain after which a chain ends."""
KICK = 3
"""Random moves that lead away from where a descent ended."""

Score = tuple[int, ...]
Point = TypeVar("Point")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A placement or an assignment, with the makespan and the words x hops of its run."""

    name: str
    makespan: int
    word_hops: int

    @property
    def score(self) -> Score:
        """Quantity that the search makes least: words x hops decide between equal makespans."""
        return self.makespan, self.word_hops


Tried = TypeVar("Tried", bound=Candidate)
Best = TypeVar("Best", bound=Candidate, covariant=True)


@dataclass(frozen=True, eq=False)
class SearchResult(Generic[Best]):
    """The best of the candidates that were run, the starts of the search, and proved lower bounds."""

    best: Best
    starts: tuple[Best, ...]  # as given and those that go by a rule, before any search
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


class SearchFinished(Exception):
    """The budget is spent, or the bound is met."""


class Runs(Generic[Tried]):
    """Runs of candidates, no more than the budget; SearchFinished when there is nothing left to gain."""

    def __init__(
        self, machine: Machine, budget: int, progress: Callable[[int, int], None], target: int
    ) -> None:
        if budget < 1:
            raise InputError(f"budget = {budget}: the search needs 1 run at least")
        self.machine, self.budget, self.progress, self.target = machine, budget, progress, target
        self.tried: list[Tried] = []
        self.history: list[tuple[int, int]] = []
        self.least: int = NEVER  # makespan of all runs so far

    @property
    def best(self) -> Tried:
        """The run with the least score; the first of equals."""
        return min(self.tried, key=lambda candidate: candidate.score)

    def run(self, schedule: Schedule, candidate: Callable[[int, int], Tried]) -> Tried:
        """The candidate of a schedule, made of the makespan and the words x hops of its run."""
        if len(self.tried) == self.budget:
            raise SearchFinished
        makespan = engines.makespan(schedule, self.machine)
        word_hops = int(schedule.messages.paths.hops.astype(np.int64) @ schedule.messages.words)
        self.tried.append(candidate(makespan, word_hops))
        if makespan < self.least:
            self.least = makespan
            self.history.append((len(self.tried), makespan))
        self.progress(len(self.tried), self.least)
        if self.least == self.target:
            raise SearchFinished
        return self.tried[-1]


class Candidates(Protocol):
    """The candidates of a search."""

    noun: str  # of one candidate

    @property
    def bounded(self) -> int:
        """Candidates of which a bound was computed."""

    def start(self) -> None:
        """Run the candidates that the search starts from."""

    @property
    def are_few(self) -> bool:
        """Whether all of them are to be bounded."""

    def all_by_bound(self) -> Iterable[tuple[int, Any]]:
        """(bound, candidate) of all, shortest bound first."""

    def run(self, point: Any) -> Score:
        """Score of a candidate, from a run unless it is known."""

    def wander(self) -> None:
        """Run candidates until nothing gains, or SearchFinished."""


def search(candidates: Candidates, runs: Runs[Tried], lower: tuple[Bound, ...]) -> SearchResult[Tried]:
    """Search for the candidate with the least score; `lower` bounds hold for all candidates."""
    left: int | None = None  # where all are bounded: the least bound of those not yet run
    try:
        candidates.start()
        if candidates.are_few:
            for bound, point in candidates.all_by_bound():
                left = min(bound, runs.least)
                if left == runs.least:
                    break
                candidates.run(point)
            left = runs.least
        else:
            candidates.wander()
    except SearchFinished:
        pass
    if left is not None:
        cycles, noun = min(left, runs.least), candidates.noun
        rest = (
            "those that could end sooner were run"
            if cycles == runs.least
            else "what was not run ends no sooner than this; the budget was spent"
        )
        because = f"all {candidates.bounded:,} {noun}s were bounded, and {rest}"
        lower = (*lower, Bound(f"every {noun}", cycles, because))
    return SearchResult(
        best=runs.best,
        starts=tuple(candidate for candidate in runs.tried if candidate.name != FOUND),
        bounds=lower,
        history=tuple(runs.history),
        runs=len(runs.tried),
        bounded=candidates.bounded,
    )


Step = tuple[Point, Score]
"""A point of the search and its score."""


def descend(step: Step[Point], gain: Callable[[Step[Point]], Step[Point] | None]) -> Step[Point]:
    """The last point of a way on which each gains on the one before."""
    while (following := gain(step)) is not None:
        step = following
    return step


def chain(
    start: Point, descended: Callable[[Point], Step[Point]], kicked: Callable[[Point], Point]
) -> Iterator[Step[Point]]:
    """Ends of descents: from the start, and then from kicks away from the best end so far."""
    best, least = descended(start)
    yield best, least
    kicks = 0  # in a row, without a gain
    while kicks < KICKS:
        point, score = descended(kicked(best))
        yield point, score
        kicks = 0 if score < least else kicks + 1
        if score <= least:
            best, least = point, score


def race(
    groups: Iterable[tuple[int, Sequence[Point]]], runs: Runs[Any], run: Callable[[Point], Score]
) -> Step[Point] | None:
    """The best of groups of points, each with its bound, shortest first, while it can be the best of all."""
    best: Step[Point] | None = None
    fruitless = 0
    for bound, points in groups:
        if bound >= runs.least or fruitless == PATIENCE:
            break
        for point in points:
            score = run(point)
            fruitless += 1
            if best is None or score < best[1]:
                best, fruitless = (point, score), 0
    return best


def first_gain(
    neighbours: Iterable[tuple[Score, Point]], least: Score, run: Callable[[Point], Score]
) -> Step[Point] | None:
    """The first of some neighbours, each with its bound, shortest first, that a run finds below `least`."""
    for bound, point in islice(neighbours, PATIENCE):
        if bound >= least:
            break
        score = run(point)
        if score < least:
            return point, score
    return None
