"""Search for the array of every step with which a program ends sooner, and bounds of all assignments.

Steps whose messages carry each other's values stay together, a *group*; an assignment gives each group one of
as many arrays as the program has. All assignments are made of the same program on one array: its tasks are
those that every one of them must execute, in the order of the text, which each array keeps. That gives the
*makespan without queues* of an assignment, a lower bound that costs a millisecond: tasks of one array follow
each other, messages take their hops inside the array and, to another array, those between.

Two bounds hold for all assignments at once. *Data flow*: the operands of every task must have arrived, were
there an array for each. *Work*: so many arrays share all tasks that begin after cycle r and end q cycles or
longer before the last, as the channels of a node share its messages (`senn.machine.search.bounds`).

The search runs the given assignment. If there are few it then bounds all and runs those that are left: the
best is the optimum. Else it runs those of whole parts of the algorithm, shortest bound first, and goes down
from the best by moving single groups, then from random moves away from it. Equal seeds and budgets find equal
assignments.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.issue_times import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Arrange, Program, Send, Value, Wait
from senn.machine.rewrite.lines import target_of
from senn.machine.search import local_search
from senn.machine.search.bounds import Bound, taking_turns
from senn.machine.search.local_search import FOUND, Candidate, Runs, Score, SearchResult, Step
from senn.machine.search.precedence import refuse_own_control
from senn.traces.naming import part_of

BOUNDED_UP_TO = 4096
"""Assignments, of groups or at least of whole parts, that are all bounded, at most."""

Arrays = tuple[int, ...]
"""The array of each group."""


@dataclass(frozen=True, eq=False)
class Assigned(Candidate):
    """An assignment with its run; as given, it is empty."""

    assignment: Mapping[str, int]

    @property
    def score(self) -> Score:
        return (self.makespan,)


def optimise_arrays(
    given: Program,
    base: Program,
    write: Callable[[Mapping[str, int]], Program],
    table: Integers,
    machine: Machine,
    *,
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> SearchResult[Assigned]:
    """Search for the array of every step, among as many as `given` has, with the least makespan, in `budget`
    runs; all arrays have `table`, (M + 1, n).

    `write` makes the program of an assignment, out of the steps of `base`, as `given` is made.
    `progress(runs, makespan)` is called with the number of runs so far and the least makespan. Raises
    InputError where `place`, the engine or the bounds refuse the program, the table or the machine.
    """
    order = DataFlow(place(write({"": 1}), table, machine), machine)
    lower = order.bounds(given.arrays)
    runs = Runs[Assigned](machine, budget, progress, max(bound.cycles for bound in lower))
    return local_search.search(
        _Assignments(given, groups(base), write, table, order, runs, seed), runs, lower
    )


class _Assignments:
    """Assignments of groups to arrays as candidates of the search."""

    noun = "assignment"

    def __init__(
        self,
        given: Program,
        groups: tuple[Group, ...],
        write: Callable[[Mapping[str, int]], Program],
        table: Integers,
        order: DataFlow,
        runs: Runs[Assigned],
        seed: int,
    ) -> None:
        self.given, self.groups, self.write, self.table = given, groups, write, table
        self.order, self.runs = order, runs
        self.arrays = given.arrays
        self.random = np.random.default_rng(seed)
        # The group of every step is that of the longest label that it begins with, as an assignment has it.
        number = {label: k for k, group in enumerate(groups) for label in group.labels}
        self.group_of = [number[label_of(step)] for step in order.steps]
        self.scores: dict[Arrays, Score] = {}  # of those that were run or refused
        self.bounded = 0

    @property
    def are_few(self) -> bool:
        return bool(self.arrays ** len(self.groups) <= BOUNDED_UP_TO)

    def start(self) -> None:
        self._run(place(self.given, self.table, self.runs.machine), "as given", {})

    def run(self, arrays: Arrays) -> Score:
        arrays = _counted(arrays)
        if arrays not in self.scores:
            pairs = zip(self.groups, arrays, strict=True)
            assignment = {label: array for group, array in pairs for label in group.labels}
            try:
                schedule = place(self.write(assignment), self.table, self.runs.machine)
            except InputError:  # a value that crosses cannot be sent, or not to where it is read
                self.scores[arrays] = (NEVER,)
            else:
                self.scores[arrays] = self._run(schedule, FOUND, assignment)
        return self.scores[arrays]

    def _run(self, schedule: Schedule, name: str, assignment: Mapping[str, int]) -> Score:
        return self.runs.run(schedule, lambda ends, hops: Assigned(name, ends, hops, assignment)).score

    def all_by_bound(self) -> list[tuple[int, Arrays]]:
        return self._ascending(itertools.product(range(1, self.arrays + 1), repeat=len(self.groups)))

    def wander(self) -> None:
        """Whole parts first; then down by groups from the best of these, and from kicks away from it."""
        parts = list(dict.fromkeys(group.part for group in self.groups))
        start = tuple(1 for _ in self.groups)
        if self.arrays ** len(parts) <= BOUNDED_UP_TO:
            number = [parts.index(group.part) for group in self.groups]
            whole = itertools.product(range(1, self.arrays + 1), repeat=len(parts))
            ascending = self._ascending(tuple(of[k] for k in number) for of in whole)
            best = local_search.race(((bound, (arrays,)) for bound, arrays in ascending), self.runs, self.run)
            start = start if best is None else best[0]
        for _ in local_search.chain(
            start, lambda arrays: local_search.descend((arrays, self.run(arrays)), self._gain), self._kicked
        ):
            pass

    def _kicked(self, arrays: Arrays) -> Arrays:
        kicked = list(arrays)
        for group in self.random.choice(
            len(kicked), min(local_search.KICK, len(kicked)), replace=False
        ).tolist():
            kicked[group] = int(self.random.integers(1, self.arrays + 1))
        return tuple(kicked)

    def _gain(self, step: Step[Arrays]) -> Step[Arrays] | None:
        """The first move of a group, shortest bound first, with which a run ends sooner."""
        neighbours = (((bound,), arrays) for bound, arrays in self._ascending(self._moved(step[0])))
        return local_search.first_gain(neighbours, step[1], self.run)

    def _moved(self, arrays: Arrays) -> Iterator[Arrays]:
        """One group to another array, or those of one part from one group on."""
        for k, group in enumerate(self.groups):
            for array in range(1, self.arrays + 1):
                yield (*arrays[:k], array, *arrays[k + 1 :])
                yield tuple(
                    array if j >= k and other.part == group.part else arrays[j]
                    for j, other in enumerate(self.groups)
                )

    def _ascending(self, several: Iterable[Arrays]) -> list[tuple[int, Arrays]]:
        """By the makespan without queues; arrays counted from 1 on, and each assignment once."""
        distinct = list(dict.fromkeys(map(_counted, several)))
        self.bounded += len(distinct)
        bounds = (self.order.makespan([arrays[k] for k in self.group_of]) for arrays in distinct)
        return sorted(zip(bounds, distinct, strict=True))


def _counted(arrays: Arrays) -> Arrays:
    """The arrays that have instructions, counted from 1 on; of an order and its mirror image the first."""
    number = {array: k for k, array in enumerate(sorted(set(arrays)), 1)}
    up = tuple(number[array] for array in arrays)
    down = tuple(len(number) + 1 - array for array in up)
    return min(up, down)


@dataclass(frozen=True)
class Need:
    """An operand of a task: the task that makes it, and the hops of its message."""

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
            needs = np.unique(np.stack([maker[fill], hops[read], words[fill]]), axis=1).T.tolist()
            self.needs.append([Need(*need) for need in needs if need[0] >= 0])
        self.sent: list[list[tuple[int, Need]]] = [[] for _ in kept]  # by sender, each with its reader
        for reader, need in ((k, need) for k, needs in enumerate(self.needs) for need in needs):
            if need.over >= 0:
                self.sent[need.maker].append((reader, need))

    def bounds(self, arrays: int) -> tuple[Bound, ...]:
        """Lower bounds of the makespan of every assignment to so many arrays."""
        heads, busy = np.array(self.issues(None)), np.array(self.busy, dtype=np.int64)
        work, tasks = taking_turns(heads, busy, self.tails(), arrays)
        because = f"{tasks:,} of the steps, on {arrays} arrays, with what precedes and follows all"
        return (
            Bound("data flow", self.makespan(None), "each step needs what others made, on any array"),
            Bound("work", work, because),
        )

    def issues(self, arrays: Sequence[int] | None) -> list[int]:
        """The earliest issue of every task, on these arrays; None: on one of its own, next to all others."""
        issue: list[int] = []
        free: dict[int, int] = {}
        post = self.machine.timing.post
        for task, needs in enumerate(self.needs):
            earliest = free.get(arrays[task], 0) if arrays is not None else 0
            for need in needs:
                across = abs(arrays[task] - arrays[need.maker]) if arrays is not None else 0
                ready = issue[need.maker] + self.busy[need.maker]
                if across and need.over < 0:
                    ready += post
                earliest = max(earliest, ready + self.travel(need.words, need.hops + across))
            issue.append(earliest)
            if arrays is not None:
                hops = ((x.words, x.hops + abs(arrays[r] - arrays[task])) for r, x in self.sent[task])
                flight = 0 if self.machine.dma else max((self.travel(*x) for x in hops), default=0)
                free[arrays[task]] = earliest + self.busy[task] + flight  # without a DMA, until delivery
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
        """Cycles in flight, if nothing queues."""
        service = self.machine.message_cycles(words)
        if not hops or not service:
            return 0
        if self.machine.switching == "cut-through":
            passing = math.ceil(self.machine.timing.hop)
            return math.ceil(self.machine.timing.startup) + service + passing * hops
        return service * hops


@dataclass(frozen=True)
class Group:
    """Beginnings of labels, as an assignment has them, in the order of the text; all of one part."""

    part: str
    labels: tuple[str, ...]


def groups(program: Program) -> tuple[Group, ...]:
    """All groups of a program, by their first label; a label is the beginning of those of its own steps.

    The sender of a value is in the group of its maker.
    """
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
    by_root: dict[str, list[str]] = {}
    for label in labels:
        by_root.setdefault(root(label), []).append(label)
    return tuple(Group(part_of(each[0]), tuple(each)) for each in by_root.values())


def label_of(step: str) -> str:
    """The numbered step that a step belongs to.

    >>> label_of("II.c.3.iv"), label_of("I.a.4''"), label_of("III.2.i"), label_of("keep A")
    ('II.c.3', 'I.a.4', 'III.2', 'keep A')
    """
    part = part_of(step)
    rest = step[len(part) + 1 :].split(".")[0].rstrip("'")
    return f"{part}.{rest}" if rest else part.rstrip("'")
