"""The network: its wires, and what a run sent over each of its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.naming import counted
from senn.traces.pictures.drawing import axes, headed, of_run
from senn.traces.pictures.style import INK, OTHER, PHASES, applied
from senn.traces.pictures.views.wiring import Layout, draw_nodes, layout
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

BUSY = LinearSegmentedColormap.from_list("busy", ["#DADADA", "#E69F00", "#D55E00", "#6B1500"])
MOST = 30_000
"""So many channels can be drawn."""
# As in the caption of Fijany's Fig. 2: solid are shuffle wires, dashed exchange wires, double solid what
# makes nearest neighbours of these.
_WIRES: dict[str, dict[str, Any]] = {
    "shuffle": {"color": PHASES["I"], "linestyle": "-", "linewidth": 1.6},
    "exchange": {"color": INK, "linestyle": (0, (3, 2)), "linewidth": 1.6},
    "neighbor": {"color": INK, "linestyle": "-", "linewidth": 4.0},
    "vertical": {"color": OTHER, "linestyle": "-", "linewidth": 0.9},
}
_OTHER_WIRE = {"color": INK, "linestyle": "-", "linewidth": 1.2}


@applied()
def network(run: Run | Trace, ax: Axes | None = None) -> Axes:
    """The channels that carried something, the more often occupied the darker and the wider.

    Colour and width are the share of the run's cycles in which the channel was occupied (``busy`` of
    `analysis.channels`). The two channels of a wire are two lines: in a row of nodes the outer arc goes to
    the right, elsewhere each line bulges to the left of its way; of two upright ones the right one goes down.
    Needs a trace of detail "full".
    """
    trace, caption = of_run(run)
    table = analysis.channels(trace).sort("busy", maintain_order=True)
    _refuse(table.height)
    nodes = nodes_of(trace)
    arrays = trace.instructions["array"].unique().sort().to_list()
    drawn = layout(table, nodes, arrays)
    ax = axes(ax, *inches(drawn))
    makespan = max(analysis.makespan(trace), 1)
    share = table["busy"].to_numpy() / makespan
    lines = LineCollection(
        drawn.curves(table),
        array=100 * share,
        cmap=BUSY,
        linewidths=(0.6 + 3.4 * share / max(share.max(initial=0), 1e-9)) * min(1.0, 80 / nodes),
        capstyle="round",
        rasterized=table.height > 2000,
    )
    lines.set_clim(0, max(100 * share.max(initial=0), 1e-9))
    ax.add_collection(lines)
    draw_nodes(ax, drawn)
    assert ax.figure is not None
    bar = ax.figure.colorbar(lines, ax=ax, shrink=0.7, pad=0.02, aspect=30)
    bar.set_label("occupied, % of the cycles of the run")
    bar.outline.set_visible(False)
    headed(ax, _finding(table, makespan), [], caption)
    return ax


def _finding(table: pl.DataFrame, makespan: int) -> str:
    if not table.height:
        return "No channel carries a message"
    most = table.row(-1, named=True)
    least = int(table["busy"].to_numpy().min())
    where = f"array {most['source_array']}"
    if most["target_array"] != most["source_array"]:
        where = f"{where} to {most['target_array']}"
    return (
        f"{counted(table.height, 'channel')} carry {int(table['load'].sum()):,} hops; the busiest "
        f"({most['kind']}, node {most['source_node']} to {most['target_node']}, {where}) is occupied "
        f"{100 * most['busy'] / makespan:.0f} % of the time, the idlest of them "
        f"{100 * least / makespan:.1f} %"
    )


@applied()
def wires(
    channels: pl.DataFrame, nodes: int, ax: Axes | None = None, *, title: str, caption: str | None = None
) -> Axes:
    """A network without a run, as in Fijany's Figs. 2 and 3: each wire once, in the style of its kind.

    ``channels`` has a row per directed channel: source_array, target_array, source_node, target_node, kind,
    wire. A wire with a channel in one direction only ends in a point there. InputError for more than can be
    drawn.
    """
    _refuse(channels.height)
    arrays = sorted({*channels["source_array"], *channels["target_array"]}) or [1]
    drawn = layout(channels, nodes, arrays)
    ax = axes(ax, *inches(drawn))
    both = channels.with_columns(
        pl.min_horizontal("source_array", "target_array").alias("above"),
        pl.min_horizontal("source_node", "target_node").alias("first"),
    )
    once = both.group_by("above", "kind", "wire", maintain_order=True).agg(
        pl.col("source_array", "target_array", "source_node", "target_node").first(), pl.len().alias("ways")
    )
    entries: list[Artist] = []
    for kind in once["kind"].unique(maintain_order=True):
        of_kind = once.filter(pl.col("kind") == kind)
        style = _WIRES.get(kind, _OTHER_WIRE)
        curves = drawn.lines(of_kind)
        ax.add_collection(
            LineCollection(curves, label=kind, zorder=1 if kind == "vertical" else 2, **_of_many(style))
        )
        if kind == "neighbor":
            inner = {"color": "white", "linewidth": style["linewidth"] / 2.5}
            ax.add_collection(LineCollection(curves, zorder=3, **inner))
        tips = [curve[-1] for curve, ways in zip(curves, of_kind["ways"], strict=True) if ways == 1]
        if tips:
            ax.plot(*np.array(tips).T, marker="o", linestyle="none", markersize=4, color=style["color"])
        entries.append(Line2D([], [], label=f"{counted(of_kind.height, f'{kind} wire')}", **style))
    draw_nodes(ax, drawn)
    headed(ax, title, entries, caption)
    return ax


def _of_many(style: dict[str, Any]) -> dict[str, Any]:
    return {"colors": style["color"], "linestyles": [style["linestyle"]], "linewidths": style["linewidth"]}


def _refuse(channels: int) -> None:
    if channels > MOST:
        raise InputError(
            f"network: {channels:,} channels are more than the {MOST:,} that can be drawn; take fewer nodes"
        )


def nodes_of(trace: Trace) -> int:
    """As many as the record knows of, from node 0 on."""
    columns = (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    return 1 + max(int(column.to_numpy().max(initial=0)) for column in columns)


def inches(drawn: Layout) -> tuple[float, float]:
    """Of a figure for it."""
    left, right, low, high = drawn.extent()
    if drawn.arcs is None:
        return min(3.5 + 1.1 * (right - left), 11.0), min(2.5 + 1.1 * (high - low), 11.0)
    return min(3.0 + 0.9 * drawn.nodes, 12.0), 4.2 + 1.2 * (len(drawn.places) - 1)
