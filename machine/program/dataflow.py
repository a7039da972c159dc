"""The flow of values through a program: the slots that each line reads and writes, by indices alone.

For every instruction: the processes that take part (the activity mask), the slot each of them reads for every
operand, and the slots that come to be. A *slot* is one value in the memory of one process: (array, reading
process, value, writing process). A process reads values of other processes only from slots filled by
messages, so a missing Send shows here, before the first cycle:

    I.b.12 reads G_2^0 at PR_{1,1}, but no Send delivers it there

Nothing here knows a node, a route or a cycle; `senn.machine.placing.schedule` adds them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.program import (
    Arrange,
    Compute,
    Instruction,
    Name,
    Operand,
    ProcessSet,
    Program,
    Send,
    Value,
    Wait,
)
from senn.machine.program.flow import (
    NONE,
    Fill,
    Flow,
    Ints,
    Line,
    Origins,
    Slots,
    Transfer,
    consecutive,
    sent_by,
)
from senn.machine.program.subscripts import Flip, mask, reached
from senn.machine.program.values import LARGEST, cargo_text


def flow(program: Program) -> Flow:
    """Resolve masks and reads. Refuses, naming the instruction and the way out: an operand that nobody
    writes or sends, a value written twice, a message that nothing reads."""
    resolved_flow = resolved(program)
    for slot in unread(resolved_flow).tolist()[:1]:
        fill, reader, _ = resolved_flow.slots.fill(slot)
        raise InputError(
            f"{program.step(fill.origin, fill.position)} sends {resolved_flow.slot_text(slot)} to "
            f"{label(fill.array, reader)}, but nothing reads it there: delete the Send, or read the value"
        )
    return resolved_flow


def resolved(program: Program) -> Flow:
    """The flow of a program that may also send messages that nothing reads."""
    return _Resolver(program).resolve()


class _Resolver:
    """One pass over the instructions in an order in which every producer precedes its readers.

    `array` and `position` are those of the instruction in hand; position -1 is the memory at the start.
    """

    def __init__(self, program: Program) -> None:
        lines = sum(map(len, program.streams))
        if program.n > LARGEST and program.n * lines > _MOST_READS:
            raise InputError(
                f"n = {program.n}: this machine model is made for at most {LARGEST:,} links; of more it "
                "gives steps (senn steps) and runs of detail summary alone"
            )
        self.program, self.origins = program, Origins(program)
        self.array, self.position = 1, -1
        self.processes = np.arange(1, program.n + 1, dtype=np.int32)
        self.values: dict[Value, int] = {}
        self.fills: list[Fill] = []
        self.count = 0  # of the slots
        # (array, value) -> [(position, slots of processes 1..n)], one entry per version, oldest first
        self.versions: dict[tuple[int, Value], list[tuple[int, Ints]]] = defaultdict(list)
        # (array, value) -> the transfers that bring it, with the slots that they fill
        self.delivered: dict[tuple[int, Value], list[tuple[Transfer, Ints]]] = defaultdict(list)

    def resolve(self) -> Flow:
        for resident in self.program.resident:
            processes = self.processes[mask(resident.where, self.program.n)]
            for array in resident.arrays:
                self.array = array
                self._bind(resident.value, self._new_slots(array, resident.value, processes), processes)
        lines = {}
        for key in self.origins.order():
            self.array, self.position = key
            lines[key] = self._line(self.program.streams[self.array - 1][self.position])
        streams = enumerate(self.program.streams, 1)
        each = tuple(tuple(lines[array, k] for k in range(len(stream))) for array, stream in streams)
        results = {}
        for name, (array, value) in self.program.results.items():
            if not self.versions[array, value]:
                raise InputError(f"array {array} never writes {value.text()}: it cannot be a result")
            slots = self.versions[array, value][-1][1]
            results[name] = slots[slots != NONE]
        return Flow(self.program, each, tuple(self.values), Slots(tuple(self.fills)), results)

    def _line(self, instruction: Instruction) -> Line:
        if isinstance(instruction, Compute):
            return self._compute(instruction)
        if isinstance(instruction, Send | Arrange):
            return self._send(instruction)
        if isinstance(instruction, Wait):
            return self._wait(instruction)
        if isinstance(instruction, Name):
            return self._name(instruction)
        return Line(instruction, self.array, self.position, self.processes[:0])

    def _compute(self, instruction: Compute) -> Line:
        expression = instruction.expression
        exists, reads = self._operands(expression.operands, instruction.where)
        active = exists.copy()
        follows = bool(expression.optional) and not expression.kernels[0].runs_without_operands
        if follows:
            active &= np.logical_or.reduce([reads[k] != NONE for k in expression.optional])
        processes = self.processes[active]
        slots = self._new_slots(self.array, instruction.target, processes)
        bound = _kept(reads[0], exists) if follows else self._nothing()
        bound[active] = slots
        self._bind(instruction.target, bound)
        return Line(
            instruction, self.array, self.position, processes, tuple(read[active] for read in reads), slots
        )

    def _send(self, instruction: Send | Arrange) -> Line:
        lookups = {value: self._lookup(Operand(value)) for value in instruction.values}
        has = {value: slots != NONE for value, (slots, _) in lookups.items()}
        sends = np.zeros(len(self.processes), dtype=bool)
        sent = {value: sends.copy() for value in lookups}
        transfers = []
        for together, to in product(*sent_by(instruction, self.array)):
            targets, inside = reached(to.offset, self.program.n)
            senders = mask(to.where, self.program.n) & inside
            for value in together:
                self._refuse_lost(Operand(value), senders & lookups[value][1] & ~has[value])
            sending = senders & np.array([has[value] for value in together])
            sends |= (some := sending.any(axis=0))
            if not isinstance(to.offset, int | Flip):
                crowd, count = np.unique(targets[some], return_counts=True)
                for target in crowd[count > 1]:
                    first, other = self.processes[some][targets[some] == target][:2]
                    raise InputError(
                        f"{instruction.step} sends {cargo_text(together)} to {label(to.array, int(target))} "
                        f"from processes {first} and {other}: restrict it with .only(...)"
                    )
            for kinds, group in _alike(sending):
                present = tuple(value for value, there in zip(together, kinds, strict=True) if there)
                ends = self.processes[group], targets[group].astype(np.int32)
                slots = np.array([lookups[value][0][group] for value in present])
                transfer = Transfer(present, to, *ends, slots, self.count)
                transfers.append(transfer)
                for value in present:
                    sent[value] |= group
                    self._deliver(instruction, value, transfer)
        reads = tuple(_kept(lookups[value][0], sent[value])[sends] for value in instruction.values)
        place = (self.array, self.position, self.processes[sends])
        return Line(instruction, *place, reads, transfers=tuple(transfers))

    def _deliver(self, instruction: Send | Arrange, value: Value, transfer: Transfer) -> None:
        """The slots that one value of a transfer fills, under its name at the receivers."""
        array, targets = transfer.destination.array, transfer.targets
        slots = self._new_slots(array, value, targets, transfer.sources)
        if isinstance(instruction, Arrange):
            self._bind(value, slots, targets)
            return
        for earlier, _ in self.delivered[array, value]:
            came_from = np.zeros(self.program.n + 1, dtype=np.int32)
            came_from[earlier.targets] = earlier.sources
            for again in np.flatnonzero(came_from[targets] == transfer.sources):
                raise InputError(
                    f"{instruction.step} sends {value.text(process=int(transfer.sources[again]))} to "
                    f"{label(array, int(targets[again]))} a second time: send it once"
                )
        self.delivered[array, value].append((transfer, slots))

    def _wait(self, instruction: Wait) -> Line:
        waiting = mask(instruction.where, self.program.n)
        reads = []
        for value in instruction.values:
            exists, (slots,) = self._operands((Operand(value),), instruction.where)
            if instruction.where is not None and not np.array_equal(exists, waiting):
                process = int(np.flatnonzero(waiting & ~exists)[0]) + 1
                raise InputError(
                    f"{instruction.step} waits for {value.text(process=process)} at "
                    f"{label(self.array, process)}, where it never exists: restrict the wait"
                )
            waiting = waiting & exists if instruction.where is None else waiting
            reads.append(slots)
        read = tuple(slots[waiting] for slots in reads)
        return Line(instruction, self.array, self.position, self.processes[waiting], read)

    def _name(self, instruction: Name) -> Line:
        bound = self._nothing()
        for operand in instruction.operands:
            _, (slots,) = self._operands((operand,), instruction.where)
            twice = np.flatnonzero((bound != NONE) & (slots != NONE))
            if len(twice):
                raise InputError(
                    f"{instruction.step} gives {instruction.target.text(process=int(twice[0]) + 1)} two "
                    f"meanings at {label(self.array, int(twice[0]) + 1)}: name one value per process"
                )
            bound = np.where(slots != NONE, slots, bound)
        self._bind(instruction.target, bound)
        return Line(instruction, self.array, self.position, self.processes[bound != NONE])

    # -- the slots that a name means

    def _nothing(self) -> Ints:
        """No slot at any process."""
        return np.full(self.program.n, NONE, dtype=np.int32)

    def _new_slots(self, array: int, value: Value, processes: Ints, sources: Ints | None = None) -> Ints:
        """Slots of `value` at these processes of an array, which the instruction in hand fills: with messages
        from `sources`, or what the processes write themselves."""
        first, size = self.count, len(processes)
        if first + size > MOST_SLOTS:
            raise InputError(
                f"the program has more than {MOST_SLOTS:,} values and messages, counted process by process: "
                "take fewer processes"
            )
        index = self.values.setdefault(value, len(self.values))
        if size:
            writers = processes if sources is None else sources
            by_message = sources is not None
            fill = Fill(first, array, processes, writers, index, self.position, self.array, by_message)
            self.fills.append(fill)
        self.count += size
        return consecutive(first, size)

    def _bind(self, value: Value, slots: Ints, processes: Ints | None = None) -> None:
        """Add a version of a name: the slots of all processes or of some. Others keep their slots."""
        versions, bound = self.versions[self.array, value], slots
        if processes is not None:
            bound = self._nothing()
            bound[processes - 1] = slots
        if versions:
            bound = np.where(bound == NONE, versions[-1][1], bound)
        versions.append((self.position, bound))

    def _lookup(self, operand: Operand) -> tuple[Ints, NDArray[np.bool_]]:
        """The slots that processes 1..n read for an operand, and where its value exists at the writer."""
        array, position, value = self.array, self.position, operand.value
        step = self.program.step(array, position)
        versions = reversed(self.versions[array, value])
        local = next((slots for since, slots in versions if since < position), None)
        if operand.offset == 0 and self.origins.definers[array, value] and not operand.delivered:
            if local is not None:
                return local, local != NONE
            if not self.origins.senders(array, operand):  # nor did it come from another array
                raise InputError(
                    f"{step} reads {operand} in array {array} before it is written there: move the line that "
                    "writes it up"
                )
        writer = self.origins.writer(array, operand, position)
        last, history = self.origins.written(array, position, writer, value)[-1], self.versions[writer, value]
        written = next(slots for since, slots in reversed(history) if since == last) != NONE
        writers, inside = reached(operand.offset, self.program.n)
        expected = inside & written[np.where(inside, writers, 1) - 1]
        senders = self.origins.senders(array, operand)
        for sender, sent in senders:
            if sender == array and sent > position:
                raise InputError(
                    f"{step} reads {operand} in array {array}, but {self.program.step(array, sent)}, which "
                    "sends it, comes later: move it up"
                )
        delivered = self._nothing()
        for transfer, slots in self.delivered[array, value]:
            meets = transfer.targets + operand.offset == transfer.sources
            delivered[transfer.targets[meets] - 1] = slots[meets]
        if local is not None and not isinstance(operand.offset, int):  # where the reader is the writer
            delivered = np.where((writers == self.processes) & (delivered == NONE), local, delivered)
        if operand.absent is not None and senders:  # its partner may send to others only
            expected &= delivered != NONE
        return delivered, expected

    def _operands(
        self, operands: tuple[Operand, ...], where: ProcessSet | None
    ) -> tuple[NDArray[np.bool_], list[Ints]]:
        """Where all required operands exist, and the slots of every operand (NONE where there is none)."""
        lookups = [(operand, *self._lookup(operand)) for operand in operands]
        exists = mask(where, self.program.n)
        for operand, _, expected in lookups:
            if operand.absent is None:
                exists = exists & expected
        reads = []
        for operand, slots, expected in lookups:
            self._refuse_lost(operand, exists & expected & (slots == NONE))
            reads.append(_kept(slots, exists & expected))
        return exists, reads

    def _refuse_lost(self, operand: Operand, lost: NDArray[np.bool_]) -> None:
        if lost.any():
            process = int(lost.argmax()) + 1
            missing = operand.value.text(process=int(process + operand.offset))
            raise InputError(
                f"{self.program.step(self.array, self.position)} reads {missing} at "
                f"{label(self.array, process)}, but no Send delivers it there"
            )


_MOST_READS = 2**26
"""Of a program of more than LARGEST processes, the most of its processes times its instructions."""
MOST_SLOTS = 2**31 - 1
"""Slots are numbered in 32 bits."""


def label(array: int, process: int) -> str:
    return f"PR_{{{array},{process}}}"


def _kept(slots: Ints, mask: NDArray[np.bool_]) -> Ints:
    """The slots inside the mask, NONE elsewhere."""
    return np.where(mask, slots, np.int32(NONE))


def _alike(sending: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Groups of processes that send the same values, from a mask (values, processes): (values, processes).

    For a single value there is one group, its senders, even if there are none.
    """
    if len(sending) == 1:
        yield np.ones(1, dtype=bool), sending[0]
        return
    for has in np.unique(sending, axis=1).T[::-1]:
        if has.any():
            yield has, (has == sending.T).all(axis=1)


def unread(found: Flow) -> NDArray[np.int64]:
    """The slots of messages that nothing reads."""
    read = np.zeros(len(found.slots), dtype=bool)
    for line in (line for stream in found.lines for line in stream):
        for slots in line.reads:
            read[slots[slots != NONE]] = True
    return np.flatnonzero(found.slots.message & ~read)
