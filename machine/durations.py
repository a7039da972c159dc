"""Durations of tasks and messages on a machine: whole cycles, known before the run.

`durations` has one machine, `Work.cycles` many at once, a column for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.model import Machine
from senn.machine.model.figures import over_common
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Instruction
from senn.traces.naming import OPERATIONS
from senn.traces.record import Detail


@dataclass(frozen=True, eq=False)
class Durations:
    """Cycles of every task (per array, by serial) and of every message on each channel it crosses.

    A node executes an operation for its processes in turn; the task lasts until the busiest node is done.

    A message requests its first channel `launch` cycles after its post, and the next `passing` cycles after
    it was granted one (cut-through) or, where `passing` is 0 (store-and-forward), when it has left it. It is
    delivered `passing` cycles after it has left the last one.
    """

    receive: tuple[Integers, ...]  # before the operation, to receive messages
    each: tuple[Integers, ...]  # of the operation, for one process
    cycles: tuple[Integers, ...]  # of the operation, for all of them
    messages: Integers  # for which it occupies a channel, and whatever serves it
    urgency: Integers  # of a message: the smallest is served first; all equal where the discipline is fifo
    launch: int = 0
    passing: int = 0

    @cached_property
    def onward(self) -> Integers:
        """Per message, from the grant of a channel to the request of the next."""
        return np.full_like(self.messages, self.passing) if self.passing else self.messages

    @cached_property
    def delivery(self) -> Integers:
        """Per message, from the grant of its last channel to its arrival."""
        return self.messages + self.passing if self.passing else self.messages

    def lanes(self, task: Task) -> Integers:
        """From the issue of a task to the end of the work of each of its lanes."""
        k = task.array - 1
        work: Integers = self.receive[k][task.serial] + task.load * self.each[k][task.serial]
        return work


LONGEST = 2**62
"""Bound of the cycles of a run and of every sum over its record, which are counted in 64 bits."""


def durations(
    schedule: Schedule, machine: Machine, *, detail: Detail = "summary", hops: Integers | None = None
) -> Durations:
    """The durations of `schedule` on `machine`.

    Refuses a machine on which another schedule would run, and times with which a run, or a sum over the
    tables of its trace at this level of `detail`, could come to `LONGEST` cycles. A run ends in time, since
    in each of its cycles some control unit works or some message is on a channel; `hops` per message are
    those of the schedule unless given.
    """
    schedule.refuse(machine)
    rows: list[tuple[int, int, int]] = []  # before the operation, of one process, and of all of the node
    for task in schedule.every_task:
        alone = instruction_cycles(task.line.instruction, machine)
        rows.append((machine.timing.receive * task.max_received, alone, alone * int(task.load.max())))
    of_transfer = [machine.message_cycles(words) for words in schedule.messages.common.words.tolist()]
    launch, passing = machine.launch, machine.passing
    m = schedule.messages
    crossed = np.bincount(m.transfer, m.paths.hops if hops is None else hops, len(of_transfer))
    sent = np.bincount(m.transfer, minlength=len(of_transfer))
    units = schedule.wiring.nodes if machine.control == "mimd" else 1  # that may work by turns
    worked = units * sum(before + work for before, _, work in rows)
    travelled = sum(
        count * launch + max(count, int(over)) * (service + passing)
        for service, count, over in zip(of_transfer, sent.tolist(), crossed.tolist(), strict=True)
    )
    # The sum of a column is at most the rows times the run: of less than the whole trace, its arrays; of the
    # whole, as many as there are nodes or hops, whose cycles are also counted on one axis.
    longest, height = worked + travelled, schedule.wiring.arrays
    if detail == "full" or machine.control == "mimd":  # which is summed up from the whole trace
        nodes = (schedule.wiring.arrays + 1) * schedule.wiring.nodes
        height = max(nodes, len(m.paths.channels) + 1, len(schedule.every_task))
    if longest * height >= LONGEST:
        program, fewer = schedule.program, machine.control != "mimd"
        sums = "," if longest >= LONGEST else f", and sums over {height:,} rows of its record to"
        less = ", or take less detail" if fewer and longest * schedule.wiring.arrays < LONGEST else ""
        raise InputError(
            f"machine {machine.name}: the times of {program.name}, n = {program.n}, come to {longest:.1e} "
            f"cycles{sums} more than 64 bits hold: give the machine shorter times{less}"
        )
    # Short messages before long, or those with an early reader first.
    urgency = m.words if machine.discipline == "priority" else m.read_by
    if machine.discipline == "fifo":
        urgency = np.zeros(len(m), dtype=np.int8)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    receive, each, cycles = (tuple(np.split(column, schedule.first[1:-1])) for column in columns)
    messages = np.array(of_transfer, dtype=np.int64)[m.transfer]
    return Durations(receive, each, cycles, messages, urgency, launch, passing)


def instruction_cycles(instruction: Instruction, machine: Machine) -> int:
    """Cycles of one interior process, maximised over joint types; `post` for Send and Arrange, 0 for Wait."""
    if instruction.operation == "wait":
        return 0
    if instruction.operation != "compute":
        return machine.timing.post
    return max(machine.compute_cycles(*counts) for counts in instruction.counts)


# Many machines at once.


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
        counts: dict[tuple[int, ...], int] = {(0,) * len(OPERATIONS): 0}
        rows: dict[tuple[tuple[int, ...], int, int, int], int] = {}
        row = []
        for task in schedule.every_task:
            kernels = tuple(sorted({counts.setdefault(c, len(counts)) for c in task.line.instruction.counts}))
            send = int(task.line.instruction.operation not in ("compute", "wait"))
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
        each = -(-(self.counts @ machines.operations) // machines.of_operations)
        numerator = np.outer(self.words, machines.word) + np.where(machines.passing, 0, machines.startup)
        return self.sums(each, -(-numerator // machines.of_messages), machines)

    def sums(self, each: Integers, service: Integers, machines: Numbers) -> Cycles:
        """Cycles where the kernels take `each`, and the messages occupy a channel for `service`, by words."""
        busy = np.stack([each[list(kernels)].max(axis=0) for kernels in self.kernels])
        busy = (busy + self.posts[:, None] * machines.post) * self.load[:, None]
        busy += self.received[:, None] * machines.receive
        return Cycles(
            busy=busy[self.row],
            service=service,
            onward=np.where(machines.passing, machines.passing, service),
            delivery=service + machines.passing,
            launch=machines.launch,
            free=(machines.startup == 0) & (machines.word == 0),
        )


@dataclass(frozen=True, eq=False)
class Numbers:
    """Timings of some machines as whole numbers over common denominators; a column for each."""

    small: NDArray[np.bool_]  # where not, the numbers are not the machine's: they are too large for this
    operations: Integers  # (kinds, machines), times `of_operations`
    of_operations: Integers
    startup: Integers  # times `of_messages`
    word: Integers  # times `of_messages`
    of_messages: Integers
    launch: Integers
    passing: Integers
    post: Integers
    receive: Integers

    @classmethod
    def of(cls, machines: Sequence[Machine]) -> Numbers:
        rows = []
        for machine in machines:
            t = machine.timing
            of_operations, *operations = over_common(*t.operations)
            of_messages, startup, word = over_common(t.startup, t.word)
            times = (of_operations, startup, word, of_messages, machine.launch, machine.passing)
            rows.append((*operations, *times, t.post, t.receive))
        small = np.array([max(row) < _LARGEST for row in rows], dtype=bool)
        kept = [row if fits else (1,) * len(row) for row, fits in zip(rows, small.tolist(), strict=True)]
        times_of_operations, others = np.split(np.array(kept, dtype=np.int64).T, [len(OPERATIONS)])
        return cls(small, times_of_operations, *others)
