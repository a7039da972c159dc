"""Bars of makespans, a panel for each size or machine, beside the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from senn.traces.pictures.style import INK

__all__ = ["INK", "panels"]


def panels(rows: Sequence[str], titles: Sequence[str], finding: str) -> tuple[Figure, list[Axes]]:
    """Axes side by side that share a bar for each row, and above them what they show."""
    figure, axes = pyplot.subplots(
        1,
        len(titles),
        figsize=(12.0, 1.6 + 0.3 * len(rows)),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    figure.suptitle(finding, x=0.01, ha="left", weight="bold", size=13)
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize="medium", weight="normal")
        ax.set_xlabel("makespan (cycles)")
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.tick_params(axis="y", length=0)
    axes[0][0].set_yticks(range(len(rows)), list(rows))
    axes[0][0].invert_yaxis()
    return figure, list(axes[0])
