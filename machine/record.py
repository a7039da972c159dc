"""From what an engine measured - when each instruction issued, when each hop started - to the trace.

Everything else in the trace follows from the schedule, so both engines share this page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from senn.machine.durations import Durations
from senn.machine.evaluate import flops
from senn.machine.model import Machine
from senn.machine.program import Compute, Wait
from senn.machine.schedule import Schedule, Task
from senn.machine.topology import Integers
from senn.traces.trace import NULL, SCHEMA, Column, Detail, Trace


@dataclass(frozen=True, eq=False)
class Times:
    """What an engine measures: issue cycles per array and task, and the start of every hop (by message)."""

    issues: tuple[Integers, ...]
    hop_starts: Integers  # aligned with schedule.messages.paths.channels


def described(schedule: Schedule, machine: Machine) -> dict[str, Any]:
    """What ran on what, for run.json."""
    return {**schedule.describe(), "machine": {**machine.describe(), "arrays": schedule.program.arrays}}


def _timed(schedule: Schedule, durations: Durations, times: Times) -> Iterator[tuple[Task, int, int, int]]:
    """(task, issue, start of its own operation after receiving, end), array by array."""
    for array, tasks in enumerate(schedule.tasks):
        start = times.issues[array] + durations.receive[array]
        end = start + durations.cycles[array]
        yield from zip(tasks, times.issues[array].tolist(), start.tolist(), end.tolist(), strict=True)


def arrivals(
    schedule: Schedule, durations: Durations, times: Times, chosen: Integers | slice = slice(None)
) -> tuple[Integers, Integers, Integers]:
    """(posted, granted, arrived) of the chosen messages, by default of every one."""
    m, offsets = schedule.messages, schedule.messages.paths.offsets
    ends = np.concatenate(
        [issue + r + c for issue, r, c in zip(times.issues, durations.receive, durations.cycles, strict=True)]
    )
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    posted = ends[first[m.source_array[chosen] - 1] + m.serial[chosen]]
    begin, end = offsets[:-1][chosen], offsets[1:][chosen]
    moves = end > begin
    granted, arrived = posted.copy(), posted.copy()
    granted[moves] = times.hop_starts[begin[moves]]
    arrived[moves] = times.hop_starts[end[moves] - 1] + durations.messages[chosen][moves]
    return posted, granted, arrived


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
    rows = []
    ended = 0
    for task, issue, _, end in _timed(schedule, durations, times):
        ended = 0 if task.serial == 0 else ended
        stall = issue - ended
        exposed, released_by = 0, NULL
        if stall:
            posted, _, arrived = arrivals(schedule, durations, times, task.needs)
            last = int(np.argmax(arrived))  # the lowest id of equals
            exposed, released_by = issue - max(ended, int(posted[last])), int(task.needs[last])
        ended = end
        instruction = task.line.instruction
        rows.append(
            (
                task.array,
                task.serial,
                instruction.step,
                NULL if instruction.level is None else instruction.level,
                instruction.operation,
                issue,
                end,
                len(task.lanes),
                stall,
                stall - exposed,
                exposed,
                released_by,
            )
        )
    names = [name for name, _ in SCHEMA["instructions"]]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    texts = ("step", "operation")
    return {
        name: list(column) if name in texts else np.array(column, dtype=np.int64)
        for name, column in zip(names, columns, strict=True)
    }


def _activities(schedule: Schedule, durations: Durations, times: Times) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own.

    A node that acts for several processes has one interval for all of them, and names none.
    """
    parts: list[tuple[Task, str, int, Integers, Integers]] = []
    for task, issue, start, _ in _timed(schedule, durations, times):
        none = np.zeros(len(task.lanes), dtype=np.int64)
        if start > issue:
            parts.append((task, "receive", issue, none + start, none))
        if not isinstance(task.line.instruction, Wait):
            kind = "compute" if isinstance(task.line.instruction, Compute) else "post"
            parts.append((task, kind, start, issue + durations.lanes(task), task.per_lane(flops(task))))
    sizes = [len(task.lanes) for task, *_ in parts]

    def spread(column: list[int]) -> Integers:
        return np.repeat(np.array(column, dtype=np.int64), sizes)

    def joined(column: list[Integers]) -> Integers:
        return np.concatenate(column) if column else np.zeros(0, dtype=np.int64)

    return {
        "array": spread([task.array for task, *_ in parts]),
        "instruction": spread([task.serial for task, *_ in parts]),
        "node": joined([task.lanes for task, *_ in parts]),
        "process": joined(
            [np.where(task.load > 1, NULL, task.per_lane(task.line.processes)) for task, *_ in parts]
        ),
        "class": _texts([kind for _, kind, *_ in parts], np.repeat(np.arange(len(parts)), sizes)),
        "start": spread([start for _, _, start, _, _ in parts]),
        "end": joined([end for _, _, _, end, _ in parts]),
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
    issues = np.concatenate(times.issues)
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
        "read_at": issues[first[m.target_array - 1] + m.read_by] if len(m) else m.read_by,
    }


def _hops(schedule: Schedule, durations: Durations, times: Times, posted: Integers) -> dict[str, Column]:
    paths = schedule.messages.paths
    message = np.repeat(np.arange(len(paths)), paths.hops)
    hop = np.arange(len(message)) - paths.offsets[:-1][message]
    end = times.hop_starts + durations.messages[message]
    queued = np.where(hop == 0, posted[message], np.roll(end, 1))
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
