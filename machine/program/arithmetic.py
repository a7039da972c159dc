"""The arithmetic of a kernel as a graph, and how long it takes on several arithmetic units.

A kernel is run once on scalars without a value that write down what is done to them: nothing is declared
that could differ from what is executed. The sums stay in the order in which the kernel makes them, so no bit
of a result depends on the number of units. Copying and changing a sign are free, and so is comparing, which
only the choice of a pivot does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.program.kernel import Kernel, Operations
from senn.traces.errors import InputError

_MULTIPLY, _ADD, _DIVIDE, _TRIG = range(4)


@dataclass(eq=False)
class Graph:
    """Operations in the order in which a kernel executes them: of which kind each is, and whose results it
    reads."""

    kinds: list[int] = field(default_factory=list)
    reads: list[tuple[int, ...]] = field(default_factory=list)

    def scalars(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """A block that is there at the start."""
        block = np.empty(shape, dtype=object)
        block.fill(Scalar(self, -1))
        return block

    @property
    def operations(self) -> Operations:
        """All of them."""
        return _counted(self.kinds)

    def shared(self, units: int, times: Sequence[Fraction | int]) -> Operations:
        """Those that stand one after the other, without a gap, from the first to the last of a schedule on so
        many units: it takes as long as these.

        `times` are those of a multiplication, an addition, a division, and a sine or cosine, in any unit. A
        unit that is free takes, of the operations whose operands are there, the one from which the most time
        has still to pass. With one unit these are all operations, with enough of them a longest chain: no
        number of units does it in less. Between, no schedule is shorter than half of this one (Graham 1966).
        """
        parts = [Fraction(time) for time in times]
        scale = lcm(*(part.denominator for part in parts))
        cost = [int(parts[kind] * scale) for kind in self.kinds]
        return _counted([self.kinds[k] for k in _critical(cost, self.reads, units)])


def graph_of(kernel: Kernel, shapes: Sequence[tuple[int, ...]]) -> Graph:
    """The arithmetic of a kernel on operands of these shapes, all of them there; InputError for a kernel that
    decides by numbers, or does with them what is not counted."""
    graph = Graph()
    try:
        kernel.evaluate(*(graph.scalars((1, *shape)) for shape in shapes))  # of one process
    except (TypeError, InputError):
        raise InputError(
            f"the kernel {kernel.name} looks at its numbers: what it does cannot be shared out between "
            "arithmetic units; take a program of many processes"
        ) from None
    return graph


class Scalar:
    """A number without a value: the result of an operation, or (-1) an operand of the kernel."""

    __slots__ = ("graph", "origin")

    def __init__(self, graph: Graph, origin: int) -> None:
        self.graph, self.origin = graph, origin

    def _did(self, kind: int, *others: object) -> Scalar:
        read = (self, *(other for other in others if isinstance(other, Scalar)))
        self.graph.kinds.append(kind)
        self.graph.reads.append(tuple({one.origin for one in read if one.origin >= 0}))
        return Scalar(self.graph, len(self.graph.kinds) - 1)

    def __mul__(self, other: object) -> Scalar:
        return self._did(_MULTIPLY, other)

    def __add__(self, other: object) -> Scalar:
        return self._did(_ADD, other)

    def __truediv__(self, other: object) -> Scalar:
        return self._did(_DIVIDE, other)

    def cos(self) -> Scalar:
        """Called by `np.cos` for each element of an object array."""
        return self._did(_TRIG)

    __rmul__, __rtruediv__, sin = __mul__, __truediv__, cos
    __sub__ = __radd__ = __rsub__ = __add__

    def __neg__(self) -> Scalar:
        return self

    __abs__ = __neg__

    def __gt__(self, other: object) -> bool:
        return False  # of the pivots that there are, the first: all are as dear

    def __int__(self) -> int:
        return 0  # the row that a pivot stood in


def _counted(kinds: Sequence[int]) -> Operations:
    return Operations(*(kinds.count(kind) for kind in (_MULTIPLY, _ADD, _DIVIDE, _TRIG)))


def _critical(cost: Sequence[int], reads: Sequence[tuple[int, ...]], units: int) -> list[int]:
    """Operations that follow each other without a gap up to the end of a schedule, the last first."""
    readers: list[list[int]] = [[] for _ in cost]
    for one, before in enumerate(reads):
        for other in before:
            readers[other].append(one)
    left = list(cost)  # from its start to the end, along the longest chain of readers
    for one in reversed(range(len(cost))):
        left[one] += max((left[other] for other in readers[one]), default=0)
    missing = [len(before) for before in reads]
    ready = [(-left[one], one) for one in range(len(cost)) if not missing[one]]
    ready.sort()
    cause: dict[int, int] = {}
    busy: list[tuple[int, int]] = []
    now, ended, free = 0, -1, units
    while ready or busy:
        while ready and free:
            _, one = heappop(ready)
            cause[one] = ended
            heappush(busy, (now + cost[one], one))
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
