"""Where the nodes of a network stand on paper, and the curves of its channels.

A network of exchange, neighbor and shuffle wires is a row of nodes with arcs, mesh and torus are grids, any
other is a circle. The first array is above and the last below, with the wires between them upright.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray

from senn.traces.pictures.style import INK, SMALL

Floats = NDArray[np.float64]
ENDS = ("source_array", "target_array", "source_node", "target_node")
"""What a table of channels has at least, beside ``kind``."""
NAMED = 40
"""Up to so many nodes an array they are circles with their numbers."""
_POINTS = np.linspace(0.0, 1.0, 25)
_APART = 0.8  # the second channel of a wire: its arc is lower
_AWAY = 1.6  # from here on two nodes of a grid are no neighbours on paper


@dataclass(frozen=True)
class Layout:
    """``places``: array -> (nodes, 2); ``arcs``: array -> 1 where its arcs go up, -1 down, 0 both ways.

    Without arcs channels are nearly straight. ``grid``: nodes stand between nodes, not on a circle.
    """

    places: Mapping[int, Floats]
    arcs: Mapping[int, int] | None
    grid: bool = False

    @property
    def nodes(self) -> int:
        return len(next(iter(self.places.values())))

    @property
    def marker(self) -> float:
        """Points across a node."""
        return 2.0 if self.nodes > NAMED else max(8.0, 17.0 - 0.25 * self.nodes)

    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, low, high of all nodes."""
        points = np.concatenate(list(self.places.values()))
        (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
        return float(left), float(right), float(low), float(high)

    def curves(self, channels: pl.DataFrame) -> list[Floats]:
        """The line of each channel, (points, 2), from its source to its target; the two of a wire part."""
        return [self._curve(ends, apart=True) for ends in channels.select(*ENDS).iter_rows()]

    def lines(self, wires: pl.DataFrame) -> list[Floats]:
        """The line of each wire; between neighbours of a row straight, but for shuffle wires."""
        found = []
        for *ends, kind in wires.select(*ENDS, "kind").iter_rows():
            start, end = self.places[ends[0]][ends[2]], self.places[ends[1]][ends[3]]
            straight = self.arcs is not None and kind in ("exchange", "neighbor") and self._next(*ends)
            found.append(np.stack([start, end]) if straight else self._curve(ends, apart=False))
        return found

    def _next(self, array: int, other: int, a: int, b: int) -> bool:
        return array == other and abs(a - b) == 1

    def _curve(self, ends: Sequence[int], apart: bool) -> Floats:
        array, other, a, b = ends
        start, end = self.places[array][a], self.places[other][b]
        along = end - start
        if array != other:
            beside = np.array([(0.06 if other > array else -0.06) * apart, 0.0])
            return np.stack([start + beside, end + beside])
        if (
            self.arcs is None
        ):  # bulges to the left of its way; what closes a row of a grid goes round the others
            bulge = 0.13 if apart or (self.grid and float(np.hypot(*along)) > _AWAY) else 0.0
            across = np.array([-along[1], along[0]]) * bulge
            beside = np.outer(4 * _POINTS * (1 - _POINTS), across)
            return np.asarray(start + np.outer(_POINTS, along) + beside)
        up = self.arcs[array] or (1 if b > a else -1)
        height = _height(abs(float(along[0])))
        if self.arcs[array] and b < a:
            height *= _APART
        turn = np.pi * _POINTS
        middle, half = (start + end) / 2, float(along[0]) / 2
        return np.stack([middle[0] - half * np.cos(turn), middle[1] + up * height * np.sin(turn)], axis=1)


def _height(distance: float) -> float:
    """Of an arc: neighbours nearly straight, far ones high, but less than in proportion."""
    return float(0.12 + 0.38 * (distance - 1) ** 0.85) if distance > 1 else 0.12


def layout(channels: pl.DataFrame, nodes: int, arrays: Sequence[int]) -> Layout:
    """For a table with ENDS and kind."""
    kinds = set(channels["kind"]) - {"vertical"}
    if kinds <= {"exchange", "neighbor", "shuffle"} and not _closes(channels, nodes):
        return _row(channels, nodes, arrays)
    grid = kinds <= {"row", "column"}
    flat = _grid(channels, nodes) if grid else _circle(nodes)
    if len(arrays) == 1:
        return Layout({arrays[0]: flat}, None, grid)
    # Each array is a plane that is looked at aslant, one below the other.
    aslant = np.stack([flat[:, 0] + 0.35 * flat[:, 1], 0.5 * flat[:, 1]], axis=1)
    down = float(np.ptp(aslant[:, 1])) + 1.2
    return Layout({array: aslant - [0.0, k * down] for k, array in enumerate(arrays)}, None, grid)


def _closes(channels: pl.DataFrame, nodes: int) -> bool:
    """Whether neighbor wires make a ring."""
    across = (pl.col("source_node") - pl.col("target_node")).abs() == nodes - 1
    return nodes > 2 and channels.filter((pl.col("kind") == "neighbor") & across).height > 0


def _row(channels: pl.DataFrame, nodes: int, arrays: Sequence[int]) -> Layout:
    x = np.arange(nodes, dtype=float)
    if len(arrays) == 1:
        return Layout({arrays[0]: np.stack([x, np.zeros(nodes)], axis=1)}, {arrays[0]: 0})
    inside = channels.filter(pl.col("source_array") == pl.col("target_array"))
    farthest = int((inside["source_node"] - inside["target_node"]).abs().to_numpy().max(initial=1))
    apart = max(1.2, 0.12 * nodes)
    y, at, arcs = 0.0, {}, {}
    for k, array in enumerate(arrays):
        last = k == len(arrays) - 1
        at[array], arcs[array] = np.stack([x, np.full(nodes, y)], axis=1), -1 if last else 1
        y -= apart if k >= len(arrays) - 2 else apart + _height(farthest)
    return Layout(at, arcs)


def _grid(channels: pl.DataFrame, nodes: int) -> Floats:
    """Node = row * columns + column; the nearest in a column are a row apart."""
    upright = channels.filter(pl.col("kind") == "column")
    steps = (upright["source_node"] - upright["target_node"]).abs()
    columns = int(steps.to_numpy().min()) if len(steps) else nodes
    row, column = np.divmod(np.arange(nodes), columns)
    return np.stack([column, -row], axis=1).astype(float)


def _circle(nodes: int) -> Floats:
    angle = 2 * np.pi * np.arange(nodes) / nodes
    radius = max(nodes / (2 * np.pi), 0.8)
    return radius * np.stack([np.sin(angle), np.cos(angle)], axis=1)


def draw_nodes(ax: Axes, drawn: Layout) -> None:
    """Circles with numbers, dots where there are many; and a frame with room for the arcs."""
    many, size = drawn.nodes > NAMED, drawn.marker
    for places in drawn.places.values():
        style: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": size, "zorder": 5}
        ax.plot(*places.T, color="white" if not many else INK, markeredgecolor=INK, **style)
        for node, (x, y) in enumerate(places.tolist() if not many else ()):
            ax.text(x, y, f"{node}", ha="center", va="center", fontsize=min(SMALL, 0.65 * size), zorder=6)
    if len(drawn.places) > 1:
        left = drawn.extent()[0]
        for array, places in drawn.places.items():
            at = (left, places[:, 1].mean())
            where: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "center"}
            ax.annotate(f"array {array}", at, (-size / 2 - 6, 0), **where)
    if many and drawn.arcs is not None:
        _number(ax, drawn)
    ax.set_axis_off()
    ax.autoscale_view()
    ax.set_aspect("equal" if drawn.arcs is None else "auto")


def _number(ax: Axes, drawn: Layout) -> None:
    """Some of many nodes, below the row of the last array."""
    places = list(drawn.places.values())[-1]
    step = 2 ** (ceil(drawn.nodes / 16) - 1).bit_length()
    for node in range(0, drawn.nodes, step):
        ax.annotate(
            f"{node}", places[node], (0, 4), textcoords="offset points", ha="center", fontsize=SMALL, zorder=6
        )
