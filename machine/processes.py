"""The engine of real processes: ranks of MPI execute a schedule, and its times are measured.

A rank is the node of that number in every array, so a block of processes of all arrays shares a memory and a
processor; times are nanoseconds of its clock. A rank issues whatever instruction of its control units has all
messages that it awaits, by turns. A send posts a nonblocking message for each one that the program sends to
another rank and copies the others; the first reader of a message receives it into the memory of its rank.

An issue begins where the one before it on its control unit ended, or when the last message that it awaits was
noticed. So its time includes what the rank spent on noticing messages and, of several arrays, on the
instructions of the others. A message is noticed between instructions: it may have been there before.
"""

from __future__ import annotations

import gc
import os
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.engines.memory import Block, evaluated, kernel_groups, residents
from senn.machine.engines.record import Times, Travel, run_of
from senn.machine.model import Machine
from senn.machine.model.figures import Timing
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Wait
from senn.traces.errors import InputError
from senn.traces.record import Detail
from senn.traces.run import Run

if TYPE_CHECKING:
    from mpi4py import MPI

_NOT_YET = -1


def machine_of(ranks: int) -> Machine:
    """The machine of a record: nodes that issue by themselves, and nanoseconds.

    Its times are 0: those of the record are measured.
    """
    zero = Fraction(0)
    timing = Timing(multiply=zero, add=zero, divide=zero, trig=zero, startup=zero, word=zero, post=0)
    return Machine(
        name="mpi", clock_mhz=Fraction(1000), timing=timing, network="full", nodes=ranks, control="mimd"
    )


def blocks(n: int, levels: int, nodes: int) -> Integers:
    """Allocation of n processes to ranks, as evenly as may be: process i at node floor((i - 1) nodes / n)."""
    if nodes > n:
        raise InputError(f"{nodes} ranks for {n} processes: a rank has one or more; take at most {n}")
    return np.tile(np.arange(n) * nodes // n, (levels + 1, 1))


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]],
    *,
    comm: MPI.Intracomm,
    repeat: int = 1,
    detail: Detail = "full",
) -> Run | None:
    """Execute a schedule `repeat` times on the ranks of `comm`, one for each node; every rank calls it.

    Rank 0 returns the run of least makespan with the record of all ranks, the others None. The entry
    "processes" of its description has ranks, hosts, cores that they may use, and all makespans.
    """
    rank = _Rank(schedule, machine, memory, comm)
    makespans: list[int] = []
    best: _Record | None = None
    for _ in range(repeat):
        record = rank.execute()
        last = max(chain([record.begun], *record.ends))
        makespans.append(max(comm.allgather(last)) - record.begun)
        if makespans[-1] == min(makespans):
            best = record
    assert best is not None
    results = {
        slot: rank.block(slot)
        for slots in schedule.results.values()
        for slot in slots.tolist()
        if rank.has(slot)
    }
    gathered = comm.gather((best, results))
    if gathered is None:
        return None
    run = run_of(
        schedule, machine, durations(schedule, machine), _times(rank, [x for x, _ in gathered]), detail=detail
    )
    numbers = dict(chain.from_iterable(x.items() for _, x in gathered))
    result = {
        name: np.array([numbers[slot] for slot in slots.tolist()]) for name, slots in schedule.results.items()
    }
    entry = {"ranks": comm.size, "hosts": rank.hosts, "cores": rank.cores, "makespans": makespans}
    return replace(run, result=result, description={**run.description, "processes": entry})


@dataclass(frozen=True)
class _Record:
    """Times of one execution on one rank, in ns of its clock; by message -1 what another rank measured."""

    begun: int
    issues: list[list[int]]  # by control unit of the machine, those of this rank
    starts: list[list[int]]  # of the operation, after receiving
    ends: list[list[int]]
    posted: NDArray[np.int64]
    arrived: NDArray[np.int64]


def _times(rank: _Rank, records: list[_Record]) -> Times:
    """Times of all ranks in nanoseconds from their common start."""
    begun = records[0].begun
    posted, arrived = (
        np.maximum.reduce([getattr(record, name) for record in records]) - begun
        for name in ("posted", "arrived")
    )
    units, issues, ends = [], [], []
    for k, unit in enumerate(rank.units):
        record = records[k % len(records)]
        issued, started = (np.array(x[k], dtype=np.int64) - begun for x in (record.issues, record.starts))
        received = (started - issued).tolist()
        units.append(tuple(replace(issue, receive=ns) for issue, ns in zip(unit, received, strict=True)))
        issues.append(issued)
        ends.append(np.array(record.ends[k], dtype=np.int64) - begun)
    # The first channel of a message is that from rank to rank; the arrays of a rank share their memory.
    paths = rank.schedule.messages.paths
    message, first = np.repeat(np.arange(len(paths)), paths.hops), paths.offsets[:-1][paths.hops > 0]
    queued = arrived[message]
    queued[first] = posted[message[first]]
    return Times(
        tuple(units), tuple(issues), tuple(ends), Travel(posted, arrived, queued, queued, arrived[message])
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """An issue, ready to be executed: messages by id, numbers by their places in the memory of the rank."""

    awaited: list[int]
    received: list[tuple[int, Block]]  # from other ranks, and where their numbers go
    array: int
    works: bool  # a wait does not
    compute: Callable[[], None] | None
    copied: list[int]  # messages to this rank
    targets: Any
    sources: Any
    posted: list[tuple[int, int, Any]]  # id, rank, numbers


class _Rank:
    """A rank: its share of the program, and a memory that has only its own values."""

    def __init__(
        self, schedule: Schedule, machine: Machine, memory: Mapping[str, NDArray[Any]], comm: MPI.Intracomm
    ):
        from mpi4py import MPI

        self.schedule, self.comm = schedule, comm
        self.units = control_units(schedule, machine, durations(schedule, machine))
        usable = getattr(os, "sched_getaffinity", lambda process: range(os.cpu_count() or 1))
        places = comm.allgather((MPI.Get_processor_name(), sorted(usable(0))))
        self.hosts = len({host for host, _ in places})
        self.cores = len({(host, core) for host, cores in places for core in cores})
        fills, m = schedule.flow.slots.fills, schedule.messages
        self.shapes = [value.shape for value in schedule.flow.values]
        counts = [len(fill.processes) for fill in fills]
        sizes = [int(np.prod(self.shapes[fill.value])) for fill in fills]
        self.mine = schedule.slot_node == comm.rank
        self.size = np.repeat(sizes, counts) * self.mine
        # The values that a message carries lie side by side.
        order = np.concatenate([np.delete(np.arange(len(self.size)), m.slot), m.slot])
        self.first = np.empty(len(order), dtype=np.int64)
        self.first[order] = np.cumsum(self.size[order]) - self.size[order]
        self.value = np.repeat([fill.value for fill in fills], counts)
        self.carried = np.searchsorted(m.carrier, np.arange(len(m) + 1))
        self.numbers: Block = np.empty(0)
        for _, slots, content in residents(schedule, memory):
            if not len(self.numbers):
                self.numbers = np.empty(int(self.size.sum()), dtype=content.dtype)
            own = self.mine[slots]
            if own.any():
                self.numbers[self._places(slots[own])] = content[own].ravel()
        self.work = {
            k: [self._work(issue) for issue in unit]
            for k, unit in enumerate(self.units)
            if k % comm.size == comm.rank
        }

    def has(self, slot: int) -> bool:
        """Whether the memory of this rank has a value."""
        return bool(self.mine[slot])

    def block(self, slot: int) -> Block:
        """The numbers of a value of this rank."""
        return self.numbers[self._places(np.array([slot]))].reshape(self.shapes[self.value[slot]]).copy()

    def _places(self, slots: Integers) -> slice | Integers:
        """Places of the numbers of some values; a slice where they lie side by side."""
        first, last = self.first[slots], self.first[slots] + self.size[slots]
        if (first[1:] == last[:-1]).all():
            return slice(int(first[0]), int(last[-1]))
        return np.concatenate([np.arange(*ends) for ends in zip(first, last, strict=True)])

    def _work(self, issue: Issue) -> _Work:
        m, me = self.schedule.messages, self.comm.rank
        remote = [k for k in issue.received.tolist() if m.source_node[k] != me]
        received = [(k, self.numbers[self._of_message(m.slot, k)]) for k in remote]
        posts = [
            (k, int(m.target_node[k]))
            for k in (issue.posts if isinstance(issue.posts, range) else issue.posts.tolist())
        ]
        copied = [k for k, rank in posts if rank == me]
        targets, sources = (
            np.concatenate(
                [_NO_PLACES, *(np.arange(len(self.numbers))[self._of_message(slots, k)] for k in copied)]
            )
            for slots in (m.slot, m.source_slot)
        )
        posted = [(k, rank, self._of_message(m.source_slot, k)) for k, rank in posts if rank != me]
        instruction = issue.task.line.instruction
        compute = self._computation(issue, instruction) if isinstance(instruction, Compute) else None
        return _Work(
            issue.awaited.tolist(),
            received,
            issue.task.array,
            not isinstance(instruction, Wait),
            compute,
            copied,
            targets,
            sources,
            posted,
        )

    def _of_message(self, slots: Integers, message: int) -> slice | Integers:
        """Places of what a message carries: in the memory of its sender or of its receiver."""
        return self._places(slots[self.carried[message] : self.carried[message + 1]])

    def _computation(self, issue: Issue, instruction: Compute) -> Callable[[], None]:
        """The kernels of a compute on the memory of this rank."""
        numbers = self.numbers
        assert issue.task.line.writes is not None
        shapes = [operand.value.shape for operand in instruction.expression.operands]
        calls = []
        for kernel, present, group in kernel_groups(issue.task.line, issue.positions):
            columns = zip(present, issue.task.reads, shapes, strict=True)
            reads = [(self._places(read[group]), shape) if there else None for there, read, shape in columns]
            calls.append((kernel, reads, len(group), self._places(issue.task.line.writes[group])))

        def execute() -> None:
            for kernel, reads, rows, target in calls:
                operands = [read and numbers[read[0]].reshape(rows, *read[1]) for read in reads]
                numbers[target] = evaluated(instruction, kernel, operands, rows).ravel()

        return execute

    def execute(self) -> _Record:
        """Execute all issues of this rank; all ranks start together."""
        from mpi4py import MPI

        m, comm, clock = self.schedule.messages, self.comm, time.monotonic_ns
        issues: list[list[int]] = [[] for _ in self.units]
        starts: list[list[int]] = [[] for _ in self.units]
        ends: list[list[int]] = [[] for _ in self.units]
        posted, arrived = ([_NOT_YET] * len(m) for _ in range(2))
        expected = self._expected()
        noticed: dict[int, MPI.Message] = {}
        requests: list[MPI.Request] = []
        status = MPI.Status()
        turns = deque(k for k, stream in self.work.items() if stream)
        gc.collect()
        gc.disable()
        comm.Barrier()
        begun = comm.bcast(clock())
        before = dict.fromkeys(turns, begun)
        while turns:
            while (message := comm.Improbe(status=status)) is not None:
                k = next(expected[status.source, status.tag])
                noticed[k], arrived[k] = message, clock()
            for unit in turns:
                work = self.work[unit][len(ends[unit])]
                if all(arrived[k] != _NOT_YET for k in work.awaited):
                    break
            else:
                os.sched_yield()
                continue
            issues[unit].append(max([before[unit], *(arrived[k] for k in work.awaited)]))
            for k, numbers in work.received:
                noticed.pop(k).Recv(numbers)
            starts[unit].append(clock() if work.received else issues[unit][-1])
            if work.compute is not None:
                work.compute()
            if work.copied:
                self.numbers[work.targets] = self.numbers[work.sources]
            for k in work.copied:
                posted[k] = arrived[k] = clock()
            for k, rank, places in work.posted:
                posted[k] = clock()
                requests.append(comm.Isend(self.numbers[places], rank, tag=work.array))
            before[unit] = clock() if work.works else starts[unit][-1]
            ends[unit].append(before[unit])
            turns.remove(unit)
            if len(ends[unit]) < len(self.work[unit]):
                turns.append(unit)
        gc.enable()
        MPI.Request.Waitall(requests)
        return _Record(begun, issues, starts, ends, np.array(posted), np.array(arrived))

    def _expected(self) -> dict[tuple[int, int], Iterator[int]]:
        """Messages of the other ranks to this one by rank and array, in the order in which they are sent."""
        m = self.schedule.messages
        to_here = np.flatnonzero((m.target_node == self.comm.rank) & (m.source_node != self.comm.rank))
        expected = defaultdict(list)
        for k in to_here.tolist():
            expected[int(m.source_node[k]), int(m.source_array[k])].append(k)
        return {key: iter(messages) for key, messages in expected.items()}


_NO_PLACES = np.zeros(0, dtype=np.int64)
