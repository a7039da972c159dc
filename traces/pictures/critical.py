"""The critical path: what made the run as long as it was, cycle by cycle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from senn.traces import analysis
from senn.traces.analysis import Piece
from senn.traces.analysis.causality import WORDS, share, spent_text
from senn.traces.errors import InputError
from senn.traces.naming import counted
from senn.traces.pictures.style import (
    EXPOSED,
    GRID,
    INK,
    SMALL,
    applied,
    axes,
    boxes,
    cycles_axis,
    headed,
    mixed,
    of_run,
    phase_color,
    phase_entries,
    plain_frame,
    points_per_cycle,
)
from senn.traces.record import Trace
from senn.traces.run import Run

SPENT_COLORS = {
    "startup": mixed(EXPOSED, 0.0),
    "words": mixed(EXPOSED, 0.45),
    "hop": mixed(EXPOSED, -0.4),
    "queue": mixed("#882255", 0.0),
    "compute": mixed(INK, 0.0),
    "post": mixed(INK, 0.4),
    "receive": mixed(INK, 0.6),
}
"""What cycles of the path were spent on, as `analysis.critical_path` has it: warm is a message, grey work."""
_NODES = 1.8  # the height of the band in which the path goes from node to node; other rows are 1 apart
_ROW = 0.74


@applied()
def critical(run: Run, ax: Axes | None = None) -> Axes:
    """The chain of work and messages that the run had to go through, from cycle 0 to its makespan.

    On top, from which node to which its messages went, hop by hop (orange: between arrays). Below, which
    array the path was in (for a message, the array that sent it) and at which of the paper's steps, ticks
    where a level begins. Below that, a row for each thing that cycles were spent on, most first, with its
    share: every cycle is in one of these rows, at its place. InputError for a bare trace, which does not say
    the start-up of its machine, and for a run of less detail than "full".
    """
    if isinstance(run, Trace):
        raise InputError("critical: a trace does not say the start-up of its machine; draw the run it is of")
    trace, caption = of_run(run)
    path = run.path
    totals = analysis.path_totals(path)
    labels = sorted((name for name in totals if totals[name]), key=lambda name: -totals[name])
    arrays = trace.instructions["array"].unique().sort().to_list()
    rows = len(arrays) + len(labels)
    ax = axes(ax, 11.0, 1.9 + 0.42 * (rows + _NODES))
    cycles_axis(ax, analysis.makespan(trace))
    nodes = _walk(ax, trace, path)
    lanes = {array: -1.0 - index for index, array in enumerate(arrays)}
    _steps(ax, path, lanes)
    ticks = [(_NODES - 0.1 - y, text) for y, text in ((_NODES, f"node {nodes - 1}"), (0.0, "node 0"))][
        nodes < 2 :
    ]
    ticks += [(y + _ROW / 2, f"array {array}") for array, y in lanes.items()]
    whole = sum(totals.values())
    for index, label in enumerate(labels, start=1 + len(arrays)):
        y = -index - 0.3
        start, end = _merged([piece for piece in path if piece.label == label])
        ax.axhspan(y, y + _ROW, color=GRID, alpha=0.45, zorder=0, linewidth=0)
        boxes(ax, start, end, y, y + _ROW, facecolors=SPENT_COLORS[label], snap=False, zorder=2)
        ticks.append((y + _ROW / 2, f"{WORDS[label]}  {share(totals[label], whole)}"))
    ax.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    ax.set_ylim(-rows - 0.5, _NODES + 0.1)
    plain_frame(ax)
    headed(ax, _finding(path, totals, arrays), phase_entries({_phase(piece) for piece in path}), caption)
    return ax


def _phase(piece: Piece) -> str:
    return piece.step.split(".")[0]


def _walk(ax: Axes, trace: Trace, path: Sequence[Piece]) -> int:
    """A line for each hop of the path's messages; the number of nodes."""
    messages = list(dict.fromkeys(piece.message for piece in path if piece.message is not None))
    hops = trace.hops.filter(pl.col("message").is_in(messages))
    columns = (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    nodes = 1 + max(int(column.to_numpy().max(initial=0)) for column in columns)

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


def _steps(ax: Axes, path: Sequence[Piece], lanes: dict[int, float]) -> None:
    """Boxes in the colours of the steps, named where there is room; a line where the path changes arrays."""
    room = points_per_cycle(ax)
    for (array, part), together in groupby(path, key=lambda piece: (piece.array, _part(piece))):
        pieces = list(together)
        start, end, low = pieces[0].start, pieces[-1].end, lanes[array]
        color = phase_color(part.split(".")[0], 0.15)
        boxes(ax, start, end, low, low + _ROW, facecolors=color, edgecolors="white", linewidths=0.8, zorder=2)
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


def _part(piece: Piece) -> str:
    """ "I.b" of "I.b.5", "III" of "III.2"."""
    parts = piece.step.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 and parts[1][:1].isalpha() else parts[0]


def _merged(pieces: Sequence[Piece]) -> tuple[list[int], list[int]]:
    """Starts and ends, pieces that touch taken together."""
    start: list[int] = []
    end: list[int] = []
    for piece in pieces:
        if end and end[-1] == piece.start:
            end[-1] = piece.end
        else:
            start.append(piece.start)
            end.append(piece.end)
    return start, end


def _finding(path: Sequence[Piece], totals: dict[str, int], arrays: Sequence[int]) -> str:
    messages = len({piece.message for piece in path if piece.message is not None})
    chain = f"{counted(messages, 'message')} in a chain"
    title = f"Of the {sum(totals.values()):,} cycles: {spent_text(totals)}; {chain}"
    if len(arrays) < 2:
        return title
    turns = [after for before, after in pairwise(path) if before.array != after.array]
    if not turns:
        return f"{title}, all of array {path[0].array}" if path else title
    return f"{title}, which changes arrays {counted(len(turns), 'time')}, last at cycle {turns[-1].start:,}"
