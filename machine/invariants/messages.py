"""Invariants I1 and I3-I6: messages are sent, delivered and read; channels serve one at a time, at once."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
import polars as pl

from senn.machine.engines.memory import Violation
from senn.machine.invariants.reading import NEVER, Reading, channel, column, require
from senn.traces.analysis.overlap import Cycles


def delivered_and_read(r: Reading) -> None:
    """I1: each slot written once; every message read, first in the cycle that the trace names, and there at
    the end of its last hop. I14 has all else of a message."""
    flow = r.schedule.flow
    written = [slots for _, _, _, slots in flow.resident] + [r.schedule.messages.slot]
    written += [task.line.writes for task in r.schedule.every_task if task.line.writes is not None]
    times = np.bincount(np.concatenate(written), minlength=len(flow.slots))
    text = "I1: {} is written twice in array {}"
    require(times <= 1, text, flow.slot_text, lambda slot: flow.slots.fill(slot)[0].array)
    messages, rows = r.reads
    first = np.full(len(r.schedule.messages), len(r.schedule.every_task))
    np.minimum.at(first, messages, rows)
    require(first < len(r.schedule.every_task), "I1: {}, is never read", r.text_of)
    read_at, issue = r.message("read_at"), r.lane_issue(first, r.message("target_node"))
    require(read_at == issue, "I1: {}, is read in cycle {}, not {}", r.text_of, issue, read_at)
    message, hop = r.hop("message"), r.hop("hop")
    ends = np.append(hop[1:] == 0, True)[: len(hop)]
    arrived, there = r.message("arrived"), r.message("posted").copy()
    there[message[ends]] = r.hop("end")[ends] + r.durations.passing
    require(arrived == there, "I1: {}, is there in cycle {}, not in {}", r.text_of, there, arrived)


def causes_precede(r: Reading) -> None:
    """I4: post <= first grant, hop n before hop n + 1, arrival <= issue of every reader.

    Store-and-forward, a hop ends before the next is granted; cut-through, the head takes `startup` to the
    first channel and `hop` to the next. Without DMA, a send's messages are delivered before the next issue.
    """
    posted, arrived = r.message("posted"), r.message("arrived")
    end, following = np.zeros((2, len(posted)), dtype=np.int64)  # of the send; the row of its successor
    returned = np.full(len(posted), NEVER)  # the issue of its successor
    for unit, issues in zip(r.units, r.issues, strict=True):
        for issued, issue in zip(unit, issues.tolist(), strict=True):
            end[issued.posts] = issue + issued.busy
        for issued, after, issue in zip(unit, unit[1:], issues[1:].tolist(), strict=False):
            following[issued.posts] = r.schedule.row(after.task.array, after.task.serial)
            returned[issued.posts] = issue
    text, sends = "I4: {}, is posted in cycle {}, but {} ends in {}", r.schedule.senders
    require(posted == end, text, r.text_of, posted, lambda m: r.at(int(sends[m])), end)
    message, hop, queued, start = (r.hop(name) for name in ("message", "hop", "queued", "start"))
    passed = np.roll(start + r.durations.onward[message], 1)
    ready = np.where(hop == 0, posted[message] + r.durations.launch, passed)
    text = "I4: {}: queued in cycle {} and started in {}, but it was there in {}"
    require((start >= ready) & (queued == ready), text, r.hop_text, queued, start, ready)
    granted, first = r.message("granted"), posted.copy()
    first[message[hop == 0]] = start[hop == 0]
    require(granted == first, "I4: {}, is granted in cycle {}, but starts in {}", r.text_of, granted, first)
    read, row = r.reads
    issue = r.lane_issue(row, r.schedule.messages.target_node[read])
    text = "I4: {} is issued in cycle {} and reads {}, which arrives in {}"
    readers, cargo = (lambda k: r.at(int(row[k]))), (lambda k: r.text_of(int(read[k])))
    require(arrived[read] <= issue, text, readers, issue, cargo, arrived[read])
    text = "I4: {} is issued in cycle {}, but {}, sent before it without DMA, arrives in {}"
    successor, on_time = (lambda m: r.at(int(following[m]))), r.machine.dma | (arrived <= returned)
    require(on_time, text, successor, returned, r.text_of, arrived)


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
    lasts = due[words[message]]
    text = "I3: {}, cycle {}: occupied {} cycles, not {}"
    require(length == lasts, text, r.hop_text, r.hop("start"), length, lasts)
    half, bus = r.machine.duplex == "half", r.machine.vertical == "bus"
    server = "wire or bus" if half else "channel or bus" if bus else "channel"
    services = {server: ("server",), **(PORTS if r.machine.ports == "one" else {})}
    for what, key in services.items():
        queue = _Queue(r, key)
        holds = queue.first | (queue.start >= queue.before)
        text = f"I3: {{}}: message {{}} starts in cycle {{}}, but the {what} is occupied until {{}}"
        require(holds, text, queue.place, queue.message, queue.start, queue.before)


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
    text = "I5: {}: idle until cycle {}, but a message waits since {}"
    require(~idle | (still >= queue.start), text, queue.place, queue.start, still)


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
    text = "I5: {}: idle until cycle {} with free ports, but message {} waits since {}"
    require(waited >= queue.start - head, text, queue.place, queue.start, queue.message, head)


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
