"""Tables that a search goes through: those that some permutations of the nodes make, and neighbours of one.

A table says the node of every process at every row. A *space* says it in two steps: a process at a row is at
a *point*, and a *placement* puts points on nodes. Points come in *cells* of as many as there are nodes, and
within a cell no two share a node.

`renamings`: one cell, whose points are the nodes of the given table. `levels`: a cell for every row of the
table that may differ from others, so every level has a table of its own. Processes that share a node at a row
stay together, home is where level 1 is if it is so in the given table, and arrays that are given the same
table keep the same.

Neighbours of a placement differ by a swap: within a cell two points change their nodes. With several cells
two nodes, or two processes, also change places in consecutive cells at once, and consecutive cells become
like the first or the last of them: nothing moves there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
        """The cell of the points of a row of an array."""
        return int(self.points[array - 1, row, 0]) // self.nodes

    def patterns(self, placements: Integers) -> Integers:
        """(k,) equal rows in (k, cells * nodes) placements: a bit per transition."""
        patterns = np.zeros(len(placements), dtype=np.int64)
        for bit, (array, start, stop) in enumerate(self.transitions):
            before, after = self.points[array - 1, start], self.points[array - 1, stop]
            stays = (placements[:, before] == placements[:, after]).all(axis=1)
            patterns |= stays.astype(np.int64) << bit
        return patterns

    def placement(self, table: Integers) -> Integers:
        """The placement that makes (M + 1, n) `table`, of one process to a node, in every array."""
        placement = np.full(len(self.start), -1, dtype=np.int64)
        placement[self.points] = table
        for cell in placement.reshape(self.cells, self.nodes):
            cell[cell < 0] = np.setdiff1d(np.arange(self.nodes), cell)
        return placement

    def spans(self) -> list[tuple[int, int]]:
        """(first cell, cell after the last) of all consecutive cells."""
        return list(itertools.combinations(range(self.cells + 1), 2))


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
            used, first, block = np.unique(places, return_index=True, return_inverse=True)
            by_first = np.argsort(first)
            count = np.empty_like(by_first)
            count[by_first] = np.arange(len(used))
            free = np.setdiff1d(np.arange(nodes), used)
            block, node = count[block], np.concatenate([used[by_first], free])
            points[array, row] = len(start) * nodes + block
            start.append(node)
    return Space(points, np.concatenate(start), nodes, _transitions(flow))


def _transitions(flow: Flow) -> Transitions:
    lines = (line for stream in flow.lines for line in stream if len(line.processes))
    moves = {(x.array, m.start, m.stop) for x in lines if isinstance(m := x.instruction, Arrange)}
    return tuple(sorted(moves))


def repeated(space: Space, placement: Integers) -> Iterator[tuple[tuple[int, int, int], Integers]]:
    """Placements in which consecutive cells repeat the first, or the last, of them: nothing moves there.

    Each with (first cell, cell after the last, repeated cell).
    """
    cells = placement.reshape(space.cells, space.nodes)
    for first, stop in space.spans():
        for like in (first, stop - 1) if stop - first > 1 else ():
            alike = cells.copy()
            alike[first:stop] = cells[like]
            yield (first, stop, like), alike.ravel()


KICKS = 20
"""Kicks in a row without a gain after which a chain ends."""
KICK = 3
"""Random moves that lead away from where a descent ended."""

Score = tuple[int, ...]
Step = tuple[Integers, Score]
"""A placement and its score."""
SWAPS = 2048
"""Swaps of two nodes tried at once; of larger neighbourhoods so many are drawn."""
_AT_ONCE = 1024


def descend(step: Step, gain: Callable[[Step], Step | None]) -> Step:
    """The last point of a way on which each gains on the one before."""
    while (following := gain(step)) is not None:
        step = following
    return step


class Neighbourhood:
    """Lower bounds of all placements of a program, and the placements near a given one.

    Equal rows of a table decide which values move at all, so each pattern of them has its own precedence.
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
        scores = np.empty((len(placements), 2), dtype=np.int64)
        patterns = self.space.patterns(placements)
        for pattern in np.unique(patterns).tolist():
            alike = np.flatnonzero(patterns == pattern)
            order = self._precedence(pattern, placements[alike[0]])
            for first in range(0, len(alike), _AT_ONCE):
                rows = alike[first : first + _AT_ONCE]
                hops, word_hops = order.hops(self.distances, placements[rows])
                scores[rows] = np.stack([order.makespan(hops), word_hops], axis=1)
        self.bounded += len(placements)
        return scores

    def _precedence(self, pattern: int, like: Integers) -> Precedence:
        if pattern not in self._precedences:
            schedule = place(self.flow, like[self.space.points], self.machine)
            self._precedences[pattern] = precedence(schedule, self.machine, self.space.points)
        return self._precedences[pattern]

    def mirrored(self, placement: Integers) -> Integers:
        """The nodes in reverse order. On SENN all distances stay; the order in a queue does not."""
        return self.nodes - 1 - placement

    def swapped(self, placement: Integers) -> Integers:
        """(k, points) all that differ by one swap, or SWAPS of them drawn; then those with repeated cells."""
        pairs = np.array(list(itertools.combinations(range(self.nodes), 2)), dtype=np.int64).reshape(-1, 2)
        spans = np.array(self.space.spans())
        several = spans[:, 1] - spans[:, 0] > 1
        ways = np.concatenate([np.c_[spans, 0 * several], np.c_[spans, several][several]])
        drawn = np.arange(len(pairs) * len(ways))
        if len(drawn) > SWAPS:
            drawn = self.random.choice(len(drawn), SWAPS, replace=False)
        way, pair = ways[drawn // max(len(pairs), 1)], pairs[drawn % max(len(pairs), 1)]
        cell = np.arange(self.space.cells)
        inside = (cell >= way[:, :1]) & (cell < way[:, 1:2])
        points = np.repeat(placement.reshape(1, self.space.cells, self.nodes), len(drawn), axis=0)
        of_nodes = way[:, 2] == 1
        points[~of_nodes] = _exchanged(points[~of_nodes], pair[~of_nodes], inside[~of_nodes])
        plain = np.broadcast_to(np.arange(self.nodes), points[of_nodes].shape)
        renamed = _exchanged(plain.copy(), pair[of_nodes], inside[of_nodes])
        points[of_nodes] = np.take_along_axis(renamed, points[of_nodes], axis=2)
        alike = [placed[None] for _, placed in repeated(self.space, placement)]
        return np.concatenate([points.reshape(len(drawn), -1), *alike])

    def chain(self, start: Integers) -> Iterator[Step]:
        """Ends of descents: from the start, and then from kicks away from the best end so far."""
        best, least = self._descended(start)
        yield best, least
        kicks = 0  # in a row, without a gain
        while kicks < KICKS:
            placement, score = self._descended(self._kicked(best))
            yield placement, score
            kicks = 0 if score < least else kicks + 1
            if score <= least:
                best, least = placement, score

    def _descended(self, placement: Integers) -> Step:
        """The end of the descent from a placement by the best swap each time, by the bound alone."""
        return descend((placement, _score(self.scores(placement[None])[0])), self._best_swap)

    def _kicked(self, placement: Integers) -> Integers:
        """A placement some random swaps away."""
        kicked = placement.copy()
        for _ in range(KICK):
            cell = 0 if self.space.cells == 1 else int(self.random.integers(self.space.cells))
            pair = self.nodes * cell + self.random.choice(self.nodes, 2, replace=False)
            kicked[pair] = kicked[pair[::-1]]
        return kicked

    def _best_swap(self, step: Step) -> Step | None:
        swapped = self.swapped(step[0])
        scores = self.scores(swapped)
        best = int(ascending(scores)[0])
        score = _score(scores[best])
        return (swapped[best], score) if score < step[1] else None


def _exchanged(points: Integers, pair: Integers, inside: NDArray[np.bool_]) -> Integers:
    """(k, cells, nodes) with the two entries of each pair exchanged in the cells that are inside."""
    rows = np.arange(len(points))
    first, second = points[rows, :, pair[:, 0]], points[rows, :, pair[:, 1]]
    points[rows, :, pair[:, 0]] = np.where(inside, second, first)
    points[rows, :, pair[:, 1]] = np.where(inside, first, second)
    return points


def ascending(scores: NDArray[np.int64]) -> Integers:
    """The order of (k, 2) scores: by makespan, then by words x hops."""
    return np.lexsort((scores[:, 1], scores[:, 0]))


def _score(row: NDArray[np.int64]) -> Score:
    return tuple(row.tolist())
