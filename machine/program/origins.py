"""Who defines a value and who sends it, from the text of a program alone; and an order to evaluate it in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from senn.machine.program import (
    Arrange,
    Compute,
    Instruction,
    Name,
    Operand,
    Program,
    Remark,
    Send,
    Value,
    Wait,
)
from senn.traces.errors import InputError


class Origins:
    """Positions of the lines that define and that send each value; -1 is the memory at the start.

    Refuses a value that is written twice and a send to an array that the program has not.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.definers: dict[tuple[int, Value], list[int]] = defaultdict(list)
        # (receiving array, value, writer - reader) -> [(sending array, position)]
        self.senders: dict[tuple[int, Value, int], list[tuple[int, int]]] = defaultdict(list)
        for resident in program.resident:
            for array in resident.arrays:
                self._define(array, resident.value, -1, "the memory at the start")
        for array, stream in enumerate(program.streams, 1):
            for position, instruction in enumerate(stream):
                self._scan(array, position, instruction)

    def _scan(self, array: int, position: int, instruction: Instruction) -> None:
        if isinstance(instruction, Compute | Name):
            self._define(array, instruction.target, position, instruction.step)
        elif isinstance(instruction, Arrange):
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
                    self.senders[to.array, value, -to.offset].append((array, position))

    def _define(self, array: int, value: Value, position: int, step: str) -> None:
        earlier = self.definers[array, value]
        if earlier:
            first = (
                "the memory at the start"
                if earlier[0] < 0
                else self.program.streams[array - 1][earlier[0]].step
            )
            raise InputError(
                f"{step} writes {value.text()} in array {array}, but {first} wrote it before: "
                f"a value is written once, so give one of them another name"
            )
        earlier.append(position)

    def order(self) -> Iterator[tuple[int, int]]:
        """All lines, (array, position), every producer before its readers; a circle is refused."""
        graph: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for array, stream in enumerate(self.program.streams, 1):
            for position, instruction in enumerate(stream):
                needs: list[tuple[int, int]] = []
                for operand in operands_of(instruction):
                    needs += self._producers(array, position, operand)
                graph[array, position] = [need for need in needs if need[1] >= 0]
        try:
            yield from TopologicalSorter(graph).static_order()
        except CycleError as error:
            steps = " -> ".join(
                f"{self.program.streams[a - 1][p].step} (array {a})" for a, p in reversed(error.args[1])
            )
            raise InputError(
                f"the program needs a value to compute itself: {steps}; break the circle"
            ) from None

    def _producers(self, array: int, position: int, operand: Operand) -> list[tuple[int, int]]:
        own = [p for p in self.definers[array, operand.value] if p < position]
        if operand.offset == 0 and own and not operand.delivered:
            return [(array, own[-1])]
        senders = self.senders[array, operand.value, operand.offset]
        writer = self.writer(array, operand, position)
        return [*senders, (writer, self.definers[writer, operand.value][0])]

    def writer(self, array: int, operand: Operand, position: int) -> int:
        """The array whose value is meant: that of the Send; without a Send the own one, then any other."""
        senders = self.senders[array, operand.value, operand.offset]
        candidates: list[int] = [*(a for a, _ in senders), array, *range(1, self.program.arrays + 1)]
        for candidate in candidates:
            if self.definers[candidate, operand.value]:
                return candidate
        step = self.program.streams[array - 1][position].step
        raise InputError(
            f"{step} reads {operand} in array {array}, but no instruction writes it and it is not in "
            f"memory at the start: compute it before, or declare it resident"
        )


def operands_of(instruction: Instruction) -> tuple[Operand, ...]:
    """What an instruction reads, as written."""
    if isinstance(instruction, Compute):
        return instruction.expression.operands
    if isinstance(instruction, Name):
        return instruction.operands
    if isinstance(instruction, Send | Arrange | Wait):
        return tuple(Operand(value) for value in instruction.values)
    assert isinstance(instruction, Remark)
    return ()
