"""Communication that a run hid behind computation, and communication that it exposed.

dma = the cycles in which at least one outgoing channel of a node is occupied. It splits exactly:
dma = hidden (under that node's compute) + post + receive + masked (instruction cycles without this lane)
+ stall (its control unit waits) + drain (after T_k, the array's last end). Where every node issues by itself,
masked are the cycles after its own last activity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.analysis.control_units import control_units, per_node, stalls
from senn.traces.errors import InputError
from senn.traces.record import Trace


def overlap(trace: Trace) -> pl.DataFrame:
    """How the DMA-busy cycles of every node split.

    Columns array, node, dma, hidden, post, receive, masked, stall, drain in cycles; a row per node that has
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
            pl.col("under").filter(pl.col("class") == name).sum().alias(column)
            for name, column in (("compute", "hidden"), ("post", "post"), ("receive", "receive"))
        )
    )
    elsewhere = pl.sum_horizontal("hidden", "post", "receive", "stall", "drain")
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
        .select("array", "node", "dma", "hidden", "post", "receive", "masked", "stall", "drain")
        .sort("array", "node")
    )


def overlap_by_step(trace: Trace, depth: int | None = None) -> pl.DataFrame:
    """Communication hidden under each step and exposed before it, summed over levels.

    With ``depth`` steps are taken together by the first ``depth`` parts of their labels: 3 gives the lines
    of the paper, "II.b.1" for "II.b.1.vii.i".

    Columns array, step, compute (cycles of its instructions), hidden (node cycles, as in ``overlap``),
    hidden_array (cycles of the step in which some DMA of the array is busy: comparable with exposed),
    exposed, dependency_wait; in order of array and first issue. Where every node issues by itself, compute is
    from the first to the last of the nodes, and exposed and dependency_wait are node cycles.
    """
    trace.require("hops")
    axis = _Axis(trace)
    dma = axis.dma()
    lanes = axis.activities(dma).filter(pl.col("class") == "compute")
    hidden = lanes.group_by("array", pl.col("instruction").alias("serial")).agg(
        pl.col("under").sum().alias("hidden"), pl.col("start").min(), pl.col("finish").max()
    )
    table = trace.instructions.join(hidden, on=["array", "serial"], how="left", maintain_order="left")
    begin = table["start"].fill_null(0).to_numpy()
    finish = table["finish"].fill_null(0).to_numpy()
    waited = control_units(trace).group_by("array", pl.col("instruction").alias("serial"))
    cycles = waited.agg(pl.col("exposed", "dependency_wait").sum())
    rest = table.drop("exposed", "dependency_wait")
    table = rest.join(cycles, on=["array", "serial"], how="left", maintain_order="left")
    table = table.with_columns(pl.col("exposed", "dependency_wait").fill_null(0))
    origin = table["array"].to_numpy() * axis.horizon
    busy = axis.array_dma()
    table = table.with_columns(
        pl.Series("compute", finish - begin),
        pl.Series("hidden_array", busy.within(origin + begin, origin + finish)),
        pl.col("hidden").fill_null(0),
    )
    if depth is not None:
        table = table.with_columns(pl.col("step").str.split(".").list.head(depth).list.join("."))
    return table.group_by("array", "step", maintain_order=True).agg(
        pl.col("compute", "hidden", "hidden_array", "exposed", "dependency_wait").sum()
    )


def waits(trace: Trace) -> pl.DataFrame:
    """Which step waited for which: the stalls by cause.

    Columns array, step (that waited), cause_array, cause (step of the send whose message released it),
    value, stalls (how many), exposed, dependency_wait (cycles); longest first. Where every node issues by
    itself, the stalls and their cycles are those of nodes.
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
        .agg(pl.len().cast(pl.Int64).alias("stalls"), pl.col("exposed", "dependency_wait").sum())
        .sort(pl.col("exposed") + pl.col("dependency_wait"), descending=True, maintain_order=True)
    )


def communication(trace: Trace) -> pl.DataFrame:
    """When a DMA of each array is busy: columns array, start, end of the intervals, in order."""
    trace.require("hops")
    axis = _Axis(trace)
    busy = axis.array_dma()
    array, start = np.divmod(busy.start, axis.horizon)
    return pl.DataFrame({"array": array, "start": start, "end": start + busy.end - busy.start})


class _Axis:
    """The one axis of a trace: nodes as owners (array * nodes + node), or arrays as owners."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        ends = (trace.instructions["end"], trace.activities["end"], trace.hops["end"])
        self.horizon = 1 + max(int(column.to_numpy().max(initial=0)) for column in ends)
        used = (trace.activities["node"], trace.hops["source_node"])
        self.nodes = 1 + max(int(column.to_numpy().max(initial=0)) for column in used)
        owners = len(self.ends()) * self.nodes
        if owners * self.horizon > np.iinfo(np.int64).max:
            raise InputError(
                f"the cycles of {self.nodes:,} nodes up to {self.horizon - 1:,} are too many for whole "
                "numbers of 64 bits: give the machine shorter times, or take detail summary"
            )

    def dma(self) -> Cycles:
        """The DMA-busy cycles of every node."""
        hops = self._trace.hops
        owner = hops["source_array"].to_numpy() * self.nodes + hops["source_node"].to_numpy()
        return self._on_axis(owner, hops)

    def array_dma(self) -> Cycles:
        """The cycles in which any DMA of an array is busy, arrays as owners."""
        return self._on_axis(self._trace.hops["source_array"].to_numpy(), self._trace.hops)

    def _on_axis(self, owner: Integers, hops: pl.DataFrame) -> Cycles:
        origin = owner * self.horizon
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
