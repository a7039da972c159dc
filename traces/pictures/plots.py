"""Pictures of runs. Each takes axes or makes its own, returns them, and shows only what analyses return."""

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from senn.traces import analysis
from senn.traces.pictures.bars_and_lines import comparison
from senn.traces.pictures.drawing import axes, cycles_axis, headed, of_run, patch, percent, plain_frame
from senn.traces.pictures.phases import phases
from senn.traces.pictures.places import places, scores
from senn.traces.pictures.search import search
from senn.traces.pictures.style import EXPOSED, HIDDEN, PHASES, WAIT, applied, hatched
from senn.traces.pictures.timeline import timeline
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

__all__ = ["comparison", "overlap", "phases", "places", "scaling", "scores", "search", "timeline"]

_ARRAYS = ((PHASES["I"], "o"), (PHASES["II"], "s"), (PHASES["IV"], "v"))  # colour and marker


@applied()
def overlap(run: "Run | Trace", ax: Axes | None = None) -> Axes:
    """Bars per line of the paper, in cycles: communication hidden, exposed, and dependency waits.

    Hidden are cycles of the step in which a DMA of its array is busy (``hidden_array`` of
    ``analysis.overlap_by_step`` at depth 3), summed over levels. Lines that hide and wait for nothing are
    left out. InputError where every node issues by itself: there, no array waits.
    """
    trace, caption = of_run(run)
    analysis.refuse_per_node(trace, "the picture of overlap")
    kinds = ("hidden_array", "exposed", "dependency_wait")
    table = analysis.overlap_by_step(trace, depth=3).filter(pl.sum_horizontal(kinds) > 0)
    ax = axes(ax, 8.5, 1.3 + 0.24 * max(table.height, 2))
    rows = np.arange(table.height)
    left = np.zeros(table.height)
    looks: dict[str, dict[str, Any]] = {
        "hidden under computing": {"facecolor": HIDDEN},
        "exposed": {"facecolor": EXPOSED},
        "dependency wait": hatched(WAIT),
    }
    for kind, look in zip(kinds, looks.values(), strict=True):
        ax.barh(rows, table[kind], left=left, height=0.74, **look)
        left = left + table[kind].to_numpy()
    ax.set_yticks(
        rows, [f"{step}   array {array}" for array, step in zip(table["array"], table["step"], strict=True)]
    )
    ax.set_ylim(max(table.height, 1) - 0.4, -0.6)
    cycles_axis(ax, int(left.max(initial=0)))
    ax.set_xlabel("cycles of the array, all levels together")
    ax.grid(axis="x")
    plain_frame(ax)
    entries = [patch(name, **look) for name, look in looks.items()]
    hidden, exposed = int(table["hidden_array"].sum()), int(table["exposed"].sum())
    said = (
        f"{percent(hidden / (hidden + exposed))} of communication is hidden"
        if hidden + exposed
        else "No array communicates"
    )
    headed(ax, said, entries, caption)
    return ax


@applied()
def scaling(
    table: pl.DataFrame, ax: Axes | None = None, *, fitted_from: int = 3, caption: str | None = None
) -> Axes:
    """Steps of a sweep against log2 n, and below them its cycles, with the laws a M + b that hold.

    ``table`` has the columns n, levels (M), instructions_1, instructions_2, ... (one per array; arrays that
    issue the same are drawn once), network_steps, makespan; a row per run. The axes of the steps are
    returned; those of the makespan are made of the lower part of ``ax``, with the same x axis. A law is drawn
    where it holds exactly, as a staircase, since M is log2 n rounded up. Where it does not, the legend says
    how far the best line is off and at which n the line through the first two levels is left. Runs below
    ``fitted_from`` are drawn hollow and not fitted: their programs lack steps. ``caption`` is a line above
    the legend. At least two different numbers of levels are needed (InputError).
    """
    ax = axes(ax, 8.6, 6.6)
    lower = _lower_part(ax)
    table = table.sort("n")
    entries = [_law(ax, table, fitted_from, *series) for series in _series(table)]
    entries.append(_law(lower, table, fitted_from, "makespan", "makespan (cycles)", EXPOSED, "D"))
    ax.set_ylabel("steps")
    ax.tick_params(axis="x", labelbottom=False)
    lower.set_ylabel("makespan (cycles)")
    hollow = "; hollow: not fitted" if (table["n"] < fitted_from).any() else ""
    lower.set_xlabel(f"log2 n   (lines: the law, M is log2 n rounded up{hollow})")
    lower.xaxis.set_major_locator(MaxNLocator(integer=True))
    for one in (ax, lower):
        one.set_ylim(bottom=0)
        one.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        one.grid()
    headed(ax, "Steps and cycles against log2 n", entries, caption, columns=2)
    return ax


def _series(table: pl.DataFrame) -> list[tuple[str, str, str, str]]:
    """Column, label, colour and marker of what is counted in steps."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in table.columns:
        if name.startswith("instructions_"):
            alike.setdefault(tuple(table[name].to_list()), []).append(name)
    series = []
    for (color, marker), names in zip(cycle(_ARRAYS), alike.values()):
        numbers = [name.removeprefix("instructions_") for name in names]
        said = f"array {numbers[0]}" if len(numbers) == 1 else f"arrays {', '.join(numbers)}, each"
        series.append((names[0], f"instructions, {said}", color, marker))
    return [*series, ("network_steps", "network steps", PHASES["III"], "^")]


def _lower_part(ax: Axes) -> Axes:
    """New axes in the lower two fifths of the place of these, which keep the rest."""
    figure, place = ax.get_figure(), ax.get_subplotspec()
    assert figure is not None
    if place is not None:
        parts = place.subgridspec(2, 1, height_ratios=(3, 2))
        ax.set_subplotspec(parts[0])
        return figure.add_subplot(parts[1], sharex=ax)
    left, bottom, width, height = ax.get_position().bounds
    ax.set_position((left, bottom + 0.45 * height, width, 0.55 * height))
    return figure.add_axes((left, bottom, width, 0.4 * height), sharex=ax)


def _law(
    ax: Axes, table: pl.DataFrame, fitted_from: int, column: str, label: str, color: str, marker: str
) -> Line2D:
    """Draw the points of one column, and its law if it holds; the legend entry that says which."""
    fitted, apart = table.filter(pl.col("n") >= fitted_from), table.filter(pl.col("n") < fitted_from)
    levels, values = fitted["levels"].to_list(), fitted[column].to_list()
    law, broken = analysis.fit(levels, values), analysis.first_break(levels, values)
    if broken is None:
        stairs = range(min(levels) - 1, max(levels) + 1)
        heights = [float(law.a * max(stair, min(levels)) + law.b) for stair in stairs]
        ax.step(stairs, heights, where="pre", color=color, linewidth=1.0)
        said = f"{law} (exact)"
    else:
        off = f"{float(law.residual):,.0f}" if law.residual >= 10 else f"{float(law.residual):.2g}"
        said = f"not linear (up to ±{off} off, first at n = {fitted['n'][broken]})"
    style: dict[str, Any] = {"marker": marker, "color": color, "markersize": 5}
    ax.plot(np.log2(fitted["n"].to_numpy()), values, linestyle="none", **style)
    ax.plot(np.log2(apart["n"].to_numpy()), apart[column], linestyle="none", fillstyle="none", **style)
    return Line2D([], [], linestyle="-" if broken is None else "none", label=f"{label}: {said}", **style)
