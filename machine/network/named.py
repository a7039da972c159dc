"""The networks inside one array: functions from the number of nodes to the channels between them.

`senn` is the machine of Fijany VI.B, Fig. 2, the shuffle-exchange network with nearest neighbours; the others
serve for comparison, and a user's own network comes from a file. Nodes are 0..N-1. Every wire
carries two channels, one per direction, unless stated otherwise. `Channels.graph()` is the network for
networkx.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO

import numpy as np
from numpy.typing import ArrayLike

from senn.base import files
from senn.base.errors import InputError, suggestion
from senn.machine.network import topology
from senn.machine.network.topology import DIRECTIONS, KINDS, Channels, Shuffle

LARGEST = {"full": 2048}
"""The most nodes of a network whose wires would not fit otherwise; of all others LARGEST_OF_ALL."""
LARGEST_OF_ALL = 2**20


def senn(nodes: int, shuffle: Shuffle = "both", merge_parallel: bool = False) -> Channels:
    """The paper's network, for one node or an even number of them.

    * exchange wires (2k, 2k+1), dashed in the figure;
    * neighbor wires (2k+1, 2k+2), which turn the exchange wires into the line 0-1-...-(N-1), not a ring;
    * shuffle wires p -> 2p mod (N-1), solid; for N = 2^m the m address bits rotated; 0 and N-1 have none.

    There are 2N-3 wires, at most four at a node. `shuffle` says which way shuffle wires carry messages: both,
    forward (the shuffle) or inverse (the un-shuffle) only. Some wires are parallel: the arc 1 -> 2 and the
    neighbor wire 1-2, and for even m the two arcs between 0101.. and 1010..; `merge_parallel` makes them one.
    """
    return _shuffling("senn", nodes, shuffle, merge_parallel, line=True)


def shuffle_exchange(nodes: int, shuffle: Shuffle = "both", merge_parallel: bool = False) -> Channels:
    """Stone's network: the exchange and shuffle wires of `senn` without the neighbor wires."""
    return _shuffling("shuffle-exchange", nodes, shuffle, merge_parallel, line=False)


def hypercube(nodes: int) -> Channels:
    """Cube wires between any two nodes whose addresses differ in one bit; N = 2^m, m wires at a node."""
    if nodes & (nodes - 1):
        below = 1 << (nodes.bit_length() - 1)
        raise InputError(
            f"the network hypercube has a power of two of nodes, not {nodes}: take {below} or {2 * below}"
        )
    p, bit = np.arange(nodes)[:, None], 1 << np.arange(nodes.bit_length() - 1)
    node, k = np.nonzero(p & bit == 0)
    return wired("hypercube", nodes, [("cube", node, node | bit[k])])


def ring(nodes: int) -> Channels:
    """Neighbor wires 0-1-...-(N-1)-0; two nodes have one wire."""
    a = np.arange(nodes if nodes > 2 else nodes - 1)
    return wired("ring", nodes, [("neighbor", a, (a + 1) % nodes)])


def line(nodes: int) -> Channels:
    """Neighbor wires 0-1-...-(N-1)."""
    a = np.arange(nodes - 1)
    return wired("line", nodes, [("neighbor", a, a + 1)])


def mesh(nodes: int) -> Channels:
    """A rectangle of `shape(nodes)`, node = row * columns + column, with row and column wires."""
    return _rectangle("mesh", nodes)


def torus(nodes: int) -> Channels:
    """A mesh whose rows and columns of three nodes and more are rings."""
    return _rectangle("torus", nodes)


def full(nodes: int) -> Channels:
    """A link between any two nodes."""
    return wired("full", nodes, [("link", *np.triu_indices(nodes, 1))])


def shape(nodes: int) -> tuple[int, int]:
    """Rows and columns of a mesh or torus: as square as `nodes` allows, not more rows than columns.

    2^m nodes have 2^floor(m/2) rows and 2^ceil(m/2) columns; a prime number of nodes is one row.

    >>> [shape(nodes) for nodes in (8, 12, 64, 7)]
    [(2, 4), (3, 4), (8, 8), (1, 7)]
    """
    rows = next(rows for rows in range(math.isqrt(nodes), 0, -1) if nodes % rows == 0)
    return rows, nodes // rows


PLAIN: Mapping[str, Callable[[int], Channels]] = {
    build.__name__: build for build in (hypercube, ring, line, mesh, torus, full)
}
SHUFFLING: Mapping[str, Callable[[int, Shuffle, bool], Channels]] = {
    "senn": senn,
    "shuffle-exchange": shuffle_exchange,
}
NETWORKS = (*SHUFFLING, *PLAIN)
PURPOSES: Mapping[str, str] = {
    "senn": "the paper's: with migration partners are neighbours",
    "shuffle-exchange": "senn without neighbor wires, to see their effect",
    "hypercube": "of the Mark III and the iPSC; its wires grow with log N",
    "ring": "the fewest wires that close",
    "line": "the fewest wires",
    "mesh": "of the MasPar (there with diagonals) and Raw: short wires, many hops",
    "torus": "a mesh that closes",
    "full": "any two nodes are neighbours: the bound for all others",
}


def network(name: str, nodes: int, shuffle: Shuffle = "both", merge_parallel: bool = False) -> Channels:
    """The network of a name, or of a graph file, with `nodes` nodes.

    Raises InputError for an unknown name and for a number of nodes that the network cannot have. `shuffle`
    and `merge_parallel` belong to senn and shuffle-exchange."""
    largest = LARGEST.get(name, LARGEST_OF_ALL)
    if not 1 <= nodes <= largest:
        raise InputError(f"the network {name} has 1 to {largest:,} nodes here, not {nodes:,}")
    if name in SHUFFLING:
        return SHUFFLING[name](nodes, shuffle, merge_parallel)
    if name in PLAIN:
        return PLAIN[name](nodes)
    graph = read_graph(name)
    if graph.nodes != nodes:
        raise InputError(
            f"{name}: the graph has {graph.nodes} nodes, not {nodes}: leave machine.nodes out, or write 0"
        )
    return graph


def nodes_of(name: str, nodes: int, needed: int) -> int:
    """Number of nodes of a machine's network: `nodes`; if 0, those of its graph file, else `needed`."""
    if nodes or name in NETWORKS:
        return nodes or needed
    return read_graph(name).nodes


def _shuffling(name: str, nodes: int, shuffle: Shuffle, merge_parallel: bool, *, line: bool) -> Channels:
    if nodes < 1 or (nodes % 2 and nodes > 1):
        raise InputError(
            f"the network {name} has an even number of nodes, or one, not {nodes}: take {max(2, nodes + 1)}"
        )
    even, odd, inner = (np.arange(first, nodes - 1, step) for first, step in ((0, 2), (1, 2), (1, 1)))
    wires = [("exchange", even, even + 1), ("shuffle", inner, topology.shuffle(inner, nodes))]
    if line:
        wires.append(("neighbor", odd, odd + 1))
    return wired(name, nodes, wires, shuffles=shuffle, merge_parallel=merge_parallel)


def _rectangle(name: str, nodes: int) -> Channels:
    rows, columns = shape(nodes)
    place = np.arange(nodes).reshape(rows, columns)
    wires = [("row", place[:, :-1], place[:, 1:]), ("column", place[:-1], place[1:])]
    if name == "torus" and columns > 2:
        wires.append(("row", place[:, -1], place[:, 0]))
    if name == "torus" and rows > 2:
        wires.append(("column", place[-1], place[0]))
    return wired(name, nodes, wires)


# ------------------------------------------------------------ from wires to channels


def wired(
    network: str,
    nodes: int,
    wires: Sequence[tuple[str, ArrayLike, ArrayLike]],
    *,
    shuffles: Shuffle | None = None,
    one_way: bool = False,
    merge_parallel: bool = False,
) -> Channels:
    """The channels of wires (kind, a, b), a and b columns of nodes; in both directions unless `one_way`.

    With `shuffles` "forward" or "inverse" the shuffle wires have the channel of that direction only. With
    `merge_parallel` there is one wire between any two nodes, the first in canonical order, and it carries
    every direction that one of them did.
    """
    columns = [(np.full(np.size(a), KINDS.index(kind)), np.ravel(a), np.ravel(b)) for kind, a, b in wires]
    none = np.zeros(0, dtype=np.int64)
    kinds, a, b = (np.concatenate([none, *column]) for column in zip(*columns, strict=True))
    order = np.argsort((kinds * nodes + a) * nodes + b, kind="stable")
    kinds, a, b = kinds[order], a[order], b[order]
    carried = np.ones((len(kinds), len(DIRECTIONS)), dtype=np.bool_)
    carried[:, 1] = not one_way
    if shuffles in ("forward", "inverse"):
        carried[kinds == KINDS.index("shuffle"), int(shuffles == "forward")] = False
    if merge_parallel:
        pairs = np.minimum(a, b) * nodes + np.maximum(a, b)
        _, first, pair = np.unique(pairs, return_index=True, return_inverse=True)
        kept = first[pair]
        turned = a != a[kept]  # built the other way round than the wire that is kept
        merged = np.zeros_like(carried)
        for direction in range(len(DIRECTIONS)):
            np.logical_or.at(merged, (kept, turned ^ direction), carried[:, direction])
        left = np.sort(first)
        kinds, a, b, carried = kinds[left], a[left], b[left], merged[left]
    wire, backward = np.nonzero(carried)
    ends = np.stack([a, b], axis=1)
    return Channels(
        network=network,
        nodes=nodes,
        source=ends[carried],
        target=ends[:, ::-1][carried],
        kind_number=kinds[wire],
        wire_number=wire,
        backward=backward.astype(np.bool_),
        shuffles=shuffles,
    )


# ------------------------------------------------------------ networks from files
# A graph file is GraphML or an edge list. The nodes are named 0..N-1. An edge list has one directed channel a
# line, "a b". In GraphML an edge of a directed graph is one channel, an edge of an undirected graph a wire
# with two, one in each direction. All wires are alike, and a route takes one channel between two nodes: a
# weight other than 1 and a second channel are refused. Other attributes, and text after a #, are not read.

GRAPH_ENDINGS = (".graphml", ".edges", ".edgelist")


def is_graph_file(network: str) -> bool:
    """Whether the network of a machine is the path of a graph file."""
    return network.lower().endswith(GRAPH_ENDINGS)


def read_graph(path: str) -> Channels:
    """The channels of a graph file, all of kind "link"; the name of the network is the path as given."""
    if not is_graph_file(path):
        raise InputError(
            f'network "{path}" is not known: choose {", ".join(NETWORKS)} or a file '
            f"{', '.join(GRAPH_ENDINGS)}{suggestion(path, NETWORKS)}"
        )
    named, weighted, directed = (_graphml if path.lower().endswith(".graphml") else _edge_list)(path)
    nodes = len(named)
    if not nodes:
        raise InputError(f"{path}: the graph has no nodes: write at least one")
    if missing := set(range(nodes)) - named:
        raise InputError(
            f"{path}: the graph has {nodes} nodes, but none of them is {min(missing)}: "
            f"name them 0..{nodes - 1}"
        )
    edges: set[tuple[int, ...]] = set()
    for a, b, weight in weighted:
        if a == b:
            raise InputError(f"{path}: an edge leads from node {a} to itself: leave it out, nothing uses it")
        if weight not in (1, "1", "1.0"):
            raise InputError(
                f"{path}: the edge from node {a} to node {b} has weight {weight}, but on all wires a word "
                "takes timing.word cycles: leave the weight out"
            )
        if (ends := (a, b) if directed else (min(a, b), max(a, b))) in edges:
            raise InputError(
                f"{path}: a second edge leads from node {a} to node {b}, and every message would take the "
                "first: leave it out, as networkx.DiGraph(graph) does"
            )
        edges.add(ends)
    sources, targets = ([edge[:2][end] for edge in weighted] for end in (0, 1))
    return wired(path, nodes, [("link", sources, targets)], one_way=directed)


_Graph = tuple[set[int], list[tuple[int, int, object]], bool]
"""Nodes, edges with their weights, and whether they are directed."""


def _graphml(path: str) -> _Graph:
    import networkx as nx
    from defusedxml import ElementTree as defused

    content = files.content(path)
    try:
        defused.fromstring(content)  # refuses entities; networkx reads any XML
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about attributes, which are not read
            graph = nx.read_graphml(BytesIO(content))
    except Exception as error:  # networkx trusts a file: whatever it stumbles on is its reader's message
        reason = " ".join(f"{type(error).__name__} {error}".split())
        raise InputError(f"{path}: this is no GraphML that networkx reads: {reason}") from None
    edges = [
        (_node(path, a), _node(path, b), weight) for a, b, weight in graph.edges(data="weight", default=1)
    ]
    return {_node(path, p) for p in graph}, edges, graph.is_directed()


def _edge_list(path: str) -> _Graph:
    edges = []
    for number, line in enumerate(files.text(path).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if len(words) == 1:
            raise InputError(f'{path}: line {number} is "{words[0]}": write two nodes, from and to')
        if words:
            where = f"{path}: line {number}"
            weight = _WEIGHT.match(" ".join(words[2:]))
            edges.append((_node(where, words[0]), _node(where, words[1]), weight[1] if weight else 1))
    return {node for edge in edges for node in edge[:2]}, edges, True


_WEIGHT = re.compile(r"(?:.*\bweight\W+|(?=[-+.\d]))([^\s,;}'\"]+)")
"""The rest of a line with a weight, as networkx writes it: "3", or "{'weight': 3}"."""


def _node(where: str, name: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) < 10):
        raise InputError(f'{where}: node "{name}": name the nodes 0, 1, 2, ... without gaps')
    return int(name)
