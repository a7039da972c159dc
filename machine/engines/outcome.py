"""The run that an engine leaves: its trace, its results, and every value if they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.memory import Block
from senn.machine.engines.record import Times, trace_of, traffic
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Value
from senn.traces import analysis
from senn.traces.record import NULL, Detail, Values
from senn.traces.run import Run


class Memory(Protocol):
    """The numbers of a run at its end."""

    def contents(self, slots: Integers) -> Block:
        """Blocks of some slots of values of one shape, stacked; at least one."""


def run_of(
    schedule: Schedule,
    machine: Machine,
    durations: Durations,
    times: Times,
    memory: Memory | None = None,
    *,
    detail: Detail,
    keep_values: bool = False,
) -> Run:
    """The run that an engine leaves: its trace and, where there was a memory, its numbers.

    Values are kept at detail full only: they go with the messages that carry them.
    """
    run = _timed(schedule, machine, durations, times, detail)
    if memory is None:
        return run
    result = {
        name: memory.contents(slots) if len(slots) else np.zeros(0)
        for name, slots in schedule.results.items()
    }
    values = _values(schedule, times, memory) if keep_values and detail == "full" else None
    return replace(run, result=result, values=values)


def _timed(schedule: Schedule, machine: Machine, durations: Durations, times: Times, detail: Detail) -> Run:
    """The run without numbers. The traffic of its summary is counted here: a trace of less detail lacks it,
    and to sum up the whole one takes six times as long."""
    description = {
        **schedule.describe(),
        "machine": {**machine.describe(), "arrays": schedule.program.arrays},
    }
    if times.per_node:  # an instruction has as many times as nodes: only the whole trace can be summed up
        return Run(trace_of(schedule, durations, times), description).at_detail(detail)
    trace = trace_of(schedule, durations, times, detail)
    issued = trace if detail != "summary" else trace_of(schedule, durations, times, "instructions")
    summary = analysis.summary(issued, traffic(schedule, times))
    return Run(trace, description, summary=summary)


def _values(schedule: Schedule, times: Times, memory: Memory) -> Values:
    """Every value that was resident or computed, with the cycle that defined it, and every payload."""
    defined_at = np.zeros(len(schedule.flow.slots), dtype=np.int64)
    for issue, _, _, end in times.timed():
        if (writes := issue.task.line.writes) is not None:
            defined_at[writes if issue.positions is None else writes[issue.positions]] = end
    entries = list(_defined(schedule))
    slots = [slots for *_, slots in entries]
    sizes = list(map(len, slots))
    levels = [NULL if value.level is None else value.level for _, value, _, _ in entries]
    return Values(
        array=np.repeat(np.array([array for array, *_ in entries], dtype=np.int64), sizes),
        value=np.repeat(np.array([value.letter for _, value, _, _ in entries], dtype=np.str_), sizes),
        level=np.repeat(np.array(levels, dtype=np.int64), sizes),
        process=np.concatenate([np.zeros(0, dtype=np.int64), *(p for _, _, p, _ in entries)]),
        born=np.concatenate([np.zeros(0, dtype=np.int64), *(defined_at[s] for s in slots)]),
        numbers=tuple(block for some in slots if len(some) for block in memory.contents(some)),
        payloads=_payloads(schedule, memory),
    )


def _defined(schedule: Schedule) -> Iterator[tuple[int, Value, Integers, Integers]]:
    """(array, value, processes, slots) of everything resident, then of everything computed."""
    yield from schedule.flow.resident
    for task in (task for tasks in schedule.tasks for task in tasks):
        if (slots := task.line.writes) is not None:
            index = schedule.flow.slots.fill(int(slots[0])).value
            yield task.array, schedule.flow.values[index], task.line.processes, slots


def _payloads(schedule: Schedule, memory: Memory) -> dict[int, Block]:
    """Payloads of all messages by id; several values are one vector, their words in order."""
    m = schedule.messages
    by_transfer = np.argsort(m.transfer, kind="stable")
    slots = m.slot[np.argsort(m.transfer[m.carrier], kind="stable")]
    ends = np.cumsum(np.bincount(m.transfer, minlength=len(m.common.cargo)))
    payloads: dict[int, Block] = {}
    start = 0
    for transfer, messages in enumerate(np.split(by_transfer, ends)[:-1]):
        parts = int(m.common.carried[transfer])
        stop = start + parts * len(messages)
        blocks = [memory.contents(part) for part in slots[start:stop].reshape(-1, parts).T if len(part)]
        if len(blocks) > 1:
            blocks = [np.concatenate([block.reshape(len(block), -1) for block in blocks], axis=1)]
        for block in blocks:
            payloads.update(zip(messages.tolist(), block, strict=True))
        start = stop
    return dict(sorted(payloads.items()))
