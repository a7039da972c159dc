"""The space-time diagram of one level: nodes as rows, messages as slanted lines, hop by hop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from senn.base.errors import InputError, printable
from senn.traces import analysis
from senn.traces.analysis.joins import joined
from senn.traces.analysis.overlap import places
from senn.traces.naming import counted
from senn.traces.pictures import style
from senn.traces.pictures.style import INK, OTHER, SMALL, WAIT
from senn.traces.record import Trace
from senn.traces.run import Run

# In the order in which values are first sent; none is the colour of Step I, that computes beside them.
VALUES = ("#D55E00", "#009E73", "#AA4499", "#F0C000", "#7F1D4F", "#332288", "#4455FF", "#000000")
_ENGINE = 0.17  # half the height of a bar of an engine; rows are 1 apart
_VERTICAL = (0.21, 0.30)  # above a row: on the wire to another array
_QUEUES = (-0.46, -0.22)  # below a row: waiting for a channel
_LANE = 0.08  # the height of one that waits, where there is room


@style.applied()
def spacetime(
    run: Run,
    ax: Axes | None = None,
    *,
    step: str | None = None,
    level: int | None = None,
    nodes: tuple[int, int] | None = None,
) -> Axes:
    """One level of a loop, message by message: a row for each node, time in cycles to the right.

    Bars are computing (short dark ones: posting). A slanted line is the words of a message on one channel
    (cut-through: its header; the words follow, level, on the last), from the row of the node that sends to
    the row of the node that receives, in the colour of the value carried; a dot is where it has come to its
    target. A thin bar above a row: on the wire to another array. Thin bars below a row: messages in the queue
    of a channel there, and pale ones in start-up. Hatched: the control unit is stalled. Grey is what is of
    another part or level, at the same time.

    ``step`` begins the label of the steps whose messages are drawn, "I.b" or "I.b.5" (default: the first part
    of the program that sends in a loop), ``level`` is the loop's (default: the first in which they send);
    where a part goes through its levels several times, the first time. ``nodes``: the first and the last to
    draw, at most 96 (default: all). InputError where there is no such level, no message at it, or more nodes,
    and for a trace of less detail than "full".
    """
    trace, caption = style.of_run(run)
    trace.require("hops")
    block = block_of(trace, step, level, "spacetime")
    first, last = shown(trace, nodes)
    hops = hops_of(run, block, step, first, last)
    if not hops.height and nodes is None:
        raise InputError(f"spacetime: {step or block.part} sends no message at level {block.level}")
    until = max(block.end, int(hops["end"].to_numpy().max(initial=0)))
    ax = style.axes(ax, 11.0, min(max(1.6 + 0.42 * (last - first + 1), 4.4), 15.0))
    style.cycles_axis(ax, until)
    ax.set_xlim(block.start - 0.005 * (until - block.start), until + 0.01 * (until - block.start))
    colors = _colors(hops)
    _stalls(ax, trace, block, until)
    _engines(ax, trace, block, until)
    _elsewhere(ax, run, block, hops, until)
    _flights(ax, hops, colors, width=1.3 if last - first < 40 else 0.8)
    _vertical(ax, hops, colors)
    _queues(ax, hops, colors)
    _names(ax, trace, block, first)
    ax.set_ylim(-last - 0.6, -first + (0.8 if last - first < 20 else 1.8))
    ax.yaxis.set_major_locator(
        MaxNLocator(min(last - first + 1, 16) + 1, integer=True, steps=[1, 2, 4, 5, 10])
    )
    ax.yaxis.set_major_formatter(lambda y, _: f"{abs(y):.0f}")
    ax.set_ylabel(f"node of array {block.array}")
    style.plain_frame(ax)
    title = _finding(trace, block, hops)
    if nodes is not None:
        title = f"{title} (nodes {first} to {last})"
    style.headed(ax, title, _legend(hops, colors, block), caption)
    return ax


def _colors(hops: pl.DataFrame) -> dict[str, str]:
    values = hops.sort("instruction", maintain_order=True)["value"].unique(maintain_order=True)
    return {value: VALUES[index % len(VALUES)] for index, value in enumerate(values)}


def _edges(hops: pl.DataFrame, name: str = "source_node") -> np.ndarray:
    return -hops[name].to_numpy().astype(float)


def _stalls(ax: Axes, trace: Trace, block: Block, until: int) -> None:
    row = -pl.col("node").cast(pl.Float64)  # none where all nodes of the array are stalled
    low, high = (row - _ENGINE).fill_null(-1e6), (row + _ENGINE).fill_null(1e6)
    here = pl.col("array") == block.array, pl.col("end") > block.start, pl.col("start") < until
    seen = pl.col("start", "end").clip(block.start, until)
    style.boxes(
        ax,
        *analysis.stalls(trace).filter(here).select(seen, low=low, high=high),
        zorder=0,
        **style.hatched(WAIT),
    )


def _engines(ax: Axes, trace: Trace, block: Block, until: int) -> None:
    here = pl.col("array") == block.array, pl.col("end") > block.start, pl.col("start") < until
    table = trace.activities.filter(here, pl.col("end") > pl.col("start"))
    ours = pl.col("instruction").is_between(block.first, block.last)
    computes, row = pl.col("class") == "compute", -pl.col("node").cast(pl.Float64)
    for rows, color in (
        (ours & computes, style.phase_color(block.phase, 0.35)),
        (ours & ~computes, style.phase_color(block.phase, -0.45)),
        (~ours, style.mixed(OTHER, 0.75)),
    ):
        edges = table.filter(rows).select("start", "end", low=row - _ENGINE, high=row + _ENGINE)
        style.boxes(ax, *edges, facecolors=color, edgecolors="white", linewidths=0.3, zorder=2)


def _elsewhere(ax: Axes, run: Run, block: Block, hops: pl.DataFrame, until: int) -> None:
    """Draw other hops inside the array in grey: the level's messages may wait for them."""
    inside = (pl.col("source_array") == block.array) & (pl.col("target_array") == block.array)
    others = run.in_flight.join(hops, on=("message", "hop"), how="anti")
    others = others.filter(pl.col("end") > block.start, pl.col("start") < until)
    channels = run.trace.hops.filter(inside).drop("queued", "start", "end")
    others = others.pipe(joined, channels, on=("message", "hop"))
    ax.add_collection(
        LineCollection(_lines(others), colors=style.mixed(OTHER, 0.6), linewidths=0.6, zorder=1)
    )


def _lines(hops: pl.DataFrame) -> list[Any]:
    """From the edge of the row of the sender to that of the receiver; words after a header stay there."""
    hops = hops.filter(pl.col("label").is_in(["hop", "words"]))
    begin, finish = _edges(hops), _edges(hops, "target_node")
    towards = np.sign(finish - begin) * _ENGINE
    follow = (hops["label"] == "words").to_numpy() & bool((hops["label"] == "hop").any())
    first = np.where(follow, finish - towards, begin + towards)
    ends = ((hops["start"], first), (hops["end"], finish - towards))
    return list(np.stack([np.column_stack([time.to_numpy(), y]) for time, y in ends], axis=1))


def _flights(ax: Axes, hops: pl.DataFrame, colors: dict[str, str], width: float) -> None:
    for value, color in colors.items():
        ours = hops.filter(pl.col("value") == value, pl.col("source_array") == pl.col("target_array"))
        ax.add_collection(LineCollection(_lines(ours), colors=color, linewidths=width, zorder=4, label=value))
        dots = np.array([line[1] for line in _lines(ours.filter("arrives"))])
        if dots.size:
            ax.plot(*dots.T, linestyle="none", marker="o", markersize=2.3 * width, color=color, zorder=5)


def _vertical(ax: Axes, hops: pl.DataFrame, colors: dict[str, str]) -> None:
    low, high = _VERTICAL
    for value, color in colors.items():
        upright = pl.col("source_array") != pl.col("target_array")
        ours = hops.filter(upright, pl.col("value") == value, pl.col("label").is_in(["hop", "words"]))
        y = _edges(ours)
        style.boxes(ax, ours["start"], ours["end"], y + low, y + high, facecolors=color, zorder=4)


def _queues(ax: Axes, hops: pl.DataFrame, colors: dict[str, str]) -> None:
    """Bars of those in a queue or start-up at a node, each in a lane of its own."""
    waiting = hops.filter(pl.col("label").is_in(["queue", "startup"])).sort("source_node", "start", "message")
    lane = places(*(waiting[name] for name in ("source_node", "start", "end")))
    low, high = _QUEUES
    height = min(_LANE, (high - low) / (1 + max(lane, default=0)))
    top = _edges(waiting) + high - height * np.array(lane, dtype=float)
    named = waiting.select("value", "label").iter_rows()
    faces = [style.mixed(colors[value], 0.0 if label == "queue" else 0.6) for value, label in named]
    style.boxes(ax, waiting["start"], waiting["end"], top - 0.8 * height, top, facecolors=faces, zorder=4)


def _names(ax: Axes, trace: Trace, block: Block, first: int) -> None:
    """The steps above the bars that they are, where there is room."""
    steps = trace.instructions.filter(
        pl.col("array") == block.array, pl.col("serial").is_between(block.first, block.last)
    )
    room = style.points_per_cycle(ax)
    for step, start, end in steps.select("step", "issue", "end").iter_rows():
        if room * (end - start) > 5.0 * len(step) + 2:
            middle = (start + end) / 2
            ax.text(middle, -first + 0.42, step, ha="center", va="bottom", fontsize=SMALL, color=INK)


def _legend(hops: pl.DataFrame, colors: dict[str, str], block: Block) -> list[Artist]:
    ways = hops.group_by("value").agg(
        (pl.col("source_array") == pl.col("target_array")).unique().alias("inside")
    )
    slanted = {value for value, inside in ways.iter_rows() if True in inside}
    entries: list[Artist] = []
    for value, color in colors.items():
        if value in slanted:
            entries.append(Line2D([], [], label=value, color=color, linewidth=1.6, marker="o", markersize=3))
        else:
            entries.append(style.patch(f"{value}, to another array", facecolor=color))
    entries.append(style.patch(f"computing {block.part}", facecolor=style.phase_color(block.phase, 0.35)))
    for label, white in (("queue", 0.0), ("startup", 0.6)):
        if label in hops["label"]:
            look = style.mixed(next(iter(colors.values())), white)
            entries.append(style.patch(f"below a row: {analysis.NAMES[label]}", facecolor=look))
    entries.append(style.patch("the control unit is stalled", **style.hatched(WAIT)))
    return [*entries, style.patch("another step or level", facecolor=style.mixed(OTHER, 0.75)), style.idle()]


def _finding(trace: Trace, block: Block, hops: pl.DataFrame) -> str:
    """Title: computing, messages and queueing of the level."""
    instructions = pl.col("array") == block.array, pl.col("operation") == "compute"
    work = trace.instructions.filter(*instructions).select("array", "serial", "end", start="issue")
    if analysis.per_node(trace):  # its nodes issue an instruction at times of their own
        lanes = trace.activities.filter(pl.col("array") == block.array, pl.col("class") == "compute")
        work = lanes.select("array", "end", "start", serial="instruction")
    work = work.filter(pl.col("serial").is_between(block.first, block.last)).with_columns(count=1)
    counts = analysis.at_once(work.select("array", "start", "end", "count"), "array")
    lasts = counts["cycle"].shift(-1) - counts["cycle"]
    messages, computing = hops["message"].n_unique(), int(lasts.filter(counts["count"] > 0).sum())
    waits = hops.filter(label="queue")["cycles"]
    queued, longest = counted(len(waits), "time"), waits.to_numpy().max(initial=0)
    waited = f"they wait for a channel {queued}, up to {longest:,} cycles" if longest else "none waits"
    return (
        f"Level {block.level} of {block.part}: array {block.array} computes in {computing:,} of "
        f"{block.end - block.start:,} cycles and sends {counted(messages, 'message')}; {waited}"
    )


# What belongs to one level of a loop: its instructions, and the hops of its messages.

MOST = 96
"""So many nodes at once: a row is then still wider than a line."""


@dataclass(frozen=True)
class Block:
    """The instructions of an array that go through one level of a part, from ``first`` to ``last``."""

    array: int
    part: str
    level: int
    first: int
    last: int
    start: int
    end: int

    @property
    def phase(self) -> str:
        """ "I" of "I.b"."""
        return self.part.split(".")[0]


def block_of(trace: Trace, step: str | None, level: int | None, picture: str) -> Block:
    """The first time that a part with such a step goes through the level; by default one that sends."""
    starts = analysis.level_starts(trace)
    if not starts.height:
        raise InputError(f"{picture}: no step of this run is in a loop, so there is no level to show")
    part = analysis.part().alias("part")
    table = trace.instructions.with_columns(pl.struct("array", part, "level").rle_id().alias("turn"))
    senders = ["source_array", "instruction"]
    sends = table.join(trace.messages, left_on=["array", "serial"], right_on=senders, how="semi")
    sends = sends.drop_nulls("level")
    if step is None:
        step = sends.select(part)["part"][0] if sends.height else starts["part"][0]
    rows = table.filter(style.begins(step))
    if not rows["level"].is_not_null().any():
        raise InputError(
            f'{picture}: no step in a loop is "{printable(step)}" or starts with it: '
            f"the parts with loops are {', '.join(starts['part'].unique(maintain_order=True))}"
        )
    if level is None:
        level = [*sends.filter(style.begins(step))["level"], *rows["level"].drop_nulls()][0]
    at_level = rows.filter(level=level)
    if not at_level.height:
        levels = rows["level"].drop_nulls()
        raise InputError(
            f"{picture}: {printable(step)} has the levels {levels.min()!r} to {levels.max()!r}, not {level}"
        )
    whole = table.filter(pl.col("turn") == at_level["turn"][0])
    begin = whole.select((pl.col("issue") - pl.col("stall").fill_null(0)).min()).item()
    name, serials, end = whole.select(part)["part"][0], whole["serial"], int(whole["end"].to_numpy().max())
    return Block(whole["array"][0], name, level, serials[0], serials[-1], begin, end)


def hops_of(run: Run, block: Block, step: str | None, first: int, last: int) -> pl.DataFrame:
    """`Run.in_flight` of the level's messages from or to these nodes, with channel and value, and whether the
    message then arrives."""
    ours = pl.col("array") == block.array, pl.col("instruction").is_between(block.first, block.last)
    sent = analysis.sent(run.trace).filter(*ours, style.begins(step) if step else pl.lit(True))
    sent = sent.select("message", "value", "words", "instruction")
    hops = run.trace.hops.drop("queued", "start", "end").pipe(joined, sent, on="message")
    last_piece = pl.col("end") == pl.col("end").max().over("message")
    hops = run.in_flight.pipe(joined, hops, on=("message", "hop"))
    hops = hops.with_columns(last_piece.alias("arrives"))
    here = (pl.col(name).is_between(first, last) for name in ("source_node", "target_node"))
    return hops.filter(pl.any_horizontal(*here))


def shown(trace: Trace, nodes: tuple[int, int] | None) -> tuple[int, int]:
    first, last = style.chosen_nodes(trace, nodes, "spacetime")
    if last - first >= MOST:
        raise InputError(
            f"spacetime: {last - first + 1:,} nodes are more than the {MOST} of which single messages can be "
            f"seen; choose some, such as the nodes 0 to {MOST // 3 - 1}"
        )
    return first, last
