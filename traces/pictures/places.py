"""Pictures of allocations: the processes of each node by level, scores, a search, and the elimination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike, NDArray

from senn.base.errors import InputError
from senn.traces.naming import counted
from senn.traces.pictures import style
from senn.traces.pictures.spacetime import block_of
from senn.traces.pictures.style import EXPOSED, GRID, INK, PHASES, SERIES, SMALL
from senn.traces.record import Trace
from senn.traces.run import Run

_FIRST, _LAST = PHASES["II"], PHASES["I"]  # the colours of process 1 and of process n
_BAR = 0.66  # the longest bar of a column, which is 1 wide
_BEST, _OTHERS = SERIES[0], style.mixed(SERIES[0], 0.62)


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
    for level, row in enumerate(rows):
        for node in range(width):
            processes = np.flatnonzero(row == node) + 1
            _cell(ax, node, level, processes.tolist(), n)
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(levels - 0.5, -0.5)
    ax.set_yticks(range(levels), ["home", *(f"level {level}" for level in range(1, levels))])
    ax.set_xticks(range(width))
    ax.set_xlabel("node")
    style.plain_frame(ax)
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(length=0)
    if caption:
        ax.set_title(style.written(caption))
    return ax


def _cell(ax: Axes, node: int, level: int, processes: list[int], n: int) -> None:
    color = np.ones(3)
    if processes:
        share = (np.mean(processes) - 1) / max(n - 1, 1)
        color = (1 - share) * np.array(style.mixed(_FIRST, 0.45)) + share * np.array(style.mixed(_LAST, 0.45))
    edges = (node - 0.46, node + 0.46, level - 0.42, level + 0.42)
    style.boxes(ax, *edges, facecolors=[color], edgecolors=INK, linewidths=0.6)
    text = " ".join(map(str, processes))
    ax.text(node, level, text, ha="center", va="center", color=INK, fontsize=SMALL)


SCORES: Mapping[str, str] = {
    "dilation": "dilation",
    "congestion_in_all": "congestion in all",
    "network_steps": "network steps",
    "makespan": "makespan",
}


@style.applied()
def scores(table: pl.DataFrame, ax: Axes | None = None, *, caption: str | None = None) -> Axes:
    """Scores of several allocations as a table: a column for each score, its numbers as bars from 0.

    ``table`` has a column ``allocation`` with their names and the columns of SCORES, a row for each. Bars are
    to be compared within their column; the least of each is dark.
    """
    ax = style.axes(ax, 11.0, 1.6 + 0.4 * table.height)
    row = np.arange(table.height)
    for k, name in enumerate(SCORES):
        numbers = table[name].to_numpy()
        bars = _BAR * numbers / max(int(numbers.max(initial=0)), 1)
        least = numbers == numbers.min(initial=int(numbers.max(initial=0)))
        for rows, color in ((least, _BEST), (~least, _OTHERS)):
            ax.barh(row[rows], bars[rows], left=k, height=0.66, color=color)
        for where, bar, number, best in zip(
            row.tolist(), bars, numbers.tolist(), least.tolist(), strict=True
        ):
            weight = "bold" if best else "normal"
            ax.text(k + bar, where, f" {number:,}", va="center", fontsize=SMALL, color=INK, weight=weight)
    ax.set_yticks(row, [style.written(str(name), 40) for name in table["allocation"]])
    ax.set_ylim(table.height - 0.45, -0.55)
    ax.set_xticks(range(len(SCORES)), list(SCORES.values()), ha="left")
    ax.set_xlim(0, len(SCORES) - 0.05)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    style.plain_frame(ax)
    ax.spines["bottom"].set_visible(False)
    best = table.sort("makespan", maintain_order=True).row(0, named=True)
    title = f"{best['allocation']} has the least makespan: {best['makespan']:,} cycles".replace("\n", ", ")
    if caption:
        ax.set_xlabel(style.written(caption))
    ax.set_title(style.written(title), pad=12)
    return ax


# A picture of a search: the least makespan over the runs it took, above what is proved impossible.

LINE = 0.075
"""The height of a line of small letters, as a share of the axes."""


@style.applied()
def search(
    history: Sequence[tuple[int, int]],
    runs: int,
    bounds: Mapping[str, int],
    ax: Axes | None = None,
    *,
    caption: str | None = None,
) -> Axes:
    """Steps down from (run, makespan) to (run, makespan) of ``history``, which begins with run 1.

    ``runs`` is how many there were in all; ``bounds`` are lower bounds in cycles by name, drawn as lines
    with their names beside the axes. Those that are equal share one.
    """
    ax = style.axes(ax, 9.0, 4.6)
    number, least = [run for run, _ in history], [makespan for _, makespan in history]
    ax.step([*number, max(runs, 2)], [*least, least[-1]], where="post", color=PHASES["I"], linewidth=1.6)
    ax.plot(number, least, "o", color=PHASES["I"], markersize=4)
    for run, makespan in (history[0], *([history[-1]] if len(history) > 1 else [])):
        style.note(ax, f"{makespan:,}", (run, makespan), (4, 5))
    levels = sorted(set(bounds.values()))
    for cycles in levels:
        ax.axhline(cycles, color=EXPOSED, linewidth=1.0, linestyle=(0, (5, 3)))
    ax.set_xlim(1, max(runs, 2))
    low, high = ax.get_ylim()
    heights = _apart([(cycles - low) / (high - low) for cycles in levels])  # as shares of the axes' height
    for cycles, height in zip(levels, heights, strict=True):
        names = ", ".join(name for name, at in bounds.items() if at == cycles)
        look: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "axes fraction"}
        line = {"arrowstyle": "-", "color": EXPOSED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0}
        look |= {"fontsize": SMALL, "color": EXPOSED, "arrowprops": {**line, "relpos": (0, 0.5)}}
        place = (1, cycles), (1.05, height)
        ax.annotate(f"{names} {cycles:,}", *place, va="center", annotation_clip=False, **look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("runs")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda cycles, _: f"{cycles:,.0f}"))
    ax.set_ylabel("least makespan (cycles)")
    style.plain_frame(ax)
    saved = f", {style.percent(1 - least[-1] / least[0])} fewer than at first" if least[-1] < least[0] else ""
    proved = f"; fewer than {levels[-1]:,} are impossible" if levels else ""
    style.headed(ax, f"{least[-1]:,} cycles found{saved}{proved}", [], caption)
    return ax


def _apart(heights: Sequence[float]) -> list[float]:
    """Ascending heights of names, each moved up, or where the top is reached down, until none touches."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LINE) if placed else height)
    ceiling = 1.0
    for k in reversed(range(len(placed))):
        placed[k] = min(placed[k], ceiling)
        ceiling = placed[k] - LINE
    return placed


# The elimination: which rows of the system need each other, level by level, and how far apart they live.

Integers = NDArray[np.int64]
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
    a bare trace, which does not say where processes live, and for a run of less detail than "full".
    """
    if isinstance(run, Trace):
        raise InputError("wavefront: a trace does not say where processes live; draw the run it is of")
    trace, caption = style.of_run(run)
    trace.require("messages")
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
        for y, size, pairs, diagonal in (
            (0.0, n, by_process, everyone),
            (-_ROW, nodes, by_node, level.nodes),
        ):
            style.boxes(ax, x, x + 1, y, y + 1, facecolors=GRID, zorder=0)
            _blocks(ax, x, y, size, (diagonal, diagonal), facecolors=colors, zorder=1)
            _blocks(ax, x, y, size, pairs, facecolors=[INK], zorder=2)
            if n <= _NUMBERED:
                for process, place in enumerate(diagonal.tolist(), 1):
                    at = (x + (place + 0.5) / size, y + 1 - (place + 0.5) / size)
                    ax.text(*at, f"{process}", ha="center", va="center", fontsize=0.8 * SMALL, zorder=3)
        name = level.name if len(levels) <= _DATED else level.name.splitlines()[0]
        ax.text(x + 0.5, 1.03, name, ha="center", va="bottom", fontsize=SMALL, linespacing=1.2)
    for y, name in ((0.5, "by process"), (0.5 - _ROW, "by node")):
        ax.text(-0.04, y, name, rotation=90, ha="right", va="center")
    ax.set_xlim(-0.12, across - 0.12)
    ax.set_ylim(-_ROW - 0.02, down - _ROW - 0.02)
    ax.set_aspect("equal", anchor="S")
    ax.set_axis_off()
    entries: list[Artist] = [
        style.patch("of another process, needed at this level", facecolor=INK),
        style.patch("process 1", facecolor=colors[0]),
        style.patch(f"process {n}", facecolor=colors[-1]),
    ]
    style.headed(ax, _finding(part, levels), entries, caption)
    return ax


def _levels(run: Run, step: str | None) -> tuple[list[_Level], str]:
    """The blocks of each level of the part, none after the last; and the name of the part."""
    trace, tables = run.trace, run.allocation.tables
    first = block_of(trace, step, 1, "wavefront")
    of_part = pl.col("step").str.starts_with(first.part) & (pl.col("array") == first.array)
    last = trace.instructions.filter(of_part)["level"].max()
    assert isinstance(last, int)
    places = tables[min(first.array, len(tables)) - 1]
    levels = []
    for number in range(1, last + 1):
        block = block_of(trace, step or first.part, number, "wavefront")
        needed = trace.messages.filter(
            pl.col("source_array") == block.array,
            pl.col("target_array") == block.array,
            pl.col("instruction").is_between(block.first, block.last),
            pl.col("source_process") != pl.col("target_process"),
        )
        pairs = (
            needed.select("target_process", "source_process")
            .unique()
            .sort("target_process", "source_process")
        )
        rows, columns = (pairs[name].to_numpy() for name in pairs.columns)
        when = f"level {number}\ncycles {block.start:,}–{block.end:,}"
        levels.append(_Level(when, rows, columns, places[min(number, len(places) - 1)]))
    nothing = np.zeros(0, dtype=np.int64)
    return [*levels, _Level("after it\n", nothing, nothing, levels[-1].nodes)], first.part


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
