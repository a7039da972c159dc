"""Who reads what: the flow of values through a program, decided by indices alone.

For every instruction: the processes that take part (the activity mask), the slot each of them reads for
every operand, and the slots that come to be. A *slot* is one value in the memory of one process:
(array, reading process, value, writing process). What a process did not write itself it can only read
from the slot that a message filled, so a missing Send shows here, before the first cycle:

    I.b.12 reads G_2^0 at PR_{1,1}, but no Send delivers it there

Nothing here knows a node, a route or a cycle; `senn.machine.placing.schedule` adds them.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import (
    Arrange,
    Compute,
    Destination,
    Instruction,
    Name,
    Operand,
    Program,
    Send,
    Value,
    Wait,
    Where,
)
from senn.machine.program.flow import NONE, Fill, Flow, Ints, Line, Slots, Transfer, consecutive
from senn.machine.program.origins import Origins
from senn.traces.errors import InputError


def flow(program: Program) -> Flow:
    """Resolve masks and reads. Refuses, naming the instruction and the way out: an operand that nobody
    writes or sends, a value written twice, a message that nothing reads."""
    found = resolved(program)
    _refuse_unread(found)
    return found


def resolved(program: Program) -> Flow:
    """The same, also where messages arrive that nothing reads."""
    return _Resolver(program).resolve()


def _label(array: int, process: int) -> str:
    return f"PR_{{{array},{process}}}"


MOST_SLOTS = 2**31 - 1
"""Slots are numbered in 32 bits."""


class _Resolver:
    """One pass over the instructions in an order in which every producer precedes its readers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.n = program.n
        self.values: dict[Value, int] = {}
        self.fills: list[Fill] = []
        self.count = 0  # of the slots
        # (array, value) -> [(position, slots of processes 1..n)], one entry per version, oldest first
        self.versions: dict[tuple[int, Value], list[tuple[int, Ints]]] = defaultdict(list)
        # (array, value, writer - reader) -> slots of the reading processes 1..n
        self.delivered: dict[tuple[int, Value, int], Ints] = {}
        self.origins = Origins(program)
        self.lines: dict[tuple[int, int], Line] = {}

    def resolve(self) -> Flow:
        for resident in self.program.resident:
            processes = _processes(self._mask(resident.where))
            for array in resident.arrays:
                held = self._new_slots(array, resident.value, processes, position=-1)
                self._bind(array, resident.value, -1, processes, held)
        for key in self.origins.order():
            self.lines[key] = self._line(*key)
        lines = tuple(
            tuple(self.lines[array, p] for p in range(len(stream)))
            for array, stream in enumerate(self.program.streams, 1)
        )
        results = {name: self._final(*result) for name, result in self.program.results.items()}
        return Flow(self.program, lines, tuple(self.values), Slots(tuple(self.fills)), results)

    def _final(self, array: int, value: Value) -> Ints:
        if not self.versions[array, value]:
            raise InputError(f"array {array} never writes {value.text()}: it cannot be a result")
        slots = self.versions[array, value][-1][1]
        found: Ints = slots[slots != NONE]
        return found

    # -- slots and names

    def _nothing(self) -> Ints:
        """No slot at any process."""
        return np.full(self.n, NONE, dtype=np.int32)

    def _mask(self, where: Where | None) -> NDArray[np.bool_]:
        return np.ones(self.n, dtype=bool) if where is None else where.mask(self.n)

    def _new_slots(
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

    def _bind(self, array: int, value: Value, position: int, processes: Ints, slots: Ints) -> None:
        """A new version of a name; processes that are not mentioned keep what they had."""
        versions = self.versions[array, value]
        bound = versions[-1][1].copy() if versions else self._nothing()
        bound[processes - 1] = slots
        versions.append((position, bound))

    def _lookup(self, array: int, position: int, operand: Operand) -> tuple[Ints, NDArray[np.bool_]]:
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
        return self._nothing() if delivered is None else delivered, expected

    def _resolve_operands(
        self, array: int, position: int, operands: tuple[Operand, ...], where: Where | None
    ) -> tuple[NDArray[np.bool_], list[Ints]]:
        """Where all required operands exist, and the slots of every operand (NONE where there is none)."""
        found = [self._lookup(array, position, operand) for operand in operands]
        exists = self._mask(where)
        for operand, (_, expected) in zip(operands, found, strict=True):
            if operand.absent is None:
                exists = exists & expected
        reads = []
        for operand, (slots, expected) in zip(operands, found, strict=True):
            self._refuse_lost(array, position, operand, exists & expected & (slots == NONE))
            reads.append(_kept(slots, exists & expected))
        return exists, reads

    def _refuse_lost(self, array: int, position: int, operand: Operand, lost: NDArray[np.bool_]) -> None:
        if lost.any():
            process = int(lost.argmax()) + 1
            step = self.program.streams[array - 1][position].step
            raise InputError(
                f"{step} reads {operand.value.text(process=process + operand.offset)} at "
                f"{_label(array, process)}, but no Send delivers it there"
            )

    # -- the lines

    def _line(self, array: int, position: int) -> Line:
        instruction = self.program.streams[array - 1][position]
        if isinstance(instruction, Compute):
            return self._compute(array, position, instruction)
        if isinstance(instruction, Send):
            return self._send(array, position, instruction, instruction.values, instruction.destinations)
        if isinstance(instruction, Arrange):
            return self._send(array, position, instruction, (instruction.value,), (Destination(array, 0),))
        if isinstance(instruction, Wait):
            return self._wait(array, position, instruction)
        if isinstance(instruction, Name):
            return self._name(array, position, instruction)
        return Line(instruction, array, position, _EMPTY)

    def _compute(self, array: int, position: int, instruction: Compute) -> Line:
        operands = instruction.expression.operands
        exists, reads = self._resolve_operands(array, position, operands, instruction.where)
        active = exists.copy()
        follows = bool(instruction.expression.optional) and not instruction.expression.kernels[0].alone
        if follows:
            active &= np.logical_or.reduce([reads[k] != NONE for k in instruction.expression.optional])
        processes = _processes(active)
        slots = self._new_slots(array, instruction.target, processes, position=position)
        bound = _kept(reads[0], exists) if follows else self._nothing()
        bound[processes - 1] = slots
        self.versions[array, instruction.target].append((position, bound))
        aligned = tuple(read[processes - 1] for read in reads)
        return Line(instruction, array, position, processes, aligned, slots)

    def _send(
        self,
        array: int,
        position: int,
        instruction: Instruction,
        values: tuple[Value, ...],
        destinations: tuple[Destination, ...],
    ) -> Line:
        found = {value: self._lookup(array, position, Operand(value)) for value in values}
        held = {value: slots for value, (slots, _) in found.items()}
        sends = np.zeros(self.n, dtype=bool)
        transfers = []
        everyone = np.arange(1, self.n + 1, dtype=np.int32)
        for value in values:
            for to in destinations:
                targets = everyone + to.offset
                to_whom = self._mask(to.where) & (targets >= 1) & (targets <= self.n)
                lost = to_whom & found[value][1] & (held[value] == NONE)
                self._refuse_lost(array, position, Operand(value), lost)
                going = to_whom & (held[value] != NONE)
                sends |= going
                transfers.append(
                    self._transfer(array, position, value, to, everyone[going], held[value][going])
                )
        processes = everyone[sends]
        reads = tuple(
            _kept(held[value], _sends_value(transfers, value, self.n))[processes - 1] for value in values
        )
        return Line(instruction, array, position, processes, reads, transfers=tuple(transfers))

    def _transfer(
        self, array: int, position: int, value: Value, to: Destination, sources: Ints, source_slots: Ints
    ) -> Transfer:
        targets = sources + np.int32(to.offset)
        slots = self._new_slots(to.array, value, targets, position=position, origin=array, offset=-to.offset)
        if isinstance(self.program.streams[array - 1][position], Arrange):
            self._bind(array, value, position, sources, slots)
        else:
            key = (to.array, value, -to.offset)
            bound = self.delivered.setdefault(key, self._nothing())
            twice = np.flatnonzero(bound[targets - 1] != NONE)
            if len(twice):
                step = self.program.streams[array - 1][position].step
                raise InputError(
                    f"{step} sends {value.text(process=int(sources[twice[0]]))} to "
                    f"{_label(to.array, int(targets[twice[0]]))} a second time: send it once"
                )
            bound[targets - 1] = slots
        return Transfer(value, to, sources, source_slots, self.count - len(slots))

    def _wait(self, array: int, position: int, instruction: Wait) -> Line:
        mask = self._mask(instruction.where)
        reads = []
        for value in instruction.values:
            exists, (slots,) = self._resolve_operands(array, position, (Operand(value),), instruction.where)
            if instruction.where is not None and not np.array_equal(exists, mask):
                process = int(np.flatnonzero(mask & ~exists)[0]) + 1
                raise InputError(
                    f"{instruction.step} waits for {value.text(process=process)} at "
                    f"{_label(array, process)}, where it never exists: restrict the wait"
                )
            mask = mask & exists if instruction.where is None else mask
            reads.append(slots)
        processes = _processes(mask)
        return Line(instruction, array, position, processes, tuple(r[processes - 1] for r in reads))

    def _name(self, array: int, position: int, instruction: Name) -> Line:
        bound = self._nothing()
        for operand in instruction.operands:
            _, (slots,) = self._resolve_operands(array, position, (operand,), instruction.where)
            twice = np.flatnonzero((bound != NONE) & (slots != NONE))
            if len(twice):
                raise InputError(
                    f"{instruction.step} gives {instruction.target.text(process=int(twice[0]) + 1)} two "
                    f"meanings at {_label(array, int(twice[0]) + 1)}: name one value per process"
                )
            bound = np.where(slots != NONE, slots, bound)
        self.versions[array, instruction.target].append((position, bound))
        return Line(instruction, array, position, _processes(bound != NONE))


_EMPTY = np.zeros(0, dtype=np.int32)


def _processes(mask: NDArray[np.bool_]) -> Ints:
    """The processes, 1..n, that a mask over them chooses."""
    return (np.flatnonzero(mask) + 1).astype(np.int32)


def _kept(slots: Ints, chosen: NDArray[np.bool_]) -> Ints:
    """The chosen slots, NONE elsewhere."""
    return np.where(chosen, slots, np.int32(NONE))


def _sends_value(transfers: list[Transfer], value: Value, n: int) -> NDArray[np.bool_]:
    going = np.zeros(n, dtype=bool)
    for transfer in transfers:
        if transfer.value == value:
            going[transfer.sources - 1] = True
    return going


def unread(found: Flow) -> NDArray[np.int64]:
    """The slots of messages that nothing reads."""
    read = np.zeros(len(found.slots), dtype=bool)
    for line in (line for stream in found.lines for line in stream):
        for slots in line.reads:
            read[slots[slots != NONE]] = True
    return np.flatnonzero(found.slots.message & ~read)


def _refuse_unread(found: Flow) -> None:
    """A message that nothing reads is a line too much (or a line too little)."""
    for slot in unread(found).tolist()[:1]:
        fill = found.slots.fill(slot)
        step = found.program.streams[fill.origin - 1][fill.position].step
        raise InputError(
            f"{step} sends {found.slot_text(slot)} to {_label(fill.array, found.slots.process(slot))}, "
            f"but nothing reads it there: delete the Send, or read the value"
        )
