"""Sensitivity of the makespan to every time of a machine.

*Slopes.* The makespan is the length of a longest path through the graph of an order: a path with k start-ups
grows k cycles per cycle of start-up. Where several paths are longest, more costs what lies on the one with
most, less saves what lies on the one with fewest. Both are found by filling in the graph with a time that is
a hair longer or shorter. Durations are whole cycles; the slopes are those of the times before they are
rounded up. Where two messages come to a queue in the same cycle, the least change may let one overtake the
other: then the makespan may jump, and no slope is given.

*The value that costs so much more.* Durations are rounded up to whole cycles, so the makespan over a time is
a staircase: it steps where some duration does, at rationals that the durations name. Between two steps all
durations are the same, and so is the makespan. So the value is found exactly, by search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from senn.machine.durations import Cycles, Numbers, Work
from senn.machine.model import Machine
from senn.machine.model.figures import LARGEST
from senn.machine.network.topology import Integers
from senn.machine.timing.graph import Filled, Order
from senn.machine.timing.what_if import Makespans, Retiming
from senn.traces.naming import OPERATIONS, USUAL

PERCENTS = (1, 2, 5)


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivity of the makespan to a time of the machine.

    `more` is how many cycles one cycle more of it costs, `less` how many one cycle less saves (they differ
    where several paths are longest), before durations are rounded up; None where the least change may let a
    message overtake another. `share` is value x more / makespan: the per cent that one per cent of it costs.
    `dearer` has, by per cent, the largest value with which the makespan is at most so much more (exact,
    rounding and all), None where no value costs as much; of start-up, word, hop, and the operation.
    """

    name: str
    value: Fraction
    more: Fraction | None
    less: Fraction | None
    share: Fraction | None
    dearer: Mapping[int, Fraction | None] = field(default_factory=dict)


def sensitivities(
    retiming: Retiming, machine: Machine, percents: Sequence[int] = PERCENTS
) -> tuple[Sensitivity, ...]:
    """A row for each time that the schedule depends on; `flop` are those of operations together.

    InputError on machines that no order of service can be kept to on, and where messages take no time.
    """
    filled = retiming.order(machine)
    makespan = int(filled.makespan[0])
    varied = {time.name: time for time in times(machine, retiming.work)}
    rows = []
    for name, (more, less) in slopes(filled.order, retiming.work, machine, makespan).items():
        time = varied.get(name)
        value = time.value if time else Fraction(getattr(machine.timing, name))
        if more == less == 0 and time is None:
            continue
        dearer = {}
        for percent in percents if time else ():
            most = makespan * Fraction(100 + percent, 100)
            assert time is not None
            dearer[percent] = dearest(time, most, retiming.makespans, more or Fraction(0))
        share = None if more is None else value * more / max(makespan, 1)
        rows.append(Sensitivity(name, value, more, less, share, dearer))
    return tuple(rows)


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
            scaled = {name: getattr(timing, name) * value / self.value for name in timing.own}
        return replace(self.machine, timing=replace(timing, **scaled))

    def end(self, value: Fraction) -> Fraction:
        """The largest value up to which no duration changes."""
        return min((ceil(c + w * value) - c) / w for c, w in self.steps)

    def begin(self, value: Fraction) -> Fraction:
        """The largest smaller value at which some duration is another."""
        return max((ceil(c + w * value) - 1 - c) / w for c, w in self.steps)


def times(machine: Machine, work: Work) -> tuple[Time, ...]:
    """Times that are varied: start-up, word, with cut-through the hop; and the operation, if it has one."""
    t, words = machine.timing, [Fraction(w) for w in work.words.tolist()]
    zero, unit = Fraction(0), Fraction(1)
    rate, cut = flop(machine), machine.switching == "cut-through"
    startups = ((zero, unit),) if cut else tuple((t.word * w, unit) for w in words)
    varied = [
        Time("startup", t.startup, startups, machine),
        Time("word", t.word, tuple((zero if cut else t.startup, w) for w in words), machine),
    ]
    if cut:
        varied.append(Time("hop", t.hop, ((zero, unit),), machine))
    if rate:
        shares = [time / rate for time in t.operations]
        sums = (sum(n * s for n, s in zip(row, shares, strict=True)) for row in work.counts.tolist())
        varied.append(Time("flop", rate, tuple((zero, w) for w in {*sums} if w), machine))
    return tuple(time for time in varied if time.steps)


def dearest(
    time: Time,
    most: Fraction,
    makespans: Callable[[Sequence[Machine]], Makespans],
    slope: Fraction = Fraction(0),
) -> Fraction | None:
    """The exact value x, from the present one on, with which the makespan is at most `most` cycles, and above
    `most` just above x. None if there is none up to the largest that a machine may have.

    While messages are served in one order the makespan rises with a time, and x is the only such value; where
    the order changes it may fall again, and another x may be larger. `slope`, if it is known, is a guess.
    """

    def above(values: Sequence[Fraction]) -> list[bool]:
        cycles = makespans([time.at(value) for value in values]).cycles
        return [makespan > most for makespan in cycles.tolist()]

    largest = Fraction(LARGEST)
    if time.name == "flop":
        largest *= time.value / max(time.machine.timing.operations)
    step = max(most / 50 / slope if slope else time.value / 16, Fraction(1, 2**10))
    step = Fraction(ceil(step * 2**10), 2**10)
    low, high = time.value, time.value + step
    while high <= largest and not above([high])[0]:  # sought further and further away
        step *= 4
        high = low + step
    if high > largest:
        return None
    while (end := time.end(low)) < (begin := time.begin(high)):
        width = (begin - end) / (_AT_ONCE + 1)  # values of small denominators, so that numbers stay short
        cuts = [end + k * width for k in range(1, _AT_ONCE + 1)]
        values = [*(simplest(a, b) for a, b in pairwise(cuts)), begin]
        over = above(values)
        first = over.index(True) if any(over) else len(values)
        low = values[first - 1] if first else end
        high = values[first] if first < len(values) else high
    return end


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator from `low` to `high`.

    >>> simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    if (whole := ceil(low)) <= high:
        return Fraction(whole)
    return whole - 1 + 1 / simplest(1 / (high - (whole - 1)), 1 / (low - (whole - 1)))


TIMES = ("startup", "word", "hop", "post", "receive")
"""The times of a machine that have a slope each, beside those of operations and, where an operation has one
time, `flop`."""

Slope = tuple[Fraction | None, Fraction | None]
"""Cycles of the makespan for one cycle more of a time, and for one less; None where the order changes."""

_HAIRS = 2**64
"""Hairs in a cycle."""


def flop(machine: Machine) -> Fraction | None:
    """Time of a multiplication, an addition and a division; None where they differ."""
    t = machine.timing
    return t.multiply if t.multiply == t.add == t.divide else None


def slopes(order: Order, work: Work, machine: Machine, makespan: int) -> dict[str, Slope]:
    """Slopes by name of the time, of one machine, whose makespan is given.

    The graph is filled in once with every time a little longer, and a little shorter: by a hair, of which so
    many make a cycle that no path has as many.
    """
    names = (*machine.timing.own, *TIMES, *["flop"] * bool(flop(machine)))
    filled = [(sign, Filled.of(order, _by_a_hair(names, work, machine, sign))) for sign in (1, -1)]
    slopes = {}
    for k, name in enumerate(names):
        more, less = (
            Fraction(sign * (times.makespan[k] - makespan * _HAIRS)) if times.overtaken[k] < 0 else None
            for sign, times in filled
        )
        slopes[name] = more, less
    return slopes


def _by_a_hair(names: Sequence[str], work: Work, machine: Machine, sign: int) -> Cycles:
    """Cycles in hairs, a column for each time of which one is longer by a hair (shorter: `sign` -1)."""
    t, rate, cut = machine.timing, flop(machine), machine.switching == "cut-through"
    hair = dict(zip(names, np.eye(len(names), dtype=object), strict=True))
    none = 0 * hair["word"]
    operations = [hair[name if name in t.own else USUAL[name]] for name in OPERATIONS]
    if rate:
        operations = [
            x + time / rate * hair["flop"] for x, time in zip(operations, t.operations, strict=True)
        ]

    def hairs(cycles: Sequence[int], multiples: Integers) -> Integers:
        exact: Integers = np.array(cycles, dtype=object)[:, None] * _HAIRS + sign * multiples
        return exact

    each = hairs(
        [machine.compute_cycles(*counts) for counts in work.counts.tolist()], work.counts @ operations
    )
    of_words = np.outer(work.words, hair["word"]) + (none if cut else hair["startup"])
    service = hairs([machine.message_cycles(words) for words in work.words.tolist()], of_words)
    other = {"launch": (machine.launch, hair["startup"] if cut else none)}
    other |= {"passing": (machine.passing, hair["hop"] if cut else none)}
    other |= {name: (getattr(t, name), hair[name]) for name in ("post", "receive")}
    in_hairs = {name: hairs([cycles], multiples)[0] for name, (cycles, multiples) in other.items()}
    return work.sums(each, service, replace(Numbers.of([machine]), **in_hairs))
