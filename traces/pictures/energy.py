"""Time against energy of runs, and the frontier of those that no other run beats in both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from senn.base.errors import InputError
from senn.traces.facts import facts
from senn.traces.naming import joules
from senn.traces.parts import OTHER
from senn.traces.pictures import style
from senn.traces.run import Run


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
    ax.set_xscale("log")
    ax.set_yscale("log")
    parts = [re.split(": |, ", each.choices) for each in runs]
    shared = [part for part in parts[0] if all(part in others for others in parts)]
    entries = ax.plot(*zip(*best, strict=True), color=OTHER, linewidth=1.2, label="frontier")
    for k, (point, each) in enumerate(zip(points, parts, strict=True)):
        colour, marker = style.LOOKS[1 + k % (len(style.LOOKS) - 1)]
        label = ", ".join(part for part in each if part not in shared) or f"{point[0]:,.0f} {unit}"
        entries += ax.plot(*point, marker, color=colour, markersize=9, label=label)
    ax.set_xlim(min(times) / 2, max(times) * 2)
    ax.set_ylim(min(energies) / 2, max(energies) * 2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(style.plain_number)
    ax.yaxis.set_major_formatter(lambda y, _: re.sub(r"\.0+ ", " ", joules(round(y))))
    ax.grid()
    ax.set_xlabel(f"time ({unit})")
    ax.set_ylabel("energy")
    (fast, dear), (slow, cheap) = best[0], best[-1]
    title = f"{fast:,.0f} {unit} at {joules(dear)}"
    title += f", or {joules(cheap)} in {slow:,.0f} {unit}" if len(best) > 1 else ""
    style.headed(ax, title, entries, ", ".join(shared), columns=3)
    return ax
