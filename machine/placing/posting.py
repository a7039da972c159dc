"""What the lines of a program post: their messages in the order of the ids, with their routes."""

from __future__ import annotations

import numpy as np

from senn.machine.network.arrays import take
from senn.machine.network.paths import Paths
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Common, Messages
from senn.machine.placing.places import Places
from senn.machine.placing.routes import Routes
from senn.machine.program.flow import NONE, Line


def posted(places: Places, routes: Routes) -> Messages:
    """All messages of the lines that are issued."""
    posting = [(s, line) for stream in places.issued for s, line in enumerate(stream) if line.transfers]
    sizes = [sum(len(t.sources) for t in line.transfers) for _, line in posting]
    columns = np.empty((5, sum(sizes)), dtype=np.int32)
    carried = sum(t.source_slots.size for _, line in posting for t in line.transfers)
    slots = np.empty((2, carried), dtype=np.int32)
    hops, channels = [], []
    transfer = end = filled = 0
    turns = _Turns(places.tables)
    for (_, line), size in zip(posting, sizes, strict=True):
        by_id = turns.by_id(line)
        paths = _of_line(places, line, by_id, transfer, routes, columns[:, end : end + size])
        of_line = _carried(places, line, by_id)
        slots[:, filled : filled + of_line.shape[1]] = of_line
        filled += of_line.shape[1]
        hops.append(paths.hops.astype(np.int32))
        channels.append(paths.channels.astype(np.int32))
        transfer += len(line.transfers)
        end += size
    none = np.zeros(0, dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([none, *hops]))])
    return Messages(Paths(offsets, np.concatenate([none, *channels])), Common.of(posting), *columns, *slots)


def _carried(places: Places, line: Line, by_id: Integers) -> Integers:
    """Where the values that the messages of one line carry, in id order, come from and go to: two rows of
    slots."""
    each = [np.stack([places.same[t.source_slots], t.slots]) for t in line.transfers]  # (2, values, sources)
    if all(one.shape[1] == 1 for one in each):
        found: Integers = np.concatenate([one[:, 0] for one in each], axis=1)[:, by_id]
        return found
    sizes = np.concatenate([np.full(one.shape[2], one.shape[1]) for one in each])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    flat = np.concatenate([one.transpose(0, 2, 1).reshape(2, -1) for one in each], axis=1)
    return np.stack([take(Paths(offsets, row), by_id).channels for row in flat])


def _of_line(
    places: Places, line: Line, by_id: Integers, transfer: int, routes: Routes, columns: Integers
) -> Paths:
    """Fill in the messages of one line in id order, the columns of Messages; their routes."""
    at = line.instruction.at
    parts, paths = [], []
    for rank, t in enumerate(line.transfers):
        source_node = places.tables[line.array - 1, at, t.sources - 1]
        rows = places.rows(line, t)
        paths.append(routes.route(line.array, t.destination.array, at, t.destination.offset, t.sources, rows))
        part = (
            np.full(len(t.sources), transfer + rank, dtype=np.int32),
            t.sources,
            source_node,
            places.node[t.slots[0]],
            places.first_reader[t.slots[0]],
        )
        parts.append(part)
    for column, of_transfers in zip(columns, zip(*parts, strict=True), strict=True):
        column[:] = np.concatenate(of_transfers)[by_id]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([p.hops for p in paths]))])
    return take(Paths(offsets, np.concatenate([p.channels for p in paths])), by_id)


class _Turns:
    """By array and row of the allocation: the place of each process in the order of nodes and processes."""

    def __init__(self, tables: Integers) -> None:
        self.tables = tables
        self.known: dict[tuple[int, int], Integers] = {}

    def by_id(self, line: Line) -> Integers:
        """The messages of a line, counted transfer by transfer, in the order of their ids: by source node,
        source process and transfer."""
        turns = self._of(line.array - 1, line.instruction.at)
        found = np.full((len(turns), len(line.transfers)), NONE, dtype=np.int32)
        count = 0
        for rank, t in enumerate(line.transfers):
            found[turns[t.sources - 1], rank] = np.arange(count, count + len(t.sources))
            count += len(t.sources)
        by_id: Integers = found[found != NONE]
        return by_id

    def _of(self, array: int, row: int) -> Integers:
        if (array, row) not in self.known:
            nodes = self.tables[array, row]
            turns = np.empty(len(nodes), dtype=np.int32)
            turns[np.argsort(nodes, kind="stable")] = np.arange(len(nodes))
            self.known[array, row] = turns
        return self.known[array, row]
