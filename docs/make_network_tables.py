"""The tables of docs/networks.md: `python docs/make_network_tables.py` measures them anew (about a minute).

Each stands between a comment that names it and `<!-- end -->`. A test compares the small sizes with the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np

import senn
from senn.machine.network.measures import measures
from senn.machine.network.named import NETWORKS, network, shuffle_exchange
from senn.machine.network.named import senn as paper
from senn.machine.network.paths import Paths, slots
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, unshuffle
from senn.machine.placing.renamings import gray, identity, morton, snake
from senn.machine.placing.routes import exchanges

PAGE = Path(__file__).parent / "networks.md"
MADE = re.compile(r"(<!-- (\w+): made by docs/make_network_tables.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)

Sizes = Sequence[int]
Placement = Callable[[int], Integers]


def with_tables(text: str) -> str:
    """The page with its tables made anew."""
    return MADE.sub(lambda found: found[1] + "\n" + "\n".join(TABLES[found[2]](SIZES)) + "\n\n", text)


def per_level(found: Channels, routing: Routing, places: Integers) -> list[Paths]:
    """The traffic of odd-even elimination with row i at places[i-1]: partners 2^(j-1) apart, both ways."""
    router = Router(found, routing)
    return [router.paths(*exchanges(1 << k, places, places)) for k in range(found.nodes.bit_length() - 1)]


# ------------------------------------------------------------------------------------- graphs


def graphs(sizes: Sizes) -> Iterator[str]:
    """SENN as a graph, beside plain shuffle-exchange and SENN with one-way shuffle wires."""
    heads = ("wires", "merged", "diameter", "mean distance", "shuffle wires one-way", "no neighbor wires")
    yield f"| nodes | {' | '.join(heads)} | bisection |"
    yield "|---" * (len(heads) + 2) + "|"
    for nodes in sizes:
        one = measures(paper(nodes))
        merged = measures(paper(nodes, merge_parallel=True)).wires
        others = [measures(found).diameter for found in (paper(nodes, "forward"), shuffle_exchange(nodes))]
        cells = (one.wires, merged, one.diameter, f"{one.mean_distance:.2f}", *others, bisection(nodes))
        yield f"| {nodes} | {' | '.join(map(str, cells))} |"


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


def migration(sizes: Sizes) -> Iterator[str]:
    """Network steps of the diagonalisation by migration: an exchange between neighbours at every level, and
    an un-shuffle between levels."""
    yield "| nodes | all ports | one port | shuffle wires forward only |"
    yield "|---|---|---|---|"
    for nodes in sizes:
        cells = [steps(paper(nodes)), steps(paper(nodes), one_port=True), steps(paper(nodes, "forward"))]
        yield f"| {nodes} | {' | '.join(map(str, cells))} |"


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


def home(sizes: Sizes) -> Iterator[str]:
    """Slots of all levels, and at the largest size the most hops of a message and messages on a channel."""
    yield f"| | {' | '.join(map(str, sizes))} | hops | load |"
    yield "|---" * (len(sizes) + 3) + "|"
    for label, name, routing, places in HOME:
        totals = []
        for nodes in sizes:
            levels = per_level(network(name, nodes), routing, places(nodes))
            totals.append(sum(map(slots, levels)))
        hops, load = max(paths.hops.max() for paths in levels), max(map(_load, levels))
        yield f"| {label} | {' | '.join(map(str, totals))} | {hops} | {load} |"


def home_one_port(sizes: Sizes) -> Iterator[str]:
    """The same slots if a node sends one message and receives one at a time."""
    yield f"| | {' | '.join(map(str, sizes))} |"
    yield "|---" * (len(sizes) + 1) + "|"
    for label, name, routing, places in HOME:
        totals = []
        for nodes in sizes:
            found = network(name, nodes)
            totals.append(sum(slots(one, found) for one in per_level(found, routing, places(nodes))))
        yield f"| {label} | {' | '.join(map(str, totals))} |"


def levels(sizes: Sizes) -> Iterator[str]:
    """Level by level on SENN, routing greedy, at the largest size."""
    found = per_level(paper(sizes[-1]), "greedy", identity(sizes[-1]))
    yield f"| level | {' | '.join(str(level) for level in range(1, len(found) + 1))} |"
    yield "|---" * (len(found) + 1) + "|"
    rows = (
        ("most hops", [str(paths.hops.max()) for paths in found]),
        ("mean hops", [f"{paths.hops.mean():.1f}" for paths in found]),
        ("most messages on a channel", [str(_load(paths)) for paths in found]),
        ("slots", [str(slots(paths)) for paths in found]),
    )
    for label, cells in rows:
        yield f"| {label} | {' | '.join(cells)} |"


def _load(paths: Paths) -> int:
    """The most messages on a channel."""
    return int(np.bincount(paths.channels).max())


# -------------------------------------------------------------------------- the whole machine


def makespans(sizes: Sizes) -> Iterator[str]:
    """Thousands of cycles of the whole program, form paper, machine mark3."""
    sizes = [nodes for nodes in sizes if nodes in (8, 64)]
    heads = [f"{nodes} {residency}" for nodes in sizes for residency in ("home", "migrating")]
    yield f"| network | routing | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 2) + "|"
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
        yield f"| {label} | {settings['machine.routing']} | {' | '.join(cells)} |"


def _makespan(n: int, residency: str, settings: dict[str, str]) -> int:
    return int(senn.steps([n], residency=residency, set=settings)["makespan"][0])  # type: ignore[arg-type]


TABLES: dict[str, Callable[[Sizes], Iterator[str]]] = {
    "graphs": graphs,
    "migration": migration,
    "home": home,
    "home_one_port": home_one_port,
    "levels": levels,
    "makespans": makespans,
}


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
