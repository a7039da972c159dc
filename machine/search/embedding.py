"""Whether a renaming of the nodes brings all pairs of a set near each other: walks first, then trying.

*Walks.* Let the pairs be the edges of one graph, and the nodes near each other those of a second. If a
renaming brought all pairs near it would carry every walk of the first graph into one of the second, different
ones to different ones, those that start, end or close at a place to those at its node. So the numbers of
walks of each length that start (end, close) at a place, sorted, would nowhere exceed those of the nodes,
sorted. Length 1 counts partners, length 3 triangles: a network without triangles has no room for i, i + 1,
i + 2 at one hop.

*Trying.* Place after place is put on a node, the one with the fewest nodes left first; what is not near its
partners, or taken, is no longer left to the others. If every way ends with a place that has none left, no
renaming exists. After so many tries nothing is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pairs = frozenset[tuple[int, int]]

LENGTHS = 3
"""Walks are counted up to this length; longer ones refuted nothing more on the networks tried."""
TRIES = 3000
"""Of putting a place on a node, before nothing is known."""
LARGEST = 128
"""Nodes of a network on which it is tried; of larger ones the tries are too few, and each is dear."""


def within_reach(pairs: Pairs, near: NDArray[np.bool_], tries: int = TRIES) -> tuple[bool, int]:
    """False if no renaming r makes all `pairs` (p, q) near, near[r[p], r[q]]; (N, N). True proves nothing.
    And how many tries it took."""
    if not _walks_fit(pairs, near):
        return False, 0
    trying = _Trying(pairs, near, tries if len(near) <= LARGEST else 0)
    return trying.found(), trying.tried


def _walks_fit(pairs: Pairs, near: NDArray[np.bool_]) -> bool:
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


class _Trying:
    """The nodes that are left to every place are the bits of a whole number."""

    def __init__(self, pairs: Pairs, near: NDArray[np.bool_], tries: int) -> None:
        self.left_to_try, self.tries = tries, tries
        self.after, self.before = _bits(near), _bits(near.T)
        self.nodes = (1 << len(near)) - 1
        self.to: dict[int, list[int]] = {p: [] for pair in sorted(pairs) for p in pair}
        self.of: dict[int, list[int]] = {p: [] for p in self.to}
        for p, q in sorted(pairs):
            self.to[p].append(q)
            self.of[q].append(p)

    @property
    def tried(self) -> int:
        return self.tries - self.left_to_try

    def found(self) -> bool:
        return self._found(dict.fromkeys(self.to, self.nodes))

    def _found(self, left: dict[int, int]) -> bool:
        """Whether the places can be put on what is left to them, or nobody knows."""
        if not left:
            return True
        place = min(left, key=lambda p: (left[p].bit_count(), -len(self.to[p]) - len(self.of[p]), p))
        nodes = left[place]
        while nodes:
            if not self.left_to_try:
                return True
            self.left_to_try -= 1
            bit = nodes & -nodes
            nodes ^= bit
            rest = self._put(left, place, bit)
            if rest is not None and self._found(rest):
                return True
        return False

    def _put(self, left: dict[int, int], place: int, bit: int) -> dict[int, int] | None:
        """What is left to the others; None if one of them has nothing."""
        node = bit.bit_length() - 1
        rest = {p: nodes & ~bit for p, nodes in left.items() if p != place}
        for partners, near in ((self.to[place], self.after[node]), (self.of[place], self.before[node])):
            for p in partners:
                if p in rest:
                    rest[p] &= near
        return rest if all(rest.values()) else None


def _bits(near: NDArray[np.bool_]) -> list[int]:
    return [sum(1 << int(q) for q in np.flatnonzero(row)) for row in near]
