"""The numbers of a run: the memory of every node, and the evaluation of one instruction on it.

`Memories` holds what was resident at each node, what the node computed, and what messages delivered to it.
`evaluate` gathers operands, calls each kernel once for all processes that execute it alike, in the order of
the processes, and yields the results. So neither the allocation nor the engine can change a bit of a result.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Compute, Kernel, Operations, Value
from senn.machine.program.flow import NONE, Flow, Line
from senn.traces.errors import InputError

Block = NDArray[np.floating[Any]]
"""The numbers of one value. A run has one kind of floating point, that of its resident values."""
PRECISIONS = {"single": np.float32, "double": np.float64}
"""Floating point of a run's numbers, by name."""


class Violation(AssertionError):
    """A memory or trace that no run of the schedule on the machine leaves; the text says where and when."""


class Memories:
    """One memory per node, (array, node) -> slot -> block. A slot is written once."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> None:
        self.schedule = schedule
        nodes = schedule.wiring.nodes
        self.nodes: list[list[dict[int, Block]]] = [
            [{} for _ in range(nodes)] for _ in range(schedule.wiring.arrays)
        ]
        messages = schedule.messages
        # Where the values of each message begin in the columns of slots.
        self._begin = np.searchsorted(messages.carrier, np.arange(len(messages) + 1)).tolist()
        self._source = messages.source_slot.tolist()
        self._sender = list(zip(messages.source_array.tolist(), messages.source_node.tolist(), strict=True))
        self._slot = messages.slot.tolist()
        self._receiver = list(zip(messages.target_array.tolist(), messages.target_node.tolist(), strict=True))
        for array, slots, blocks in residents(schedule, memory):
            for slot, block in zip(slots.tolist(), blocks, strict=True):
                self._put(array, int(schedule.slot_node[slot]), slot, block)

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

    def write(self, task: Task, positions: Integers, blocks: Block) -> None:
        """Store the results of a compute for some of its processes, by position in the task's columns."""
        assert task.line.writes is not None
        nodes, slots = task.nodes[positions].tolist(), task.line.writes[positions].tolist()
        for node, slot, block in zip(nodes, slots, blocks, strict=True):
            self._put(task.array, node, slot, block)

    def payload(self, message: int) -> Block:
        """The copy that a message carries; several values are one vector, their words in order."""
        array, node = self._sender[message]
        slots = self._source[self._begin[message] : self._begin[message + 1]]
        blocks = [self.nodes[array - 1][node][slot] for slot in slots]
        copy: Block = blocks[0].copy() if len(blocks) == 1 else np.concatenate([x.ravel() for x in blocks])
        return copy

    def deliver(self, message: int, block: Block) -> None:
        """Store the payload of a message in the memory of the receiving node."""
        array, node = self._receiver[message]
        slots = self._slot[self._begin[message] : self._begin[message + 1]]
        if len(slots) == 1:
            self._put(array, node, slots[0], block)
            return
        shapes = [value.shape for value in self.schedule.messages.values(message)]
        ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        for slot, part, shape in zip(slots, np.split(block, ends), shapes, strict=True):
            self._put(array, node, slot, part.reshape(shape))

    def contents(self, slots: Integers) -> Block:
        """Blocks of some slots, stacked."""
        node, layout = self.schedule.slot_node, self.schedule.flow.slots
        return np.array([self.nodes[layout.fill(s).array - 1][int(node[s])][s] for s in slots.tolist()])

    def check(self) -> None:
        """Raise a Violation unless each node holds exactly what was resident, computed or delivered there."""
        expected = self._expected()
        for array, nodes in enumerate(self.nodes, 1):
            for node, memory in enumerate(nodes):
                if unexplained := set(memory) ^ expected[array, node]:
                    name = self.schedule.flow.slot_text(min(unexplained))
                    raise Violation(f"node {node} of array {array}: {name} is there without a cause, or lost")

    def _expected(self) -> dict[tuple[int, int], set[int]]:
        """By array and node, the slots that it holds at the end."""
        schedule, m = self.schedule, self.schedule.messages
        expected: dict[tuple[int, int], set[int]] = defaultdict(set)
        for array, _, _, slots in schedule.flow.resident:
            for slot, node in zip(slots.tolist(), schedule.slot_node[slots].tolist(), strict=True):
                expected[array, node].add(slot)
        for task in (task for tasks in schedule.tasks for task in tasks):
            if task.line.writes is not None:
                for node, slot in zip(task.nodes.tolist(), task.line.writes.tolist(), strict=True):
                    expected[task.array, node].add(slot)
        places = m.target_array[m.carrier].tolist(), m.target_node[m.carrier].tolist()
        for array, node, slot in zip(*places, m.slot.tolist(), strict=True):
            expected[array, node].add(slot)
        return expected


def rounded(memory: Mapping[str, NDArray[Any]], precision: str) -> dict[str, Block]:
    """Resident values in the floating point of a run; they are worked out in double precision."""
    if precision not in PRECISIONS:
        raise InputError(f'precision "{precision}" is not one of {", ".join(PRECISIONS)}')
    return {name: np.asarray(numbers, dtype=PRECISIONS[precision]) for name, numbers in memory.items()}


def residents(
    schedule: Schedule, memory: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[int, Integers, Block]]:
    """Contents of the memories before the first cycle, value by value: (array, slots, blocks stacked).

    All have one kind of floating point, in which the whole run computes, since kernels keep it.
    """
    kinds: dict[np.dtype[Any], str] = {}
    for array, value, processes, slots in schedule.flow.resident:
        blocks = _blocks(memory, value, schedule.program.n)
        kinds.setdefault(blocks.dtype, value.letter)
        if len(kinds) > 1:
            (dtype, letter), (other_dtype, other) = kinds.items()
            raise InputError(
                f'memory "{letter}" is {dtype} and "{other}" {other_dtype}: a run computes in one kind of '
                "floating point; convert them"
            )
        yield array, slots, blocks[processes - 1]


def _blocks(memory: Mapping[str, NDArray[Any]], value: Value, n: int) -> Block:
    """Rows of the processes 1..n, in their own floating point; integers become float64."""
    name = value.letter if value.level is None else f"{value.letter}[{value.level}]"
    if name not in memory:
        raise InputError(f'memory lacks "{name}": give an array of shape {(n, *value.shape)}')
    numbers = np.asarray(memory[name])
    blocks = np.array(numbers, dtype=numbers.dtype if numbers.dtype.kind == "f" else np.float64)
    if blocks.shape != (n, *value.shape):
        raise InputError(
            f'memory "{name}" has shape {blocks.shape}, but the program needs {(n, *value.shape)}, '
            "a row per process"
        )
    blocks.flags.writeable = False
    return blocks


def evaluate(
    task: Task,
    gather: Callable[[Integers, Integers], Block],
    positions: Integers | None = None,
    copies: int = 1,
) -> Iterator[tuple[Integers, Block]]:
    """Results of a compute, group by group: (positions in the task's columns, blocks stacked).

    All processes of the task, or those at `positions`. ``gather(nodes, slots)`` reads one slot from the
    memory of each node and stacks the blocks; of several memories, `copies`, those of one node together.
    """
    assert isinstance(task.line.instruction, Compute)
    target = task.line.instruction.target
    for kernel, present, group in kernel_groups(task.line):
        if positions is not None and len(positions) < len(task.nodes):
            group = np.intersect1d(group, positions)
            if not len(group):
                continue
        operands = [
            gather(task.nodes[group], read[group]) if is_present else None
            for is_present, read in zip(present, task.reads, strict=True)
        ]
        # As in hardware: a division by zero gives infinity or NaN, which goes on to the results.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            blocks = kernel.evaluate(*operands)
        if blocks.shape != (len(group) * copies, *target.shape):
            raise TypeError(
                f"{task.step}: kernel {kernel.name} made blocks of shape {blocks.shape[1:]}, but "
                f"{target.text()} has shape {target.shape}"
            )
        if others := {operand.dtype for operand in operands if operand is not None} - {blocks.dtype}:
            raise TypeError(
                f"{task.step}: kernel {kernel.name} made {blocks.dtype} of {others.pop()}; a kernel keeps "
                "the floating point of its operands"
            )
        blocks.flags.writeable = False
        yield group, blocks


def kernel_groups(line: Line) -> Iterator[tuple[Kernel, tuple[bool, ...], Integers]]:
    """Processes that execute the same kernel with the same operands present.

    Yields (kernel, which operands are present, positions in the columns of the line).
    """
    assert isinstance(line.instruction, Compute)
    expression = line.instruction.expression
    code = np.zeros(len(line.processes), dtype=np.int64)
    if expression.choice is not None:
        code = np.array(expression.choice)[line.processes - 1]
    for read in line.reads:
        code = 2 * code + (read != NONE)
    for key in np.flatnonzero(np.bincount(code)).tolist():
        present = tuple(bool(key >> k & 1) for k in reversed(range(len(line.reads))))
        yield expression.kernels[key >> len(line.reads)], present, np.flatnonzero(code == key)


def flops(task: Task) -> Integers:
    """Operations executed for each process of a compute; 0 for other instructions."""
    counts = np.zeros(len(task.nodes), dtype=np.int64)
    if isinstance(task.line.instruction, Compute):
        for kernel, present, group in kernel_groups(task.line):
            counts[group] = task.line.instruction.expression.operations(kernel, present).flops
    return counts


def executed(flow: Flow) -> Operations:
    """Operations that a program executes, by kind, over all processes of all arrays."""
    total = Operations()
    for line in (line for stream in flow.lines for line in stream):
        if isinstance(line.instruction, Compute):
            for kernel, present, group in kernel_groups(line):
                operations = line.instruction.expression.operations(kernel, present)
                total += operations.times(len(group))
    return total
