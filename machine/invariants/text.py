"""The messages that the text of a program asks for, read process by process.

Instructions, operands and the allocation say who sends what to whom, and which node works for which process.
Every process is a memory; a message goes from one to the other as soon as its Send is reached, and belongs to
the first that reads it. Nothing here comes from `senn.machine.placing` or from the flow that it places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from senn.machine.engines.memory import Violation
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
from senn.machine.program.flow import operands_of
from senn.machine.program.subscripts import Offset, mask, meet, reached

Tables = list[list[list[int]]]
"""Nodes by array, row of the allocation, and process, all from 0."""


@dataclass(eq=False, slots=True)
class Message:
    """Values that a line of one process sends to a process, and what first reads them."""

    array: int
    serial: int
    node: int
    process: int  # from 0
    turn: tuple[int, int]  # of the cargos and of the destinations of its line
    values: tuple[Value, ...]
    to: Destination
    at: int  # the row of the allocation at which it is sent
    row: int | None  # and at which it is read; None: by nothing but a Wait
    read_by: int | None = None
    works: bool = False  # whether anything but a Wait reads it

    @property
    def target(self) -> int:
        """The receiving process, from 0."""
        return int(self.process + 1 + self.to.offset) - 1


Copies: TypeAlias = list[int | Message | None]
"""What each process has of a value: the node where it wrote it, or the message that brought it."""


@dataclass(eq=False)
class Text:
    """A program read process by process: its messages in the order of their ids, and its issued lines."""

    program: Program
    tables: Tables
    messages: list[Message] = field(default_factory=list)
    # (array, serial) -> the line and the processes that take part, from 0
    issued: dict[tuple[int, int], tuple[Instruction, list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        streams = self.program.streams
        self.own: dict[tuple[int, Value], Copies] = {}
        # (array, value) -> (reader, writer), from 1 -> the message
        self.arrived: dict[tuple[int, Value], dict[tuple[int, int], Message]] = defaultdict(dict)
        self.senders: dict[tuple[int, Value], list[tuple[int, int, Offset]]] = defaultdict(list)
        self.position, self.serial = [0] * len(streams), [0] * len(streams)
        for resident in self.program.resident:
            for array in resident.arrays:
                homes = self.own.setdefault((array, resident.value), [None] * self.program.n)
                for i in np.flatnonzero(mask(resident.where, self.program.n)).tolist():
                    homes[i] = self.tables[array - 1][0][i]
        for array, stream in enumerate(streams):
            for position, line in enumerate(stream):
                for to in line.destinations if isinstance(line, Send) else ():
                    for x in operands_of(line):
                        self.senders[to.array, x.value].append((array, position, to.offset))
        while any(self._goes_on(array) for array in range(len(streams))):
            pass
        for position, stream in zip(self.position, streams, strict=True):
            if position < len(stream):
                raise Violation(f"I14: {stream[position].step} reads what is never sent")
        self.messages.sort(key=lambda m: (m.array, m.serial, m.node, m.process, m.turn))

    def nodes(self, key: tuple[int, int]) -> list[int]:
        """The nodes of the processes of an issued line."""
        line, processes = self.issued[key]
        return [self.tables[key[0] - 1][line.at][i] for i in processes]

    def places(self, m: Message) -> list[tuple[int, bool]]:
        """The nodes to which a message goes one after the other: that of its reader at the row of its sender,
        then at every row up to that at which it is read (each with True); an earlier row but 0 directly."""
        table, last = self.tables[m.to.array - 1], m.at if m.row is None else m.row
        row, places = m.at, [(table[m.at][m.target], False)]
        while row != last:
            moves = not 0 < last < row
            row = (row + 1) % (self.program.levels + 1) if moves else last
            places.append((table[row][m.target], moves))
        return places

    def _goes_on(self, k: int) -> bool:
        """Read array k + 1 on, up to a line that needs what another array has not sent yet."""
        stream, begun = self.program.streams[k], self.position[k]
        for line in stream[begun:]:
            needed = [x for x in operands_of(line) if not self._is_own(k + 1, x)]
            if any(
                array != k and position >= self.position[array] and meet(sent, x.offset, self.program.n)
                for x in needed
                for array, position, sent in self.senders[k + 1, x.value]
            ):
                break
            copies = [self._copies(k + 1, x) for x in operands_of(line)]
            if isinstance(line, Send | Arrange):
                processes = self._sent(k + 1, line, copies)
            else:
                processes = self._computed(k + 1, line, copies)
            if line.issued and processes:
                self.issued[k + 1, self.serial[k]] = line, processes
                self.serial[k] += 1
            self.position[k] += 1
        return self.position[k] > begun

    def _is_own(self, array: int, x: Operand) -> bool:
        return not x.offset and not x.delivered and (array, x.value) in self.own

    def _copies(self, array: int, x: Operand) -> Copies:
        homes = self.own.get((array, x.value), [None] * self.program.n)
        if self._is_own(array, x):
            return homes
        pairs = [*enumerate(reached(x.offset, self.program.n)[0].tolist(), 1)]
        mine = [
            homes[i - 1] if i == writer and not isinstance(x.offset, int) else None for i, writer in pairs
        ]
        arrived = self.arrived[array, x.value]
        return [arrived.get(pair, copy) for pair, copy in zip(pairs, mine, strict=True)]

    def _computed(self, array: int, line: Instruction, copies: list[Copies]) -> list[int]:
        """The processes that take part in a line that sends nothing: they have what it needs."""
        where, operands = mask(getattr(line, "where", None), self.program.n), operands_of(line)
        optional = [k for k, x in enumerate(operands) if x.absent]
        passes = (
            isinstance(line, Compute) and optional and not line.expression.kernels[0].runs_without_operands
        )
        processes: list[int] = []
        written: Copies = [None] * self.program.n
        if isinstance(line, Compute | Name):
            written = self.own.setdefault((array, line.target), written)
        for i in np.flatnonzero(where).tolist():
            mine = [copy[i] for copy in copies]
            if isinstance(line, Name):
                written[i] = next((copy for copy in mine if copy is not None), None)
            elif any(copy is None and not x.absent for copy, x in zip(mine, operands, strict=True)):
                continue
            elif passes and all(mine[k] is None for k in optional):
                written[i] = mine[0]  # another name of its first operand
            else:
                written[i] = self.tables[array - 1][line.at][i]
                processes.append(i)
                self._read(array, line, i, mine)
        return processes

    def _sent(self, array: int, line: Send | Arrange, copies: list[Copies]) -> list[int]:
        """The processes that send: they have at least one of the values, and the destination exists."""
        copy_of = {x.value: copy for x, copy in zip(operands_of(line), copies, strict=True)}
        table, row, processes = self.tables[array - 1], None, set()
        if isinstance(line, Send):
            cargos, destinations = line.cargo, line.destinations
        else:
            cargos, destinations, row = (line.values,), (Destination(array, 0),), line.stop
            self.own.update({(array, value): [*copy] for value, copy in copy_of.items()})
            if table[line.start] == table[line.stop]:
                return []  # all are there already
        for a, values in enumerate(cargos):
            for b, to in enumerate(destinations):
                _, inside = reached(to.offset, self.program.n)
                for i in np.flatnonzero(mask(to.where, self.program.n) & inside).tolist():
                    if cargo := tuple(value for value in values if copy_of[value][i] is not None):
                        serial, node = self.serial[array - 1], table[line.at][i]
                        message = Message(array, serial, node, i, (a, b), cargo, to, line.at, row)
                        self.messages.append(message)
                        self._read(array, line, i, [copy_of[value][i] for value in cargo])
                        for value in cargo:
                            if row is None:
                                self.arrived[to.array, value][message.target + 1, i + 1] = message
                            else:
                                self.own[array, value][i] = message
                        processes.add(i)
        return sorted(processes)

    def _read(self, array: int, line: Instruction, i: int, copies: Iterable[int | Message | None]) -> None:
        table = self.tables[array - 1]
        for copy in copies:
            there = copy
            if isinstance(copy, Message):
                copy.read_by = self.serial[array - 1] if copy.read_by is None else copy.read_by
                if not isinstance(line, Wait):
                    copy.works, copy.row = True, line.at if copy.row is None else copy.row
                    there = table[copy.row][i]
            if not isinstance(line, Wait) and there not in (None, table[line.at][i]):
                raise Violation(
                    f"I14: {line.step} reads at node {table[line.at][i]} what process {i + 1} has at {there}"
                )
