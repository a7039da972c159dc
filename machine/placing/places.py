"""Places of the values of a program: the lines that are issued, the node and first reader of every slot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from senn.machine.network.topology import Integers
from senn.machine.program import Arrange, Wait
from senn.machine.program.flow import NONE, Flow, Line, Transfer
from senn.traces.errors import InputError


@dataclass(frozen=True, eq=False)
class Places:
    """A program on the nodes of an allocation, before its messages have routes."""

    flow: Flow
    tables: Integers  # (arrays, M + 1, n)
    issued: tuple[tuple[Line, ...], ...]  # by array; the place of a line is its serial
    alias: Integers  # per slot, the slot that holds its value: another one where an Arrange was dropped
    dropped: bool  # whether any Arrange was dropped
    first_reader: Integers  # per slot that a message fills, the serial of the message's first reader
    first_worker: Integers  # of the first reader that is no Wait

    @classmethod
    def of(cls, flow: Flow, tables: Integers) -> Places:
        """The places of a flow on allocation tables; refuses a value that is at another node than its
        reader."""
        issued = tuple(
            tuple(x for x in stream if x.instruction.issued and len(x.processes) and not _stays(x, tables))
            for stream in flow.lines
        )
        alias = np.arange(len(flow.slots), dtype=np.int32)
        dropped = [line for stream in flow.lines for line in stream if _stays(line, tables)]
        for transfer in (transfer for line in dropped for transfer in line.transfers):
            alias[transfer.slots] = alias[transfer.source_slots]
        readers = _of_messages(issued, _readers(issued, alias))
        places = cls(flow, tables, issued, alias, bool(dropped), *readers)
        for stream, nodes in zip(issued, places.nodes, strict=True):
            for line, of_line in zip(stream, nodes, strict=True):
                _refuse_elsewhere(places, line, of_line)
        return places

    @cached_property
    def nodes(self) -> tuple[tuple[Integers, ...], ...]:
        """By array and serial, the nodes of the processes of a line when it executes."""
        tables = self.tables.astype(np.int32)
        return tuple(
            tuple(tables[line.array - 1, line.instruction.at, line.processes - 1] for line in stream)
            for stream in self.issued
        )

    def rows(self, line: Line, transfer: Transfer) -> Integers:
        """The row of the allocation at which each message of a transfer is read."""
        if isinstance(line.instruction, Arrange):
            return np.full(len(transfer.sources), line.instruction.stop)
        worker = self.first_worker[transfer.slots[0]]
        rows = self._rows[transfer.destination.array - 1][worker]
        return np.where(worker == NONE, line.instruction.at, rows)  # read by a Wait alone

    @cached_property
    def _rows(self) -> list[Integers]:
        """Per array, the row at which each issued instruction executes, with NONE appended."""
        return [np.array([*(line.instruction.at for line in stream), NONE]) for stream in self.issued]

    @cached_property
    def node(self) -> Integers:
        """Per slot, the node that holds its value."""
        node = np.full(len(self.alias), np.int32(NONE))
        for array, _, processes, slots in self.flow.resident:
            node[slots] = self.tables[array - 1, 0, processes - 1]
        for serial, line in ((s, line) for stream in self.issued for s, line in enumerate(stream)):
            if line.writes is not None:
                node[line.writes] = self.nodes[line.array - 1][serial]
            for transfer in line.transfers:
                table = self.tables[transfer.destination.array - 1]
                node[transfer.slots] = table[self.rows(line, transfer), transfer.targets - 1]
        return node[self.alias] if self.dropped else node


def _stays(line: Line, tables: Integers) -> bool:
    """An Arrange between equal rows is dropped."""
    instruction, table = line.instruction, tables[line.array - 1]
    return isinstance(instruction, Arrange) and np.array_equal(
        table[instruction.start], table[instruction.stop]
    )


def _readers(issued: tuple[tuple[Line, ...], ...], alias: Integers) -> tuple[Integers, Integers]:
    """Per slot, the serial of the first reader and of the first reader that is no Wait; NONE without one."""
    none = np.int32(NONE)
    first_reader, first_worker = np.full(len(alias), none), np.full(len(alias), none)
    for serial, line in ((serial, line) for stream in issued for serial, line in enumerate(stream)):
        works = not isinstance(line.instruction, Wait)
        for read in line.reads:
            slot = alias[read[read != NONE]]
            first_reader[slot[first_reader[slot] == NONE]] = serial
            if works:
                first_worker[slot[first_worker[slot] == NONE]] = serial
    return first_reader, first_worker


def _of_messages(
    issued: tuple[tuple[Line, ...], ...], readers: tuple[Integers, Integers]
) -> tuple[Integers, Integers]:
    """The `readers` of messages with several values: the first reader of one value receives all of them."""
    together = [t for stream in issued for line in stream for t in line.transfers if len(t.values) > 1]
    for serial in readers:
        no_reader = np.iinfo(serial.dtype).max
        for slots in (t.slots for t in together):
            first = np.where(serial[slots] == NONE, no_reader, serial[slots]).min(axis=0)
            serial[slots] = np.where(first == no_reader, NONE, first)
    return readers


def _refuse_elsewhere(places: Places, line: Line, nodes: Integers) -> None:
    if isinstance(line.instruction, Wait):
        return
    for read in line.reads:
        value_node = places.node[read]
        wrong = (value_node != nodes) & (read != NONE)
        if wrong.any():
            k = int(wrong.argmax())
            raise InputError(
                f"{line.instruction.step} reads {places.flow.slot_text(int(read[k]))} at node {nodes[k]}, "
                f"where process {line.processes[k]} is at row {line.instruction.at} of the allocation, "
                f"but the value is at node {value_node[k]}: Arrange it, or make the two rows of the table "
                "equal"
            )
