"""Processes, as a program writes them: ``i``, formulas of it (``i - h``, ``n + 1 - i``), and sets of them.

An *offset* leads from a process to another one, and is added to it: ``process + offset``, also of an array of
processes. It need not be a distance. A number outside 1..n is no process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.traces.naming import index_text

# ------------------------------------------------------------ sets


@dataclass(frozen=True)
class ProcessSet:
    """A set of processes: progressions of process numbers, 1..n; printed and decided before the run."""

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

    def __invert__(self) -> ProcessSet:
        left = [range(_FIRST, _LAST)]
        for part in self.parts:
            left = [kept for whole in left for kept in rest(whole, part) if kept]
        return ProcessSet(tuple(left))

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


def mask(where: ProcessSet | None, n: int) -> NDArray[np.bool_]:
    """Membership of the processes 1..n; None stands for all of them."""
    return np.ones(n, dtype=bool) if where is None else where.mask(n)


def common(first: range, second: range) -> range:
    """Common part of two rising progressions, a progression.

    >>> list(common(range(1, 50, 6), range(3, 50, 4)))
    [7, 19, 31, 43]
    """
    step = math.gcd(first.step, second.step)
    if (second.start - first.start) % step:
        return range(0)
    turns = pow(first.step // step, -1, second.step // step) * (second.start - first.start) // step
    met = first.start + turns * first.step
    whole = math.lcm(first.step, second.step)
    start = max(first.start, second.start)
    return range(start + (met - start) % whole, min(first.stop, second.stop), whole)


def rest(part: range, other: range) -> Iterator[range]:
    """The members of a rising progression that another one lacks.

    >>> [list(kept) for kept in rest(range(1, 13), range(3, 13, 4))]
    [[1, 2], [4, 6, 8, 10], [5, 9], [12]]
    """
    both = common(part, other)
    if not both:
        yield part
        return
    yield range(part.start, both[0], part.step)
    step = part.step
    while both.step // step % 2 == 0:
        yield range(both[0] + step, both[-1], 2 * step)
        step *= 2
    for first in range(both[0] + step, min(both[0] + both.step, both[-1]), step):
        yield range(first, both[-1], both.step)
    yield range(both[-1] + part.step, part.stop, part.step)


def moved(part: range, distance: int) -> range:
    """A progression with every member `distance` further on."""
    return range(part.start + distance, part.stop + distance, part.step)


_FIRST, _LAST = 1, 2**40


def every(step: int, last: int) -> ProcessSet:
    """The processes last, last - step, last - 2 step, ... down to 1.

    >>> every(2, 5).parts
    (range(1, 6, 2),)
    """
    return ProcessSet((range((last - 1) % step + 1, last + 1, step),))


# ------------------------------------------------------------ from a process to another one


@dataclass(frozen=True)
class Flip:
    """The offset of ``i ^ h``: it flips the bits h of a process number counted from 0.

    For h = 2^k that is i + h in the lower half of every 2 h processes, and i - h in the upper half.

    >>> [process + Flip(2) for process in (1, 2, 3, 4, 5)]
    [3, 4, 1, 2, 7]
    """

    h: int

    __array_ufunc__ = None  # so that an array of processes is added by `__radd__`

    def __radd__(self, process: Any) -> Any:
        return (process - 1 ^ self.h) + 1

    def __str__(self) -> str:
        return f"i xor {self.h}"


@dataclass(frozen=True)
class Affine:
    """The offset of ``slope * i + shift``: ``n + 1 - i``, ``i / 2``, or process 5. A fraction is no process.

    >>> [int(process + Affine(Fraction(1, 2), Fraction(0))) for process in (1, 2, 3, 4)]
    [0, 1, 0, 2]
    """

    slope: Fraction
    shift: Fraction

    __array_ufunc__ = None

    def __radd__(self, process: Any) -> Any:
        times, plus, over = self._terms()
        whole, left = np.divmod(times * np.asarray(process, dtype=np.int64) + plus, over)
        return np.where(left == 0, whole, 0)

    def _terms(self) -> tuple[int, int, int]:
        """Process i goes to (times i + plus) / over."""
        over = math.lcm(self.slope.denominator, self.shift.denominator)
        return int(self.slope * over), int(self.shift * over), over

    def __str__(self) -> str:
        times, plus, over = self._terms()
        if not times:
            return str(self.shift)
        term = f"{ {1: '', -1: '-'}.get(times, times) }i"
        text = f"{plus}{term}" if plus and times < 0 else f"{term}{plus:+d}" if plus else term
        return text if over == 1 else f"({text})/{over}" if plus else f"{text}/{over}"


@dataclass(frozen=True)
class Table:
    """The offset of a table: from process i to entry i, counted from 1; 0 is no process."""

    targets: tuple[int, ...]
    name: str

    __array_ufunc__ = None

    def __radd__(self, process: Any) -> Any:
        return np.array((0, *self.targets), dtype=np.int32)[process]

    def __str__(self) -> str:
        return f"{self.name}(i)"


Offset: TypeAlias = int | Flip | Affine | Table
"""From a process to another one; 0 is the process itself."""


def reached(offset: Offset, n: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The process that each of 1..n leads to, and where it is one of them."""
    if isinstance(offset, Table) and len(offset.targets) != n:
        raise InputError(f"{offset} has {len(offset.targets)} entries, but n = {n}: make a table for each n")
    there = np.arange(1, n + 1, dtype=np.int32) + offset
    return there, (there >= 1) & (there <= n)


def meet(sent: Offset, read: Offset, n: int) -> bool:
    """Whether some process reads from the process that sends to it."""
    if isinstance(sent, int) and isinstance(read, int):
        return sent == -read
    writers, inside = reached(read, n)
    targets, _ = reached(sent, n)
    return bool((targets[writers[inside] - 1] == np.flatnonzero(inside) + 1).any())


@dataclass(frozen=True, eq=False)
class Subscript:
    """The symbolic process ``i``, its arithmetic and comparisons: ``i + h``, ``n + 1 - i``, ``2 * i``,
    ``i ^ h``, ``i < n``, ``i == n``."""

    offset: Any = 0  # an Offset

    @classmethod
    def of(cls, process: Subscript | int | Iterable[int] | str) -> Subscript:
        """As written in brackets: a subscript, a fixed process, or a table with an entry for each process."""
        if isinstance(process, Subscript):
            return process
        if isinstance(process, int | np.integer):
            return cls(Affine(Fraction(0), Fraction(int(process))))
        if isinstance(process, Iterable) and not isinstance(process, str):
            return cls(Table(tuple(int(entry) for entry in process), "table"))
        raise InputError(f"{process!r:.60} is no process: write i + h, a number, or a table with n entries")

    def __add__(self, h: int) -> Subscript:
        return self._line(1, h)

    def __sub__(self, h: int) -> Subscript:
        return self._line(1, -h)

    def __rsub__(self, h: int) -> Subscript:
        return self._line(-1, h)

    def __mul__(self, k: int) -> Subscript:
        return self._line(k, 0)

    def __truediv__(self, k: int) -> Subscript:
        return self._line(Fraction(1, k), 0)

    __radd__, __rmul__ = __add__, __mul__

    def _line(self, slope: int | Fraction, shift: int) -> Subscript:
        """slope * self + shift."""
        if isinstance(self.offset, Flip | Table):
            raise InputError(
                f"{index_text(self.offset)} stands alone: write a table in place of arithmetic on it"
            )
        if shift != int(shift):
            raise InputError(f"{index_text(self.offset)} + {shift}: add a whole number")
        base = self.offset if isinstance(self.offset, Affine) else Affine(Fraction(1), Fraction(self.offset))
        line = Affine(base.slope * Fraction(slope), base.shift * Fraction(slope) + Fraction(shift))
        is_distance = line.slope == 1 and line.shift.denominator == 1
        return Subscript(int(line.shift) if is_distance else line)

    def __xor__(self, h: int) -> Subscript:
        if self.offset != 0:
            raise InputError(f"({index_text(self.offset)}) ^ {h}: write i ^ h, or a table")
        return Subscript(Flip(h))

    @property
    def inverse(self) -> Subscript:
        """The permutation that leads back."""
        if not isinstance(self.offset, Table):
            raise InputError(f"{index_text(self.offset)} is no permutation: write its inverse")
        back = np.argsort(self.offset.targets) + 1
        return permutation(back.tolist(), f"{self.offset.name}^-1")

    def _distance(self) -> int:
        if isinstance(self.offset, int):
            return self.offset
        raise InputError(f"{index_text(self.offset)}: compare i itself, for instance i <= n // 2")

    def __lt__(self, bound: int) -> ProcessSet:
        return ProcessSet((range(_FIRST, bound - self._distance()),))

    def __le__(self, bound: int) -> ProcessSet:
        return self < bound + 1

    def __gt__(self, bound: int) -> ProcessSet:
        return ProcessSet((range(bound - self._distance() + 1, _LAST),))

    def __ge__(self, bound: int) -> ProcessSet:
        return self > bound - 1

    def __eq__(self, process: int) -> ProcessSet:  # type: ignore[override]
        return ProcessSet.of([process - self._distance()])

    def __ne__(self, process: int) -> ProcessSet:  # type: ignore[override]
        return ~(self == process)

    __hash__ = None  # type: ignore[assignment]


i = Subscript()


# ------------------------------------------------------------ permutations


def permutation(targets: Iterable[int], name: str = "p") -> Subscript:
    """Process i to process targets[i - 1], each of 1..n once: ``PR1[p]`` sends, ``x[p.inverse]`` reads."""
    entries = tuple(int(target) for target in targets)
    if sorted(entries) != [*range(1, len(entries) + 1)]:
        raise InputError(f"{name}: a permutation has each of 1..{len(entries)} once, not {entries!r:.60}")
    return Subscript(Table(entries, name))


def transposition(*shape: int, name: str = "transposition") -> Subscript:
    """From the element of an array of this shape, stored row by row, to its place in the transposed array.

    >>> transposition(2, 3).offset.targets
    (1, 3, 5, 2, 4, 6)
    """
    places = np.arange(1, math.prod(shape) + 1).reshape(shape[::-1])
    return permutation(places.T.ravel().tolist(), name)


def perfect_shuffle(n: int) -> Subscript:
    """The halves of an even number of processes interleaved: 1, n/2 + 1, 2, ... stand side by side."""
    return transposition(2, n // 2, name="shuffle")


def bit_reversal(n: int) -> Subscript:
    """The process whose number, counted from 0, has the bits in reverse; n = 2^m."""
    return transposition(*[2] * (n.bit_length() - 1), name="reversal")
