"""The machine at one cycle: the engines at work, and the place of every message."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from senn.traces import analysis, replay
from senn.traces.errors import InputError
from senn.traces.naming import counted
from senn.traces.pictures.network import Layout, draw_nodes, inches, layout, nodes_of
from senn.traces.pictures.style import (
    GRID,
    INK,
    PHASES,
    SMALL,
    applied,
    axes,
    headed,
    mixed,
    of_run,
    phase_color,
)
from senn.traces.record import Trace
from senn.traces.run import Run

MOST = 128
"""Most nodes of which dots beside each other can be distinguished."""


@applied()
def moment(run: Run, ax: Axes | None = None, *, cycle: int = 0) -> Axes:
    """The channels that the run uses, and on them what there is in [cycle, cycle + 1).

    A node that computes has the light colour of its step, one that posts the dark one. A dot on a channel is
    a message that crosses it, as far along as its time on it has gone, in the colour of the step that sent
    it, with the letter of its value where there is room; hollow dots on top of a node (below, in the last
    array) are messages that wait there for a channel. The title is what `run.at(cycle)` says. InputError for
    a cycle that the run has not got, for more than 128 nodes, and for a trace of less detail than "full".
    """
    trace, caption = of_run(run)
    replay.refuse_beyond(trace, cycle)
    state = replay.at(trace, cycle)
    nodes = nodes_of(trace)
    if nodes > MOST:
        raise InputError(
            f"moment: {nodes:,} nodes are more than the {MOST} on which single messages can be seen; "
            "--kind network shows the channels of all cycles together"
        )
    arrays = trace.instructions["array"].unique().sort().to_list()
    channels = analysis.channels(trace)
    drawn = layout(channels, nodes, arrays)
    ax = axes(ax, *inches(drawn))
    ax.add_collection(LineCollection(drawn.curves(channels), colors=GRID, linewidths=1.0, zorder=1))
    draw_nodes(ax, drawn)
    _working(ax, trace, drawn, cycle)
    crossing, waiting = _under_way(trace, cycle)
    _dots(ax, drawn, crossing, cycle)
    _queues(ax, drawn, waiting)
    doing = "; ".join(_doing(array) for array in state.arrays)
    where = f"{counted(crossing.height, 'message')} on channels, {waiting.height:,} waiting for one"
    headed(ax, f"Cycle {cycle:,}: {doing}; {where}", _legend(trace), caption)
    return ax


def _doing(array: replay.ArrayState) -> str:
    """As short as it can be said."""
    if array.instruction is None:
        return f"array {array.array} has ended"
    verb = {"stalls": "is stalled before", "computes": "computes", "posts": "posts"}.get(array.doing, "is at")
    return f"array {array.array} {verb} {array.instruction.step}"


def _steps(trace: Trace) -> pl.DataFrame:
    return trace.instructions.select("array", pl.col("serial").alias("instruction"), "step")


def _phase(step: str) -> str:
    return step.split(".")[0]


def _working(ax: Axes, trace: Trace, drawn: Layout, cycle: int) -> None:
    """Disks over the nodes whose engine is busy."""
    busy = trace.activities.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    size = max(drawn.marker - 1.2, 4.0)
    working = busy.join(_steps(trace), on=["array", "instruction"], how="left")
    for array, node, kind, step in working.select("array", "node", "class", "step").iter_rows():
        color = phase_color(_phase(step), 0.45 if kind == "compute" else -0.3)
        at = drawn.places[array][node]
        ax.plot(*at, marker="o", markersize=size, color=color, markeredgewidth=0, zorder=5.5, label="busy")


def _under_way(trace: Trace, cycle: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The hops that are on their channel, and those that wait for it, with value and step of the message."""
    named = trace.messages.select(pl.col("id").alias("message"), "value", "step")
    here = trace.hops.filter((pl.col("queued") <= cycle) & (pl.col("end") > cycle)).join(
        named, on="message", how="left", maintain_order="left"
    )
    return here.filter(pl.col("start") <= cycle), here.filter(pl.col("start") > cycle)


def _dots(ax: Axes, drawn: Layout, crossing: pl.DataFrame, cycle: int) -> None:
    """Each on the curve of its channel."""
    named = drawn.nodes <= 16
    shares = (cycle - crossing["start"]) / (crossing["end"] - crossing["start"])
    for curve, share, value, step in zip(
        drawn.curves(crossing), shares, crossing["value"], crossing["step"], strict=True
    ):
        x, y = along(curve, share)
        color = mixed(PHASES.get(_phase(step), INK), -0.1)
        ax.plot(
            x,
            y,
            marker="o",
            markersize=13 if named else 6,
            color=color,
            markeredgecolor="white",
            zorder=7,
            label="crosses",
        )
        if named and len(value) <= 2:
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "weight": "bold", "zorder": 8}
            ax.text(x, y, value, color="white", fontsize=0.8 * SMALL, **style)


def along(curve: np.ndarray, share: float) -> tuple[float, float]:
    """The point that has left this share of the length of a line behind it."""
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(curve, axis=0).T))])
    at = share * lengths[-1]
    return float(np.interp(at, lengths, curve[:, 0])), float(np.interp(at, lengths, curve[:, 1]))


def _queues(ax: Axes, drawn: Layout, waiting: pl.DataFrame) -> None:
    """Beside their node, away from the other arrays, one on top of the other."""
    before: dict[tuple[int, int], int] = {}
    last = list(drawn.places)[-1]
    for array, node, step in waiting.select("source_array", "source_node", "step").iter_rows():
        rank = before[array, node] = before.get((array, node), 0) + 1
        up = -1 if array == last and len(drawn.places) > 1 else 1
        offset = np.array([0.0, up * (0.14 + 0.1 * rank)])
        x, y = drawn.places[array][node] + offset
        color = PHASES.get(_phase(step), INK)
        ax.plot(x, y, marker="o", markersize=5, color="white", markeredgecolor=color, zorder=6, label="waits")


def _legend(trace: Trace) -> list[Artist]:
    there = {_phase(step) for step in trace.instructions["step"]}
    style: dict[str, Any] = {"linestyle": "none", "marker": "o"}
    entries: list[Artist] = [
        Line2D([], [], color=color, markersize=8, label=f"Step {phase}", **style)
        for phase, color in PHASES.items()
        if phase in there
    ]
    waits = Line2D(
        [], [], color="white", markeredgecolor=INK, markersize=5, label="waits for a channel", **style
    )
    return [*entries, waits]
