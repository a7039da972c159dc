"""The activities of a trace: what the compute engine of every node does, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.evaluate import flops
from senn.machine.engines.times import Times
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Compute, Wait
from senn.traces.record.schema import text_column
from senn.traces.record.trace import NULL, Column


@dataclass(frozen=True, eq=False)
class _Work:
    """What the nodes of one instruction do in one class of activity; columns of equal length."""

    task: Task
    kind: str
    start: int
    node: Integers
    process: Integers
    end: Integers
    flops: Integers


def activities(schedule: Schedule, durations: Durations, times: Times) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own.

    A node that acts for several processes has one interval for all of them, and names none.
    """
    counted: dict[tuple[int, int], Integers] = {}
    parts: list[_Work] = []
    for one, issue, start, end in times.timed():
        task = one.task
        if one.own is None:
            node, work = task.lanes, issue + durations.lanes(task)
            process = np.where(task.load > 1, NULL, task.per_lane(task.line.processes))
        else:
            node, work, process = np.array([one.node]), np.array([end]), _process(one, schedule)
        if start > issue:
            none = np.zeros(len(node), dtype=np.int64)
            parts.append(_Work(task, "receive", issue, node, process, none + start, none))
        if not isinstance(task.line.instruction, Wait):
            kind = "compute" if isinstance(task.line.instruction, Compute) else "post"
            if (task.array, task.serial) not in counted:
                counted[task.array, task.serial] = flops(task)
            executed = counted[task.array, task.serial]
            count = task.per_lane(executed) if one.own is None else executed[one.own].sum(keepdims=True)
            parts.append(_Work(task, kind, start, node, process, work, count))
    sizes = [len(part.node) for part in parts]

    def spread(column: list[int]) -> Integers:
        return np.repeat(np.array(column, dtype=np.int64), sizes)

    def joined(column: list[Integers]) -> Integers:
        return np.concatenate(column) if column else np.zeros(0, dtype=np.int64)

    return {
        "array": spread([part.task.array for part in parts]),
        "instruction": spread([part.task.serial for part in parts]),
        "node": joined([part.node for part in parts]),
        "process": joined([part.process for part in parts]),
        "class": text_column([part.kind for part in parts], np.repeat(np.arange(len(parts)), sizes)),
        "start": spread([part.start for part in parts]),
        "end": joined([part.end for part in parts]),
        "flops": joined([part.flops for part in parts]),
    }


def _process(one: Issue, schedule: Schedule) -> Integers:
    """Whom a node acts for, NULL if for several; where it only takes messages, whom those are for."""
    assert one.own is not None
    of = one.task.line.processes[one.own] if len(one.own) else schedule.messages.target_process[one.takes]
    found = np.unique(of)
    return found if len(found) == 1 else np.array([NULL])
