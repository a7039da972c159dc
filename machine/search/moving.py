"""Below what no choice of a table for every level can come: proved lower bounds of the makespan.

Between two rows of a table that values are arranged between, either nobody moves; or one of those that read
alike moves, which are most of the processes; or these stay, and one of the others moves.

Where processes stay, one renaming must bring their partners of both levels near each other, and
`senn.machine.search.bounds` says that some are further away than one hop. Where one of some processes
moves, and they all get a message of one send that follows its reader from the one row to the other, one of
these has a hop more, wherever it is read: so the last of its readers does not come sooner.

Branching on this, from the first rows to the last, leaves no table out; what is not yet decided is taken as
it costs nothing: nothing is arranged, and no two levels share a renaming. The least over the branches of the
longest path is a bound, wherever branching stops.

What is said of one process to a node in `senn.machine.search.bounds` holds for every row by itself.
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
    """Of two cells, whose points are those of the same processes in both."""

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
    return (
        Bound(
            "free network",
            int(nothing.makespan(at_once)[0]),
            "computing and posting take so long when nobody moves and messages take no time",
        ),
        Bound(
            "one hop",
            one_hop.makespan((1,) * len(one_hop.pairs)),
            "a message between different nodes crosses a channel at least",
        ),
        Bound("moving or staying", cycles, why),
    )


class _Branching:
    """Who moves between which cells: decided one after the other, the least bound first."""

    def __init__(self, schedule: Schedule, machine: Machine, space: Space) -> None:
        self.flow, self.machine, self.space = schedule.flow, machine, space
        self.distances = distances(schedule)
        self.rows: dict[Cells, list[tuple[int, int, int]]] = {}
        for array, one, other in space.transitions:
            a, b = sorted((space.cell(array, one), space.cell(array, other)))
            if a != b:
                self.rows.setdefault((a, b), []).append((array, one, other))
        self.between = sorted(self.rows)
        self.forced = frozenset(cells for cells in self.between if not self._may_stay(cells))
        self.known: Known = {}
        self._orders: dict[frozenset[Cells], Precedence] = {}
        self.choices = [list(self._choices(cells)) for cells in self.between]

    def least(self) -> tuple[int, str]:
        """The least bound of all branches, and who moves in it."""
        ties = count()
        queue: list[tuple[int, int, Decided]] = [(self._cycles(()), next(ties), ())]
        for _ in range(BRANCHES):
            if len(queue[0][2]) == len(self.between):
                break
            cycles, _, before = heapq.heappop(queue)
            for choice in self.choices[len(before)]:
                decided = (*before, choice)
                if self._possible(decided):
                    heapq.heappush(queue, (max(cycles, self._cycles(decided)), next(ties), decided))
        cycles, _, decided = queue[0]
        return cycles, self._said(decided)

    def _choices(self, cells: Cells) -> Iterator[_Decision]:
        """Nobody moves; one of most moves; these stay, and one of the others moves."""
        everybody = self._everybody(cells)
        most = self._most(cells)
        if cells not in self.forced:
            yield _Decision(cells, frozenset(), everybody)
        yield _Decision(cells, most, frozenset())
        if most != everybody:
            yield _Decision(cells, everybody - most, most)

    def _said(self, decided: Decided) -> str:
        between = [self.rows[one.cells][0][1:] for one in decided if one.moves]
        at = ", ".join(f"from level {one} {f'to {other}' if other else 'home'}" for one, other in between)
        return (
            "a move costs a hop, and without it some partners are further apart; at best "
            f"{f'there are moves {at}' if at else 'nobody moves'}"
        )

    def _may_stay(self, cells: Cells) -> bool:
        """Whether two rows can be equal: the same processes share nodes in both."""
        points = self.space.points % self.space.nodes
        return all(
            np.array_equal(points[a - 1, one], points[a - 1, other]) for a, one, other in self.rows[cells]
        )

    def _possible(self, decided: Decided) -> bool:
        """Whether rows that stay leave those that move different."""
        like = self._like({one.cells for one in decided if not one.moves})
        return all(like[one.cells[0]] != like[one.cells[1]] for one in decided if one.moves)

    def _like(self, stays: Iterable[Cells]) -> Integers:
        """For every cell the first that has the same nodes."""
        like = np.arange(self.space.cells)
        for a, b in sorted(stays):
            one, other = sorted((int(like[a]), int(like[b])))
            like[like == other] = one
        return like

    def _alike(self, decided: Decided) -> Alike:
        """By cell, the points that stay where one of its own is, from cell to cell."""
        step: dict[int, set[int]] = {}
        for p, q in (pair for one in decided for pair in one.stay):
            step.setdefault(p, set()).add(q)
            step.setdefault(q, set()).add(p)
        found: dict[int, dict[int, int]] = {}
        for own in step:
            reached, edge = {own}, [own]
            while edge:
                new = step[edge.pop()] - reached
                reached |= new
                edge += new
            found.setdefault(own // self.space.nodes, {}).update(dict.fromkeys(reached - {own}, own))
        return found

    def _cycles(self, decided: Decided) -> int:
        return self.sets(decided).least()[0]

    def sets(self, decided: Decided) -> Sets:
        """The pairs of all levels; one renaming for those that stay, a hop more where somebody moves."""
        order = self.order(self.forced | {one.cells for one in decided if one.moves})
        return Sets(order, self.distances, self._alike(decided), self._least_hops(order, decided), self.known)

    def order(self, moves: frozenset[Cells]) -> Precedence:
        """What comes before what if values are arranged between these cells, as far as possible without
        others; fewer arranged values only let everything come sooner."""
        if moves not in self._orders:
            like = self._like(set(self.between) - moves)
            some = np.concatenate([np.roll(np.arange(self.space.nodes), cell) for cell in like.tolist()])
            table = some[self.space.points]
            moved = {
                cells
                for cells in self.between
                for array, one, other in self.rows[cells]
                if not np.array_equal(table[array - 1, one], table[array - 1, other])
            }
            if moved <= moves:
                schedule = place(self.flow, table, self.machine)
                self._orders[moves] = precedence(schedule, self.machine, self.space.points)
            else:  # those that are forced are always possible
                self._orders[moves] = self.order(moves - {max(moves - self.forced)})
        return self._orders[moves]

    def _everybody(self, cells: Cells) -> frozenset[Cells]:
        """The points of every process in the two rows, the lower first."""
        array, one, other = self.rows[cells][0]
        points = np.sort(self.space.points[array - 1, [one, other]], axis=0)
        return frozenset(zip(*points.tolist(), strict=True))

    def _most(self, cells: Cells) -> frozenset[Cells]:
        """Of the processes that take the same messages between these rows, those that are most."""
        order = self.order(self.forced | {cells})
        bundles: dict[Cells, list[int]] = {pair: [] for pair in sorted(self._everybody(cells))}
        for bundle, number in enumerate(order.bundles.ways.tolist()):
            for pair in self._moving(order, number):
                if pair in bundles:
                    bundles[pair].append(bundle)
        processes: dict[tuple[int, ...], list[Cells]] = {}
        for pair, taken in bundles.items():
            processes.setdefault(tuple(taken), []).append(pair)
        return frozenset(sorted(processes.values(), key=len)[-1])

    def _least_hops(self, order: Precedence, decided: Decided) -> NDArray[np.int64]:
        """Of every bundle: a hop more than to its readers' places at the sender's level, if every process
        of which one moves is among them, or gets a message of this send sooner."""
        bundles = order.bundles
        found = np.zeros(len(bundles), dtype=np.int64)
        array = np.cumsum(np.array(order.before) < 0)[bundles.reader]
        alike = np.stack([bundles.source, bundles.service, bundles.vertical, array])
        _, send = np.unique(alike, axis=1, return_inverse=True)
        sends = np.split(np.argsort(send, kind="stable"), np.cumsum(np.bincount(send))[:-1])
        moving = [self._moving(order, number) for number in range(len(order.ways.first) - 1)]
        for one in (one for one in decided if one.moves):
            for chosen in sends:
                hops = {
                    k: {pair: before for pair, before in moving[number].items() if pair in one.moves}
                    for k, number in zip(chosen.tolist(), bundles.ways[chosen].tolist(), strict=True)
                }
                hops = {k: before for k, before in hops.items() if before}
                if one.moves <= set[Cells]().union(*hops.values()):
                    last = max(hops, key=lambda k: int(bundles.reader[k]))
                    least = 1 + min(before for of_pair in hops.values() for before in of_pair.values())
                    for k, of_pair in hops.items():
                        if k == last or one.moves <= of_pair.keys():
                            found[k] = max(found[k], least)
        return found

    def _moving(self, order: Precedence, number: int) -> dict[Cells, int]:
        """Of a set of ways those that lead on to another cell, the lower point first, and the hops that each
        has at least before."""
        w, nodes, chosen = order.ways, self.space.nodes, order.ways.of_set(number)
        start, middle, end = w.start[chosen], w.middle[chosen], w.end[chosen]
        before = (start != middle) & (start // nodes == middle // nodes)
        found: dict[Cells, int] = {}
        for p, q, hops in zip(middle.tolist(), end.tolist(), before.tolist(), strict=True):
            if p // nodes != q // nodes:
                pair = min(p, q), max(p, q)
                found[pair] = min(found.get(pair, 1), int(hops))
        return found
