"""The elimination: which rows of the system need each other, level by level, and how far apart they live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from numpy.typing import NDArray

from senn.traces.errors import InputError
from senn.traces.naming import counted
from senn.traces.pictures.drawing import axes, boxes, headed, of_run, patch
from senn.traces.pictures.style import GRID, INK, SMALL, applied, ramp
from senn.traces.pictures.views.level import block_of
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

Integers = NDArray[np.int64]
_GAP, _ROW = 1.14, 1.3  # from a matrix to the next, and to the one below
_HEAD = 1.0  # inches, of title and legend
_LEAST = 1 / 90  # of a matrix: a block is not drawn smaller
_NUMBERED = 12  # processes
_DATED = 8  # levels with their cycles


@dataclass(frozen=True)
class _Level:
    """Of each block off the diagonal the processes of its row and column; and the node of each process."""

    name: str
    rows: Integers
    columns: Integers
    nodes: Integers


@applied()
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
    trace, caption = of_run(run)
    trace.require("messages")
    levels, part = _levels(run, step)
    n, nodes = len(levels[0].nodes), max(int(level.nodes.max()) for level in levels) + 1
    across, down = (len(levels) - 1) * _GAP + 1.13, _ROW + 1.32
    width = max(1.0 + 1.9 * len(levels), 7.0) if len(levels) < 7 else 14.0
    ax = axes(ax, width, _HEAD + width * down / across)
    for number, level in enumerate(levels):
        x = number * _GAP
        by_process = level.rows - 1, level.columns - 1
        by_node = level.nodes[by_process[0]], level.nodes[by_process[1]]
        everyone = np.arange(n)
        colors = ramp(n)
        for y, size, pairs, diagonal in (
            (0.0, n, by_process, everyone),
            (-_ROW, nodes, by_node, level.nodes),
        ):
            boxes(ax, x, x + 1, y, y + 1, facecolors=GRID, zorder=0)
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
        patch("of another process, needed at this level", facecolor=INK),
        patch("process 1", facecolor=colors[0]),
        patch(f"process {n}", facecolor=colors[-1]),
    ]
    headed(ax, _finding(part, levels), entries, caption)
    return ax


def _levels(run: Run, step: str | None) -> tuple[list[_Level], str]:
    """What each level of the part needs, and what is left after the last; and the name of the part."""
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


def _blocks(ax: Axes, x: float, y: float, size: int, pairs: tuple[Integers, Integers], **style: Any) -> None:
    """Squares at (row, column), row 0 on top, of a matrix that is as high and as wide as 1."""
    row, column = pairs
    side = max(1 / size, _LEAST) / 2
    middle_x, middle_y = x + (column + 0.5) / size, y + 1 - (row + 0.5) / size
    edge = {"edgecolors": "white", "linewidths": 0.4} if size <= 32 else {"rasterized": True}
    boxes(ax, middle_x - side, middle_x + side, middle_y - side, middle_y + side, **edge, **style)


def _finding(part: str, levels: list[_Level]) -> str:
    """How many blocks each level has, and how far the processes and the nodes of one are apart."""
    counts = [len(level.rows) for level in levels[:-1]]
    if not any(counts):
        return f"{part}: no process needs anything of another"
    processes = max(_apart(level.rows, level.columns) for level in levels)
    nodes = max(_apart(level.nodes[level.rows - 1], level.nodes[level.columns - 1]) for level in levels)
    less = "but never more than" if nodes < processes else "and up to"
    taken = ", ".join(f"{count:,}" for count in counts)
    return (
        f"{part} takes {taken} blocks off the diagonal, level by level: up to {counted(processes, 'place')} "
        f"from it by process, {less} {nodes:,} by node"
    )


def _apart(some: Integers, others: Integers) -> int:
    return int(np.abs(some - others).max(initial=0))
