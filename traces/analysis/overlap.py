"""Communication that a run hid behind computation, and communication that it exposed.

dma = the cycles in which at least one outgoing channel of a node is occupied. It splits exactly:
dma = compute (under that node's compute) + post + receive + masked (instruction cycles without this lane)
+ stall (its control unit waits) + drain (after T_k, the array's last end). Where every node issues by itself,
masked are the cycles after its own last activity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.analysis.control_units import control_units, endings, nodes, per_node, sent, stalls
from senn.traces.errors import InputError
from senn.traces.record import Trace


def overlap(trace: Trace) -> pl.DataFrame:
    """How the DMA-busy cycles of every node split.

    Columns array, node, dma, compute, post, receive, masked, stall, drain in cycles; a row per node that has
    a busy engine or DMA, in order of array and node.
    """
    trace.require("hops")
    axis = _Axis(trace)
    dma = axis.dma()
    owner, start = np.divmod(dma.start, axis.horizon)
    end = start + dma.end - dma.start
    array = owner // axis.nodes
    last = axis.ends()[array]
    origin = axis.unit(array, owner % axis.nodes) * axis.horizon
    busy = pl.DataFrame(
        {
            "owner": owner,
            "dma": end - start,
            "stall": axis.stalls().within(origin + start, origin + end),
            "drain": np.maximum(end - np.maximum(start, last), 0),
        }
    )
    engine = (
        axis.activities(dma)
        .group_by("owner")
        .agg(
            pl.col("under").filter(pl.col("class") == name).sum().alias(name)
            for name in ("compute", "post", "receive")
        )
    )
    elsewhere = pl.sum_horizontal("compute", "post", "receive", "stall", "drain")
    return (
        busy.group_by("owner")
        .sum()
        .join(engine, on="owner", how="full", coalesce=True)
        .fill_null(0)
        .with_columns(
            (pl.col("owner") // axis.nodes).alias("array"),
            (pl.col("owner") % axis.nodes).alias("node"),
            (pl.col("dma") - elsewhere).alias("masked"),
        )
        .select("array", "node", "dma", "compute", "post", "receive", "masked", "stall", "drain")
        .sort("array", "node")
    )


def waits(trace: Trace) -> pl.DataFrame:
    """Which step waited for which: the stalls by cause.

    Columns array, step (that waited), cause_array, cause (step of the send whose message released it),
    value, stalls (how many), exposed_stall, dependency_wait (cycles); longest first. Where every node issues
    by itself, the stalls and their cycles are those of nodes.
    """
    trace.require("messages")
    causes = trace.messages.select(
        pl.col("id").alias("released_by"),
        pl.col("source_array").alias("cause_array"),
        pl.col("step").alias("cause"),
        "value",
    )
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


def exposures(trace: Trace, dma: bool = True) -> pl.DataFrame:
    """The cycles of every message in flight, from its post to its arrival, exposed and hidden.

    Columns message (its id), posted, since, arrived, cycles, exposed, hidden, overlapped, beside, a row for
    each message. A cycle is exposed if a control unit is stalled in it and the arrival of the message ends
    that stall; of messages that arrive in the same cycle each one ends it. So the exposed cycles are the
    last, those from ``since`` on. The others are hidden: overlapped if the control unit that reads the
    message executes an instruction in them, else beside. Without ``dma`` a control unit is stalled for the
    delivery of what it sent, too.
    """
    trace.require("messages")
    since = (
        endings(trace, dma).group_by("message").agg(pl.max_horizontal("start", "posted").min().alias("since"))
    )
    table = sent(trace).select("message", "posted", "arrived")
    table = table.join(since, on="message", how="left", maintain_order="left")
    table = table.with_columns(pl.col("since").fill_null(pl.col("arrived")))
    cycles, exposed = pl.col("arrived") - pl.col("posted"), pl.col("arrived") - pl.col("since")
    overlapped = worked_by_reader(trace, table["message"], table["posted"], table["since"])
    hidden = pl.col("since") - pl.col("posted")
    return table.select(
        *("message", "posted", "since", "arrived", cycles.alias("cycles"), exposed.alias("exposed")),
        hidden.alias("hidden"),
        overlapped.alias("overlapped"),
        (hidden - overlapped).alias("beside"),
    )


def worked_by_reader(trace: Trace, message: pl.Series, start: pl.Series, end: pl.Series) -> pl.Series:
    """In how many cycles [start, end) the control unit that reads each message executes an instruction."""
    axis, units, messages = _Axis(trace), control_units(trace), trace.messages
    of_unit = axis.unit(units["array"].to_numpy(), units["node"].fill_null(0).to_numpy()) * axis.horizon
    working = Cycles.union(of_unit + units["issue"].to_numpy(), of_unit + units["end"].to_numpy())
    rows = np.searchsorted(messages["id"].to_numpy(), message.to_numpy())
    target = (messages[name].to_numpy()[rows] for name in ("target_array", "target_node"))
    origin = axis.unit(*target) * axis.horizon
    return pl.Series(working.within(origin + start.to_numpy(), origin + end.to_numpy()))


class _Axis:
    """The one axis of a trace: nodes as owners (array * nodes + node), or arrays as owners."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        tables = (trace.instructions, trace.activities, trace.hops)
        ends = (trace.messages["arrived"], *(table["end"] for table in tables))
        self.horizon = 1 + max(int(column.to_numpy().max(initial=0)) for column in ends)
        self.nodes = nodes(trace)
        owners = len(self.ends()) * self.nodes
        if owners * self.horizon > np.iinfo(np.int64).max:
            raise InputError(
                f"the cycles of {self.nodes:,} nodes up to {self.horizon - 1:,} are too many for whole "
                "numbers of 64 bits: give the machine shorter times, or take detail summary"
            )

    def dma(self) -> Cycles:
        """The DMA-busy cycles of every node."""
        hops = self._trace.hops
        origin = hops["source_array"].to_numpy() * self.nodes + hops["source_node"].to_numpy()
        origin = origin * self.horizon
        return Cycles.union(origin + hops["start"].to_numpy(), origin + hops["end"].to_numpy())

    def unit(self, array: Integers, node: Integers) -> Integers:
        """The owner that stands for the control unit of each node: the array where it has only one."""
        return array * self.nodes + node if per_node(self._trace) else array

    def stalls(self) -> Cycles:
        """The stalled cycles of every control unit."""
        table = stalls(self._trace)
        node = table["node"].fill_null(0).to_numpy()
        origin = self.unit(table["array"].to_numpy(), node) * self.horizon
        return Cycles.union(origin + table["start"].to_numpy(), origin + table["end"].to_numpy())

    def ends(self) -> Integers:
        """T_k at index k."""
        arrays = (self._trace.instructions["array"], self._trace.hops["source_array"])
        result = np.zeros(1 + max(int(column.to_numpy().max(initial=0)) for column in arrays), dtype=np.int64)
        np.maximum.at(result, arrays[0].to_numpy(), self._trace.instructions["end"].to_numpy())
        return result

    def activities(self, busy: Cycles) -> pl.DataFrame:
        """The activities with their owner and ``under``: the cycles of ``busy`` that fall within each."""
        table = self._trace.activities
        owner = table["array"].to_numpy() * self.nodes + table["node"].to_numpy()
        origin = owner * self.horizon
        under = busy.within(origin + table["start"].to_numpy(), origin + table["end"].to_numpy())
        return table.select(
            "array",
            "instruction",
            "class",
            "start",
            pl.col("end").alias("finish"),
            pl.Series("owner", owner),
            pl.Series("under", under),
        )


# Sets of cycles as half-open intervals [start, end), for many owners at once. An owner (a node's engine,
# a channel) is a whole number. All owners share one long axis: owner o at cycle t is the point o *
# horizon + t, with a horizon beyond every cycle, so intervals of different owners never meet and every
# operation is a sort or a search in one array.

Integers = NDArray[np.int64]


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
