"""The table of activities: when each node works for an instruction, and what it executes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.memory import operations
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Executed
from senn.traces.record import NULL, Column, text_column


@dataclass(frozen=True, eq=False)
class _Busy:
    """The work of all nodes of one instruction in one class of activity; columns of equal length."""

    task: Task
    kind: str
    start: int
    node: Integers
    process: Integers
    end: Integers
    flops: Integers
    texts: Sequence[str]  # of the work of a node
    text: Integers  # by node, which of them


def activities(
    schedule: Schedule, durations: Durations, issued: Iterable[tuple[Issue, int, int, int]]
) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own.

    `issued`: instruction, issue, start of its operation after receiving, end.

    A node that acts, or else receives, for several processes has one interval for all of them and names none.
    """
    executed: dict[tuple[int, int], Executed] = {}
    process: Integers
    parts: list[_Busy] = []
    for issue, cycle, start, end in issued:
        task, key = issue.task, (issue.task.array, issue.task.serial)
        if key not in executed:
            executed[key] = operations(task)
        kinds, which = executed[key]
        executed_flops = np.array([sum(kind) for kind in kinds], dtype=np.int64)[which]
        if issue.positions is None:
            node, ends = task.lanes, cycle + durations.lanes(task)
            lane, count = np.searchsorted(node, task.nodes), np.zeros(len(node), dtype=np.int64)
            np.add.at(count, lane, executed_flops)
            process = np.empty_like(count)
            process[lane] = task.line.processes
            process[task.load > 1] = NULL
            work = _work(kinds, which, lane, len(node))
        else:
            node, ends = np.array([issue.node]), np.array([end])
            process = task.line.processes[issue.positions]
            process = np.unique(process if len(process) else schedule.messages.target_process[issue.received])
            process = process if len(process) == 1 else np.array([NULL])
            count = executed_flops[issue.positions].sum(keepdims=True)
            work = _work(kinds, which[issue.positions], np.zeros_like(issue.positions), 1)
        if start > cycle:
            zeros = np.zeros(len(node), dtype=np.int64)
            parts.append(_Busy(task, "receive", cycle, node, process, zeros + start, zeros, *work))
        if (operation := task.line.instruction.operation) != "wait":
            kind = "compute" if operation == "compute" else "post"
            parts.append(_Busy(task, kind, start, node, process, ends, count, *work))
    part = np.repeat(np.arange(len(parts)), [len(work.node) for work in parts])
    first_text = np.cumsum([0, *(len(work.texts) for work in parts)])

    def spread(column: list[int]) -> Integers:
        return np.array(column, dtype=np.int64)[part]

    def joined(column: list[Integers]) -> Integers:
        return np.concatenate(column) if column else np.zeros(0, dtype=np.int64)

    return {
        "array": spread([work.task.array for work in parts]),
        "instruction": spread([work.task.serial for work in parts]),
        "node": joined([work.node for work in parts]),
        "process": joined([work.process for work in parts]),
        "class": text_column([work.kind for work in parts], part),
        "start": spread([work.start for work in parts]),
        "end": joined([work.end for work in parts]),
        "flops": joined([work.flops for work in parts]),
        "work": text_column(
            [text for work in parts for text in work.texts],
            first_text[part] + joined([work.text for work in parts]),
        ),
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
