"""The picture of a run in full: every engine and DMA of every node over time, or how many of them work."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from senn.traces import analysis
from senn.traces.errors import InputError, printable
from senn.traces.pictures import shares
from senn.traces.pictures.drawing import (
    axes,
    cycles_axis,
    headed,
    of_run,
    patch,
    percent,
    phase_entries,
    plain_frame,
    waits,
)
from senn.traces.pictures.phases import levels, parts
from senn.traces.pictures.rows import Rows, fill
from senn.traces.pictures.style import (
    INK,
    OTHER,
    PHASES,
    SHADES,
    SMALL,
    WAIT,
    applied,
    hatched,
    mixed,
    phase_color,
)
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

MANY = 48
"""From so many nodes on, shares of them are drawn instead of each."""
MOST_ARROWS = 300
"""More than that cannot be followed."""

Marks = set[tuple[str, str | None]]
"""What is done ("compute", "wait", ...) and in which phase."""


@applied()
def timeline(
    run: "Run | Trace",
    ax: Axes | None = None,
    arrows: bool | str = False,
    *,
    start: int = 0,
    stop: int | None = None,
    nodes: tuple[int, int] | None = None,
) -> Axes:
    """Every compute engine and DMA over time in cycles, node by node and array by array; ink is time.

    Fewer than 48 nodes have a row each, the engine above, the DMA (thin) below. What is at least a pixel
    long stands at its cycles; what is shorter is drawn as pale as the part of the pixel's time that it takes.
    For more nodes there are shares of them: upwards of the nodes that compute, post and receive, or wait,
    downwards of the channels used by the array that carry, with the levels marked.

    Colours are the phases I to IV: full for computing, dark for posting and receiving, light for DMAs and
    channels (phase of the step that sent the message). Hatched: the control unit of the array waits. White:
    masked or idle. A line stands at the end of each array's last instruction, with its cycle.

    ``start`` and ``stop`` are the first and the last cycle drawn, ``nodes`` the first and the last node.
    ``arrows`` draws messages from their first grant at the source to their arrival at the target, between
    nodes drawn and within the time drawn: all, or those of the steps that a label names or begins, "I.b.5"
    or "I.b". `InputError` for what is not there, for more than 300 arrows, and for arrows between 48 nodes
    or more. Needs a trace of detail "full".
    """
    trace, caption = of_run(run)
    trace.require("hops")
    ends = analysis.ends(trace)
    shown = _nodes(trace, nodes)
    first, last = _window(trace, start, stop)
    messages = _chosen(trace.messages, arrows, shown, first, last)
    few = len(shown) < MANY
    arrays = sorted(ends)
    rows, bands = Rows(arrays, shown), shares.Bands(arrays, shown)
    ax = axes(ax, 11.0, 1.6 + (rows.inches if few else bands.inches))
    cycles_axis(ax, last, first)
    entries: list[Artist] = []
    drawn: Marks = set()
    if few:
        rows.label(ax)
        drawn, paler = _rows(ax, trace, rows, first, last)
        if paler:
            entries.append(patch("paler: part of the time of a pixel", facecolor=(*mixed(OTHER, 0.0), 0.4)))
        if arrows:
            entries.append(_arrows(ax, messages, rows, arrows))
    else:
        drawn = shares.draw(ax, trace, bands)
        bands.label(ax)
        tops = {array: bands.extent(array)[1] + 0.02 for array in arrays}
        parts(ax, trace, tops)
        entries.append(levels(ax, trace, tops))
    entries += _ends(ax, {a: end for a, end in ends.items() if first <= end <= last}, rows if few else bands)
    plain_frame(ax)
    headed(ax, _finding(trace, shown, first, last), [*_legend(drawn, few), *entries], caption)
    return ax


def _nodes(trace: Trace, nodes: tuple[int, int] | None) -> list[int]:
    """The nodes to draw, rising."""
    seen = pl.concat([trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"]])
    there = int(seen.to_numpy().max(initial=0))
    first, last = (0, there) if nodes is None else nodes
    if not 0 <= first <= last <= there:
        raise InputError(f"timeline: nodes {first} to {last} are not there; the nodes are 0 to {there}")
    return list(range(first, last + 1))


def _window(trace: Trace, start: int, stop: int | None) -> tuple[int, int]:
    """The first and the last cycle to draw; by default all, until the last message has arrived."""
    drained = int(trace.hops["end"].to_numpy().max(initial=0))
    whole = max([drained, 1, *analysis.ends(trace).values()])
    last = whole if stop is None else stop
    if not 0 <= start < whole:
        raise InputError(f"from cycle {start:,}: the run goes from cycle 0 to {whole:,}")
    if last <= start:
        raise InputError(f"to cycle {last:,}: the last drawn comes after the first, {start:,}")
    return start, last


def _chosen(
    messages: pl.DataFrame, arrows: bool | str, nodes: Sequence[int], first: int, last: int
) -> pl.DataFrame:
    """The messages to draw as arrows."""
    if not arrows:
        return messages.clear()
    step = pl.col("step")
    if isinstance(arrows, str):
        named = (step == arrows) | step.str.starts_with(f"{arrows}.") | step.str.starts_with(f"{arrows}'")
        if not messages.filter(named).height:
            parts = messages["step"].unique(maintain_order=True).str.split(".").list.head(2).list.join(".")
            raise InputError(
                f'arrows: no message is sent by a step that is "{printable(arrows)}" or starts with it: '
                f"those that send are {', '.join(parts.unique(maintain_order=True)) or 'none'}"
            )
        messages = messages.filter(named)
    if len(nodes) >= MANY:
        raise InputError(
            f"arrows: {len(nodes):,} nodes have no rows of their own; choose fewer than {MANY} with nodes"
        )
    there = pl.col("source_node").is_in(nodes) & pl.col("target_node").is_in(nodes)
    seen = messages.filter(there, pl.col("granted") <= last, pl.col("arrived") >= first)
    if seen.height > MOST_ARROWS:
        raise InputError(
            f"arrows: {seen.height:,} messages would cover the picture, {MOST_ARROWS} can be told apart; "
            "choose a step, such as I.b.5, or less time (from, to) or fewer nodes"
        )
    return seen


def _finding(trace: Trace, nodes: Sequence[int], first: int, last: int) -> str:
    """How much of its time, or of the time drawn, each array computes: the mean over the nodes drawn."""
    computes: dict[int, float] = {}
    whole = first == 0 and last >= analysis.makespan(trace)
    for array, end in analysis.ends(trace).items():
        if end > first:
            table = analysis.shares(trace, [first, end if whole else last], nodes)
            computes[array] = float(table.filter(array=array, kind="compute")["share"].sum())
    if not computes:
        return "Nothing was issued"
    if len(computes) > 3:
        most, least = (pick(computes, key=computes.__getitem__) for pick in (max, min))
        computes = {array: computes[array] for array in (most, least)}
    (array, share), *others = computes.items()
    rest = "".join(f", array {other} computes {percent(part)}" for other, part in others)
    return f"Array {array} computes {percent(share)} of {'its time' if whole else 'the time shown'}{rest}"


def _rows(ax: Axes, trace: Trace, rows: Rows, first: int, last: int) -> tuple[Marks, bool]:
    """Waits, engines and DMAs of every node; what was drawn, and whether any of it is paler."""
    here = pl.col("node").is_in(rows.nodes), pl.col("start") < last, pl.col("end") > first
    if analysis.per_node(trace):
        waited = analysis.node_stalls(trace).select("array", "node", "start", "end")
    else:
        nodes = pl.DataFrame({"node": rows.nodes}, schema={"node": pl.Int64})
        waited = analysis.stalls(trace).select("array", "start", "end").join(nodes, how="cross")
    waited = waited.filter(here)
    low, high = rows.edges("engine", waited["array"], waited["node"])
    waits(ax, waited["start"], waited["end"], low, high, WAIT)
    steps = trace.instructions.select("array", pl.col("serial").alias("instruction"), "step")
    engines = trace.activities.rename({"class": "kind"}).join(steps, on=["array", "instruction"], how="left")
    sent = trace.messages.select(pl.col("id").alias("message"), "step")
    hops = trace.hops.rename({"source_array": "array", "source_node": "node"})
    channels = hops.join(sent, on="message", how="left").with_columns(kind=pl.lit("channel"))
    drawn: Marks = {("wait", None)} if waited.height else set()
    paler = False
    for lane, table in (("engine", engines), ("dma", channels)):
        phase = pl.col("step").str.split(".").list.first().alias("phase")
        table = table.filter(*here, pl.col("end") > pl.col("start")).with_columns(phase)
        done = set(table.select("kind", "phase").unique().iter_rows())
        colors = {(kind, phase): phase_color(phase, SHADES[kind]) for kind, phase in done}
        color = [colors[key] for key in table.select("kind", "phase").iter_rows()]
        paler |= fill(ax, rows, lane, table.with_columns(pl.Series("color", color, dtype=_COLOR)))  # type: ignore[arg-type]
        drawn |= done
    return drawn, paler


_COLOR = pl.List(pl.Float64)


def _arrows(ax: Axes, table: pl.DataFrame, rows: Rows, arrows: bool | str) -> Artist:
    begin = np.mean(rows.edges("dma", table["source_array"], table["source_node"]), axis=0)
    finish = rows.edges("engine", table["target_array"], table["target_node"])[0]
    lines = np.stack(
        [np.column_stack([table["granted"], begin]), np.column_stack([table["arrived"], finish])], axis=1
    )
    ax.add_collection(LineCollection(list(lines), colors=INK, linewidths=0.7, alpha=0.8))
    ax.plot(*lines[:, 1].T, linestyle="none", marker=".", markersize=5, color=INK)
    name = f"message of {arrows}" if isinstance(arrows, str) else "message"
    return Line2D([], [], color=INK, linewidth=0.7, marker=".", markersize=5, label=name)


def _ends(ax: Axes, ends: dict[int, int], rows: Rows | shares.Bands) -> list[Artist]:
    """A line where an array issues no more."""
    if not ends:
        return []
    style: dict[str, Any] = {"color": INK, "linewidth": 1.2}
    for array, end in ends.items():
        low, high = rows.extent(array)
        ax.plot([end, end], [low, high], **style)
        first, last = ax.get_xlim()
        after = end < first + 0.88 * (last - first)
        high = high if isinstance(rows, Rows) else low  # where levels are numbered above
        ax.annotate(
            f"{end:,}",
            (end, high),
            xytext=(3 if after else -3, 1),
            textcoords="offset points",
            ha="left" if after else "right",
            va="bottom",
            fontsize=SMALL,
            color=INK,
        )
    return [Line2D([], [], label="array has ended", **style)]


def _legend(drawn: Marks, few: bool) -> list[Artist | tuple[Artist, ...]]:
    """What the colours mean, as far as they are drawn."""
    entries: list[Artist | tuple[Artist, ...]] = [
        *phase_entries({phase for kind, phase in drawn if kind == "compute" and phase})
    ]
    for kinds, name in (
        (("post", "receive"), "post, receive"),
        (("channel",), "DMA" if few else "channel carries"),
    ):
        colors = {phase_color(phase, SHADES[kind]) for kind, phase in drawn if kind in kinds and phase}
        # In the order of the phases, which is not that of the names of others.
        ordered = [
            color for phase in (*PHASES, "") if (color := phase_color(phase, SHADES[kinds[0]])) in colors
        ]
        if ordered:
            entries.append(tuple(patch(name, facecolor=color) for color in ordered))
    if ("wait", None) in drawn:
        entries.append(patch("waits", **hatched(WAIT)))
    return entries
