"""A program with every mask and every read resolved: lines, slots, and the transfers between them.

A *slot* is one value in the memory of one process: (array, reading process, value, writing process).
`senn.machine.program.dataflow` resolves it; nothing here knows a node, a route or a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Destination, Instruction, Offset, Program, Value

Ints = NDArray[np.int32]  # slots and processes: programs of 65,536 processes have tens of millions
NONE = -1  # no slot: the operand does not exist there


@dataclass(frozen=True)
class Transfer:
    """The messages that carry the same values of a send to one destination, by ascending source process."""

    values: tuple[Value, ...]
    destination: Destination
    offset: int  # from a source to its target; of a Flip, one of its two
    sources: Ints
    source_slots: Ints  # (values, sources)
    first: int  # of the slots it fills, which are consecutive

    @property
    def words(self) -> int:
        """Size of one message in words."""
        return sum(value.words for value in self.values)

    @property
    def targets(self) -> Ints:
        """The receiving processes, aligned with `sources`."""
        return self.sources + np.int32(self.offset)

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
    value: int  # index into Flow.values
    position: int  # of the writing line in the stream of `origin`; -1: resident
    origin: int  # the array whose line fills the slots
    message: bool  # filled by messages
    offset: Offset = 0  # from a reading process to the writing one

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

    def fill(self, slot: int) -> Fill:
        """The fill that a slot belongs to."""
        return self.fills[int(np.searchsorted(self._firsts, slot, side="right")) - 1]

    def process(self, slot: int) -> int:
        """The process that holds a slot in its memory."""
        fill = self.fill(slot)
        return int(fill.processes[slot - fill.first])

    def writer(self, slot: int) -> int:
        """The process that wrote the content of a slot."""
        return self.process(slot) + self.fill(slot).offset


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
        return self.values[self.slots.fill(slot).value].text(process=self.slots.writer(slot))

    @cached_property
    def resident(self) -> tuple[tuple[int, Value, Ints, Ints], ...]:
        """Values in memory at the start: (array, value, processes, slots)."""
        fills = (fill for fill in self.slots.fills if fill.position < 0 and len(fill.processes))
        ordered = sorted(fills, key=lambda fill: (fill.array, fill.value))
        return tuple((f.array, self.values[f.value], f.processes, f.slots) for f in ordered)


def consecutive(first: int, count: int) -> Ints:
    """``count`` slots from ``first`` on."""
    return np.arange(first, first + count, dtype=np.int32)
