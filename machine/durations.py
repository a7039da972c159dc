"""How long everything in a schedule takes on a machine: whole cycles, known before the run, for all lanes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Compute, Wait
from senn.traces.errors import InputError


@dataclass(frozen=True, eq=False)
class Durations:
    """Cycles of every task (per array, by serial) and of every message on each channel it crosses.

    A node executes an operation for its processes one after the other; the task lasts as long as the node
    with the most of them works.

    A message requests its first channel `launch` cycles after its post, and the next `passing` cycles after
    it was granted one (cut-through) or, where `passing` is 0 (store-and-forward), when it has left it. It is
    delivered `passing` cycles after it has left the last one.
    """

    receive: tuple[Integers, ...]  # before the operation, for taking messages
    each: tuple[Integers, ...]  # of the operation, for one process
    cycles: tuple[Integers, ...]  # of the operation, for all of them
    messages: Integers  # for which it occupies a channel, and whatever serves it
    urgency: Integers  # of a message: the smallest is served first; all equal where the discipline is fifo
    launch: int = 0
    passing: int = 0

    @cached_property
    def onward(self) -> Integers:
        """Per message, from the grant of a channel to the request of the next."""
        return np.full_like(self.messages, self.passing) if self.passing else self.messages

    @cached_property
    def delivery(self) -> Integers:
        """Per message, from the grant of its last channel to its arrival."""
        return self.messages + self.passing if self.passing else self.messages

    def busy(self, task: Task) -> int:
        """From the issue of a task to its end."""
        k = task.array - 1
        return int(self.receive[k][task.serial] + self.cycles[k][task.serial])

    def lanes(self, task: Task) -> Integers:
        """From the issue of a task to the end of the work of each of its lanes."""
        k = task.array - 1
        work: Integers = self.receive[k][task.serial] + task.load * self.each[k][task.serial]
        return work


def durations(schedule: Schedule, machine: Machine) -> Durations:
    """The durations of `schedule` on `machine`, which must have the network and routing it was placed on."""
    for name, value in machine.network_fields().items():
        if schedule.placed_on[name] != value:
            raise InputError(
                f"the schedule was placed on a machine with {name} = {schedule.placed_on[name]}, but machine "
                f"{machine.name} has {name} = {value}: place the program on this machine"
            )
    words = schedule.messages.common.words.tolist()
    of_transfer = np.array([machine.message_cycles(w) for w in words], dtype=np.int64)
    each = tuple(
        np.array([_cycles(task, machine) for task in tasks], dtype=np.int64) for tasks in schedule.tasks
    )
    most = (np.array([task.load.max() for task in tasks], dtype=np.int64) for tasks in schedule.tasks)
    return Durations(
        receive=tuple(
            np.array([machine.timing.receive * task.taken for task in tasks], dtype=np.int64)
            for tasks in schedule.tasks
        ),
        each=each,
        cycles=tuple(one * load for one, load in zip(each, most, strict=True)),
        messages=of_transfer[schedule.messages.transfer],
        urgency=_urgency(schedule, machine),
        launch=math.ceil(machine.timing.startup) if machine.switching == "cut-through" else 0,
        passing=math.ceil(machine.timing.hop),
    )


def _urgency(schedule: Schedule, machine: Machine) -> Integers:
    """What decides before the order of arrival, known before the run: with `priority` the words, short before
    long; with `deadline` the place of the first reader in the stream of its array."""
    if machine.discipline == "priority":
        return schedule.messages.words
    if machine.discipline == "deadline":
        return schedule.messages.read_by
    return np.zeros(len(schedule.messages), dtype=np.int8)


def _cycles(task: Task, machine: Machine) -> int:
    """Of one interior process, the largest over the joint types; a send takes `post`, a wait nothing."""
    if isinstance(task.line.instruction, Wait):
        return 0
    if not isinstance(task.line.instruction, Compute):
        return machine.timing.post
    expression = task.line.instruction.expression
    costs = (expression.operations(kernel) for kernel in expression.kernels)
    return max(machine.compute_cycles(c.multiply, c.add, c.divide, c.trig) for c in costs)
