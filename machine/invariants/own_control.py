"""Invariants I7, I8 and I10 of a machine whose nodes issue by themselves (control = "mimd")."""

from __future__ import annotations

import numpy as np
import polars as pl

from senn.machine.engines.reading import Reading, Violation, column, require
from senn.machine.network.topology import Integers
from senn.machine.program import Wait
from senn.traces.analysis.intervals import Cycles
from senn.traces.record.trace import NULL

_WAITED = ("stall", "dependency_wait", "exposed", "released_by")


def nodes_wait_for_their_own_messages(r: Reading) -> None:
    """I7: a node issues when its predecessor has ended and its own messages are there: work + waiting = the
    end of its last instruction. An instruction of the array has no stall, since every node has its own."""
    for name in _WAITED:
        said = r.instruction(name)
        require("I7", said == NULL, lambda k, name=name: f"{r.at(k)} has a {name}, but every node its own")  # type: ignore[misc]
    arrived = r.message("arrived")
    for unit, issues in zip(r.units, r.issues, strict=True):
        ended = 0
        for one, issue in zip(unit, issues.tolist(), strict=True):
            due = max(ended, int(arrived[one.waits].max(initial=0)))
            if issue != due:
                raise Violation(
                    f"I7: node {one.node} of array {one.task.array} issues {one.task.step} in cycle {issue}, "
                    f"but its predecessor and its messages are ready in {due}"
                )
            ended = issue + one.busy


def communication_splits(r: Reading) -> None:
    """I8: a node's DMA-busy cycles = under its work + while it waits + after its last instruction."""
    nodes, horizon = r.schedule.wiring.nodes, r.horizon
    owner, start, stop = r.dma_intervals
    busy = np.zeros(r.schedule.wiring.arrays * nodes, dtype=np.int64)
    np.add.at(busy, owner, stop - start)
    a = r.trace.activities
    engine = (column(a, "array") - 1) * nodes + column(a, "node")
    split = np.zeros_like(busy)
    np.add.at(
        split,
        engine,
        r.dma.within(engine * horizon + column(a, "start"), engine * horizon + column(a, "end")),
    )
    for node, (unit, issues) in enumerate(zip(r.units, r.issues, strict=True)):
        ends = np.concatenate([[0], issues + np.array([one.busy for one in unit], dtype=np.int64)])
        origin = node * horizon
        waits = Cycles.union(origin + ends[:-1], origin + issues)
        after = Cycles.union(np.array([origin + ends[-1]]), np.array([origin + horizon]))
        mine = owner == node
        for idle in (waits, after):
            split[node] += int(idle.within(origin + start[mine], origin + stop[mine]).sum())
    require(
        "I8",
        split == busy,
        lambda k: (
            f"the DMA of node {k % nodes} of array {k // nodes + 1} is busy {busy[k]} cycles, of which "
            f"{split[k]} are accounted for"
        ),
    )


def lanes_take_their_own_time(r: Reading) -> None:
    """I10: a node is busy with its share of an instruction as long as that takes; the row of the instruction
    goes from the first node to issue to the last to end."""
    due: dict[tuple[int, int, int, bool], tuple[int, int]] = {}
    issue = np.full(len(r.tasks), np.iinfo(np.int64).max)
    end = np.full(len(r.tasks), NULL)
    for unit, issues in zip(r.units, r.issues, strict=True):
        for one, cycle in zip(unit, issues.tolist(), strict=True):
            assert one.node is not None
            row = int(r.first[one.task.array - 1]) + one.task.serial
            issue[row], end[row] = min(issue[row], cycle), max(end[row], cycle + one.busy)
            key = (one.task.array, one.task.serial, one.node)
            if one.receive:
                due[*key, True] = (cycle, cycle + one.receive)
            if not isinstance(one.task.line.instruction, Wait):
                due[*key, False] = (cycle + one.receive, cycle + one.busy)
    _require_rows(r, issue, end)
    table = r.trace.activities.with_columns((pl.col("class") == "receive").alias("receives"))
    for array, serial, node, receives, start, stop in table.select(
        "array", "instruction", "node", "receives", "start", "end"
    ).iter_rows():
        wanted = due.pop((array, serial, node, receives), None)
        if wanted != (start, stop):
            row = int(r.first[array - 1]) + serial
            raise Violation(
                f"I10: {r.at(row)}: node {node} works from cycle {start} to {stop}, due is "
                f"{'nothing' if wanted is None else f'{wanted[0]} to {wanted[1]}'}"
            )
    if due:
        array, serial, node, _ = min(due)
        row = int(r.first[array - 1]) + serial
        raise Violation(f"I10: {r.at(row)}: the lanes at work are not those of its mask: node {node} is not")


def _require_rows(r: Reading, issue: Integers, end: Integers) -> None:
    said_issue, said_end = r.instruction("issue"), r.instruction("end")
    require(
        "I10",
        (said_issue == issue) & (said_end == end),
        lambda k: (
            f"{r.at(k)}: said to go from cycle {said_issue[k]} to {said_end[k]}, but its nodes go from "
            f"{issue[k]} to {end[k]}"
        ),
    )
