"""The networks inside one array: functions from the number of nodes to the channels between them.

`senn` is the machine of Fijany VI.B, Fig. 2, the shuffle-exchange network with nearest neighbours; the others
are what it is compared with, and a network of one's own comes from a file. Nodes are 0..N-1. Every wire
carries two channels, one per direction, where nothing else is said. `Channels.graph()` is the network for
networkx.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from senn.machine.network import topology
from senn.machine.network.graph_files import GRAPH_ENDINGS, is_graph_file, read_graph
from senn.machine.network.layout import wired
from senn.machine.network.topology import Channels, Shuffle
from senn.traces.errors import InputError

LARGEST = {"full": 2048}
"""The most nodes of a network whose wires would not fit otherwise; of all others LARGEST_OF_ALL."""
LARGEST_OF_ALL = 2**20


def senn(nodes: int, shuffle: Shuffle = "both", merge_parallel: bool = False) -> Channels:
    """The paper's network, for one node or an even number of them.

    * exchange wires (2k, 2k+1), dashed in the figure;
    * neighbor wires (2k+1, 2k+2), which turn the exchange wires into the line 0-1-...-(N-1), not a ring;
    * shuffle wires p -> 2p mod (N-1), solid; for N = 2^m the m address bits rotated; 0 and N-1 have none.

    That are 2N-3 wires, at most four at a node. `shuffle` says which way shuffle wires carry messages: both,
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
        raise InputError(
            f"the network hypercube has a power of two of nodes, not {nodes}: take {_below(nodes)} or "
            f"{2 * _below(nodes)}"
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
    """A rectangle of `shape(nodes)`, node = row * columns + column; row wires lie in a row, column wires in a
    column."""
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
    "hypercube": hypercube,
    "ring": ring,
    "line": line,
    "mesh": mesh,
    "torus": torus,
    "full": full,
}
SHUFFLING: Mapping[str, Callable[[int, Shuffle, bool], Channels]] = {
    "senn": senn,
    "shuffle-exchange": shuffle_exchange,
}
NETWORKS = (*SHUFFLING, *PLAIN)
PURPOSES: Mapping[str, str] = {
    "senn": "the paper's: with migration partners are neighbours",
    "shuffle-exchange": "the same without neighbor wires: what they are worth",
    "hypercube": "of the Mark III and the iPSC; its wires grow with log N",
    "ring": "the fewest wires that close",
    "line": "the fewest wires",
    "mesh": "of the MasPar (there with diagonals) and Raw: short wires, many hops",
    "torus": "a mesh that closes",
    "full": "any two nodes are neighbours: the bound for all others",
}


def network(name: str, nodes: int, shuffle: Shuffle = "both", merge_parallel: bool = False) -> Channels:
    """The network of a name, or of a graph file, with `nodes` nodes.

    Raises InputError where there is no network of this name with so many nodes. `shuffle` and
    `merge_parallel` belong to senn and shuffle-exchange.
    """
    largest = LARGEST.get(name, LARGEST_OF_ALL)
    if not 1 <= nodes <= largest:
        raise InputError(f"the network {name} has 1 to {largest:,} nodes here, not {nodes:,}")
    if name in SHUFFLING:
        return SHUFFLING[name](nodes, shuffle, merge_parallel)
    if name in PLAIN:
        return PLAIN[name](nodes)
    found = _file(name)
    if found.nodes != nodes:
        raise InputError(
            f"{name}: the graph has {found.nodes} nodes, not {nodes}: leave machine.nodes out, or write 0"
        )
    return found


def nodes_of(name: str, nodes: int, needed: int) -> int:
    """How many nodes the network of a machine has: `nodes` of them; if that is 0, those of the graph file, or
    as many as `needed`."""
    if nodes or name in NETWORKS:
        return nodes or needed
    return _file(name).nodes


def _file(name: str) -> Channels:
    if not is_graph_file(name):
        raise InputError(
            f'network "{name}" is not known: choose {", ".join(NETWORKS)} or a file '
            f"{', '.join(GRAPH_ENDINGS)}"
        )
    return read_graph(name)


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
    wires = [
        ("row", place[:, :-1], place[:, 1:]),
        ("column", place[:-1], place[1:]),
    ]
    if name == "torus" and columns > 2:
        wires.append(("row", place[:, -1], place[:, 0]))
    if name == "torus" and rows > 2:
        wires.append(("column", place[-1], place[0]))
    return wired(name, nodes, wires)


def _below(nodes: int) -> int:
    """The largest power of two that is not above `nodes`."""
    return 1 << (nodes.bit_length() - 1)
