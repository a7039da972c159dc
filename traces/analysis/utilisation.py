"""How much of the machine a run used: engines, DMA units, channels, and the lanes of SIMD instructions."""

import polars as pl

from senn.traces.analysis.accounts import ends, makespan
from senn.traces.analysis.node_stalls import refuse_per_node
from senn.traces.analysis.overlap import overlap
from senn.traces.analysis.traffic import channels
from senn.traces.record.trace import Trace


def utilisation(trace: Trace, nodes: int) -> pl.DataFrame:
    """Busy shares per array of ``nodes`` nodes.

    Columns array, end (T_k), compute (node cycles), engines (compute / (nodes T_k)), dma (DMA-busy node
    cycles), dmas (dma / (nodes T), T the makespan, since a DMA works beyond T_k), channels (outgoing
    channels used), wires (their busy share of T, mean), busiest (the largest), flops, flops_per_cycle
    (flops / T_k).
    """
    trace.require("hops")
    total = makespan(trace)
    arrays = pl.DataFrame(
        list(ends(trace).items()), schema={"array": pl.Int64, "end": pl.Int64}, orient="row"
    )
    engines = trace.activities.group_by("array").agg(
        (pl.col("end") - pl.col("start")).filter(pl.col("class") == "compute").sum().alias("compute"),
        pl.col("flops").sum(),
    )
    dma = overlap(trace).group_by("array").agg(pl.col("dma").sum())
    wires = (
        channels(trace)
        .group_by(pl.col("source_array").alias("array"))
        .agg(
            pl.len().cast(pl.Int64).alias("channels"),
            (pl.col("busy").mean() / total).alias("wires"),
            (pl.col("busy").max() / total).alias("busiest"),
        )
    )
    return (
        arrays.join(engines, on="array", how="left")
        .join(dma, on="array", how="left")
        .join(wires, on="array", how="left")
        .fill_null(0)
        .select(
            "array",
            "end",
            "compute",
            (pl.col("compute") / (nodes * pl.col("end"))).alias("engines"),
            "dma",
            (pl.col("dma") / (nodes * total)).alias("dmas"),
            "channels",
            "wires",
            "busiest",
            "flops",
            (pl.col("flops") / pl.col("end")).alias("flops_per_cycle"),
        )
        .sort("array")
    )


def lane_activity(trace: Trace, nodes: int) -> pl.DataFrame:
    """How much of the SIMD width the masks leave idle while an instruction runs, per array, step and level.

    Columns array, step, level, cycles, active, idle (node cycles: cycles times the lanes masked), share
    (active / nodes); in order of array and issue. Instructions without a cycle (waits) are left out. Of
    a node that acts for fewer processes than another, ``node_accounts`` says how long it is masked.
    """
    trace.require("instructions")
    refuse_per_node(trace, "lane activity")
    cycles = pl.col("end") - pl.col("issue")
    return trace.instructions.filter(cycles > 0).select(
        "array",
        "step",
        "level",
        cycles.alias("cycles"),
        "active",
        (cycles * (nodes - pl.col("active"))).alias("idle"),
        (pl.col("active") / nodes).alias("share"),
    )
