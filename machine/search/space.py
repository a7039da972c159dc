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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from senn.machine.network.topology import Integers
from senn.machine.program import Arrange
from senn.machine.program.flow import Flow

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
