"""A run of many nodes over time: how many compute, and how many channels carry, array by array."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from senn.traces import analysis
from senn.traces.pictures.drawing import Floats, points_per_cycle
from senn.traces.pictures.style import DPI, INK, SHADES, WAIT, hatched, phase_color
from senn.traces.record.trace import Trace

_DOWN = 0.62  # the depth of 100 % of the channels; 100 % of the nodes are 1 high
_APART = 2.4  # from the base of an array to that of the next


class Bands:
    """Array 1 on top; each array has a base line, shares of its nodes above it and of its channels below."""

    def __init__(self, arrays: Sequence[int], nodes: Sequence[int]) -> None:
        self.arrays, self.nodes = list(arrays), list(nodes)

    @property
    def inches(self) -> float:
        """A height of the axes."""
        return 2.2 * len(self.arrays)

    def extent(self, array: int) -> tuple[float, float]:
        """The lower and upper edge of an array."""
        base = -_APART * self.arrays.index(array)
        return base - _DOWN, base + 1.0

    def label(self, ax: Axes) -> None:
        """Shares along y, up and down from the base of each array."""
        ticks: list[tuple[float, str]] = []
        for array in self.arrays:
            base = self.extent(array)[1] - 1.0
            ticks += [(base + share, f"{100 * share:.0f} %") for share in (0.0, 0.5, 1.0)]
            ticks.append((base - _DOWN, "100 %"))
            for low, high, name in ((0.0, 1.0, f"array {array}:\nnodes"), (-_DOWN, 0.0, "channels")):
                ax.annotate(
                    name,
                    (0.0, base + (low + high) / 2),
                    xycoords=("axes fraction", "data"),
                    xytext=(-46.0, 0.0),
                    textcoords="offset points",
                    rotation=90,
                    ha="right",
                    va="center",
                    color=INK,
                )
        ax.set_yticks([y for y, _ in ticks], [name for _, name in ticks])


def draw(ax: Axes, trace: Trace, bands: Bands) -> set[tuple[str, str | None]]:
    """The shares within the limits of x: what is done, and in which phase, as far as it is drawn.

    A stretch is about two pixels wide, and a share is a mean over it: the area of a colour is the time that
    it stands for. Nothing is sampled, so that nothing beats.
    """
    first, last = ax.get_xlim()
    stretches = max(int(points_per_cycle(ax) * (last - first) * DPI / 72 / 2), 1)
    edges = np.linspace(first, last, 1 + stretches)
    table = analysis.shares(trace, edges, bands.nodes)
    for array in bands.arrays:
        base = bands.extent(array)[1] - 1.0
        top = {1: np.zeros(stretches), -1: np.zeros(stretches)}
        for kind in (*SHADES, "wait"):
            side, depth = (-1, -_DOWN) if kind == "channel" else (1, 1.0)
            rows = table.filter(array=array, kind=kind)
            for (phase,), of_phase in rows.group_by("phase", maintain_order=True):
                low, high = top[side], top[side].copy()
                high[of_phase["stretch"].to_numpy()] += of_phase["share"].to_numpy()
                look = hatched(WAIT) if kind == "wait" else {"facecolor": phase_color(phase, SHADES[kind])}
                _area(ax, edges, base + depth * low, base + depth * high, **look)
                top[side] = high
        ax.plot([first, last], [base, base], color=INK, linewidth=0.8)
    ax.set_ylim(bands.extent(bands.arrays[-1])[0] - 0.1, 1.62)
    return set(table.select("kind", "phase").unique().iter_rows())


def _area(ax: Axes, edges: Floats, low: Floats, high: Floats, **look: Any) -> None:
    """Between two staircases, one polygon for stretches that touch: seams would be seen as stripes."""
    polygons = []
    there = np.flatnonzero(high != low)
    for run in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
        x = np.repeat(edges[run[0] : run[-1] + 2], 2)[1:-1]
        around = [np.column_stack([x, np.repeat(side[run], 2)]) for side in (low, high)]
        polygons.append(np.concatenate([around[0], around[1][::-1]]))
    ax.add_collection(PolyCollection(polygons, **{"linewidth": 0, "snap": False, **look}))
