"""From what an engine measured - instructions, and messages on their way - to the trace.

Both engines share this page: it puts measured cycles beside what the schedule says of who does what, and
makes none up. Whether the cycles belong together is for the invariants to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.activities import activities
from senn.machine.engines.times import Times
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Value
from senn.traces.naming import TOGETHER
from senn.traces.record.schema import text_column
from senn.traces.record.trace import NULL, SCHEMA, Column, Detail, Trace


def trace_of(schedule: Schedule, durations: Durations, times: Times, detail: Detail = "full") -> Trace:
    """The trace of a run, without making the tables that this level of detail has not got."""
    if detail == "summary":
        return Trace.from_columns(detail)
    instructions = _instructions(times)
    if detail == "instructions":
        return Trace.from_columns(detail, instructions=instructions)
    return Trace.from_columns(
        detail,
        instructions=instructions,
        activities=activities(schedule, durations, times),
        messages=_messages(schedule, times),
        hops=_hops(schedule, times),
    )


def _instructions(times: Times) -> dict[str, Column]:
    rows = _each_waits(times) if times.per_node else _array_waits(times)
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


def _array_waits(times: Times) -> Iterator[tuple[Any, ...]]:
    """(task, issue, end, stall, dependency wait, exposed, released by) of every instruction of an array."""
    travel, ended = times.travel, 0
    for one, issue, _, end in times.timed():
        ended = 0 if one.task.serial == 0 else ended
        stall = issue - ended
        exposed, released_by = 0, NULL
        if stall:
            released_by = int(one.waits[np.argmax(travel.arrived[one.waits])])  # the lowest id of equals
            exposed = issue - max(ended, int(travel.posted[released_by]))
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


def _messages(schedule: Schedule, times: Times) -> dict[str, Column]:
    m, travel = schedule.messages, times.travel
    steps = [[task.step for task in tasks] for tasks in schedule.tasks]
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    named = [_carried(values) for values in m.common.cargos]
    level = np.array([of_all for _, of_all in named] or [NULL], dtype=np.int64)
    return {
        "id": np.arange(len(m)),
        "source_array": m.source_array,
        "instruction": m.serial,
        "step": text_column([s for array in steps for s in array], first[m.source_array - 1] + m.serial),
        "value": text_column([letters for letters, _ in named], m.cargo),
        "level": level[m.cargo],
        "process": m.process,
        "source_process": m.source_process,
        "target_process": m.target_process,
        "source_node": m.source_node,
        "target_array": m.target_array,
        "target_node": m.target_node,
        "words": m.words,
        "posted": travel.posted,
        "granted": travel.granted(m.paths.offsets),
        "arrived": travel.arrived,
        "read_by": m.read_by,
        "read_at": _read_at(schedule, times),
    }


def _carried(values: tuple[Value, ...]) -> tuple[str, int]:
    """What a message carries as its columns value and level say it."""
    levels = {NULL if one.level is None else one.level for one in values}
    if len(levels) == 1:
        return TOGETHER.join(one.letter for one in values), levels.pop()
    return TOGETHER.join(one.letter + ("" if one.level is None else f"^{one.level}") for one in values), NULL


def _read_at(schedule: Schedule, times: Times) -> Integers:
    read_at = np.zeros(len(schedule.messages), dtype=np.int64)
    for one, issue, _, _ in times.timed():
        read_at[one.takes] = issue
    return read_at


def _hops(schedule: Schedule, times: Times) -> dict[str, Column]:
    paths = schedule.messages.paths
    message = np.repeat(np.arange(len(paths)), paths.hops)
    hop = np.arange(len(message)) - paths.offsets[:-1][message]
    columns = schedule.wiring.columns()

    def of_channel(name: str) -> Column:
        column = columns[name]
        return (
            text_column(column, paths.channels)
            if isinstance(column, list)
            else np.asarray(column)[paths.channels]
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
        "queued": times.travel.queued,
        "start": times.travel.starts,
        "end": times.travel.ends,
    }
