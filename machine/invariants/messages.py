"""Invariants I1 and I3-I6: messages are sent, delivered and read; channels serve one at a time, at once."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
import polars as pl

from senn.machine.engines.memory import Violation
from senn.machine.invariants.reading import Reading, channel, column, first_broken
from senn.traces.analysis.overlap import Cycles


def delivered_and_read(r: Reading) -> None:
    """I1: each slot written once; every message read, first in the cycle that the trace names, and there at
    the end of its last hop. I14 has all else of a message."""
    flow = r.schedule.flow
    written = [slots for _, _, _, slots in flow.resident] + [r.schedule.messages.slot]
    written += [task.line.writes for task in r.schedule.every_task if task.line.writes is not None]
    times = np.bincount(np.concatenate(written), minlength=len(flow.slots))
    if (s := first_broken(times <= 1)) is not None:
        raise Violation(f"I1: {flow.slot_text(s)} is written twice in array {flow.slots.fill(s)[0].array}")
    messages, rows = r.reads
    first = np.full(len(r.schedule.messages), len(r.schedule.every_task))
    np.minimum.at(first, messages, rows)
    if (m := first_broken(first < len(r.schedule.every_task))) is not None:
        raise Violation(f"I1: {r.text_of(m)}, is never read")
    read_at, issue = r.message("read_at"), r.lane_issue(first, r.message("target_node"))
    if (m := first_broken(read_at == issue)) is not None:
        raise Violation(f"I1: {r.text_of(m)}, is read in cycle {issue[m]}, not {read_at[m]}")
    message, hop = r.hop("message"), r.hop("hop")
    ends = np.append(hop[1:] == 0, True)[: len(hop)]
    arrived, there = r.message("arrived"), r.message("posted").copy()
    there[message[ends]] = r.hop("end")[ends] + r.durations.passing
    if (m := first_broken(arrived == there)) is not None:
        raise Violation(f"I1: {r.text_of(m)}, is there in cycle {there[m]}, not in {arrived[m]}")


def causes_precede(r: Reading) -> None:
    """I4: post <= first grant, hop n before hop n + 1, arrival <= issue of every reader.

    Store-and-forward, a hop ends before the next is granted; cut-through, the head takes `startup` to the
    first channel and `hop` to the next. Without DMA, a send's messages are delivered before the next issue.
    """
    end, posted = np.zeros(len(r.schedule.messages), dtype=np.int64), r.message("posted")
    for unit, issues in zip(r.units, r.issues, strict=True):
        for issued, issue in zip(unit, issues.tolist(), strict=True):
            end[issued.posts] = issue + issued.busy
    if (m := first_broken(posted == end)) is not None:
        send = r.at(int(r.schedule.senders[m]))
        raise Violation(f"I4: {r.text_of(m)}, is posted in cycle {posted[m]}, but {send} ends in {end[m]}")
    message, hop, queued, start = (r.hop(name) for name in ("message", "hop", "queued", "start"))
    passed = np.roll(start + r.durations.onward[message], 1)
    ready = np.where(hop == 0, posted[message] + r.durations.launch, passed)
    if (k := first_broken((start >= ready) & (queued == ready))) is not None:
        raise Violation(
            f"I4: {r.text_of(int(message[k]))}, {channel(r.trace.hops, k)}: queued in cycle {queued[k]} and "
            f"started in {start[k]}, but it was there in {ready[k]}"
        )
    granted, first = r.message("granted"), posted.copy()
    first[message[hop == 0]] = start[hop == 0]
    if (m := first_broken(granted == first)) is not None:
        raise Violation(f"I4: {r.text_of(m)}, is granted in cycle {granted[m]}, but starts in {first[m]}")
    read, row = r.reads
    arrived = r.message("arrived")
    issue = r.lane_issue(row, r.schedule.messages.target_node[read])
    if (k := first_broken(arrived[read] <= issue)) is not None:
        raise Violation(
            f"I4: {r.at(int(row[k]))} is issued in cycle {issue[k]} and reads {r.text_of(int(read[k]))}, "
            f"which arrives in {arrived[read[k]]}"
        )
    for unit, issues in zip(r.units, r.issues, strict=True) if not r.machine.dma else ():
        for issued, after, cycle in zip(unit, unit[1:], issues[1:].tolist(), strict=False):
            sent = np.asarray(issued.posts, dtype=np.int64)
            if len(late := sent[arrived[sent] > cycle]):
                raise Violation(
                    f"I4: {r.at(r.schedule.row(after.task.array, after.task.serial))} is issued in cycle "
                    f"{cycle}, but {r.text_of(int(late[0]))}, sent before it without DMA, arrives in "
                    f"{arrived[late[0]]}"
                )


CHANNEL = ("source_array", "target_array", "source_node", "target_node", "wire")
PORTS = {  # with ports = one; the vertical wires of a node have ports of their own
    "port out": ("source_array", "source_node", "vertical"),
    "port in": ("target_array", "target_node", "vertical"),
}


def channels_serve_one_at_a_time(r: Reading) -> None:
    """I3: a channel, a half-duplex wire or a bus serves one message at a time, as long as its words take."""
    message, length = r.hop("message"), r.hop("end") - r.hop("start")
    words = r.message("words")
    due = np.zeros(int(words.max(initial=0)) + 1, dtype=np.int64)
    for size in np.unique(words).tolist():
        due[size] = r.machine.message_cycles(size)
    if (k := first_broken(length == due[words[message]])) is not None:
        raise Violation(
            f"I3: {r.text_of(int(message[k]))}, {channel(r.trace.hops, k)}, cycle {r.hop('start')[k]}: "
            f"occupied {length[k]} cycles, not {due[words[message[k]]]}"
        )
    half, bus = r.machine.duplex == "half", r.machine.vertical == "bus"
    server = "wire or bus" if half else "channel or bus" if bus else "channel"
    services = {server: ("server",), **(PORTS if r.machine.ports == "one" else {})}
    for what, key in services.items():
        queue = _Queue(r, key)
        if (k := first_broken(queue.first | (queue.start >= queue.before))) is not None:
            raise Violation(
                f"I3: {queue.place(k)}: message {queue.message[k]} starts in cycle {queue.start[k]}, but "
                f"the {what} is occupied until {queue.before[k]}"
            )


def channels_never_idle(r: Reading) -> None:
    """I5: an idle channel with a waiting message is granted in that cycle, if the ports are free."""
    if r.machine.ports == "one":
        _ports_never_idle(_Queue(r, CHANNEL))
        return
    queue = _Queue(r, ("server",))
    if not len(queue.message):
        return
    # The earliest of those that still wait: a suffix minimum within each channel.
    horizon = np.int64(queue.start.max() + 1)  # channels are numbered in 32 bits
    still = (
        np.minimum.accumulate((queue.queued + queue.channel * horizon)[::-1])[::-1] - queue.channel * horizon
    )
    idle = queue.first | (queue.start > queue.before)
    if (k := first_broken(~idle | (still >= queue.start))) is not None:
        raise Violation(
            f"I5: {queue.place(k)}: idle until cycle {queue.start[k]}, but a message waits since {still[k]}"
        )


def _ports_never_idle(queue: _Queue) -> None:
    """The head of a queue waits only while its channel, bus or one of its two ports is occupied."""
    if not len(queue.message):
        return
    channels = queue.table.unique(CHANNEL).select(
        "channel", "server", *PORTS["port out"], *PORTS["port in"][:2]
    )
    near = [
        channels.join(queue.table.select(*key, "start", "end"), on=key)
        for key in (*PORTS.values(), ("server",))
    ]
    begin, end, owner = (
        np.concatenate([column(table, name) for table in near]) for name in ("start", "end", "channel")
    )
    horizon = np.int64(end.max() + 1)
    occupied = Cycles.union(owner * horizon + begin, owner * horizon + end)
    head = np.where(queue.first, queue.queued, np.maximum(queue.queued, queue.before))
    origin = queue.channel * horizon
    waited = occupied.within(origin + np.minimum(head, queue.start), origin + queue.start)
    if (k := first_broken(waited >= queue.start - head)) is not None:
        raise Violation(
            f"I5: {queue.place(k)}: idle until cycle {queue.start[k]} with free ports, but message "
            f"{queue.message[k]} waits since {head[k]}"
        )


def channels_are_fair(r: Reading) -> None:
    """I6: a channel serves in the order of (cycle of arrival at it, message id), or the most urgent first."""
    queue = _Queue(r, CHANNEL if r.machine.ports == "one" else ("server",))
    urgency = r.durations.urgency[queue.message]
    bounds = [*np.flatnonzero(queue.first).tolist(), len(queue.message)]
    for begin, end in pairwise(bounds):
        waiting: list[tuple[int, int, int, int]] = []
        arrivals = sorted(range(begin, end), key=lambda k: queue.queued[k], reverse=True)
        for k in range(begin, end):
            while arrivals and queue.queued[arrivals[-1]] <= queue.start[k]:
                came = arrivals.pop()
                key = (int(urgency[came]), int(queue.queued[came]), int(queue.message[came]), came)
                heapq.heappush(waiting, key)
            due = heapq.heappop(waiting)[3] if waiting else k
            if due != k:
                raise Violation(
                    f"I6: {queue.place(k)}: message {queue.message[k]}, queued in cycle {queue.queued[k]}, "
                    f"starts in {queue.start[k]}, before message {queue.message[due]}, queued in "
                    f"{queue.queued[due]}"
                )


class _Queue:
    """The hops that take time, by what serves them and start; `before` is when the service before ended."""

    def __init__(self, r: Reading, key: tuple[str, ...]) -> None:
        # A channel has a server by what the trace says: itself, its wire, or the bus between two arrays.
        hops = r.trace.hops.with_columns((pl.col("kind") == "vertical").alias("vertical"))
        bus = pl.col("vertical") & (r.machine.vertical == "bus")
        shared = bus | (r.machine.duplex == "half")
        server = pl.struct(
            pl.min_horizontal("source_array", "target_array").alias("array"),
            pl.when(bus).then(pl.lit("")).otherwise(pl.col("wire")).alias("wire"),
            *(pl.when(shared).then(-1).otherwise(pl.col(name)).alias(name) for name in CHANNEL[:4]),
        )
        hops = hops.with_columns(server.rank("dense").cast(pl.Int64).alias("server"))
        hops = hops.filter(pl.col("end") > pl.col("start")).sort(*key, "start", "message")
        self.table = hops.with_columns(pl.struct(key).rle_id().cast(pl.Int64).alias("channel"))
        self.message, self.queued, self.start, self.channel = (
            column(self.table, name) for name in ("message", "queued", "start", "channel")
        )
        self.first = np.diff(self.channel, prepend=-1) > 0
        self.before = np.roll(column(self.table, "end"), 1)

    def place(self, k: int) -> str:
        return channel(self.table, k)
