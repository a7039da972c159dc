"""The start-up, the word or the operation that costs so much more: the exact value, by search.

Durations are rounded up to whole cycles, so the makespan over a time is a staircase: it steps where some
duration does, at rationals that the durations name. Between two steps all durations are the same, and so is
the makespan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

from senn.machine.model import Machine
from senn.machine.model.numbers import LARGEST
from senn.machine.retiming.cycles import Work
from senn.machine.retiming.slopes import OPERATIONS, flop

_AT_ONCE = 15
"""Machines that are tried together."""


@dataclass(frozen=True)
class Time:
    """A time of a machine that is varied: its name and value, and the durations that depend on it.

    A duration is ceil(c + w x), x the time, for each of `steps`, (c, w).
    """

    name: str
    value: Fraction
    steps: tuple[tuple[Fraction, Fraction], ...]
    machine: Machine

    def at(self, value: Fraction) -> Machine:
        """The machine with another value."""
        timing = self.machine.timing
        scaled: dict[str, Any] = {self.name: value}
        if self.name == "flop":
            scaled = {name: getattr(timing, name) * value / self.value for name in OPERATIONS}
        return replace(self.machine, timing=replace(timing, **scaled))

    def end(self, value: Fraction) -> Fraction:
        """The largest value up to which all durations are those of this one."""
        return min((ceil(c + w * value) - c) / w for c, w in self.steps)

    def begin(self, value: Fraction) -> Fraction:
        """The largest below this one at which some duration is not."""
        return max((ceil(c + w * value) - 1 - c) / w for c, w in self.steps)


def times(machine: Machine, work: Work) -> tuple[Time, ...]:
    """Those that are varied: start-up, word, with cut-through the hop; and the operation, if it has one."""
    t, words = machine.timing, [Fraction(w) for w in work.words.tolist()]
    one = Fraction(1)
    rate = flop(machine)
    if machine.switching == "cut-through":
        found = [
            Time("startup", t.startup, ((Fraction(0), one),), machine),
            Time("word", t.word, tuple((Fraction(0), w) for w in words), machine),
            Time("hop", t.hop, ((Fraction(0), one),), machine),
        ]
    else:
        found = [
            Time("startup", t.startup, tuple((t.word * w, one) for w in words), machine),
            Time("word", t.word, tuple((t.startup, w) for w in words), machine),
        ]
    if rate:
        shares = [getattr(t, name) / rate for name in OPERATIONS]
        sums = (sum(n * s for n, s in zip(row, shares, strict=True)) for row in work.counts.tolist())
        found.append(Time("flop", rate, tuple((Fraction(0), w) for w in {*sums} if w), machine))
    return tuple(one for one in found if one.steps)


def dearest(
    time: Time,
    most: Fraction,
    makespans: Callable[[Sequence[Machine]], Sequence[int]],
    slope: Fraction = Fraction(0),
) -> Fraction | None:
    """The value x from the present one on with which the makespan is at most `most` cycles, and above `most`
    just above x: exact. None if there is none up to what a machine may have.

    While messages are served in one order the makespan rises with a time, and x is the only such value; where
    the order changes it may fall again, and another x may be larger. `slope`, if it is known, is a guess.
    """

    def above(values: Sequence[Fraction]) -> list[bool]:
        return [cycles > most for cycles in makespans([time.at(value) for value in values])]

    low, high = time.value, _beyond(time, most, above, slope)
    if high is None:
        return None
    while (end := time.end(low)) < (begin := time.begin(high)):
        tried = _between(end, begin)
        over = above(tried)
        first = over.index(True) if any(over) else len(tried)
        low = tried[first - 1] if first else end
        high = tried[first] if first < len(tried) else high
    return end


def _beyond(
    time: Time, most: Fraction, above: Callable[[Sequence[Fraction]], list[bool]], slope: Fraction
) -> Fraction | None:
    """Some larger value with which it takes more than `most`: further and further away."""
    step = max(most / 50 / slope, Fraction(1, 2**10)) if slope else max(time.value / 16, Fraction(1, 2**10))
    step = Fraction(ceil(step * 2**10), 2**10)
    largest = Fraction(LARGEST)
    if time.name == "flop":
        largest *= time.value / max(getattr(time.machine.timing, name) for name in OPERATIONS)
    while True:
        value = time.value + step
        if value > largest:
            return None
        if above([value])[0]:
            return value
        step *= 4


def _between(low: Fraction, high: Fraction) -> list[Fraction]:
    """Values above `low` up to `high`, the last: of small denominators, so that numbers stay short."""
    width = (high - low) / (_AT_ONCE + 1)
    cuts = [low + k * width for k in range(1, _AT_ONCE + 1)]
    return [*(simplest(a, b) for a, b in pairwise(cuts)), high]


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator from `low` to `high`.

    >>> simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    if (whole := ceil(low)) <= high:
        return Fraction(whole)
    return whole - 1 + 1 / simplest(1 / (high - (whole - 1)), 1 / (low - (whole - 1)))
