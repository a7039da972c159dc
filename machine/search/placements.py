"""Which tables are searched: all that a number of permutations of the nodes make.

A table says the node of every process at every row. A *space* says it in two steps: a process at a row is at
a *point*, and a *placement* puts points on nodes. Points come in *cells* of as many as there are nodes, and
within a cell no two share a node.

`renamings`: one cell, whose points are the nodes of the given table. `levels`: a cell for every row of the
table that may differ from others, so every level has a table of its own. Processes that share a node at a row
stay together, home is where level 1 is if it is so in the given table, and arrays that are given the same
table keep the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Arrange
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import distances
from senn.machine.search.precedence import Precedence, precedence

Transitions = tuple[tuple[int, int, int], ...]
"""(array, row, row): values are arranged from the one to the other."""


@dataclass(frozen=True, eq=False)
class Space:
    """Points of processes, (arrays, M + 1, n), and the placement (cells * nodes,) of the given table."""

    points: Integers
    start: Integers
    nodes: int
    transitions: Transitions

    @property
    def cells(self) -> int:
        return len(self.start) // self.nodes

    def cell(self, array: int, row: int) -> int:
        """Where the points of a row of an array are."""
        return int(self.points[array - 1, row, 0]) // self.nodes

    def patterns(self, placements: Integers) -> Integers:
        """(k,) which rows are equal in (k, cells * nodes) placements: a bit per transition."""
        found = np.zeros(len(placements), dtype=np.int64)
        for bit, (array, one, other) in enumerate(self.transitions):
            here, there = self.points[array - 1, one], self.points[array - 1, other]
            stays = (placements[:, here] == placements[:, there]).all(axis=1)
            found |= stays.astype(np.int64) << bit
        return found

    def placement(self, table: Integers) -> Integers:
        """The placement that makes (M + 1, n) `table`, of one process to a node, in every array."""
        found = np.full(len(self.start), -1, dtype=np.int64)
        found[self.points] = table
        for cell in found.reshape(self.cells, self.nodes):
            cell[cell < 0] = np.setdiff1d(np.arange(self.nodes), cell)
        return found

    def spans(self) -> list[tuple[int, int]]:
        """The first cell and that after the last of some consecutive ones."""
        return list(combinations(range(self.cells + 1), 2))


def renamings(table: Integers, nodes: int, flow: Flow) -> Space:
    """One permutation of the nodes for all rows of all arrays of `table`, (arrays, M + 1, n)."""
    return Space(table, np.arange(nodes), nodes, _transitions(flow))


def levels(table: Integers, nodes: int, flow: Flow) -> Space:
    """A permutation for every row, but for home and level 1 where they are the same."""
    points, start = np.empty_like(table), list[Integers]()
    for array, rows in enumerate(table):
        like = int((table == rows).all(axis=(1, 2)).argmax())
        if like < array:
            points[array] = points[like]
            continue
        for row, places in enumerate(rows):
            if row == 1 and np.array_equal(places, rows[0]):
                points[array, 1] = points[array, 0]
                continue
            block, there = _blocks(places, nodes)
            points[array, row] = len(start) * nodes + block
            start.append(there)
    return Space(points, np.concatenate(start), nodes, _transitions(flow))


def _blocks(places: Integers, nodes: int) -> tuple[Integers, Integers]:
    """Processes that share a node, counted by the first of them; the node of each block, then free ones."""
    used, first, block = np.unique(places, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    count = np.empty_like(by_first)
    count[by_first] = np.arange(len(used))
    free = np.setdiff1d(np.arange(nodes), used)
    return count[block], np.concatenate([used[by_first], free])


def _transitions(flow: Flow) -> Transitions:
    lines = (line for stream in flow.lines for line in stream if len(line.processes))
    found = {
        (line.array, line.instruction.start, line.instruction.stop)
        for line in lines
        if isinstance(line.instruction, Arrange)
    }
    return tuple(sorted(found))


def still(space: Space, placement: Integers) -> Iterator[tuple[tuple[int, int, int], Integers]]:
    """(first cell, that after the last, the one that they are like) and a placement in which consecutive
    cells are like the first, or the last, of them."""
    cells = placement.reshape(space.cells, space.nodes)
    for first, stop in space.spans():
        for like in (first, stop - 1) if stop - first > 1 else ():
            same = cells.copy()
            same[first:stop] = cells[like]
            yield (first, stop, like), same.ravel()


# ------------------------------------------------------------
# Descents by the bound alone: from a placement by the best of all swaps, again and again. Within a
# cell of the space two points change their nodes. With several cells two nodes, or two processes,
# also change places in consecutive cells at once, and consecutive cells become like the first or the
# last of them: nothing moves there.

SWAPS = 2048
"""Swaps of two nodes tried at once; of larger neighbourhoods so many are drawn."""
KICK, KICKS = 3, 20
"""Random swaps that lead away from where a descent ended; kicks in a row without a gain."""
_AT_ONCE = 1024


class Descents:
    """The bounds of all placements of a program, and the ways down from one to another.

    Which rows of a table are equal decides which values are moved at all, so each such pattern that is met
    has a precedence of its own.
    """

    def __init__(self, schedule: Schedule, machine: Machine, space: Space, seed: int) -> None:
        self.flow, self.machine, self.space = schedule.flow, machine, space
        self.distances = distances(schedule)
        self.nodes = space.nodes
        self.random = np.random.default_rng(seed)
        self.bounded = 0  # placements so far
        self._precedences: dict[int, Precedence] = {}

    def scores(self, placements: Integers) -> NDArray[np.int64]:
        """(k, 2) least makespan and words x hops of (k, points) placements."""
        found = np.empty((len(placements), 2), dtype=np.int64)
        patterns = self.space.patterns(placements)
        for pattern in np.unique(patterns).tolist():
            alike = np.flatnonzero(patterns == pattern)
            order = self._precedence(pattern, placements[alike[0]])
            for first in range(0, len(alike), _AT_ONCE):
                chosen = alike[first : first + _AT_ONCE]
                hops, word_hops = order.hops(self.distances, placements[chosen])
                found[chosen] = np.stack([order.makespan(hops), word_hops], axis=1)
        self.bounded += len(placements)
        return found

    def _precedence(self, pattern: int, like: Integers) -> Precedence:
        if pattern not in self._precedences:
            schedule = place(self.flow, like[self.space.points], self.machine)
            self._precedences[pattern] = precedence(schedule, self.machine, self.space.points)
        return self._precedences[pattern]

    def mirrored(self, placement: Integers) -> Integers:
        """The nodes in reverse order. On SENN all distances stay; who comes first in a queue does not."""
        return self.nodes - 1 - placement

    def swapped(self, placement: Integers) -> Integers:
        """(k, points) all that differ by one swap, or SWAPS of them drawn; then those that stay longer."""
        pairs = np.array(list(itertools.combinations(range(self.nodes), 2)), dtype=np.int64).reshape(-1, 2)
        spans = np.array(self.space.spans())
        several = spans[:, 1] - spans[:, 0] > 1
        ways = np.concatenate([np.c_[spans, 0 * several], np.c_[spans, several][several]])
        chosen = np.arange(len(pairs) * len(ways))
        if len(chosen) > SWAPS:
            chosen = self.random.choice(len(chosen), SWAPS, replace=False)
        way, pair = ways[chosen // max(len(pairs), 1)], pairs[chosen % max(len(pairs), 1)]
        cell = np.arange(self.space.cells)
        inside = (cell >= way[:, :1]) & (cell < way[:, 1:2])
        points = np.repeat(placement.reshape(1, self.space.cells, self.nodes), len(chosen), axis=0)
        of_nodes = way[:, 2] == 1
        points[~of_nodes] = _exchanged(points[~of_nodes], pair[~of_nodes], inside[~of_nodes])
        plain = np.broadcast_to(np.arange(self.nodes), points[of_nodes].shape)
        renamed = _exchanged(plain.copy(), pair[of_nodes], inside[of_nodes])
        points[of_nodes] = np.take_along_axis(renamed, points[of_nodes], axis=2)
        longer = [same for _, same in still(self.space, placement)]
        return np.concatenate([points.reshape(len(chosen), -1), *(same[None] for same in longer)])

    def chain(self, placement: Integers) -> dict[bytes, tuple[int, ...]]:
        """Where descents from a placement, and then from kicks away from the best of them, ended."""
        placement, least = self._descend(placement)
        ends, fruitless = {placement.tobytes(): least}, 0
        while fruitless < KICKS:
            kicked = placement.copy()
            for _ in range(KICK):
                pair = self._cell() + self.random.choice(self.nodes, 2, replace=False)
                kicked[pair] = kicked[pair[::-1]]
            there, found = self._descend(kicked)
            ends[there.tobytes()] = found
            fruitless = 0 if found < least else fruitless + 1
            if found <= least:
                placement, least = there, found
        return ends

    def _cell(self) -> int:
        """The first point of some cell."""
        cells = self.space.cells
        return 0 if cells == 1 else self.nodes * int(self.random.integers(cells))

    def _descend(self, placement: Integers) -> tuple[Integers, tuple[int, ...]]:
        """The best swap by the bound, and again, to where none gains."""
        least = score(self.scores(placement[None])[0])
        while True:
            swapped = self.swapped(placement)
            scores = self.scores(swapped)
            best = int(ascending(scores)[0])
            if score(scores[best]) >= least:
                return placement, least
            placement, least = swapped[best], score(scores[best])


def _exchanged(points: Integers, pair: Integers, inside: NDArray[np.bool_]) -> Integers:
    """(k, cells, nodes) with the two entries of each pair exchanged in the cells that are inside."""
    rows = np.arange(len(points))
    one, other = points[rows, :, pair[:, 0]], points[rows, :, pair[:, 1]]
    points[rows, :, pair[:, 0]] = np.where(inside, other, one)
    points[rows, :, pair[:, 1]] = np.where(inside, one, other)
    return points


def ascending(scores: NDArray[np.int64]) -> Integers:
    """The order of (k, 2) scores: by makespan, then by words x hops."""
    return np.lexsort((scores[:, 1], scores[:, 0]))


def score(row: NDArray[np.int64]) -> tuple[int, ...]:
    """One of (k, 2) scores, to be compared with that of a run."""
    return tuple(row.tolist())
