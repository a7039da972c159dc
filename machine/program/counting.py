"""Arithmetic of kernels, counted on scalars that have no value and record what is done to them.

A kernel is run once, for two processes side by side. Operations count if the result of the first depends on
them. Copying, choosing and changing a sign are free, and so are products and sums with zeros and ones that
the structure of a kernel has (`Known`). A dependence on the other process shows, and so does
whatever needs a value: a branch, a whole number, a function that no machine has a time for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from math import lcm
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MULTIPLY, _ADD, _DIVIDE, _TRIG, _COMPARE, _ROOT, _CHOOSE = range(7)


@dataclass(frozen=True)
class Operations:
    """Arithmetic of one process: multiplications, additions, divisions, sines and cosines, comparisons (also
    minima, maxima, magnitudes and signs), and square roots."""

    multiply: int = 0
    add: int = 0
    divide: int = 0
    trig: int = 0
    compare: int = 0
    root: int = 0

    @classmethod
    def of(cls, kinds: Sequence[int]) -> Operations:
        """Operations of these kinds, one each."""
        return cls(*(kinds.count(kind) for kind in range(_CHOOSE)))

    def __iter__(self) -> Iterator[int]:
        return iter((self.multiply, self.add, self.divide, self.trig, self.compare, self.root))

    def __add__(self, other: Operations) -> Operations:
        return Operations(*map(add, self, other))

    def times(self, count: int) -> Operations:
        """Operations of `count` processes that do the same."""
        return Operations(*(number * count for number in self))

    @property
    def flops(self) -> int:
        return sum(self)


class Tally:
    """Operations executed on the scalars made here, in order: of which kind each is, and whose results it
    reads. The operands of the first of two processes have the origin -1, those of the second -2."""

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.reads: list[tuple[int, ...]] = []
        self.constants: dict[int, list[object]] = {}  # by operation, what else it reads

    def scalars(self, *shape: int) -> Counted:
        """A block of operands."""
        block = np.empty(shape, dtype=object).view(Counted)
        block.fill(Scalar(self, -1))
        return block

    def scalars_of_two(self, *shape: int) -> Counted:
        """A block of operands of each of two processes, read-only."""
        block = self.scalars(2, *shape)
        block[1:].fill(Scalar(self, -2))
        block.flags.writeable = False
        return block

    @property
    def operations(self) -> Operations:
        """All of them."""
        return Operations.of(self.kinds)

    def execute(self, kind: int, *operands: object) -> Scalar:
        """The result of one operation."""
        reads = tuple([x.origin for x in operands if isinstance(x, Scalar)])
        if len(reads) < len(operands):
            self.constants[len(self.kinds)] = [x for x in operands if not isinstance(x, Scalar)]
        self.kinds.append(kind)
        self.reads.append(reads)
        return Scalar(self, len(self.kinds) - 1)

    def needed_by(self, results: Iterable[NDArray[Any]]) -> Tally | None:
        """Operations that the result of the first of two processes needs; None where the second needs others,
        or one needs numbers of the other."""
        need = [0] * (len(self.kinds) + 2)  # bits of the results; the operands are last
        entries = [np.ravel(result).tolist() for result in results]
        for bit, row in enumerate(entries, 1):
            for x in row:
                if isinstance(x, Scalar):
                    need[x.origin] |= bit
        for k in reversed(range(len(self.kinds))):
            if need[k]:
                for origin in self.reads[k]:
                    need[origin] |= need[k]
        first, second = ([k for k in range(len(self.kinds)) if need[k] & bit] for bit in (1, 2))
        alike = self._facts(first, entries[0]) == self._facts(second, entries[1])
        if need[-1] & 2 or need[-2] & 1 or not alike:
            return None
        needed, number = Tally(), {operation: k for k, operation in enumerate(first)}
        needed.kinds = [self.kinds[k] for k in first]
        needed.reads = [tuple([number[x] for x in self.reads[k] if x >= 0]) for k in first]
        return needed

    def _facts(self, operations: list[int], results: list[object]) -> tuple[object, ...]:
        constants = [x for x in results if not isinstance(x, Scalar)]
        return [(self.kinds[k], self.constants.get(k)) for k in operations], constants

    def shared(self, units: int, times: Sequence[Fraction | int]) -> Operations:
        """Operations that follow each other without a gap from the first to the last of a schedule on so many
        units: the schedule takes as long as these.

        `times` are those of each kind, in the order of `Operations` and in any unit. A free unit starts, of
        the operations whose operands are there, the one from which the most time has still to pass. With one
        unit these are all operations, with enough of them a longest chain: no number of units does it in
        less. Between, no schedule is shorter than half of this one (Graham 1966).
        """
        parts = [*map(Fraction, times), Fraction(0)]
        scale = lcm(*(part.denominator for part in parts))
        cost = [int(parts[kind] * scale) for kind in self.kinds]
        readers: list[list[int]] = [[] for _ in cost]
        for reader, sources in enumerate(self.reads):
            for source in sources:
                readers[source].append(reader)
        left = list(cost)  # from its start to the end, along the longest chain of readers
        for operation in reversed(range(len(cost))):
            left[operation] += max((left[other] for other in readers[operation]), default=0)
        missing = [len(before) for before in self.reads]
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
        return Operations.of([self.kinds[k] for k in chain])


def _binary(kind: int) -> Callable[[Scalar, object], Any]:
    def operation(self: Scalar, other: object) -> Any:
        if isinstance(other, np.ndarray | Known):
            return NotImplemented  # an array takes its elements one by one
        if isinstance(other, complex):
            raise TypeError("complex numbers are not counted: compute with real and imaginary parts")
        return self.tally.execute(kind, self, other)

    return operation


def _unary(kind: int) -> Callable[[Scalar], Scalar]:
    return lambda self: self.tally.execute(kind, self)


class Scalar:
    """A number without a value: the result of an operation, or (origin below 0) an operand of the kernel.

    NumPy calls the methods for each element of an object array. TypeError where an operation needs a value.
    """

    __slots__ = ("origin", "tally")

    def __init__(self, tally: Tally, origin: int) -> None:
        self.tally, self.origin = tally, origin

    __mul__ = __rmul__ = _binary(_MULTIPLY)
    __add__ = __radd__ = __sub__ = __rsub__ = _binary(_ADD)
    __truediv__ = __rtruediv__ = _binary(_DIVIDE)
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _binary(_COMPARE)
    __hash__ = None  # type: ignore[assignment]
    __abs__, sqrt = _unary(_COMPARE), _unary(_ROOT)
    cos = sin = _unary(_TRIG)

    def __pow__(self, exponent: object) -> Any:
        if isinstance(exponent, int | float) and exponent in (2, 0.5):
            return self * self if exponent == 2 else self.sqrt()
        return NotImplemented

    def __neg__(self) -> Scalar:
        return self

    __pos__ = conjugate = __neg__

    def __bool__(self) -> bool:
        raise TypeError(_DECISION)


_DECISION = "a decision needs a number, and the cost of a kernel must not depend on numbers"


@dataclass(frozen=True, slots=True)
class Known:
    """A zero or a one that the structure of a kernel has, such as the zeros of the axis of a joint: a product
    with it is no operation, nor is a sum with a zero."""

    value: int

    def __mul__(self, other: Any) -> Any:
        return other if self.value else self

    def __add__(self, other: Any) -> Any:
        return other + 1.0 if self.value else other

    def __sub__(self, other: Any) -> Any:
        return 1.0 - other if self.value else -other

    def __rsub__(self, other: Any) -> Any:
        return other - 1.0 if self.value else other

    def __neg__(self) -> Known:
        return self  # as of a `Scalar`: signs are free

    __rmul__, __radd__ = __mul__, __add__


def known(matrix: object, like: NDArray[Any]) -> NDArray[Any]:
    """A constant block of zeros and ones beside `like`: numbers, or `Known` beside counted scalars."""
    block = np.asarray(matrix)
    if like.dtype != object:
        return block.astype(like.dtype)
    return np.asarray(np.frompyfunc(Known, 1, 1)(block.astype(int)))


class Counted(np.ndarray[Any, Any]):
    """A block of counted scalars; a comparison is a scalar, too, whose truth NumPy would want to know."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        if ufunc.__name__ == "clip":
            return np.minimum(np.maximum(*inputs[:2]), inputs[2])
        if ufunc in _COMPARISONS:
            ufunc = _COMPARISONS[ufunc]
            named.pop("dtype", None)
        if "out" in named:
            named["out"] = tuple(map(_plain, named["out"]))
        result = getattr(ufunc, method)(*map(_plain, inputs), **named)
        return result.view(Counted) if isinstance(result, np.ndarray) else result

    def __array_function__(self, function: Any, types: Any, inputs: Any, named: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            return np.frompyfunc(_chosen, 3, 1)(*inputs)
        if function is np.nan_to_num:  # leaves objects as they are
            raise TypeError("nan_to_num is not counted")
        return super().__array_function__(function, types, inputs, named)

    def argmax(self, *axis: Any, **named: Any) -> Any:
        """Refuse: NumPy itself would lose the refusal of a scalar on its way through C."""
        raise TypeError(_DECISION)

    argmin = argmax


def _plain(block: object) -> object:
    return block.view(np.ndarray) if isinstance(block, Counted) else block


def _chosen(which: object, x: object, y: object) -> object:
    if isinstance(which, Scalar):
        return which.tally.execute(_CHOOSE, which, x, y)
    return x if which else y


def _compared(ufunc: Any, *operands: object) -> object:
    """One comparison; of constants, none."""
    scalar = next((x for x in operands if isinstance(x, Scalar)), None)
    return ufunc(*operands) if scalar is None else scalar.tally.execute(_COMPARE, *operands)


_COMPARISONS = {
    ufunc: np.frompyfunc(partial(_compared, ufunc), ufunc.nin, 1)
    for ufunc in (
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
        *(np.minimum, np.maximum, np.fmin, np.fmax, np.fabs, np.sign),
        *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert),
    )
}
