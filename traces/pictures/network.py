"""The network: its wires, and the words that a run sent over each channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D

from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.naming import counted
from senn.traces.parts import COLORS, OTHER
from senn.traces.pictures import style
from senn.traces.pictures.style import INK, SMALL, Floats
from senn.traces.run import Run

BUSY = LinearSegmentedColormap.from_list("busy", ["#DADADA", "#E69F00", "#D55E00", "#6B1500"])
MOST = 30_000
"""So many channels can be drawn."""
# As in the caption of Fijany's Fig. 2: solid are shuffle wires, dashed exchange wires, double solid what
# makes nearest neighbours of these.
_WIRES: dict[str, dict[str, Any]] = {
    "shuffle": {"color": COLORS[0], "linestyle": "-", "linewidth": 1.6},
    "exchange": {"color": INK, "linestyle": (0, (3, 2)), "linewidth": 1.6},
    "neighbor": {"color": INK, "linestyle": "-", "linewidth": 4.0},
    "vertical": {"color": OTHER, "linestyle": "-", "linewidth": 0.9},
}
_OTHER_WIRE = {"color": INK, "linestyle": "-", "linewidth": 1.2}


@style.applied()
def network(run: Run, ax: Axes | None = None) -> Axes:
    """The channels that carried something, the more often occupied the darker and the wider.

    The colour is the share of the run's cycles in which the channel was occupied (``busy`` of
    `analysis.channels`), from 0 to 100 % in every picture; the width compares it with the busiest. The two
    channels of a wire are two lines: in a row of nodes the outer arc goes to
    the right, elsewhere each line bulges to the left of its way; of two upright ones the right one goes down.
    Needs a trace of detail "full".
    """
    trace = run.trace
    table = analysis.channels(trace).sort("busy", maintain_order=True)
    if not table.height:
        raise InputError(
            "network: no channel of this run carries a message; --kind timeline shows its engines"
        )
    nodes = analysis.nodes(trace)
    drawn, ax = _begun(table, nodes, trace.instructions["array"].unique().sort().to_list(), ax)
    makespan = max(analysis.makespan(trace), 1)
    share = table["busy"].to_numpy() / makespan
    widths = (0.6 + 3.4 * share / max(share.max(initial=0), 1e-9)) * min(1.0, 80 / nodes)
    look: dict[str, Any] = {"cmap": BUSY, "capstyle": "round", "rasterized": table.height > 2000}
    lines = LineCollection(drawn.curves(table), array=100 * share, linewidths=widths, **look)
    lines.set_clim(0, 100)
    ax.add_collection(lines)
    draw_nodes(ax, drawn)
    style.colour_bar(ax, lines, "occupied, % of the cycles of the run", shrink=0.7, pad=0.02)
    most = table.row(-1, named=True)
    where = f"array {most['source_array']}"
    if most["target_array"] != most["source_array"]:
        where = f"{where} to {most['target_array']}"
    title = (
        f"{counted(table.height, 'channel')} carry {int(table['load'].sum()):,} hops; the busiest "
        f"({most['kind']}, node {most['source_node']} to {most['target_node']}, {where}) is occupied "
        f"{style.percent(share[-1])} of the time, the idlest of them {style.percent(share[0])}"
    )
    style.headed(ax, title, [], style.caption_of(run))
    return ax


@style.applied()
def wires(
    channels: pl.DataFrame, nodes: int, ax: Axes | None = None, *, title: str, caption: str | None = None
) -> Axes:
    """A network without a run, as in Fijany's Figs. 2 and 3: each wire once, in the style of its kind.

    ``channels`` has a row per directed channel: source_array, target_array, source_node, target_node, kind,
    wire. A wire with a channel in one direction only ends in a point there. InputError for more than can be
    drawn.
    """
    arrays = sorted({*channels["source_array"], *channels["target_array"]}) or [1]
    drawn, ax = _begun(channels, nodes, arrays, ax)
    both = channels.with_columns(
        pl.min_horizontal("source_array", "target_array").alias("above"),
        pl.min_horizontal("source_node", "target_node").alias("first"),
    )
    once = both.group_by("above", "kind", "wire", maintain_order=True).agg(
        pl.col("source_array", "target_array", "source_node", "target_node").first(), pl.len().alias("ways")
    )
    entries: list[Artist] = []
    for kind in once["kind"].unique(maintain_order=True):
        of_kind = once.filter(kind=kind)
        look = _WIRES.get(kind, _OTHER_WIRE)
        curves = drawn.lines(of_kind)
        zorder, dashes = 1 if kind == "vertical" else 2, [look["linestyle"]]
        looks = {"colors": look["color"], "linestyles": dashes, "linewidths": look["linewidth"]}
        ax.add_collection(LineCollection(curves, label=kind, zorder=zorder, **looks))
        if kind == "neighbor":
            inner = {"color": "white", "linewidth": look["linewidth"] / 2.5}
            ax.add_collection(LineCollection(curves, zorder=3, **inner))
        tips = [curve[-1] for curve, ways in zip(curves, of_kind["ways"], strict=True) if ways == 1]
        if tips:
            ax.plot(*np.array(tips).T, marker="o", linestyle="none", markersize=4, color=look["color"])
        entries.append(Line2D([], [], label=f"{counted(of_kind.height, f'{kind} wire')}", **look))
    draw_nodes(ax, drawn)
    style.headed(ax, title, entries, caption)
    return ax


def _begun(channels: pl.DataFrame, nodes: int, arrays: Sequence[int], ax: Axes | None) -> tuple[Layout, Axes]:
    """The layout of these channels, and axes for it."""
    if channels.height > MOST:
        raise InputError(
            f"network: {channels.height:,} channels are more than the {MOST:,} that can be drawn; "
            "take fewer nodes"
        )
    drawn = layout(channels, nodes, arrays)
    left, right, low, high = drawn.extent()
    size = min(max(3.0 + 0.9 * nodes, 7.0), 12.0), 4.2 + 1.2 * (len(arrays) - 1)
    if drawn.arcs is None:
        size = min(max(3.5 + 1.1 * (right - left), 7.0), 11.0), min(2.5 + 1.1 * (high - low), 11.0)
    return drawn, style.axes(ax, *size)


# Where the nodes of a network stand on paper, and the curves of its channels. A network of exchange,
# neighbor and shuffle wires is a row of nodes with arcs, mesh and torus are grids, a hypercube is cubes, a
# graph without cycles is a tree from its middle down, any other is a circle.
# The first array is above and the last below, with the wires between them upright.

ENDS = ("source_array", "target_array", "source_node", "target_node")
"""What a table of channels has at least, beside ``kind``."""
NAMED = 40
"""Up to so many nodes an array they are circles with their numbers."""
_POINTS = np.linspace(0.0, 1.0, 25)
_APART = 0.8  # the second channel of a wire: its arc is lower
_NARROWEST = 3.0  # room for the circles and the title of a few nodes
_AWAY = 1.6  # longer than the edges of a cube
_ROUND = 0.42  # how far what closes a row of a torus goes round it
_THIRD = (0.42, 0.34)  # the way of the third bit of a hypercube, aslant


@dataclass(frozen=True)
class Layout:
    """``places``: array -> (nodes, 2); ``arcs``: array -> 1 where its arcs go up, -1 down, 0 both ways.

    Without arcs channels are nearly straight. ``columns``: of a grid, 0 for all else. Between
    ``cubes`` they pass corners on the way.
    """

    places: Mapping[int, Floats]
    arcs: Mapping[int, int] | None
    columns: int = 0
    cubes: bool = False

    @property
    def nodes(self) -> int:
        return len(next(iter(self.places.values())))

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
        lines = []
        for *ends, kind in wires.select(*ENDS, "kind").iter_rows():
            start, end = self.places[ends[0]][ends[2]], self.places[ends[1]][ends[3]]
            near = ends[0] == ends[1] and abs(ends[2] - ends[3]) == 1
            straight = self.arcs is not None and kind in ("exchange", "neighbor") and near
            lines.append(np.stack([start, end]) if straight else self._curve(ends, apart=False))
        return lines

    def _curve(self, ends: Sequence[int], apart: bool) -> Floats:
        array, other, a, b = ends
        start, end = self.places[array][a], self.places[other][b]
        along = end - start
        if array != other:
            beside = np.array([(0.06 if other > array else -0.06) * apart, 0.0])
            return np.stack([start + beside, end + beside])
        if self.arcs is None:  # bulges to the left of its way
            if self.columns and abs(a - b) not in (1, self.columns):  # closes a row or a column, around it
                beyond = [0.0, 1.0] if a // self.columns == b // self.columns else [-1.0, 0.0]
                height = _ROUND * (_APART if apart and b < a else 1.0)
                around = np.outer((4 * _POINTS * (1 - _POINTS)) ** 0.4, height * np.array(beyond))
                return np.asarray(start + np.outer(_POINTS, along) + around)
            bulge = 0.13 if apart or (self.cubes and float(np.hypot(*along)) > _AWAY) else 0.0
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
    """Height of an arc: neighbours nearly straight, far ones high, but less than in proportion."""
    return float(0.12 + 0.38 * (distance - 1) ** 0.85) if distance > 1 else 0.12


def layout(channels: pl.DataFrame, nodes: int, arrays: Sequence[int]) -> Layout:
    """For a table with ENDS and kind."""
    kinds = set(channels["kind"]) - {"vertical"}
    around = (pl.col("source_node") - pl.col("target_node")).abs() == nodes - 1
    ring = nodes > 2 and channels.filter((pl.col("kind") == "neighbor") & around).height > 0
    if kinds <= {"exchange", "neighbor", "shuffle"} and not ring:
        return _row(channels, nodes, arrays)
    columns = 0
    if kinds <= {"row", "column"}:
        # Node = row * columns + column; the nearest in a column are a row apart.
        upright = channels.filter(kind="column")
        steps = (upright["source_node"] - upright["target_node"]).abs()
        columns = int(steps.to_numpy().min()) if len(steps) else nodes
        row, column = np.divmod(np.arange(nodes), columns)
        flat = np.stack([column, -row], axis=1).astype(float)
    elif kinds == {"cube"}:
        # Three bits of an address are the corners of a cube, seen aslant; the others number rows of cubes.
        bits = [(1.0, 0.0), (0.0, -1.0), _THIRD]
        bits += [((2.6 * 2.0 ** (k // 2), 0.0), (0.0, -2.2 * 2.0 ** (k // 2)))[k % 2] for k in range(17)]
        address = np.arange(nodes)[:, None] >> np.arange(len(bits)) & 1
        flat = np.asarray(1.4 * address @ np.array(bits))
    elif kinds == {"link"} and (tree := _tree(channels, nodes)) is not None:
        flat = tree
    else:
        angle = 2 * np.pi * np.arange(nodes) / nodes
        flat = max(nodes / (2 * np.pi), 0.8) * np.stack([np.sin(angle), np.cos(angle)], axis=1)
    if len(arrays) == 1:
        return Layout({arrays[0]: flat}, None, columns, kinds == {"cube"})
    # Each array is a plane that is looked at aslant, one below the other; a cube is that already.
    aside, up = (0.18, 1.0) if kinds == {"cube"} else (0.35, 0.5)
    aslant = np.stack([flat[:, 0] + aside * flat[:, 1], up * flat[:, 1]], axis=1)
    down = float(np.ptp(aslant[:, 1])) + 1.2
    return Layout(
        {array: aslant - [0.0, k * down] for k, array in enumerate(arrays)}, None, columns, kinds == {"cube"}
    )


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


def _tree(channels: pl.DataFrame, nodes: int) -> Floats | None:
    """Parents above the middle of their children, a middle node on top; None where it has cycles or parts."""
    import networkx as nx  # here: most pictures do without it

    inside = channels.filter(pl.col("source_array") == pl.col("target_array"))
    graph = nx.Graph(inside.select("source_node", "target_node").iter_rows())
    graph.add_nodes_from(range(nodes))
    if not nx.is_tree(graph):
        return None
    middle = graph.copy()
    while len(middle) > 2:
        middle.remove_nodes_from([node for node, degree in middle.degree if degree < 2])
    root = min(middle)
    parents = nx.dfs_predecessors(graph, root, sort_neighbors=sorted)
    places, leaf = np.zeros((nodes, 2)), 0
    for node, parent in parents.items():
        places[node, 1] = places[parent, 1] - 1.2
    for node in [*reversed(parents), root]:
        below = [other for other in sorted(graph[node]) if other != parents.get(node)]
        leaf -= not below
        places[node, 0] = np.mean(places[below, 0]) if below else leaf
    return places


def draw_nodes(ax: Axes, drawn: Layout) -> None:
    """Circles with numbers, dots where there are many; and a frame with room for the arcs."""
    many = drawn.nodes > NAMED
    size = 2.0 if many else max(8.0, 17.0 - 0.25 * drawn.nodes)  # points
    for places in drawn.places.values():
        look: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": size, "zorder": 5}
        ax.plot(*places.T, color="white" if not many else INK, markeredgecolor=INK, **look)
        for node, (x, y) in enumerate(places.tolist() if not many else ()):
            ax.text(x, y, f"{node}", ha="center", va="center", fontsize=min(SMALL, 0.65 * size), zorder=6)
    if len(drawn.places) > 1:
        left = drawn.extent()[0]
        for array, places in drawn.places.items():
            at = (left, places[:, 1].mean())
            where: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "center"}
            ax.annotate(f"array {array}", at, (-size / 2 - 6, 0), **where)
    if many and drawn.arcs is not None:
        for node in range(0, drawn.nodes, 2 ** (ceil(drawn.nodes / 16) - 1).bit_length()):
            x, y = list(drawn.places.values())[-1][node]
            style.note(ax, f"{node}", (x, y), (0, 4), ha="center", zorder=6)
    ax.set_axis_off()
    ax.autoscale_view()
    left, right = ax.get_xlim()
    beside = max(_NARROWEST - (right - left), 0.0) / 2
    ax.set_xlim(left - beside, right + beside)
    ax.set_aspect("equal" if drawn.arcs is None else "auto")
