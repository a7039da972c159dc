"""Communication hidden and exposed by step, laws over a sweep, and where on a map of machines it is hidden.

Pictures of other modules are at hand here too: `plots.timeline`, `plots.comparison`, and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from senn.traces import analysis
from senn.traces.pictures.comparison import comparison
from senn.traces.pictures.phases import phases
from senn.traces.pictures.places import places, scores, search
from senn.traces.pictures.style import (
    EXPOSED,
    HIDDEN,
    INK,
    PHASES,
    SMALL,
    WAIT,
    Entry,
    applied,
    axes,
    cycles_axis,
    hatched,
    headed,
    of_run,
    patch,
    percent,
    plain_frame,
    written,
)
from senn.traces.pictures.timeline import timeline
from senn.traces.record import Trace
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
    ax = axes(ax, 11.0, 1.9 + 0.26 * max(table.height, 4))
    rows = np.arange(table.height)
    looks: dict[str, dict[str, Any]] = {
        "hidden under computing": {"facecolor": HIDDEN},
        "exposed": {"facecolor": EXPOSED},
        "not yet posted (dependency wait)": hatched(WAIT),
    }
    left = np.zeros(table.height)
    for kind, look in zip(kinds, looks.values(), strict=True):
        ax.barh(rows, table[kind], left=left, height=0.74, **look)
        left = left + table[kind].to_numpy()
    under_way = int((table["hidden_array"] + table["exposed"]).to_numpy().max(initial=0))
    longest = int(left.max(initial=0))
    cut = longest > _LONG * under_way > 0
    cycles_axis(ax, int(1.3 * under_way) if cut else longest)
    for row, total in enumerate(left.tolist()):
        if total > ax.get_xlim()[1]:  # waits for the other array: as long as they like, and no communication
            place: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": SMALL, "color": INK}
            ax.text(ax.get_xlim()[1], row, f"{total:,.0f} → ", **place)
    ax.set_yticks(rows, _lines(trace, table))
    ax.set_ylim(max(table.height, 1) - 0.4, -0.6)
    ax.set_xlabel("cycles of the array, all levels together")
    ax.grid(axis="x")
    plain_frame(ax)
    entries = [patch(name, **look) for name, look in looks.items()]
    headed(ax, _hidden(table), entries, caption)
    return ax


_LONG = 2
"""Dependency waits that make a bar so many times as long as any communication are cut, and say how long."""


def _hidden(table: pl.DataFrame) -> str:
    """How much of the communication is hidden, and which line exposes most."""
    hidden, exposed = int(table["hidden_array"].sum()), int(table["exposed"].sum())
    if not hidden + exposed:
        return "No array communicates"
    title = f"{percent(hidden / (hidden + exposed))} of communication is hidden"
    most = table.sort("exposed", maintain_order=True).row(-1, named=True)
    part = percent(most["exposed"] / exposed) if exposed else ""
    return f"{title}; {part} of the exposed cycles precede {most['step']}" if exposed else title


def _lines(trace: Trace, table: pl.DataFrame) -> list[str]:
    """The lines of the paper, with their array and what each waits for, the longest first."""
    waited: dict[tuple[int, str], list[str]] = {}
    if trace.detail == "full":
        step = pl.col("step").str.split(".").list.head(3).list.join(".")
        values_of = trace.messages.select(pl.col("id").alias("released_by"), "value")
        stalls = trace.instructions.filter(pl.col("stall") > 0).join(values_of, on="released_by", how="inner")
        values = stalls.group_by("array", step, "value", maintain_order=True).agg(pl.col("stall").sum())
        for array, line, value, _ in values.sort("stall", descending=True, maintain_order=True).iter_rows():
            waited.setdefault((array, line), []).append(written(value, 12))
    names = []
    for array, line in table.select("array", "step").iter_rows():
        what = waited.get((array, line), [])
        for_what = f" waits for {', '.join(what[:2])}{', …' if len(what) > 2 else ''}," if what else ","
        names.append(f"{line}{for_what} array {array}")
    return names


@applied()
def scaling(
    table: pl.DataFrame,
    ax: Axes | None = None,
    *,
    fitted_from: int = 3,
    serial: Mapping[int, int] | None = None,
    caption: str | None = None,
) -> Axes:
    """Steps of a sweep against log2 n, and below them its cycles, with the laws a M + b that hold.

    ``table`` has the columns n, levels (M), instructions_1, instructions_2, ... (one per array; arrays that
    issue the same are drawn once), network_steps, makespan; a row per run. The axes of the steps are
    returned; those of the makespan are made of the lower part of ``ax``, with the same x axis. A law is drawn
    where it holds exactly, from the first n on, as a staircase, since M is log2 n rounded up. Where it never
    does, the legend says how far the best line is off and at which n the line through the first two levels
    is left. Runs below ``fitted_from``, whose programs lack steps, and below the first n of a law are hollow.
    ``serial``, cycles of the best serial solution by n, is drawn beside the makespan. ``caption`` is a line
    above the legend. At least two different numbers of levels are needed (InputError).
    """
    ax = axes(ax, 9.6, 7.6)
    lower = _lower_part(ax)
    table = table.sort("n")
    places = [(ax, *series) for series in _series(table)]
    places.append((lower, "makespan", "makespan", EXPOSED, "D"))
    laws = [_law(place, table, fitted_from, *series) for place, *series in places]
    entries: list[Entry] = [law.entry for law in laws]
    ax.set_ylabel("steps")
    ax.tick_params(axis="x", labelbottom=False)
    lower.set_ylabel("cycles")
    lower.set_xlabel("log2 n   (M: log2 n rounded up)")
    lower.xaxis.set_major_locator(MaxNLocator(integer=True))
    for part in (ax, lower):
        part.set_ylim(bottom=0)
        part.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        part.grid()
    if serial:
        entries.append(_serial(lower, serial))
    if hollow := tuple(law.hollow for law in laws if law.hollow):
        entries.append(hollow)
    headed(ax, _growth(table, laws, serial or {}), entries, caption, columns=2)
    return ax


@dataclass(frozen=True)
class _Drawn:
    """One column of a sweep as it was drawn; ``start`` is the n from which on its law holds, if it does."""

    entry: Line2D
    start: int | None
    hollow: Line2D | None


def _growth(table: pl.DataFrame, laws: Sequence[_Drawn], serial: Mapping[int, int]) -> str:
    """Title: the columns that are exactly linear in log2 n, and the time of one node at the last n."""
    exact = [law.start for law in laws if law.start is not None]
    if len(exact) == len(laws):
        title = f"From n = {max(exact):,} on steps and makespan are exactly linear in log2 n"
    elif laws[-1].start is not None or not exact:
        title = f"{len(exact)} of {len(laws)} laws in log2 n are exact"
    else:
        all_steps = len(exact) == len(laws) - 1
        title = f"{'Steps' if all_steps else 'Some steps'} are exactly linear in log2 n, the makespan is not"
    last = table.row(-1, named=True)
    if last["n"] in serial:
        times = serial[last["n"]] / max(last["makespan"], 1)
        title += f"; at n = {last['n']:,} one node takes {times:.2g} times as long"
    return title


def _serial(ax: Axes, serial: Mapping[int, int]) -> Line2D:
    """The line of one node as far as there is room for it, and what it comes to where there is none."""
    style: dict[str, Any] = {"color": INK, "linestyle": "--"}
    top = 1.25 * ax.get_ylim()[1]
    sizes = sorted(serial)
    ax.plot(np.log2(sizes), [serial[n] for n in sizes], **style)
    ax.set_ylim(0, top)
    if serial[sizes[-1]] > top:
        last = next(np.log2(n) for n in sizes if serial[n] > top)
        place: dict[str, Any] = {"xytext": (8, -4), "textcoords": "offset points", "ha": "left", "va": "top"}
        text = f"{serial[sizes[-1]]:,}\nat n = {sizes[-1]:,}"
        ax.annotate(text, (last, top), color=INK, fontsize=SMALL, **place)
    return Line2D([], [], label="best serial solution on one node", **style)


def _series(table: pl.DataFrame) -> list[tuple[str, str, str, str]]:
    """Column, label, colour and marker of what is counted in steps."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in table.columns:
        if name.startswith("instructions_"):
            alike.setdefault(tuple(table[name].to_list()), []).append(name)
    series = []
    for (color, marker), names in zip(cycle(_ARRAYS), alike.values()):
        numbers = [name.removeprefix("instructions_") for name in names]
        arrays = f"array {numbers[0]}" if len(numbers) == 1 else f"arrays {', '.join(numbers)}, each"
        series.append((names[0], f"instructions, {arrays}", color, marker))
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
) -> _Drawn:
    """Draw the points of one column, and its law as far as it holds; the legend entry that says which."""
    fitted = table.filter(pl.col("n") >= fitted_from)
    levels, values = fitted["levels"].to_list(), fitted[column].to_list()
    begins = analysis.holds_from(levels, values)
    start = None if begins is None else fitted["n"][begins]
    if begins is not None:
        levels, law = levels[begins:], analysis.fit(levels[begins:], values[begins:])
        stairs = range(min(levels) - 1, max(levels) + 1)
        heights = [float(law.a * max(stair, min(levels)) + law.b) for stair in stairs]
        ax.step(stairs, heights, where="pre", color=color, linewidth=1.2)
        text = f"{law} (exact{f' from n = {start} on' if begins else ''})"
    else:
        law, broken = analysis.fit(levels, values), analysis.first_break(levels, values)
        off = f"{float(law.residual):,.0f}" if law.residual >= 10 else f"{float(law.residual):.2g}"
        text = f"not linear (up to ±{off} off, first at n = {fitted['n'][broken or 0]})"
    on = table.filter(pl.col("n") >= (fitted_from if start is None else start))
    apart = table.filter(pl.col("n") < on["n"].min())
    style: dict[str, Any] = {"marker": marker, "color": color, "markersize": 5.5}
    ax.plot(np.log2(on["n"].to_numpy()), on[column], linestyle="none", **style)
    ax.plot(np.log2(apart["n"].to_numpy()), apart[column], linestyle="none", fillstyle="none", **style)
    entry = Line2D([], [], linestyle="-" if begins is not None else "none", label=f"{label}: {text}", **style)
    hollow = Line2D([], [], linestyle="none", fillstyle="none", label="before the law", **style)
    return _Drawn(entry, start, hollow if apart.height else None)


_LOST = LinearSegmentedColormap.from_list("lost", ["#FFFFFF", "#F6D39A", "#E69F00", "#D55E00", "#6B1500"])


@applied()
def hidden(
    table: pl.DataFrame,
    curve: pl.DataFrame,
    here: tuple[float, float],
    within: float,
    ax: Axes | None = None,
    *,
    name: str = "this machine",
    caption: str | None = None,
) -> Axes:
    """Bandwidth to the right, in words per cycle, start-up upwards, in cycles; the darker, the more is lost.

    ``table`` has startup, word (cycles) and lost, the share of the makespan, for every pair of some start-ups
    and word times; ``curve`` the start-up up to which communication costs at most the share ``within``, by
    word time. ``here`` is the start-up and word time of the machine called ``name``, a
    dot if it is on the map.
    """
    ax = axes(ax, 8.6, 5.4)
    words = np.unique(table["word"].to_numpy())
    startups = np.unique(table["startup"].to_numpy())
    lost = table.sort("startup", "word")["lost"].to_numpy().reshape(len(startups), len(words))
    mesh = ax.pcolormesh(
        1 / words, startups, lost, cmap=_LOST, vmin=0, vmax=1, shading="gouraud", rasterized=True
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1 / words.max(), 1 / words.min())
    ax.set_ylim(startups.min(), startups.max())
    entries: list[Entry] = []
    there = curve.drop_nulls()
    if there.height:
        x, y = 1 / there["word"].to_numpy(), there["startup"].to_numpy()
        ax.plot(x, np.maximum(y, startups.min() / 10), color=INK, linewidth=2.2)
        label = f"break-even: the network costs {100 * within:g} %"
        entries.append(Line2D([], [], color=INK, linewidth=2.2, label=label))
    half = ax.contour(1 / words, startups, lost, levels=[0.5], colors=[INK], linewidths=1.2, linestyles="--")
    if any(len(part) for part in half.allsegs[0]):
        entries.append(
            Line2D([], [], color=INK, linewidth=1.2, linestyle="--", label="half of the run is lost")
        )
    startup, word = here
    if word and startups.min() <= startup <= startups.max() and words.min() <= word <= words.max():
        style = {"marker": "o", "markersize": 9, "color": INK, "markeredgecolor": "white", "linestyle": ""}
        ax.plot([1 / word], [startup], **style)  # type: ignore[arg-type]
        entries.append(Line2D([], [], label=name, **style))  # type: ignore[arg-type]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("bandwidth of a channel (words per cycle)")
    ax.set_ylabel("start-up (cycles)")
    assert ax.figure is not None
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, aspect=30, format=lambda share, _: f"{100 * share:.0f} %")
    bar.set_label("of the run lost to the network")
    bar.outline.set_visible(False)
    headed(ax, _hidden_finding(table, there), entries, caption)
    return ax


def _hidden_finding(table: pl.DataFrame, there: pl.DataFrame) -> str:
    """From what is drawn: how far the hidden part of the map goes."""
    if not table["lost"].to_numpy().any():
        return "No machine of this map loses a cycle to its network"
    seen = there.filter(pl.col("startup") >= table["startup"].to_numpy().min())
    if not seen.height:
        return "Nowhere on this map is communication hidden"
    highest, slowest = seen["startup"].to_numpy().max(), there["word"].to_numpy().max()
    return (
        f"Communication is hidden only below start-ups of {highest:,.2g} cycles "
        f"and above {1 / slowest:,.2g} words per cycle"
    )
