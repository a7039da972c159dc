"""What an engine leaves: the run with its trace, its numbers, and every value if they are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.evaluate import Block
from senn.machine.engines.record import trace_of
from senn.machine.engines.times import Times
from senn.machine.engines.totals import traffic
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Messages
from senn.machine.placing.schedule import Schedule
from senn.traces import analysis
from senn.traces.record.trace import NULL, Detail
from senn.traces.record.values import Values
from senn.traces.run import Run


class Memory(Protocol):
    """Where the numbers of a run are at its end."""

    def contents(self, slots: Integers) -> Block:
        """What is in some slots of values of one shape, stacked; at least one."""


def run_of(
    schedule: Schedule,
    machine: Machine,
    durations: Durations,
    times: Times,
    memory: Memory | None,
    *,
    detail: Detail,
    keep_values: bool,
) -> Run:
    """The run that an engine leaves: its trace and, where there was a memory, its numbers.

    Values are kept at detail full only: they go with the messages that carry them.
    """
    run = _timed(schedule, machine, durations, times, detail)
    if memory is None:
        return run
    values = _values(schedule, times, memory) if keep_values and detail == "full" else None
    return replace(run, result=_numbers(schedule, memory), values=values)


def _numbers(schedule: Schedule, memory: Memory) -> dict[str, Block]:
    """The program's results by name: one row per process that has one, ascending."""
    return {
        name: memory.contents(slots) if len(slots) else np.zeros(0)
        for name, slots in schedule.results.items()
    }


def _timed(schedule: Schedule, machine: Machine, durations: Durations, times: Times, detail: Detail) -> Run:
    """The run without numbers. A trace of less detail cannot give the whole summary, so it comes along."""
    said = _described(schedule, machine)
    if times.per_node:  # an instruction has as many times as nodes: only the whole trace can be summed up
        return Run(trace_of(schedule, durations, times), said).at_detail(detail)
    trace = trace_of(schedule, durations, times, detail)
    if detail == "full":
        return Run(trace, said)
    issued = trace if detail == "instructions" else trace_of(schedule, durations, times, "instructions")
    return Run(trace, said, summary=analysis.summary(issued, traffic(schedule, durations, times)))


def _described(schedule: Schedule, machine: Machine) -> dict[str, Any]:
    """What ran on what, for run.json."""
    return {**schedule.describe(), "machine": {**machine.describe(), "arrays": schedule.program.arrays}}


def _values(schedule: Schedule, times: Times, memories: Memory) -> Values:
    """Every value that was resident or computed, with the cycle it came to be, and every payload."""
    array, value, process, born = [], [], [], []
    blocks: list[Block] = []

    def keep(of_array: int, index: int, processes: Integers, slots: Integers, cycles: Integers) -> None:
        array.extend([of_array] * len(slots))
        value.extend([index] * len(slots))
        process.extend(processes.tolist())
        born.extend(cycles.tolist())
        blocks.extend(memories.contents(slots))

    ended = np.zeros(len(schedule.flow.slots), dtype=np.int64)
    for one, _, _, end in times.timed():
        if one.task.line.writes is not None:
            ended[one.task.line.writes[slice(None) if one.own is None else one.own]] = end
    for of_array, what, processes, slots in schedule.flow.resident:
        keep(of_array, schedule.flow.values.index(what), processes, slots, ended[slots])
    for task in (task for tasks in schedule.tasks for task in tasks):
        if (written := task.line.writes) is not None:
            index = schedule.flow.slots.fill(int(written[0])).value
            keep(task.array, index, task.line.processes, written, ended[written])
    names = schedule.flow.values
    return Values(
        array=np.array(array, dtype=np.int64),
        value=np.array([names[v].letter for v in value], dtype=np.str_),
        level=np.array([NULL if names[v].level is None else names[v].level for v in value], dtype=np.int64),
        process=np.array(process, dtype=np.int64),
        born=np.array(born, dtype=np.int64),
        numbers=tuple(blocks),
        payloads=_payloads(schedule, memories),
    )


def _payloads(schedule: Schedule, memories: Memory) -> dict[int, Block]:
    """What each message carried, by id; of several values, their words one after the other."""
    m = schedule.messages
    by_transfer = np.argsort(m.transfer, kind="stable")
    slots = m.slot[np.argsort(m.transfer[m.carrier], kind="stable")]
    carried: dict[int, Block] = {}
    start = 0
    for transfer, messages in enumerate(np.split(by_transfer, _ends(m))[:-1]):
        parts = int(m.common.carried[transfer])
        stop = start + parts * len(messages)
        blocks = [memories.contents(of) for of in slots[start:stop].reshape(-1, parts).T if len(of)]
        if len(blocks) > 1:
            blocks = [np.concatenate([block.reshape(len(block), -1) for block in blocks], axis=1)]
        carried.update((int(k), block) for one in blocks for k, block in zip(messages, one, strict=True))
        start = stop
    return dict(sorted(carried.items()))


def _ends(m: Messages) -> Integers:
    """Where the messages of each transfer end, transfer by transfer."""
    ends: Integers = np.cumsum(np.bincount(m.transfer, minlength=len(m.common.cargo)))
    return ends
