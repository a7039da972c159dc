"""What a name means: the slots that each process reads for a value, line by line as a program is resolved."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Operand, Program, Value, Where
from senn.machine.program.flow import NONE, Fill, Ints, consecutive
from senn.machine.program.origins import Origins
from senn.traces.errors import InputError

MOST_SLOTS = 2**31 - 1
"""Slots are numbered in 32 bits."""


class Bindings:
    """The slots that came to be so far, and which of them a value is at each process."""

    def __init__(self, program: Program, origins: Origins) -> None:
        self.program, self.origins = program, origins
        self.n = program.n
        self.values: dict[Value, int] = {}
        self.fills: list[Fill] = []
        self.count = 0  # of the slots
        # (array, value) -> [(position, slots of processes 1..n)], one entry per version, oldest first
        self.versions: dict[tuple[int, Value], list[tuple[int, Ints]]] = defaultdict(list)
        # (array, value, writer - reader) -> slots of the reading processes 1..n
        self.delivered: dict[tuple[int, Value, int], Ints] = {}

    def nothing(self) -> Ints:
        """No slot at any process."""
        return np.full(self.n, NONE, dtype=np.int32)

    def mask(self, where: Where | None) -> NDArray[np.bool_]:
        return np.ones(self.n, dtype=bool) if where is None else where.mask(self.n)

    def new_slots(
        self,
        array: int,
        value: Value,
        processes: Ints,
        *,
        position: int,
        origin: int | None = None,
        offset: int = 0,
    ) -> Ints:
        """Slots of `value` at these processes; `origin` is the sending array where messages fill them."""
        first, size = self.count, len(processes)
        if first + size > MOST_SLOTS:
            raise InputError(
                f"the program has more than {MOST_SLOTS:,} values and messages, counted process by process: "
                "take fewer processes"
            )
        index = self.values.setdefault(value, len(self.values))
        if size:
            message = origin is not None
            by = array if origin is None else origin
            self.fills.append(Fill(first, array, processes, index, position, by, message, offset))
        self.count += size
        return consecutive(first, size)

    def bind(self, array: int, value: Value, position: int, processes: Ints, slots: Ints) -> None:
        """A new version of a name; processes that are not mentioned keep what they had."""
        versions = self.versions[array, value]
        bound = versions[-1][1].copy() if versions else self.nothing()
        bound[processes - 1] = slots
        versions.append((position, bound))

    def lookup(self, array: int, position: int, operand: Operand) -> tuple[Ints, NDArray[np.bool_]]:
        """The slots that processes 1..n read for an operand, and where its value exists at the writer."""
        if operand.offset == 0 and self.origins.definers[array, operand.value] and not operand.delivered:
            for born, slots in reversed(self.versions[array, operand.value]):
                if born < position:
                    return slots, slots != NONE
            if not self.origins.senders[array, operand.value, 0]:  # nor did it come from another array
                raise InputError(
                    f"{self.program.streams[array - 1][position].step} reads {operand} in array {array} "
                    f"before it is written there: move the line that writes it up"
                )
        writer = self.origins.writer(array, operand, position)
        there = self.versions[writer, operand.value][0][1] != NONE
        expected = np.zeros(self.n, dtype=bool)
        if operand.offset >= 0:
            expected[: max(self.n - operand.offset, 0)] = there[operand.offset :]
        else:
            expected[-operand.offset :] = there[: operand.offset]
        for sender, sent in self.origins.senders[array, operand.value, operand.offset]:
            if sender == array and sent > position:
                raise InputError(
                    f"{self.program.streams[array - 1][position].step} reads {operand} in array {array}, but "
                    f"{self.program.streams[array - 1][sent].step}, which sends it, comes later: move it up"
                )
        delivered = self.delivered.get((array, operand.value, operand.offset))
        return self.nothing() if delivered is None else delivered, expected

    def operands(
        self, array: int, position: int, operands: tuple[Operand, ...], where: Where | None
    ) -> tuple[NDArray[np.bool_], list[Ints]]:
        """Where all required operands exist, and the slots of every operand (NONE where there is none)."""
        found = [self.lookup(array, position, operand) for operand in operands]
        exists = self.mask(where)
        for operand, (_, expected) in zip(operands, found, strict=True):
            if operand.absent is None:
                exists = exists & expected
        reads = []
        for operand, (slots, expected) in zip(operands, found, strict=True):
            self.refuse_lost(array, position, operand, exists & expected & (slots == NONE))
            reads.append(kept(slots, exists & expected))
        return exists, reads

    def refuse_lost(self, array: int, position: int, operand: Operand, lost: NDArray[np.bool_]) -> None:
        if lost.any():
            process = int(lost.argmax()) + 1
            step = self.program.streams[array - 1][position].step
            raise InputError(
                f"{step} reads {operand.value.text(process=process + operand.offset)} at "
                f"{label(array, process)}, but no Send delivers it there"
            )

    def final(self, array: int, value: Value) -> Ints:
        """The slots of a value at the end, of the processes that have it."""
        if not self.versions[array, value]:
            raise InputError(f"array {array} never writes {value.text()}: it cannot be a result")
        slots = self.versions[array, value][-1][1]
        found: Ints = slots[slots != NONE]
        return found


def label(array: int, process: int) -> str:
    return f"PR_{{{array},{process}}}"


def processes_of(mask: NDArray[np.bool_]) -> Ints:
    """The processes, 1..n, that a mask over them chooses."""
    return (np.flatnonzero(mask) + 1).astype(np.int32)


def kept(slots: Ints, chosen: NDArray[np.bool_]) -> Ints:
    """The chosen slots, NONE elsewhere."""
    return np.where(chosen, slots, np.int32(NONE))
