"""Invariants I1 and I4 of any trace: every message is sent, delivered and read, each in its turn."""

from __future__ import annotations

import numpy as np

from senn.machine.engines.reading import Reading, Violation, channel, require


def delivered_and_read(r: Reading) -> None:
    """I1: messages posted = delivered = read; each slot written once; exactly one first reader."""
    planned, ids = r.schedule.messages, r.message("id")
    everything = np.arange(len(planned))
    require("I1", np.isin(everything, ids), lambda m: f"{r.said(m)}, is not in the trace")
    require(
        "I1", np.isin(ids, everything), lambda k: f"message {ids[k]} is in the trace, but nobody sends it"
    )
    for name, wanted in {
        "source_array": planned.source_array,
        "instruction": planned.serial,
        "source_node": planned.source_node,
        "target_array": planned.target_array,
        "target_node": planned.target_node,
        "words": planned.words,
    }.items():
        given = r.message(name)
        require(
            "I1",
            given == wanted,
            lambda m, name=name, given=given, wanted=wanted: (  # type: ignore[misc]
                f"{r.said(m)}, has {name} {given[m]}, not {wanted[m]}"
            ),
        )
    _slots_written_once(r)
    _first_readers(r)
    _routes_lead_there(r)


def _slots_written_once(r: Reading) -> None:
    flow = r.schedule.flow
    written = [slots for _, _, _, slots in flow.resident] + [r.schedule.messages.slot]
    written += [task.line.writes for task in r.tasks if task.line.writes is not None]
    times = np.bincount(np.concatenate(written), minlength=len(flow.slots))
    require(
        "I1",
        times <= 1,
        lambda s: f"{flow.slot_text(s)} is written twice in array {flow.slots.fill(s).array}",
    )


def _first_readers(r: Reading) -> None:
    messages, rows = r.reads
    first = np.full(len(r.schedule.messages), len(r.tasks))
    np.minimum.at(first, messages, rows)
    require("I1", first < len(r.tasks), lambda m: f"{r.said(m)}, is never read")
    named = r.row(r.message("target_array"), r.message("read_by"))
    require(
        "I1", named == first, lambda m: f"{r.said(m)}, is first read by {r.at(int(first[m]))}, not as named"
    )
    read_at, issue = r.message("read_at"), r.lane_issue(first, r.message("target_node"))
    require(
        "I1",
        read_at == issue,
        lambda m: f"{r.said(m)}, is read in cycle {issue[m]}, not {read_at[m]}",
    )


def _routes_lead_there(r: Reading) -> None:
    """The hops of a message lead from its source to its target, where it arrives at the end of the last."""
    size = len(r.schedule.messages)
    message, hop = r.hop("message"), r.hop("hop")
    count = np.bincount(message, minlength=size)
    planned = r.schedule.messages.paths.hops
    require("I1", count == planned, lambda m: f"{r.said(m)}, makes {count[m]} hops, not {planned[m]}")
    begins, ends = hop == 0, np.append(hop[1:] == 0, True)[: len(hop)]
    for place in ("array", "node"):
        source, target = r.hop(f"source_{place}"), r.hop(f"target_{place}")
        came_from = np.where(begins, r.message(f"source_{place}")[message], np.roll(target, 1))
        goes_to = np.where(ends, r.message(f"target_{place}")[message], target)
        require(
            "I1",
            (source == came_from) & (target == goes_to),
            lambda k: (
                f"{r.said(int(message[k]))}, is not where hop {hop[k]} takes it, cycle {r.hop('start')[k]}"
            ),
        )
    arrived, there = r.message("arrived"), r.message("posted").copy()
    there[message[ends]] = r.hop("end")[ends] + r.durations.passing
    require(
        "I1", arrived == there, lambda m: f"{r.said(m)}, is there in cycle {there[m]}, not in {arrived[m]}"
    )


def causes_precede(r: Reading) -> None:
    """I4: post <= first grant, hop n before hop n + 1, arrival <= issue of every reader.

    Store-and-forward, a hop ends before the next is granted; cut-through, the head takes `startup` to the
    first channel and `hop` to the next. Without DMA, the delivery of what was sent precedes the next issue.
    """
    end, posted = np.zeros(len(r.schedule.messages), dtype=np.int64), r.message("posted")
    for unit, issues in zip(r.units, r.issues, strict=True):
        for one, issue in zip(unit, issues.tolist(), strict=True):
            end[one.posts] = issue + one.busy
    send = r.row(r.message("source_array"), r.message("instruction"))
    require(
        "I4",
        posted == end,
        lambda m: f"{r.said(m)}, is posted in cycle {posted[m]}, but {r.at(int(send[m]))} ends in {end[m]}",
    )
    message, hop, queued, start = (r.hop(name) for name in ("message", "hop", "queued", "start"))
    passed = np.roll(start + r.durations.onward[message], 1)
    ready = np.where(hop == 0, posted[message] + r.durations.launch, passed)
    require(
        "I4",
        (start >= ready) & (queued == ready),
        lambda k: (
            f"{r.said(int(message[k]))}, {channel(r.trace.hops, k)}: queued in cycle {queued[k]} and "
            f"started in {start[k]}, but it was there in {ready[k]}"
        ),
    )
    granted, first = r.message("granted"), posted.copy()
    first[message[hop == 0]] = start[hop == 0]
    require(
        "I4",
        granted == first,
        lambda m: f"{r.said(m)}, is granted in cycle {granted[m]}, but starts in {first[m]}",
    )
    read, row = r.reads
    arrived = r.message("arrived")
    issue = r.lane_issue(row, r.schedule.messages.target_node[read])
    require(
        "I4",
        arrived[read] <= issue,
        lambda k: (
            f"{r.at(int(row[k]))} is issued in cycle {issue[k]} and reads {r.said(int(read[k]))}, which "
            f"arrives in {arrived[read[k]]}"
        ),
    )
    if not r.machine.dma:
        _sends_return_on_delivery(r)


def _sends_return_on_delivery(r: Reading) -> None:
    arrived = r.message("arrived")
    for unit, issues in zip(r.units, r.issues, strict=True):
        for one, after, issue in zip(unit, unit[1:], issues[1:].tolist(), strict=False):
            sent = np.asarray(one.posts, dtype=np.int64)
            late = sent[arrived[sent] > issue]
            if len(late):
                row = int(r.first[after.task.array - 1]) + after.task.serial
                raise Violation(
                    f"I4: {r.at(row)} is issued in cycle {issue}, but {r.said(int(late[0]))}, sent before it "
                    f"without DMA, arrives in {arrived[late[0]]}"
                )
