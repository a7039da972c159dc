"""How much the makespan depends on every time of a machine: slopes along its critical paths.

The makespan is the length of a longest path through the graph of an order. On it lie so many start-ups,
words, posts and operations; one more cycle of each costs as many cycles as it lies there. Where several paths
are longest, more costs what lies on the one with most, less saves what lies on the one with fewest. Durations
are whole cycles; the slopes are those of the times before they are rounded up. Where two messages come to a
queue in the same cycle, the least change may let one overtake the other: then the makespan may jump, and no
slope is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.retiming.cycles import Cycles, Work
from senn.machine.retiming.evaluate import Filled
from senn.machine.retiming.order import Order

OPERATIONS = ("multiply", "add", "divide", "trig")
TIMES = (*OPERATIONS, "startup", "word", "hop", "post", "receive")
"""The times of a machine that have a slope each, and `flop`, where an operation has one time."""


@dataclass(frozen=True)
class Slope:
    """Cycles of the makespan for one cycle more of a time, and for one less; None where the order changes."""

    more: Fraction | None
    less: Fraction | None


def flop(machine: Machine) -> Fraction | None:
    """The time of an operation: of a multiplication, an addition and a division; None where they differ."""
    t = machine.timing
    return t.multiply if t.multiply == t.add == t.divide else None


def slopes(order: Order, work: Work, machine: Machine, cycles: Cycles, filled: Filled) -> dict[str, Slope]:
    """By name of the time, those of one machine, whose cycles and times (of one column) are given."""
    found = _Slopes(order, work, machine, cycles, filled)
    most, least = found.along(most=True), found.along(most=False)
    return {
        name: Slope(*(None if end is None else Fraction(end, scale) for end in ends))
        for name, scale, *ends in zip(found.names, found.scales, most, least, strict=True)
    }


class _Slopes:
    """What each time counts for in every duration, a column for each time."""

    def __init__(self, order: Order, work: Work, machine: Machine, cycles: Cycles, filled: Filled) -> None:
        self.order, self.cycles = order, cycles
        self.issue, self.start = filled.issue[:, 0], filled.start[:, 0]
        self.busy = cycles.busy[:, 0]
        self.end = self.issue + self.busy
        rate = flop(machine)
        self.names = (*TIMES, "flop") if rate else TIMES
        t = machine.timing
        shares = [getattr(t, name) / rate for name in OPERATIONS] if rate else [Fraction(0)] * 4
        scale = math.lcm(*(share.denominator for share in shares))
        self.scales = (1,) * len(TIMES) + (scale,) * bool(rate)
        weights = np.array([int(share * scale) for share in shares], dtype=np.int64)
        self.counts = np.zeros((len(work.counts), len(self.names)), dtype=np.int64)
        self.counts[:, :4] = work.counts
        if rate:
            self.counts[:, -1] = work.counts @ weights
        self.work, self.machine = work, machine
        words, cut = np.array(order.words, dtype=np.int64), machine.switching == "cut-through"
        self.service = self._of(len(words), word=words, startup=0 if cut else 1)
        self.onward = self._of(len(words), hop=1) if cut else self.service
        self.delivery = self.service + self._of(len(words), hop=int(cut))
        self.launch = self._of(1, startup=int(cut))[0]

    def _of(self, rows: int, **times: int | Integers) -> Integers:
        found = np.zeros((rows, len(self.names)), dtype=np.int64)
        for name, count in times.items():
            found[:, self.names.index(name)] = count
        return found

    def _tasks(self, most: bool) -> Integers:
        """By task, of the kernel that takes longest; of several that do, the most or the least of each."""
        pick = np.max if most else np.min
        w, t = self.work, self.machine.timing
        price = [Fraction(getattr(t, name)) for name in OPERATIONS]
        cost = [sum(int(n) * p for n, p in zip(row, price, strict=True)) for row in w.counts]
        rows = []
        for kernels, posts, load, taken in zip(w.kernels, w.posts, w.load, w.taken, strict=True):
            longest = max(cost[k] for k in kernels)
            row = pick(self.counts[[k for k in kernels if cost[k] == longest]], axis=0) * load
            row[self.names.index("post")] += posts * load
            row[self.names.index("receive")] += taken
            rows.append(row)
        return np.array(rows, dtype=np.int64).reshape(-1, len(self.names))[w.row]

    def along(self, most: bool) -> list[int | None]:
        """Slopes at the end, of the longest paths with most or least of each time; None where the order of
        the queues would be another with a little more, or a little less."""
        order, tasks = self.order, self.order.tasks
        pick = np.max if most else np.min
        of_task = self._tasks(most)
        begun = np.zeros((tasks, len(self.names)), dtype=np.int64)
        ended = np.zeros_like(begun)
        granted = np.zeros((len(order.requested), len(self.names)), dtype=np.int64)
        free = bool(self.cycles.free.all())
        service, delivery = self.cycles.service[:, 0], self.cycles.delivery[:, 0]
        for node in order.turn:
            led: list[Integers] = []
            if node < tasks:
                time = self.issue[node]
                before, waits, at_once = order.before[node], order.waits[node], order.at_once[node]
                if before >= 0 and self.end[before] == time:
                    led.append(ended[before])
                carried = order.carries[waits]
                last = self.start[waits] + delivery[carried] == time
                led += list(granted[waits[last]] + self.delivery[carried[last]])
                led += list(ended[at_once[self.end[at_once] == time]])
                if led:
                    begun[node] = pick(led, axis=0)
                ended[node] = begun[node] + of_task[node]
                continue
            k = node - tasks
            time, by, follows = self.start[k], order.requested[k], order.follows[k]
            carries = order.carries[k]
            if by < tasks:
                request, led_by = self.end[by] + self.cycles.launch[0], ended[by] + self.launch
            else:
                request = self.start[by - tasks] + self.cycles.onward[carries, 0]
                led_by = granted[by - tasks] + self.onward[carries]
            if request == time:
                led.append(led_by)
            if follows >= 0 and not free:
                of = order.carries[follows]
                if self.start[follows] + service[of] == time:
                    led.append(granted[follows] + self.service[of])
            granted[k] = pick(led, axis=0)
        last_tasks = order.last[order.last >= 0]
        makespan = self.end[last_tasks].max(initial=0)
        latest = last_tasks[self.end[last_tasks] == makespan]
        found = pick(ended[latest], axis=0) if len(latest) else np.zeros(len(self.names), dtype=np.int64)
        turned = self._turned(ended, granted, most)
        return [None if gone else slope for slope, gone in zip(found.tolist(), turned.tolist(), strict=True)]

    def _turned(self, ended: Integers, granted: Integers, most: bool) -> NDArray[np.bool_]:
        """By time, whether of two messages that come to a queue in the same cycle the second overtakes."""
        (at_first, first), (at_second, second) = (
            self._requests(ended, granted, classes) for classes in self.order.meet
        )
        ahead = first - second if most else second - first
        turned: NDArray[np.bool_] = (ahead[at_first == at_second] > 0).any(axis=0)
        return turned

    def _requests(self, ended: Integers, granted: Integers, classes: Integers) -> tuple[Integers, Integers]:
        """When hops are requested, and the slopes of that."""
        tasks, by = self.order.tasks, self.order.requested[classes]
        carries = self.order.carries[classes]
        cycles, slopes = (
            np.zeros(len(by), dtype=np.int64),
            np.zeros((len(by), len(self.names)), dtype=np.int64),
        )
        posted = by < tasks
        cycles[posted] = self.end[by[posted]] + self.cycles.launch[0]
        slopes[posted] = ended[by[posted]] + self.launch
        cycles[~posted] = self.start[by[~posted] - tasks] + self.cycles.onward[carries[~posted], 0]
        slopes[~posted] = granted[by[~posted] - tasks] + self.onward[carries[~posted]]
        return cycles, slopes
