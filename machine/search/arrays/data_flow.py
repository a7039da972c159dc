"""What needs what in a program on one array: the least times of its tasks, on arrays of one's choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from senn.machine.durations import durations
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Wait
from senn.machine.search.precedence import refuse_own_control
from senn.traces.errors import InputError


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
