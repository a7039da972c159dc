"""Data of networks.md, about a minute, and its picture: every network with eight or sixteen nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, product

import networkx as nx
import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments.measuring import RESIDENCIES
from experiments.page import Figures, Tables, head, row
from senn.machine.network import Wiring
from senn.machine.network.measures import measures, picture
from senn.machine.network.named import NETWORKS, network, shuffle_exchange
from senn.machine.network.named import senn as paper
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Paths, slots, unshuffle
from senn.machine.placing.allocation import gray, identity, morton, snake
from senn.machine.placing.messages import exchanges

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)

Sizes = Sequence[int]
Placement = Callable[[int], Integers]


def per_level(found: Channels, routing: Routing, places: Integers) -> list[Paths]:
    """The traffic of odd-even elimination with row i at places[i-1]: partners 2^(j-1) apart, both ways."""
    router = Router(found, routing)
    return [router.paths(*exchanges(1 << k, places, places)) for k in range(found.nodes.bit_length() - 1)]


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


def migration(sizes: Sizes = SIZES) -> Iterator[str]:
    """Network steps of the diagonalisation by migration: an exchange between neighbours at every level, and
    an un-shuffle between levels."""
    yield from head("nodes", "all ports", "one port", "shuffle wires forward only")
    for n in sizes:
        one_port = partial(one_port_slots, paper(n))
        yield row(n, steps(paper(n)), steps(paper(n), one_port), steps(paper(n, "forward")))


def one_port_slots(found: Channels, paths: Paths) -> int:
    """Slots if a node sends one message and receives one at a time: whoever can go does, in the order of
    arrival at a channel, then of messages."""
    pairs = zip(found.source.tolist(), found.target.tolist(), strict=True)
    ports = [{("out", source), ("in", target)} for source, target in pairs]
    left = [[ports[channel] for channel in reversed(path.tolist())] for path in paths]
    waiting, slot = [k for k, hops in enumerate(left) if hops], 0
    while waiting:
        slot += 1
        busy: set[tuple[str, int]] = set()
        held, going = [], []
        for k in waiting:
            if busy.isdisjoint(left[k][-1]):
                busy |= left[k].pop()
                going.append(k)
            else:
                held.append(k)
        waiting = held + sorted(k for k in going if left[k])
    return slot


def steps(found: Channels, count: Callable[[Paths], int] = slots) -> int:
    """Slots of all levels and of the un-shuffles between them, one instruction at a time."""
    router = Router(found)
    place, total = np.arange(found.nodes), 0
    levels = found.nodes.bit_length() - 1
    for level in range(1, levels + 1):
        total += count(router.paths(*exchanges(1 << (level - 1), place, place)))
        if level < levels and found.unshuffles is not None:
            total += count(found.unshuffles)
            place = unshuffle(place, found.nodes)
    return total


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
        every = [per_level(network(name, nodes), routing, places(nodes)) for nodes in sizes]
        hops, load = max(paths.hops.max() for paths in every[-1]), max(map(_load, every[-1]))
        yield row(label, *(sum(map(slots, levels)) for levels in every), hops, load)


def home_one_port(sizes: Sizes = SIZES) -> Iterator[str]:
    """The same slots if a node sends one message and receives one at a time."""
    yield from head("network", *sizes)
    for label, name, routing, places in HOME:
        found = {nodes: network(name, nodes) for nodes in sizes}
        levels = ((ports, per_level(ports, routing, places(nodes))) for nodes, ports in found.items())
        yield row(label, *(sum(one_port_slots(ports, one) for one in some) for ports, some in levels))


def levels(sizes: Sizes = SIZES) -> Iterator[str]:
    """Level by level on SENN, routing greedy, at the largest size."""
    found = per_level(paper(sizes[-1]), "greedy", identity(sizes[-1]))
    yield from head("level", *range(1, len(found) + 1))
    yield row("most hops", *(paths.hops.max() for paths in found))
    yield row("mean hops", *(f"{paths.hops.mean():.1f}" for paths in found))
    yield row("most messages on a channel", *map(_load, found))
    yield row("slots", *map(slots, found))


def _load(paths: Paths) -> int:
    """The most messages on a channel."""
    return int(np.bincount(paths.channels).max())


def makespans(sizes: Sizes = (8, 64)) -> Iterator[str]:
    """Thousands of cycles of the whole program, form paper, machine mark3."""
    cases = [*product(sizes, RESIDENCIES)]
    yield from head("network", "routing", *(f"{nodes} {residency}" for nodes, residency in cases))
    own = {"hypercube": "e-cube", "mesh": "xy", "torus": "xy"}
    first, *others = [(name, {"machine.network": name}) for name in NETWORKS]
    for label, settings in (first, ("senn, shuffle forward", {"machine.shuffle": "forward"}), *others):
        routing = own.get(label, "lowest")
        on = {"machine.routing": routing, **settings}
        tables = (senn.steps([n], machine="mark3", residency=kept, set=on) for n, kept in cases)
        yield row(label, routing, *(f"{table['makespan'][0] / 1000:.0f}" for table in tables))


# -------- the picture

NODES = {"senn": 8, "shuffle-exchange": 8, "line": 8, "ring": 8, "full": 8}  # the others: 16
MOSAIC = [
    ["senn", "senn", "shuffle-exchange", "shuffle-exchange"],
    ["hypercube", "hypercube", "mesh", "torus"],
    ["line", "line", "ring", "full"],
]


def eight() -> Figure:
    """Eight panels, each as `senn list networks NAME --plot FILE` draws it."""
    ratios = {"height_ratios": (0.8, 1, 1)}
    whole, axes = pyplot.subplot_mosaic(MOSAIC, figsize=(11, 8.6), layout="constrained", **ratios)
    for name, ax in axes.items():
        nodes = NODES.get(name, 16)
        picture(Wiring(network(name, nodes), 1), ax)
        ax.set_title(f"{name}, {nodes} nodes", loc="left", fontsize=11, pad=6)
        legend = ax.get_legend()
        assert legend is not None
        if name == "senn":
            labels = [text.get_text().split()[1] for text in legend.get_texts()]
            handles = legend.legend_handles
        legend.remove()
    whole.legend(handles, labels, loc="outside lower left", ncols=3)
    return whole


DATA: Tables = {
    **{f.__name__: f for f in (graphs, migration, home, levels, makespans)},
    "home-one-port": home_one_port,
}
FIGURES: Figures = {"networks": eight}
