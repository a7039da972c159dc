"""The table of activities: when each node works for an instruction, and what it executes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.memory import operations
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Executed
from senn.traces.record import NULL, Column, text_column


def activities(
    schedule: Schedule, durations: Durations, issued: Iterable[tuple[Issue, int, int, int]]
) -> dict[str, Column]:
    """Busy intervals of compute engines: receive, then the operation; a wait has none of its own.

    `issued`: instruction, end of the one before, issue, end.

    A node that acts, or else receives, for several processes has one interval for all of them and names none.
    """
    executed: dict[Task, Executed] = {}
    rows: list[_Busy] = []
    for issue, _, cycle, ended in issued:
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


_Busy = tuple[Task, str, int, Integers, Integers, Integers, Integers, Sequence[str], Integers]
"""Work of the nodes of one instruction, in one class of activity: task, class, start; by node, its process,
end and operations; texts of the work of a node, and which of them by node."""


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
