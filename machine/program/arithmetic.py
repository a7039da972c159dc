"""Arithmetic that is executed without numbers: how many operations a kernel takes, and which waits for which.

A kernel is run on scalars that have no value and record what is done to them, so its cost is what it
executes: nothing is declared that could differ. Copying and changing a sign are free, and so is comparing,
which only the choice of a pivot does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

_MULTIPLY, _ADD, _DIVIDE, _TRIG = range(4)


@dataclass(frozen=True)
class Operations:
    """Arithmetic of one process: multiplications, additions, divisions, sines and cosines."""

    multiply: int = 0
    add: int = 0
    divide: int = 0
    trig: int = 0

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.multiply + other.multiply,
            self.add + other.add,
            self.divide + other.divide,
            self.trig + other.trig,
        )

    def times(self, count: int) -> Operations:
        """Operations of `count` processes that do the same."""
        return Operations(self.multiply * count, self.add * count, self.divide * count, self.trig * count)

    @property
    def flops(self) -> int:
        return self.multiply + self.add + self.divide + self.trig


class Tally:
    """Operations executed so far on the scalars made here, by kind."""

    def __init__(self) -> None:
        self.counts = [0, 0, 0, 0]

    def scalars(self, *shape: int) -> NDArray[Any]:
        """A block of operands."""
        block = np.empty(shape, dtype=object)
        block.fill(Scalar(self, -1))
        return block

    @property
    def operations(self) -> Operations:
        """All of them."""
        return Operations(*self.counts)

    def execute(self, kind: int, operands: tuple[object, ...]) -> Scalar:
        """The result of one operation."""
        self.counts[kind] += 1
        return Scalar(self, -1)


class Graph(Tally):
    """Operations in the order in which a kernel executes them: of which kind each is, and whose results it
    reads."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[int] = []
        self.reads: list[tuple[int, ...]] = []

    def execute(self, kind: int, operands: tuple[object, ...]) -> Scalar:
        super().execute(kind, operands)
        origins = {x.origin for x in operands if isinstance(x, Scalar)}
        self.kinds.append(kind)
        self.reads.append(tuple(origins - {-1}))
        return Scalar(self, len(self.kinds) - 1)

    def shared(self, units: int, times: Sequence[Fraction | int]) -> Operations:
        """Operations that follow each other without a gap from the first to the last of a schedule on so many
        units: the schedule takes as long as these.

        `times` are those of a multiplication, an addition, a division, and a sine or cosine, in any unit. A
        free unit starts, of the operations whose operands are there, the one from which the most time has
        still to pass. With one unit these are all operations, with enough of them a longest chain: no number
        of units does it in less. Between, no schedule is shorter than half of this one (Graham 1966).
        """
        parts = [Fraction(time) for time in times]
        scale = lcm(*(part.denominator for part in parts))
        cost = [int(parts[kind] * scale) for kind in self.kinds]
        longest = [self.kinds[k] for k in _critical(cost, self.reads, units)]
        return Operations(*(longest.count(kind) for kind in (_MULTIPLY, _ADD, _DIVIDE, _TRIG)))


class Scalar:
    """A number without a value: the result of an operation, or (origin -1) an operand of the kernel.

    Whatever would need its value raises TypeError, but for what the choice of a pivot does: all pivots cost
    the same, so the first is taken.
    """

    __slots__ = ("origin", "tally")

    def __init__(self, tally: Tally, origin: int) -> None:
        self.tally, self.origin = tally, origin

    def __mul__(self, other: object) -> Scalar:
        return self.tally.execute(_MULTIPLY, (self, other))

    def __add__(self, other: object) -> Scalar:
        return self.tally.execute(_ADD, (self, other))

    def __truediv__(self, other: object) -> Scalar:
        return self.tally.execute(_DIVIDE, (self, other))

    def cos(self) -> Scalar:
        """Called by `np.cos` for each element of an object array."""
        return self.tally.execute(_TRIG, (self,))

    __rmul__, __rtruediv__, sin = __mul__, __truediv__, cos
    __sub__ = __radd__ = __rsub__ = __add__

    def __neg__(self) -> Scalar:
        return self

    __abs__ = __neg__

    def __gt__(self, other: object) -> bool:
        return False  # of the pivots that there are, the first

    def __int__(self) -> int:
        return 0  # the row that a pivot stood in

    def _refuse(self, *other: object) -> NoReturn:
        raise TypeError("a kernel must not decide by its numbers: a counted scalar has no value")

    __eq__ = __ne__ = __lt__ = __le__ = __ge__ = __bool__ = __float__ = _refuse


def _critical(cost: Sequence[int], reads: Sequence[tuple[int, ...]], units: int) -> list[int]:
    """Operations that follow each other without a gap up to the end of a schedule, the last first."""
    readers: list[list[int]] = [[] for _ in cost]
    for reader, sources in enumerate(reads):
        for source in sources:
            readers[source].append(reader)
    left = list(cost)  # from its start to the end, along the longest chain of readers
    for operation in reversed(range(len(cost))):
        left[operation] += max((left[other] for other in readers[operation]), default=0)
    missing = [len(before) for before in reads]
    ready = [(-left[operation], operation) for operation in range(len(cost)) if not missing[operation]]
    ready.sort()
    cause: dict[int, int] = {}
    busy: list[tuple[int, int]] = []
    now, ended, free = 0, -1, units
    while ready or busy:
        while ready and free:
            _, operation = heappop(ready)
            cause[operation] = ended
            heappush(busy, (now + cost[operation], operation))
            free -= 1
        now, ended = heappop(busy)
        free += 1
        for other in readers[ended]:
            missing[other] -= 1
            if not missing[other]:
                heappush(ready, (-left[other], other))
    chain = []
    while ended >= 0:
        chain.append(ended)
        ended = cause[ended]
    return chain
