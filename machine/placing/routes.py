"""The way of a message: between two processes' places at the sender's level, then along with its reader.

A message goes to where its first reader executes. It is routed between the two processes' places at the
sender's level and, if the reader is at a later level, on from there by one un-shuffle per level: a source
route, never shortened (a network without shuffle wires routes these moves as well). Row 0 of the allocation
counts as row M + 1 when it is reached from row M. All hops inside the source array come first, vertical hops
last: a message to another array first goes to the node number that its reader has there.
"""

from __future__ import annotations

import numpy as np

from senn.machine.network.arrays import Wiring, join, optional_hop, take
from senn.machine.network.paths import Paths
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Truth, unshuffle


class Routes:
    """Routes over the allocation tables (arrays, M + 1, n); what was asked once is kept."""

    def __init__(self, tables: Integers, network: Channels, routing: Routing) -> None:
        self.tables = tables
        self.last = tables.shape[1] - 1  # M
        self.router = Router(network, routing)
        self.wiring = Wiring(network, len(tables))
        # By array, the first that has the same table: what holds for one holds for the other.
        self._like = [int((tables == one).all(axis=(1, 2)).argmax()) for one in tables]
        self._shifts: dict[tuple[int, int, int, int], Paths] = {}
        self._moves: dict[tuple[int, int, int], Paths] = {}

    def route(
        self, array: int, towards: int, at: int, offset: int, sources: Integers, rows: Integers
    ) -> Paths:
        """Wiring channels from process i (in `sources`) of `array`, at row `at`, to process i + offset of
        array `towards`, which reads it at row `rows`."""
        targets = sources + offset
        source, target = self._like[array - 1], self._like[towards - 1]
        segments = [self._shift(source, target, at, offset, sources)]
        row = np.full(len(sources), at)
        while np.any(row != rows):
            here = int(row[row != rows][0])  # rows of one transfer start together and stop one by one
            moving = (row == here) & (rows != here)
            direct = moving & (rows < here) & (rows > 0)
            following = self.last and (here + 1) % (self.last + 1)
            segments.append(_masked(self._move(target, here, following), targets - 1, moving & ~direct))
            row = np.where(moving & ~direct, following, row)
            if direct.any():  # back to an earlier level: no un-shuffle leads there
                segments.append(self._direct(target, row, rows, targets, direct))
                row = np.where(direct, rows, row)
        inside = join(*segments)
        inside = Paths(inside.offsets, self.wiring.inside(array, inside.channels))
        if array == towards:
            return inside
        step = 1 if towards > array else -1
        end = self.tables[target, rows, targets - 1]
        down = [optional_hop(self.wiring.vertical(k, k + step, end)) for k in range(array, towards, step)]
        return join(inside, *down)

    def _shift(self, source: int, target: int, at: int, offset: int, sources: Integers) -> Paths:
        """From the place of i in one table to that of i + offset in another or the same, both at row `at`.

        Routes of both directions are made together, all +h in rising process, then all -h: that is the
        order in which the loads of the routing "greedy" grow; they start at 0 at every level.
        """
        if offset == 0 and source == target:
            return Paths(np.zeros(len(sources) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        h = abs(offset)
        key = (h, at, source, target)
        places, ends = self.tables[source, at], self.tables[target, at]
        if key not in self._shifts and h == 0:
            self._shifts[key] = self.router.paths(places, ends)
        elif key not in self._shifts:
            self._shifts[key] = self.router.paths(*exchanges(h, places, ends))
        forward = len(places) - h
        return take(self._shifts[key], sources - 1 if offset >= 0 else forward + sources - 1 - h)

    def _move(self, table: int, row: int, following: int) -> Paths:
        """Every process from its place at `row` of a table to that at the following row: by the un-shuffle,
        where the network has shuffle wires and the table un-shuffles; else routed."""
        key = (table, row, following)
        if key not in self._moves:
            here, there = self.tables[table, row], self.tables[table, following]
            network = self.wiring.channels
            if network.unshuffles is None:
                self._moves[key] = self.router.paths(here, there)
            else:
                follows = unshuffle(here, network.nodes) == there
                routed = self.router.paths(here, np.where(follows, here, there))
                self._moves[key] = join(_masked(network.unshuffles, here, follows), routed)
        return self._moves[key]

    def _direct(
        self, table: int, row: Integers, rows: Integers, targets: Integers, chosen: np.ndarray
    ) -> Paths:
        places = self.tables[table]
        here = places[row, targets - 1]
        return self.router.paths(here, np.where(chosen, places[rows, targets - 1], here))


def exchanges(h: int, places: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Sources and targets of the messages between all processes i and i + h: all +h in rising i, then all -h.

    Process i sends from places[i-1] and receives at ends[i-1].
    """
    return np.concatenate([places[:-h], places[h:]]), np.concatenate([ends[h:], ends[:-h]])


def _masked(paths: Paths, rows: Integers, chosen: Truth) -> Paths:
    """The routes of the given rows where `chosen`; no hop for the others."""
    taken = take(paths, rows)
    keep = np.repeat(chosen, taken.hops)
    return Paths(np.concatenate([[0], np.cumsum(np.where(chosen, taken.hops, 0))]), taken.channels[keep])
