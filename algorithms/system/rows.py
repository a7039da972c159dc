"""Which rows of the block tridiagonal system a level eliminates, and which it updates (Fijany VI.B).

At level j, rows at the distance h = 2^(j-1) are coupled; the *pivots* are the rows whose inverse is used, and
what they are coupled to is updated. In odd-even elimination every row is pivot and is updated, and after
level M the system is diagonal. In odd-even reduction every other row that is left is pivot, and left out from
then on; process N is left last, and the solution goes back the way down (`senn.algorithms.system.reduction`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Concatenate, ParamSpec

from senn.machine.program import (
    Instruction,
    ProcessSet,
    every,
    i,
    levels,
    loop,
)

Rest = ParamSpec("Rest")


@dataclass(frozen=True)
class Rows:
    """Odd-even elimination of n rows."""

    n: int

    @property
    def last(self) -> int:
        """M."""
        return levels(self.n)

    def pivots(self, j: int) -> ProcessSet:
        """The rows whose inverse level j uses."""
        h: int = 2 ** (j - 1)
        return (i <= self.n - h) | (i > h)

    def kept(self, j: int) -> ProcessSet | None:
        """The rows that level j updates; None: all."""
        return None


class EveryOther(Rows):
    """Odd-even reduction of n rows."""

    def pivots(self, j: int) -> ProcessSet:
        h: int = 2 ** (j - 1)
        return every(2 * h, self.n - h)

    def kept(self, j: int) -> ProcessSet | None:
        return every(2**j, self.n)


def each_level(
    body: Callable[Concatenate[int, int, Rows, Rest], Iterator[Instruction]],
) -> Callable[Concatenate[Rows, Rest], Iterator[Instruction]]:
    """``for j = 1 to M``, h = 2^(j-1): what is written for one level, at all levels of the system."""

    def levels_of(rows: Rows, /, *rest: Rest.args, **more: Rest.kwargs) -> Iterator[Instruction]:
        return loop(rows.n, lambda j, h: body(j, h, rows, *rest, **more))

    return levels_of
