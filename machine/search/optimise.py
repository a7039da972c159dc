"""A better allocation: search among the placements of a space for one whose program ends sooner.

The space (`senn.machine.search.placements`) is that of all renamings of a table, which put whatever is at
node p at node r(p), at every level: all static homes, all renamings of the migrating pattern. Or every level
has a renaming of its own. The flow of data does not depend on it, so it is resolved once; and the makespan
without queues (`senn.machine.search.precedence`), a lower bound, costs microseconds where a run costs
milliseconds. So the search bounds every placement it meets and runs only those that can still be the best.

It runs the given table and some regular ones. If there are at most 8! placements it then bounds them all and
runs those that are left: the best is the optimum. With more it goes in chains. A chain descends by swaps of
two nodes, the best of all swaps each time, by the bound alone; from where that ends it is kicked away by
three random swaps and descends again, until so many in a row found nothing better. Then the ends of the chain
are run, shortest bound first, with their mirror images, and if one gained it goes on by swaps that gain in
runs. The next chain starts at the next of the regular tables that treat levels differently, then at random.
(On bounds alone, 16 processes, four seeds, 150,000 placements each, descents from kicks and tabu search found
the best migrating placement every time, descents from random placements three times, annealing never.) The
same seed and budget find the same table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from senn.base.errors import InputError
from senn.machine import engines
from senn.machine.engines.queues import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import Bound, bounds
from senn.machine.search.moving import bounds_of_levels
from senn.machine.search.placements import (
    Neighbourhood,
    Score,
    Step,
    ascending,
    descend,
    levels,
    renamings,
    repeated,
)

EXHAUSTED = math.factorial(8)
"""Placements that are all bounded, at most."""
BOUNDED_PER_RUN = 1000
"""Placements bounded for each run of the budget, at most."""
PATIENCE = 20
"""Runs in a row without a gain after which a race, or a look at one neighbourhood, ends."""
FOUND = "found"
"""The name of every placement that no rule gave."""


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


def optimise(
    program: Program | Flow,
    start: ArrayLike,
    machine: Machine,
    *,
    each_level: bool = False,
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> SearchResult:
    """Search the renamings of the nodes of `start`, a table, for the least makespan, in `budget` runs; or,
    `each_level`, the tables that have a renaming of their own for every level.

    Ties go to the fewest words x hops. `progress(runs, makespan)` is called with the number of runs so far
    and the least makespan. Raises InputError where `place`, the engine or the bounds refuse the program, the
    table or the machine.
    """
    if budget < 1:
        raise InputError(f"budget is {budget}; write a whole number from 1")
    resolved = program if isinstance(program, Flow) else flow(program)
    schedule = place(resolved, start, machine)
    make_space, noun = (levels, "table") if each_level else (renamings, "renaming")
    space = make_space(schedule.allocation, schedule.wiring.nodes, resolved)
    lower = bounds_of_levels(schedule, machine, space) if each_level else bounds(schedule, machine)
    target = max(bound.cycles for bound in lower)
    runs = _Runs(Neighbourhood(schedule, machine, space, seed), budget, target, progress)
    left: int | None = None  # where all are bounded: the least bound of those not yet run
    with suppress(_Finished):
        for name, placement in runs.regular():
            runs.run(placement, name)
        if math.factorial(space.nodes) ** space.cells <= EXHAUSTED:
            for bound, placement in runs.all_by_bound():
                left = min(bound, runs.least)
                if left == runs.least:
                    break
                runs.run(placement)
            left = runs.least
        else:
            runs.wander()
    bounded, tried = runs.neighbourhood.bounded, list(runs.tried.values())
    if left is not None:
        cycles = min(left, runs.least)
        rest = (
            "those that could end sooner were run"
            if cycles == runs.least
            else "what was not run ends no sooner than this; the budget was spent"
        )
        lower = (*lower, Bound(f"every {noun}", cycles, f"all {bounded:,} {noun}s were bounded, and {rest}"))
    return SearchResult(
        best=min(tried, key=lambda placement: placement.score),  # the first of equals
        starts=tuple(placement for placement in tried if placement.name != FOUND),
        bounds=lower,
        history=tuple(runs.history),
        runs=len(tried),
        bounded=bounded,
    )


class _Finished(Exception):
    """The budget is spent, or the bound is met."""


class _Runs:
    """Runs of placements, no more than the budget; `_Finished` when there is nothing left to gain."""

    def __init__(
        self, neighbourhood: Neighbourhood, budget: int, target: int, progress: Callable[[int, int], None]
    ) -> None:
        self.neighbourhood, self.space = neighbourhood, neighbourhood.space
        self.budget, self.target, self.progress = budget, target, progress
        self.tried: dict[bytes, Placement] = {}
        self.history: list[tuple[int, int]] = []
        self.least: int = NEVER  # makespan of all runs so far

    def run(self, placement: Integers, name: str = FOUND) -> Score:
        """Score of a placement, from a run of it."""
        table, machine = placement[self.space.points], self.neighbourhood.machine
        key = table.tobytes()
        if key in self.tried:
            return self.tried[key].score
        if len(self.tried) == self.budget:
            raise _Finished
        schedule = place(self.neighbourhood.flow, table, machine)
        makespan = engines.makespan(schedule, machine)
        word_hops = int(schedule.messages.paths.hops.astype(np.int64) @ schedule.messages.words)
        self.tried[key] = Placement(name, makespan, word_hops, table)
        if makespan < self.least:
            self.least = makespan
            self.history.append((len(self.tried), makespan))
        self.progress(len(self.tried), self.least)
        if self.least == self.target:
            raise _Finished
        return self.tried[key].score

    def regular(self) -> Iterator[tuple[str, Integers]]:
        """The given table, and those that go by a rule; those that need 2^m nodes only with so many."""
        table, nodes = self.space.start, self.space.nodes
        yield "as given", table
        yield "mirrored", self.neighbourhood.mirrored(table)
        for name in ("unshuffled:1", *allocation.RENAMINGS):
            with suppress(InputError):
                yield name, allocation.named(name, nodes, "home", nodes)[0][table]
        yield from self._by_level()

    def _by_level(self) -> Iterator[tuple[str, Integers]]:
        """Tables in which processes stay for the first levels, or the last, or all: of the given table, and
        of that of the paper. None if all levels have one renaming."""
        if self.space.cells == 1:
            return
        tables = [("", self.space.start)]
        n = self.space.points.shape[2]
        with suppress(InputError):
            if len(np.unique(self.space.points[0, 1])) == n:
                paper = allocation.named("identity", n, "migrating", self.space.nodes)
                tables.append(("migrating", self.space.placement(paper)))
        for rule, placement in tables:
            if rule:
                yield rule, placement
            for (first, stop, like), like_cell in repeated(self.space, placement):
                if first == 0 or stop == self.space.cells:
                    name = f"levels {first + 1} to {stop} as {like + 1}"
                    yield f"{rule}, {name}" if rule else name, like_cell

    def all_by_bound(self) -> Iterator[tuple[int, Integers]]:
        permutations = np.array(list(itertools.permutations(range(self.space.nodes))), dtype=np.int64)
        choices = np.indices((len(permutations),) * self.space.cells).reshape(self.space.cells, -1).T
        placements = permutations[choices].reshape(len(choices), -1)
        scores = self.neighbourhood.scores(placements)
        for k in ascending(scores).tolist():
            yield int(scores[k, 0]), placements[k]

    def wander(self) -> None:
        """Chains of descents by the bound, from the given table and then from others; after each chain
        the ends that can still be the best are run, shortest bound first, with their mirror images."""
        near = self.neighbourhood
        for beginning in self._beginnings():
            if near.bounded >= BOUNDED_PER_RUN * self.budget:
                break
            ends = {end.tobytes(): score for end, score in near.chain(beginning)}
            placements = [np.frombuffer(end, dtype=np.int64) for end in ends]
            scores = np.array(list(ends.values()), dtype=np.int64)
            before, best, fruitless = self.least, None, 0
            for k in ascending(scores).tolist():
                if scores[k, 0] >= self.least or fruitless == PATIENCE:
                    break
                for placement in (placements[k], near.mirrored(placements[k])):
                    score = self.run(placement)
                    fruitless += 1
                    if best is None or score < best[1]:
                        best, fruitless = (placement, score), 0
            if best is not None and (best[1][0] < before or best[1][0] == self.least):
                descend(best, self._gain)

    def _beginnings(self) -> Iterator[Integers]:
        """The given table; where levels differ those that go by a rule; then random renamings of them."""
        tables = [self.space.start, *(table for _, table in self._by_level())]
        yield from tables
        for table in itertools.cycle(tables):
            yield self.neighbourhood.random.permutation(self.space.nodes)[table]

    def _gain(self, step: Step) -> Step | None:
        """The first swap, shortest bound first, with which a run ends sooner."""
        placement, least = step
        swapped = self.neighbourhood.swapped(placement)
        scores = self.neighbourhood.scores(swapped)
        for k in ascending(scores)[:PATIENCE].tolist():
            if tuple(scores[k].tolist()) >= least:
                break
            score = self.run(swapped[k])
            if score < least:
                return swapped[k], score
        return None
