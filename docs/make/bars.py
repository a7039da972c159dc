"""Bars of makespans, a panel for each size or machine, beside the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

INK = "#333333"


def panels(rows: Sequence[str], titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Axes side by side that share a bar for each row."""
    figure, axes = pyplot.subplots(
        1, len(titles), figsize=(10.4, 3.4), layout="constrained", sharey=True, squeeze=False
    )
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize="medium", loc="left")
        ax.set_xlabel("makespan (cycles)")
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0][0].set_yticks(range(len(rows)), list(rows))
    axes[0][0].invert_yaxis()
    return figure, list(axes[0])
