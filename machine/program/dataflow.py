"""The flow of values through a program: the slots that each line reads and writes, by indices alone.

For every instruction: the processes that take part (the activity mask), the slot each of them reads for
every operand, and the slots that come to be. A *slot* is one value in the memory of one process:
(array, reading process, value, writing process). What a process did not write itself it can only read
from the slot that a message filled, so a missing Send shows here, before the first cycle:

    I.b.12 reads G_2^0 at PR_{1,1}, but no Send delivers it there

Nothing here knows a node, a route or a cycle; `senn.machine.placing.schedule` adds them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
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
)
from senn.machine.program.flow import (
    NONE,
    Bindings,
    Flow,
    Line,
    Origins,
    Slots,
    Transfer,
    kept,
    label,
    processes_of,
)
from senn.machine.program.values import LARGEST


def flow(program: Program) -> Flow:
    """Resolve masks and reads. Refuses, naming the instruction and the way out: an operand that nobody
    writes or sends, a value written twice, a message that nothing reads."""
    resolved_flow = resolved(program)
    for slot in unread(resolved_flow).tolist()[:1]:
        fill, reader = resolved_flow.slots.fill(slot), resolved_flow.slots.process(slot)
        raise InputError(
            f"{program.step(fill.origin, fill.position)} sends {resolved_flow.slot_text(slot)} to "
            f"{label(fill.array, reader)}, but nothing reads it there: delete the Send, or read the value"
        )
    return resolved_flow


def resolved(program: Program) -> Flow:
    """The flow of a program that may also send messages that nothing reads."""
    return _Resolver(program).resolve()


class _Resolver:
    """One pass over the instructions in an order in which every producer precedes its readers."""

    def __init__(self, program: Program) -> None:
        lines = sum(map(len, program.streams))
        if program.n > LARGEST and program.n * lines > _MOST_READS:
            raise InputError(
                f"n = {program.n}: this machine model is made for at most {LARGEST:,} links; of more it "
                "gives steps (senn steps) and runs of detail summary alone"
            )
        self.program = program
        self.origins = Origins(program)
        self.names = Bindings(program, self.origins)

    def resolve(self) -> Flow:
        names = self.names
        for resident in self.program.resident:
            processes = processes_of(names.mask(resident.where))
            for array in resident.arrays:
                slots = names.new_slots(array, resident.value, processes, position=-1)
                names.bind(array, resident.value, -1, processes, slots)
        resolved = {key: self._line(*key) for key in self.origins.order()}
        lines = tuple(
            tuple(resolved[array, p] for p in range(len(stream)))
            for array, stream in enumerate(self.program.streams, 1)
        )
        results = {name: names.final(*result) for name, result in self.program.results.items()}
        return Flow(self.program, lines, tuple(names.values), Slots(tuple(names.fills)), results)

    def _line(self, array: int, position: int) -> Line:
        instruction = self.program.streams[array - 1][position]
        if isinstance(instruction, Compute):
            return self._compute(array, position, instruction)
        if isinstance(instruction, Send):
            return self._send(array, position, instruction, instruction.cargo, instruction.destinations)
        if isinstance(instruction, Arrange):
            return self._send(array, position, instruction, (instruction.values,), (Destination(array, 0),))
        if isinstance(instruction, Wait):
            return self._wait(array, position, instruction)
        if isinstance(instruction, Name):
            return self._name(array, position, instruction)
        return Line(instruction, array, position, _EMPTY)

    def _compute(self, array: int, position: int, instruction: Compute) -> Line:
        operands = instruction.expression.operands
        exists, reads = self.names.operands(array, position, operands, instruction.where)
        active = exists.copy()
        follows = bool(instruction.expression.optional) and not instruction.expression.kernels[0].alone
        if follows:
            active &= np.logical_or.reduce([reads[k] != NONE for k in instruction.expression.optional])
        processes = processes_of(active)
        slots = self.names.new_slots(array, instruction.target, processes, position=position)
        bound = kept(reads[0], exists) if follows else self.names.nothing()
        bound[processes - 1] = slots
        self.names.versions[array, instruction.target].append((position, bound))
        aligned = tuple(read[processes - 1] for read in reads)
        return Line(instruction, array, position, processes, aligned, slots)

    def _send(
        self,
        array: int,
        position: int,
        instruction: Instruction,
        cargo: tuple[tuple[Value, ...], ...],
        destinations: tuple[Destination, ...],
    ) -> Line:
        values = [value for together in cargo for value in together]
        lookups = {value: self.names.lookup(array, position, Operand(value)) for value in values}
        slot_of = {value: slots for value, (slots, _) in lookups.items()}
        sends = np.zeros(self.names.n, dtype=bool)
        sent = {value: np.zeros(self.names.n, dtype=bool) for value in values}
        transfers = []
        all_processes = np.arange(1, self.names.n + 1, dtype=np.int32)
        for together in cargo:
            for to in destinations:
                targets = all_processes + to.offset
                senders = self.names.mask(to.where) & (targets >= 1) & (targets <= self.names.n)
                for value in together:
                    lost = senders & lookups[value][1] & (slot_of[value] == NONE)
                    self.names.refuse_lost(array, position, Operand(value), lost)
                sending = senders & np.array([slot_of[value] != NONE for value in together])
                sends |= sending.any(axis=0)
                for has, group in _alike(sending):
                    present = [value for value, sent in zip(together, has, strict=True) if sent]
                    for offset in np.unique((targets - all_processes)[group])[::-1].tolist() or [0]:
                        part = group & (targets - all_processes == offset)
                        slots = np.array([slot_of[value][part] for value in present])
                        transfer = Transfer(
                            tuple(present), to, offset, all_processes[part], slots, self.names.count
                        )
                        for value in present:
                            sent[value] |= part
                            self._deliver(array, position, value, transfer)
                        transfers.append(transfer)
        processes = all_processes[sends]
        reads = tuple(kept(slot_of[value], sent[value])[processes - 1] for value in values)
        return Line(instruction, array, position, processes, reads, transfers=tuple(transfers))

    def _deliver(self, array: int, position: int, value: Value, transfer: Transfer) -> None:
        """The slots that one value of a transfer fills, under its name at the receivers."""
        to, sources, targets = transfer.destination, transfer.sources, transfer.targets
        slots = self.names.new_slots(
            to.array, value, targets, position=position, origin=array, offset=-to.offset
        )
        if isinstance(self.program.streams[array - 1][position], Arrange):
            self.names.bind(array, value, position, sources, slots)
        else:
            key = (to.array, value, -to.offset)
            bound = self.names.delivered.setdefault(key, self.names.nothing())
            twice = np.flatnonzero(bound[targets - 1] != NONE)
            if len(twice):
                step = self.program.step(array, position)
                raise InputError(
                    f"{step} sends {value.text(process=int(sources[twice[0]]))} to "
                    f"{label(to.array, int(targets[twice[0]]))} a second time: send it once"
                )
            bound[targets - 1] = slots

    def _wait(self, array: int, position: int, instruction: Wait) -> Line:
        mask = self.names.mask(instruction.where)
        reads = []
        for value in instruction.values:
            exists, (slots,) = self.names.operands(array, position, (Operand(value),), instruction.where)
            if instruction.where is not None and not np.array_equal(exists, mask):
                process = int(np.flatnonzero(mask & ~exists)[0]) + 1
                raise InputError(
                    f"{instruction.step} waits for {value.text(process=process)} at "
                    f"{label(array, process)}, where it never exists: restrict the wait"
                )
            mask = mask & exists if instruction.where is None else mask
            reads.append(slots)
        processes = processes_of(mask)
        return Line(instruction, array, position, processes, tuple(r[processes - 1] for r in reads))

    def _name(self, array: int, position: int, instruction: Name) -> Line:
        bound = self.names.nothing()
        for operand in instruction.operands:
            _, (slots,) = self.names.operands(array, position, (operand,), instruction.where)
            twice = np.flatnonzero((bound != NONE) & (slots != NONE))
            if len(twice):
                raise InputError(
                    f"{instruction.step} gives {instruction.target.text(process=int(twice[0]) + 1)} two "
                    f"meanings at {label(array, int(twice[0]) + 1)}: name one value per process"
                )
            bound = np.where(slots != NONE, slots, bound)
        self.names.versions[array, instruction.target].append((position, bound))
        return Line(instruction, array, position, processes_of(bound != NONE))


_EMPTY = np.zeros(0, dtype=np.int32)
_MOST_READS = 2**26
"""Of a program of more than LARGEST processes, the most of its processes times its instructions."""


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
