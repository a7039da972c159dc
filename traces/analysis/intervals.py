"""Sets of cycles as half-open intervals [start, end), for many owners at once.

An owner (a node's engine, a channel) is a whole number. All owners share one long axis: owner o at cycle t
is the point o * horizon + t, with a horizon beyond every cycle, so intervals of different owners never
meet and every operation is a sort or a search in one array.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Cycles:
    """A set of points on the axis: disjoint, increasing intervals that do not touch, none empty."""

    start: Integers
    end: Integers

    @classmethod
    def union(cls, start: Integers, end: Integers) -> Self:
        """The points in any of the intervals [start, end); they may overlap and come in any order."""
        some = end > start
        order = np.argsort(start[some], kind="stable")
        start, end = start[some][order], np.maximum.accumulate(end[some][order])
        first = np.ones(start.size, dtype=bool)
        first[1:] = start[1:] > end[:-1]
        last = np.ones(start.size, dtype=bool)
        last[:-1] = first[1:]
        return cls(start[first], end[last])

    def before(self, point: Integers) -> Integers:
        """How many points of the set are less than each ``point``."""
        if not self.start.size:
            return np.zeros_like(point)
        length = np.concatenate([[0], np.cumsum(self.end - self.start)])
        index = np.searchsorted(self.start, point, side="right")
        # All intervals that begin at or before the point, less what sticks out beyond it.
        outside = np.where(index > 0, np.maximum(self.end[index - 1] - point, 0), 0)
        return np.asarray(length[index] - outside, dtype=np.int64)

    def within(self, start: Integers, end: Integers) -> Integers:
        """How many points of the set lie in each [start, end)."""
        return self.before(end) - self.before(start)
