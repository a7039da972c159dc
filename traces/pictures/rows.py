"""Where the engines and DMAs of nodes stand in a timeline of few nodes, and marks whose ink is their time."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from senn.traces.pictures.drawing import Floats, boxes, points_per_cycle
from senn.traces.pictures.style import DPI, INK, SHEET

_GAP = 1.0  # between arrays, in rows
_LANES = {"engine": (0.38, 0.94), "dma": (0.06, 0.32)}  # lower and upper edge within the row of a node
_EDGED = 12  # pixels from which on a mark has a white edge, which takes a little of its ink


class Rows:
    """A row of height 1 for every node shown, its engine above its DMA; array 1 on top; y falls from 0."""

    def __init__(self, arrays: Sequence[int], nodes: Sequence[int]) -> None:
        self.arrays, self.nodes = list(arrays), list(nodes)

    @property
    def height(self) -> float:
        """Of all arrays together."""
        return max(len(self.arrays), 1) * (len(self.nodes) + _GAP)

    @property
    def inches(self) -> float:
        """A height of the axes at which rows are to be told apart, and no taller than a slide."""
        return min(0.3 * self.height, max(6.5, 0.12 * self.height))

    def extent(self, array: int) -> tuple[float, float]:
        """The lower and upper edge of an array."""
        top = -self.arrays.index(array) * (len(self.nodes) + _GAP)
        return top - len(self.nodes), top

    def edges(
        self, lane: Literal["engine", "dma"], array: pl.Series, node: pl.Series
    ) -> tuple[Floats, Floats]:
        """The lower and upper edges of the engines or DMAs of these nodes."""
        tops = {number: self.extent(number)[1] for number in self.arrays}
        places = {number: float(place) for place, number in enumerate(self.nodes)}
        top = array.replace_strict(tops, default=None, return_dtype=pl.Float64).to_numpy()
        down = node.replace_strict(places, default=None, return_dtype=pl.Float64).to_numpy()
        low, high = _LANES[lane]
        return top - down - 1 + low, top - down - 1 + high

    def label(self, ax: Axes) -> None:
        """Node numbers along y, as many as there is room for, and beside them which array they are of."""
        room = 72 * ax.get_window_extent().height / ax.figure.dpi / self.height  # points of a row
        every = int(np.ceil(1.15 * SHEET["ytick.labelsize"] / room))
        ticks: list[tuple[float, str]] = []
        for array in self.arrays:
            low, high = self.extent(array)
            ticks += [(high - k - 0.5, str(node)) for k, node in enumerate(self.nodes) if k % every == 0]
            name = f"array {array}, node" if room * len(self.nodes) > 90 else f"array {array}"
            ax.annotate(
                name,
                (0.0, (low + high) / 2),
                xycoords=("axes fraction", "data"),
                xytext=(-12.0 - 8.0 * len(str(max(self.nodes))), 0),
                textcoords="offset points",
                rotation=90,
                ha="right",
                va="center",
                color=INK,
            )
        ax.set_yticks([y for y, _ in ticks], [name for _, name in ticks])
        ax.set_ylim(_GAP / 2 - self.height, 0.7 * _GAP)  # above: room for the cycle of the end


def fill(ax: Axes, rows: Rows, lane: Literal["engine", "dma"], table: pl.DataFrame) -> bool:
    """Marks for array, node, start, end in the ``color`` (red, green, blue) of each; whether any are paler.

    A mark of at least a pixel is a rectangle at its cycles. What is shorter is gathered: between two such
    marks every stretch of about a pixel is drawn as dense as it is full, in the mean of its colors, so that
    ink is time wherever one looks. No mark is widened.
    """
    pixel = 72 / DPI / points_per_cycle(ax)
    first, last = ax.get_xlim()
    table = table.filter(pl.col("end") > pl.col("start"), pl.col("end") > first, pl.col("start") < last)
    parts: list[tuple[Floats, ...]] = []
    for _, marks in table.group_by("array", "node", maintain_order=True):
        low, high = (edge[0] for edge in rows.edges(lane, marks["array"][:1], marks["node"][:1]))
        start, end = (marks[name].to_numpy().astype(float) for name in ("start", "end"))
        drawn = _inked(start, end, np.array(marks["color"].to_list(), dtype=float), pixel)
        parts.append((*drawn, *(np.full(len(drawn[0]), edge) for edge in (low, high))))
    if not parts:
        return False
    start, end, colors, low, high = (np.concatenate(one) for one in zip(*parts, strict=True))
    edged = np.where(end - start >= _EDGED * pixel, 0.3, 0.0)
    boxes(ax, start, end, low, high, facecolors=colors, edgecolors="white", linewidths=edged, snap=False)
    return bool((colors[:, 3] < 1).any())


def _inked(start: Floats, end: Floats, colors: Floats, pixel: float) -> tuple[Floats, Floats, Floats]:
    """The rectangles of a lane, (k,) starts and ends and (k, 4) colors with their density."""
    wide = end - start >= pixel
    whole = start[wide], end[wide], np.column_stack([colors[wide], np.ones(wide.sum())])
    start, end, colors = start[~wide], end[~wide], colors[~wide]
    parts = [whole]
    for low, high in _between(whole[0], whole[1], start, end):
        here = (start < high) & (end > low)
        edges = np.linspace(low, high, 1 + max(round((high - low) / pixel), 1))
        before = np.clip(edges[:, None] - start[here], 0, (end - start)[here])
        cycles = np.diff(before, axis=0)  # of each mark in each stretch
        full = cycles.sum(axis=1)
        some = full > 0
        color = cycles[some] @ colors[here] / full[some, None]
        density = np.minimum(full / np.diff(edges), 1.0)[some]
        parts.append((edges[:-1][some], edges[1:][some], np.column_stack([color, density])))
    begin, finish, found = (np.concatenate(one) for one in zip(*parts, strict=True))
    return begin, finish, found


def _between(wide_from: Floats, wide_to: Floats, start: Floats, end: Floats) -> list[tuple[float, float]]:
    """The stretches around these marks that no wide one takes."""
    if not len(start):
        return []
    order = np.argsort(wide_from)
    begins = np.append(wide_from[order], end.max())
    until = np.maximum.accumulate(np.append(start.min(), wide_to[order]))
    gaps = zip(until.tolist(), begins.tolist(), strict=True)
    return [(low, high) for low, high in gaps if high > low and ((start < high) & (end > low)).any()]
