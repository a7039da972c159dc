"""Descents by the bound alone: from a renaming of the nodes by the best of all swaps, again and again."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.search.bounds import distances
from senn.machine.search.precedence import precedence

SWAPS = 2048
"""Swaps of two nodes tried at once; of larger neighbourhoods so many are drawn."""
KICK, KICKS = 3, 20
"""Random swaps that lead away from where a descent ended; kicks in a row without a gain."""
_AT_ONCE = 1024


class Descents:
    """The bounds of all renamings of a placed program, and the ways down from one to another."""

    def __init__(self, schedule: Schedule, machine: Machine, seed: int) -> None:
        self.precedence = precedence(schedule, machine)
        self.distances = distances(schedule)
        self.nodes = self.precedence.nodes
        self.random = np.random.default_rng(seed)
        self.bounded = 0  # renamings so far

    def scores(self, renamings: Integers) -> NDArray[np.int64]:
        """(k, 2) least makespan and words x hops of (k, N) renamings."""
        parts = []
        for first in range(0, len(renamings), _AT_ONCE):
            hops, word_hops = self.precedence.hops(self.distances, renamings[first : first + _AT_ONCE])
            parts.append(np.stack([self.precedence.makespan(hops), word_hops], axis=1))
        self.bounded += len(renamings)
        return np.concatenate(parts)

    def mirrored(self, renaming: Integers) -> Integers:
        """The nodes in reverse order. On SENN all distances stay; who comes first in a queue does not."""
        return self.nodes - 1 - renaming

    def swapped(self, renaming: Integers) -> Integers:
        """(k, N) all that differ by one swap of two nodes, or SWAPS of them drawn."""
        pairs = np.array(list(itertools.combinations(range(self.nodes), 2)), dtype=np.int64)
        if len(pairs) > SWAPS:
            pairs = pairs[self.random.choice(len(pairs), SWAPS, replace=False)]
        swapped = np.repeat(renaming[None], len(pairs), axis=0)
        rows = np.arange(len(pairs))[:, None]
        swapped[rows, pairs] = swapped[rows, pairs[:, ::-1]]
        return swapped

    def chain(self, renaming: Integers) -> dict[bytes, tuple[int, ...]]:
        """Where descents from a renaming, and then from kicks away from the best of them, ended."""
        renaming, least = self._descend(renaming)
        ends, fruitless = {renaming.tobytes(): least}, 0
        while fruitless < KICKS:
            kicked = renaming.copy()
            for _ in range(KICK):
                pair = self.random.choice(self.nodes, 2, replace=False)
                kicked[pair] = kicked[pair[::-1]]
            there, found = self._descend(kicked)
            ends[there.tobytes()] = found
            fruitless = 0 if found < least else fruitless + 1
            if found <= least:
                renaming, least = there, found
        return ends

    def _descend(self, renaming: Integers) -> tuple[Integers, tuple[int, ...]]:
        """The best swap by the bound, and again, to where none gains."""
        least = score(self.scores(renaming[None])[0])
        while True:
            swapped = self.swapped(renaming)
            scores = self.scores(swapped)
            best = int(ascending(scores)[0])
            if score(scores[best]) >= least:
                return renaming, least
            renaming, least = swapped[best], score(scores[best])


def ascending(scores: NDArray[np.int64]) -> Integers:
    """The order of (k, 2) scores: by makespan, then by words x hops."""
    return np.lexsort((scores[:, 1], scores[:, 0]))


def score(row: NDArray[np.int64]) -> tuple[int, ...]:
    """One of (k, 2) scores, to be compared with that of a run."""
    return tuple(row.tolist())
