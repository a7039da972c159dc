"""Durations of a schedule (`senn.machine.durations`) on many machines at once, a column for each.

All are exact whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import LONGEST
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Wait

_LARGEST = 2**31
"""Numerators and denominators below it, so that a sum of products of them with counts has 64 bits."""


@dataclass(frozen=True, eq=False)
class Cycles:
    """Cycles of tasks and messages; a column per machine."""

    busy: Integers  # by task: from its issue to its end
    service: Integers  # by words: for which a message occupies a channel
    onward: Integers  # by words: from the grant of a channel to the request of the next
    delivery: Integers  # by words: from the grant of the last channel to the arrival
    launch: Integers  # from the post to the request of the first channel
    free: NDArray[np.bool_]  # whether messages take no time at all, and so do not queue


@dataclass(frozen=True, eq=False)
class Work:
    """Work that a schedule asks of a machine, counted: rows of different tasks, and messages by words."""

    row: Integers  # by task, which of the rows below
    counts: Integers  # (kernels, 4): operations of one process, of all kernels that occur
    kernels: tuple[tuple[int, ...], ...]  # by row: indices into counts; of a wait or a send the first, 0
    posts: Integers  # by row: 1 of a send
    load: Integers  # by row: processes of the node that has most of them
    received: Integers  # by row: the most messages that one lane receives
    words: Integers  # distinct, ascending
    sent: Integers  # by words: messages
    crossed: Integers  # by words: channels crossed, at least one for each message

    @classmethod
    def of(cls, schedule: Schedule) -> Work:
        tasks = [task for of_array in schedule.tasks for task in of_array]
        counts: dict[tuple[int, ...], int] = {(0, 0, 0, 0): 0}
        rows: dict[tuple[tuple[int, ...], int, int, int], int] = {}
        row = []
        for task in tasks:
            kernels = tuple(sorted({counts.setdefault(c, len(counts)) for c in task.operations}))
            send = int(not isinstance(task.line.instruction, Compute | Wait))
            key = (kernels or (0,), send, int(task.load.max()), task.max_received)
            row.append(rows.setdefault(key, len(rows)))
        kernels_of, posts, load, received = zip(*rows, strict=True) if rows else ((), (), (), ())
        m = schedule.messages
        words, which = np.unique(m.words, return_inverse=True)
        return cls(
            row=np.array(row, dtype=np.int64),
            counts=np.array(list(counts), dtype=np.int64),
            kernels=kernels_of,
            posts=np.array(posts, dtype=np.int64),
            load=np.array(load, dtype=np.int64),
            received=np.array(received, dtype=np.int64),
            words=words.astype(np.int64),
            sent=np.bincount(which, minlength=len(words)),
            crossed=np.bincount(which, np.maximum(m.paths.hops, 1), len(words)).astype(np.int64),
        )

    def fits(self, machines: Numbers, arrays: int) -> NDArray[np.bool_]:
        """By machine, whether 64 bits surely hold everything computed for it."""
        small = machines.small & (int(self.counts.max(initial=0)) < 2**27)
        rate = machines.operations / machines.of_operations
        each = np.stack([(self.counts[list(k)] @ rate + 1).max(axis=0) for k in self.kernels])
        busy = machines.receive * self.received[:, None] + self.load[:, None] * (
            each + machines.post * self.posts[:, None]
        )
        message = (machines.startup + np.outer(self.words, machines.word)) / machines.of_messages + 1
        total = np.bincount(self.row, minlength=len(self.load)) @ busy
        total += self.crossed @ (message + machines.passing) + self.sent.sum() * machines.launch
        fits: NDArray[np.bool_] = small & (total * 2 * max(arrays, 1) < LONGEST)
        return fits

    def cycles(self, machines: Numbers) -> Cycles:
        """Cycles on each machine; exact where `fits`."""
        each = _ceiling(self.counts @ machines.operations, machines.of_operations)
        busy = np.stack([each[list(kernels)].max(axis=0) for kernels in self.kernels])
        busy = (busy + self.posts[:, None] * machines.post) * self.load[:, None]
        busy += self.received[:, None] * machines.receive
        numerator = np.outer(self.words, machines.word) + np.where(machines.passing, 0, machines.startup)
        service = _ceiling(numerator, machines.of_messages)
        return Cycles(
            busy=busy[self.row],
            service=service,
            onward=np.where(machines.passing, machines.passing, service),
            delivery=service + machines.passing,
            launch=machines.launch,
            free=(machines.startup == 0) & (machines.word == 0),
        )


def _ceiling(numerator: Integers, denominator: Integers) -> Integers:
    quotient: Integers = -(-numerator // denominator)
    return quotient


@dataclass(frozen=True, eq=False)
class Numbers:
    """Timings of some machines as whole numbers over common denominators; a column for each."""

    operations: Integers  # (4, machines) multiply, add, divide, trig, times `of_operations`
    of_operations: Integers
    startup: Integers  # times `of_messages`
    word: Integers  # times `of_messages`
    of_messages: Integers
    launch: Integers
    passing: Integers
    post: Integers
    receive: Integers
    small: NDArray[np.bool_]  # where not, the numbers are not the machine's: they are too large for this

    @classmethod
    def of(cls, machines: Sequence[Machine]) -> Numbers:
        rows = [_numbers(machine) for machine in machines]
        small = np.array([max(row) < _LARGEST for row in rows], dtype=bool)
        kept = [row if fits else (1,) * len(row) for row, fits in zip(rows, small.tolist(), strict=True)]
        columns = np.array(kept, dtype=np.int64).reshape(len(rows), 4 + len(_OTHERS)).T
        others: dict[str, Integers] = dict(zip(_OTHERS, columns[4:], strict=True))
        return cls(operations=columns[:4], small=small, **others)


def _numbers(machine: Machine) -> tuple[int, ...]:
    t = machine.timing
    *operations, of_operations = _common(t.multiply, t.add, t.divide, t.trig)
    startup, word, of_messages = _common(t.startup, t.word)
    launch = math.ceil(t.startup) if machine.switching == "cut-through" else 0
    rest = (launch, math.ceil(t.hop), t.post, t.receive)
    return (*operations, of_operations, startup, word, of_messages, *rest)


_OTHERS = ("of_operations", "startup", "word", "of_messages", "launch", "passing", "post", "receive")


def _common(*numbers: Fraction) -> tuple[int, ...]:
    """Numerators over a common denominator, and the denominator."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return (*(x.numerator * (denominator // x.denominator) for x in numbers), denominator)
