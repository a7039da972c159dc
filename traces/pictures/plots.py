"""Communication hidden and exposed by step, laws over a sweep, where on a map of machines it is hidden, and
time against energy.

Pictures of other modules are at hand here too: `plots.timeline`, `plots.comparison`, and so on.
"""

import re
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.facts import facts
from senn.traces.naming import joules
from senn.traces.parts import COLORS, OTHER
from senn.traces.pictures import style
from senn.traces.pictures.comparison import comparison
from senn.traces.pictures.phases import phases
from senn.traces.pictures.places import places
from senn.traces.pictures.style import EXPOSED, HIDDEN, INK, Entry
from senn.traces.pictures.timeline import timeline
from senn.traces.run import Run

__all__ = ["comparison", "overlap", "phases", "places", "scaling", "timeline"]

_ARRAYS = ((COLORS[0], "o"), (COLORS[1], "s"), (COLORS[3], "v"))  # colour and marker


@style.applied()
def overlap(run: Run, ax: Axes | None = None) -> Axes:
    """Bars per line of the paper that sends: the cycles in flight of its messages, exposed and hidden.

    ``analysis.by_line``, all levels together. Exposed: a control unit is stalled until
    the message arrives; hidden and overlapped: the control unit that reads the message executes an
    instruction; hidden beside: it does not. Lines whose messages take no cycle are left out.
    """
    table = analysis.by_line(run.flights)
    if not table.height:
        raise InputError("overlap: no message of this run is in flight; --kind timeline shows its engines")
    ax = style.axes(ax, 11.0, 1.9 + 0.26 * max(table.height, 4))
    rows = np.arange(table.height)
    looks: dict[str, tuple[str, Any]] = {
        "exposed": ("exposed", EXPOSED),
        "overlapped": ("hidden: the reader works", HIDDEN),
        "beside": ("hidden: the reader does not work", style.mixed(HIDDEN, 0.6)),
    }
    left = np.zeros(table.height)
    for kind, (_, color) in looks.items():
        ax.barh(rows, table[kind], left=left, height=0.74, facecolor=color)
        left = left + table[kind].to_numpy()
    style.cycles_axis(ax, int(left.max(initial=0)))
    sent = run.trace.messages.select(pl.col("source_array").alias("array"), analysis.line(), "value").unique()
    values = {key: group["value"].sort().to_list() for key, group in sent.group_by("array", "step")}
    names = []
    for array, line in table.select("array", "step").iter_rows():
        what = [style.written(value, 12) for value in values[array, line]]
        names.append(f"{line} sends {', '.join(what[:2])}{', …' if len(what) > 2 else ''}, array {array}")
    ax.set_yticks(rows, names)
    ax.set_ylim(max(table.height, 1) - 0.4, -0.6)
    ax.set_xlabel("cycles in flight, summed over messages of all levels")
    ax.grid(axis="x")
    style.plain_frame(ax)
    entries = [style.patch(name, facecolor=color) for name, color in looks.values()]
    cycles, exposed = int(table["cycles"].sum()), int(table["exposed"].sum())
    title = f"{style.percent(1 - exposed / cycles)} of the cycles in flight are hidden"
    if exposed:
        most = table.sort("exposed", descending=True, maintain_order=True).row(0, named=True)
        part = style.percent(most["exposed"] / exposed)
        title += f"; of those exposed {part} are of {most['step']}, array {most['array']}"
    style.headed(ax, title, entries, style.caption_of(run))
    return ax


@style.applied()
def scaling(table: pl.DataFrame, ax: Axes | None = None, *, caption: str | None = None) -> Axes:
    """Steps of a sweep against log2 n, and below them its cycles, with their exact laws in M.

    ``table`` has the columns n, levels (M), instructions_1, instructions_2, ... (one per array; arrays that
    issue the same are drawn once), network_steps, makespan; a row per run. The axes of the steps are
    returned; those of the makespan are made of the lower part of ``ax``, with the same x axis. A law, a line
    or a parabola, is drawn as a staircase, since M is log2 n rounded up, and the legend says for which n it
    is exact. Runs off their law are hollow. ``caption`` is a line above the legend.
    """
    ax = style.axes(ax, 9.6, 7.6)
    lower = _lower_part(ax)
    table = table.sort("n")
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in table.columns:
        if name.startswith("instructions_"):
            alike.setdefault(tuple(table[name].to_list()), []).append(name)
    drawn = []
    for look, names in zip(cycle(_ARRAYS), alike.values()):
        numbers = ", ".join(name.removeprefix("instructions_") for name in names)
        arrays = f"array {numbers}" if len(names) == 1 else f"arrays {numbers}, each"
        drawn.append(_law(ax, table, names[0], f"instructions, {arrays}", *look))
    drawn.append(_law(ax, table, "network_steps", "network steps", COLORS[2], "^"))
    drawn.append(_law(lower, table, "makespan", "makespan", EXPOSED, "D"))
    entries: list[Entry] = [entry for _, entry, _ in drawn]
    ax.set_ylabel("steps")
    ax.tick_params(axis="x", labelbottom=False)
    lower.set(xlabel="log2 n   (M: log2 n rounded up)", ylabel="cycles")
    lower.xaxis.set_major_locator(MaxNLocator(integer=True))
    for part in (ax, lower):
        part.set_ylim(bottom=0)
        part.yaxis.set_major_formatter("{x:,.0f}")
        part.grid()
    if hollow := tuple(off for *_, off in drawn if off):
        entries.append(hollow)
    # The title says which columns are exactly linear in M, and for which n.
    *steps, makespan = (None if law is None or law.square else law.where for law, *_ in drawn)
    where = f" for {steps[0]}" if steps[0] and len({*steps}) == 1 else ""
    some = ("Steps" if all(steps) else "Some steps") if any(steps) else "No steps"
    last = f"the makespan {f'for {makespan}' if makespan else 'is not'}"
    style.headed(ax, f"{some} are exactly linear in M{where}; {last}", entries, caption, columns=2)
    return ax


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
    ax: Axes, table: pl.DataFrame, column: str, label: str, color: str, marker: str
) -> tuple[analysis.Law | None, Line2D, Line2D | None]:
    """Draw the points of one column and its law: the law, its legend entry, and that of what is off it."""
    n, levels, values = (table[name].to_list() for name in ("n", "levels", column))
    law = analysis.exact_law(n, levels, values)
    rows = zip(n, levels, values, strict=True)
    lie = pl.Series([law is None or (size >= law.start and law.at(m) == y) for size, m, y in rows])
    on, apart = table.filter(lie), table.filter(~lie)
    if law is not None:
        least = min(on["levels"])
        stairs = range(least - 1, max(levels) + 1)
        ax.step(
            stairs, [float(law.at(max(x, least))) for x in stairs], where="pre", color=color, linewidth=1.2
        )
    look: dict[str, Any] = {"marker": marker, "color": color, "markersize": 5.5}
    ax.plot(np.log2(on["n"].to_numpy()), on[column], linestyle="none", **look)
    ax.plot(np.log2(apart["n"].to_numpy()), apart[column], linestyle="none", fillstyle="none", **look)
    text = f"{law} ({law.where})" if law else "no law in M"
    entry = Line2D([], [], linestyle="-" if law else "none", label=f"{label}: {text}", **look)
    hollow = Line2D([], [], linestyle="none", fillstyle="none", label="off the law", **look)
    return law, entry, hollow if apart.height else None


_LOST = LinearSegmentedColormap.from_list("lost", ["#FFFFFF", "#F6D39A", "#E69F00", "#D55E00", "#6B1500"])


@style.applied()
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
    ax = style.axes(ax, 8.6, 5.4)
    words = np.unique(table["word"].to_numpy())
    startups = np.unique(table["startup"].to_numpy())
    lost = table.sort("startup", "word")["lost"].to_numpy().reshape(len(startups), len(words))
    mesh = ax.pcolormesh(
        1 / words, startups, lost, cmap=_LOST, vmin=0, vmax=1, shading="gouraud", rasterized=True
    )
    ax.set(xscale="log", yscale="log")
    ax.set(xlim=(1 / words.max(), 1 / words.min()), ylim=(startups.min(), startups.max()))
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
        look = {"marker": "o", "markersize": 9, "color": INK, "markeredgecolor": "white", "linestyle": ""}
        ax.plot([1 / word], [startup], **look)  # type: ignore[arg-type]
        entries.append(Line2D([], [], label=name, **look))  # type: ignore[arg-type]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_formatter(NullFormatter())
    ax.set(xlabel="bandwidth of a channel (words per cycle)", ylabel="start-up (cycles)")
    label = "of the run lost to the network"
    style.colour_bar(ax, mesh, label, pad=0.02, format=lambda share, _: f"{100 * share:.0f} %")
    style.headed(ax, _cost_finding(table, there, within), entries, caption)
    return ax


def _cost_finding(table: pl.DataFrame, there: pl.DataFrame, within: float) -> str:
    """From what is drawn: how far the part below the break-even goes."""
    if not table["lost"].to_numpy().any():
        return "No machine of this map loses a cycle to its network"
    seen = there.filter(pl.col("startup") >= table["startup"].to_numpy().min())
    if not seen.height:
        return f"Everywhere on this map the network costs more than {100 * within:g} %"
    highest, slowest = seen["startup"].to_numpy().max(), there["word"].to_numpy().max()
    return (
        f"The network costs at most {100 * within:g} % only below start-ups of {highest:,.2g} cycles "
        f"and above {1 / slowest:,.2g} words per cycle"
    )


@style.applied()
def energy(run: Run, ax: Axes | None = None, beside: Sequence[Run] = ()) -> Axes:
    """Time against energy of a run and of others `beside` it, on logarithmic axes, each by its choices.

    The frontier joins the runs that no other beats in one without being worse in the other. Time is in
    cycles, or in microseconds where clocks differ. InputError for a run without energies, or of less detail
    than full.
    """
    runs = [facts(each) for each in (run, *beside)]
    energies = [int(each.energy["femtojoules"].sum()) for each in (run, *beside)]
    unit = "us" if len({each.clock for each in runs}) > 1 else "cycles"
    times = [each.microseconds if unit == "us" else each.makespan for each in runs]
    points = list(zip(times, energies, strict=True))
    if not all(map(all, points)):
        raise InputError("energy: a run that takes no time or no energy has no place on logarithmic axes")
    best = [
        (time, energy)
        for time, energy in sorted(set(points))
        if not any(x <= time and y <= energy and (x, y) != (time, energy) for x, y in points)
    ]
    ax = style.axes(ax, 8.0, 5.2)
    ax.set(xscale="log", yscale="log")
    parts = [re.split(": |, ", each.choices) for each in runs]
    shared = [part for part in parts[0] if all(part in others for others in parts)]
    entries = ax.plot(*zip(*best, strict=True), color=OTHER, linewidth=1.2, label="frontier")
    for k, (point, each) in enumerate(zip(points, parts, strict=True)):
        colour, marker = style.LOOKS[1 + k % (len(style.LOOKS) - 1)]
        label = ", ".join(part for part in each if part not in shared) or f"{point[0]:,.0f} {unit}"
        entries += ax.plot(*point, marker, color=colour, markersize=9, label=label)
    ax.set(xlim=(min(times) / 2, max(times) * 2), ylim=(min(energies) / 2, max(energies) * 2))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(style.plain_number)
    ax.yaxis.set_major_formatter(lambda y, _: re.sub(r"\.0+ ", " ", joules(round(y))))
    ax.grid()
    ax.set(xlabel=f"time ({unit})", ylabel="energy")
    (fast, dear), (slow, cheap) = best[0], best[-1]
    title = f"{fast:,.0f} {unit} at {joules(dear)}"
    title += f", or {joules(cheap)} in {slow:,.0f} {unit}" if len(best) > 1 else ""
    style.headed(ax, title, entries, ", ".join(shared), columns=3)
    return ax
