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
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import Bound, bounds
from senn.machine.search.local_search import (
    FOUND,
    PATIENCE,
    Runs,
    Score,
    SearchFinished,
    SearchResult,
    Step,
    chain,
    descend,
)
from senn.machine.search.moving import bounds_of_levels
from senn.machine.search.placements import Neighbourhood, Space, ascending, levels, renamings, repeated

EXHAUSTED = math.factorial(8)
"""Placements that are all bounded, at most."""
BOUNDED_PER_RUN = 1000
"""Placements bounded for each run of the budget, at most."""


@dataclass(frozen=True)
class Tables:
    """A set of tables to search: the noun for one of them, their space, and their lower bounds."""

    noun: str
    space: Callable[[Integers, int, Flow], Space]
    bounds: Callable[[Schedule, Machine, Space], tuple[Bound, ...]]


RENAMINGS = Tables("renaming", renamings, lambda schedule, machine, space: bounds(schedule, machine))
LEVELS = Tables("table", levels, bounds_of_levels)


def optimise(
    program: Program | Flow,
    start: ArrayLike,
    machine: Machine,
    *,
    tables: Tables = RENAMINGS,
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> SearchResult:
    """Search the renamings of the nodes of `start`, a table, for the least makespan, in `budget` runs; or,
    with `LEVELS`, the tables that have a renaming of their own for every level.

    Ties go to the fewest words x hops. `progress(runs, makespan)` is called with the number of runs so far
    and the least makespan. Raises InputError where `place`, the engine or the bounds refuse the program, the
    table or the machine.
    """
    resolved = program if isinstance(program, Flow) else flow(program)
    schedule = place(resolved, start, machine)
    space = tables.space(schedule.allocation, schedule.wiring.nodes, resolved)
    lower = tables.bounds(schedule, machine, space)
    runs = Runs(machine, budget, progress, max(bound.cycles for bound in lower))
    placements = _Placements(resolved, runs, Neighbourhood(schedule, machine, space, seed))
    left: int | None = None  # where all are bounded: the least bound of those not yet run
    with suppress(SearchFinished):
        for name, placement in placements.regular():
            placements.run(placement, name)
        if math.factorial(space.nodes) ** space.cells <= EXHAUSTED:
            for bound, placement in placements.all_by_bound():
                left = min(bound, runs.least)
                if left == runs.least:
                    break
                placements.run(placement)
            left = runs.least
        else:
            placements.wander()
    bounded = placements.neighbourhood.bounded
    if left is not None:
        cycles = min(left, runs.least)
        rest = (
            "those that could end sooner were run"
            if cycles == runs.least
            else "what was not run ends no sooner than this; the budget was spent"
        )
        because = f"all {bounded:,} {tables.noun}s were bounded, and {rest}"
        lower = (*lower, Bound(f"every {tables.noun}", cycles, because))
    return SearchResult(
        best=runs.best,
        starts=tuple(placement for placement in runs.tried if placement.name != FOUND),
        bounds=lower,
        history=tuple(runs.history),
        runs=len(runs.tried),
        bounded=bounded,
    )


class _Placements:
    """Placements of a space, run or bounded."""

    def __init__(self, flow: Flow, runs: Runs, neighbourhood: Neighbourhood) -> None:
        self.flow, self.runs = flow, runs
        self.neighbourhood, self.space = neighbourhood, neighbourhood.space
        self.scores: dict[bytes, Score] = {}  # of those that were run

    def run(self, placement: Integers, name: str = FOUND) -> Score:
        table = placement[self.space.points]
        key = table.tobytes()
        if key not in self.scores:
            schedule = place(self.flow, table, self.runs.machine)
            self.scores[key] = self.runs.run(schedule, name, table)
        return self.scores[key]

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
            if near.bounded >= BOUNDED_PER_RUN * self.runs.budget:
                break
            ends = {end.tobytes(): score for end, score in chain(beginning, near.descended, near.kicked)}
            placements = [np.frombuffer(end, dtype=np.int64) for end in ends]
            scores = np.array(list(ends.values()), dtype=np.int64)
            before, best, fruitless = self.runs.least, None, 0
            for k in ascending(scores).tolist():
                if scores[k, 0] >= self.runs.least or fruitless == PATIENCE:
                    break
                for placement in (placements[k], near.mirrored(placements[k])):
                    score = self.run(placement)
                    fruitless += 1
                    if best is None or score < best[1]:
                        best, fruitless = (placement, score), 0
            if best is not None and (best[1][0] < before or best[1][0] == self.runs.least):
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
