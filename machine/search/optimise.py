"""A better allocation: search among the renamings of a table for one whose program ends sooner.

A renaming puts whatever is at node p at node r(p), at every level: all static homes, all renamings of the
migrating pattern. What flows where does not depend on it, so it is resolved once; and the makespan without
queues (`senn.machine.search.precedence`), a lower bound, costs microseconds where a run costs
milliseconds. So the search bounds every placement it meets and runs only those that the bound leaves in the
race.

It runs the given table and some regular renamings of it. With at most eight nodes it then bounds all
renamings and runs those that are left: what it finds is the optimum. With more it goes in chains. A chain
descends by swaps of two nodes, the best of all swaps each time, by the bound alone; from where that ends it
is kicked away by three random swaps and descends again, until so many in a row found nothing better. Then the
ends of the chain are run, shortest bound first, with their mirror images, and if one gained it goes on by
swaps that gain in runs. The next chain starts at random. (On bounds alone, 16 processes, four seeds, 150,000
placements each, descents from kicks and tabu search found the best migrating placement every time, descents
from random placements three times, annealing never.) The same seed and budget find the same table.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.engines import lockstep
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import Bound, bounds
from senn.machine.search.descents import Descents, ascending, score
from senn.machine.search.runs import FOUND, Done, Engine, Placement, Runs
from senn.traces.errors import InputError

EXHAUSTED_UP_TO = 8
"""Nodes of which all renamings are bounded: 8! = 40,320."""
PATIENCE = 20
"""Runs in a row without a gain after which a descent in runs ends."""
BOUNDED_PER_RUN = 1000
"""A budget of so many runs is also one of so many more placements bounded."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best placement, where the search began, and what is proved."""

    best: Placement
    starts: tuple[Placement, ...]  # as given and the named renamings, before any swap
    bounds: tuple[Bound, ...]
    history: tuple[tuple[int, int], ...]  # (runs so far, makespan) of each that was better than all before
    runs: int
    bounded: int  # placements that were bounded

    @property
    def bound(self) -> Bound:
        """The largest lower bound; the first of equals."""
        return max(self.bounds, key=lambda bound: bound.cycles)

    @property
    def gap(self) -> int:
        """Cycles between the best placement and what is proved impossible; 0: it is optimal."""
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


def optimise(
    program: Program | Flow,
    start: ArrayLike,
    machine: Machine,
    *,
    budget: int = 200,
    seed: int = 0,
    simulate: Engine = lockstep.simulate,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> Found:
    """Search the renamings of the nodes of `start`, a table, for the least makespan, in `budget` runs.

    Ties go to the fewest words x hops. `progress` is told the runs so far and the least makespan.
    Raises InputError where `place`, the engine or the bounds refuse the program, the table or the machine.
    """
    if budget < 1:
        raise InputError(f"budget = {budget}: the search needs 1 run at least")
    resolved = program if isinstance(program, Flow) else flow(program)
    schedule = place(resolved, start, machine)
    lower = bounds(schedule, machine)
    runs = Runs(
        resolved,
        schedule.allocation,
        machine,
        simulate,
        budget=budget,
        target=max(bound.cycles for bound in lower),
        progress=progress,
    )
    return _Search(runs, Descents(schedule, machine, seed)).run(lower)


class _Search:
    def __init__(self, runs: Runs, descents: Descents) -> None:
        self.runs, self.descents, self.nodes = runs, descents, descents.nodes
        self.left: int | None = None  # when all renamings are bounded: the least bound of those not yet run

    def run(self, lower: tuple[Bound, ...]) -> Found:
        try:
            for name, renaming in self._regular():
                self.runs.placed(renaming, name)
            if self.nodes <= EXHAUSTED_UP_TO:
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
        """The given table, and renamings that go by a rule; those that need 2^m nodes only with so many."""
        identity = np.arange(self.nodes)
        yield "as given", identity
        yield "mirrored", self.descents.mirrored(identity)
        for name in ("unshuffled:1", *allocation.RENAMINGS):
            with suppress(InputError):
                yield name, allocation.named(name, self.nodes, "home", self.nodes)[0]

    def _wander(self) -> None:
        """Chains of descents by the bound, from the given table and then from random ones; after each chain
        the ends that are still in the race are run, shortest bound first, with their mirror images."""
        renaming = np.arange(self.nodes)
        while self.descents.bounded < BOUNDED_PER_RUN * self.runs.budget:
            ends = self.descents.chain(renaming)
            scores = np.array(list(ends.values()), dtype=np.int64)
            self._run_in_order([np.frombuffer(end, dtype=np.int64) for end in ends], scores)
            renaming = self.descents.random.permutation(self.nodes)

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
        """Bound all renamings; run those that could end sooner than the best, shortest bound first."""
        everything = np.array(list(itertools.permutations(range(self.nodes))), dtype=np.int64)
        scores = self.descents.scores(everything)
        for k in ascending(scores).tolist():
            self.left = min(int(scores[k, 0]), self.runs.least)
            if self.left == self.runs.least:
                return
            self.runs.placed(everything[k])

    def _of_all(self) -> Iterator[Bound]:
        """The bound that all renamings together give, if they were bounded: what was not run ends no sooner
        than its own, and of those not run the least is known."""
        if self.left is not None:
            cycles = min(self.left, self.runs.least)
            rest = (
                "those that could end sooner were run"
                if cycles == self.runs.least
                else "what was not run ends no sooner than this; the budget was spent"
            )
            bounded = self.descents.bounded
            yield Bound("every renaming", cycles, f"all {bounded:,} renamings were bounded, and {rest}")
