"""The run that an engine leaves: its trace, its results, and every value if they are kept.

Both engines use this page. The trace puts measured cycles (`Times`) beside the instructions and messages of
the schedule, and derives no cycle. Whether the cycles belong together is for the invariants to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.memory import Batches, Block, operations
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Compute, Executed
from senn.traces import analysis
from senn.traces.analysis.overlap import Cycles
from senn.traces.naming import TOGETHER
from senn.traces.record import NULL, SCHEMA, WORK, Column, Detail, Trace, Values, text_column
from senn.traces.run import Run


@dataclass(frozen=True, eq=False)
class Travel:
    """The cycles in which messages were posted, queued, served and delivered, each as the engine saw it.

    No column follows from another: a message may be delivered later than it left its last channel.
    """

    posted: Integers  # by message: its descriptor entered the DMA
    arrived: Integers  # by message: it was delivered
    queued: Integers  # by hop, as in schedule.messages.paths.channels: the channel was requested
    starts: Integers  # by hop: granted
    ends: Integers  # by hop: left


@dataclass(frozen=True, eq=False)
class Times:
    """The measurements of an engine: issue and end of every instruction of every control unit, and travel."""

    units: tuple[tuple[Issue, ...], ...]
    issues: tuple[Integers, ...]  # aligned with units
    ends: tuple[Integers, ...]  # aligned with units
    travel: Travel

    @property
    def makespan(self) -> int:
        """The latest end of an instruction."""
        return max((int(ends[-1]) for ends in self.ends if len(ends)), default=0)

    @property
    def per_node(self) -> bool:
        """Whether every node has a control unit of its own."""
        return any(issue.node is not None for unit in self.units for issue in unit[:1])

    def timed(self) -> Iterator[tuple[Issue, int, int, int]]:
        """(instruction, end of the one before, issue, end), control unit by control unit."""
        for unit, issues, ends in zip(self.units, self.issues, self.ends, strict=True):
            ended = 0
            for issue, cycle, end in zip(unit, issues.tolist(), ends.tolist(), strict=True):
                yield issue, ended, cycle, end
                ended = end


def instructions(times: Times) -> Trace:
    """The trace of a run of detail "instructions"."""
    return Trace.from_columns("instructions", instructions=_instructions(times))


def _instructions(times: Times) -> dict[str, Column]:
    rows = []
    for task, issue, end, *stall in _stalls_of_nodes(times) if times.per_node else _stalls_of_arrays(times):
        line, mask = task.line.instruction, None
        if line.operation == "wait":  # its mask, node:process
            order = np.argsort(task.nodes, kind="stable")
            pairs = zip(task.nodes[order].tolist(), task.line.processes[order].tolist(), strict=True)
            mask = " ".join(f"{node}:{process}" for node, process in pairs)
        level = NULL if line.level is None else line.level
        cycles = (issue, end, len(task.lanes), *stall, task.max_received)
        work = _operations(task.line.instruction.counts)
        rows.append((task.array, task.serial, line.step, level, line.operation, *cycles, work, mask))
    kinds = SCHEMA["instructions"] | WORK["instructions"]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(kinds)
    return {
        name: list(column) if kind == pl.String else np.array(column, dtype=np.int64)
        for (name, kind), column in zip(kinds.items(), columns, strict=True)
    }


@cache
def _operations(kernels: tuple[tuple[int, ...], ...]) -> str:
    """Operations of a process by kind, for each kernel that occurs."""
    return ", ".join(" ".join(map(str, counts)) for counts in sorted({*kernels}))


def _stalls_of_arrays(times: Times) -> Iterator[tuple[Any, ...]]:
    """(task, issue, end, stall, dependency wait, exposed, released by) of every instruction of an array."""
    travel = times.travel
    for issue, ended, cycle, end in times.timed():
        exposed, released_by = 0, NULL
        if stall := cycle - ended:
            released_by = int(issue.awaited[np.argmax(travel.arrived[issue.awaited])])  # lowest id of equals
            exposed = cycle - max(ended, int(travel.posted[released_by]))
        yield issue.task, cycle, end, stall, stall - exposed, exposed, released_by


def _stalls_of_nodes(times: Times) -> Iterator[tuple[Any, ...]]:
    """(task, first issue, last end, nulls) of every instruction whose nodes have control units of their own.

    The nodes stall each by itself: an instruction has no stall and no single message that released it.
    """
    spans: dict[tuple[int, int], tuple[Task, int, int]] = {}
    for issue, _, cycle, end in times.timed():
        key = (issue.task.array, issue.task.serial)
        _, earliest, latest = spans.get(key, (issue.task, cycle, end))
        spans[key] = (issue.task, min(earliest, cycle), max(latest, end))
    for _, span in sorted(spans.items(), key=lambda entry: entry[0]):
        yield *span, NULL, NULL, NULL, NULL


def _activities(schedule: Schedule, durations: Durations, times: Times) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own.

    A node that acts, or else receives, for several processes has one interval for all of them and names none.
    """
    executed: dict[Task, Executed] = {}
    rows: list[tuple[Any, ...]] = []  # of an instruction, and by node
    for issue, _, cycle, ended in times.timed():
        task, start = issue.task, cycle + issue.receive
        kinds, which = executed[task] = executed.get(task) or operations(task)
        acting = np.arange(len(task.nodes)) if issue.positions is None else issue.positions
        node = task.lanes if issue.node is None else np.array([issue.node])
        ends = cycle + durations.lanes(task) if issue.node is None else np.array([ended])
        lane = np.searchsorted(node, task.nodes[acting])
        process, flops = np.full(len(node), NULL), np.zeros(len(node), dtype=np.int64)
        process[lane] = task.line.processes[acting]
        process[np.bincount(lane, minlength=len(node)) > 1] = NULL
        if not len(acting):
            readers = np.unique(schedule.messages.target_process[issue.received])
            process[:] = readers[0] if len(readers) == 1 else NULL
        np.add.at(flops, lane, np.array([sum(kind) for kind in kinds], dtype=np.int64)[which[acting]])
        work = _work(kinds, which[acting], lane, len(node))
        if start > cycle:
            none = np.zeros_like(flops)
            rows.append((task, "receive", cycle, node, process, none + start, none, *work))
        if (operation := task.line.instruction.operation) != "wait":
            kind = "compute" if operation == "compute" else "post"
            rows.append((task, kind, start, node, process, ends, flops, *work))
    tasks, classes, starts, *columns, texts, of_nodes = zip(*rows, strict=True) if rows else ((),) * 9
    row, none = np.repeat(np.arange(len(rows)), [*map(len, columns[0])]), np.zeros(0, dtype=np.int64)
    node, process, end, flops, text = (np.concatenate([none, *column]) for column in (*columns, of_nodes))
    first_text = np.cumsum([0, *map(len, texts)])
    return {
        "array": np.array([task.array for task in tasks], dtype=np.int64)[row],
        "instruction": np.array([task.serial for task in tasks], dtype=np.int64)[row],
        "node": node,
        "process": process,
        "class": text_column(classes, row),
        "start": np.array(starts, dtype=np.int64)[row],
        "end": end,
        "flops": flops,
        "work": text_column([*chain(*texts)], first_text[row] + text),
    }


def _work(
    kinds: Sequence[tuple[int, ...]], which: Integers, lane: Integers, lanes: int
) -> tuple[list[str], Integers]:
    """Texts of the work of lanes, and the text of each lane; processes at a `lane` execute `which` kinds."""
    words = [" ".join(map(str, kind)) for kind in kinds]
    if lanes == len(which):
        alone = np.empty(lanes, dtype=np.int64)
        alone[lane] = which
        return [f"1 {word}" for word in words], alone
    counts = np.zeros((lanes, len(kinds)), dtype=np.int64)
    np.add.at(counts, (lane, which), 1)
    rows, row_of = np.unique(counts, axis=0, return_inverse=True)
    texts = [
        ", ".join(f"{count} {word}" for count, word in zip(row, words, strict=True) if count)
        for row in rows.tolist()
    ]
    return texts, row_of


def _messages(schedule: Schedule, times: Times) -> dict[str, Column]:
    m, travel = schedule.messages, times.travel
    cargos = []
    for values in m.common.cargos:
        levels = {value.level for value in values}
        (level,) = levels if len(levels) == 1 else (None,)  # of values of several levels each names its own
        names = (x.letter if x.level == level else f"{x.letter}^{x.level}" for x in values)
        cargos.append((TOGETHER.join(names), NULL if level is None else level))
    granted, moves = travel.posted.copy(), m.paths.hops > 0  # a message without hops is granted when posted
    granted[moves] = travel.starts[m.paths.offsets[:-1][moves]]
    read_at = np.zeros(len(m), dtype=np.int64)
    for issue, _, cycle, _ in times.timed():
        read_at[issue.received] = cycle
    same = ("source_process", "target_process", "source_node", "target_node", "words", "read_by")
    return {
        "id": np.arange(len(m)),
        "instruction": m.serial,
        "step": text_column([task.step for task in schedule.every_task], schedule.senders),
        "value": text_column([names for names, _ in cargos], m.cargo),
        "level": np.array([level for _, level in cargos] or [NULL], dtype=np.int64)[m.cargo],
        **{name: getattr(m, name) for name in ("source_array", "target_array")},
        "process": m.source_process,  # which wrote the cargo: a Send takes the sender's own values
        **{name: getattr(m, name) for name in same},
        "posted": travel.posted,
        "granted": granted,
        "arrived": travel.arrived,
        "read_at": read_at,
    }


def _hops(schedule: Schedule, times: Times) -> dict[str, Column]:
    paths = schedule.messages.paths
    message = np.repeat(np.arange(len(paths)), paths.hops)
    return {
        "message": message,
        "hop": np.arange(len(message)) - paths.offsets[:-1][message],
        **{
            name: text_column(x, paths.channels) if isinstance(x, list) else x[paths.channels]
            for name, x in schedule.wiring.columns().items()
        },
        "queued": times.travel.queued,
        "start": times.travel.starts,
        "end": times.travel.ends,
    }


def traffic(schedule: Schedule, times: Times) -> dict[str, int]:
    """messages, hops, words (each message once), and the cycles of messages in flight, exposed and hidden.

    A run of less detail than full keeps no row per message, hop or node, and of 65,536 processes could not:
    these totals are the integers of ``senn.traces.analysis.summary`` of the whole trace.
    """
    m, travel = schedule.messages, times.travel
    since = travel.arrived.copy()
    for issue, ended, cycle, _ in times.timed():
        if cycle > ended:
            awaited = issue.awaited.astype(np.intp)
            tied = awaited[travel.arrived[awaited] == cycle]
            since[tied] = np.minimum(since[tied], np.maximum(travel.posted[tied], ended))
    # Messages of an instruction mostly have the same times: a run of equal ones is one row.
    columns = (m.target_array, travel.posted, since, travel.arrived)
    new = np.ones(len(m), dtype=bool)
    new[1:] = False
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    first = np.flatnonzero(new)
    alike = np.diff(first, append=len(m))
    reader, posted, since, arrived = (column[first] for column in columns)
    cycles = flown(reader, posted, since, arrived, times.issues, times.ends, alike)
    counts = {"messages": len(m), "hops": len(m.paths.channels), "words": int(m.words.sum())}
    return {**cycles, **counts}


def flown(
    reader: Integers,
    posted: Integers,
    since: Integers,
    arrived: Integers,
    issues: Sequence[ArrayLike],
    ends: Sequence[ArrayLike],
    messages: Integers,
) -> dict[str, int]:
    """Cycles in flight, exposed (from `since` on), hidden, and overlapped by instructions of the array that
    reads: of rows of so many `messages` each."""
    overlapped = 0
    for array, unit in enumerate(zip(issues, ends, strict=True), 1):
        working, rows = Cycles.union(*map(np.asarray, unit)), reader == array
        overlapped += _sum(working.within(posted[rows], since[rows]), messages[rows])
    return {
        "in_flight": _sum(arrived - posted, messages),
        "exposed": _sum(arrived - since, messages),
        "hidden": _sum(since - posted, messages),
        "overlapped": overlapped,
    }


def _sum(cycles: Integers, times: Integers) -> int:
    """Exact, also beyond 64 bits: with less detail than full times may be longer than such sums."""
    return (int((times * (cycles >> 32)).sum()) << 32) + int((times * (cycles & (2**32 - 1))).sum())


# The run: its trace and its numbers.


def run_of(
    schedule: Schedule,
    machine: Machine,
    durations: Durations,
    times: Times,
    memory: Batches | None = None,
    *,
    detail: Detail,
    keep_values: bool = False,
) -> Run:
    """The run that an engine leaves: its trace and, where there was a memory, its numbers.

    Values are kept at detail full only: they go with the messages that carry them.
    """
    description = {
        **schedule.describe(),
        "machine": {**machine.describe(), "arrays": schedule.program.arrays},
    }
    if detail == "full" or times.per_node:
        trace = Trace.from_columns(
            "full",
            instructions=_instructions(times),
            activities=_activities(schedule, durations, times),
            messages=_messages(schedule, times),
            hops=_hops(schedule, times),
        )
    else:
        trace = instructions(times)
    # An instruction of nodes that issue by themselves has as many times as nodes: only the whole trace can be
    # summed up. For others that takes six times as long, and a trace of less detail has no messages.
    summary = {} if times.per_node else analysis.summary(trace, traffic(schedule, times))
    run = Run(trace, description, summary=summary).at_detail(detail)
    if memory is None:
        return run
    result = {
        name: memory.contents(slots) if len(slots) else np.zeros(0)
        for name, slots in schedule.results.items()
    }
    values = _values(schedule, times, memory) if keep_values and detail == "full" else None
    return replace(run, result=result, values=values)


def _values(schedule: Schedule, times: Times, memory: Batches) -> Values:
    """Every value that was resident or computed, with the cycle that defined it, and every payload."""
    defined_at = np.zeros(len(schedule.flow.slots), dtype=np.int64)
    for issue, _, _, end in times.timed():
        if (writes := issue.task.line.writes) is not None:
            defined_at[writes if issue.positions is None else writes[issue.positions]] = end
    entries = [*schedule.flow.resident]
    for task in schedule.every_task:
        if isinstance(line := task.line.instruction, Compute) and task.line.writes is not None:
            entries.append((task.array, line.target, task.line.processes, task.line.writes))
    arrays, values, processes, slots = zip(*entries, strict=True) if entries else ((),) * 4
    sizes, none = list(map(len, slots)), np.zeros(0, dtype=np.int64)
    levels = [NULL if value.level is None else value.level for value in values]
    m = schedule.messages
    by_transfer = np.argsort(m.transfer, kind="stable")
    carried = m.slot[np.argsort(m.transfer[m.carrier], kind="stable")]
    ends = np.cumsum(np.bincount(m.transfer, minlength=len(m.common.cargo)))
    payloads: dict[int, Block] = {}  # several values are one vector, their words in order
    start = 0
    for transfer, messages in enumerate(np.split(by_transfer, ends)[:-1]):
        parts = int(m.common.carried[transfer])
        stop = start + parts * len(messages)
        blocks = [memory.contents(part) for part in carried[start:stop].reshape(-1, parts).T if len(part)]
        if len(blocks) > 1:
            blocks = [np.concatenate([block.reshape(len(block), -1) for block in blocks], axis=1)]
        for block in blocks:
            payloads.update(zip(messages.tolist(), block, strict=True))
        start = stop
    return Values(
        array=np.repeat(np.array(arrays, dtype=np.int64), sizes),
        value=np.repeat(np.array([value.letter for value in values], dtype=np.str_), sizes),
        level=np.repeat(np.array(levels, dtype=np.int64), sizes),
        process=np.concatenate([none, *processes]),
        born=np.concatenate([none, *(defined_at[some] for some in slots)]),
        numbers=tuple(block for some in slots if len(some) for block in memory.contents(some)),
        payloads=dict(sorted(payloads.items())),
    )
