"""A program with every mask and every read resolved: lines, slots, and the transfers between them.

A *slot* is one value in the memory of one process: (array, reading process, value, writing process).
`senn.machine.program.dataflow` resolves it; nothing here knows a node, a route or a cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.program import (
    Arrange,
    Compute,
    Destination,
    Instruction,
    Name,
    Offset,
    Operand,
    Program,
    Remark,
    Send,
    Value,
    Wait,
)
from senn.machine.program.subscripts import ProcessSet, mask, meet

Ints = NDArray[np.int32]  # slots and processes: programs of 65,536 processes have tens of millions
NONE = -1  # no slot: the operand does not exist there


@dataclass(frozen=True)
class Transfer:
    """The messages that carry the same values of a send to one destination, by ascending source process."""

    values: tuple[Value, ...]
    destination: Destination
    sources: Ints
    targets: Ints  # the receiving processes, aligned with `sources`
    source_slots: Ints  # (values, sources)
    first: int  # of the slots it fills, which are consecutive

    @property
    def words(self) -> int:
        """Size of one message in words."""
        return sum(value.words for value in self.values)

    @property
    def slots(self) -> Ints:
        """The slots it fills, (values, sources)."""
        return consecutive(self.first, self.source_slots.size).reshape(self.source_slots.shape)


@dataclass(frozen=True)
class Line:
    """One instruction with its processes; `reads` has an array of slots per operand, aligned with them."""

    instruction: Instruction
    array: int
    position: int
    processes: Ints
    reads: tuple[Ints, ...] = ()
    writes: Ints | None = None
    transfers: tuple[Transfer, ...] = ()


@dataclass(frozen=True)
class Fill:
    """Consecutive slots that one line fills with one value, by the processes that read them."""

    first: int
    array: int
    processes: Ints
    writers: Ints  # aligned with `processes`
    value: int  # index into Flow.values
    position: int  # of the writing line in the stream of `origin`; -1: resident
    origin: int  # the array whose line fills the slots
    message: bool  # filled by messages

    @property
    def slots(self) -> Ints:
        """Aligned with `processes`."""
        return consecutive(self.first, len(self.processes))


@dataclass(frozen=True)
class Slots:
    """All slots of a program, numbered from 0 in an order in which a line comes after what it reads."""

    fills: tuple[Fill, ...]

    def __len__(self) -> int:
        return self.fills[-1].first + len(self.fills[-1].processes) if self.fills else 0

    @cached_property
    def _firsts(self) -> Ints:
        return np.array([fill.first for fill in self.fills], dtype=np.int32)

    @cached_property
    def message(self) -> NDArray[np.bool_]:
        """Per slot, whether a message fills it."""
        kind = np.array([fill.message for fill in self.fills], dtype=bool)
        return np.repeat(kind, [len(fill.processes) for fill in self.fills])

    def fill(self, slot: int) -> tuple[Fill, int, int]:
        """The fill of a slot, the process that holds the slot, and the process that wrote its content."""
        fill = self.fills[int(np.searchsorted(self._firsts, slot, side="right")) - 1]
        return fill, int(fill.processes[slot - fill.first]), int(fill.writers[slot - fill.first])


@dataclass(frozen=True)
class Flow:
    """The program with every mask and every read resolved."""

    program: Program
    lines: tuple[tuple[Line, ...], ...]
    values: tuple[Value, ...]
    slots: Slots
    results: Mapping[str, Ints]  # by name, the slot of each process that has the value at the end, ascending

    def slot_text(self, slot: int) -> str:
        """``G_2^0``: the value in a slot, by its writing process."""
        fill, _, writer = self.slots.fill(slot)
        return self.values[fill.value].text(process=writer)

    @cached_property
    def resident(self) -> tuple[tuple[int, Value, Ints, Ints], ...]:
        """Values in memory at the start: (array, value, processes, slots)."""
        fills = (fill for fill in self.slots.fills if fill.position < 0 and len(fill.processes))
        ordered = sorted(fills, key=lambda fill: (fill.array, fill.value))
        return tuple((f.array, self.values[f.value], f.processes, f.slots) for f in ordered)


def consecutive(first: int, count: int) -> Ints:
    """``count`` slots from ``first`` on."""
    return np.arange(first, first + count, dtype=np.int32)


class Origins:
    """Positions of the lines that define and that send each value; -1 is the memory at the start.

    Refuses a value written twice at one process, a name of two shapes, and a send to an array that is none.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.definers: dict[tuple[int, Value], list[int]] = defaultdict(list)
        # Without the Arranges, and where each of them writes.
        self.makers: dict[tuple[int, Value], list[tuple[int, ProcessSet | None]]] = defaultdict(list)
        # (receiving array, value) -> [(sending array, position, offset)]
        self.sends: dict[tuple[int, Value], list[tuple[int, int, Offset]]] = defaultdict(list)
        self.named: dict[tuple[str, int | None], Value] = {}
        for resident in program.resident:
            for array in resident.arrays:
                self._define(array, resident.value, -1, resident.where)
        for array, stream in enumerate(program.streams, 1):
            for position, instruction in enumerate(stream):
                self._scan(array, position, instruction)

    def _scan(self, array: int, position: int, instruction: Instruction) -> None:
        if isinstance(instruction, Compute | Name):
            self._define(array, instruction.target, position, instruction.where)
        elif isinstance(instruction, Arrange):
            rows, levels = (instruction.start, instruction.stop), self.program.levels
            if not all(type(row) is int and 0 <= row <= levels for row in rows):
                moved = f"from level {rows[0]} to {rows[1]}"
                raise InputError(f"{instruction.step} arranges {moved}; levels are 0..{levels}")
            for value in instruction.values:
                self.definers[array, value].append(position)
        elif isinstance(instruction, Send):
            for value in instruction.values:
                for to in instruction.destinations:
                    if not 1 <= to.array <= self.program.arrays:
                        raise InputError(
                            f"{instruction.step} sends to {to}, but the program has {self.program.arrays} "
                            f"array(s): send to an array it has"
                        )
                    self.sends[to.array, value].append((array, position, to.offset))

    def _define(self, array: int, value: Value, position: int, where: ProcessSet | None) -> None:
        step, n = self.program.step(array, position), self.program.n
        namesake = self.named.setdefault((value.letter, value.level), value)
        if namesake != value:
            raise InputError(
                f"{step}: {value.text()} is the name of a value of shape {value.shape} here, and of one of "
                f"shape {namesake.shape} elsewhere: give one of them another name"
            )
        makers = self.makers[array, value]
        arranges = {*self.definers[array, value]} - {maker for maker, _ in makers}
        for earlier, elsewhere in (*makers, *((arrange, None) for arrange in arranges)):
            twice = mask(where, n) & mask(elsewhere, n)
            if twice.any():
                raise InputError(
                    f"{step} writes {value.text()} in array {array}, but {self.program.step(array, earlier)} "
                    "wrote it before: a value is written once, so give one of them another name, or another "
                    f"mask, as both write {value.text(process=int(twice.argmax()) + 1)}"
                )
        self.definers[array, value].append(position)
        makers.append((position, where))

    def order(self) -> Iterator[tuple[int, int]]:
        """All lines, (array, position), every producer before its readers; a circle is refused."""
        graph: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for array, stream in enumerate(self.program.streams, 1):
            for position, instruction in enumerate(stream):
                needs: list[tuple[int, int]] = []
                if isinstance(instruction, Compute | Name):  # what writes its target elsewhere comes first
                    needs += [(array, p) for p in self.definers[array, instruction.target] if p < position]
                for operand in operands_of(instruction):
                    needs += self._producers(array, position, operand)
                graph[array, position] = [need for need in needs if need[1] >= 0]
        try:
            yield from TopologicalSorter(graph).static_order()
        except CycleError as error:
            steps = " -> ".join(f"{self.program.step(a, p)} (array {a})" for a, p in reversed(error.args[1]))
            raise InputError(
                f"the program needs a value to compute itself: {steps}; break the circle"
            ) from None

    def senders(self, array: int, operand: Operand) -> list[tuple[int, int]]:
        """Lines, (array, position), that send an operand to a process of `array` that reads it."""
        sends, n = self.sends[array, operand.value], self.program.n
        return [(source, position) for source, position, sent in sends if meet(sent, operand.offset, n)]

    def _producers(self, array: int, position: int, operand: Operand) -> list[tuple[int, int]]:
        earlier = [p for p in self.definers[array, operand.value] if p < position]
        if operand.offset == 0 and earlier and not operand.delivered:
            return [(array, earlier[-1])]
        local = [] if isinstance(operand.offset, int) else [(array, p) for p in earlier[-1:]]
        writer = self.writer(array, operand, position)
        lines = [(writer, p) for p in self.written(array, position, writer, operand.value)]
        return [*self.senders(array, operand), *local, *lines]

    def written(self, array: int, position: int, writer: int, value: Value) -> list[int]:
        """Positions of the lines of `writer` that write a value for a line of `array`."""
        makers = [p for p, _ in self.makers[writer, value] if writer != array or p < position]
        return makers or self.definers[writer, value][:1]

    def writer(self, array: int, operand: Operand, position: int) -> int:
        """The array that writes the operand: the sender's; without a Send the reader's, then any other."""
        senders = self.senders(array, operand)
        candidates: list[int] = [*(a for a, _ in senders), array, *range(1, self.program.arrays + 1)]
        for candidate in candidates:
            if self.definers[candidate, operand.value]:
                return candidate
        step = self.program.step(array, position)
        raise InputError(
            f"{step} reads {operand} in array {array}, but no instruction writes it and it is not in "
            f"memory at the start: compute it before, or declare it resident"
        )


def sent_by(
    instruction: Send | Arrange, array: int
) -> tuple[tuple[tuple[Value, ...], ...], tuple[Destination, ...]]:
    """Cargo and destinations of a send; an arrangement is a send of every holder to itself."""
    if isinstance(instruction, Send):
        return instruction.cargo, instruction.destinations
    return (instruction.values,), (Destination(array, 0),)


def operands_of(instruction: Instruction) -> tuple[Operand, ...]:
    """The operands of an instruction, as written."""
    if isinstance(instruction, Compute):
        return instruction.expression.operands
    if isinstance(instruction, Name):
        return instruction.operands
    if isinstance(instruction, Send | Arrange | Wait):
        return tuple(Operand(value) for value in instruction.values)
    assert isinstance(instruction, Remark)
    return ()
