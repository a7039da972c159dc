"""Pictures of allocations: who lives where, level by level, and what that costs."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

from senn.traces.pictures.drawing import axes, boxes, headed, patch, plain_frame, written
from senn.traces.pictures.style import INK, PHASES, SMALL, applied, mixed

_FIRST, _LAST = PHASES["II"], PHASES["I"]  # the colours of process 1 and of process n
_COLORS = (PHASES["II"], PHASES["III"], PHASES["I"], PHASES["IV"])


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
    """Scores of several allocations as bars, each as a multiple of that of the first, with its number.

    ``table`` has a column ``allocation`` with their names and the columns of SCORES, a row for each.
    """
    ax = axes(ax, 8.6, 1.0 + 0.16 * (len(SCORES) + 1) * table.height)
    row = np.arange(table.height)
    height = 0.8 / len(SCORES)
    for k, name in enumerate(SCORES):
        numbers = table[name].to_numpy()
        multiples = numbers / max(int(numbers[0]), 1)
        at = row + (k - (len(SCORES) - 1) / 2) * height
        ax.barh(at, multiples, height=0.9 * height, color=_COLORS[k])
        for where, multiple, number in zip(at, multiples, numbers.tolist(), strict=True):
            ax.text(multiple, where, f" {number:,}", va="center", fontsize=SMALL, color=INK)
    ax.set_yticks(row, [written(str(name), 40) for name in table["allocation"]])
    ax.set_ylim(table.height - 0.45, -0.55)
    first = str(table["allocation"][0]).replace("\n", ", ")
    ax.set_xlabel(written(f"times that of {first}"))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.axvline(1.0, color=INK, linewidth=0.6)
    plain_frame(ax)
    entries = [patch(text, facecolor=color) for text, color in zip(SCORES.values(), _COLORS, strict=True)]
    best = table.sort("makespan", maintain_order=True).row(0, named=True)
    said = f"{best['allocation']} has the least makespan: {best['makespan']:,} cycles".replace("\n", ", ")
    headed(ax, said, entries, caption)
    return ax
