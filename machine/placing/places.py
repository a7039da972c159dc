"""Where the values of a program are: which lines are issued, the node of every slot, who reads it first."""

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
    same: Integers  # per slot the one that its value is in: another where an Arrange was dropped
    dropped: bool  # whether any was
    first_reader: Integers  # per slot that a message fills, the serial of the message's first reader
    first_worker: Integers  # of the first reader that is no Wait

    @classmethod
    def of(cls, flow: Flow, tables: Integers) -> Places:
        """Refuses a value that is at another node than its reader."""
        issued = tuple(
            tuple(line for line in stream if _issued(line) and not _stays(line, tables))
            for stream in flow.lines
        )
        same = np.arange(len(flow.slots), dtype=np.int32)
        dropped = [line for stream in flow.lines for line in stream if _stays(line, tables)]
        for transfer in (transfer for line in dropped for transfer in line.transfers):
            same[transfer.slots] = same[transfer.source_slots]
        readers = _of_messages(issued, _readers(issued, same))
        found = cls(flow, tables, issued, same, bool(dropped), *readers)
        for line in (line for stream in issued for line in stream):
            _refuse_elsewhere(found, line)
        return found

    def nodes(self, line: Line) -> Integers:
        """Where the processes of a line are when it executes."""
        nodes: Integers = self.tables[line.array - 1, line.instruction.at, line.processes - 1]
        return nodes.astype(np.int32)

    def rows(self, line: Line, transfer: Transfer) -> Integers:
        """The row of the allocation at which each message of a transfer is read."""
        if isinstance(line.instruction, Arrange):
            return np.full(len(transfer.sources), line.instruction.stop)
        worker = self.first_worker[transfer.slots[0]]
        rows = self._rows[transfer.destination.array - 1][worker]
        return np.where(worker == NONE, line.instruction.at, rows)  # read by a Wait alone

    @cached_property
    def _rows(self) -> list[Integers]:
        """By array: at which row each instruction that is issued executes, and one for none."""
        return [np.array([*(line.instruction.at for line in stream), NONE]) for stream in self.issued]

    @cached_property
    def node(self) -> Integers:
        """Of every slot that is filled on its own."""
        node = np.full(len(self.same), np.int32(NONE))
        for array, _, processes, held in self.flow.resident:
            node[held] = self.tables[array - 1, 0, processes - 1]
        for line in (line for stream in self.issued for line in stream):
            if line.writes is not None:
                node[line.writes] = self.nodes(line)
            for transfer in line.transfers:
                table = self.tables[transfer.destination.array - 1]
                node[transfer.slots] = table[self.rows(line, transfer), transfer.targets - 1]
        return node


def _issued(line: Line) -> bool:
    return line.instruction.issued and len(line.processes) > 0


def _stays(line: Line, tables: Integers) -> bool:
    """An Arrange between equal rows is dropped."""
    instruction, table = line.instruction, tables[line.array - 1]
    return isinstance(instruction, Arrange) and np.array_equal(
        table[instruction.start], table[instruction.stop]
    )


def _readers(issued: tuple[tuple[Line, ...], ...], same: Integers) -> tuple[Integers, Integers]:
    """Of every slot the serial of the first reader, and of the first that is no Wait, or NONE."""
    none = np.int32(NONE)
    first_reader, first_worker = np.full(len(same), none), np.full(len(same), none)
    for serial, line in ((serial, line) for stream in issued for serial, line in enumerate(stream)):
        works = not isinstance(line.instruction, Wait)
        for read in line.reads:
            slot = same[read[read != NONE]]
            first_reader[slot[first_reader[slot] == NONE]] = serial
            if works:
                first_worker[slot[first_worker[slot] == NONE]] = serial
    return first_reader, first_worker


def _of_messages(
    issued: tuple[tuple[Line, ...], ...], readers: tuple[Integers, Integers]
) -> tuple[Integers, Integers]:
    """The same of every message: whoever first reads one of its values takes all of them."""
    together = [t for stream in issued for line in stream for t in line.transfers if len(t.values) > 1]
    for serial in readers:
        late = np.iinfo(serial.dtype).max
        for slots in (t.slots for t in together):
            first = np.where(serial[slots] == NONE, late, serial[slots]).min(axis=0)
            serial[slots] = np.where(first == late, NONE, first)
    return readers


def _refuse_elsewhere(places: Places, line: Line) -> None:
    if isinstance(line.instruction, Wait):
        return
    here = places.nodes(line)
    for read in line.reads:
        there = places.node[places.same[read]]
        wrong = np.flatnonzero((read != NONE) & (there != here))
        if len(wrong):
            k = int(wrong[0])
            raise InputError(
                f"{line.instruction.step} reads {places.flow.slot_text(int(read[k]))} at node {here[k]}, "
                f"where process {line.processes[k]} is at row {line.instruction.at} of the allocation, "
                f"but the value is at node {there[k]}: Arrange it, or make the two rows of the table "
                "equal"
            )
