"""Communication that a run hid behind computation, and communication that it exposed.

dma = the cycles in which at least one outgoing channel of a node is occupied. It splits exactly:
dma = compute (under that node's compute) + post + receive + masked (instruction cycles without this lane)
+ stall (its control unit waits) + drain (after T_k, the array's last end). Where every node issues by itself,
masked are the cycles after its own last activity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Self

import numpy as np
import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis.control_units import control_units, endings, nodes, per_node, sent, stalls
from senn.traces.record import Integers, Trace, joined


def overlap(trace: Trace) -> pl.DataFrame:
    """How the DMA-busy cycles of every node split.

    Columns array, node, dma, compute, post, receive, masked, stall, drain in cycles; a row per node that has
    a busy engine or DMA, in order of array and node.
    """
    trace.require("hops")
    axis, hops, work = _Axis(trace), trace.hops, trace.activities
    busy = axis.nodes(hops["source_array"], hops["source_node"])
    dma = Cycles.union(busy + hops["start"].to_numpy(), busy + hops["end"].to_numpy())
    owner, start = np.divmod(dma.start, axis.horizon)
    places = {"array": owner // axis.width, "node": owner % axis.width}
    intervals = pl.DataFrame({**places, "start": start, "end": start + dma.end - dma.start})
    unit = axis.units(intervals["array"], intervals["node"])
    stalled = axis.stalls().within(unit + start, unit + intervals["end"].to_numpy())
    engine = axis.nodes(work["array"], work["node"])
    under = dma.within(engine + work["start"].to_numpy(), engine + work["end"].to_numpy())
    last = trace.instructions.group_by("array").agg(pl.col("end").max().alias("last"))
    split = (
        intervals.with_columns(pl.Series("stall", stalled))
        .join(last, on="array", how="left")
        .group_by("array", "node")
        .agg(
            (pl.col("end") - pl.col("start")).sum().alias("dma"),
            pl.col("stall").sum(),
            (pl.col("end") - pl.max_horizontal("start", "last")).clip(0).sum().alias("drain"),
        )
    )
    kinds = ("compute", "post", "receive")
    by_node = work.with_columns(pl.Series("under", under)).group_by("array", "node")
    engines = by_node.agg(pl.col("under").filter(pl.col("class") == name).sum().alias(name) for name in kinds)
    return (
        split.join(engines, on=["array", "node"], how="full", coalesce=True)
        .fill_null(0)
        .with_columns((pl.col("dma") - pl.sum_horizontal(*kinds, "stall", "drain")).alias("masked"))
        .select("array", "node", "dma", *kinds, "masked", "stall", "drain")
        .sort("array", "node")
    )


def waits(trace: Trace) -> pl.DataFrame:
    """Which step waited for which: the stalls by cause.

    Columns array, step (that waited), cause_array, cause (step of the send whose message released it), value,
    stalls (how many), exposed_stall, dependency_wait (cycles); longest first. If every node issues by itself,
    stalls are counted by node.
    """
    trace.require("messages")
    causes = trace.messages.select("value", released_by="id", cause_array="source_array", cause="step")
    return (
        control_units(trace)
        .filter(pl.col("stall") > 0)
        .join(causes, on="released_by", how="left")
        .group_by("array", "step", "cause_array", "cause", "value", maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("stalls"),
            pl.col("exposed").sum().alias("exposed_stall"),
            pl.col("dependency_wait").sum(),
        )
        .sort(pl.col("exposed_stall") + pl.col("dependency_wait"), descending=True, maintain_order=True)
    )


def communication(trace: Trace) -> pl.DataFrame:
    """When messages of each array are in flight: columns array, start, end of the intervals, in order."""
    trace.require("messages")
    array, posted, arrived = (
        trace.messages[name].to_numpy() for name in ("source_array", "posted", "arrived")
    )
    horizon = 1 + int(arrived.max(initial=0))
    busy = Cycles.union(array * horizon + posted, array * horizon + arrived)
    owner, start = np.divmod(busy.start, horizon)
    return pl.DataFrame({"array": owner, "start": start, "end": start + busy.end - busy.start})


def exposures(trace: Trace, dma: bool = True, pieces: pl.DataFrame | None = None) -> pl.DataFrame:
    """The cycles of every message in flight, from its post to its arrival, exposed and hidden.

    Columns message (its id), start, end, since, cycles, exposed, hidden, overlapped, beside, a row for
    each message; or for each of the ``pieces`` that `in_flight` has, beside their own columns. A cycle is
    exposed if a control unit is stalled in it and the arrival of the message ends that stall; of messages
    that arrive in the same cycle each one ends it. So the exposed cycles are the last, those from ``since``
    on. The others are hidden: overlapped if the control unit that reads the message executes an instruction
    in them, else beside. Without ``dma`` a control unit is also stalled until its own messages are delivered.
    """
    trace.require("messages")
    since = (
        endings(trace, dma).group_by("message").agg(pl.max_horizontal("start", "posted").min().alias("since"))
    )
    whole = sent(trace).select("message", start="posted", end="arrived") if pieces is None else pieces
    table = whole.pipe(joined, since, on="message", how="left").with_columns(
        since=pl.col("since").fill_null(pl.col("end")).clip(pl.col("start"), pl.col("end"))
    )
    axis, units, messages = _Axis(trace), control_units(trace), trace.messages
    unit = axis.units(units["array"], units["node"])
    working = Cycles.union(unit + units["issue"].to_numpy(), unit + units["end"].to_numpy())
    rows = messages[np.searchsorted(messages["id"].to_numpy(), table["message"].to_numpy())]
    reader = axis.units(rows["target_array"], rows["target_node"])
    overlapped = working.within(reader + table["start"].to_numpy(), reader + table["since"].to_numpy())
    hidden = pl.col("since") - pl.col("start")
    return table.with_columns(
        cycles=pl.col("end") - pl.col("start"),
        exposed=pl.col("end") - pl.col("since"),
        hidden=hidden,
        overlapped=pl.Series(overlapped),
        beside=hidden - pl.Series(overlapped),
    )


class _Axis:
    """The one axis of a trace: where the cycles of each node begin, and those of each control unit."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        tables = (trace.instructions, trace.activities, trace.hops)
        ends = (trace.messages["arrived"], *(table["end"] for table in tables))
        self.horizon = 1 + max(int(column.to_numpy().max(initial=0)) for column in ends)
        self.width = nodes(trace)
        arrays = (trace.instructions["array"], trace.hops["source_array"])
        owners = (1 + max(int(column.to_numpy().max(initial=0)) for column in arrays)) * self.width
        if owners * self.horizon > np.iinfo(np.int64).max:
            raise InputError(
                f"the cycles of {self.width:,} nodes up to {self.horizon - 1:,} are too many for whole "
                "numbers of 64 bits: give the machine shorter times, or take detail summary"
            )

    def nodes(self, array: pl.Series, node: pl.Series) -> Integers:
        """Cycle 0 of each of these nodes."""
        cycles: Integers = (array.to_numpy() * self.width + node.to_numpy()) * self.horizon
        return cycles

    def units(self, array: pl.Series, node: pl.Series) -> Integers:
        """Cycle 0 of the control unit of each of these nodes: that of the array where it has only one."""
        return self.nodes(array, node) if per_node(self._trace) else array.to_numpy() * self.horizon

    def stalls(self) -> Cycles:
        """The stalled cycles of every control unit."""
        table = stalls(self._trace)
        unit = self.units(table["array"], table["node"])
        return Cycles.union(unit + table["start"].to_numpy(), unit + table["end"].to_numpy())


# Sets of cycles as half-open intervals [start, end), for many owners at once. An owner (a node's engine,
# a channel) is a whole number. All owners share one long axis: owner o at cycle t is the point o *
# horizon + t, with a horizon beyond every cycle, so intervals of different owners never meet and every
# operation is a sort or a search in one array.


@dataclass(frozen=True)
class Cycles:
    """A set of points on the axis: disjoint, increasing intervals that do not touch, none empty."""

    start: Integers
    end: Integers

    @classmethod
    def union(cls, start: Integers, end: Integers) -> Self:
        """The points in any of the intervals [start, end); they may overlap and come in any order."""
        some = end > start
        order = np.argsort(start[some], kind="stable")
        start, end = start[some][order], np.maximum.accumulate(end[some][order])
        first = np.ones(start.size, dtype=bool)
        first[1:] = start[1:] > end[:-1]
        last = np.ones(start.size, dtype=bool)
        last[:-1] = first[1:]
        return cls(start[first], end[last])

    def before(self, point: Integers) -> Integers:
        """How many points of the set are less than each ``point``."""
        if not self.start.size:
            return np.zeros_like(point)
        length = np.concatenate([[0], np.cumsum(self.end - self.start)])
        index = np.searchsorted(self.start, point, side="right")
        # All intervals that begin at or before the point, less what sticks out beyond it.
        outside = np.where(index > 0, np.maximum(self.end[index - 1] - point, 0), 0)
        return np.asarray(length[index] - outside, dtype=np.int64)

    def within(self, start: Integers, end: Integers) -> Integers:
        """How many points of the set lie in each [start, end)."""
        return self.before(end) - self.before(start)


# Messages in flight: each cycle of a message from its post to its arrival has exactly one of four names.
#
# * "queue": the message waits for a channel, or for a port of a node;
# * "startup": the channel is set up (store-and-forward: on every channel, which is occupied meanwhile), or
#   the sender is (cut-through: once, before the message asks for its first channel);
# * "hop": the header of a cut-through message crosses a channel;
# * "words": the words cross a channel; those of a cut-through message follow its header on all channels at
#   once, so only the cycles after the header has come to the target have this name.


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
