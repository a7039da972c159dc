"""Routes inside one array: the shortest of any network, and the ways that belong to one network.

| routing | network | |
|---|---|---|
| lowest | any | a shortest path; the next hop is the lowest-numbered neighbour that lies on one |
| greedy | any | a shortest path; the next hop is the least loaded so far of these neighbours |
| e-cube | hypercube | the lowest address bit that differs first |
| xy | mesh, torus | along the row, then along the column; in a torus the shorter way round |
| conjugate | senn | un-shuffle k times, one hop along the line, shuffle back; or the other way round |
| bit-by-bit | shuffle-exchange | shuffle, with an exchange wherever the bit that comes last differs |

Only the first two need a table of distances; the others are formulas and serve networks of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.base.errors import InputError
from senn.machine.network.named import shape
from senn.machine.network.topology import Channels, Integers, Paths, Truth, assembled, shuffle, unshuffle
from senn.traces.naming import listed

Routing: TypeAlias = Literal["lowest", "greedy", "e-cube", "xy", "conjugate", "bit-by-bit"]

SHORTEST = ("lowest", "greedy")
TABLE_UP_TO = 2**14
"""The most nodes of a network with a table of distances: two bytes for each pair of nodes."""


class Router:
    """Routes in one array; tables are built at the first use and kept.

    Loads of `greedy` are 0 at the start of every call of `paths` and grow in the order of the call.
    """

    def __init__(self, channels: Channels, routing: Routing = "lowest") -> None:
        refuse_foreign(routing, channels.network, channels.shuffles)
        if routing in ("conjugate", "bit-by-bit") and channels.nodes & (channels.nodes - 1):
            raise InputError(
                f'routing "{routing}" turns the bits of an address, so it needs a power of two of nodes, not '
                f"{channels.nodes}: choose lowest or greedy"
            )
        self.channels = channels
        self.routing = routing

    def paths(self, sources: ArrayLike, targets: ArrayLike) -> Paths:
        """Routes from sources[k] to targets[k], both (messages,); equal ends make a route of no hop."""
        sources, targets = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
        ends, nodes = np.concatenate([sources, targets]), self.channels.nodes
        if (outside := ends[(ends < 0) | (ends >= nodes)]).size:
            raise InputError(f"node {outside[0]} is outside the network: its nodes are 0..{nodes - 1}")
        if self.routing in SHORTEST:
            return self._shortest(sources, targets)
        return assembled(len(sources), FORMULAS[self.routing][0](self.channels, sources, targets))

    @cached_property
    def _next(self) -> tuple[Integers, Integers]:
        """(N, degree) distinct neighbours, ascending, and the channel to each; -1 fills the rows."""
        pairs, channels = self.channels.neighbours
        source, target = np.divmod(pairs, self.channels.nodes)
        return _rows(source, target, self.channels.nodes), _rows(source, channels, self.channels.nodes)

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """(N, N) hops from row to column over shortest paths; -1 where there is no path."""
        nodes = self.channels.nodes
        if nodes > TABLE_UP_TO:
            ways = [f"routing {name}" for name, of in BELONGS.items() if self.channels.network in of]
            raise InputError(
                f'routing "{self.routing}" over several hops needs a table of all distances, and that of '
                f"{nodes:,} nodes does not fit (at most {TABLE_UP_TO:,}): take "
                f"{', '.join([*ways, 'residency migrating, whose partners are neighbours on a senn'])}, "
                "or fewer nodes"
            )
        pairs, _ = self.channels.neighbours
        source, target = np.divmod(pairs, nodes)
        by_target = np.argsort(target, kind="stable")
        before = _rows(target[by_target], source[by_target], nodes)  # nodes one hop before each, then -1
        distances = np.full((nodes, nodes), -1, dtype=np.int16)
        # Breadth-first, backward, from as many targets at once as keep the working memory small. A state is
        # node * size + column, size the targets.
        block = max(1, 2**20 // nodes)
        for first in range(0, nodes, block):
            size = min(block, nodes - first)
            distance, last_index = np.full(nodes * size, -1, dtype=np.int16), np.empty(nodes * size, np.int64)
            newest, hops = np.arange(first, first + size) * size + np.arange(size), 0
            while newest.size:
                distance[newest] = hops
                hops += 1
                node, column = np.divmod(newest, size)
                reached = (before[node] * size + column[:, None])[before[node] >= 0]
                reached = reached[distance[reached] < 0]
                last_index[reached] = np.arange(len(reached))  # of equal states the last
                newest = reached[last_index[reached] == np.arange(len(reached))]
            distances[:, first : first + size] = distance.reshape(nodes, size)
        return distances

    def _shortest(self, sources: Integers, targets: Integers) -> Paths:
        hops = np.where(sources == targets, 0, 1)
        direct = self.channels.between(sources, targets)
        far = (sources != targets) & (direct < 0)
        # Neighbours need no distance table: migrating traffic can be routed in networks of any size.
        if not far.any():
            return Paths.of(hops, direct[hops > 0])
        hops[far] = self.distances[sources[far], targets[far]]
        if (cut := np.flatnonzero(hops < 0)).size:
            raise InputError(
                f"no path leads from node {sources[cut[0]]} to node {targets[cut[0]]} in network "
                f"{self.channels.network}: add a channel, or allocate the processes elsewhere"
            )
        walk = self._walk_lowest if self.routing == "lowest" else self._walk_greedy
        return Paths.of(hops, walk(sources, targets, hops))

    def _walk_lowest(self, sources: Integers, targets: Integers, hops: Integers) -> Integers:
        route_channels = np.empty(hops.sum(), dtype=np.int64)
        end = np.cumsum(hops)
        last = np.flatnonzero(hops == 1)
        route_channels[end[last] - 1] = self.channels.between(sources[last], targets[last])
        here, left = sources.copy(), np.where(hops == 1, 0, hops)
        while (moving := np.flatnonzero(left)).size:
            neighbours, crossed = self._next
            options, to_go = neighbours[here[moving]], left[moving, None] - 1
            nearer = (self.distances[options, targets[moving, None]] == to_go) & (options >= 0)
            first = nearer.argmax(axis=1)
            route_channels[end[moving] - left[moving]] = crossed[here[moving], first]
            here[moving] = options[np.arange(moving.size), first]
            left[moving] -= 1
        return route_channels

    def _walk_greedy(self, sources: Integers, targets: Integers, hops: Integers) -> Integers:
        neighbours, crossed = (table.tolist() for table in self._next)
        load = [0] * len(self.channels)
        route_channels: list[int] = []
        for p, there, distance in zip(sources.tolist(), targets.tolist(), hops.tolist(), strict=True):
            for left in range(distance - 1, -1, -1):
                _, p, channel = min(
                    (load[channel], q, channel)
                    for q, channel in zip(neighbours[p], crossed[p], strict=True)
                    if q == there or (left > 0 and q >= 0 and self.distances[q, there] == left)
                )
                load[channel] += 1
                route_channels.append(channel)
        return np.array(route_channels, dtype=np.int64)


def refuse_foreign(routing: str, network: str, shuffles: str | None = "both") -> None:
    """Refuse a routing that does not exist, or not in this network."""
    if routing not in (*SHORTEST, *BELONGS):
        raise InputError(f'routing "{routing}" is not known: choose {listed([*SHORTEST, *BELONGS], "or")}')
    if network not in BELONGS.get(routing, (network,)):
        choice = [*SHORTEST, *(name for name, networks in BELONGS.items() if network in networks)]
        raise InputError(
            f'routing "{routing}" belongs to the network {" or ".join(BELONGS[routing])}, not to {network}: '
            f"choose {listed(choice, 'or')}"
        )
    if routing in ("conjugate", "bit-by-bit") and shuffles != "both":
        raise InputError(
            f'routing "{routing}" shuffles and un-shuffles, but shuffle = "{shuffles}": choose lowest or '
            "greedy"
        )


def _rows(keys: Integers, entries: Integers, size: int) -> Integers:
    """(size, most) the entries of every key 0..size-1, keys ascending; -1 fills the rows."""
    count = np.bincount(keys, minlength=size)
    position = np.arange(len(keys)) - (np.cumsum(count) - count)[keys]
    rows = np.full((size, max(1, int(count.max(initial=0)))), -1, dtype=np.int64)
    rows[keys, position] = entries
    return rows


# ------------------------------------------------------------ routes by formula
# Each takes the channels of the network and columns of sources and targets, and returns the hops in rounds:
# the messages that move, and their channels.

Rounds: TypeAlias = list[tuple[Integers, Integers]]


def e_cube(channels: Channels, sources: Integers, targets: Integers) -> Rounds:
    """In a hypercube: the lowest address bit that differs first."""
    return _stepwise(channels, sources, targets, lambda p, q: p ^ (p ^ q) & -(p ^ q))


def xy(channels: Channels, sources: Integers, targets: Integers) -> Rounds:
    """In a mesh or torus: along the row to the target's column, then along the column."""
    rows, columns = shape(channels.nodes)
    wraps = channels.network == "torus"

    def towards(sources: Integers, targets: Integers, size: int) -> Integers:
        """The next coordinate; in a torus the shorter way round, of equal ones the ascending."""
        up = (targets - sources) % size * 2 <= size if wraps else targets > sources
        step = np.where(up, sources + 1, sources - 1) % size
        return np.where(sources == targets, sources, step)

    def step(p: Integers, q: Integers) -> Integers:
        (row, column), (row_q, column_q) = np.divmod(p, columns), np.divmod(q, columns)
        row = np.where(column == column_q, towards(row, row_q, rows), row)
        return row * columns + towards(column, column_q, columns)

    return _stepwise(channels, sources, targets, step)


def _stepwise(
    channels: Channels, sources: Integers, targets: Integers, step: Callable[[Integers, Integers], Integers]
) -> Rounds:
    """Hop by hop to the node `step(here, there)`, until all have arrived."""
    walk = _Walk(channels, sources)
    while (moving := np.flatnonzero(walk.here != targets)).size:
        walk.hop(moving, step(walk.here[moving], targets[moving]))
    return walk.rounds


def conjugate(channels: Channels, sources: Integers, targets: Integers) -> Rounds:
    """Between nodes p and q = p + 2^b or p - 2^b of 2^m: un-shuffle both b times and they are neighbours.

    So: un-shuffle b times, one hop along the line, shuffle b times back; or, if m - b < b, shuffle m - b
    times, which leads to the same place, one hop, and un-shuffle back. At nodes 0 and N-1 it is no hop.
    """
    apart = np.abs(targets - sources)
    if (wrong := np.flatnonzero(apart & (apart - 1))).size:
        p, q = sources[wrong[0]], targets[wrong[0]]
        raise InputError(
            f'routing "conjugate" leads to nodes 1, 2, 4, ... further up or down, not from node {p} to node '
            f"{q}: take routing lowest or greedy, or allocation identity"
        )
    m = channels.nodes.bit_length() - 1
    b = np.log2(np.maximum(apart, 1)).astype(np.int64)
    turns, unshuffling = np.minimum(b, m - b), b <= m - b
    going = np.flatnonzero(apart)
    walk = _Walk(channels, sources)
    for turn in range(turns.max(initial=0)):
        walk.turn(going[turns[going] > turn], unshuffling)
    walk.hop(going, walk.here[going] + np.sign(targets - sources)[going])
    for turn in range(turns.max(initial=0)):
        walk.turn(going[turns[going] > turn], ~unshuffling)
    return walk.rounds


def bit_by_bit(channels: Channels, sources: Integers, targets: Integers) -> Rounds:
    """Between nodes of 2^m whose lowest differing bit is b: shuffle m - b times, which brings the bits from
    m - 1 down to b to the end one by one, and exchange where the bit is not the target's; then home by b
    shuffles, or by m - b un-shuffles if they are fewer."""
    m = channels.nodes.bit_length() - 1
    differing = sources ^ targets
    b = np.log2(np.maximum(differing & -differing, 1)).astype(np.int64)
    going = np.flatnonzero(differing)
    walk = _Walk(channels, sources)
    for turn in range(m):
        moving = going[turn < (m - b)[going]]
        walk.turn(moving, np.zeros(len(sources), dtype=np.bool_))
        wrong = (walk.here[moving] ^ (targets[moving] >> (m - 1 - turn))) & 1 == 1
        walk.hop(moving[wrong], walk.here[moving[wrong]] ^ 1)
    for turn in range(m):
        walk.turn(going[turn < np.minimum(b, m - b)[going]], m - b < b)
    return walk.rounds


class _Walk:
    """Messages on their way, and the rounds of hops so far."""

    def __init__(self, channels: Channels, here: Integers) -> None:
        self.channels, self.here = channels, here.copy()
        self.rounds: Rounds = []

    def hop(self, moving: Integers, following: Integers) -> None:
        """The messages `moving` to these neighbours; no hop for a message that is already there."""
        here = self.here[moving]
        away = here != following
        self.rounds.append((moving[away], self.channels.between(here[away], following[away])))
        self.here[moving] = following

    def turn(self, moving: Integers, unshuffling: Truth) -> None:
        """One shuffle of the messages `moving`, or one un-shuffle of those of `unshuffling`."""
        p, nodes = self.here[moving], self.channels.nodes
        self.hop(moving, np.where(unshuffling[moving], unshuffle(p, nodes), shuffle(p, nodes)))


FORMULAS: Mapping[str, tuple[Callable[[Channels, Integers, Integers], Rounds], tuple[str, ...]]] = {
    "e-cube": (e_cube, ("hypercube",)),
    "xy": (xy, ("mesh", "torus")),
    "conjugate": (conjugate, ("senn",)),
    "bit-by-bit": (bit_by_bit, ("shuffle-exchange",)),
}
BELONGS: Mapping[str, tuple[str, ...]] = {routing: networks for routing, (_, networks) in FORMULAS.items()}
"""The networks of a routing; those that are not here serve any network."""
