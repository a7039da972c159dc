"""The picture of docs/networks.md: every network with eight or sixteen nodes, drawn from its channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from senn.machine.network.named import network, shape
from senn.machine.network.topology import Channels

NODES = {"senn": 8, "shuffle-exchange": 8, "line": 8, "ring": 8, "full": 8}  # the others: 16
MOSAIC = [
    ["senn", "senn", "shuffle-exchange", "shuffle-exchange"],
    ["hypercube", "hypercube", "mesh", "torus"],
    ["line", "line", "ring", "full"],
]
STYLES: Mapping[str, Mapping[str, Any]] = {
    "exchange": {"color": "#0072B2", "linewidth": 1.8, "linestyle": (0, (4, 2))},
    "neighbor": {"color": "#D55E00", "linewidth": 2.4},
    "shuffle": {"color": "#777777", "linewidth": 1.1},
}
OTHERS: Mapping[str, Any] = {"color": "#0072B2", "linewidth": 1.2}

Places = dict[int, tuple[float, float]]


def figure() -> Figure:
    """Eight panels."""
    whole, axes = plt.subplot_mosaic(
        MOSAIC, figsize=(11, 8.2), layout="constrained", height_ratios=(0.8, 1, 1)
    )
    for name, ax in axes.items():
        draw(network(name, NODES.get(name, 16)), ax)
    handles = [Line2D([], [], label=kind, **style) for kind, style in STYLES.items()]
    axes["senn"].legend(
        handles=handles, loc="upper center", ncols=3, frameon=False, bbox_to_anchor=(0.5, 0.0)
    )
    return whole


def draw(found: Channels, ax: Axes) -> None:
    """A network: a line for a wire, an arrow for a shuffle wire from p to its shuffle."""
    places = _places(found)
    first = np.flatnonzero(np.diff(found.wire_number, prepend=-1))
    for channel in first.tolist():
        a, b = int(found.source[channel]), int(found.target[channel])
        kind = found.kind[channel]
        bend = _bend(found, kind, a, b)
        style = "-|>,head_width=2.5,head_length=4" if kind == "shuffle" else "-"
        ax.add_patch(
            FancyArrowPatch(
                places[a],
                places[b],
                arrowstyle=style,
                connectionstyle=f"arc3,rad={bend}",
                shrinkA=8,
                shrinkB=8,
                **STYLES.get(kind, OTHERS),
            )
        )
    for node, (x, y) in places.items():
        ax.plot(x, y, "o", color="white", markeredgecolor="black", markersize=14, zorder=3)
        ax.text(x, y, str(node), ha="center", va="center", fontsize=8, zorder=4)
    ax.set_title(f"{found.network}, {found.nodes} nodes", fontsize=11)
    ax.set_aspect("equal")
    ax.margins(0.08)
    if found.network in ("senn", "shuffle-exchange", "line"):
        ax.set_ylim(-1, 1)
    ax.set_axis_off()


def _places(found: Channels) -> Places:
    nodes = range(found.nodes)
    if found.network in ("mesh", "torus"):
        columns = shape(found.nodes)[1]
        return {p: (float(p % columns), -float(p // columns)) for p in nodes}
    if found.network == "hypercube":  # four bits: two squares of squares
        return {
            p: ((p & 1) + 0.38 * (p >> 2 & 1) + 2.3 * (p >> 3 & 1), (p >> 1 & 1) + 0.38 * (p >> 2 & 1))
            for p in nodes
        }
    if found.network in ("ring", "full"):
        angles = [np.pi / 2 - 2 * np.pi * p / found.nodes for p in nodes]
        return {
            p: (float(np.cos(angle)), float(np.sin(angle))) for p, angle in zip(nodes, angles, strict=True)
        }
    return {p: (float(p), 0.0) for p in nodes}


def _bend(found: Channels, kind: str, a: int, b: int) -> float:
    """Wires that would run over other nodes go round them; a shuffle above where it leads up, else below."""
    if kind == "shuffle":
        return -0.45
    columns = shape(found.nodes)[1]
    if found.network == "torus" and abs(a - b) not in (1, columns):
        return 0.22
    if found.network == "hypercube" and abs(a - b) == 8:
        return -0.28
    return 0.0
