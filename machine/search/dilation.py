"""How far apart partners are in every renaming of the nodes: a lower bound of the makespan.

The messages of one send lead over pairs of places; a renaming puts the places on nodes. If no renaming brings
all pairs of some sets within k hops, then in every renaming one of these sets has a pair at k + 1 hops or
more, and so has every set that contains it. Branching on which one leaves no renaming out; the least over the
branches of the longest path, with every set at its dilation or more, is a bound, wherever branching stops.

That no renaming does it is shown by counting walks. Let the pairs be the edges of one graph, and the nodes
within k hops of each other those of a second. If a renaming brought all pairs within k hops it would carry
every walk of the first graph into one of the second, different ones to different ones, those that start, end
or close at a place to those at its node. So the numbers of walks of each length that start (end, close) at a
place, sorted, would nowhere exceed those of the nodes, sorted. Length 1 counts partners, length 3 triangles:
a network without triangles has no room for i, i + 1, i + 2 at one hop.
"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers
from senn.machine.search.precedence import Precedence

Pairs = frozenset[tuple[int, int]]

LENGTHS = 3
"""Walks are counted up to this length; longer ones refuted nothing more on the networks tried."""

EFFORT = 10**9
"""Operations spent on counting walks before the branching is broken off: some seconds."""


def dilation(order: Precedence, distances: NDArray[np.int16]) -> tuple[int, str]:
    """No renaming of `order` ends before so many cycles, over (N, N) `distances`; and why."""
    sets = _Sets(order, distances)
    ties = count()
    start = (1,) * len(sets.pairs)
    queue = [(sets.makespan(start), next(ties), start)]
    seen = {start}
    while sets.effort > 0 and (conflict := sets.conflict(queue[0][2])):
        k, apart = conflict
        _, _, hops = heapq.heappop(queue)
        for one in apart:
            raised = tuple(max(h, k + 1) if s in sets.above[one] else h for s, h in enumerate(hops))
            if raised not in seen:
                seen.add(raised)
                heapq.heappush(queue, (sets.makespan(raised), next(ties), raised))
    cycles, _, hops = queue[0]
    if len(seen) == 1:
        return cycles, "no partners are known to need more than one hop"
    return cycles, f"no placement has all partners at one hop: at best some are {max(hops)} apart"


def within_reach(pairs: Pairs, near: NDArray[np.bool_]) -> bool:
    """False if no renaming r makes all `pairs` (p, q) near, near[r[p], r[q]]; (N, N). True proves nothing."""
    wanted = np.zeros(near.shape)  # counts stay below N^LENGTHS: exact in floating point
    wanted[tuple(np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T)] = 1
    offered = near.astype(np.float64)
    ours, theirs = wanted, offered
    for length in range(1, LENGTHS + 1):
        if length > 1:
            ours, theirs = ours @ wanted, theirs @ offered
        for counts in (lambda walks: walks.sum(axis=1), lambda walks: walks.sum(axis=0), np.diag):
            if (np.sort(counts(ours)) > np.sort(counts(theirs))).any():
                return False
    return True


class _Sets:
    """The sets of pairs that the bundles of a precedence lead over, and what their dilations cost."""

    def __init__(self, order: Precedence, distances: NDArray[np.int16]) -> None:
        self.order, self.distances = order, distances
        self.symmetric = bool((distances == distances.T).all())
        numbers: dict[Pairs, int] = {}
        self.legs = [self._legs(number, numbers) for number in range(len(order.ways.first) - 1)]
        self.pairs = list(numbers)
        self.above = [{t for t, other in enumerate(self.pairs) if one <= other} for one in self.pairs]
        self.known: dict[tuple[Pairs, int], bool] = {}
        self.effort = EFFORT

    def _legs(self, number: int, numbers: dict[Pairs, int]) -> list[tuple[int, int]]:
        """Of a set of ways, per leg: the set of its pairs, and the hops that the other leg has at least."""
        w, chosen = self.order.ways, self.order.ways.of_set(number)
        start, middle, end = w.start[chosen], w.middle[chosen], w.end[chosen]
        found = []
        for one, two, other in ((start, middle, middle != end), (middle, end, start != middle)):
            apart = one != two
            if apart.any():
                pairs = self._undirected(one[apart], two[apart])
                found.append((numbers.setdefault(pairs, len(numbers)), int(other[apart].min())))
        return found

    def _undirected(self, one: Integers, two: Integers) -> Pairs:
        """The pairs; both ways, where the network is as near both ways."""
        pairs = zip(one.tolist(), two.tolist(), strict=True)
        return frozenset(both for p, q in pairs for both in ((p, q), (q, p) if self.symmetric else (p, q)))

    def makespan(self, hops: tuple[int, ...]) -> int:
        """The longest path where every set has a pair at so many hops."""
        bundles = self.order.bundles
        inside = [max((hops[s] + other for s, other in legs), default=0) for legs in self.legs]
        whole = np.array(inside, dtype=np.int64)[bundles.ways] + bundles.vertical
        return int(self.order.makespan(whole[:, None])[0])

    def conflict(self, hops: tuple[int, ...]) -> tuple[int, list[int]] | None:
        """(k, sets): no renaming brings all their pairs within k hops, though `hops` says so; few sets."""
        for k in range(1, int(self.distances.max(initial=0))):
            within = [s for s, h in enumerate(hops) if h <= k]
            if not self._within_reach(within, k):
                for s in list(within):
                    fewer = [t for t in within if t != s]
                    if not self._within_reach(fewer, k):
                        within = fewer
                return k, within
        return None

    def _within_reach(self, sets: list[int], k: int) -> bool:
        pairs = frozenset[tuple[int, int]]().union(*(self.pairs[s] for s in sets))
        if (pairs, k) not in self.known:
            self.effort -= 300_000 + len(self.distances) ** 3
            near = (self.distances > 0) & (self.distances <= k)
            self.known[pairs, k] = within_reach(pairs, near)
        return self.known[pairs, k]
