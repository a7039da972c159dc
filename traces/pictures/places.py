"""Pictures of allocations: the processes of each node by level, and the elimination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from senn.base.errors import InputError, printable
from senn.traces import analysis
from senn.traces.naming import counted
from senn.traces.parts import COLORS
from senn.traces.pictures import style
from senn.traces.pictures.style import GRID, INK, SMALL
from senn.traces.record import Integers
from senn.traces.run import Run

_FIRST, _LAST = COLORS[1], COLORS[0]  # the colours of process 1 and of process n


@style.applied()
def places(
    table: ArrayLike, ax: Axes | None = None, *, nodes: int | None = None, caption: str | None = None
) -> Axes:
    """An allocation, (M + 1, n): a row of nodes for home and for each level, with the processes in them.

    The colour goes from process 1 to process n, over those of a node on the average. ``nodes`` is the number
    of nodes (default: up to the last with a process), ``caption`` a title. To be read up to n = 32.
    """
    rows = np.asarray(table)
    levels, n = rows.shape
    width = int(rows.max()) + 1 if nodes is None else nodes
    ax = style.axes(ax, 1.2 + 0.45 * width, 0.6 + 0.4 * levels)
    first, last = (np.array(style.mixed(color, 0.45)) for color in (_FIRST, _LAST))
    for level, row in enumerate(rows):
        for node in range(width):
            processes = np.flatnonzero(row == node) + 1
            color = np.ones(3)
            if processes.size:
                share = (np.mean(processes) - 1) / max(n - 1, 1)
                color = (1 - share) * first + share * last
            edges = (node - 0.46, node + 0.46, level - 0.42, level + 0.42)
            style.boxes(ax, *edges, facecolors=[color], edgecolors=INK, linewidths=0.6)
            text = " ".join(map(str, processes.tolist()))
            ax.text(node, level, text, ha="center", va="center", color=INK, fontsize=SMALL)
    ax.set(xlim=(-0.5, width - 0.5), ylim=(levels - 0.5, -0.5), xticks=range(width), xlabel="node")
    ax.set_yticks(range(levels), ["home", *(f"level {level}" for level in range(1, levels))])
    style.plain_frame(ax)
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(length=0)
    if caption:
        ax.set_title(style.written(caption))
    return ax


# The elimination: which rows of the system need each other, level by level, and how far apart they live.

_GAP, _ROW = 1.14, 1.3  # from a matrix to the next, and to the one below
_HEAD = 1.0  # inches, of title and legend
_LEAST = 1 / 90  # of a matrix: a block is not drawn smaller
_NUMBERED = 12  # processes
_DATED = 8  # levels with their cycles


@dataclass(frozen=True)
class _Level:
    """Row and column processes of the blocks off the diagonal, and the node of each process."""

    name: str
    rows: Integers
    columns: Integers
    nodes: Integers


@style.applied()
def wavefront(run: Run, ax: Axes | None = None, *, step: str | None = None) -> Axes:
    """The block matrix of the system before each level and after the last, above by process, below by node.

    A dark square in row i, column k: at this level process i takes something that process k sends, as the
    messages of the record have it. In odd-even elimination these are the blocks off the diagonal, 2^(j-1)
    processes away from it at level j; after the last, each row stands alone. The diagonal has the colour of
    the process. Below the same squares, in the order of the nodes on which the processes live at that level:
    beside the diagonal means that neighbours of the line 0, 1, 2, ... exchange them.

    ``step`` begins the label of the steps that are meant (default: the first part with a loop). Blocks are
    drawn no smaller than can be seen, so that from some hundred processes on near ones merge. InputError for
    a run of less detail than "full".
    """
    run.trace.require("messages")
    levels, part = _levels(run, step)
    if not any(len(level.rows) for level in levels):
        raise InputError(f"wavefront: in {part} no process needs anything of another")
    n, nodes = len(levels[0].nodes), max(int(level.nodes.max()) for level in levels) + 1
    across, down = (len(levels) - 1) * _GAP + 1.13, _ROW + 1.32
    width = max(1.0 + 1.9 * len(levels), 7.0) if len(levels) < 7 else 14.0
    ax = style.axes(ax, width, _HEAD + width * down / across)
    for number, level in enumerate(levels):
        x = number * _GAP
        by_process = level.rows - 1, level.columns - 1
        by_node = level.nodes[by_process[0]], level.nodes[by_process[1]]
        everyone = np.arange(n)
        colors = style.ramp(n)
        halves = (0.0, n, by_process, everyone), (-_ROW, nodes, by_node, level.nodes)
        for y, size, pairs, diagonal in halves:
            style.boxes(ax, x, x + 1, y, y + 1, facecolors=GRID, zorder=0)
            _blocks(ax, x, y, size, (diagonal, diagonal), facecolors=colors, zorder=1)
            _blocks(ax, x, y, size, pairs, facecolors=[INK], zorder=2)
            if n <= _NUMBERED:
                for process, place in enumerate(diagonal.tolist(), 1):
                    at = (x + (place + 0.5) / size, y + 1 - (place + 0.5) / size)
                    ax.text(*at, f"{process}", ha="center", va="center", fontsize=0.8 * SMALL, zorder=3)
        name = level.name if len(levels) <= _DATED / style.enlarged() else level.name.splitlines()[0]
        ax.text(x + 0.5, 1.03, name, ha="center", va="bottom", fontsize=SMALL, linespacing=1.2)
    for y, name in ((0.5, "by process"), (0.5 - _ROW, "by node")):
        ax.text(-0.04, y, name, rotation=90, ha="right", va="center")
    ax.set(xlim=(-0.12, across - 0.12), ylim=(-_ROW - 0.02, down - _ROW - 0.02))
    ax.set_aspect("equal", anchor="S")
    ax.set_axis_off()
    entries: list[Artist] = [
        style.patch("of another process, needed at this level", facecolor=INK),
        style.patch("process 1", facecolor=colors[0]),
        style.patch(f"process {n}", facecolor=colors[-1]),
    ]
    style.headed(ax, _finding(part, levels), entries, style.caption_of(run))
    return ax


def _levels(run: Run, step: str | None) -> tuple[list[_Level], str]:
    """The blocks of each level of the part with such a step, none after the last; and the name of the part.

    By default it is the first part that sends in a loop. Of each level counts the first time that an array
    goes through it.
    """
    trace, tables = run.trace, run.allocation.tables
    starts = analysis.level_starts(trace)
    if not starts.height:
        raise InputError("wavefront: no step of this run is in a loop, so there is no level to show")
    table = trace.instructions.with_columns(analysis.part().alias("part"))
    table = table.with_columns(pl.struct("array", "part", "level").rle_id().alias("turn"))
    if step is None:
        senders = ["source_array", "instruction"]
        sends = table.join(trace.messages, left_on=["array", "serial"], right_on=senders, how="semi")
        step = str([*sends.drop_nulls("level")["part"], starts["part"][0]][0])
    rows = table.filter(style.begins(step))
    if not rows["level"].is_not_null().any():
        raise InputError(
            f'wavefront: no step in a loop is "{printable(step)}" or starts with it: '
            f"the parts with loops are {', '.join(starts['part'].unique(maintain_order=True))}"
        )
    there = rows["level"].drop_nulls().unique().sort().to_list()
    array, part = rows.filter(level=there[0]).select("array", "part").row(0)
    loop = table.filter(pl.col("step").str.starts_with(part), array=array)
    last = int(loop["level"].drop_nulls().to_numpy().max())
    if missing := [level for level in range(1, last + 1) if level not in there]:
        raise InputError(
            f"wavefront: {printable(step)} has the levels {there[0]} to {there[-1]}, not {missing[0]}"
        )
    places, levels = tables[min(array, len(tables)) - 1], []
    for level in range(1, last + 1):
        turn = table.filter(turn=rows.filter(level=level)["turn"][0])
        needed = trace.messages.filter(
            pl.col("instruction").is_between(turn["serial"][0], turn["serial"][-1]),
            pl.col("source_process") != pl.col("target_process"),
            source_array=turn["array"][0],
            target_array=turn["array"][0],
        )
        pairs = needed.select("target_process", "source_process").unique()
        takers, givers = pairs.sort(pairs.columns).to_numpy().T
        start = int((turn["issue"] - turn["stall"].fill_null(0)).to_numpy().min())
        when = f"level {level}\ncycles {start:,}–{int(turn['end'].to_numpy().max()):,}"
        levels.append(_Level(when, takers, givers, places[min(level, len(places) - 1)]))
    nothing = np.zeros(0, dtype=np.int64)
    return [*levels, _Level("after it\n", nothing, nothing, levels[-1].nodes)], part


def _blocks(ax: Axes, x: float, y: float, size: int, pairs: tuple[Integers, Integers], **look: Any) -> None:
    """Squares at (row, column), row 0 on top, of a matrix that is as high and as wide as 1."""
    row, column = pairs
    side = max(1 / size, _LEAST) / 2
    middle_x, middle_y = x + (column + 0.5) / size, y + 1 - (row + 0.5) / size
    edge = {"edgecolors": "white", "linewidths": 0.4} if size <= 32 else {"rasterized": True}
    style.boxes(ax, middle_x - side, middle_x + side, middle_y - side, middle_y + side, **edge, **look)


def _finding(part: str, levels: list[_Level]) -> str:
    """How many blocks each level has, and how far the processes and the nodes of one are apart."""
    counts = [len(level.rows) for level in levels[:-1]]
    processes = max(_distance(level.rows, level.columns) for level in levels)
    nodes = max(_distance(level.nodes[level.rows - 1], level.nodes[level.columns - 1]) for level in levels)
    less = "but never more than" if nodes < processes else "and up to"
    counted_blocks = ", ".join(f"{count:,}" for count in counts)
    return (
        f"{part} takes {counted_blocks} blocks off the diagonal, level by level: "
        f"up to {counted(processes, 'place')} "
        f"from it by process, {less} {nodes:,} by node"
    )


def _distance(some: Integers, others: Integers) -> int:
    return int(np.abs(some - others).max(initial=0))
