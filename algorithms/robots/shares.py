"""How a flat vector of a state is shared among the joints: q, and qd, tau, qdd.

Joints have different numbers of coordinates and degrees of freedom. A flat vector holds their shares one
after the other, base to tip; stacked, every joint has a row, filled up with zeros.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.spatial import IntArray, Numbers


@dataclass(frozen=True, eq=False)
class Shares:
    """One number per joint: how many numbers of the flat vector are its own."""

    counts: IntArray
    """(n,)."""

    @cached_property
    def total(self) -> int:
        """Length of the flat vector."""
        return int(self.counts.sum())

    @cached_property
    def width(self) -> int:
        """The largest share."""
        return int(self.counts.max(initial=0))

    @cached_property
    def first(self) -> IntArray:
        """(n + 1,): where the share of each joint begins, and the length of the vector."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """(n, width): which entries of the stacked form are numbers of the flat one."""
        return np.asarray(np.arange(self.width) < self.counts[:, None])

    @property
    def even(self) -> bool:
        """Whether all shares are equal, so that nothing is filled up."""
        return self.total == self.width * len(self.counts)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """(n,): the share of each joint."""
        first = self.first.tolist()
        return tuple(map(slice, first, first[1:]))

    def of(self, i: int) -> slice:
        """The share of joint i (1..n)."""
        return self.slices[i - 1]

    def stacked(self, flat: Numbers) -> Numbers:
        """(total, ...) to (n, width, ...), zero where a joint's share is shorter."""
        if self.even:
            return flat.reshape(len(self.counts), self.width, *flat.shape[1:])
        rows = np.zeros((*self.held.shape, *flat.shape[1:]), dtype=flat.dtype)
        rows[self.held] = flat
        return rows

    def flat(self, stacked: Numbers) -> Numbers:
        """The inverse of `stacked`; what fills up is dropped."""
        if self.even:
            return stacked.reshape(self.total, *stacked.shape[2:])
        return np.asarray(stacked[self.held])


def shares(counts: Sequence[int]) -> Shares:
    return Shares(np.array(counts, dtype=np.int64))
