"""The numbers of a run: the memory of every node, and the evaluation of one instruction on it.

`Memories` knows the resident, computed and received values of each node; the blocks themselves are in
`Batches`. `evaluate` gathers operands, calls each kernel once for all processes that execute it alike, in the
order of the processes, and yields the results. So neither allocation nor engine can change a bit of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.base.errors import InputError
from senn.machine.network.topology import Integers, ranges
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Compute, Executed, Kernel, Operations, Program, Recorded, Value
from senn.machine.program.flow import NONE, Flow, Line
from senn.traces.naming import OPERATIONS

Block = NDArray[Any]
"""The numbers of one value. A run has one type, that of its resident values: floating point or int64."""
PRECISIONS = {"single": np.float32, "double": np.float64}
"""Floating point of a run's numbers, by name."""


class Violation(AssertionError):
    """A memory or trace that no run of the schedule on the machine leaves; the text says where and when."""


class Batches:
    """Blocks of some memories, a batch of each resident value and of each compute: (rows, memories, *shape).

    `origin` has the slot where the content of each slot was written. The slots that a compute writes are
    consecutive, so a batch is found by its first.
    """

    def __init__(
        self, schedule: Schedule, memories: Sequence[Mapping[str, NDArray[Any]]], origin: Integers
    ) -> None:
        self.schedule, self.origin = schedule, origin
        written = (task.line.writes for task in schedule.every_task if task.line.writes is not None)
        resident = (slots for *_, slots in schedule.flow.resident)
        firsts = [int(slots[0]) for slots in (*written, *resident)]
        self.starts = np.sort(np.array(firsts, dtype=np.int64))
        begins = np.zeros(len(origin), dtype=np.int32)
        begins[self.starts] = 1
        self.batch = np.cumsum(begins, dtype=np.int32) - 1  # by slot that was written
        self.blocks: list[Any] = [None] * len(self.starts)  # None: not written yet, or no longer read
        for entries in zip(*(residents(schedule, memory) for memory in memories), strict=True):
            self.blocks[self.batch[entries[0][1][0]]] = whole = np.stack([x for *_, x in entries], axis=1)
            whole.flags.writeable = False

    def gather(self, task: Task, rows: Integers, slots: Integers) -> Block:
        """Blocks of some slots, all memories of a slot together, for these rows of the task's columns."""
        blocks = self.of_all(slots)
        return blocks.reshape(-1, *blocks.shape[2:])

    def contents(self, slots: Integers) -> Block:
        """Blocks of some slots of the first memory, stacked."""
        return self.of_all(slots)[:, 0].copy()

    def of_all(self, slots: Integers) -> Block:
        """Blocks of some slots, stacked: (slots, memories, *shape); not to be changed."""
        return self._written_at(self.origin[slots])

    def _written_at(self, origin: Integers) -> Block:
        k = int(self.batch[origin[0]])
        alone = k == self.batch[origin[-1]]  # mostly, and then mostly side by side: a view will do
        if alone and (origin[1:] - origin[:-1] == 1).all():
            first = int(origin[0]) - self.starts[k]
            side_by_side: Block = self.blocks[k][first : first + len(origin)]
            side_by_side.flags.writeable = False
            return side_by_side
        batch, like = self.batch[origin], self.blocks[k]
        gathered: Block = np.empty((len(origin), *like.shape[1:]), dtype=like.dtype)
        for k in np.unique(batch).tolist():
            rows = batch == k
            gathered[rows] = self.blocks[k][origin[rows] - self.starts[k]]
        return gathered

    def write(self, task: Task, positions: Integers, blocks: Block) -> None:
        """Store the results of a compute for some of its processes, by position in the task's columns."""
        assert task.line.writes is not None
        k = int(self.batch[task.line.writes[0]])
        blocks = blocks.reshape(len(positions), -1, *blocks.shape[1:])
        if len(positions) == len(task.nodes):
            self.blocks[k] = blocks
            return
        if self.blocks[k] is None:
            self.blocks[k] = np.empty((len(task.nodes), *blocks.shape[1:]), dtype=blocks.dtype)
        self.blocks[k][positions] = blocks


class Memories(Batches):
    """One memory per node. A slot is written once, at one node, and read nowhere else.

    Blocks never change, so a message carries a reference: `origin` follows the messages that arrive.
    """

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> None:
        m, slots = schedule.messages, len(schedule.flow.slots)
        super().__init__(schedule, [memory], np.full(slots, NONE, dtype=np.int32))
        self.holder = np.full(slots, NONE)  # by slot: the node, counted over all arrays
        self.sender = self._nodes(m.source_array, m.source_node)
        self.receiver = self._nodes(m.target_array, m.target_node)
        self.carried = np.full(len(m.slot), NONE, dtype=np.int32)  # the origins of what messages carry
        self.begin = np.searchsorted(m.carrier, np.arange(len(m) + 1))
        for array, _, _, resident in schedule.flow.resident:
            self._put(self._nodes(array, schedule.slot_node[resident]), resident, resident)

    def _nodes(self, array: int | Integers, node: Integers) -> Integers:
        """Nodes counted over all arrays."""
        return (np.int64(array) - 1) * self.schedule.wiring.nodes + node

    def _text(self, node: int) -> str:
        array, node = divmod(node, self.schedule.wiring.nodes)
        return f"node {node} of array {array + 1}"

    def _put(self, nodes: Integers, slots: Integers, origin: Integers) -> None:
        if (twice := self.holder[slots] != NONE).any():
            name, k = self.schedule.flow.slot_text(int(slots[twice][0])), int(nodes[twice][0])
            raise Violation(f"{name} was written twice at {self._text(k)}")
        self.holder[slots], self.origin[slots] = nodes, origin

    def _require(self, nodes: Integers, slots: Integers) -> None:
        """Raise a Violation unless each slot is in the memory of its node."""
        if (elsewhere := self.holder[slots] != nodes).any():
            name, k = self.schedule.flow.slot_text(int(slots[elsewhere][0])), int(nodes[elsewhere][0])
            raise Violation(f"{self._text(k)} has no {name}")

    def gather(self, task: Task, rows: Integers, slots: Integers) -> Block:
        """Blocks of some slots, stacked: of each node's own memory and nothing else."""
        self._require(self._nodes(task.array, task.nodes[rows]), slots)
        return super().gather(task, rows, slots)

    def write(self, task: Task, positions: Integers, blocks: Block) -> None:
        super().write(task, positions, blocks)
        assert task.line.writes is not None
        slots = task.line.writes[positions]
        self._put(self._nodes(task.array, task.nodes[positions]), slots, slots)

    def send(self, messages: range | Integers) -> None:
        """Messages take their contents from the memories of their senders."""
        ids = np.arange(messages.start, messages.stop) if isinstance(messages, range) else messages
        values = self._values(ids)
        slots = self.schedule.messages.source_slot[values]
        self._require(self.sender[self.schedule.messages.carrier[values]], slots)
        self.carried[values] = self.origin[slots]

    def deliver(self, messages: Sequence[int]) -> None:
        """Store the contents of messages in the memories of their receivers."""
        values = self._values(np.array(messages, dtype=np.int64))
        receivers = self.receiver[self.schedule.messages.carrier[values]]
        self._put(receivers, self.schedule.messages.slot[values], self.carried[values])

    def _values(self, messages: Integers) -> Integers:
        """Rows of the values that messages carry."""
        if len(self.carried) == len(self.sender):  # one value each
            return messages
        counts = self.begin[messages + 1] - self.begin[messages]
        return ranges(self.begin[messages], counts)

    def check(self) -> None:
        """Raise a Violation unless each node holds exactly its resident, computed and received values."""
        expected = np.full(len(self.holder), NONE)
        for array, _, _, slots in self.schedule.flow.resident:
            expected[slots] = self._nodes(array, self.schedule.slot_node[slots])
        for task in self.schedule.every_task:
            if task.line.writes is not None:
                expected[task.line.writes] = self._nodes(task.array, task.nodes)
        expected[self.schedule.messages.slot] = self.receiver[self.schedule.messages.carrier]
        if (wrong := self.holder != expected).any():
            slot = int(wrong.argmax())
            name, node = self.schedule.flow.slot_text(slot), max(self.holder[slot], expected[slot])
            raise Violation(f"{self._text(int(node))}: {name} is there without a cause, or lost")


def rounded(memory: Mapping[str, NDArray[Any]], precision: str) -> dict[str, Block]:
    """Resident values in the floating point of a run; whole numbers stay what they are."""
    if precision not in PRECISIONS:
        raise InputError(f'precision "{precision}" is not one of {", ".join(PRECISIONS)}')
    blocks = {name: exact(name, numbers) for name, numbers in memory.items()}
    kind = PRECISIONS[precision]
    return {name: x if x.dtype == np.int64 else x.astype(kind) for name, x in blocks.items()}


def given(program: Program, memory: Mapping[str, Any]) -> dict[str, Block]:
    """A memory that a user gives to a program; InputError for numbers that would change, or are not read, and
    for one that is no number."""
    names = {_name(resident.value) for resident in program.resident}
    if unread := [name for name in memory if name not in names]:
        raise InputError(
            f'memory "{unread[0]}": the program has no such value at the start, only '
            f"{', '.join(sorted(names)) or 'none'}; leave it out"
        )
    blocks = {name: exact(name, numbers) for name, numbers in memory.items()}
    for name, block in blocks.items():
        if len(rows := np.argwhere(np.isnan(block))):
            raise InputError(f'memory "{name}" of process {rows[0][0] + 1} is nan; write a number there')
    return blocks


def exact(name: str, numbers: ArrayLike) -> Block:
    """Numbers of a value as a run computes with them: floating point as it is, whole numbers in 64 bits.
    InputError for other numbers, which would change."""
    array = np.asarray(numbers)
    if array.dtype.kind == "c":
        raise InputError(f'memory "{name}" is {array.dtype}: give real and imaginary parts as two words')
    if array.dtype.kind not in "fiub":
        raise InputError(f'memory "{name}" is {array.dtype}: a run computes with real numbers; convert it')
    if array.dtype.kind == "u" and (array > np.iinfo(np.int64).max).any():
        raise InputError(f'memory "{name}" has whole numbers above 2^63 - 1, which no word holds; convert it')
    return array if array.dtype.kind == "f" else array.astype(np.int64)


def residents(
    schedule: Schedule, memory: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[int, Integers, Block]]:
    """Contents of the memories before the first cycle, value by value: (array, slots, blocks stacked)."""
    resident = schedule.flow.resident
    each = resident_blocks(memory, [value for _, value, _, _ in resident], schedule.program.n)
    for (array, _, processes, slots), blocks in zip(resident, each, strict=True):
        yield array, slots, blocks[processes - 1]


def resident_blocks(memory: Mapping[str, NDArray[Any]], values: Iterable[Value], n: int) -> Iterator[Block]:
    """Values in memory at the start: rows of the processes 1..n, read-only.

    All have one kind of numbers, in which the whole run computes, since kernels keep it.
    """
    kinds: dict[np.dtype[Any], str] = {}
    for value in values:
        name, shape = _name(value), (n, *value.shape)
        if name not in memory:
            raise InputError(f'memory lacks "{name}": give an array of shape {shape}')
        blocks = exact(name, memory[name]).view()
        if blocks.shape != shape:
            raise InputError(
                f'memory "{name}" has shape {blocks.shape}, but the program needs {shape}, a row per process'
            )
        blocks.flags.writeable = False
        kinds.setdefault(blocks.dtype, value.letter)
        if len(kinds) > 1:
            (dtype, letter), (other_dtype, other) = kinds.items()
            raise InputError(
                f'memory "{letter}" is {dtype} and "{other}" {other_dtype}: a run computes in one kind of '
                "numbers; convert them"
            )
        yield blocks


def _name(value: Value) -> str:
    return value.letter if value.level is None else f"{value.letter}[{value.level}]"


def evaluate(
    task: Task,
    gather: Callable[[Task, Integers, Integers], Block],
    positions: Integers | None = None,
    copies: int = 1,
) -> Iterator[tuple[Integers, Block]]:
    """Results of a compute, group by group: (positions in the task's columns, blocks stacked).

    All processes of the task, or those at `positions`. ``gather(task, rows, slots)`` reads one slot
    at the node of each of these rows and stacks the blocks, the `copies` of several memories side by side.
    """
    assert isinstance(task.line.instruction, Compute)
    for kernel, present, group in kernel_groups(task.line, positions):
        operands = [
            gather(task, group, read[group]) if is_present else None
            for is_present, read in zip(present, task.reads, strict=True)
        ]
        blocks = evaluated(task.line.instruction, kernel, operands, len(group) * copies)
        blocks.flags.writeable = False
        yield group, blocks


def evaluated(instruction: Compute, kernel: Kernel, operands: Sequence[Block | None], rows: int) -> Block:
    """Result of a kernel on stacked operands, if it can be counted; refuses another shape than that of the
    target, and another kind of numbers than that of the operands."""
    target = instruction.target
    if any(operand is None for operand in operands):  # of all operands it was counted with the program
        instruction.operations(kernel, [operand is not None for operand in operands])
    # As in hardware: a division by zero gives infinity or NaN, which goes on to the results.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if kernel.declared is None:
            blocks: Block = np.asarray(kernel.evaluate(*operands))
        else:  # one process at a time: nobody has seen that it does not mix them
            each = ([x if x is None else x[k : k + 1] for x in operands] for k in range(rows))
            blocks = np.concatenate([kernel.evaluate(*row) for row in each])
    if blocks.shape != (rows, *target.shape):
        raise InputError(
            f"{instruction.step}: kernel {kernel.name} made blocks of shape {blocks.shape[1:]}, but "
            f"{target.text()} has shape {target.shape}"
        )
    if others := {operand.dtype for operand in operands if operand is not None} - {blocks.dtype}:
        raise InputError(
            f"{instruction.step}: kernel {kernel.name} made {blocks.dtype} of {others.pop()}; a kernel keeps "
            "the kind of its operands, so give numbers of that kind"
        )
    return blocks


def kernel_groups(
    line: Line, positions: Integers | None = None
) -> Iterator[tuple[Kernel, tuple[bool, ...], Integers]]:
    """Processes that execute the same kernel with the same operands present, of all or of some `positions`.

    Yields (kernel, which operands are present, positions in the columns of the line).
    """
    assert isinstance(line.instruction, Compute)
    expression = line.instruction.expression
    rows = np.arange(len(line.processes)) if positions is None else positions
    if expression.choice is None and not expression.optional:
        yield expression.kernels[0], (True,) * len(line.reads), rows
        return
    code = np.zeros(len(rows), dtype=np.int64)
    if expression.choice is not None:
        code = np.array(expression.choice)[line.processes[rows] - 1]
    for read in line.reads:
        code = 2 * code + (read[rows] != NONE)
    for key in np.bincount(code).nonzero()[0].tolist():
        present = tuple(bool(key >> k & 1) for k in reversed(range(len(line.reads))))
        yield expression.kernels[key >> len(line.reads)], present, rows[code == key]


def operations(task: Task) -> Executed:
    """Operations by kind that the processes of a task execute: none for a send and a wait."""
    instruction, which = task.line.instruction, np.zeros(len(task.nodes), dtype=np.int64)
    if isinstance(instruction, Recorded):
        return instruction.executed
    if not isinstance(instruction, Compute):
        return ((0,) * len(OPERATIONS),), which
    kinds: list[tuple[int, ...]] = []
    for kernel, present, group in kernel_groups(task.line):
        which[group] = len(kinds)
        kinds.append(tuple(instruction.operations(kernel, present)))
    return tuple(kinds), which


def executed(flow: Flow) -> Operations:
    """Operations that a program executes, by kind, over all processes of all arrays."""
    total = Operations()
    for line in (line for stream in flow.lines for line in stream):
        if isinstance(line.instruction, Compute):
            for kernel, present, group in kernel_groups(line):
                total += line.instruction.operations(kernel, present).times(len(group))
    return total
