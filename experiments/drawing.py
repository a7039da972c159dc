"""Figures of several pages: titles, axes of sizes, bars of makespans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter, StrMethodFormatter

from senn.traces.pictures.style import INK, SMALL


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


def panels(spans: Mapping[str, Mapping[str, int]], colors: Sequence[str], more: str, finding: str) -> Figure:
    """Bars of makespans by title of the panel and name of the bar; a line where the first bar ends, and
    beside the others by how many per cent they are longer, in the format `more`."""
    rows, titles = list(next(iter(spans.values()))), list(spans)
    figure, axes = pyplot.subplots(
        1,
        len(titles),
        figsize=(12.0, 1.6 + 0.3 * len(rows)),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    titled(figure, finding)
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize="medium", weight="normal")
        ax.set_xlabel("makespan (cycles)")
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.tick_params(axis="y", length=0)
    axes[0][0].set_yticks(range(len(rows)), rows)
    axes[0][0].invert_yaxis()
    for ax, of_bars in zip(axes[0], spans.values(), strict=True):
        first, *_ = cycles = list(of_bars.values())
        for k, (span, color) in enumerate(zip(cycles, colors, strict=True)):
            ax.barh(k, span, color=color, height=0.72)
            change = more.format(100 * (span / first - 1)) if k else ""
            ax.text(span + 0.01 * max(cycles), k, f"{span:,}{change}", va="center", fontsize=SMALL, color=INK)
        ax.axvline(first, color=INK, linewidth=0.8, linestyle=":")
        ax.set_xlim(0, 1.4 * max(cycles))
    return figure
