"""How far apart partners are in every renaming of the nodes: a lower bound of the makespan.

The messages of one send lead over pairs of places; a renaming puts the places on nodes. If no renaming brings
all pairs of some sets within k hops, then in every renaming one of these sets has a pair at k + 1 hops or
more, and so has every set that contains it. Branching on which one leaves no renaming out; the least over the
branches of the longest path, with every set at its dilation or more, is a bound, wherever branching stops.

That no renaming does it is shown by `senn.machine.search.embedding`. With several cells (a table of its own
for every level) each has a renaming of its own, which is also for what is known to stay there in others; and
where a process moves between cells, some message has a hop more.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from itertools import count
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers
from senn.machine.search.embedding import Pairs, within_reach
from senn.machine.search.precedence import Precedence

EFFORT = 10**9
"""Operations spent on looking for renamings before the branching is broken off: some seconds."""

Known = dict[tuple[Pairs, int], bool]
"""What is known of renamings: whether one may bring such pairs within so many hops."""
Alike = Mapping[int, Mapping[int, int]]
"""Of a cell, the points that are known to be on the same node as one of its own; and which."""


def dilation(order: Precedence, distances: NDArray[np.int16]) -> tuple[int, str]:
    """No renaming of `order` ends before so many cycles, over (N, N) `distances`; and why."""
    sets = Sets(order, distances)
    cycles, hops, raised = sets.least()
    if not raised:
        return cycles, "no partners are known to need more than one hop"
    return cycles, f"no placement has all partners at one hop: at best some are {max(hops)} apart"


class Sets:
    """The sets of pairs that the bundles of a precedence lead over, and what their dilations cost.

    `alike` says what points of other cells are on the same node as one of a cell. `least_hops` (bundles,)
    are those inside the array that a bundle is known to have.
    """

    def __init__(
        self,
        order: Precedence,
        distances: NDArray[np.int16],
        alike: Alike = MappingProxyType({}),
        least_hops: Integers | None = None,
        known: Known | None = None,
    ) -> None:
        self.order, self.distances, self.nodes = order, distances, len(distances)
        self.least_hops = np.zeros(len(order.bundles)) if least_hops is None else least_hops
        self.symmetric = bool((distances == distances.T).all())
        numbers: dict[Pairs, int] = {}
        self.legs = [self._legs(number, numbers) for number in range(len(order.ways.first) - 1)]
        self.pairs = list(numbers)
        cells = sorted({p // self.nodes for pairs in self.pairs for pair in pairs for p in pair})
        # by cell: of every set, those pairs that are known to be between two nodes of that cell
        self.inside = [self._inside(cell, alike.get(cell, {})) for cell in cells]
        self.above = [{t for t, other in enumerate(self.pairs) if one <= other} for one in self.pairs]
        self.known: Known = {} if known is None else known
        self.effort = EFFORT

    def least(self) -> tuple[int, tuple[int, ...], bool]:
        """The least longest path of all branches, its dilations, and whether any was raised."""
        ties = count()
        start = (1,) * len(self.pairs)
        queue = [(self.makespan(start), next(ties), start)]
        seen = {start}
        while self.effort > 0 and (conflict := self.conflict(queue[0][2])):
            k, apart = conflict
            _, _, hops = heapq.heappop(queue)
            for one in apart:
                raised = tuple(max(h, k + 1) if s in self.above[one] else h for s, h in enumerate(hops))
                if raised not in seen:
                    seen.add(raised)
                    heapq.heappush(queue, (self.makespan(raised), next(ties), raised))
        cycles, _, hops = queue[0]
        return cycles, hops, len(seen) > 1

    def _legs(self, number: int, numbers: dict[Pairs, int]) -> list[tuple[int, int]]:
        """Of a set of ways, per leg: the set of its pairs, and the hops that the other leg has at least."""
        w, chosen = self.order.ways, self.order.ways.of_set(number)
        start, middle, end = w.start[chosen], w.middle[chosen], w.end[chosen]
        found = []
        for one, two, other in (
            (start, middle, self.apart(middle, end)),
            (middle, end, self.apart(start, middle)),
        ):
            apart = self.apart(one, two)
            if apart.any():
                pairs = self._undirected(one[apart], two[apart])
                found.append((numbers.setdefault(pairs, len(numbers)), int(other[apart].min())))
        return found

    def _inside(self, cell: int, alike: Mapping[int, int]) -> list[Pairs]:
        first = cell * self.nodes
        own = {p: p - first for p in range(first, first + self.nodes)}
        node = {**{p: q - first for p, q in alike.items()}, **own}
        return [
            frozenset((node[p], node[q]) for p, q in pairs if p in node and q in node) for pairs in self.pairs
        ]

    def apart(self, one: Integers, two: Integers) -> NDArray[np.bool_]:
        """Which points are known to be on different nodes."""
        found: NDArray[np.bool_] = (one != two) & (one // self.nodes == two // self.nodes)
        return found

    def _undirected(self, one: Integers, two: Integers) -> Pairs:
        """The pairs; both ways, where the network is as near both ways."""
        pairs = zip(one.tolist(), two.tolist(), strict=True)
        return frozenset(both for p, q in pairs for both in ((p, q), (q, p) if self.symmetric else (p, q)))

    def makespan(self, hops: tuple[int, ...]) -> int:
        """The longest path where every set has a pair at so many hops."""
        bundles = self.order.bundles
        inside = [max((hops[s] + other for s, other in legs), default=0) for legs in self.legs]
        least = np.maximum(np.array(inside, dtype=np.int64)[bundles.ways], self.least_hops)
        whole = least.astype(np.int64) + bundles.vertical
        return int(self.order.makespan(whole[:, None])[0])

    def conflict(self, hops: tuple[int, ...]) -> tuple[int, list[int]] | None:
        """(k, sets): no renaming brings all their pairs within k hops, though `hops` says so; few sets."""
        for k in range(1, int(self.distances.max(initial=0))):
            within = [s for s, h in enumerate(hops) if h <= k]
            for inside in self.inside:
                conflict = [s for s in within if inside[s]]
                if not self._within_reach(conflict, inside, k):
                    for s in list(conflict):
                        fewer = [t for t in conflict if t != s]
                        if not self._within_reach(fewer, inside, k):
                            conflict = fewer
                    return k, conflict
        return None

    def _within_reach(self, sets: list[int], inside: list[Pairs], k: int) -> bool:
        pairs = frozenset[tuple[int, int]]().union(*(inside[s] for s in sets))
        if (pairs, k) not in self.known:
            near = (self.distances > 0) & (self.distances <= k)
            self.known[pairs, k], tries = within_reach(pairs, near)
            self.effort -= 300_000 + self.nodes**3 + tries * 200 * self.nodes
        return self.known[pairs, k]
