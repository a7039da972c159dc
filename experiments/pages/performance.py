"""The picture of performance.md: time and memory against n, as benchmarks/scale.py measured them."""

from __future__ import annotations

from math import log2

from matplotlib import pyplot
from matplotlib.figure import Figure

from experiments.page import Figures, data

_SERIES = {"numbers": "numbers, certificate, folder", "timing": "timing alone"}
_QUANTITIES = {"s": "processor seconds", "GB": "peak memory, GB"}


def scale() -> Figure:
    """Both quantities of both kinds of job; a slope is the exponent of n over the last factor of 16."""
    head, *rows = data("performance", "scale")
    figure, axes = pyplot.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    for ax, (unit, quantity) in zip(axes, _QUANTITIES.items(), strict=True):
        for kind, name in _SERIES.items():
            column = head.index(f"{kind}, {unit}")
            points = {int(row[0].replace(",", "")): float(row[column]) for row in rows if row[column]}
            last = max(points)
            slope = log2(points[last] / points[last // 16]) / 4
            ax.loglog([*points], [*points.values()], marker="o", label=f"{name}: slope {slope:.1f}")
        ax.set_xscale("log", base=2)
        ax.set_ylim(top=10 * ax.get_ylim()[1])  # for the legend
        ax.set(xlabel="links", ylabel=quantity)
        ax.legend(loc="upper left")
    return figure


FIGURES: Figures = {"scale": scale}
