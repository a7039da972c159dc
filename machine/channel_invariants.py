"""Invariants I3, I5 and I6 of any trace: a channel serves one message at a time, is never idle, and is fair."""

from __future__ import annotations

import numpy as np
import polars as pl

from senn.machine.reading import Reading, channel, column, require


def channels_serve_one_at_a_time(r: Reading) -> None:
    """I3: a channel is occupied ceil(alpha + beta w) for a message of w words, and by one at a time."""
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
    queue = _Queue(r)
    require(
        "I3",
        queue.first | (queue.start >= queue.before),
        lambda k: (
            f"{queue.place(k)}: message {queue.message[k]} starts in cycle {queue.start[k]}, but the channel is "
            f"occupied until {queue.before[k]}"
        ),
    )


def channels_never_idle(r: Reading) -> None:
    """I5: an idle channel with a waiting message is granted in that cycle (where all ports work at once)."""
    if r.machine.ports != "all":
        return
    queue = _Queue(r)
    if not len(queue.message):
        return
    # The earliest of those that still wait: a suffix minimum within each channel.
    horizon = int(queue.start.max()) + 1
    still = (
        np.minimum.accumulate((queue.queued + queue.channel * horizon)[::-1])[::-1] - queue.channel * horizon
    )
    idle = queue.first | (queue.start > queue.before)
    require(
        "I5",
        ~idle | (still >= queue.start),
        lambda k: (
            f"{queue.place(k)}: idle from cycle {max(int(still[k]), 0 if queue.first[k] else int(queue.before[k]))} "
            f"to {queue.start[k]} while a message waits"
        ),
    )


def channels_are_fair(r: Reading) -> None:
    """I6: a channel serves in the order of (cycle of arrival at it, message id)."""
    queue = _Queue(r)
    earlier = np.roll(queue.queued, 1), np.roll(queue.message, 1)
    fair = (earlier[0] < queue.queued) | ((earlier[0] == queue.queued) & (earlier[1] < queue.message))
    require(
        "I6",
        queue.first | fair,
        lambda k: (
            f"{queue.place(k)}: message {queue.message[k]}, queued in cycle {queue.queued[k]}, starts in "
            f"{queue.start[k]}, after message {earlier[1][k]}, queued in {earlier[0][k]}"
        ),
    )


class _Queue:
    """The hops that take time, by channel and start; `before` is when the service before ended."""

    def __init__(self, r: Reading) -> None:
        key = ["source_array", "target_array", "source_node", "target_node", "wire"]
        self.table = r.trace.hops.filter(pl.col("end") > pl.col("start")).sort(*key, "start", "message")
        self.message, self.queued, self.start = (
            column(self.table, name) for name in ("message", "queued", "start")
        )
        self.channel = self.table.select(pl.struct(key).rle_id()).to_series().to_numpy().astype(np.int64)
        self.first = np.diff(self.channel, prepend=-1) > 0
        self.before = np.roll(column(self.table, "end"), 1)

    def place(self, k: int) -> str:
        return channel(self.table, k)
