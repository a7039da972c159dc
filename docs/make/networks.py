"""The tables of networks.md, about a minute, and its picture: every network with eight or sixteen nodes,
drawn from its channels. A test compares the small sizes with the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

import senn
from docs.make.page import Figures, Tables, head, row
from senn.machine.network.measures import measures
from senn.machine.network.named import NETWORKS, network, shape, shuffle_exchange
from senn.machine.network.named import senn as paper
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Paths, slots, unshuffle
from senn.machine.placing.allocation import (
    gray,
    identity,
    morton,
    snake,
)
from senn.machine.placing.messages import exchanges

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)

Sizes = Sequence[int]
Placement = Callable[[int], Integers]


def per_level(found: Channels, routing: Routing, places: Integers) -> list[Paths]:
    """The traffic of odd-even elimination with row i at places[i-1]: partners 2^(j-1) apart, both ways."""
    router = Router(found, routing)
    return [router.paths(*exchanges(1 << k, places, places)) for k in range(found.nodes.bit_length() - 1)]


# ------------------------------------------------------------------------------------- graphs


def graphs(sizes: Sizes = SIZES) -> Iterator[str]:
    """SENN as a graph, beside plain shuffle-exchange and SENN with one-way shuffle wires."""
    heads = ("wires", "merged", "diameter", "mean distance", "shuffle wires one-way", "no neighbor wires")
    yield from head("nodes", *heads, "bisection")
    for nodes in sizes:
        one = measures(paper(nodes))
        merged = measures(paper(nodes, merge_parallel=True)).wires
        others = [measures(found).diameter for found in (paper(nodes, "forward"), shuffle_exchange(nodes))]
        cells = (one.wires, merged, one.diameter, f"{one.mean_distance:.2f}", *others, bisection(nodes))
        yield row(nodes, *cells)


def bisection(nodes: int) -> str:
    """The fewest pairs of joined nodes that a cut into halves parts: "3", or a lower and an upper bound."""
    joined = nx.Graph(paper(nodes).graph())
    if nodes <= 16:  # every cut; node 0 is in the first half
        halves = ({0, *rest} for rest in combinations(range(1, nodes), nodes // 2 - 1))
        return str(min(nx.cut_size(joined, half) for half in halves))
    adjacent = nx.to_numpy_array(joined, nodelist=range(nodes))
    laplacian = np.diag(adjacent.sum(axis=0)) - adjacent
    least = np.linalg.eigvalsh(laplacian)[1] * nodes / 4  # Fiedler: x'Lx >= lambda_2 x'x, x = 1 and -1
    halved = nx.algorithms.community.kernighan_lin_bisection
    most = min(nx.cut_size(joined, *halved(joined, max_iter=50, seed=seed)) for seed in range(50))
    return f"{math.ceil(least)} to {most}"


# ---------------------------------------------------------------------------------- migration


def migration(sizes: Sizes = SIZES) -> Iterator[str]:
    """Network steps of the diagonalisation by migration: an exchange between neighbours at every level, and
    an un-shuffle between levels."""
    yield from head("nodes", "all ports", "one port", "shuffle wires forward only")
    for nodes in sizes:
        cells = [steps(paper(nodes)), steps(paper(nodes), one_port=True), steps(paper(nodes, "forward"))]
        yield row(nodes, *cells)


def steps(found: Channels, one_port: bool = False) -> int:
    """Slots of all levels and of the un-shuffles between them, one instruction at a time."""
    router, ports = Router(found), found if one_port else None
    place, total = np.arange(found.nodes), 0
    levels = found.nodes.bit_length() - 1
    for level in range(1, levels + 1):
        total += slots(router.paths(*exchanges(1 << (level - 1), place, place)), ports)
        if level < levels and found.unshuffles is not None:
            total += slots(found.unshuffles, ports)
            place = unshuffle(place, found.nodes)
    return total


# ------------------------------------------------------------------------------- data at home


HOME: Sequence[tuple[str, str, Routing, Placement]] = (
    ("`senn`, `lowest`", "senn", "lowest", identity),
    ("`senn`, `greedy`", "senn", "greedy", identity),
    ("`senn`, `conjugate`", "senn", "conjugate", identity),
    ("`shuffle-exchange`, `greedy`", "shuffle-exchange", "greedy", identity),
    ("`shuffle-exchange`, `bit-by-bit`", "shuffle-exchange", "bit-by-bit", identity),
    ("`hypercube`, `e-cube`", "hypercube", "e-cube", identity),
    ("`hypercube`, `e-cube`, Gray code", "hypercube", "e-cube", gray),
    ("`ring`", "ring", "lowest", identity),
    ("`line`", "line", "lowest", identity),
    ("`mesh`, `xy`", "mesh", "xy", identity),
    ("`mesh`, `xy`, snake", "mesh", "xy", snake),
    ("`mesh`, `xy`, Morton", "mesh", "xy", morton),
    ("`torus`, `xy`", "torus", "xy", identity),
    ("`full`", "full", "lowest", identity),
)


def home(sizes: Sizes = SIZES) -> Iterator[str]:
    """Slots of all levels, and at the largest size the most hops of a message and messages on a channel."""
    yield from head("network", *sizes, "hops", "load")
    for label, name, routing, places in HOME:
        totals = []
        for nodes in sizes:
            levels = per_level(network(name, nodes), routing, places(nodes))
            totals.append(sum(map(slots, levels)))
        hops, load = max(paths.hops.max() for paths in levels), max(map(_load, levels))
        yield row(label, *totals, hops, load)


def home_one_port(sizes: Sizes = SIZES) -> Iterator[str]:
    """The same slots if a node sends one message and receives one at a time."""
    yield from head("network", *sizes)
    for label, name, routing, places in HOME:
        totals = []
        for nodes in sizes:
            found = network(name, nodes)
            totals.append(sum(slots(one, found) for one in per_level(found, routing, places(nodes))))
        yield row(label, *totals)


def levels(sizes: Sizes = SIZES) -> Iterator[str]:
    """Level by level on SENN, routing greedy, at the largest size."""
    found = per_level(paper(sizes[-1]), "greedy", identity(sizes[-1]))
    yield from head("level", *range(1, len(found) + 1))
    rows = (
        ("most hops", [str(paths.hops.max()) for paths in found]),
        ("mean hops", [f"{paths.hops.mean():.1f}" for paths in found]),
        ("most messages on a channel", [str(_load(paths)) for paths in found]),
        ("slots", [str(slots(paths)) for paths in found]),
    )
    for label, cells in rows:
        yield row(label, *cells)


def _load(paths: Paths) -> int:
    """The most messages on a channel."""
    return int(np.bincount(paths.channels).max())


# -------------------------------------------------------------------------- the whole machine


def makespans(sizes: Sizes = SIZES) -> Iterator[str]:
    """Thousands of cycles of the whole program, form paper, machine mark3."""
    sizes = [nodes for nodes in sizes if nodes in (8, 64)]
    heads = [f"{nodes} {residency}" for nodes in sizes for residency in ("home", "migrating")]
    yield from head("network", "routing", *heads)
    own = {"hypercube": "e-cube", "mesh": "xy", "torus": "xy"}
    rows = [
        (name, {"machine.routing": own.get(name, "lowest"), "machine.network": name}) for name in NETWORKS
    ]
    rows.insert(1, ("senn, shuffle forward", {"machine.shuffle": "forward", "machine.routing": "lowest"}))
    for label, settings in rows:
        cells = [
            f"{_makespan(nodes, residency, settings) / 1000:.0f}"
            for nodes in sizes
            for residency in ("home", "migrating")
        ]
        yield row(label, settings["machine.routing"], *cells)


def _makespan(n: int, residency: str, settings: dict[str, str]) -> int:
    return int(senn.steps([n], machine="mark3", residency=residency, set=settings)["makespan"][0])  # type: ignore[arg-type]


# ----------------------------------------------------------------------- the picture


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


def eight() -> Figure:
    """Eight panels."""
    whole, axes = pyplot.subplot_mosaic(
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


DATA: Tables = {
    "graphs": graphs,
    "migration": migration,
    "home": home,
    "home-one-port": home_one_port,
    "levels": levels,
    "makespans": makespans,
}
FIGURES: Figures = {"networks": eight}
