"""A better allocation: search among the placements of a space for one whose program ends sooner.

The space (`senn.machine.search.placements`) is that of all renamings of a table, which put whatever is at
node p at node r(p), at every level: all static homes, all renamings of the migrating pattern. Or every level
has a renaming of its own. What flows where does not depend on it, so it is resolved once; and the makespan
without queues (`senn.machine.search.precedence`), a lower bound, costs microseconds where a run costs
milliseconds. So the search bounds every placement it meets and runs only those that the bound leaves in the
race.

It runs the given table and some regular ones. If there are at most 8! placements it then bounds them all and
runs those that are left: what it finds is the optimum. With more it goes in chains. A chain
descends by swaps of two nodes, the best of all swaps each time, by the bound alone; from where that ends it
is kicked away by three random swaps and descends again, until so many in a row found nothing better. Then the
ends of the chain are run, shortest bound first, with their mirror images, and if one gained it goes on by
swaps that gain in runs. The next chain starts at the next of the regular tables that treat levels
differently, then at random. (On bounds alone, 16 processes, four seeds, 150,000
placements each, descents from kicks and tabu search found the best migrating placement every time, descents
from random placements three times, annealing never.) The same seed and budget find the same table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.engines import lockstep
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
    Done,
    Engine,
    Found,
    Placement,
    Runs,
)
from senn.machine.search.moving import bounds_of_levels
from senn.machine.search.placements import (
    Descents,
    Space,
    ascending,
    levels,
    renamings,
    score,
    still,
)
from senn.traces.errors import InputError

EXHAUSTED = math.factorial(8)
"""So many placements are all bounded."""
PATIENCE = 20
"""Runs in a row without a gain after which a descent in runs ends."""
BOUNDED_PER_RUN = 1000
"""A budget of so many runs is also one of so many more placements bounded."""


@dataclass(frozen=True)
class Tables:
    """Which tables are searched: what one of them is called, their space, and their lower bounds."""

    one: str
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
    simulate: Engine = lockstep.simulate,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> Found[Placement]:
    """Search the renamings of the nodes of `start`, a table, for the least makespan, in `budget` runs; or,
    with `LEVELS`, the tables that have a renaming of their own for every level.

    Ties go to the fewest words x hops. `progress` is told the runs so far and the least makespan.
    Raises InputError where `place`, the engine or the bounds refuse the program, the table or the machine.
    """
    if budget < 1:
        raise InputError(f"budget = {budget}: the search needs 1 run at least")
    resolved = program if isinstance(program, Flow) else flow(program)
    schedule = place(resolved, start, machine)
    space = tables.space(schedule.allocation, schedule.wiring.nodes, resolved)
    lower = tables.bounds(schedule, machine, space)
    runs = Runs(
        resolved,
        space.points,
        machine,
        simulate,
        budget=budget,
        target=max(bound.cycles for bound in lower),
        progress=progress,
    )
    return _Search(runs, Descents(schedule, machine, space, seed), tables.one).run(lower)


class _Search:
    def __init__(self, runs: Runs, descents: Descents, one: str) -> None:
        self.runs, self.descents, self.space, self.one = runs, descents, descents.space, one
        self.left: int | None = None  # when all placements are bounded: the least bound of those not yet run

    def run(self, lower: tuple[Bound, ...]) -> Found[Placement]:
        try:
            for name, renaming in self._regular():
                self.runs.placed(renaming, name)
            if math.factorial(self.space.nodes) ** self.space.cells <= EXHAUSTED:
                self._exhaust()
            else:
                self._wander()
        except Done:
            pass
        assert self.runs.best is not None  # the budget is 1 at least
        return Found(
            best=self.runs.best,
            starts=tuple(one for one in self.runs.known.values() if one.name != FOUND),
            bounds=(*lower, *self._of_all()),
            history=tuple(self.runs.history),
            runs=len(self.runs),
            bounded=self.descents.bounded,
        )

    def _regular(self) -> Iterator[tuple[str, Integers]]:
        """The given table, and those that go by a rule; those that need 2^m nodes only with so many."""
        given, nodes = self.space.start, self.space.nodes
        yield "as given", given
        yield "mirrored", self.descents.mirrored(given)
        for name in ("unshuffled:1", *allocation.RENAMINGS):
            with suppress(InputError):
                yield name, allocation.named(name, nodes, "home", nodes)[0][given]
        if self.space.cells > 1:
            yield from self._by_level()

    def _by_level(self) -> Iterator[tuple[str, Integers]]:
        """Tables in which processes stay for the first levels, or the last, or all: of the given table, and
        of that of the paper."""
        tables = [("", self.space.start)]
        rows = self.space.points.shape[1:]
        with suppress(InputError):
            if len(np.unique(self.space.points[0, 1])) == rows[1]:
                paper = allocation.named("identity", rows[1], "migrating", self.space.nodes)
                tables.append(("migrating, ", self.space.placement(paper)))
        for of, placement in tables:
            if of:
                yield of.strip(", "), placement
            for (first, stop, like), same in still(self.space, placement):
                if first == 0 or stop == self.space.cells:
                    yield f"{of}levels {first + 1} to {stop} as {like + 1}", same

    def _wander(self) -> None:
        """Chains of descents by the bound, from the given table and then from others; after each chain
        the ends that are still in the race are run, shortest bound first, with their mirror images."""
        for placement in self._beginnings():
            if self.descents.bounded >= BOUNDED_PER_RUN * self.runs.budget:
                break
            ends = self.descents.chain(placement)
            scores = np.array(list(ends.values()), dtype=np.int64)
            self._run_in_order([np.frombuffer(end, dtype=np.int64) for end in ends], scores)

    def _beginnings(self) -> Iterator[Integers]:
        """The given table; where levels differ those that go by a rule; then random renamings of them."""
        tables = [self.space.start]
        if self.space.cells > 1:
            tables += [table for _, table in self._by_level()]
        yield from tables
        for table in itertools.cycle(tables):
            yield self.descents.random.permutation(self.space.nodes)[table]

    def _run_in_order(self, renamings: list[Integers], scores: NDArray[np.int64]) -> None:
        """Run those in the race, with their mirror images; from the best of them descend in runs."""
        fruitless, before = 0, self.runs.least
        best: tuple[Integers, Placement] | None = None
        for k in ascending(scores).tolist():
            if scores[k, 0] >= self.runs.least or fruitless == PATIENCE:
                break
            for renaming in (renamings[k], self.descents.mirrored(renamings[k])):
                found = self.runs.placed(renaming)
                fruitless += 1
                if best is None or found.score < best[1].score:
                    best, fruitless = (renaming, found), 0
        while best is not None and (best[1].makespan < before or best[1].makespan == self.runs.least):
            best = self._improved(*best)

    def _improved(self, renaming: Integers, here: Placement) -> tuple[Integers, Placement] | None:
        """The first swap, shortest bound first, with which a run ends sooner."""
        swapped = self.descents.swapped(renaming)
        scores = self.descents.scores(swapped)
        for k in ascending(scores)[:PATIENCE].tolist():
            if score(scores[k]) >= here.score:
                break
            there = self.runs.placed(swapped[k])
            if there.score < here.score:
                return swapped[k], there
        return None

    def _exhaust(self) -> None:
        """Bound all placements; run those that could end sooner than the best, shortest bound first."""
        one = np.array(list(itertools.permutations(range(self.space.nodes))), dtype=np.int64)
        chosen = np.indices((len(one),) * self.space.cells).reshape(self.space.cells, -1).T
        everything = one[chosen].reshape(len(chosen), -1)
        scores = self.descents.scores(everything)
        for k in ascending(scores).tolist():
            self.left = min(int(scores[k, 0]), self.runs.least)
            if self.left == self.runs.least:
                return
            self.runs.placed(everything[k])
        self.left = self.runs.least

    def _of_all(self) -> Iterator[Bound]:
        """The bound that all placements together give, if they were bounded: what was not run ends no sooner
        than its own, and of those not run the least is known."""
        if self.left is not None:
            cycles = min(self.left, self.runs.least)
            rest = (
                "those that could end sooner were run"
                if cycles == self.runs.least
                else "what was not run ends no sooner than this; the budget was spent"
            )
            said = f"all {self.descents.bounded:,} {self.one}s were bounded, and {rest}"
            yield Bound(f"every {self.one}", cycles, said)
