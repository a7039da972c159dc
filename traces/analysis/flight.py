"""Messages in flight: each cycle of a message from its post to its arrival has exactly one of four names.

* "queue": the message waits for a channel, or for a port of a node;
* "startup": the channel is set up (store-and-forward: on every channel, which is occupied meanwhile), or the
  sender is (cut-through: once, before the message asks for its first channel);
* "hop": the header of a cut-through message crosses a channel;
* "words": the words cross a channel; those of a cut-through message follow its header on all channels at
  once, so only the cycles after the header has come to the target have this name.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl

from senn.traces.errors import InputError
from senn.traces.record import Trace

NAMES = {"queue": "queue", "startup": "start-up", "hop": "header", "words": "words"}
"""What each label is called where people read it."""


def in_flight(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> pl.DataFrame:
    """The cycles in flight by name: columns message, hop (its number), array and node (that the hop leaves),
    label, start, end, cycles.

    ``label`` is a key of `NAMES`; a label without cycles has no row. In order of message and time, without a
    gap from post to arrival. ``startup`` and ``hop`` are the machine's, in cycles, which the trace does not
    hold; ``hop`` is 0 for store-and-forward. InputError where the hops of a message do not join its post and
    its arrival, and for a trace of less detail than "full".
    """
    refuse_gaps(trace, startup, hop)
    setup, header = ceil(startup), ceil(hop)
    queued, begun, left = pl.col("queued"), pl.col("start"), pl.col("end")
    labels = [("queue", pl.lit(True), queued, begun)]
    if header:
        first, last = pl.col("hop") == 0, pl.col("hop") == pl.col("hop").max().over("message")
        labels += [
            ("startup", first, queued - setup, queued),
            ("hop", pl.lit(True), begun, begun + header),
            ("words", last, begun + header, left + header),
        ]
    else:
        ready = pl.min_horizontal(begun + setup, left)
        labels += [("startup", pl.lit(True), begun, ready), ("words", pl.lit(True), ready, left)]
    where = ("message", "hop", pl.col("source_array").alias("array"), pl.col("source_node").alias("node"))
    parts = [
        trace.hops.filter(there).select(*where, label=pl.lit(label), start=start, end=end)
        for label, there, start, end in labels
    ]
    table = pl.concat(parts).filter(pl.col("start") != pl.col("end")).sort("message", "start", "end")
    return table.with_columns((pl.col("end") - pl.col("start")).alias("cycles"))


def places(owners: Iterable[object], starts: Iterable[int], ends: Iterable[int]) -> list[int]:
    """For each interval [start, end) of an owner, in order of start, the first of its places that is free."""
    free: dict[object, list[int]] = {}
    indices = []
    for owner, start, end in zip(owners, starts, ends, strict=True):
        until = free.setdefault(owner, [])
        place = next((index for index, before in enumerate(until) if before <= start), len(until))
        until[place : place + 1] = [end]
        indices.append(place)
    return indices


def refuse_gaps(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> None:
    """InputError where the hops of a message do not join its post and its arrival; as `in_flight`."""
    trace.require("hops")
    setup, header = ceil(startup), ceil(hop)
    ids, posted, arrived = (trace.messages[name].to_numpy() for name in ("id", "posted", "arrived"))
    message, number, queued, begun, left = (
        trace.hops[name].to_numpy() for name in ("message", "hop", "queued", "start", "end")
    )
    row, first = np.searchsorted(ids, message), number == 0
    passed = begun + header if header else left
    came = np.where(first, posted[row] + (setup if header else 0), np.roll(passed, 1))
    gap = (queued != came) | (begun < queued) | (left < begun)
    gap |= np.roll(first, -1) & (left + header != arrived[row])
    still = np.isin(ids, message, invert=True) & (posted != arrived)
    wrong = np.concatenate([message[gap], ids[still]])
    if len(wrong):
        raise InputError(
            f"the hops of message {wrong.min()} do not join its post and its arrival: startup and "
            "hop must be those of the machine that ran"
        )
