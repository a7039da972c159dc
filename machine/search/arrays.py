"""Which array does which step: a search for a better assignment, and bounds.

`assignments`: the search. `groups`: what one array does in any case. `data_flow`: the least times of tasks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from senn.machine.durations import durations
from senn.machine.engines import lockstep
from senn.machine.engines.issue_times import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Arrange, Program, Send, Value, Wait
from senn.machine.rewrite.lines import part_of, target_of
from senn.machine.search.bounds import Bound, taking_turns
from senn.machine.search.local_search import FOUND, Done, Engine, Found
from senn.machine.search.precedence import refuse_own_control
from senn.traces.errors import InputError

# ------------------------------------------------------------
# Which array does which step: a search for the assignment with which a program ends sooner, and
# bounds. Steps whose messages carry each other's values stay together, a *group*; an assignment gives
# each group one of as many arrays as the program has. All assignments are made of the same program on
# one array: its tasks are those that every one of them must execute, in the order of the text, which
# each array keeps. That gives the *makespan without queues* of an assignment, a lower bound that
# costs a millisecond: tasks of one array follow each other, messages take their hops inside the array
# and, to another array, those between. Two bounds hold for all assignments at once. *Data flow*: what
# every task needs must be there, were there an array for each. *Work*: so many arrays share all tasks
# that begin after cycle r and end q cycles or longer before the last, as the channels of a node share
# its messages (`senn.machine.search.bounds`). The search runs the given assignment. If there
# are few it then bounds all and runs those that are left: what it finds is the optimum. Else it runs
# those of whole parts of the algorithm, shortest bound first, and goes down from the best by moving
# single groups, then from random moves away from it. Equal seeds and budgets find equal assignments.

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


# ------------------------------------------------------------
# What needs what in a program on one array: the least times of its tasks, on arrays of one's choice.


@dataclass(frozen=True)
class Need:
    """A task reads what another has made, or sent over so many hops."""

    maker: int
    over: int  # hops of a message; -1: the process's own value
    words: int

    @property
    def hops(self) -> int:
        return max(self.over, 0)


class DataFlow:
    """Tasks in the order of the text, their cycles, and what each needs; waits are left out."""

    def __init__(self, schedule: Schedule, machine: Machine) -> None:
        refuse_own_control(machine)
        if len(schedule.tasks) != 1:
            raise InputError("the data flow of a program is that of all its steps on one array")
        self.machine = machine
        time = durations(schedule, machine)
        (tasks,) = schedule.tasks
        kept = [task for task in tasks if not isinstance(task.line.instruction, Wait)]
        number = {task.line.position: k for k, task in enumerate(kept)}
        self.steps = tuple(task.step for task in kept)
        self.busy = tuple(time.busy(task) for task in kept)
        slots, m = schedule.flow.slots, schedule.messages
        first = np.array([fill.first for fill in slots.fills])
        maker = np.array([number.get(fill.position, -1) for fill in slots.fills])
        words = np.array([schedule.flow.values[fill.value].words for fill in slots.fills])
        hops = np.full(len(slots), -1)  # of own values
        hops[m.slot] = m.paths.hops[m.carrier]
        self.needs: list[list[Need]] = []
        for task in kept:
            read = np.concatenate([np.zeros(0, dtype=np.int32), *task.reads])
            read = read[read >= 0]
            fill = np.searchsorted(first, read, side="right") - 1
            found = np.unique(np.stack([maker[fill], hops[read], words[fill]]), axis=1).T.tolist()
            self.needs.append([Need(*one) for one in found if one[0] >= 0])

    def issues(self, arrays: Sequence[int] | None) -> list[int]:
        """The earliest issue of every task, on these arrays; None: on one of its own, next to all others."""
        issue: list[int] = []
        free: dict[int, int] = {}
        post = self.machine.timing.post
        for task, needs in enumerate(self.needs):
            earliest = free.get(arrays[task], 0) if arrays is not None else 0
            for need in needs:
                across = abs(arrays[task] - arrays[need.maker]) if arrays is not None else 0
                there = issue[need.maker] + self.busy[need.maker]
                if across and need.over < 0:
                    there += post
                earliest = max(earliest, there + self.travel(need.words, need.hops + across))
            issue.append(earliest)
            if arrays is not None:
                free[arrays[task]] = earliest + self.busy[task]
        return issue

    def makespan(self, arrays: Sequence[int] | None) -> int:
        """The end of the last task."""
        issue = self.issues(arrays)
        return max((i + b for i, b in zip(issue, self.busy, strict=True)), default=0)

    def tails(self) -> Integers:
        """Cycles from the end of every task to the end of the last, with an array for each."""
        tail = [0] * len(self.busy)
        for task in reversed(range(len(tail))):
            for need in self.needs[task]:
                follows = self.travel(need.words, need.hops) + self.busy[task] + tail[task]
                tail[need.maker] = max(tail[need.maker], follows)
        return np.array(tail, dtype=np.int64)

    def travel(self, words: int, hops: int) -> int:
        """Cycles on the way, if nothing is in the way."""
        service = self.machine.message_cycles(words)
        if not hops or not service:
            return 0
        if self.machine.switching == "cut-through":
            passing = math.ceil(self.machine.timing.hop)
            return math.ceil(self.machine.timing.startup) + service + passing * hops
        return service * hops


# ------------------------------------------------------------
# The steps of a program in groups that one array does: who sends a value is who makes it.


@dataclass(frozen=True)
class Group:
    """Beginnings of labels, as an assignment has them, in the order of the text; all of one part."""

    part: str
    labels: tuple[str, ...]


def groups(program: Program) -> tuple[Group, ...]:
    """All groups of a program, by their first label; a label is the beginning of those of its own steps."""
    lines = [line for stream in program.streams for line in stream]
    labels = list(dict.fromkeys(label_of(line.step) for line in lines))
    together = {label: label for label in labels}

    def root(label: str) -> str:
        while together[label] != label:
            label = together[label]
        return label

    makers: dict[Value, str] = {}
    for line in lines:
        if (value := target_of(line)) is not None:
            first = makers.setdefault(value, label_of(line.step))
            together[root(label_of(line.step))] = root(first)
    for line in lines:
        for value in line.values if isinstance(line, Send | Arrange) else ():
            if value in makers:
                together[root(label_of(line.step))] = root(makers[value])
    found: dict[str, list[str]] = {}
    for label in labels:
        found.setdefault(root(label), []).append(label)
    return tuple(Group(part_of(each[0]), tuple(each)) for each in found.values())


def label_of(step: str) -> str:
    """The numbered step that a step belongs to.

    >>> label_of("II.c.3.iv"), label_of("I.a.4''"), label_of("III.2.i"), label_of("keep A")
    ('II.c.3', 'I.a.4', 'III.2', 'keep A')
    """
    part = part_of(step)
    rest = step[len(part) + 1 :].split(".")[0].rstrip("'")
    return f"{part}.{rest}" if rest else part.rstrip("'")
