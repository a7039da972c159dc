"""How many words a process holds at a time: values from where they are written to their last reader."""

from __future__ import annotations

import numpy as np

from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule


def held(schedule: Schedule) -> tuple[Integers, ...]:
    """By array, the most words that each process holds during one task, (n,).

    A value is held from the task that writes it, or first reads it where a message brings it (sooner, if it
    comes sooner), to that which reads it last; what is there at the start from the first task on, results to
    the end. Kernels and messages on their way need more.
    """
    flow, n = schedule.flow, schedule.program.n
    first = np.full(len(flow.slots), -1)
    last = np.full(len(flow.slots), -1)
    for tasks in schedule.tasks:
        for task in reversed(tasks):
            for read in task.reads:
                first[read[read >= 0]] = task.serial
        for task in tasks:
            for read in task.reads:
                last[read[read >= 0]] = task.serial
            if task.line.writes is not None:
                first[task.line.writes] = task.serial
    for _, _, _, slots in flow.resident:
        first[slots] = 0
    ends = [len(tasks) for tasks in schedule.tasks]
    changes = [np.zeros((end + 1, n), dtype=np.int64) for end in ends]
    kept = np.zeros(len(flow.slots), dtype=np.bool_)
    for slots in schedule.results.values():
        kept[slots[slots >= 0]] = True
    for fill in flow.slots.fills:
        words, end = flow.values[fill.value].words, ends[fill.array - 1]
        since = first[fill.slots]
        until = np.where(kept[fill.slots], end - 1, last[fill.slots])
        there = (since >= 0) & (until >= since)
        process = fill.processes[there] - 1
        np.add.at(changes[fill.array - 1], (since[there], process), words)
        np.add.at(changes[fill.array - 1], (until[there] + 1, process), -words)
    return tuple(np.cumsum(one, axis=0).max(axis=0) for one in changes)
