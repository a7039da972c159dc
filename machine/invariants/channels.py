"""Invariants I3, I5 and I6 of any trace: a channel serves one message at a time, at once, and in turn."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
import polars as pl

from senn.machine.engines.reading import Reading, Violation, channel, column, require
from senn.traces.analysis.intervals import Cycles

CHANNEL = ("source_array", "target_array", "source_node", "target_node", "wire")
PORTS = {  # with ports = one; the vertical wires of a node have ports of their own
    "port out": ("source_array", "source_node", "vertical"),
    "port in": ("target_array", "target_node", "vertical"),
}


def channels_serve_one_at_a_time(r: Reading) -> None:
    """I3: a channel is occupied as long as a message of w words takes, and by one message at a time; so is a
    half-duplex wire, and a bus."""
    message, length = r.hop("message"), r.hop("end") - r.hop("start")
    words = r.message("words")
    due = np.zeros(int(words.max(initial=0)) + 1, dtype=np.int64)
    for size in np.unique(words).tolist():
        due[size] = r.machine.message_cycles(size)
    require(
        "I3",
        length == due[words[message]],
        lambda k: (
            f"{r.said(int(message[k]))}, {channel(r.trace.hops, k)}, cycle {r.hop('start')[k]}: occupied "
            f"{length[k]} cycles, not {due[words[message[k]]]}"
        ),
    )
    services: dict[str, tuple[str, ...]] = {_server_name(r): ("server",)}
    if r.machine.ports == "one":
        services |= PORTS
    for what, key in services.items():
        queue = _Queue(r, key)
        require(
            "I3",
            queue.first | (queue.start >= queue.before),
            lambda k, queue=queue, what=what: (  # type: ignore[misc]
                f"{queue.place(k)}: message {queue.message[k]} starts in cycle {queue.start[k]}, but the "
                f"{what} is occupied until {queue.before[k]}"
            ),
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
    require(
        "I5",
        ~idle | (still >= queue.start),
        lambda k: (
            f"{queue.place(k)}: idle until cycle {queue.start[k]}, but a message waits since {still[k]}"
        ),
    )


def _ports_never_idle(queue: _Queue) -> None:
    """The head of a queue waits only while what serves it or one of its two ports is occupied."""
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
    require(
        "I5",
        waited >= queue.start - head,
        lambda k: (
            f"{queue.place(k)}: idle until cycle {queue.start[k]} with free ports, but message "
            f"{queue.message[k]} waits since {head[k]}"
        ),
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


def _server_name(r: Reading) -> str:
    if (r.machine.duplex, r.machine.vertical) == ("full", "node"):
        return "channel"
    return "wire or bus" if r.machine.duplex == "half" else "channel or bus"


def _with_servers(r: Reading) -> pl.DataFrame:
    """The hops with `vertical` and `server`, the number of what serves a channel, by what the trace says."""
    hops = r.trace.hops.with_columns((pl.col("kind") == "vertical").alias("vertical"))
    bus = pl.col("vertical") & (r.machine.vertical == "bus")
    shared = bus | (r.machine.duplex == "half")
    key = pl.struct(
        pl.min_horizontal("source_array", "target_array").alias("array"),
        pl.when(bus).then(pl.lit("")).otherwise(pl.col("wire")).alias("wire"),
        *(pl.when(shared).then(-1).otherwise(pl.col(name)).alias(name) for name in CHANNEL[:4]),
    )
    return hops.with_columns(key.rank("dense").cast(pl.Int64).alias("server"))


class _Queue:
    """The hops that take time, by what serves them and start; `before` is when the service before ended."""

    def __init__(self, r: Reading, key: tuple[str, ...]) -> None:
        hops = _with_servers(r).filter(pl.col("end") > pl.col("start")).sort(*key, "start", "message")
        self.table = hops.with_columns(pl.struct(key).rle_id().cast(pl.Int64).alias("channel"))
        self.message, self.queued, self.start, self.channel = (
            column(self.table, name) for name in ("message", "queued", "start", "channel")
        )
        self.first = np.diff(self.channel, prepend=-1) > 0
        self.before = np.roll(column(self.table, "end"), 1)

    def place(self, k: int) -> str:
        return channel(self.table, k)
