"""The network inside one array, as a graph; its directed channels, and minimal routes over them.

The shuffle-exchange network with nearest neighbours (SENN) of Fijany VI.B, Fig. 2: N = 2^m nodes and

* exchange wires (2k, 2k+1), dashed in the figure;
* neighbor wires (2k+1, 2k+2), which turn the exchange wires into the line 0-1-...-(N-1), not a ring;
* shuffle wires p -> rotl(p), solid; rotl is the rotation of the m address bits, so 0 and N-1 have none.

Every wire carries two channels, one per direction; un-shuffling is going backward on shuffle wires.
Parallel wires are separate: the arc 1 -> 2 and the neighbor wire 1-2 are two, and for even m the arcs
between 0101.. and 1010.. are two wires as well.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.traces.errors import InputError

Integers: TypeAlias = NDArray[np.signedinteger[Any]]
Routing: TypeAlias = Literal["lowest", "greedy"]

KINDS = ("exchange", "neighbor", "shuffle")
DIRECTIONS = ("forward", "backward")


def rotl(p: ArrayLike, m: int) -> Integers:
    """The shuffle: the m-bit addresses `p` (any shape) rotated one bit to the left, 2p mod (2^m - 1)."""
    p = np.asarray(p, dtype=np.int64)
    return ((p << 1) & ((1 << m) - 1)) | (p >> (m - 1)) if m > 0 else p


def rotr(p: ArrayLike, m: int) -> Integers:
    """The un-shuffle, inverse of `rotl`: the m-bit addresses `p` rotated one bit to the right."""
    p = np.asarray(p, dtype=np.int64)
    return (p >> 1) | ((p & 1) << (m - 1)) if m > 0 else p


def unshuffle(p: ArrayLike, nodes: int) -> Integers:
    """The un-shuffle of an even number of nodes, inverse of p -> 2p mod (nodes - 1); `rotr` for 2^m nodes."""
    p = np.asarray(p, dtype=np.int64)
    return np.where(p % 2 == 0, p // 2, (p + nodes - 1) // 2)


def senn(nodes: int) -> nx.MultiDiGraph:
    """The network of one array of `nodes` = 2^m >= 1 nodes (Fijany Fig. 2); one node has no wires.

    An edge is a channel; its key is the wire "kind:a-b" with the ends as built (for a shuffle wire the
    source and destination of the arc). Attributes: kind, wire, and direction, "forward" from a to b.
    There are 2N-3 wires for N >= 2.

    >>> senn(8).edges[4, 1, "shuffle:4-1"]["direction"]
    'forward'
    """
    if nodes < 1 or nodes & (nodes - 1):
        raise InputError(f"a SENN has a power of two of nodes, not {nodes}: take 1, 2, 4, 8, ...")
    m = nodes.bit_length() - 1
    graph = nx.MultiDiGraph(name="senn")
    graph.add_nodes_from(range(nodes))
    wires = [("exchange", a, a + 1) for a in range(0, nodes - 1, 2)]
    wires += [("neighbor", a, a + 1) for a in range(1, nodes - 1, 2)]
    wires += [("shuffle", a, int(rotl(a, m))) for a in range(1, nodes - 1)]
    for kind, a, b in wires:
        wire = f"{kind}:{a}-{b}"
        graph.add_edge(a, b, key=wire, kind=kind, wire=wire, direction="forward")
        graph.add_edge(b, a, key=wire, kind=kind, wire=wire, direction="backward")
    return graph


@dataclass(frozen=True, eq=False)
class Channels:
    """All directed channels of one array as parallel columns; a channel is a position in them.

    Canonical order: exchange, neighbor, shuffle; within a kind by the ends as built; forward, backward.
    Arrays share the network, so a channel of the machine is (array, wire, direction).
    """

    nodes: int
    source: Integers
    target: Integers
    kind: tuple[str, ...]
    wire: tuple[str, ...]
    direction: tuple[str, ...]
    index: Mapping[tuple[str, str], int]  # (wire, direction) -> channel

    def __len__(self) -> int:
        return len(self.wire)

    def unshuffle_channel(self, node: int) -> int | None:
        """The channel of the move node -> rotr(node): backward on the shuffle wire rotr(node) -> node.

        A source route: the shuffle wire is taken even where a neighbor wire runs parallel. None where
        the move is a loop, at 0 and N-1 (the value stays).
        """
        origin = int(rotr(node, self.nodes.bit_length() - 1))
        return None if origin == node else self.index[f"shuffle:{origin}-{node}", "backward"]


def channels(graph: nx.MultiDiGraph) -> Channels:
    """The channels of `graph` in canonical order; the nodes are 0..N-1."""

    def canonical(edge: tuple[int, int, Any]) -> tuple[int, int, int, int]:
        a, b, attributes = edge
        backward = DIRECTIONS.index(attributes["direction"])
        return (KINDS.index(attributes["kind"]), *((b, a) if backward else (a, b)), backward)

    edges = sorted(graph.edges(data=True), key=canonical)
    kind, wire, direction = (
        tuple(attributes[name] for _, _, attributes in edges) for name in ("kind", "wire", "direction")
    )
    return Channels(
        nodes=len(graph),
        source=np.array([a for a, _, _ in edges], dtype=np.int64),
        target=np.array([b for _, b, _ in edges], dtype=np.int64),
        kind=kind,
        wire=wire,
        direction=direction,
        index=dict(zip(zip(wire, direction, strict=True), range(len(edges)), strict=True)),
    )


@dataclass(frozen=True, eq=False)
class Paths:
    """Routes of many messages: message k crosses channels[offsets[k]:offsets[k+1]], in this order."""

    offsets: Integers  # (messages + 1,)
    channels: Integers  # (hops in all,)

    @property
    def hops(self) -> Integers:
        """(messages,) channels crossed by each message: its dilation."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, message: int) -> Integers:
        return self.channels[self.offsets[message] : self.offsets[message + 1]]

    def __iter__(self) -> Iterator[Integers]:
        return (self[message] for message in range(len(self)))


class Router:
    """Minimal routes in one array; tables are built at the first use and kept.

    `lowest`: the next hop is the lowest-numbered neighbour on a shortest path. `greedy`: the least loaded
    so far of these neighbours, the lowest-numbered of equals; loads are 0 at the start of every call of
    `paths` and grow in the order of the call. Of parallel channels the hop takes exchange, else neighbor,
    else the shuffle arc built in its direction, else backward the arc built against it.

    Routes of two hops and more need a table of N x N distances of two bytes: N up to a few thousand.
    """

    def __init__(self, graph: nx.MultiDiGraph, routing: Routing = "lowest") -> None:
        if routing not in ("lowest", "greedy"):
            raise InputError(f'routing "{routing}" is not supported yet: choose lowest or greedy')
        self.channels = channels(graph)
        self.routing = routing

    @cached_property
    def _next(self) -> tuple[Integers, Integers]:
        """(N, degree) distinct neighbours, ascending, and the channel to each; -1 fills the rows."""
        table = self.channels
        preferred: list[dict[int, int]] = [{} for _ in range(table.nodes)]
        order = sorted(
            range(len(table)), key=lambda c: (KINDS.index(table.kind[c]), table.direction[c] == "backward")
        )
        for channel in order:
            preferred[table.source[channel]].setdefault(int(table.target[channel]), channel)
        degree = max(1, max(map(len, preferred)))
        neighbours = np.full((table.nodes, degree), -1, dtype=np.int64)
        crossed = neighbours.copy()
        for node, found in enumerate(preferred):
            neighbours[node, : len(found)] = sorted(found)
            crossed[node, : len(found)] = [found[q] for q in sorted(found)]
        return neighbours, crossed

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """(N, N) hops from row to column over shortest paths; -1 where there is no path."""
        neighbours, _ = self._next
        nodes = self.channels.nodes
        # One breadth-first search from all targets at once: after k rounds reached[p, q] iff d(p, q) <= k.
        reached = np.zeros((nodes + 1, nodes), dtype=np.bool_)  # row -1 stands for "no neighbour"
        np.fill_diagonal(reached, True)
        distances = np.where(reached[:-1], 0, -1).astype(np.int16)
        for hops in range(1, nodes):
            new = reached[neighbours.T].any(axis=0) & ~reached[:-1]
            if not new.any():
                break
            distances[new] = hops
            reached[:-1] |= new
        return distances

    def paths(self, sources: ArrayLike, targets: ArrayLike) -> Paths:
        """Routes from sources[k] to targets[k], both (messages,); equal ends make a route of no hop."""
        here, there = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
        ends, nodes = np.concatenate([here, there]), self.channels.nodes
        if (outside := ends[(ends < 0) | (ends >= nodes)]).size:
            raise InputError(f"node {outside[0]} is outside the network: its nodes are 0..{nodes - 1}")
        hops = np.where(here == there, 0, 1)
        # Neighbours need no distance table: migrating traffic can be routed in networks of any size.
        far = (here != there) & (self._next[0][here] != there[:, None]).all(axis=1)
        if far.any():
            hops[far] = self.distances[here[far], there[far]]
        if (cut := np.flatnonzero(hops < 0)).size:
            raise InputError(f"no path leads from node {here[cut[0]]} to node {there[cut[0]]}")
        walk = self._walk_lowest if self.routing == "lowest" else self._walk_greedy
        return Paths(np.concatenate([[0], np.cumsum(hops)]), walk(here, there, hops))

    def _walk_lowest(self, sources: Integers, targets: Integers, hops: Integers) -> Integers:
        neighbours, crossed = self._next
        here, left, end = sources.copy(), hops.copy(), np.cumsum(hops)
        taken = np.empty(hops.sum(), dtype=np.int64)
        while (moving := np.flatnonzero(left)).size:
            options, there = neighbours[here[moving]], targets[moving, None]
            nearer = options == there
            far = left[moving] > 1
            if far.any():
                to_go = self.distances[options[far], there[far]]
                nearer[far] = (to_go == left[moving][far, None] - 1) & (options[far] >= 0)
            first = nearer.argmax(axis=1)
            taken[end[moving] - left[moving]] = crossed[here[moving], first]
            here[moving] = options[np.arange(moving.size), first]
            left[moving] -= 1
        return taken

    def _walk_greedy(self, sources: Integers, targets: Integers, hops: Integers) -> Integers:
        neighbours, crossed = (table.tolist() for table in self._next)
        load = [0] * len(self.channels)
        taken: list[int] = []
        for p, there, distance in zip(sources.tolist(), targets.tolist(), hops.tolist(), strict=True):
            for left in range(distance - 1, -1, -1):
                _, p, channel = min(
                    (load[channel], q, channel)
                    for q, channel in zip(neighbours[p], crossed[p], strict=True)
                    if q == there or (left > 0 and q >= 0 and self.distances[q, there] == left)
                )
                load[channel] += 1
                taken.append(channel)
        return np.array(taken, dtype=np.int64)


def slots(paths: Paths) -> int:
    """Slots until all messages have arrived, all injected at slot 0, one message per channel and slot.

    A channel serves first come, first served: by the slot of arrival at it, then by message number.
    """
    position, end = paths.offsets[:-1].copy(), paths.offsets[1:]
    arrived = np.zeros(len(paths), dtype=np.int64)
    slot = 0
    while (waiting := np.flatnonzero(position < end)).size:
        slot += 1
        # Stable: message numbers stay ascending among equal arrivals; `unique` keeps the first of a channel.
        queue = waiting[np.argsort(arrived[waiting], kind="stable")]
        _, head = np.unique(paths.channels[position[queue]], return_index=True)
        served = queue[head]
        position[served] += 1
        arrived[served] = slot
    return slot
