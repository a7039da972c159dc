"""Invariants I2, I7, I8 and I10: every cycle of every node, with a control unit per array or per node."""

from __future__ import annotations

import numpy as np
import polars as pl

from senn.machine.engines.memory import Violation
from senn.machine.invariants.reading import Reading, column, require
from senn.machine.network.topology import Integers
from senn.machine.program import Wait
from senn.traces.analysis.overlap import Cycles
from senn.traces.record import NULL

_STALL = ("stall", "dependency_wait", "exposed", "released_by")


def engines_do_one_thing(r: Reading) -> None:
    """I2: the intervals of a node's compute engine are disjoint."""
    table = r.trace.activities.sort("array", "node", "start", "end")
    array, node, start, end = (column(table, name) for name in ("array", "node", "start", "end"))
    same = (np.diff(array, prepend=-1) == 0) & (np.diff(node, prepend=-1) == 0)
    before = np.roll(end, 1)
    holds, number = (end >= start) & (~same | (start >= before)), table["instruction"]
    text = "I2: node {} of array {} works on instruction {} from cycle {} to {}, but is busy until {}"
    require(holds, text, node, array, number, start, end, before)


def nodes_account_for_all_cycles(r: Reading) -> None:
    """I7: for every node, compute + post + receive + masked + stall = T_k, the end of its array's program."""
    if r.machine.control == "mimd":
        nodes_wait_for_their_own_messages(r)
        return
    stall, cycles = _stalls(r), r.instruction("end") - r.instruction("issue")
    a = r.trace.activities
    spent = np.zeros((r.schedule.wiring.arrays, r.schedule.wiring.nodes), dtype=np.int64)
    np.add.at(spent, (column(a, "array") - 1, column(a, "node")), column(a, "end") - column(a, "start"))
    due = r.durations
    for row, task in enumerate(r.schedule.every_task):
        masked = np.full(r.schedule.wiring.nodes, cycles[row])
        masked[task.lanes] -= due.lanes(task)
        spent[task.array - 1] += masked
    for array, end in enumerate(r.ends.tolist()):
        accounted = spent[array] + stall[r.instruction("array") == array + 1].sum()
        text = f"I7: node {{}} of array {array + 1} accounts for {{}} of {end} cycles"
        require(accounted == end, text, int, accounted)


def _stalls(r: Reading) -> Integers:
    """The stall of every instruction, from issue and end; compared with the trace's."""
    issue, end = r.instruction("issue"), r.instruction("end")
    ready = np.roll(end, 1)
    ready[[task.serial == 0 for task in r.schedule.every_task]] = 0
    stall = issue - ready
    recorded, wait, exposed, released_by = (r.instruction(name) for name in _STALL)
    for what, holds in {
        "issued before its predecessor ends": stall >= 0,
        "the stall is not issue less end of the predecessor": recorded == stall,
        "dependency wait and exposed are not the stall": wait + exposed == stall,
        "a stall has a message that ends it, and only a stall": (released_by == NULL) == (stall == 0),
    }.items():
        require(holds, f"I7: {{}}, cycle {{}}: {what}", r.at, issue)
    stalled = np.flatnonzero(stall)
    arrived, awaited = r.message("arrived"), [issue.awaited for unit in r.units for issue in unit]
    # Of the messages that an instruction waits for, the last to arrive, the lowest id of equals.
    last = [ids[np.argmax(arrived[ids])] if len(ids) else 0 for ids in awaited]
    releasing = np.array(last, dtype=np.int64)[stalled]
    ended = (releasing == released_by[stalled]) & (arrived[releasing] == issue[stalled])
    at, cycle = (lambda k: r.at(int(stalled[k]))), issue[stalled]
    text = "I7: {}, cycle {}: message {} did not end this stall; the last to arrive is {}, in {}"
    require(ended, text, at, cycle, released_by[stalled], releasing, arrived[releasing])
    in_flight = issue[stalled] - np.maximum(ready[stalled], r.message("posted")[releasing])
    text = "I7: {}, cycle {}: {} cycles of it are exposed"
    require(exposed[stalled] == in_flight, text, at, cycle, in_flight)
    return stall


def communication_splits(r: Reading) -> None:
    """I8: DMA-busy cycles = under work of the node + while it is masked + in stalls + after the end.

    Those while it is masked are counted as those under any instruction of the array less those under an
    instruction while the node works on it, so nothing here is a remainder.
    """
    nodes, horizon, a = r.schedule.wiring.nodes, r.horizon, r.trace.activities
    owner, start, stop = r.dma_intervals
    busy = np.zeros(r.schedule.wiring.arrays * nodes, dtype=np.int64)
    np.add.at(busy, owner, stop - start)
    split = np.zeros_like(busy)
    engine = (column(a, "array") - 1) * nodes + column(a, "node")
    under = r.dma.within(engine * horizon + column(a, "start"), engine * horizon + column(a, "end"))
    np.add.at(split, engine, under)
    simd = r.machine.control == "simd"
    for number, (unit, issues) in enumerate(zip(r.units, r.issues, strict=True)):
        ends = np.concatenate([[0], issues + np.array([issued.busy for issued in unit], dtype=np.int64)])
        others = [(ends[:-1], issues), (ends[-1:], np.array([horizon]))]
        if simd:
            others.append((issues, ends[1:]))
            for issued, issue in zip(unit, issues.tolist(), strict=True):
                lanes = number * nodes + issued.task.lanes
                begin = lanes * horizon + issue
                np.subtract.at(split, lanes, r.dma.within(begin, begin + r.durations.lanes(issued.task)))
        mine = (owner // nodes if simd else owner) == number
        for begin, until in others:
            np.add.at(split, owner[mine], Cycles.union(begin, until).within(start[mine], stop[mine]))
    array, node = np.divmod(np.arange(len(busy)), nodes)
    text = "I8: the DMA of node {} of array {} is busy {} cycles, of which {} are accounted for"
    require(split == busy, text, node, array + 1, busy, split)


def nodes_wait_for_their_own_messages(r: Reading) -> None:
    """I7: a node issues when its predecessor has ended and its own messages are there: work + waiting = the
    end of its last instruction. An instruction of the array has no stall, since every node has its own."""
    for name in _STALL:
        if len(rows := np.flatnonzero(r.instruction(name) != NULL)):
            raise Violation(f"I7: {r.at(int(rows[0]))} has a {name}, but every node its own")
    arrived = r.message("arrived")
    for unit, issues in zip(r.units, r.issues, strict=True):
        ended = 0
        for issued, issue in zip(unit, issues.tolist(), strict=True):
            due = max(ended, int(arrived[issued.awaited].max(initial=0)))
            if issue != due:
                raise Violation(
                    f"I7: node {issued.node} of array {issued.task.array} issues {issued.task.step} in cycle "
                    f"{issue}, but its predecessor and its messages are ready in {due}"
                )
            ended = issue + issued.busy


def lanes_go_together(r: Reading) -> None:
    """I10: the lanes of an instruction start together, if one control unit issues for all, and work as long
    as the machine takes, each for all its processes; no others do. The row of the instruction goes from the
    first issue to the last end."""
    due: dict[tuple[int, int, int, bool], tuple[int, int]] = {}
    issue = np.full(len(r.schedule.every_task), np.iinfo(np.int64).max)
    end = np.full(len(r.schedule.every_task), NULL)
    for unit, issues in zip(r.units, r.issues, strict=True):
        for issued, cycle in zip(unit, issues.tolist(), strict=True):
            task = issued.task
            nodes = task.lanes.tolist() if issued.node is None else [issued.node]
            work = r.durations.lanes(task).tolist() if issued.node is None else [issued.busy]
            row = r.schedule.row(task.array, task.serial)
            issue[row], end[row] = min(issue[row], cycle), max(end[row], cycle + issued.busy)
            for node, cycles in zip(nodes, work, strict=True):
                if issued.receive:
                    due[task.array, task.serial, node, True] = (cycle, cycle + issued.receive)
                if not isinstance(task.line.instruction, Wait):
                    due[task.array, task.serial, node, False] = (cycle + issued.receive, cycle + cycles)
    recorded = r.instruction("issue"), r.instruction("end")
    text = "I10: {}: said to go from cycle {} to {}, but its nodes go from {} to {}"
    require((recorded[0] == issue) & (recorded[1] == end), text, r.at, *recorded, issue, end)
    columns = ("array", "instruction", "node", pl.col("class") == "receive", "start", "end")
    for array, serial, node, receives, start, stop in r.trace.activities.select(columns).iter_rows():
        wanted = due.pop((array, serial, node, receives), None)
        if wanted != (start, stop):
            where, meant = r.at(r.schedule.row(array, serial)), wanted and f"{wanted[0]} to {wanted[1]}"
            raise Violation(
                f"I10: {where}: node {node} works from cycle {start} to {stop}, due is {meant or 'nothing'}"
            )
    if due:
        array, serial, node, _ = min(due)
        where = r.at(r.schedule.row(array, serial))
        raise Violation(f"I10: {where}: the lanes at work are not those of its mask: node {node} is not")
