"""A better allocation: search among the renamings of a table for one whose program ends sooner.

A renaming puts whatever is at node p at node r(p), at every level: all static homes, all renamings of the
migrating pattern. What flows where does not depend on it, so it is resolved once; and the makespan without
queues (`senn.machine.search.precedence`), a lower bound, costs microseconds where a run costs
milliseconds. So the search bounds every placement it meets and runs only those that the bound leaves in the
race.

It runs the given table and some regular renamings of it. With at most eight nodes it then bounds all
renamings and runs those that are left: what it finds is the optimum. With more it goes in chains. A chain
descends by swaps of two nodes, the best of all swaps each time, by the bound alone; from where that ends it
is kicked away by three random swaps and descends again, until KICKS in a row found nothing better. Then the
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
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.engines import lockstep
from senn.machine.engines.lockstep.queueing import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import Bound, bounds, distances
from senn.machine.search.precedence import precedence
from senn.traces.errors import InputError
from senn.traces.record.trace import Detail
from senn.traces.run import Run

EXHAUSTED_UP_TO = 8
"""Nodes of which all renamings are bounded: 8! = 40,320."""
SWAPS = 2048
"""Swaps of two nodes tried at once; of larger neighbourhoods so many are drawn."""
KICK, KICKS = 3, 20
"""Random swaps that lead away from where a descent ended; kicks in a row without a gain."""
PATIENCE = 20
"""Runs in a row without a gain after which a descent in runs ends."""
BOUNDED_PER_RUN = 1000
"""A budget of so many runs is also one of so many more placements bounded."""
FOUND = "found"
"""The name of every placement that no rule gave."""
_AT_ONCE = 1024


class Engine(Protocol):
    """`senn.machine.engines.lockstep.simulate` or `senn.machine.engines.events.simulate`."""

    def __call__(self, schedule: Schedule, machine: Machine, memory: None, *, detail: Detail) -> Run: ...


@dataclass(frozen=True, eq=False)
class Placement:
    """A table and what a run with it gave; equal makespans are told apart by words x hops."""

    name: str
    table: Integers
    makespan: int
    word_hops: int

    @property
    def score(self) -> tuple[int, int]:
        return self.makespan, self.word_hops


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
    search = _Search(
        resolved, schedule, machine, budget, seed, simulate, progress, max(b.cycles for b in lower)
    )
    return search.run(lower)


class _Done(Exception):
    """The budget is spent, or the bound is met."""


class _Search:
    def __init__(
        self,
        resolved: Flow,
        schedule: Schedule,
        machine: Machine,
        budget: int,
        seed: int,
        simulate: Engine,
        progress: Callable[[int, int], None],
        target: int,
    ) -> None:
        self.flow, self.start, self.machine = resolved, schedule.allocation, machine
        self.budget, self.simulate, self.progress, self.target = budget, simulate, progress, target
        self.precedence = precedence(schedule, machine)
        self.distances = distances(schedule)
        self.nodes = self.precedence.nodes
        self.random = np.random.default_rng(seed)
        self.known: dict[bytes, Placement] = {}
        self.history: list[tuple[int, int]] = []
        self.bounded = 0
        self.best: Placement | None = None
        self.left: int | None = None  # when all renamings are bounded: the least bound of those not yet run

    def run(self, lower: tuple[Bound, ...]) -> Found:
        try:
            for name, renaming in self._regular():
                self._placed(renaming, name)
            if self.nodes <= EXHAUSTED_UP_TO:
                self._exhaust()
            else:
                self._wander()
        except _Done:
            pass
        assert self.best is not None  # the budget is 1 at least
        return Found(
            best=self.best,
            starts=tuple(one for one in self.known.values() if one.name != FOUND),
            bounds=(*lower, *self._of_all()),
            history=tuple(self.history),
            runs=len(self.known),
            bounded=self.bounded,
        )

    def _regular(self) -> Iterator[tuple[str, Integers]]:
        """The given table, and renamings that go by a rule; those that need 2^m nodes only with so many."""
        identity = np.arange(self.nodes)
        yield "as given", identity
        yield "mirrored", self._mirrored(identity)
        for name in ("unshuffled:1", *allocation.RENAMINGS):
            with suppress(InputError):
                yield name, allocation.named(name, self.nodes, "home", self.nodes)[0]

    # -- one placement

    def _placed(self, renaming: Integers, name: str = FOUND) -> Placement:
        """The placement of a renaming, from a run unless it is known."""
        table = renaming[self.start]
        key = table.tobytes()
        if key not in self.known:
            if len(self.known) == self.budget:
                raise _Done
            schedule = place(self.flow, table, self.machine)
            run = self.simulate(schedule, self.machine, None, detail="summary")
            word_hops = int(schedule.messages.paths.hops.astype(np.int64) @ schedule.messages.words)
            found = Placement(name, table, int(run.summary["makespan"]), word_hops)
            self.known[key] = found
            self._note(found)
        return self.known[key]

    def _note(self, found: Placement) -> None:
        if found.makespan < self.least:
            self.history.append((len(self.known), found.makespan))
        if self.best is None or found.score < self.best.score:
            self.best = found
        self.progress(len(self.known), self.best.makespan)
        if self.best.makespan == self.target:
            raise _Done

    @property
    def least(self) -> int:
        """Of all runs so far."""
        return NEVER if self.best is None else self.best.makespan

    def _mirrored(self, renaming: Integers) -> Integers:
        """The nodes in reverse order. On SENN all distances stay; who comes first in a queue does not."""
        return self.nodes - 1 - renaming

    def _bounded(self, renamings: Integers) -> NDArray[np.int64]:
        """(k, 2) least makespan and words x hops of (k, N) renamings."""
        parts = []
        for first in range(0, len(renamings), _AT_ONCE):
            hops, word_hops = self.precedence.hops(self.distances, renamings[first : first + _AT_ONCE])
            parts.append(np.stack([self.precedence.makespan(hops), word_hops], axis=1))
        self.bounded += len(renamings)
        return np.concatenate(parts)

    # -- the search

    def _wander(self) -> None:
        """Chains of descents by the bound, from the given table and then from random ones; after each chain
        the ends that are still in the race are run, shortest bound first, with their mirror images."""
        renaming = np.arange(self.nodes)
        while self.bounded < BOUNDED_PER_RUN * self.budget:
            ends = self._chain(renaming)
            scores = np.array(list(ends.values()), dtype=np.int64)
            self._run_in_order([np.frombuffer(end, dtype=np.int64) for end in ends], scores)
            renaming = self.random.permutation(self.nodes)

    def _chain(self, renaming: Integers) -> dict[bytes, tuple[int, ...]]:
        """Where descents from a renaming, and then from kicks away from the best of them, ended."""
        renaming, score = self._descend(renaming)
        ends, fruitless = {renaming.tobytes(): score}, 0
        while fruitless < KICKS:
            kicked = renaming.copy()
            for _ in range(KICK):
                pair = self.random.choice(self.nodes, 2, replace=False)
                kicked[pair] = kicked[pair[::-1]]
            there, found = self._descend(kicked)
            ends[there.tobytes()] = found
            fruitless = 0 if found < score else fruitless + 1
            if found <= score:
                renaming, score = there, found
        return ends

    def _descend(self, renaming: Integers) -> tuple[Integers, tuple[int, ...]]:
        """The best swap by the bound, and again, to where none gains."""
        score = _score(self._bounded(renaming[None])[0])
        while True:
            swapped = self._swapped(renaming)
            scores = self._bounded(swapped)
            least = int(_ascending(scores)[0])
            if _score(scores[least]) >= score:
                return renaming, score
            renaming, score = swapped[least], _score(scores[least])

    def _run_in_order(self, renamings: list[Integers], scores: NDArray[np.int64]) -> None:
        """Run those in the race, with their mirror images; from the best of them descend in runs."""
        fruitless, before = 0, self.least
        best: tuple[Integers, Placement] | None = None
        for k in _ascending(scores).tolist():
            if scores[k, 0] >= self.least or fruitless == PATIENCE:
                break
            for renaming in (renamings[k], self._mirrored(renamings[k])):
                found = self._placed(renaming)
                fruitless += 1
                if best is None or found.score < best[1].score:
                    best, fruitless = (renaming, found), 0
        while best is not None and (best[1].makespan < before or best[1].makespan == self.least):
            best = self._improved(*best)

    def _improved(self, renaming: Integers, here: Placement) -> tuple[Integers, Placement] | None:
        """The first swap, shortest bound first, with which a run ends sooner."""
        swapped = self._swapped(renaming)
        scores = self._bounded(swapped)
        for k in _ascending(scores)[:PATIENCE].tolist():
            if _score(scores[k]) >= here.score:
                break
            there = self._placed(swapped[k])
            if there.score < here.score:
                return swapped[k], there
        return None

    def _swapped(self, renaming: Integers) -> Integers:
        """(k, N) all that differ by one swap of two nodes, or SWAPS of them drawn."""
        pairs = np.array(list(itertools.combinations(range(self.nodes), 2)), dtype=np.int64)
        if len(pairs) > SWAPS:
            pairs = pairs[self.random.choice(len(pairs), SWAPS, replace=False)]
        swapped = np.repeat(renaming[None], len(pairs), axis=0)
        rows = np.arange(len(pairs))[:, None]
        swapped[rows, pairs] = swapped[rows, pairs[:, ::-1]]
        return swapped

    def _exhaust(self) -> None:
        """Bound all renamings; run those that could end sooner than the best, shortest bound first."""
        everything = np.array(list(itertools.permutations(range(self.nodes))), dtype=np.int64)
        scores = self._bounded(everything)
        for k in _ascending(scores).tolist():
            self.left = min(int(scores[k, 0]), self.least)
            if self.left == self.least:
                return
            self._placed(everything[k])

    def _of_all(self) -> Iterator[Bound]:
        """The bound that all renamings together give, if they were bounded: what was not run ends no sooner
        than its own, and of those not run the least is known."""
        if self.left is not None:
            cycles = min(self.left, self.least)
            rest = (
                "those that could end sooner were run"
                if cycles == self.least
                else "what was not run ends no sooner than this; the budget was spent"
            )
            yield Bound("every renaming", cycles, f"all {self.bounded:,} renamings were bounded, and {rest}")


def _ascending(scores: NDArray[np.int64]) -> Integers:
    """The order of (k, 2) scores: by makespan, then by words x hops."""
    return np.lexsort((scores[:, 1], scores[:, 0]))


def _score(row: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(row.tolist())
