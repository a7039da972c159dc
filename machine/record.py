"""From what an engine measured - when each instruction issued, when each hop started - to the trace.

Everything else in the trace follows from the schedule, so both engines share this page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from senn.machine.control import Issue
from senn.machine.durations import Durations
from senn.machine.evaluate import flops
from senn.machine.model import Machine
from senn.machine.program import Compute, Wait
from senn.machine.schedule import Schedule, Task
from senn.machine.topology import Integers
from senn.traces.trace import NULL, SCHEMA, Column, Trace


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


def described(schedule: Schedule, machine: Machine) -> dict[str, Any]:
    """What ran on what, for run.json."""
    return {**schedule.describe(), "machine": {**machine.describe(), "arrays": schedule.program.arrays}}


def arrivals(schedule: Schedule, durations: Durations, times: Times) -> tuple[Integers, Integers, Integers]:
    """(posted, granted, arrived) of every message."""
    posted = np.zeros(len(schedule.messages), dtype=np.int64)
    for one, _, _, end in times.timed():
        posted[one.posts] = end
    paths = schedule.messages.paths
    moves = paths.hops > 0
    granted, arrived = posted.copy(), posted.copy()
    granted[moves] = times.hop_starts[paths.offsets[:-1][moves]]
    arrived[moves] = times.hop_starts[paths.offsets[1:][moves] - 1] + durations.delivery[moves]
    return posted, granted, arrived


def trace_of(schedule: Schedule, durations: Durations, times: Times) -> Trace:
    """The whole trace of a run."""
    posted, granted, arrived = arrivals(schedule, durations, times)
    return Trace.from_columns(
        "full",
        instructions=_instructions(schedule, times, posted, arrived),
        activities=_activities(times),
        messages=_messages(schedule, times, posted, granted, arrived),
        hops=_hops(schedule, durations, times, posted),
    )


def _instructions(schedule: Schedule, times: Times, posted: Integers, arrived: Integers) -> dict[str, Column]:
    rows = _each_waits(times) if _per_node(times) else _array_waits(times, posted, arrived)
    named = [
        (
            task.array,
            task.serial,
            task.step,
            NULL if task.line.instruction.level is None else task.line.instruction.level,
            task.line.instruction.operation,
            issue,
            end,
            len(task.nodes),
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


def _per_node(times: Times) -> bool:
    """Whether every node has a control unit of its own."""
    return any(one.node is not None for unit in times.units for one in unit[:1])


def _array_waits(times: Times, posted: Integers, arrived: Integers) -> Iterator[tuple[Any, ...]]:
    """(task, issue, end, stall, dependency wait, exposed, released by) of every instruction of an array."""
    array = ended = 0
    for one, issue, _, end in times.timed():
        ended = ended if one.task.array == array else 0
        array = one.task.array
        stall = issue - ended
        exposed, released_by = 0, NULL
        if stall:
            last = one.waits[np.argmax(arrived[one.waits])]  # argmax: the lowest id of equals
            exposed, released_by = issue - max(ended, int(posted[last])), int(last)
        ended = end
        yield one.task, issue, end, stall, stall - exposed, exposed, released_by


def _each_waits(times: Times) -> Iterator[tuple[Any, ...]]:
    """The same where every node has its own control unit: from the first to issue to the last to end.

    Nodes wait each for itself, so an instruction has no stall and no single message that released it.
    """
    first: dict[tuple[int, int], tuple[Task, int, int]] = {}
    for one, issue, _, end in times.timed():
        key = (one.task.array, one.task.serial)
        _, earliest, latest = first.get(key, (one.task, issue, end))
        first[key] = (one.task, min(earliest, issue), max(latest, end))
    for _, found in sorted(first.items(), key=lambda entry: entry[0]):
        yield *found, NULL, NULL, NULL, NULL


def _activities(times: Times) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own."""
    parts: list[tuple[Issue, str, int, int, Integers]] = []
    counted: dict[tuple[int, int], Integers] = {}
    for one, issue, start, end in times.timed():
        if start > issue:
            parts.append((one, "receive", issue, start, np.zeros(len(one.nodes), dtype=np.int64)))
        if not isinstance(one.task.line.instruction, Wait):
            kind = "compute" if isinstance(one.task.line.instruction, Compute) else "post"
            key = (one.task.array, one.task.serial)
            if key not in counted:
                counted[key] = flops(one.task)
            parts.append((one, kind, start, end, counted[key][one.lanes]))
    sizes = [len(one.nodes) for one, *_ in parts]

    def spread(column: list[int]) -> Integers:
        return np.repeat(np.array(column, dtype=np.int64), sizes)

    def joined(column: list[Integers]) -> Integers:
        return np.concatenate(column) if column else np.zeros(0, dtype=np.int64)

    return {
        "array": spread([one.task.array for one, *_ in parts]),
        "instruction": spread([one.task.serial for one, *_ in parts]),
        "node": joined([one.nodes for one, *_ in parts]),
        "process": joined([one.processes for one, *_ in parts]),
        "class": _texts([kind for _, kind, *_ in parts], np.repeat(np.arange(len(parts)), sizes)),
        "start": spread([start for _, _, start, _, _ in parts]),
        "end": spread([end for _, _, _, end, _ in parts]),
        "flops": joined([counts for *_, counts in parts]),
    }


def _messages(
    schedule: Schedule, times: Times, posted: Integers, granted: Integers, arrived: Integers
) -> dict[str, Column]:
    m = schedule.messages
    steps = [[task.step for task in tasks] for tasks in schedule.tasks]
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    values = schedule.flow.values
    level = np.array([NULL if v.level is None else v.level for v in values] or [NULL], dtype=np.int64)
    read_at = np.zeros(len(m), dtype=np.int64)
    for one, issue, _, _ in times.timed():
        read_at[one.takes] = issue
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
        "read_at": read_at,
    }


def _hops(schedule: Schedule, durations: Durations, times: Times, posted: Integers) -> dict[str, Column]:
    paths = schedule.messages.paths
    message = np.repeat(np.arange(len(paths)), paths.hops)
    hop = np.arange(len(message)) - paths.offsets[:-1][message]
    end = times.hop_starts + durations.messages[message]
    launched = posted[message] + durations.launch
    queued = np.where(hop == 0, launched, np.roll(times.hop_starts + durations.onward[message], 1))
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
