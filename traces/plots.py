"""Pictures of runs. Each takes axes or makes its own, returns them, and shows only what analyses return."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from senn.traces import analysis
from senn.traces.drawing import (
    EXPOSED,
    HIDDEN,
    PHASES,
    WAIT,
    axes,
    cycles_axis,
    legend_above,
    mixed,
    patch,
    plain_frame,
)
from senn.traces.phases import phases
from senn.traces.timeline import timeline
from senn.traces.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

__all__ = ["overlap", "phases", "scaling", "timeline"]

_GRID = "#E6E6E6"
_SERIES = (
    # column, label, colour, marker
    ("instructions_1", "instructions, array 1", PHASES["I"], "o"),
    ("instructions_2", "instructions, array 2", PHASES["II"], "s"),
    ("network_steps", "network steps", PHASES["III"], "^"),
)


def overlap(run: "Run | Trace", ax: Axes | None = None) -> Axes:
    """Bars per line of the paper, in cycles: communication hidden, exposed, and dependency waits.

    Hidden are cycles of the step in which a DMA of its array is busy (``hidden_array`` of
    ``analysis.overlap_by_step`` at depth 3), summed over levels. Lines that hide and wait for nothing are
    left out.
    """
    trace = run if isinstance(run, Trace) else run.trace
    kinds = ("hidden_array", "exposed", "dependency_wait")
    table = analysis.overlap_by_step(trace, depth=3).filter(pl.sum_horizontal(kinds) > 0)
    ax = axes(ax, 8.5, 1.3 + 0.24 * max(table.height, 2))
    rows = np.arange(table.height)
    left = np.zeros(table.height)
    wait: dict[str, Any] = {"edgecolor": WAIT, "hatch": "/////", "linewidth": 0}
    colors = (HIDDEN, EXPOSED, mixed(WAIT, 0.6))
    for kind, color in zip(kinds, colors, strict=True):
        style = wait if kind == "dependency_wait" else {}
        ax.barh(rows, table[kind], left=left, height=0.74, color=color, **style)
        left = left + table[kind].to_numpy()
    ax.set_yticks(
        rows, [f"{step}   array {array}" for array, step in zip(table["array"], table["step"], strict=True)]
    )
    ax.set_ylim(max(table.height, 1) - 0.4, -0.6)
    cycles_axis(ax, int(left.max(initial=0)))
    ax.set_xlabel("cycles of the array, all levels together")
    ax.grid(axis="x", color=_GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    plain_frame(ax)
    names = ("hidden under computing", "exposed", "dependency wait")
    entries = [patch(name, facecolor=color) for name, color in zip(names[:2], colors[:2], strict=True)]
    legend_above(ax, [*entries, patch(names[2], facecolor=colors[2], **wait)], columns=3)
    return ax


def scaling(table: pl.DataFrame, ax: Axes | None = None, *, fitted_from: int = 3) -> Axes:
    """Steps (left axis) and cycles (right axis) of a sweep against log2 n, with the fitted laws a M + b.

    ``table`` has the columns n, levels (M), instructions_1, instructions_2, network_steps, makespan; a row
    per run. Runs below ``fitted_from`` are drawn hollow and not fitted: their programs lack steps. A law is
    a staircase, since M is log2 n rounded up. The legend gives each law, and says whether it holds exactly
    or, drawn dashed, how far a run is off it and which n is the first off the line through the first two
    levels. At least two different numbers of levels are needed (InputError).
    """
    ax = axes(ax, 8.6, 4.6)
    table = table.sort("n")
    cycles = ax.twinx()
    entries = [_law(ax, table, fitted_from, *series) for series in _SERIES]
    entries.append(_law(cycles, table, fitted_from, "makespan", "makespan (cycles)", EXPOSED, "D"))
    ax.set_xlabel("log2 n   (M: log2 n rounded up; hollow: not fitted)")
    ax.set_ylabel("steps")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    cycles.set_ylabel("makespan (cycles)", color=EXPOSED)
    cycles.tick_params(axis="y", colors=EXPOSED)
    for side in (ax, cycles):
        side.set_ylim(bottom=0)
        side.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        side.spines["top"].set_visible(False)
    ax.grid(color=_GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    legend_above(ax, entries, columns=2)
    return ax


def _law(
    ax: Axes, table: pl.DataFrame, fitted_from: int, column: str, label: str, color: str, marker: str
) -> Line2D:
    """Draw the points and the law of one column; the legend entry that says it."""
    fitted, apart = table.filter(pl.col("n") >= fitted_from), table.filter(pl.col("n") < fitted_from)
    levels, values = fitted["levels"].to_list(), fitted[column].to_list()
    law, broken = analysis.fit(levels, values), analysis.first_break(levels, values)
    style: Literal["-", "--"] = "-" if broken is None else "--"
    stairs = range(min(levels) - 1, max(levels) + 1)
    heights = [float(law.a * max(stair, min(levels)) + law.b) for stair in stairs]
    ax.step(stairs, heights, where="pre", linestyle=style, color=color, linewidth=1.0)
    ax.plot(np.log2(fitted["n"].to_numpy()), values, marker, color=color, markersize=5)
    ax.plot(
        np.log2(apart["n"].to_numpy()), apart[column], marker, color=color, markersize=5, fillstyle="none"
    )
    off = (
        "exact" if broken is None else f"±{float(law.residual):,.3g}, first off at n = {fitted['n'][broken]}"
    )
    return Line2D([], [], color=color, marker=marker, linestyle=style, label=f"{label}: {law} ({off})")
