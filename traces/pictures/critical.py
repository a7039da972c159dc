"""Where the cycles went: the critical path, and a square for each level and node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

from senn.base.errors import InputError, printable
from senn.traces import analysis
from senn.traces.analysis import WORDS, Piece, share, spent_text
from senn.traces.naming import counted, part_of
from senn.traces.parts import Parts
from senn.traces.pictures import style
from senn.traces.pictures.style import EXPOSED, GRID, INK, SMALL
from senn.traces.record import Integers, Trace
from senn.traces.run import Run

SPENT_COLORS = {
    "startup": style.mixed(EXPOSED, 0.0),
    "words": style.mixed(EXPOSED, 0.45),
    "hop": style.mixed(EXPOSED, -0.4),
    "compute": style.mixed(INK, 0.0),
    "post": style.mixed(INK, 0.4),
    "receive": style.mixed(INK, 0.6),
}
"""What cycles of the path were spent on, as `analysis.critical_path` has it: warm is a message, grey work."""
_NODES = 1.8  # the height of the band in which the path goes from node to node; other rows are 1 apart
_ROW = 0.74


@style.applied()
def critical(run: Run, ax: Axes | None = None, *, start: int = 0, stop: int | None = None) -> Axes:
    """The chain of work and messages that the run had to go through, from cycle 0 to its makespan.

    On top, from which node to which its messages went, hop by hop (orange: between arrays). Below, which
    array the path was in (for a message, the array that sent it) and at which of the paper's steps, ticks
    where a level begins. Below that, a row for each thing that cycles were spent on, most first, with its
    share: every cycle is in one of these rows, at its place. ``start`` and ``stop`` are the first and the
    last cycle drawn, and counted. InputError for a run of less detail than "full".
    """
    trace = run.trace
    first, last = style.window(trace, start, stop)
    path = [
        piece._replace(start=max(piece.start, first), end=min(piece.end, last))
        for piece in run.path
        if piece.start < last and piece.end > first
    ]
    totals = analysis.path_totals(path)
    labels = sorted((name for name in totals if totals[name]), key=lambda name: -totals[name])
    arrays = trace.instructions["array"].unique().sort().to_list()
    rows = len(arrays) + len(labels)
    ax = style.axes(ax, 11.0, 1.9 + 0.42 * (rows + _NODES))
    style.cycles_axis(ax, min(last, analysis.makespan(trace)), first)
    nodes = _walk(ax, trace, path)
    lanes = {array: -1.0 - index for index, array in enumerate(arrays)}
    _steps(ax, path, lanes, run.parts)
    ticks = [(-0.1, f"node {nodes - 1}")] if nodes > 1 else []
    ticks += [(_NODES - 0.1, "node 0")]
    ticks += [(y + _ROW / 2, f"array {array}") for array, y in lanes.items()]
    whole, stretches = sum(totals.values()), defaultdict[str, list[tuple[int, int]]](list)
    for label, together in groupby(path, key=lambda piece: piece.label):
        pieces = list(together)
        stretches[label].append((pieces[0].start, pieces[-1].end))
    for index, label in enumerate(labels, start=1 + len(arrays)):
        y = -index - 0.3
        begin, end = zip(*stretches[label], strict=True)
        ax.axhspan(y, y + _ROW, color=GRID, alpha=0.45, zorder=0, linewidth=0)
        style.boxes(ax, begin, end, y, y + _ROW, facecolors=SPENT_COLORS[label], snap=False, zorder=2)
        ticks.append((y + _ROW / 2, f"{WORDS[label]}  {share(totals[label], whole)}"))
    ax.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    ax.set_ylim(-rows - 0.5, _NODES + 0.1)
    style.plain_frame(ax)
    shown = run.parts.legend({piece.step.split(".")[0] for piece in path})
    entries = [style.patch(name, facecolor=color) for name, color in shown]
    messages = len({piece.message for piece in path if piece.message is not None})
    chain = f"{counted(messages, 'message')} in a chain"
    title = f"Of the {whole:,} cycles: {spent_text(totals)}; {chain}"
    turns = [after.start for before, after in pairwise(path) if before.array != after.array]
    if turns:
        title += f", which changes arrays {counted(len(turns), 'time')}, last at cycle {turns[-1]:,}"
    elif path and len(arrays) > 1:
        title += f", all of array {path[0].array}"
    style.headed(ax, title, entries, style.caption_of(run))
    return ax


def _walk(ax: Axes, trace: Trace, path: Sequence[Piece]) -> int:
    """A line for each hop on the path; the number of nodes."""
    begun = [(piece.message, piece.start) for piece in path if piece.message is not None]
    on_path = pl.DataFrame(begun, schema={"message": pl.Int64, "start": pl.Int64}, orient="row")
    hops = trace.hops.join(on_path, on=["message", "start"], how="semi")
    nodes = analysis.nodes(trace)

    def height(node: pl.Series) -> np.ndarray:
        return _NODES - 0.1 - _NODES * node.to_numpy() / max(nodes - 1, 1)

    begin = np.column_stack([hops["start"], height(hops["source_node"])])
    finish = np.column_stack([hops["end"], height(hops["target_node"])])
    crossing = (hops["source_array"] != hops["target_array"]).to_numpy()
    ax.axhspan(-0.1, _NODES - 0.1, color=GRID, alpha=0.45, zorder=0, linewidth=0)
    lines = np.stack([begin, finish], axis=1)
    ax.add_collection(LineCollection(list(lines[~crossing]), colors=INK, linewidths=1.2, zorder=3))
    ax.add_collection(LineCollection(list(lines[crossing]), colors=EXPOSED, linewidths=2.4, zorder=3))
    return nodes


def _steps(ax: Axes, path: Sequence[Piece], lanes: dict[int, float], parts: Parts) -> None:
    """Boxes in the colours of the steps, named where there is room; a line where the path changes arrays."""
    room = style.points_per_cycle(ax)
    for (array, part), together in groupby(path, key=lambda piece: (piece.array, part_of(piece.step))):
        pieces = list(together)
        start, end, low = pieces[0].start, pieces[-1].end, lanes[array]
        color = style.mixed(parts.color(part.split(".")[0]), 0.15)
        style.boxes(
            ax, start, end, low, low + _ROW, facecolors=color, edgecolors="white", linewidths=0.8, zorder=2
        )
        if room * (end - start) > 7.0 * len(part) + 4:
            middle = ((start + end) / 2, low + _ROW / 2)
            ax.text(*middle, part, ha="center", va="center", fontsize=SMALL, color="white", weight="bold")
        for before, after in pairwise(pieces):
            if before.level != after.level and after.level is not None:
                ax.plot([after.start] * 2, [low, low + 0.16], color="white", linewidth=1.0, zorder=3)
    for before, after in pairwise(path):
        if before.array != after.array:
            upper, lower = lanes[before.array] + _ROW / 2, lanes[after.array] + _ROW / 2
            ax.plot([after.start] * 2, [upper, lower], color=INK, linewidth=1.4, zorder=4)


# Where it hurts: a square for each level and node.

HEAT = LinearSegmentedColormap.from_list("heat", ["#F4F4F4", "#F6D39A", "#E69F00", "#D55E00", "#6B1500"])
COLUMNS = 512
"""Of more nodes, neighbours are taken together."""
_Key = tuple[int, int | None]
"""An array and a level."""


QUANTITIES: Mapping[str, tuple[str, str]] = {
    "waiting": ("messages wait for a channel", "no message waits for a channel"),
    "sending": ("channels are occupied", "no channel is occupied"),
    "computing": ("engines compute", "no engine computes"),
    "exposed": ("messages are exposed", "no message is exposed"),
}
"""An activity, and the text for no cycles of it."""


@style.applied()
def heat(run: Run, ax: Axes | None = None, *, of: str = "waiting") -> Axes:
    """Levels of the loops down, nodes to the right, an array below the other; the darker, the more cycles.

    ``of`` says which cycles: "waiting", of messages for a channel, at the node that it leaves from;
    "sending", of the channels that leave the node, while they are occupied; "computing", of its engine;
    "exposed", of messages of the node that are exposed, as `analysis.exposures` has them. The level is
    that of the instruction that sent or computed; what is in no loop has a row of its own. Of more than 512
    nodes a column is the mean of neighbours. InputError for another ``of``, and for a run of less detail
    than "full".
    """
    if of not in QUANTITIES:
        raise InputError(f'heat: of what? "{printable(str(of))}" is none of {", ".join(QUANTITIES)}')
    trace = run.trace
    trace.require("hops")
    nodes = analysis.nodes(trace)
    keys, squares = _squares(run, of)
    if not squares.any():
        others = ", ".join(other for other in QUANTITIES if other != of)
        raise InputError(f"heat: {QUANTITIES[of][1]}; choose another --of: {others}")
    together = -(-nodes // COLUMNS)
    first = np.arange(0, nodes, together)
    drawn = np.add.reduceat(squares, first, axis=1) / np.diff(np.append(first, nodes))
    ax = style.axes(ax, min(6.8 + 0.33 * nodes, 12.0), max(2.2 + 0.3 * len(keys), 4.2))
    order = list(dict.fromkeys(array for array, _ in keys))
    y = np.array([index + 0.6 * order.index(array) for index, (array, _) in enumerate(keys)])
    image, darkest = None, max(int(squares.max(initial=0)), 1)
    look: dict[str, Any] = {"cmap": HEAT, "vmin": 0, "vmax": darkest, "aspect": "auto"}
    look["interpolation"] = "nearest"
    for array in order:
        rows = [index for index, key in enumerate(keys) if key[0] == array]
        low, high = y[rows[0]] - 0.5, y[rows[-1]] + 0.5
        extent = (-0.5, drawn.shape[1] * together - 0.5, high, low)
        image = ax.imshow(drawn[rows], extent=extent, **look)
        if nodes <= 64:
            for node in range(1, nodes):
                ax.plot([node - 0.5] * 2, [low, high], color="white", linewidth=0.6)
        for row in rows[1:]:
            ax.axhline(y[row] - 0.5, color="white", linewidth=0.6)
        style.side_note(ax, f"array {array}", (low + high) / 2, 8, right=True)
    names = ["in no loop" if level is None else f"level {level}" for _, level in keys]
    ax.set_yticks(y, names)
    ax.set(xlim=(-0.5, nodes - 0.5), ylim=(y[-1] + 0.5, y[0] - 0.5))
    ax.set_xlabel("node" if together == 1 else f"node (each column is the mean of {together})")
    ax.xaxis.set_major_locator(
        MaxNLocator(min(nodes, 16), integer=True, steps=[1, 2, 4, 5, 8, 10], min_n_ticks=1)
    )
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0)
    assert image is not None
    label = f"cycles that {QUANTITIES[of][0]}"
    bar = style.colour_bar(ax, image, label, pad=0.05, format=lambda cycles, _: f"{cycles:,.0f}")
    bar.locator = MaxNLocator(7, integer=True)
    bar.update_ticks()
    style.headed(ax, _heat_title(QUANTITIES[of][0], keys, squares), [], style.caption_of(run))
    return ax


def _squares(run: Run, of: str) -> tuple[list[_Key], Integers]:
    """Arrays and levels in order, what is in no loop first; and (keys, nodes) cycles."""
    cycles = pl.col("start") - pl.col("queued") if of == "waiting" else pl.col("end") - pl.col("start")
    trace = run.trace
    table, key = analysis.sent(trace), ["array", "instruction"]
    if of == "computing":
        work = trace.activities.filter(pl.col("class") == "compute").with_columns(cycles=cycles)
        table = work.join(analysis.issued(trace).select(*key, "level"), on=key)
    elif of != "exposed":
        hops = trace.hops.select("message", node="source_node", cycles=cycles)
        table = hops.join(table.select("message", "array", "level"), on="message")
    else:
        exposed = analysis.exposures(trace, run.dma).select("message", cycles="exposed")
        table = table.join(exposed, on="message")
    there = trace.instructions.select("array", "level").unique().sort("array", "level", nulls_last=False)
    keys: list[_Key] = list(there.iter_rows())
    squares = np.zeros((len(keys), analysis.nodes(trace)), dtype=np.int64)
    for array, level, node, count in (
        table.group_by("array", "level", "node").agg(pl.col("cycles").sum()).iter_rows()
    ):
        squares[keys.index((array, level)), node] = count
    return keys, squares


def _heat_title(event: str, keys: list[_Key], squares: Integers) -> str:
    whole = int(squares.sum())
    row, node = np.unravel_index(int(squares.argmax()), squares.shape)
    levels = squares.sum(axis=1)
    array, level = keys[int(levels.argmax())]
    worst = f"{'outside the loops' if level is None else f'at level {level}'} of array {array}"
    here_array, here = keys[int(row)]
    square = f"node {node}, {'in no loop' if here is None else f'level {here}'} of array {here_array}"
    most = share(int(levels.max()), whole)
    equal = int((squares == squares.max()).sum())
    tie = f"({squares.max():,} each) at {equal} squares, such as " if equal > 1 else ""
    figure = "" if tie else f": {squares.max():,}"
    return (
        f"{event.capitalize()} {whole:,} cycles, {most} of them {worst}; most {tie or 'at '}{square}{figure}"
    )
