"""Which array does which step: a search for the assignment with which a program ends sooner, and bounds.

Steps whose messages carry each other's values stay together, a *group*; an assignment gives each group one of
as many arrays as the program has. All assignments are made of the same program on one array: its tasks are
those that every one of them must execute, in the order of the text, which each array keeps. That gives the
*makespan without queues* of an assignment, a lower bound that costs a millisecond: tasks of one array follow
each other, messages take their hops inside the array and, to another array, those between.

Two bounds hold for all assignments at once. *Data flow*: what every task needs must be there, were there an
array for each. *Work*: so many arrays share all tasks that begin after cycle r and end q cycles or longer
before the last, as the channels of a node share its messages (`senn.machine.search.channel_load`).

The search runs the given assignment. If there are few it then bounds all and runs those that are left: what
it finds is the optimum. Else it runs those of whole parts of the algorithm, shortest bound first, and goes
down from the best by moving single groups, then from random moves away from it. Equal seeds and budgets find
equal assignments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from senn.machine.engines import lockstep
from senn.machine.engines.lockstep.queueing import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.search.arrays.data_flow import DataFlow
from senn.machine.search.arrays.groups import Group, groups, label_of
from senn.machine.search.bounds import Bound
from senn.machine.search.channel_load import taking_turns
from senn.machine.search.found import Found
from senn.machine.search.runs import FOUND, Done, Engine
from senn.traces.errors import InputError

BOUNDED_UP_TO = 4096
"""So many assignments, of groups or at least of whole parts, are all bounded."""
PATIENCE = 20
"""Runs in a row without a gain after which those of whole parts, or of one neighbourhood, end."""
KICK = 3
"""Groups that are moved at random when a way down has ended."""
KICKS = 20
"""Kicks in a row without a gain after which nothing is tried any more."""

Arrays = tuple[int, ...]
"""The array of each group."""


@dataclass(frozen=True, eq=False)
class Assigned:
    """An assignment and what a run with it gave; as given, it is empty."""

    name: str
    assignment: Mapping[str, int]
    makespan: int
    word_hops: int


def optimise_arrays(
    given: Program,
    base: Program,
    write: Callable[[Mapping[str, int]], Program],
    table: Integers,
    machine: Machine,
    *,
    budget: int = 200,
    seed: int = 0,
    simulate: Engine = lockstep.simulate,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> Found[Assigned]:
    """Search for the array of every step, among as many as `given` has, with the least makespan, in `budget`
    runs; all arrays have `table`, (M + 1, n).

    `write` makes the program of an assignment, out of the steps of `base`, as `given` is made. `progress` is
    told the runs so far and the least makespan. Raises InputError where `place`, the engine or the bounds
    refuse the program, the table or the machine.
    """
    if budget < 1:
        raise InputError(f"budget = {budget}: the search needs 1 run at least")
    runs = _Runs(table, machine, simulate, budget, progress)
    return _Search(given, groups(base), write, runs, seed).run()


class _Runs:
    """Runs of assignments, no more than the budget."""

    def __init__(
        self,
        table: Integers,
        machine: Machine,
        simulate: Engine,
        budget: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.table, self.machine, self.simulate = table, machine, simulate
        self.budget, self.progress = budget, progress
        self.history: list[tuple[int, int]] = []
        self.tried: list[Assigned] = []

    @property
    def best(self) -> Assigned:
        """The least of all runs so far; the first of equals."""
        return min(self.tried, key=lambda one: one.makespan)

    def placed(self, program: Program) -> Schedule:
        return place(program, self.table, self.machine)

    def run(self, schedule: Schedule, name: str, assignment: Mapping[str, int], target: int) -> Assigned:
        """What a schedule gives; Done where the budget is spent before it, or it meets `target`."""
        if len(self.tried) == self.budget:
            raise Done
        run = self.simulate(schedule, self.machine, None, detail="summary")
        word_hops = int(schedule.messages.paths.hops.astype(np.int64) @ schedule.messages.words)
        found = Assigned(name, assignment, int(run.summary["makespan"]), word_hops)
        self.tried.append(found)
        if self.best is found:
            self.history.append((len(self.tried), found.makespan))
        self.progress(len(self.tried), self.best.makespan)
        if self.best.makespan == target:
            raise Done
        return found


class _Search:
    def __init__(
        self,
        given: Program,
        several: tuple[Group, ...],
        write: Callable[[Mapping[str, int]], Program],
        runs: _Runs,
        seed: int,
    ) -> None:
        self.given, self.groups, self.write, self.runs = given, several, write, runs
        self.arrays = given.arrays
        self.random = np.random.default_rng(seed)
        self.order = DataFlow(runs.placed(write({"": 1})), runs.machine)
        self.group_of = _group_of(self.groups, self.order.steps)
        self.lower = self._bounds()
        self.target = max(bound.cycles for bound in self.lower)
        self.known: dict[Arrays, int] = {}  # makespans; NEVER: refused
        self.bounded = 0
        self.left: int | None = None  # when all are bounded: the least bound of those not yet run

    def run(self) -> Found[Assigned]:
        try:
            self.runs.run(self.runs.placed(self.given), "as given", {}, self.target)
            if self.arrays ** len(self.groups) <= BOUNDED_UP_TO:
                self._exhaust()
            else:
                self._wander()
        except Done:
            pass
        return Found(
            best=self.runs.best,
            starts=(self.runs.tried[0],),
            bounds=(*self.lower, *self._of_all()),
            history=tuple(self.runs.history),
            runs=len(self.runs.tried),
            bounded=self.bounded,
        )

    def _bounds(self) -> tuple[Bound, ...]:
        heads, tails = np.array(self.order.issues(None)), self.order.tails()
        busy = np.array(self.order.busy, dtype=np.int64)
        work, tasks = taking_turns(heads, busy, tails, self.arrays)
        return (
            Bound("data flow", self.order.makespan(None), "each step needs what others made, on any array"),
            Bound(
                "work",
                work,
                f"{tasks:,} of the steps, on {self.arrays} arrays, with what precedes and follows all",
            ),
        )

    def _exhaust(self) -> None:
        everything = list(itertools.product(range(1, self.arrays + 1), repeat=len(self.groups)))
        for least, chosen in self._ascending(everything):
            self.left = min(least, self._least)
            if self.left == self._least:
                return
            self._placed(chosen)
        self.left = self._least

    def _wander(self) -> None:
        """Whole parts first; then down by groups from the best that is known, and from kicks away from it."""
        parts = list(dict.fromkeys(group.part for group in self.groups))
        here = tuple(1 for _ in self.groups)
        if self.arrays ** len(parts) <= BOUNDED_UP_TO:
            number = [parts.index(group.part) for group in self.groups]
            whole = itertools.product(range(1, self.arrays + 1), repeat=len(parts))
            here = self._first(tuple(of[k] for k in number) for of in whole) or here
        here = self._descend(here)
        fruitless = 0
        while fruitless < KICKS:
            kicked = list(here)
            for group in self.random.choice(len(kicked), min(KICK, len(kicked)), replace=False).tolist():
                kicked[group] = int(self.random.integers(1, self.arrays + 1))
            there = self._descend(tuple(kicked))
            fruitless = 0 if self._placed(there) < self._placed(here) else fruitless + 1
            if self._placed(there) <= self._placed(here):
                here = there

    def _descend(self, here: Arrays) -> Arrays:
        """The first move of a group, shortest bound first, with which a run ends sooner; and again."""
        while True:
            least = self._placed(here)
            found = self._first(self._moved(here), least)
            if found is None:
                return here
            here = found

    def _first(self, several: Iterator[Arrays], least: int | None = None) -> Arrays | None:
        """The first that ends before `least`, or without it the best; of those in the race, in runs."""
        best, fruitless = None, 0
        for bound, chosen in self._ascending(list(several)):
            if fruitless == PATIENCE or bound >= (self._least if least is None else least):
                break
            makespan = self._placed(chosen)
            fruitless += 1
            if least is not None and makespan < least:
                return chosen
            if least is None and (best is None or makespan < self._placed(best)):
                best, fruitless = chosen, 0
        return best

    def _moved(self, here: Arrays) -> Iterator[Arrays]:
        """One group to another array, or those of one part from one group on."""
        for k, group in enumerate(self.groups):
            for array in range(1, self.arrays + 1):
                yield (*here[:k], array, *here[k + 1 :])
                yield tuple(
                    array if j >= k and other.part == group.part else here[j]
                    for j, other in enumerate(self.groups)
                )

    def _ascending(self, several: list[Arrays]) -> list[tuple[int, Arrays]]:
        """By the makespan without queues; arrays counted from 1 on, and each assignment once."""
        distinct = list(dict.fromkeys(map(_counted, several)))
        self.bounded += len(distinct)
        bounds = (self.order.makespan([chosen[k] for k in self.group_of]) for chosen in distinct)
        return sorted(zip(bounds, distinct, strict=True))

    @property
    def _least(self) -> int:
        return self.runs.best.makespan

    def _placed(self, arrays: Arrays) -> int:
        """The makespan of an assignment, from a run unless it is known."""
        arrays = _counted(arrays)
        if arrays not in self.known:
            said = {
                label: array
                for group, array in zip(self.groups, arrays, strict=True)
                for label in group.labels
            }
            try:
                schedule = self.runs.placed(self.write(said))
            except InputError:  # what crosses cannot be sent, or not to where it is read
                self.known[arrays] = NEVER
            else:
                self.known[arrays] = self.runs.run(schedule, FOUND, said, self.target).makespan
        return self.known[arrays]

    def _of_all(self) -> Iterator[Bound]:
        """The bound that all assignments together give, if they were bounded."""
        if self.left is not None:
            cycles = min(self.left, self._least)
            rest = (
                "those that could end sooner were run"
                if cycles == self._least
                else "what was not run ends no sooner than this; the budget was spent"
            )
            said = f"all {self.bounded:,} assignments were bounded, and {rest}"
            yield Bound("every assignment", cycles, said)


def _group_of(several: tuple[Group, ...], steps: tuple[str, ...]) -> list[int]:
    """The group of every step: that of the longest label that it begins with, as an assignment has it."""
    number = {label: k for k, group in enumerate(several) for label in group.labels}
    return [number[label_of(step)] for step in steps]


def _counted(arrays: Arrays) -> Arrays:
    """The arrays that have work, counted from 1 on; and of an order and its mirror image the first."""
    number = {array: k for k, array in enumerate(sorted(set(arrays)), 1)}
    up = tuple(number[array] for array in arrays)
    down = tuple(len(number) + 1 - array for array in up)
    return min(up, down)
