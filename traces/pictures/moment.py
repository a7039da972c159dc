"""The machine at one cycle: the engines at work, and the place of every message."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from senn.base.errors import InputError
from senn.traces import analysis, replay
from senn.traces.analysis.joins import joined
from senn.traces.naming import counted
from senn.traces.pictures import style
from senn.traces.pictures.network import Layout, draw_nodes, inches, layout
from senn.traces.pictures.style import GRID, INK, OTHER, PHASES, SMALL
from senn.traces.record import Trace
from senn.traces.run import Run

MOST = 128
"""Most nodes of which dots beside each other can be distinguished."""


@style.applied()
def moment(run: Run, ax: Axes | None = None, *, cycle: int = 0) -> Axes:
    """The channels that the run uses, and on them what there is in [cycle, cycle + 1).

    A node that computes has the light colour of its step, one that posts the dark one. Each message in
    flight is one mark with the letter of its value where there is room, in the colour of the step that sent
    it. On its channel, as far along as its time there has gone: a pale square while the channel starts up, a
    triangle while the header crosses, a dot while the words do. Above a node (below, in the last array): a
    pale square while a cut-through message starts up, a hollow dot in a queue. InputError for
    a cycle that the run has not got, for more than 128 nodes, and for a trace of less detail than "full".
    """
    trace, caption = style.of_run(run)
    replay.refuse_beyond(trace, cycle)
    state = run.at(cycle)
    nodes = analysis.nodes(trace)
    if nodes > MOST:
        raise InputError(
            f"moment: {nodes:,} nodes are more than the {MOST} on which single messages can be seen; "
            "--kind network shows the channels of all cycles together"
        )
    arrays = trace.instructions["array"].unique().sort().to_list()
    channels = analysis.channels(trace)
    drawn = layout(channels, nodes, arrays)
    ax = style.axes(ax, *inches(drawn))
    ax.add_collection(LineCollection(drawn.curves(channels), colors=GRID, linewidths=1.0, zorder=1))
    draw_nodes(ax, drawn)
    _working(ax, trace, drawn, cycle)
    flights = _flights(run, cycle)
    crossing = flights["start"] <= cycle
    _on_channels(ax, drawn, flights.filter(crossing), cycle)
    _at_nodes(ax, drawn, flights.filter(~crossing))
    doing = "; ".join(_doing(array) for array in state.arrays)
    where = Counter(flights["name"])
    named = ", ".join(f"{where[name]:,} {name}" for name in _MARKS if where[name])
    total = f"{counted(flights.height, 'message')} in flight" + (f" ({named})" if named else "")
    style.headed(ax, f"Cycle {cycle:,}: {doing}; {total}", _legend(trace, where), caption)
    return ax


def _doing(array: replay.ArrayState) -> str:
    """As short as it can be said."""
    if array.instruction is None:
        return f"array {array.array} has ended"
    verb = {"stalls": "is stalled before", "computes": "computes", "posts": "posts"}.get(array.doing, "is at")
    return f"array {array.array} {verb} {array.instruction.step}"


_PHASE = analysis.phase().alias("phase")


def _working(ax: Axes, trace: Trace, drawn: Layout, cycle: int) -> None:
    """Disks over the nodes whose engine is busy."""
    busy = trace.activities.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    size = max(drawn.marker - 1.2, 4.0)
    steps = analysis.issued(trace).select("array", "instruction", _PHASE)
    working = busy.join(steps, on=["array", "instruction"], how="left")
    for array, node, kind, phase in working.select("array", "node", "class", "phase").iter_rows():
        color = style.phase_color(phase, 0.45 if kind == "compute" else -0.3)
        at = drawn.places[array][node]
        ax.plot(*at, marker="o", markersize=size, color=color, markeredgewidth=0, zorder=5.5, label="busy")


_MARKS: dict[str, dict[str, Any]] = {
    "start-up": {"marker": "s", "markeredgecolor": INK, "markeredgewidth": 0.5},
    "header": {"marker": ">", "markeredgecolor": "white"},
    "words": {"marker": "o", "markeredgecolor": "white"},
    "queue": {"marker": "o", "color": "white"},
}
"""The look of a message by the name of its cycle."""


def _flights(run: Run, cycle: int) -> pl.DataFrame:
    """The hops of the messages in flight with name (of the cycle), until (left by header and words), value
    and phase."""
    named = analysis.sent(run.trace).select("message", "value", _PHASE)
    key = ["message", "hop"]
    until = run.in_flight.group_by(key).agg(pl.col("end").max().alias("until"))
    now = run.in_flight.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    return (
        now.select(*key, pl.col("label").replace_strict(analysis.NAMES).alias("name"))
        .pipe(joined, run.trace.hops, on=key)
        .pipe(joined, until, on=key)
        .pipe(joined, named, on="message")
    )


def _on_channels(ax: Axes, drawn: Layout, crossing: pl.DataFrame, cycle: int) -> None:
    """Each on the curve of its channel."""
    lettered = drawn.nodes <= 16
    shares = (cycle - crossing["start"]) / (crossing["until"] - crossing["start"])
    about = (crossing[name] for name in ("name", "value", "phase"))
    for curve, share, name, value, phase in zip(drawn.curves(crossing), shares, *about, strict=True):
        x, y = along(curve, share)
        pale = name == "start-up"
        color = style.mixed(PHASES.get(phase, INK), 0.6 if pale else -0.1)
        size = 13 if lettered else 6
        ax.plot(x, y, color=color, markersize=size, zorder=7, label=name, **_MARKS[name])
        if lettered and len(value) <= 2:
            look: dict[str, Any] = {"ha": "center", "va": "center_baseline", "weight": "bold", "zorder": 8}
            ax.text(x, y, value, color=INK if pale else "white", fontsize=0.8 * SMALL, **look)


def along(curve: np.ndarray, share: float) -> tuple[float, float]:
    """The point that has left this share of the length of a line behind it."""
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(curve, axis=0).T))])
    at = share * lengths[-1]
    return float(np.interp(at, lengths, curve[:, 0])), float(np.interp(at, lengths, curve[:, 1]))


def _at_nodes(ax: Axes, drawn: Layout, waiting: pl.DataFrame) -> None:
    """Beside their node, away from the other arrays, one on top of the other."""
    before: dict[tuple[int, int], int] = {}
    last = list(drawn.places)[-1]
    about = waiting.select("source_array", "source_node", "phase", "name")
    for array, node, phase, name in about.iter_rows():
        rank = before[array, node] = before.get((array, node), 0) + 1
        up = -1 if array == last and len(drawn.places) > 1 else 1
        offset = np.array([0.0, up * (0.14 + 0.1 * rank)])
        x, y = drawn.places[array][node] + offset
        color = PHASES.get(phase, INK)
        look = {"color": style.mixed(color, 0.6), **_MARKS[name], "markeredgecolor": color}
        ax.plot(x, y, markersize=5, zorder=6, label=name, **look)


def _legend(trace: Trace, where: Counter[str]) -> list[Artist]:
    there = set(trace.instructions.select(_PHASE)["phase"])
    steps = [
        Line2D([], [], color=color, markersize=8, label=f"Step {phase}", linestyle="none", marker="o")
        for phase, color in PHASES.items()
        if phase in there
    ]
    looks = {name: {"color": OTHER, **look, "markeredgecolor": INK} for name, look in _MARKS.items()}
    looks["start-up"]["color"] = style.mixed(OTHER, 0.6)
    names = [
        Line2D([], [], markersize=6, label=name, linestyle="none", **look)
        for name, look in looks.items()
        if where[name]
    ]
    idle = Line2D(
        [], [], color="white", markeredgecolor=INK, label="masked or idle", linestyle="none", marker="o"
    )
    return [*steps, *names, idle]
