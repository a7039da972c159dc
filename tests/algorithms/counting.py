"""A scalar that has no value and counts what is done to it: what a kernel costs, apart from what it declares.

Fill object arrays with it and run a kernel. Multiplications, additions and subtractions, divisions, sines
and cosines count one each, also with a plain number on the other side (the zeros of `np.zeros_like`).
Copying and changing a sign are free. Anything else (comparing, rounding, a square root, a conversion to
float) raises TypeError: a kernel must not do it, or its cost would depend on the numbers.

Elimination with pivoting compares, and exchanges rows: its scalars are `Weighed`, with a value. They may be
compared, which is not counted; that the cost is the same whatever the numbers is then shown with many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Operations


@dataclass
class Tally:
    """The operations executed so far by all scalars of one run."""

    operations: Operations = field(default_factory=Operations)

    def scalars(self, *shape: int) -> NDArray[Any]:
        """An object array of scalars that are counted here."""
        block = np.empty(shape, dtype=object)
        block.fill(Counting(self))
        return block

    def weighed(self, numbers: NDArray[np.float64]) -> NDArray[Any]:
        """The same with values, for kernels that choose a pivot."""
        block = np.empty(numbers.shape, dtype=object)
        for index, number in np.ndenumerate(numbers):
            block[index] = Weighed(self, float(number))
        return block


class Counting:
    """One counted scalar; an operation gives the scalar itself back, as there is no value to tell apart."""

    __slots__ = ("tally",)

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def _did(self, what: Operations) -> Counting:
        self.tally.operations += what
        return self

    def __mul__(self, other: object) -> Counting:
        return self._did(Operations(multiply=1))

    def __add__(self, other: object) -> Counting:
        return self._did(Operations(add=1))

    def __truediv__(self, other: object) -> Counting:
        return self._did(Operations(divide=1))

    def cos(self) -> Counting:
        """Called by `np.cos` for each element of an object array."""
        return self._did(Operations(trig=1))

    __rmul__, __sub__, __radd__, __rsub__, __rtruediv__, sin = (
        __mul__,
        __add__,
        __add__,
        __add__,
        __truediv__,
        cos,
    )

    def __neg__(self) -> Counting:
        return self

    def _refused(self, *other: object) -> NoReturn:
        raise TypeError("a kernel must not decide by its numbers: a counted scalar has no value to compare")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = _refused
    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Weighed:
    """One counted scalar with a value; magnitudes are taken and compared for nothing."""

    tally: Tally
    number: float

    def _did(self, what: Operations, number: float) -> Weighed:
        self.tally.operations += what
        return Weighed(self.tally, number)

    def __mul__(self, other: object) -> Weighed:
        return self._did(Operations(multiply=1), self.number * _number(other))

    def __add__(self, other: object) -> Weighed:
        return self._did(Operations(add=1), self.number + _number(other))

    def __sub__(self, other: object) -> Weighed:
        return self._did(Operations(add=1), self.number - _number(other))

    def __rtruediv__(self, other: object) -> Weighed:
        return self._did(Operations(divide=1), _number(other) / self.number)

    def __abs__(self) -> Weighed:
        return Weighed(self.tally, abs(self.number))

    def __gt__(self, other: object) -> bool:
        return self.number > _number(other)

    def __int__(self) -> int:
        """As which it stands for a row."""
        return int(self.number)


def _number(value: object) -> float:
    return value.number if isinstance(value, Weighed) else float(value)  # type: ignore[arg-type]
