"""A program with every mask and every read resolved: lines, slots, and what passes between them.

A *slot* is one value in the memory of one process: (array, reading process, value, writing process).
`senn.machine.dataflow` resolves it; nothing here knows a node, a route or a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Destination, Instruction, Program, Value

Ints = NDArray[np.int64]
NONE = -1  # no slot: the operand does not exist there


@dataclass(frozen=True)
class Transfer:
    """The messages that one value of a send takes to one destination, by ascending source process."""

    value: Value
    destination: Destination
    sources: Ints
    targets: Ints
    source_slots: Ints
    slots: Ints


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
class Slots:
    """All slots of a program, by id: where a value is, whose it is, and which line put it there."""

    message: NDArray[np.bool_]  # filled by a message
    array: Ints
    process: Ints
    value: Ints  # index into Flow.values
    writer: Ints
    position: Ints  # of the writing line in the stream of `origin`; -1: resident
    origin: Ints  # the array whose line filled the slot


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
        return self.values[int(self.slots.value[slot])].text(process=int(self.slots.writer[slot]))

    @cached_property
    def resident(self) -> tuple[tuple[int, Value, Ints, Ints], ...]:
        """What must be in memory at the start: (array, value, processes, slots)."""
        found = []
        chosen = np.flatnonzero(self.slots.position < 0)
        keys = self.slots.array[chosen] * len(self.values) + self.slots.value[chosen]
        for key in np.unique(keys):
            slots = chosen[keys == key]
            array, index = divmod(int(key), len(self.values))
            found.append((array, self.values[index], self.slots.process[slots], slots))
        return tuple(found)
