"""The messages of a schedule and their routes, and the places of the values that they carry.

Ids count in the order (array, serial, source node, source process, values, destinations as written). A
message goes to the node where its first reader executes. It is routed between the two processes' places at
the sender's level and, if the reader is at a later level, on from there by one un-shuffle per level: a source
route, never shortened (a network without shuffle wires routes these moves as well). Row 0 of the allocation
counts as row M + 1 when it is reached from row M. All hops inside the source array come first, vertical hops
last: a message to another array first goes to the node number that its reader has there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from senn.base.errors import InputError
from senn.machine.network.arrays import Wiring, join, take
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Paths, Truth, unshuffle
from senn.machine.program import Arrange, Wait
from senn.machine.program.flow import NONE, Flow, Line, Transfer
from senn.machine.program.values import cargo_text

if TYPE_CHECKING:
    from senn.machine.program import Value


@dataclass(frozen=True, eq=False)
class Common:
    """Fields shared by all messages of a transfer: a row per transfer, in the order of the streams."""

    cargos: tuple[tuple[Value, ...], ...]  # the values that some message carries, each kind once
    array: Integers
    serial: Integers
    cargo: Integers  # index into `cargos`
    words: Integers
    target_array: Integers

    @cached_property
    def carried(self) -> Integers:
        """Per transfer, the number of values that a message carries."""
        return np.array([len(values) for values in self.cargos], dtype=np.int32)[self.cargo]


def _of_transfer(field: str) -> cached_property[Integers]:
    """A column of messages: a field of `Common` that all messages of a transfer share."""
    return cached_property(lambda messages: getattr(messages.common, field)[messages.transfer])


@dataclass(frozen=True, eq=False)
class Messages:
    """Columns by id; fields shared by a transfer become columns at first use.

    `source_slot` and `slot` have a row for every value that a message carries; `carrier` is its message.
    """

    paths: Paths  # channels of the wiring
    common: Common
    transfer: Integers  # row of `common`
    source_process: Integers
    target_process: Integers
    source_node: Integers
    target_node: Integers
    read_by: Integers  # serial of the first reader in the target array
    source_slot: Integers
    slot: Integers

    def __len__(self) -> int:
        return len(self.transfer)

    @cached_property
    def carrier(self) -> Integers:
        """The messages, each as often as it carries values: aligned with `slot`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.common.carried[self.transfer])

    source_array = _of_transfer("array")
    target_array = _of_transfer("target_array")
    words = _of_transfer("words")
    serial = _of_transfer("serial")  # of the posting instruction in its array
    cargo = _of_transfer("cargo")  # index into the cargos of `common`

    def values(self, message: int) -> tuple[Value, ...]:
        """The values that a message carries."""
        return self.common.cargos[int(self.common.cargo[self.transfer[message]])]

    def text(self, message: int) -> str:
        """The cargo of a message as printed, with the process that wrote it."""
        return cargo_text(self.values(message), int(self.source_process[message]))


# ------------------------------------------------------------ routes


class Routes:
    """Routes over the allocation tables (arrays, M + 1, n); routes are cached."""

    def __init__(self, tables: Integers, network: Channels, routing: Routing) -> None:
        self.tables = tables
        self.last = tables.shape[1] - 1  # M
        self.router = Router(network, routing)
        self.wiring = Wiring(network, len(tables))
        # Per array, the first array with the same table: their routes are equal.
        self._like = [int((tables == table).all(axis=(1, 2)).argmax()) for table in tables]
        self._shifts: dict[tuple[int, int, int, int], Paths] = {}
        self._moves: dict[tuple[int, int, int], Paths] = {}

    def route(
        self, array: int, towards: int, at: int, sources: Integers, targets: Integers, rows: Integers
    ) -> Paths:
        """Wiring channels from the processes `sources` of `array`, at row `at`, to `targets` of array
        `towards`, which read at rows `rows`."""
        source, target = self._like[array - 1], self._like[towards - 1]
        segments = [self._first(source, target, at, sources, targets)]
        row = np.full(len(sources), at)
        while np.any(row != rows):
            current = int(row[row != rows][0])  # rows of one transfer start together and stop one by one
            moving = (row == current) & (rows != current)
            direct = moving & (rows < current) & (rows > 0)
            following = self.last and (current + 1) % (self.last + 1)
            segments.append(_masked(self._move(target, current, following), targets - 1, moving & ~direct))
            row = np.where(moving & ~direct, following, row)
            if direct.any():  # back to an earlier level: no un-shuffle leads there
                places = self.tables[target]
                here = places[row, targets - 1]
                segments.append(self.router.paths(here, np.where(direct, places[rows, targets - 1], here)))
                row = np.where(direct, rows, row)
        inside = join(*segments)
        inside = Paths(inside.offsets, self.wiring.inside(array, inside.channels))
        if array == towards:
            return inside
        step = 1 if towards > array else -1
        end = self.tables[target, rows, targets - 1]
        once = np.ones_like(end)
        down = [Paths.of(once, self.wiring.vertical(k, k + step, end)) for k in range(array, towards, step)]
        return join(inside, *down)

    def _first(self, source: int, target: int, at: int, sources: Integers, targets: Integers) -> Paths:
        """From the places of `sources` in one table to those of `targets` in another, both at row `at`.

        Routes over one distance h are made for all processes together, all +h in rising process, then all
        -h: that is the order in which the loads of the routing "greedy" grow; they start at 0 at every level.
        Other routes are made by themselves, in rising process.
        """
        distances = targets - sources
        if source == target and not distances.any():
            return Paths(np.zeros(len(sources) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        places, ends = self.tables[source, at], self.tables[target, at]
        h = int(abs(distances).max(initial=0))
        if h and (abs(distances) != h).any():
            return self.router.paths(places[sources - 1], ends[targets - 1])
        key = (h, at, source, target)
        if key not in self._shifts:
            self._shifts[key] = self.router.paths(*(exchanges(h, places, ends) if h else (places, ends)))
        forward = len(places) - h
        return take(self._shifts[key], np.where(distances >= 0, sources - 1, forward + targets - 1))

    def _move(self, table: int, row: int, following: int) -> Paths:
        """Every process from its place at `row` of a table to that at the following row: by the un-shuffle,
        where the network has shuffle wires and the table un-shuffles; else routed."""
        key = (table, row, following)
        if key not in self._moves:
            sources, targets = self.tables[table, row], self.tables[table, following]
            network = self.wiring.channels
            if network.unshuffles is None:
                self._moves[key] = self.router.paths(sources, targets)
            else:
                follows = unshuffle(sources, network.nodes) == targets
                routed = self.router.paths(sources, np.where(follows, sources, targets))
                self._moves[key] = join(_masked(network.unshuffles, sources, follows), routed)
        return self._moves[key]


def exchanges(h: int, places: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Sources and targets of the messages between all processes i and i + h: all +h in rising i, then all -h.

    Process i sends from places[i-1] and receives at ends[i-1].
    """
    return np.concatenate([places[:-h], places[h:]]), np.concatenate([ends[h:], ends[:-h]])


def _masked(paths: Paths, rows: Integers, mask: Truth) -> Paths:
    """The routes of `rows` where `mask`; no hop for the others."""
    routes = take(paths, rows)
    keep = np.repeat(mask, routes.hops)
    return Paths.of(np.where(mask, routes.hops, 0), routes.channels[keep])


# ------------------------------------------------------------ posting


def posted(places: Places, routes: Routes) -> Messages:
    """All messages of the lines that are issued."""
    posting = [(s, line) for stream in places.issued for s, line in enumerate(stream) if line.transfers]
    columns, slots = ([np.zeros((rows, 0), dtype=np.int32)] for rows in (6, 2))
    hops, channels = ([np.zeros(0, dtype=np.int32)] for _ in range(2))
    cargos: dict[tuple[Value, ...], int] = {}
    common: list[tuple[int, ...]] = []
    for serial, line in posting:
        of_line, by_id, paths = _of_line(places, line, len(common), routes)
        columns.append(of_line)
        slots.append(_carried(places, line, by_id))
        hops.append(paths.hops.astype(np.int32))
        channels.append(paths.channels.astype(np.int32))
        for t in line.transfers:
            cargo = cargos.setdefault(t.values, len(cargos))
            common.append((line.array, serial, cargo, t.words, t.destination.array))
    whole = Paths.of(np.concatenate(hops), np.concatenate(channels))
    rows = (*np.concatenate(columns, axis=1), *np.concatenate(slots, axis=1))
    of_transfers = np.array(common, dtype=np.int32).reshape(-1, 5).T
    return Messages(whole, Common(tuple(cargos), *of_transfers), *rows)


def _carried(places: Places, line: Line, by_id: Integers) -> Integers:
    """Source and target slots of the values that the messages of one line carry, in id order: (2, values)."""
    each = [np.stack([places.alias[t.source_slots], t.slots]) for t in line.transfers]  # (2, values, sources)
    if all(pairs.shape[1] == 1 for pairs in each):
        slots: Integers = np.concatenate([pairs[:, 0] for pairs in each], axis=1)[:, by_id]
        return slots
    sizes = np.concatenate([np.full(pairs.shape[2], pairs.shape[1]) for pairs in each])
    flat = np.concatenate([pairs.transpose(0, 2, 1).reshape(2, -1) for pairs in each], axis=1)
    return np.stack([take(Paths.of(sizes, row), by_id).channels for row in flat])


def _of_line(places: Places, line: Line, transfer: int, routes: Routes) -> tuple[Integers, Integers, Paths]:
    """Messages of a line in id order, as columns of Messages: (6, messages); the order, and their routes."""
    at = line.instruction.at
    parts, paths = [], []
    for number, t in enumerate(line.transfers, transfer):
        rows = places.rows(line, t)
        paths.append(routes.route(line.array, t.destination.array, at, t.sources, t.targets, rows))
        source_node, first = places.tables[line.array - 1, at, t.sources - 1], t.slots[0]
        ends = (t.sources, t.targets, source_node, places.node[first], places.first_reader[first])
        parts.append(np.array([np.full(len(t.sources), number), *ends], dtype=np.int32))
    columns = np.concatenate(parts, axis=1)
    _, source, _, node, _, _ = columns.astype(np.int64)
    by_id = np.argsort(node * (places.tables.shape[2] + 1) + source, kind="stable")  # and then by transfer
    hops, channels = (np.concatenate([getattr(x, name) for x in paths]) for name in ("hops", "channels"))
    return columns[:, by_id], by_id, take(Paths.of(hops, channels), by_id)


# ------------------------------------------------------------ places of values


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
        """The places of a flow on allocation tables; refuses a value at another node than its reader."""
        issued = tuple(
            tuple(x for x in stream if x.instruction.issued and len(x.processes) and not _stays(x, tables))
            for stream in flow.lines
        )
        alias = np.arange(len(flow.slots), dtype=np.int32)
        dropped = [line for stream in flow.lines for line in stream if _stays(line, tables)]
        for transfer in (transfer for line in dropped for transfer in line.transfers):
            alias[transfer.slots] = alias[transfer.source_slots]
        places = cls(flow, tables, issued, alias, bool(dropped), *_readers(issued, alias))
        for line, nodes in zip(chain(*issued), chain(*places.nodes), strict=True):
            for read in () if isinstance(line.instruction, Wait) else line.reads:
                value_node = places.node[read]
                if (wrong := (value_node != nodes) & (read != NONE)).any():
                    k = int(wrong.argmax())
                    raise InputError(
                        f"{line.instruction.step} reads {flow.slot_text(int(read[k]))} at node {nodes[k]}, "
                        f"where process {line.processes[k]} is at row {line.instruction.at} of the "
                        f"allocation, but the value is at node {value_node[k]}: Arrange it, or make the two "
                        "rows of the table equal"
                    )
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
    """Per slot, the serial of the first reader and of the first reader that is no Wait; NONE without one.

    The first reader of one value of a message receives all of them.
    """
    never = np.iinfo(np.int32).max
    readers, workers = np.full((2, len(alias)), never, dtype=np.int32)
    lines = (entry for stream in issued for entry in reversed([*enumerate(stream)]))  # the first comes last
    for serial, line in lines:
        for slots in (alias[read[read != NONE]] for read in line.reads):
            readers[slots] = serial
            if not isinstance(line.instruction, Wait):
                workers[slots] = serial
    for transfer in (t for stream in issued for line in stream for t in line.transfers):
        if len(transfer.values) > 1:
            for first in (readers, workers):
                first[transfer.slots] = first[transfer.slots].min(axis=0)
    readers[readers == never] = workers[workers == never] = NONE
    return readers, workers
