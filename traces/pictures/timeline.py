"""The picture of a run in full: every engine and DMA of every node over time."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.pictures.drawing import (
    Floats,
    axes,
    boxes,
    cycles_axis,
    headed,
    of_run,
    patch,
    percent,
    phase_entries,
    plain_frame,
    points_per_cycle,
)
from senn.traces.pictures.rows import Rows
from senn.traces.pictures.style import INK, OTHER, SMALL, WAIT, applied, hatched, mixed, phase_color
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

_PIXEL = 0.75  # points


@applied()
def timeline(run: "Run | Trace", ax: Axes | None = None, arrows: bool | str = False) -> Axes:
    """Every compute engine and DMA over time in cycles, node by node and array by array.

    Each node has a row, its engine above, its DMA (thin) below; arrays of more than 20 nodes have a block
    of engines and a block of DMAs, node 0 on top, every node drawn, however thin. Colours are the phases I
    to IV: full for computing, dark for posting and receiving, light for the DMA (phase of the step that
    sent the message). What takes any time is drawn at least a pixel wide. Hatched: the control unit of the
    array waits. White: masked or idle. A line stands at the end of each array's last instruction, with its
    cycle. ``arrows`` draws messages from their first grant at the source to their arrival at the target:
    all, or those of the steps that a label names or begins, "I.b.5" or "I.b" (InputError if none is). Needs
    a trace of detail "full".
    """
    trace, caption = of_run(run)
    trace.require("hops")
    messages = _chosen(trace.messages, arrows)
    rows = Rows(trace)
    tall = 1.2 + 0.26 * rows.height if rows.fine else max(9.0, 1.0 + 2.0 * len(rows.arrays))
    ax = axes(ax, 11.0, max(4.4, tall))
    ends = analysis.ends(trace)
    drained = int(trace.hops["end"].to_numpy().max(initial=0))
    last = max([drained, *ends.values()])
    cycles_axis(ax, last)
    _stalls(ax, trace, rows)
    _engines(ax, trace, rows)
    _channels(ax, trace, rows)
    if arrows:
        _arrows(ax, messages, rows)
    for array, end in ends.items():
        ax.plot([end, end], rows.extent(array), color=INK, linewidth=1.0)
        side = "right" if 2 * end > last else "left"
        ax.text(end, rows.extent(array)[1], f"{end:,}", ha=side, va="bottom", fontsize=SMALL, color=INK)
    rows.label(ax)
    plain_frame(ax)
    entries = phase_entries(set(analysis.steps(trace)["phase"])) + _legend(arrows)
    headed(ax, _finding(trace, rows.nodes), entries, caption)
    return ax


def _finding(trace: Trace, nodes: int) -> str:
    """How much of the time until its end each array computes, on the average over its nodes."""
    used = analysis.utilisation(trace, nodes).select("array", "engines").rows()
    said = (
        f"array {array} {'computes ' if not k else ''}{percent(share)}"
        for k, (array, share) in enumerate(used)
    )
    return f"{', '.join(said)} of its time".capitalize() if used else "Nothing was issued"


def _chosen(messages: pl.DataFrame, arrows: bool | str) -> pl.DataFrame:
    """The messages to draw as arrows."""
    if not isinstance(arrows, str):
        return messages if arrows else messages.clear()
    step = pl.col("step")
    chosen = messages.filter(
        (step == arrows) | step.str.starts_with(f"{arrows}.") | step.str.starts_with(f"{arrows}'")
    )
    if not chosen.height:
        parts = messages["step"].unique(maintain_order=True).str.split(".").list.head(2).list.join(".")
        raise InputError(
            f'arrows: no message is sent by a step that is "{arrows}" or starts with it: '
            f"those that send are {', '.join(parts.unique(maintain_order=True)) or 'none'}"
        )
    return chosen


def _stalls(ax: Axes, trace: Trace, rows: Rows) -> None:
    if analysis.per_node(trace):
        table = analysis.node_stalls(trace)
        low, high = rows.edges("engine", table["array"], table["node"])
        _hatched(ax, table, low, high)
        return
    stalls = analysis.stalls(trace).select("array", "start", "end")
    # A row for every node; where lanes are too thin for that, one box from the first node to the last.
    first = range(rows.nodes) if rows.fine else [0]
    nodes = pl.DataFrame({"first": list(first)}, schema={"first": pl.Int64})
    table = stalls.join(nodes, how="cross")
    last = table["first"] if rows.fine else table["first"] + rows.nodes - 1
    low, _ = rows.edges("engine", table["array"], last)
    _, high = rows.edges("engine", table["array"], table["first"])
    _hatched(ax, table, low, high)


def _hatched(ax: Axes, table: pl.DataFrame, low: Floats, high: Floats) -> None:
    boxes(ax, table["start"], table["end"], low, high, **hatched(WAIT))


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
    # Short ones last, so that the pixel that they are given is not covered; computing over posting, which
    # takes next to nothing and would otherwise darken the whole picture.
    runs = runs.sort("white", pl.col("start") - pl.col("end"), maintain_order=True)
    low, _ = rows.edges(lane, runs["array"], runs["last"])
    _, high = rows.edges(lane, runs["array"], runs["node"])
    # What happens at one place only, such as Step III, is the story: never thinner than a pixel.
    grow = np.where(runs["runs"] == 1, np.maximum(rows.pixel - (high - low), 0) / 2, 0)
    palette = {key: phase_color(*key) for key in runs.select("phase", "white").unique().iter_rows()}
    color = np.array([palette[key] for key in runs.select("phase", "white").iter_rows()]).reshape(-1, 3)
    start, end = runs["start"].to_numpy(), runs["end"].to_numpy()
    shown = np.where(end > start, np.maximum(end, start + _PIXEL / points_per_cycle(ax)), end)
    boxes(ax, start, shown, low - grow, high + grow, facecolors=color, **style)


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


def _arrows(ax: Axes, table: pl.DataFrame, rows: Rows) -> None:
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


def _legend(arrows: bool | str) -> list[Artist]:
    entries: list[Artist] = [
        patch("post, receive (dark)", facecolor=mixed(OTHER, -0.45)),
        patch("DMA (light)", facecolor=mixed(OTHER, 0.5)),
        patch("masked", facecolor="white", edgecolor=INK, linewidth=0.5),
        patch("control unit waits", **hatched(WAIT)),
        Line2D([], [], color=INK, linewidth=1.0, label="array has ended"),
    ]
    if arrows:
        name = f"message of {arrows}" if isinstance(arrows, str) else "message"
        entries.append(Line2D([], [], color=INK, linewidth=0.6, marker=".", markersize=4, label=name))
    return entries
