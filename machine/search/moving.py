"""Proved lower bounds of the makespan over all choices of a table for every level.

Between two rows of a table that values are arranged between, either no process moves; or one of those that
read alike moves, which are most of the processes; or these stay, and one of the others moves.

Where processes stay, one renaming must bring their partners of both levels near each other, and
`senn.machine.search.bounds` says that some are further away than one hop. Where one of some processes
moves, and they all receive a message of one send that follows its reader from the one row to the other, one
of these messages has a hop more, wherever it is read: so the last of its readers is not earlier.

Branching on this, from the first rows to the last, leaves no table out. A row that is not yet decided costs
nothing: nothing is arranged, and no two levels share a renaming. The least over the branches of the longest
path is a bound, wherever branching stops.

The proofs for one process to a node in `senn.machine.search.bounds` hold for every row by itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.search.bounds import Alike, Bound, Known, Sets, distances
from senn.machine.search.placements import Space
from senn.machine.search.precedence import Precedence, precedence

BRANCHES = 300
"""Branches that are looked at before the branching is broken off."""

Cells = tuple[int, int]
"""Two cells of points, the smaller first, between which values are arranged."""


@dataclass(frozen=True)
class _Decision:
    """A decision about two cells, whose points are those of the same processes in both."""

    cells: Cells
    moves: frozenset[Cells]  # of one of these processes
    stay: frozenset[Cells]  # all of these


Decided = tuple[_Decision, ...]


def bounds_of_levels(schedule: Schedule, machine: Machine, space: Space) -> tuple[Bound, ...]:
    """Lower bounds of the makespan of every placement of `space`, as the module proves them.

    Raises InputError where they are not proved: control other than simd.
    """
    branching = _Branching(schedule, machine, space)
    nothing = branching.order(branching.forced)
    at_once = np.zeros((len(nothing.bundles), 1), dtype=np.int64)
    one_hop = branching.sets(())
    cycles, why = branching.least()
    free, a_hop = int(nothing.makespan(at_once)[0]), one_hop.makespan((1,) * len(one_hop.pairs))
    work = "computing and posting take so long when nobody moves and messages take no time"
    return (
        Bound("free network", free, work),
        Bound("one hop", a_hop, "a message between different nodes crosses a channel at least"),
        Bound("moving or staying", cycles, why),
    )


class _Branching:
    """Branches on which processes move between which cells: decided in turn, the least bound first."""

    def __init__(self, schedule: Schedule, machine: Machine, space: Space) -> None:
        self.flow, self.machine, self.space = schedule.flow, machine, space
        self.distances = distances(schedule)
        self.rows: dict[Cells, list[tuple[int, int, int]]] = {}
        for array, start, stop in space.transitions:
            a, b = sorted((space.cell(array, start), space.cell(array, stop)))
            if a != b:
                self.rows.setdefault((a, b), []).append((array, start, stop))
        self.between = sorted(self.rows)
        # Rows can be equal where the same processes share nodes in both.
        points = space.points % space.nodes
        self.forced = frozenset(
            cells
            for cells, rows in self.rows.items()
            if any((points[array - 1, start] != points[array - 1, stop]).any() for array, start, stop in rows)
        )
        self.known: Known = {}
        self._orders: dict[frozenset[Cells], Precedence] = {}
        self.choices = [list(self._choices(cells)) for cells in self.between]

    def least(self) -> tuple[int, str]:
        """The least bound of all branches, and who moves in it."""
        ties = count()
        queue: list[tuple[int, int, Decided]] = [(self.sets(()).least()[0], next(ties), ())]
        for _ in range(BRANCHES):
            if len(queue[0][2]) == len(self.between):
                break
            cycles, _, before = heapq.heappop(queue)
            for choice in self.choices[len(before)]:
                decided = (*before, choice)
                like = self._like({decision.cells for decision in decided if not decision.moves})
                moved = (decision.cells for decision in decided if decision.moves)
                if all(like[a] != like[b] for a, b in moved):  # rows that stay leave these different
                    bound = max(cycles, self.sets(decided).least()[0])
                    heapq.heappush(queue, (bound, next(ties), decided))
        cycles, _, decided = queue[0]
        between = [self.rows[decision.cells][0][1:] for decision in decided if decision.moves]
        at = ", ".join(f"from level {start} {f'to {stop}' if stop else 'home'}" for start, stop in between)
        return cycles, (
            "a move costs a hop, and without it some partners are further apart; at best "
            f"{f'there are moves {at}' if at else 'nobody moves'}"
        )

    def _choices(self, cells: Cells) -> Iterator[_Decision]:
        """Nobody moves; one of most moves; these stay, and one of the others moves."""
        everybody = self._everybody(cells)
        most = self._most(cells)
        if cells not in self.forced:
            yield _Decision(cells, frozenset(), everybody)
        yield _Decision(cells, most, frozenset())
        if most != everybody:
            yield _Decision(cells, everybody - most, most)

    def _like(self, stays: Iterable[Cells]) -> Integers:
        """For every cell the first that has the same nodes."""
        like = np.arange(self.space.cells)
        for a, b in sorted(stays):
            first, second = sorted((int(like[a]), int(like[b])))
            like[like == second] = first
        return like

    def _alike(self, decided: Decided) -> Alike:
        """By cell, the points that stay where one of its own is, from cell to cell."""
        import networkx as nx

        stay = nx.Graph(pair for decision in decided for pair in decision.stay)
        alike: dict[int, dict[int, int]] = {}
        for together in nx.connected_components(stay):
            for point in together:
                others = dict.fromkeys(together - {point}, point)
                alike.setdefault(point // self.space.nodes, {}).update(others)
        return alike

    def sets(self, decided: Decided) -> Sets:
        """The pairs of all levels; one renaming for those that stay, a hop more where somebody moves."""
        order = self.order(self.forced | {decision.cells for decision in decided if decision.moves})
        return Sets(order, self.distances, self._alike(decided), self._least_hops(order, decided), self.known)

    def order(self, moves: frozenset[Cells]) -> Precedence:
        """Precedence where values are arranged between these cells, as far as possible without others; fewer
        arranged values only make every task earlier."""
        if moves not in self._orders:
            like = self._like(set(self.between) - moves)
            some = np.concatenate([np.roll(np.arange(self.space.nodes), cell) for cell in like.tolist()])
            table = some[self.space.points]
            moved = {
                cells
                for cells in self.between
                for array, start, stop in self.rows[cells]
                if not np.array_equal(table[array - 1, start], table[array - 1, stop])
            }
            if moved <= moves:
                schedule = place(self.flow, table, self.machine)
                self._orders[moves] = precedence(schedule, self.machine, self.space.points)
            else:  # those that are forced are always possible
                self._orders[moves] = self.order(moves - {max(moves - self.forced)})
        return self._orders[moves]

    def _everybody(self, cells: Cells) -> frozenset[Cells]:
        """Points of every process in the two rows, the lower first."""
        array, start, stop = self.rows[cells][0]
        points = np.sort(self.space.points[array - 1, [start, stop]], axis=0)
        return frozenset(zip(*points.tolist(), strict=True))

    def _most(self, cells: Cells) -> frozenset[Cells]:
        """The largest set of processes that receive the same messages between these rows."""
        order = self.order(self.forced | {cells})
        bundles: dict[Cells, list[int]] = {pair: [] for pair in sorted(self._everybody(cells))}
        for bundle, number in enumerate(order.bundles.ways.tolist()):
            for pair in self._moving(order, number):
                if pair in bundles:
                    bundles[pair].append(bundle)
        processes: dict[tuple[int, ...], list[Cells]] = {}
        for pair, messages in bundles.items():
            processes.setdefault(tuple(messages), []).append(pair)
        return frozenset(sorted(processes.values(), key=len)[-1])

    def _least_hops(self, order: Precedence, decided: Decided) -> NDArray[np.int64]:
        """Least hops by bundle: one more than to its readers' places at the sender's level, if all processes
        of which one moves are among its readers, or receive a message of this send earlier."""
        bundles = order.bundles
        least_hops = np.zeros(len(bundles), dtype=np.int64)
        array = np.cumsum(order.graph.before < 0)[bundles.reader]
        alike = np.stack([bundles.source, bundles.service, bundles.vertical, array])
        _, send = np.unique(alike, axis=1, return_inverse=True)
        sends = np.split(np.argsort(send, kind="stable"), np.cumsum(np.bincount(send))[:-1])
        moving = [self._moving(order, number) for number in range(len(order.ways.first) - 1)]
        for decision in filter(lambda decision: decision.moves, decided):
            for some in sends:
                hops = {
                    k: {pair: before for pair, before in moving[ways].items() if pair in decision.moves}
                    for k, ways in zip(some.tolist(), bundles.ways[some].tolist(), strict=True)
                }
                hops = {k: before for k, before in hops.items() if before}
                if decision.moves <= set[Cells]().union(*hops.values()):
                    last = max(hops, key=lambda k: int(bundles.reader[k]))
                    least = 1 + min(before for of_pair in hops.values() for before in of_pair.values())
                    for k, of_pair in hops.items():
                        if k == last or decision.moves <= of_pair.keys():
                            least_hops[k] = max(least_hops[k], least)
        return least_hops

    def _moving(self, order: Precedence, number: int) -> dict[Cells, int]:
        """Least hops before each way of a set that leads on to another cell; the lower point first."""
        nodes, (start, middle, end) = self.space.nodes, order.ways.of_set(number)
        before = (start != middle) & (start // nodes == middle // nodes)
        hops_of_pair: dict[Cells, int] = {}
        for p, q, hops in zip(middle.tolist(), end.tolist(), before.tolist(), strict=True):
            if p // nodes != q // nodes:
                pair = min(p, q), max(p, q)
                hops_of_pair[pair] = min(hops_of_pair.get(pair, 1), int(hops))
        return hops_of_pair
