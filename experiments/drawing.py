"""Figures of several pages: titles, axes of sizes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter


def titled(figure: Figure, text: str) -> None:
    """A finding above all panels."""
    figure.suptitle(text, x=0.01, ha="left", weight="bold", size=13)


def over_sizes(ax: Axes, label: str = "n", ticks: Sequence[int] = ()) -> None:
    """Sizes along x, by powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    if ticks:
        ax.set_xticks(ticks)
    ax.set_xlabel(label)
