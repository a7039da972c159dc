"""The picture of a run in full: every engine and DMA of every node over time."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from senn.traces import analysis
from senn.traces.drawing import (
    INK,
    PHASES,
    WAIT,
    axes,
    boxes,
    cycles_axis,
    legend_above,
    patch,
    phase_color,
    plain_frame,
)
from senn.traces.rows import Rows
from senn.traces.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run


def timeline(run: "Run | Trace", ax: Axes | None = None, arrows: bool = False) -> Axes:
    """Every compute engine and DMA over time in cycles, node by node and array by array.

    Each node has a row, its engine above, its DMA (thin) below; arrays of more than 20 nodes have a block
    of engines and a block of DMAs, node 0 on top, every node drawn, however thin. Colours are the phases I
    to IV: full for computing, dark for posting and receiving, light for the DMA (phase of the step that
    sent the message). Hatched: the control unit of the array waits. White: masked or idle. A line stands at
    the end of each array's last instruction. ``arrows`` draws every message from its first grant at the
    source to its arrival at the target. Needs a trace of detail "full".
    """
    trace = run if isinstance(run, Trace) else run.trace
    trace.require("hops")
    rows = Rows(trace)
    ax = axes(ax, 11.0, max(3.0, 1.2 + 0.26 * rows.height) if rows.fine else 9.0)
    _stalls(ax, trace, rows)
    _engines(ax, trace, rows)
    _channels(ax, trace, rows)
    if arrows:
        _arrows(ax, trace, rows)
    ends = analysis.ends(trace)
    for array, end in ends.items():
        ax.plot([end, end], rows.extent(array), color=INK, linewidth=1.0)
    drained = int(trace.hops["end"].to_numpy().max(initial=0))
    cycles_axis(ax, max([drained, *ends.values()]))
    rows.label(ax)
    plain_frame(ax)
    legend_above(ax, _legend(set(analysis.steps(trace)["phase"]), arrows), columns=8)
    return ax


def _stalls(ax: Axes, trace: Trace, rows: Rows) -> None:
    nodes = pl.Series(range(rows.nodes), dtype=pl.Int64)
    for array, start, end in analysis.stalls(trace).select("array", "start", "end").iter_rows():
        low, high = rows.edges("engine", pl.repeat(array, rows.nodes, eager=True), nodes)
        if not rows.fine:  # one box for the block
            low, high = low[-1:], high[:1]
        boxes(ax, start, end, low, high, facecolors="#FAFAFA", edgecolors=WAIT, hatch="/////")


def _engines(ax: Axes, trace: Trace, rows: Rows) -> None:
    steps = trace.instructions.select("array", pl.col("serial").alias("instruction"), "step")
    white = pl.when(pl.col("class") == "compute").then(0.0).otherwise(-0.45)
    table = trace.activities.join(steps, on=["array", "instruction"], how="left")
    _fill(ax, rows, "engine", table.with_columns(white.alias("white")))


def _channels(ax: Axes, trace: Trace, rows: Rows) -> None:
    steps = trace.messages.select(pl.col("id").alias("message"), "step")
    names = (pl.col("source_array").alias("array"), pl.col("source_node").alias("node"))
    table = trace.hops.join(steps, on="message", how="left").with_columns(*names, pl.lit(0.5).alias("white"))
    _fill(ax, rows, "dma", table)


def _fill(ax: Axes, rows: Rows, lane: Literal["engine", "dma"], table: pl.DataFrame) -> None:
    """Boxes for array, node, start, end in the colour of the phase of step, mixed with white."""
    table = table.with_columns(pl.col("step").str.split(".").list.first().alias("phase"))
    # White edges tell neighbours of one colour apart where there is room. Where lanes are thinner than a
    # pixel they must be mixed, not moved to the next pixel, or masks turn into patterns that are not there.
    style: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.3}
    runs = table.with_columns(pl.col("node").alias("last"), pl.lit(2).alias("runs"))
    if not rows.fine:
        runs, style = _runs(table), {"snap": False, "rasterized": True}
    low, _ = rows.edges(lane, runs["array"], runs["last"])
    _, high = rows.edges(lane, runs["array"], runs["node"])
    # What happens at one place only, such as Step III, is the story: never thinner than a pixel.
    grow = np.where(runs["runs"] == 1, np.maximum(rows.pixel - (high - low), 0) / 2, 0)
    palette = {key: phase_color(*key) for key in runs.select("phase", "white").unique().iter_rows()}
    color = np.array([palette[key] for key in runs.select("phase", "white").iter_rows()]).reshape(-1, 3)
    boxes(ax, runs["start"], runs["end"], low - grow, high + grow, facecolors=color, **style)


def _runs(table: pl.DataFrame) -> pl.DataFrame:
    """Neighbouring nodes that do the same at once as one row, from ``node`` to ``last``.

    Lanes of a SIMD array do, so that a picture of thousands of nodes needs few boxes. ``runs`` counts the
    rows that differ only in their nodes.
    """
    key = ("array", "start", "end", "phase", "white")
    table = table.select(*key, "node").unique().sort(*key, "node")
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in key)
    joins = same & (pl.col("node") == pl.col("node").shift() + 1)
    return (
        table.with_columns((~joins).fill_null(True).cum_sum().alias("run"))
        .group_by("run", maintain_order=True)
        .agg(pl.col(*key).first(), pl.col("node").min(), pl.col("node").max().alias("last"))
        .with_columns(pl.len().over(key).alias("runs"))
    )


def _arrows(ax: Axes, trace: Trace, rows: Rows) -> None:
    table = trace.messages
    begin = np.mean(rows.edges("dma", table["source_array"], table["source_node"]), axis=0)
    finish = rows.edges("engine", table["target_array"], table["target_node"])[0]
    lines = np.stack(
        [np.column_stack([table["granted"], begin]), np.column_stack([table["arrived"], finish])], axis=1
    )
    rasterized = not rows.fine
    ax.add_collection(
        LineCollection(list(lines), colors=INK, linewidths=0.5, alpha=0.7, rasterized=rasterized)
    )
    ax.plot(*lines[:, 1].T, linestyle="none", marker=".", markersize=3, color=INK)


def _legend(phases: set[str], arrows: bool) -> list[Artist]:
    entries: list[Artist] = [
        patch(f"Step {name}", facecolor=phase_color(name)) for name in PHASES if name in phases
    ]
    entries += [
        patch("DMA (light)", facecolor=phase_color(min(phases, default="I"), 0.5)),
        patch("control unit waits", facecolor="#FAFAFA", edgecolor=WAIT, hatch="/////", linewidth=0),
        Line2D([], [], color=INK, linewidth=1.0, label="array has ended"),
    ]
    if arrows:
        entries.append(Line2D([], [], color=INK, linewidth=0.6, marker=".", markersize=4, label="message"))
    return entries
