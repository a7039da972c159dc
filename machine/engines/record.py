"""From what an engine measured - when each instruction issued, when each hop started - to the trace.

Everything else in the trace follows from the schedule, so both engines share this page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.evaluate import flops
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Compute, Wait
from senn.traces.record.trace import NULL, SCHEMA, Column, Detail, Trace


@dataclass(frozen=True, eq=False)
class Times:
    """What an engine measures: when each control unit issued what, and the start of every hop."""

    units: tuple[tuple[Issue, ...], ...]
    issues: tuple[Integers, ...]  # aligned with units
    hop_starts: Integers  # by message, as in schedule.messages.paths.channels

    def timed(self) -> Iterator[tuple[Issue, int, int, int]]:
        """(instruction, issue, start of its operation after receiving, end), control unit by control unit."""
        for unit, issues in zip(self.units, self.issues, strict=True):
            for one, issue in zip(unit, issues.tolist(), strict=True):
                yield one, issue, issue + one.receive, issue + one.busy

    @property
    def per_node(self) -> bool:
        """Whether every node has a control unit of its own."""
        return any(one.node is not None for unit in self.units for one in unit[:1])

    @cached_property
    def ends(self) -> Integers:
        """The ends of all instructions, control unit by control unit."""
        return np.array([end for _, _, _, end in self.timed()], dtype=np.int64)


def described(schedule: Schedule, machine: Machine) -> dict[str, Any]:
    """What ran on what, for run.json."""
    return {**schedule.describe(), "machine": {**machine.describe(), "arrays": schedule.program.arrays}}


def arrivals(
    schedule: Schedule, durations: Durations, times: Times, chosen: Integers | slice = slice(None)
) -> tuple[Integers, Integers, Integers]:
    """(posted, granted, arrived) of the chosen messages, by default of every one."""
    offsets = schedule.messages.paths.offsets
    posted = _posted(schedule, times, chosen)
    begin, end = offsets[:-1][chosen], offsets[1:][chosen]
    moves = end > begin
    granted, arrived = posted.copy(), posted.copy()
    granted[moves] = times.hop_starts[begin[moves]]
    arrived[moves] = times.hop_starts[end[moves] - 1] + durations.delivery[chosen][moves]
    return posted, granted, arrived


def _posted(schedule: Schedule, times: Times, chosen: Integers | slice) -> Integers:
    m = schedule.messages
    if times.per_node:
        posted = np.zeros(len(m), dtype=np.int64)
        for one, _, _, end in times.timed():
            posted[one.posts] = end
        return posted[chosen]
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    return times.ends[first[m.source_array[chosen] - 1] + m.serial[chosen]]


def trace_of(schedule: Schedule, durations: Durations, times: Times, detail: Detail = "full") -> Trace:
    """The trace of a run, without making the tables that this level of detail has not got."""
    if detail == "summary":
        return Trace.from_columns(detail)
    instructions = _instructions(schedule, durations, times)
    if detail == "instructions":
        return Trace.from_columns(detail, instructions=instructions)
    posted, granted, arrived = arrivals(schedule, durations, times)
    return Trace.from_columns(
        detail,
        instructions=instructions,
        activities=_activities(schedule, durations, times),
        messages=_messages(schedule, times, posted, granted, arrived),
        hops=_hops(schedule, durations, times, posted),
    )


def _instructions(schedule: Schedule, durations: Durations, times: Times) -> dict[str, Column]:
    rows = _each_waits(times) if times.per_node else _array_waits(schedule, durations, times)
    named = [
        (
            task.array,
            task.serial,
            task.step,
            NULL if task.line.instruction.level is None else task.line.instruction.level,
            task.line.instruction.operation,
            issue,
            end,
            len(task.lanes),
            *waited,
        )
        for task, issue, end, *waited in rows
    ]
    names = [name for name, _ in SCHEMA["instructions"]]
    columns = list(zip(*named, strict=True)) if named else [()] * len(names)
    texts = ("step", "operation")
    return {
        name: list(column) if name in texts else np.array(column, dtype=np.int64)
        for name, column in zip(names, columns, strict=True)
    }


def _array_waits(schedule: Schedule, durations: Durations, times: Times) -> Iterator[tuple[Any, ...]]:
    """(task, issue, end, stall, dependency wait, exposed, released by) of every instruction of an array."""
    ended = 0
    for one, issue, _, end in times.timed():
        ended = 0 if one.task.serial == 0 else ended
        stall = issue - ended
        exposed, released_by = 0, NULL
        if stall:
            posted, _, arrived = arrivals(schedule, durations, times, one.waits)
            last = int(np.argmax(arrived))  # the lowest id of equals
            exposed, released_by = issue - max(ended, int(posted[last])), int(one.waits[last])
        ended = end
        yield one.task, issue, end, stall, stall - exposed, exposed, released_by


def _each_waits(times: Times) -> Iterator[tuple[Any, ...]]:
    """The same where every node has its own control unit: from the first to issue to the last to end.

    Nodes wait each for itself, so an instruction has no stall and no single message that released it.
    """
    found: dict[tuple[int, int], tuple[Task, int, int]] = {}
    for one, issue, _, end in times.timed():
        key = (one.task.array, one.task.serial)
        _, earliest, latest = found.get(key, (one.task, issue, end))
        found[key] = (one.task, min(earliest, issue), max(latest, end))
    for _, row in sorted(found.items(), key=lambda entry: entry[0]):
        yield *row, NULL, NULL, NULL, NULL


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


def _activities(schedule: Schedule, durations: Durations, times: Times) -> dict[str, Column]:
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
        "class": _texts([part.kind for part in parts], np.repeat(np.arange(len(parts)), sizes)),
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


def _messages(
    schedule: Schedule, times: Times, posted: Integers, granted: Integers, arrived: Integers
) -> dict[str, Column]:
    m = schedule.messages
    steps = [[task.step for task in tasks] for tasks in schedule.tasks]
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    values = schedule.flow.values
    level = np.array([NULL if v.level is None else v.level for v in values] or [NULL], dtype=np.int64)
    return {
        "id": np.arange(len(m)),
        "source_array": m.source_array,
        "instruction": m.serial,
        "step": _texts([s for array in steps for s in array], first[m.source_array - 1] + m.serial),
        "value": _texts([v.letter for v in values], m.value),
        "level": level[m.value],
        "process": m.process,
        "source_process": m.source_process,
        "target_process": m.target_process,
        "source_node": m.source_node,
        "target_array": m.target_array,
        "target_node": m.target_node,
        "words": m.words,
        "posted": posted,
        "granted": granted,
        "arrived": arrived,
        "read_by": m.read_by,
        "read_at": _read_at(schedule, times),
    }


def _read_at(schedule: Schedule, times: Times) -> Integers:
    read_at = np.zeros(len(schedule.messages), dtype=np.int64)
    for one, issue, _, _ in times.timed():
        read_at[one.takes] = issue
    return read_at


def _hops(schedule: Schedule, durations: Durations, times: Times, posted: Integers) -> dict[str, Column]:
    paths = schedule.messages.paths
    message = np.repeat(np.arange(len(paths)), paths.hops)
    hop = np.arange(len(message)) - paths.offsets[:-1][message]
    end = times.hop_starts + durations.messages[message]
    passed = np.roll(times.hop_starts + durations.onward[message], 1)
    queued = np.where(hop == 0, posted[message] + durations.launch, passed)
    columns = schedule.wiring.columns()

    def of_channel(name: str) -> Column:
        column = columns[name]
        return (
            _texts(column, paths.channels) if isinstance(column, list) else np.asarray(column)[paths.channels]
        )

    return {
        "message": message,
        "hop": hop,
        "source_array": of_channel("source_array"),
        "target_array": of_channel("target_array"),
        "kind": of_channel("kind"),
        "wire": of_channel("wire"),
        "source_node": of_channel("source_node"),
        "target_node": of_channel("target_node"),
        "queued": queued,
        "start": times.hop_starts,
        "end": end,
    }


def _texts(texts: list[str], index: Integers) -> pl.Series:
    """`texts[index]` without a Python object per row."""
    return pl.Series(texts, dtype=pl.String).gather(index) if len(index) else pl.Series([], dtype=pl.String)
