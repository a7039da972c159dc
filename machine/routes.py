"""The way of a message: between two processes' places at the sender's level, then along with its reader.

A message goes to where its first reader executes. It is routed between the two processes' places at the
sender's level and, if the reader is at a later level, on from there by one un-shuffle per level: a source
route, never shortened. Row 0 of the allocation counts as row M + 1 when it is reached from row M. All
hops inside the source array come first, vertical hops last.
"""

from __future__ import annotations

import numpy as np

from senn.machine.model import Machine
from senn.machine.topology import Integers, Paths, Router, rotr, senn
from senn.machine.wiring import Wiring, join, optional_hop, take


class Routes:
    """Routes over one allocation table (M + 1, n); what was asked once is kept."""

    def __init__(self, table: Integers, machine: Machine, arrays: int) -> None:
        self.table = table
        self.last = len(table) - 1  # M
        self.router = Router(senn(2**self.last), machine.routing)
        self.wiring = Wiring(self.router.channels, arrays)
        self._shifts: dict[tuple[int, int], Paths] = {}
        self._moves: dict[tuple[int, int], Paths] = {}

    def route(
        self, array: int, towards: int, at: int, offset: int, sources: Integers, rows: Integers
    ) -> Paths:
        """Wiring channels from process i (in `sources`) of `array`, at row `at`, to process i + offset of
        array `towards`, which reads it at row `rows`."""
        targets = sources + offset
        segments = [self._shift(at, offset, sources)]
        row = np.full(len(sources), at)
        while np.any(row != rows):
            here = int(row[row != rows][0])  # rows of one transfer start together and stop one by one
            moving = (row == here) & (rows != here)
            direct = moving & (rows < here) & (rows > 0)
            following = self.last and (here + 1) % (self.last + 1)
            segments.append(_masked(self._move(here, following), targets, moving & ~direct))
            row = np.where(moving & ~direct, following, row)
            if direct.any():  # back to an earlier level: no un-shuffle leads there
                segments.append(self._direct(row, rows, targets, direct))
                row = np.where(direct, rows, row)
        inside = join(*segments)
        inside = Paths(inside.offsets, self.wiring.inside(array, inside.channels))
        if array == towards:
            return inside
        step = 1 if towards > array else -1
        end = self.table[rows, targets - 1]
        down = [optional_hop(self.wiring.vertical(k, k + step, end)) for k in range(array, towards, step)]
        return join(inside, *down)

    def _shift(self, at: int, offset: int, sources: Integers) -> Paths:
        """Between the places of i and i + offset at row `at`.

        Routes of both directions are made together, all +h in rising process, then all -h: that is the
        order in which the loads of the routing "greedy" grow; they start at 0 at every level.
        """
        if offset == 0:
            return Paths(np.zeros(len(sources) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        h = abs(offset)
        if (at, h) not in self._shifts:
            places = self.table[at]
            here, there = places[:-h], places[h:]
            self._shifts[at, h] = self.router.paths(
                np.concatenate([here, there]), np.concatenate([there, here])
            )
        forward = len(self._shifts[at, h]) // 2
        return take(self._shifts[at, h], sources - 1 if offset > 0 else forward + sources - 1 - h)

    def _move(self, row: int, following: int) -> Paths:
        """Every process from its place at `row` to that at the following row: one un-shuffle, where the
        table un-shuffles; else a minimal route."""
        if (row, following) not in self._moves:
            here, there = self.table[row], self.table[following]
            wires = [self.wiring.channels.unshuffle_channel(p) for p in here.tolist()]
            wire = np.array([-1 if w is None else w for w in wires], dtype=np.int64)
            if not np.array_equal(rotr(here, self.last), there):
                stays, shuffles = here == there, rotr(here, self.last) == there
                routed = self.router.paths(here, np.where(stays | shuffles, here, there))
                self._moves[row, following] = join(
                    optional_hop(np.where(shuffles & ~stays, wire, -1)), routed
                )
            else:
                self._moves[row, following] = optional_hop(wire)
        return self._moves[row, following]

    def _direct(self, row: Integers, rows: Integers, targets: Integers, chosen: np.ndarray) -> Paths:
        here = self.table[row, targets - 1]
        return self.router.paths(here, np.where(chosen, self.table[rows, targets - 1], here))


def _masked(moves: Paths, processes: Integers, chosen: np.ndarray) -> Paths:
    """The moves of the chosen processes; no hop for the others."""
    paths = take(moves, processes - 1)
    keep = np.repeat(chosen, paths.hops)
    return Paths(np.concatenate([[0], np.cumsum(np.where(chosen, paths.hops, 0))]), paths.channels[keep])
