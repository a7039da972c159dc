"""Pictures of allocations: who lives where, level by level, and what that costs."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from senn.traces.pictures.drawing import axes, boxes, plain_frame, written
from senn.traces.pictures.style import INK, PHASES, SERIES, SMALL, applied, mixed

_FIRST, _LAST = PHASES["II"], PHASES["I"]  # the colours of process 1 and of process n
_BAR = 0.66  # the longest bar of a column, which is 1 wide
_BEST, _OTHERS = SERIES[0], mixed(SERIES[0], 0.62)


@applied()
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
    ax = axes(ax, 1.2 + 0.45 * width, 0.6 + 0.4 * levels)
    for level, row in enumerate(rows):
        for node in range(width):
            processes = np.flatnonzero(row == node) + 1
            _cell(ax, node, level, processes.tolist(), n)
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(levels - 0.5, -0.5)
    ax.set_yticks(range(levels), ["home", *(f"level {level}" for level in range(1, levels))])
    ax.set_xticks(range(width))
    ax.set_xlabel("node")
    plain_frame(ax)
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(length=0)
    if caption:
        ax.set_title(written(caption))
    return ax


def _cell(ax: Axes, node: int, level: int, processes: list[int], n: int) -> None:
    color = np.ones(3)
    if processes:
        share = (np.mean(processes) - 1) / max(n - 1, 1)
        color = (1 - share) * np.array(mixed(_FIRST, 0.45)) + share * np.array(mixed(_LAST, 0.45))
    edges = (node - 0.46, node + 0.46, level - 0.42, level + 0.42)
    boxes(ax, *edges, facecolors=[color], edgecolors=INK, linewidths=0.6)
    text = " ".join(map(str, processes))
    ax.text(node, level, text, ha="center", va="center", color=INK, fontsize=SMALL)


SCORES: Mapping[str, str] = {
    "dilation": "dilation",
    "congestion_in_all": "congestion in all",
    "network_steps": "network steps",
    "makespan": "makespan",
}


@applied()
def scores(table: pl.DataFrame, ax: Axes | None = None, *, caption: str | None = None) -> Axes:
    """Scores of several allocations as a table: a column for each score, its numbers as bars from 0.

    ``table`` has a column ``allocation`` with their names and the columns of SCORES, a row for each. Bars are
    to be compared within their column; the least of each is dark.
    """
    ax = axes(ax, 11.0, 1.6 + 0.4 * table.height)
    row = np.arange(table.height)
    for k, name in enumerate(SCORES):
        numbers = table[name].to_numpy()
        bars = _BAR * numbers / max(int(numbers.max(initial=0)), 1)
        least = numbers == numbers.min(initial=int(numbers.max(initial=0)))
        for chosen, color in ((least, _BEST), (~least, _OTHERS)):
            ax.barh(row[chosen], bars[chosen], left=k, height=0.66, color=color)
        for where, bar, number, best in zip(
            row.tolist(), bars, numbers.tolist(), least.tolist(), strict=True
        ):
            weight = "bold" if best else "normal"
            ax.text(k + bar, where, f" {number:,}", va="center", fontsize=SMALL, color=INK, weight=weight)
    ax.set_yticks(row, [written(str(name), 40) for name in table["allocation"]])
    ax.set_ylim(table.height - 0.45, -0.55)
    ax.set_xticks(range(len(SCORES)), list(SCORES.values()), ha="left")
    ax.set_xlim(0, len(SCORES) - 0.05)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    plain_frame(ax)
    ax.spines["bottom"].set_visible(False)
    best = table.sort("makespan", maintain_order=True).row(0, named=True)
    said = f"{best['allocation']} has the least makespan: {best['makespan']:,} cycles".replace("\n", ", ")
    if caption:
        ax.set_xlabel(written(caption))
    ax.set_title(written(said), pad=12)
    return ax
