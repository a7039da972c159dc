"""`place`: a program, an allocation and a machine become a schedule - still only data, checked.

For every instruction that will be issued: who takes part, at which node each process sits at this level,
which messages it waits for, which it posts, and by which channels they travel. What
cannot run is refused here, before the first cycle, in the user's terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.model import Machine
from senn.machine.network.arrays import Wiring, take
from senn.machine.network.topology import Channels, Integers, Paths, slots
from senn.machine.placing import allocation as allocations
from senn.machine.placing.messages import Common, Messages
from senn.machine.placing.routes import Routes
from senn.machine.program import Arrange, Program, Wait
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import NONE, Flow, Line, Transfer
from senn.traces.errors import InputError


@dataclass(frozen=True, eq=False)
class Task:
    """One instruction that will be issued. Arrays are aligned with `line.processes` unless they are per lane.

    A lane is a node that takes part, for one process or for several.
    """

    line: Line
    serial: int
    nodes: Integers
    reads: tuple[Integers, ...]  # per operand the slot read, -1 where absent
    needs: Integers  # ids of the messages whose first reader this is, ascending
    taken: int  # the most of them that one lane takes
    posts: range  # ids of the messages it posts
    lanes: Integers  # the nodes that take part, ascending
    load: Integers  # per lane, how many processes it acts for

    @property
    def array(self) -> int:
        return self.line.array

    @property
    def step(self) -> str:
        return self.line.instruction.step

    def per_lane(self, counts: Integers) -> Integers:
        """Sums over the processes of each lane."""
        sums = np.zeros(len(self.lanes), dtype=np.int64)
        np.add.at(sums, np.searchsorted(self.lanes, self.nodes), counts)
        return sums


@dataclass(frozen=True, eq=False)
class Schedule:
    """A program placed: the tasks of each array's control unit and the messages between their lanes."""

    flow: Flow
    allocation: Integers  # (arrays, M + 1, n)
    placed_on: Mapping[str, str | int | bool]  # the fields of the machine that were read
    wiring: Wiring
    tasks: tuple[tuple[Task, ...], ...]
    messages: Messages
    slot_node: Integers
    results: Mapping[str, Integers]  # by name, the slots of a result, one per process that has it

    @property
    def program(self) -> Program:
        return self.flow.program

    def describe(self) -> dict[str, Any]:
        """Program, allocation, nodes of an array and network steps, for run.json.

        The allocation is `table`, M + 1 rows of nodes, or `tables` where the arrays have different ones.
        """
        p, first = self.program, self.allocation[0]
        shared = bool((self.allocation == first).all())
        return {
            "program": {
                "name": p.name,
                "n": p.n,
                **{name: x for name, x in p.about.items() if isinstance(x, str | int)},
            },
            "allocation": {"table": first.tolist()} if shared else {"tables": self.allocation.tolist()},
            "schedule": {"nodes": self.wiring.nodes, "network_steps": self.network_steps()},
        }

    def network_steps(self) -> int:
        """Sum over sends and arranges of the slots that the messages of that instruction alone need:
        one message per channel and slot, first come first served."""
        return sum(self.slots)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slots that the messages of each task alone need, array by array."""
        posting = (task.posts for tasks in self.tasks for task in tasks)
        return tuple(slots(self.messages.paths.part(p)) for p in posting)


def place(program: Program | Flow, allocation: ArrayLike, machine: Machine) -> Schedule:
    """Place `program` on `machine` with `allocation`, a table (M + 1, n) of nodes or one for each array.

    Who places one program often gives its flow, which depends neither on the machine nor on the table.
    Raises InputError where the schedule could not run: an operand that nobody sends, a value that is at
    another node than its reader, a value written twice, a message that nothing reads, a bad table.
    """
    found = program if isinstance(program, Flow) else flow(program)
    said = found.program
    if machine.arrays_at_once and said.arrays > machine.arrays_at_once:
        raise InputError(
            f"the program runs on {said.arrays} arrays at once, but machine {machine.name} has "
            f"{machine.arrays_at_once}: take a program of fewer arrays, or set machine.arrays_at_once"
        )
    network = machine.network_for(said.levels)
    tables = allocations.check(allocation, said.n, network.nodes, said.arrays)
    return _Placer(found, tables, machine, network).place()


class _Placer:
    def __init__(self, found: Flow, tables: Integers, machine: Machine, network: Channels) -> None:
        self.flow, self.tables, self.machine, self.network = found, tables, machine, network
        size = len(found.slots)
        self.same = np.arange(size, dtype=np.int32)  # the slot that a dropped Arrange leaves a value in
        self.dropped = False  # whether any was
        none = np.int32(NONE)
        self.first_reader = np.full(size, none)  # serial of the first reader of a message's slot
        self.reader_row = np.full(size, none)  # row at which the first reader that is no Wait executes
        self.node = np.full(size, none)
        # By array and row of the allocation: the place of each process in the order of nodes and processes.
        self.turns: dict[tuple[int, int], Integers] = {}

    def place(self) -> Schedule:
        issued = [[line for line in stream if self._issued(line)] for stream in self.flow.lines]
        self._drop()
        for stream in issued:
            for serial, line in enumerate(stream):
                self._note_readers(serial, line)
        self._locate(issued)
        routes = Routes(self.tables, self.network, self.machine.routing)
        messages = self._messages(issued, routes)
        message_of = np.full(len(self.same), NONE, dtype=np.int32)
        message_of[messages.slot] = np.arange(len(messages), dtype=np.int32)
        posts = _ranges(issued)
        tasks = tuple(
            tuple(self._task(s, line, message_of, posts[line.array, s]) for s, line in enumerate(stream))
            for stream in issued
        )
        return Schedule(
            flow=self.flow,
            allocation=self.tables,
            placed_on=self.machine.network_fields(),
            wiring=routes.wiring,
            tasks=tasks,
            messages=messages,
            slot_node=self.node[self.same] if self.dropped else self.node,
            results={name: self.same[slots] for name, slots in self.flow.results.items()},
        )

    # -- what is issued

    def _issued(self, line: Line) -> bool:
        return line.instruction.issued and len(line.processes) > 0 and not self._stays(line)

    def _stays(self, line: Line) -> bool:
        """An Arrange between equal rows is dropped."""
        instruction, table = line.instruction, self.tables[line.array - 1]
        return isinstance(instruction, Arrange) and np.array_equal(
            table[instruction.start], table[instruction.stop]
        )

    def _drop(self) -> None:
        for line in (line for stream in self.flow.lines for line in stream if self._stays(line)):
            self.dropped = True
            for transfer in line.transfers:
                self.same[transfer.slots] = self.same[transfer.source_slots]

    # -- where values are

    def _note_readers(self, serial: int, line: Line) -> None:
        row = NONE if isinstance(line.instruction, Wait) else line.instruction.at
        for read in line.reads:
            slot = self.same[read[read != NONE]]
            self.first_reader[slot[self.first_reader[slot] == NONE]] = serial
            if row != NONE:
                self.reader_row[slot[self.reader_row[slot] == NONE]] = row

    def _locate(self, issued: list[list[Line]]) -> None:
        for array, _, processes, held in self.flow.resident:
            self.node[held] = self.tables[array - 1, 0, processes - 1]
        for line in (line for stream in issued for line in stream):
            if line.writes is not None:
                self.node[line.writes] = self._nodes(line)
            for transfer in line.transfers:
                table = self.tables[transfer.destination.array - 1]
                self.node[transfer.slots] = table[self._rows(line, transfer), transfer.targets - 1]
        for line in (line for stream in issued for line in stream):
            self._refuse_elsewhere(line)

    def _nodes(self, line: Line) -> Integers:
        """Where the processes of a line are when it executes."""
        nodes: Integers = self.tables[line.array - 1, line.instruction.at, line.processes - 1]
        return nodes.astype(np.int32)

    def _rows(self, line: Line, transfer: Transfer) -> Integers:
        """The row of the allocation at which each message of a transfer is read."""
        if isinstance(line.instruction, Arrange):
            return np.full(len(transfer.slots), line.instruction.stop)
        rows = self.reader_row[transfer.slots]
        return np.where(rows == NONE, line.instruction.at, rows)  # read by a Wait alone

    def _refuse_elsewhere(self, line: Line) -> None:
        if isinstance(line.instruction, Wait):
            return
        here = self._nodes(line)
        for read in line.reads:
            there = self.node[self.same[read]]
            wrong = np.flatnonzero((read != NONE) & (there != here))
            if len(wrong):
                k = int(wrong[0])
                raise InputError(
                    f"{line.instruction.step} reads {self.flow.slot_text(int(read[k]))} at node {here[k]}, "
                    f"where process {line.processes[k]} is at row {line.instruction.at} of the allocation, "
                    f"but the value is at node {there[k]}: Arrange it, or make the two rows of the table "
                    "equal"
                )

    # -- messages

    def _messages(self, issued: list[list[Line]], routes: Routes) -> Messages:
        posting = [(s, line) for stream in issued for s, line in enumerate(stream) if line.transfers]
        sizes = [sum(len(t.sources) for t in line.transfers) for _, line in posting]
        columns = np.empty((7, sum(sizes)), dtype=np.int32)
        hops, channels = [], []
        transfer = end = 0
        for (_, line), size in zip(posting, sizes, strict=True):
            paths = self._line_messages(line, transfer, routes, columns[:, end : end + size])
            hops.append(paths.hops.astype(np.int32))
            channels.append(paths.channels.astype(np.int32))
            transfer += len(line.transfers)
            end += size
        none = np.zeros(0, dtype=np.int32)
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([none, *hops]))])
        common = Common.of(posting, self.flow.values)
        return Messages(Paths(offsets, np.concatenate([none, *channels])), common, *columns)

    def _line_messages(self, line: Line, transfer: int, routes: Routes, columns: Integers) -> Paths:
        """Fill in the messages of one line in id order, the columns of Messages; their routes."""
        at = line.instruction.at
        by_id = self._by_id(line)
        parts, paths = [], []
        for rank, t in enumerate(line.transfers):
            source_node = self.tables[line.array - 1, at, t.sources - 1]
            slots, rows = t.slots, self._rows(line, t)
            paths.append(
                routes.route(line.array, t.destination.array, at, t.destination.offset, t.sources, rows)
            )
            part = (
                np.full(len(slots), transfer + rank, dtype=np.int32),
                t.sources,
                source_node,
                self.node[slots],
                self.same[t.source_slots],
                slots,
                self.first_reader[slots],
            )
            parts.append(part)
        for column, of_transfers in zip(columns, zip(*parts, strict=True), strict=True):
            column[:] = np.concatenate(of_transfers)[by_id]
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([p.hops for p in paths]))])
        return take(Paths(offsets, np.concatenate([p.channels for p in paths])), by_id)

    def _by_id(self, line: Line) -> Integers:
        """The messages of a line, counted transfer by transfer, in the order of their ids: by source node,
        source process and transfer."""
        key = line.array - 1, line.instruction.at
        if key not in self.turns:
            nodes = self.tables[key]
            self.turns[key] = np.empty(len(nodes), dtype=np.int32)
            self.turns[key][np.argsort(nodes, kind="stable")] = np.arange(len(nodes))
        turns = self.turns[key]
        found = np.full((len(turns), len(line.transfers)), NONE, dtype=np.int32)
        count = 0
        for rank, t in enumerate(line.transfers):
            found[turns[t.sources - 1], rank] = np.arange(count, count + len(t.sources))
            count += len(t.sources)
        by_id: Integers = found[found != NONE]
        return by_id

    # -- tasks

    def _is_first(self, read: Integers, serial: int) -> NDArray[np.bool_]:
        """Where a message is taken: by the first instruction that reads it."""
        first: NDArray[np.bool_] = self.first_reader[read] == serial
        first &= (read != NONE) & self.flow.slots.message[read]
        return first

    def _task(self, serial: int, line: Line, message_of: Integers, posts: range) -> Task:
        reads = line.reads
        if self.dropped:
            reads = tuple(np.where(read == NONE, np.int32(NONE), self.same[read]) for read in reads)
        firsts = [np.where(self._is_first(read, serial), read, np.int32(NONE)) for read in reads]
        firsts = [first for first in firsts if first.max(initial=NONE) != NONE]
        nodes = self._nodes(line)
        load = np.bincount(nodes)
        lanes = np.flatnonzero(load).astype(np.int32)
        folded = int(load.max()) > 1
        return Task(
            line=line,
            serial=serial,
            nodes=nodes,
            reads=reads,
            needs=_ascending(message_of[first[first != NONE]] for first in firsts),
            taken=_most_taken(firsts, nodes),
            posts=posts,
            lanes=lanes,
            load=load[lanes] if folded else np.broadcast_to(np.int64(1), len(lanes)),
        )


def _ascending(messages: Iterable[Integers]) -> Integers:
    """All of them, each once."""
    found = np.sort(np.concatenate([_NO_MESSAGES, *messages]))
    return found if len(found) < 2 else found[np.r_[True, found[1:] != found[:-1]]]


def _most_taken(firsts: list[Integers], nodes: Integers) -> int:
    """The most messages that one node takes; one that a process reads twice counts once."""
    if not firsts:
        return 0
    slots = np.sort(np.stack(firsts), axis=0) if len(firsts) > 1 else firsts[0][None]
    new = slots != NONE
    new[1:] &= slots[1:] != slots[:-1]
    return int(np.bincount(nodes, np.count_nonzero(new, axis=0)).max(initial=0))


_NO_MESSAGES = np.zeros(0, dtype=np.int32)


def _ranges(issued: list[list[Line]]) -> dict[tuple[int, int], range]:
    """The ids of the messages that each task posts: consecutive, in the order (array, serial)."""
    keys = [(line.array, serial) for stream in issued for serial, line in enumerate(stream)]
    sizes = [sum(len(t.slots) for t in line.transfers) for stream in issued for line in stream]
    ends = np.cumsum(sizes).tolist()
    return {key: range(end - size, end) for key, size, end in zip(keys, sizes, ends, strict=True)}
