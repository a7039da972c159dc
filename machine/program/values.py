"""Processes and values, as a program writes them: ``D[j - 1][i - h].or_zero``.

First bracket the superscript (level), second the subscript: the process that wrote the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.traces.naming import TOGETHER, value_text


@dataclass(frozen=True)
class ProcessSet:
    """A set of processes: progressions of process numbers, 1..n; printed and decided before the run.

    Steps are powers of two, so of any two progressions one counts on within the other, or they are disjoint.
    """

    parts: tuple[range, ...]

    @classmethod
    def of(cls, processes: Iterable[int]) -> ProcessSet:
        """The set of these processes.

        >>> ProcessSet.of([2, 3, 4, 7]).parts
        (range(2, 5), range(7, 8))
        """
        parts: list[range] = []
        for process in processes:
            follows = bool(parts) and parts[-1].stop == process
            parts.append(range(parts.pop().start if follows else process, process + 1))
        return cls(tuple(parts))

    def __or__(self, other: ProcessSet) -> ProcessSet:
        return ProcessSet(self.parts + other.parts)

    def __and__(self, other: ProcessSet) -> ProcessSet:
        met = (common(part, others) for part in self.parts for others in other.parts)
        return ProcessSet(tuple(filter(None, met)))

    def shifted(self, distance: int) -> ProcessSet:
        """The processes i + distance of the members i."""
        return ProcessSet(tuple(moved(part, distance) for part in self.parts))

    def mask(self, n: int) -> NDArray[np.bool_]:
        """Membership of the processes 1..n (entry i - 1 is process i)."""
        members = np.zeros(n, dtype=bool)
        for part in self.parts:
            if inside := common(part, range(1, n + 1)):
                members[inside.start - 1 : inside.stop - 1 : inside.step] = True
        return members


def common(first: range, second: range) -> range:
    """Common part of two progressions, a progression: their steps are powers of two."""
    fine, coarse = sorted((first, second), key=lambda part: part.step)
    if (coarse.start - fine.start) % fine.step:
        return range(0)
    start = max(fine.start, coarse.start)
    return range(start + (coarse.start - start) % coarse.step, min(fine.stop, coarse.stop), coarse.step)


def moved(part: range, distance: int) -> range:
    """A progression with every member `distance` further on."""
    return range(part.start + distance, part.stop + distance, part.step)


_FIRST, _LAST = 1, 2**40


def every(step: int, last: int) -> ProcessSet:
    """The processes last, last - step, last - 2 step, ... down to 1; the step is a power of two.

    >>> every(2, 5).parts
    (range(1, 6, 2),)
    """
    return ProcessSet((range((last - 1) % step + 1, last + 1, step),))


@dataclass(frozen=True)
class Flip:
    """The offset of ``i ^ h``: added to a process, it flips the bits h of its number counted from 0.

    For h = 2^k that is i + h in the lower half of every 2 h processes, and i - h in the upper half.

    >>> [process + Flip(2) for process in (1, 2, 3, 4, 5)]
    [3, 4, 1, 2, 7]
    """

    h: int

    __array_ufunc__ = None  # so that an array of processes is added by `__radd__`

    def __radd__(self, process: Any) -> Any:
        return (process - 1 ^ self.h) + 1

    def __neg__(self) -> Flip:
        return self

    def __format__(self, spec: str) -> str:
        return f" xor {self.h}"


Offset: TypeAlias = int | Flip
"""From a process to another one; 0 is the process itself."""


@dataclass(frozen=True, eq=False)
class Subscript:
    """The symbolic process ``i``, its arithmetic and comparisons: ``i + h``, ``i ^ h``, ``i < n``,
    ``i == n``."""

    offset: Any = 0  # an Offset

    def __add__(self, h: int) -> Subscript:
        return Subscript(self.offset + h)

    def __sub__(self, h: int) -> Subscript:
        return Subscript(self.offset - h)

    def __xor__(self, h: int) -> Subscript:
        return Subscript(Flip(h))

    def __lt__(self, bound: int) -> ProcessSet:
        return ProcessSet((range(_FIRST, bound - self.offset),))

    def __le__(self, bound: int) -> ProcessSet:
        return self < bound + 1

    def __gt__(self, bound: int) -> ProcessSet:
        return ProcessSet((range(bound - self.offset + 1, _LAST),))

    def __ge__(self, bound: int) -> ProcessSet:
        return self > bound - 1

    def __eq__(self, process: int) -> ProcessSet:  # type: ignore[override]
        return ProcessSet.of([process - self.offset])

    __hash__ = None  # type: ignore[assignment]


i = Subscript()


LARGEST = 65536
"""The most processes of a robot's program that is resolved process by process."""
LONGEST = 2**20
"""The most processes that a robot's program is made for: with more than LARGEST of them, in classes and
slices alone."""


def levels(n: int) -> int:
    """M = ceil(log2 n), the number of levels of n >= 1 processes.

    >>> [levels(n) for n in (1, 2, 3, 4, 5, 8, 9)]
    [0, 1, 2, 2, 3, 3, 4]
    """
    if n < 1:
        raise InputError(f"a machine needs at least one process, not {n}")
    return (n - 1).bit_length()


@dataclass(frozen=True)
class Value:
    """One quantity per process: a letter and, where the paper gives one, a superscript (the level)."""

    letter: str
    level: int | None
    shape: tuple[int, ...]

    @property
    def words(self) -> int:
        """Size in 64-bit words."""
        return math.prod(self.shape)

    def __getitem__(self, process: Subscript) -> Operand:
        return Operand(self, process.offset)

    def __add__(self, other: Value | PackedValues) -> PackedValues:
        return PackedValues((self,)) + other

    @property
    def or_zero(self) -> Operand:
        return Operand(self).or_zero

    @property
    def delivered(self) -> Operand:
        return Operand(self, delivered=True)

    def text(self, offset: Offset = 0, process: int | None = None) -> str:
        """As printed: ``D_{i-1}^0``; with a process number ``D_2^0``."""
        return value_text(self.letter, self.level, process, offset)


@dataclass(frozen=True)
class PackedValues:
    """Values that travel in one message, ``D[j] + K[j]``: their words add up, and there is one start-up."""

    values: tuple[Value, ...]

    def __add__(self, other: Value | PackedValues) -> PackedValues:
        return PackedValues((*self.values, *cargo(other)))


def cargo(values: Value | PackedValues) -> tuple[Value, ...]:
    """The values of one message."""
    return (values,) if isinstance(values, Value) else values.values


def cargo_text(values: tuple[Value, ...], process: int | None = None) -> str:
    """As printed: ``D_i^1 + K_i^1``."""
    return TOGETHER.join(value.text(process=process) for value in values)


@dataclass(frozen=True)
class Letter:
    """A family of values, one per level: ``A[j - 1]``. The shape is that of one process's value."""

    name: str
    shape: tuple[int, ...]

    def __getitem__(self, level: int) -> Value:
        return Value(self.name, level, self.shape)


def value(name: str, *shape: int) -> Value:
    """A value without superscript."""
    return Value(name, None, shape)


@dataclass(frozen=True)
class Operand:
    """A value as read by process i: its writer i + offset, and its substitute where it does not exist.

    An optional operand is also absent where the writer has the value and sends it elsewhere only.
    ``delivered`` means the copy that a Send of the process to itself left at the reader's place, where the
    process still has its own as well.
    """

    value: Value
    offset: Offset = 0
    absent: Literal["zero", "unit"] | None = None
    delivered: bool = False

    @property
    def or_zero(self) -> Operand:
        return replace(self, absent="zero")

    def __str__(self) -> str:
        return self.value.text(self.offset)
