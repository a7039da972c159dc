"""The picture of docs/channels.md: what each field of a machine does to the makespan."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from measure_channels import KINDS, MACHINE, SIZES, measure

INK, BASE, CHANGED = "#333333", "#9A9A9A", "#0072B2"


def kinds() -> Figure:
    """Bars of the makespan, a panel for each size; the line is the machine as it is."""
    figure, axes = plt.subplots(1, len(SIZES), figsize=(10.4, 3.4), layout="constrained", sharey=True)
    for ax, n in zip(axes, SIZES, strict=True):
        _bars(ax, n)
    axes[0].set_yticks(range(len(KINDS)), list(KINDS))
    axes[0].invert_yaxis()
    return figure


def _bars(ax: Axes, n: int) -> None:
    spans = [measure(n, kind).makespan for kind in KINDS]
    shown = 2.2 * spans[0]  # a bar that is longer is cut, and says how long it is
    for k, span in enumerate(spans):
        ax.barh(k, min(span, shown), color=BASE if k == 0 else CHANGED, height=0.72)
        more = 100 * (span - spans[0]) / spans[0]
        change = "" if k == 0 else " unchanged" if span == spans[0] else f" {more:+.1f} %"
        cut = span > shown
        ax.text(
            shown * 0.99 if cut else max(span, spans[0]) + 0.01 * shown,
            k,
            f"{span:,}{change}{' →' if cut else ''}",
            ha="right" if cut else "left",
            va="center",
            fontsize="small",
            color="white" if cut else INK,
        )
    ax.axvline(spans[0], color=INK, linewidth=0.8, linestyle=":")
    ax.set_xlim(0, shown)
    ax.set_title(f"n = {n}, form paper, migrating, {MACHINE}", fontsize="medium", loc="left")
    ax.set_xlabel("makespan (cycles)")
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
