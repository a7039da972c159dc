"""Real processes: ranks of MPI execute a schedule, and record when.

A rank is the node of its number in every array: a block of processes of all arrays shares a memory and a
core. A rank issues whatever instruction of its control units has all messages that it awaits, by turns. A
send posts a nonblocking message to another rank and copies within its own; the first reader receives it.

Times are nanoseconds. An issue begins where the one before it on its control unit ended, or when the last
message that it awaits was noticed. Until its operation starts it receives: that is what the rank spends on
noticing and receiving messages and, of several arrays, on the instructions of the others. Messages are
noticed between instructions, so they may have been there before. Ranks of one host share its clock. On others
the clock starts when the word to begin arrives, or later, so that no message arrives before it was posted.
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from time import monotonic_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.engines.memory import Block, evaluated, kernel_groups, residents
from senn.machine.engines.record import Times, Travel, run_of
from senn.machine.model import Machine
from senn.machine.model.figures import Timing
from senn.machine.network.topology import Integers, ranges
from senn.machine.placing.messages import Messages
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Wait
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
        raise InputError(f"{nodes} ranks, but the program has n = {n}: take at most {n}")
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
    """Execute a schedule of `blocks` `repeat` times on the ranks of `comm`, one a node; every rank calls it.

    Rank 0 returns the run of least makespan with the records of all ranks, the others None. The entry
    "processes" of its description has ranks, hosts, cores that they may use, and all makespans.
    """
    rank, makespans = _Rank(schedule, machine, memory, comm), []
    for _ in range(repeat):
        record = rank.execute()
        makespans.append(max(comm.allgather(max(chain([0], *record.ends)))))
        if makespans[-1] == min(makespans):
            best = record
    gathered = comm.gather((best, rank.results()))
    if gathered is None:
        return None
    records, results = zip(*gathered, strict=True)
    times = _times(rank.units, schedule.messages, records)
    run = run_of(schedule, machine, durations(schedule, machine), times, detail=detail)
    entry = {"ranks": comm.size, "hosts": rank.hosts, "cores": rank.cores, "makespans": makespans}
    result = {name: np.concatenate([part[name] for part in results]) for name in schedule.results}
    return replace(run, result=result, description={**run.description, "processes": entry})


# ------------------------------------------------------------ a rank


@dataclass(slots=True)
class _Record:
    """Times of one execution on one rank; -1 of a message is what another rank measures."""

    issues: list[list[int]]  # by control unit of the machine: empty for those of other ranks
    starts: list[list[int]]  # of the operation, when its turn has come and its messages are received
    ends: list[list[int]]
    posted: NDArray[np.int64]
    arrived: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _RankWork:
    """An issue with the places of its numbers in the memory of the rank, and its messages by id."""

    awaited: list[int]
    received: list[tuple[int, Block]]  # from other ranks
    compute: Callable[[], None] | None
    copied: list[int]  # to this rank, from `sources` to `targets`
    targets: slice | Integers
    sources: slice | Integers
    posted: list[tuple[int, int, slice | Integers]]  # to other ranks: id, rank, numbers
    array: int
    waits: bool


class _Rank:
    """A rank: its share of the program, and a memory that has only its own values."""

    def __init__(
        self, schedule: Schedule, machine: Machine, memory: Mapping[str, NDArray[Any]], comm: MPI.Intracomm
    ) -> None:
        from mpi4py import MPI

        self.schedule, self.comm = schedule, comm
        self.units = control_units(schedule, machine, durations(schedule, machine))
        usable = getattr(os, "sched_getaffinity", lambda process: range(os.cpu_count() or 1))
        places = comm.allgather((MPI.Get_processor_name(), sorted(usable(0))))
        self.hosts = len({host for host, _ in places})
        self.cores = len({(host, core) for host, cores in places for core in cores})
        self.with_first = places[comm.rank][0] == places[0][0]
        fills, m = schedule.flow.slots.fills, schedule.messages
        self.mine = schedule.slot_node == comm.rank
        words = [int(np.prod(schedule.flow.values[fill.value].shape)) for fill in fills]
        self.size = np.repeat(words, [len(fill.processes) for fill in fills]) * self.mine
        # The values that a message carries lie side by side.
        order = np.concatenate([np.delete(np.arange(len(self.size)), m.slot), m.slot])
        self.first = np.empty(len(order), dtype=np.int64)
        self.first[order] = np.cumsum(self.size[order]) - self.size[order]
        self.carried = np.searchsorted(m.carrier, np.arange(len(m) + 1))
        resident = list(residents(schedule, memory))
        self.numbers: Block = np.empty(int(self.size.sum()), dtype=resident[0][2].dtype)
        for _, slots, content in resident:
            local = self.mine[slots]
            self.numbers[self._places(slots[local])] = content[local].ravel()
        of_arrays = range(comm.rank, len(self.units), comm.size)
        self.work = {k: list(map(self._work, self.units[k])) for k in of_arrays}

    def results(self) -> dict[str, Block]:
        """Results of the processes of this rank, in their order."""
        shapes = {name: value.shape for name, (_, value) in self.schedule.program.results.items()}
        local = {name: slots[self.mine[slots]] for name, slots in self.schedule.results.items()}
        return {name: self.numbers[self._places(local[name])].reshape(-1, *shapes[name]) for name in local}

    def _places(self, slots: Integers) -> slice | Integers:
        """Places of the numbers of some values; a slice where they lie side by side."""
        first, size = self.first[slots], self.size[slots]
        if len(slots) and (first[1:] == (first + size)[:-1]).all():
            return slice(int(first[0]), int(first[-1] + size[-1]))
        return ranges(first, size)

    def _work(self, issue: Issue) -> _RankWork:
        m, me, instruction = self.schedule.messages, self.comm.rank, issue.task.line.instruction
        remote = [k for k in issue.received.tolist() if m.source_node[k] != me]
        posts = np.arange(len(m))[issue.posts] if isinstance(issue.posts, range) else issue.posts
        copied, posted = (
            [k for k in posts.tolist() if (m.target_node[k] == me) == here] for here in (True, False)
        )
        parts = [range(*self.carried[k : k + 2]) for k in copied]
        values = np.array(list(chain(*parts)), dtype=np.int64)
        return _RankWork(
            issue.awaited.tolist(),
            [(k, self.numbers[self._of_message(m.slot, k)]) for k in remote],
            self._computation(issue, instruction) if isinstance(instruction, Compute) else None,
            copied,
            self._places(m.slot[values]),
            self._places(m.source_slot[values]),
            [(k, int(m.target_node[k]), self._of_message(m.source_slot, k)) for k in posted],
            issue.task.array,
            isinstance(instruction, Wait),
        )

    def _of_message(self, slots: Integers, message: int) -> slice | Integers:
        """Places of the values in a message: in the memory of its sender or of its receiver."""
        return self._places(slots[slice(*self.carried[message : message + 2])])

    def _computation(self, issue: Issue, instruction: Compute) -> Callable[[], None]:
        """The kernels of a compute on the memory of this rank."""
        numbers, line = self.numbers, issue.task.line
        assert line.writes is not None
        shapes = [operand.value.shape for operand in instruction.expression.operands]
        calls = []
        for kernel, present, group in kernel_groups(line, issue.positions):
            columns = zip(present, issue.task.reads, shapes, strict=True)
            reads = [(self._places(read[group]), shape) if there else None for there, read, shape in columns]
            calls.append((kernel, reads, len(group), self._places(line.writes[group])))

        def compute() -> None:
            for kernel, reads, rows, target in calls:
                operands = [read and numbers[read[0]].reshape(rows, *read[1]) for read in reads]
                numbers[target] = evaluated(instruction, kernel, operands, rows).ravel()

        return compute

    def execute(self) -> _Record:
        """Execute all issues of this rank; all ranks begin together."""
        from mpi4py import MPI

        m, comm, numbers, status = self.schedule.messages, self.comm, self.numbers, MPI.Status()
        columns: list[list[list[int]]] = [[[] for _ in self.units] for _ in range(3)]
        issues, starts, ends = columns
        posted, arrived = ([_NOT_YET] * len(m) for _ in range(2))
        # MPI keeps the order of the messages of a rank with the same tag, here the array.
        expected: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)
        for k in np.flatnonzero((m.target_node == comm.rank) & (m.source_node != comm.rank)).tolist():
            expected[int(m.source_node[k]), int(m.source_array[k])].append(k)
        noticed: dict[int, MPI.Message] = {}
        requests: list[MPI.Request] = []
        turns = deque(k for k, stream in self.work.items() if stream)
        before = dict.fromkeys(turns, 0)
        gc.collect()
        gc.disable()
        comm.Barrier()
        begun = comm.bcast(monotonic_ns())
        begun = begun if self.with_first else monotonic_ns()
        while turns:
            while (message := comm.Improbe(status=status)) is not None:
                k = expected[status.source, status.tag].popleft()
                noticed[k], arrived[k] = message, monotonic_ns() - begun
            for unit in turns:
                work = self.work[unit][len(ends[unit])]
                if all(arrived[k] != _NOT_YET for k in work.awaited):
                    break
            else:
                os.sched_yield()
                continue
            issues[unit].append(max([before[unit], *(arrived[k] for k in work.awaited)]))
            for k, into in work.received:
                noticed.pop(k).Recv(into)
            starts[unit].append(monotonic_ns() - begun)
            if work.compute is not None:
                work.compute()
            if work.copied:
                numbers[work.targets] = numbers[work.sources]
                for k in work.copied:
                    posted[k] = arrived[k] = monotonic_ns() - begun
            for k, rank, places in work.posted:
                posted[k] = monotonic_ns() - begun
                requests.append(comm.Isend(numbers[places], rank, tag=work.array))
            before[unit] = starts[unit][-1] if work.waits else monotonic_ns() - begun
            ends[unit].append(before[unit])
            turns.remove(unit)
            if len(ends[unit]) < len(self.work[unit]):
                turns.append(unit)
        gc.enable()
        MPI.Request.Waitall(requests)
        return _Record(issues, starts, ends, np.array(posted), np.array(arrived))


# ------------------------------------------------------------ the records of all ranks


def _times(units: Sequence[tuple[Issue, ...]], m: Messages, records: Sequence[_Record]) -> Times:
    """Times of all ranks. The first hop of a message is that from rank to rank; the arrays of a rank share a
    memory. Clocks are shifted by as few ns as let no message arrive before it was posted: 0 on one host."""
    ranks = len(records)
    posted, arrived = (
        np.maximum.reduce([getattr(x, name) for x in records]) for name in ("posted", "arrived")
    )
    shifts = np.zeros(ranks, dtype=np.int64)
    for _ in records:
        np.maximum.at(shifts, m.target_node, shifts[m.source_node] + posted - arrived)

    def of_units(name: str) -> tuple[Integers, ...]:
        """Times of each control unit; all begin at 0."""
        rows = (np.array(getattr(records[k % ranks], name)[k], dtype=np.int64) for k in range(len(units)))
        return tuple(row + (row > 0) * shifts[k % ranks] for k, row in enumerate(rows))

    issues, starts, ends = of_units("issues"), of_units("starts"), of_units("ends")
    measured = tuple(
        tuple(replace(issue, receive=ns) for issue, ns in zip(unit, (start - begun).tolist(), strict=True))
        for unit, start, begun in zip(units, starts, issues, strict=True)
    )
    posted, arrived = posted + shifts[m.source_node], arrived + shifts[m.target_node]
    message, first = np.repeat(np.arange(len(m)), m.paths.hops), m.paths.offsets[:-1][m.paths.hops > 0]
    queued = arrived[message]
    queued[first] = posted[message[first]]
    return Times(measured, issues, ends, Travel(posted, arrived, queued, queued, arrived[message]))
