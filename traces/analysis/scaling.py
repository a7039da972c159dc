"""The law T(N) = a log2 N + b over a sweep: fitted, and the first place where it breaks."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from senn.traces.errors import InputError
from senn.traces.naming import total, whole_or


class Law(NamedTuple):
    """T = a M + b over levels M; ``residual`` is the largest distance of a point from it (0: exact)."""

    a: Fraction
    b: Fraction
    residual: Fraction

    def __str__(self) -> str:
        return self.text(lambda number: f"{float(number):,.0f}" if number >= 1000 else f"{float(number):.4g}")

    def text(self, digits: Callable[[Fraction], str]) -> str:
        """a M + b; `digits` writes what is no whole number, without its sign."""
        return total([(self.a, "M"), (self.b, "")], whole_or(digits))


def fit(levels: Sequence[int], values: Sequence[int]) -> Law:
    """The least-squares line through (level, value), in exact arithmetic: residual 0 means it holds exactly.

    Needs two different levels; whole numbers.
    """
    _check(levels, values)
    count, total_x, total_y = len(levels), sum(levels), sum(values)
    spread = count * sum(x * x for x in levels) - total_x**2
    a = Fraction(count * sum(x * y for x, y in zip(levels, values, strict=True)) - total_x * total_y, spread)
    b = (total_y - a * total_x) / count
    return Law(a, b, max(abs(y - a * x - b) for x, y in zip(levels, values, strict=True)))


def first_break(levels: Sequence[int], values: Sequence[int]) -> int | None:
    """The index of the first point off the line through the first two levels; None if all lie on it.

    The line goes through the first point and the first one at another level, so index -> the n that breaks
    the law in a sweep given in rising order.
    """
    _check(levels, values)
    second = next(index for index, level in enumerate(levels) if level != levels[0])
    a = Fraction(values[second] - values[0], levels[second] - levels[0])
    line = (values[0] + a * (level - levels[0]) for level in levels)
    return next((i for i, (y, on) in enumerate(zip(values, line, strict=True)) if y != on), None)


def holds_from(levels: Sequence[int], values: Sequence[int]) -> int | None:
    """The index from which on all points lie on one line; None if they never do for three levels.

    In order of levels. Of two levels in all a line is found, and proves nothing.
    """
    _check(levels, values)
    least = min(3, len(set(levels)))
    starts = (start for start in range(len(levels)) if len(set(levels[start:])) >= least)
    return next((start for start in starts if not fit(levels[start:], values[start:]).residual), None)


def _check(levels: Sequence[int], values: Sequence[int]) -> None:
    if len(levels) != len(values):
        raise InputError(f"fit: {len(levels)} levels but {len(values)} values; give one value per level")
    if len(set(levels)) < 2:
        raise InputError("fit: a line needs two different levels; sweep over n with different ceil(log2 n)")
