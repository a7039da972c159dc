"""Where communication is hidden: the share of the run that is lost to it, over bandwidth and start-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from senn.traces.pictures.drawing import axes, headed
from senn.traces.pictures.style import INK, applied

if TYPE_CHECKING:
    from senn.traces.pictures.drawing import Entry

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
    headed(ax, _finding(table, there), entries, caption)
    return ax


def _finding(table: pl.DataFrame, there: pl.DataFrame) -> str:
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
