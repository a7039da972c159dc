"""Values, as a program writes them: ``D[j - 1][i - h].or_zero``.

First bracket the superscript (level), second the subscript: the process that wrote the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from senn.base.errors import InputError
from senn.machine.program.subscripts import Offset, Subscript
from senn.traces.naming import TOGETHER, value_text

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

    def __getitem__(self, process: Subscript | int | Iterable[int]) -> Operand:
        return Operand(self, Subscript.of(process).offset)

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
