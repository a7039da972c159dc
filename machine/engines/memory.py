"""The memories of the nodes: what was resident, what the node wrote, what arrived; and the final numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import Durations
from senn.machine.engines.evaluate import Block
from senn.machine.engines.reading import Violation
from senn.machine.engines.record import Times, described, trace_of
from senn.machine.engines.totals import traffic
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Value
from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.record.trace import NULL, Detail
from senn.traces.record.values import Values
from senn.traces.run import Run


class Memories:
    """One memory per node, (array, node) -> slot -> block. A slot is written once."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> None:
        self.schedule = schedule
        nodes = schedule.wiring.nodes
        self.nodes: list[list[dict[int, Block]]] = [
            [{} for _ in range(nodes)] for _ in range(schedule.wiring.arrays)
        ]
        messages = schedule.messages
        self._source = messages.source_slot.tolist()
        self._sender = list(zip(messages.source_array.tolist(), messages.source_node.tolist(), strict=True))
        self._slot = messages.slot.tolist()
        self._receiver = list(zip(messages.target_array.tolist(), messages.target_node.tolist(), strict=True))
        self._fill(memory)

    def _fill(self, memory: Mapping[str, NDArray[Any]]) -> None:
        for array, slots, blocks in residents(self.schedule, memory):
            for slot, block in zip(slots.tolist(), blocks, strict=True):
                self._put(array, int(self.schedule.slot_node[slot]), slot, block)

    def _put(self, array: int, node: int, slot: int, block: Block) -> None:
        memory = self.nodes[array - 1][node]
        if slot in memory:
            raise Violation(f"{self.schedule.flow.slot_text(slot)} was written twice at node {node}")
        memory[slot] = block

    def reader(self, array: int) -> Callable[[Integers, Integers], Block]:
        """`gather(nodes, slots)` for one array: each node's own memory and nothing else."""
        memories = self.nodes[array - 1]

        def gather(nodes: Integers, slots: Integers) -> Block:
            return np.array([memories[p][s] for p, s in zip(nodes.tolist(), slots.tolist(), strict=True)])

        return gather

    def write(self, task: Task, lanes: Integers, blocks: Block) -> None:
        """What some lanes of a compute wrote."""
        assert task.line.writes is not None
        nodes, slots = task.nodes[lanes].tolist(), task.line.writes[lanes].tolist()
        for node, slot, block in zip(nodes, slots, blocks, strict=True):
            self._put(task.array, node, slot, block)

    def payload(self, message: int) -> Block:
        """The copy that a message takes along."""
        array, node = self._sender[message]
        carried: Block = self.nodes[array - 1][node][self._source[message]].copy()
        return carried

    def receive(self, message: int, block: Block) -> None:
        """A message arrived: its payload goes to the memory of the receiving node."""
        self._put(*self._receiver[message], self._slot[message], block)

    def contents(self, slots: Integers) -> Block:
        """What is in some slots, stacked."""
        node, found = self.schedule.slot_node, self.schedule.flow.slots
        return np.array([self.nodes[found.fill(s).array - 1][int(node[s])][s] for s in slots.tolist()])

    def check_provenance(self) -> None:
        """A node holds exactly what was resident there, what it wrote, and what arrived there."""
        expected: dict[tuple[int, int], set[int]] = {}
        node = self.schedule.slot_node
        for array, _, _, resident in self.schedule.flow.resident:
            for slot in resident.tolist():
                expected.setdefault((array, int(node[slot])), set()).add(slot)
        for task in (task for tasks in self.schedule.tasks for task in tasks):
            if task.line.writes is not None:
                for place, slot in zip(task.nodes.tolist(), task.line.writes.tolist(), strict=True):
                    expected.setdefault((task.array, place), set()).add(slot)
        for receiver, slot in zip(self._receiver, self._slot, strict=True):
            expected.setdefault(receiver, set()).add(slot)
        for array, memories in enumerate(self.nodes, 1):
            for place, memory in enumerate(memories):
                if set(memory) != expected.get((array, place), set()):
                    strange = set(memory) ^ expected.get((array, place), set())
                    name = self.schedule.flow.slot_text(min(strange))
                    raise Violation(
                        f"node {place} of array {array}: {name} is there without a cause, or lost"
                    )


PRECISIONS = {"single": np.float32, "double": np.float64}
"""The floating point of a run's numbers by name."""


def rounded(memory: Mapping[str, NDArray[Any]], precision: str) -> dict[str, Block]:
    """Resident values, worked out in double precision, as the memories of a run in this one hold them."""
    if precision not in PRECISIONS:
        raise InputError(f'precision "{precision}" is not one of {", ".join(PRECISIONS)}')
    return {name: np.asarray(numbers, dtype=PRECISIONS[precision]) for name, numbers in memory.items()}


def residents(
    schedule: Schedule, memory: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[int, Integers, Block]]:
    """What is in the memories before the first cycle: (array, slots, their blocks stacked), value by value.

    All of one kind of floating point, in which the whole run then computes: kernels keep it.
    """
    kinds: dict[np.dtype[Any], str] = {}
    for array, value, processes, slots in schedule.flow.resident:
        blocks = _blocks(memory, value, schedule.program.n)
        kinds.setdefault(blocks.dtype, value.letter)
        if len(kinds) > 1:
            (one, first), (other, second) = kinds.items()
            raise InputError(
                f'memory "{first}" is {one} and "{second}" {other}: a run computes in one kind of floating '
                "point; convert them"
            )
        yield array, slots, blocks[processes - 1]


def _blocks(memory: Mapping[str, NDArray[Any]], value: Value, n: int) -> Block:
    """A row for each process 1..n, in the floating point they have, or float64."""
    name = value.letter if value.level is None else f"{value.letter}[{value.level}]"
    if name not in memory:
        raise InputError(f'memory lacks "{name}": give an array of shape {(n, *value.shape)}')
    given = np.asarray(memory[name])
    blocks = np.array(given, dtype=given.dtype if given.dtype.kind == "f" else np.float64)
    if blocks.shape != (n, *value.shape):
        raise InputError(
            f'memory "{name}" has shape {blocks.shape}, but the program needs {(n, *value.shape)}, '
            "a row per process"
        )
    blocks.flags.writeable = False
    return blocks


class Memory(Protocol):
    """Where the numbers of a run are at its end."""

    def contents(self, slots: Integers) -> Block:
        """What is in some slots of values of one shape, stacked; at least one."""


def numbers(schedule: Schedule, memory: Memory) -> dict[str, Block]:
    """The program's results by name: one row per process that has one, ascending."""
    return {
        name: memory.contents(slots) if len(slots) else np.zeros(0)
        for name, slots in schedule.results.items()
    }


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
    values = values_of(schedule, times, memory) if keep_values and detail == "full" else None
    return replace(run, result=numbers(schedule, memory), values=values)


def _timed(schedule: Schedule, machine: Machine, durations: Durations, times: Times, detail: Detail) -> Run:
    """The run without numbers. A trace of less detail cannot give the whole summary, so it comes along."""
    said = described(schedule, machine)
    if times.per_node:  # an instruction has as many times as nodes: only the whole trace can be summed up
        return Run(trace_of(schedule, durations, times), said).at_detail(detail)
    trace = trace_of(schedule, durations, times, detail)
    if detail == "full":
        return Run(trace, said)
    issued = trace if detail == "instructions" else trace_of(schedule, durations, times, "instructions")
    return Run(trace, said, summary=analysis.summary(issued, traffic(schedule, durations, times)))


def values_of(schedule: Schedule, times: Times, memories: Memory) -> Values:
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
    """What each message carried, by id."""
    carried: dict[int, Block] = {}
    for task in (task for tasks in schedule.tasks for task in tasks if len(task.posts)):
        slots = schedule.messages.slot[task.posts.start : task.posts.stop]
        for transfer in task.line.transfers:
            posted = np.flatnonzero(
                (slots >= transfer.first) & (slots < transfer.first + len(transfer.slots))
            )
            blocks = [*memories.contents(slots[posted])] if len(posted) else []
            carried.update(zip((task.posts.start + posted).tolist(), blocks, strict=True))
    return dict(sorted(carried.items()))
