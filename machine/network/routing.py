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

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.network.formulas import FORMULAS
from senn.machine.network.paths import Paths, assembled
from senn.machine.network.topology import Channels, Integers
from senn.traces.errors import InputError

Routing: TypeAlias = Literal["lowest", "greedy", "e-cube", "xy", "conjugate", "bit-by-bit"]

SHORTEST = ("lowest", "greedy")
BELONGS: Mapping[str, tuple[str, ...]] = {
    "e-cube": ("hypercube",),
    "xy": ("mesh", "torus"),
    "conjugate": ("senn",),
    "bit-by-bit": ("shuffle-exchange",),
}
"""The networks of a routing; those that are not here serve any network."""

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
        here, there = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
        ends, nodes = np.concatenate([here, there]), self.channels.nodes
        if (outside := ends[(ends < 0) | (ends >= nodes)]).size:
            raise InputError(f"node {outside[0]} is outside the network: its nodes are 0..{nodes - 1}")
        if self.routing in SHORTEST:
            return self._shortest(here, there)
        return assembled(len(here), FORMULAS[self.routing](self.channels, here, there))

    @cached_property
    def _next(self) -> tuple[Integers, Integers]:
        """(N, degree) distinct neighbours, ascending, and the channel to each; -1 fills the rows."""
        pairs, taken = self.channels.neighbours
        source, target = np.divmod(pairs, self.channels.nodes)
        return _rows(source, target, self.channels.nodes), _rows(source, taken, self.channels.nodes)

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
        before = _rows(target[by_target], source[by_target], nodes)
        found = np.full((nodes, nodes), -1, dtype=np.int16)
        # As many targets at once as keep the working memory small.
        block = max(1, 2**20 // nodes)
        for first in range(0, nodes, block):
            targets = np.arange(first, min(first + block, nodes))
            found[:, targets] = _distances_to(targets, before)
        return found

    def _shortest(self, here: Integers, there: Integers) -> Paths:
        hops = np.where(here == there, 0, 1)
        # Neighbours need no distance table: migrating traffic can be routed in networks of any size.
        far = (here != there) & (self.channels.between(here, there) < 0)
        if far.any():
            hops[far] = self.distances[here[far], there[far]]
        if (cut := np.flatnonzero(hops < 0)).size:
            raise InputError(
                f"no path leads from node {here[cut[0]]} to node {there[cut[0]]} in network "
                f"{self.channels.network}: add a channel, or allocate the processes elsewhere"
            )
        walk = self._walk_lowest if self.routing == "lowest" else self._walk_greedy
        return Paths(np.concatenate([[0], np.cumsum(hops)]), walk(here, there, hops))

    def _walk_lowest(self, sources: Integers, targets: Integers, hops: Integers) -> Integers:
        taken = np.empty(hops.sum(), dtype=np.int64)
        end = np.cumsum(hops)
        last = np.flatnonzero(hops == 1)
        taken[end[last] - 1] = self.channels.between(sources[last], targets[last])
        here, left = sources.copy(), np.where(hops == 1, 0, hops)
        while (moving := np.flatnonzero(left)).size:
            neighbours, crossed = self._next
            options, to_go = neighbours[here[moving]], left[moving, None] - 1
            nearer = (self.distances[options, targets[moving, None]] == to_go) & (options >= 0)
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


def refuse_foreign(routing: str, network: str, shuffles: str | None = "both") -> None:
    """Refuse a routing that does not exist, or not in this network."""
    if routing not in (*SHORTEST, *BELONGS):
        raise InputError(f'routing "{routing}" is not supported yet: choose {_choice([*SHORTEST, *BELONGS])}')
    if network not in BELONGS.get(routing, (network,)):
        choice = [*SHORTEST, *(name for name, networks in BELONGS.items() if network in networks)]
        raise InputError(
            f'routing "{routing}" belongs to the network {" or ".join(BELONGS[routing])}, not to {network}: '
            f"choose {_choice(choice)}"
        )
    if routing in ("conjugate", "bit-by-bit") and shuffles != "both":
        raise InputError(
            f'routing "{routing}" shuffles and un-shuffles, but shuffle = "{shuffles}": choose lowest or '
            "greedy"
        )


def _choice(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _rows(keys: Integers, entries: Integers, size: int) -> Integers:
    """(size, most) the entries of every key 0..size-1, keys ascending; -1 fills the rows."""
    count = np.bincount(keys, minlength=size)
    position = np.arange(len(keys)) - (np.cumsum(count) - count)[keys]
    rows = np.full((size, max(1, int(count.max(initial=0)))), -1, dtype=np.int64)
    rows[keys, position] = entries
    return rows


def _distances_to(targets: Integers, before: Integers) -> NDArray[np.int16]:
    """(N, targets) hops from every node; `before` has the nodes one hop before each node, filled with -1.

    Breadth-first from all targets at once, backward. A state is node * size + column, size the targets.
    """
    nodes, size = len(before), len(targets)
    found = np.full(nodes * size, -1, dtype=np.int16)
    newest = targets * size + np.arange(size)
    found[newest] = 0
    who = np.empty(nodes * size, dtype=np.int64)
    hops = 0
    while newest.size:
        hops += 1
        node, column = np.divmod(newest, size)
        reached = (before[node] * size + column[:, None])[before[node] >= 0]
        reached = reached[found[reached] < 0]
        found[reached] = hops
        who[reached] = np.arange(len(reached))  # of equal states the last
        newest = reached[who[reached] == np.arange(len(reached))]
    return found.reshape(nodes, size)
