"""Below what no renaming of a schedule's nodes can come: proved lower bounds of its makespan.

All of them hold for every placement that a renaming of the nodes makes from the given schedule (of data at
home: every static placement of one process per node), for every routing, for one port or all, full or half
duplex, and any order in which a channel serves: these only add to what is counted here.

*Free network.* The durations of tasks and their order in each array do not depend on the nodes, and a message
arrives not before it is posted. So the longest path through tasks, and messages that take no time, is a bound
(T0).

*One hop.* Processes on different nodes of the schedule are on different nodes of every renaming. A message
between them crosses a channel at least, and one to another array the vertical channels between. The longest
path grows with every crossing, so the longest path with these is a bound.

*Dilation.* Some partners are further apart than one hop in every renaming. The messages of one send lead over
pairs of places; a renaming puts the places on nodes. If no renaming brings all pairs of some sets within k
hops, then in every renaming one of these sets has a pair at k + 1 hops or more, and so has every set that
contains it. Branching on which one leaves no renaming out; the least over the branches of the longest path,
with every set at its dilation or more, is a bound, wherever branching stops. With several cells (a table of
its own for every level) each has a renaming of its own, which also places the points that are known to stay
there in others; and where a process moves between cells, some message has a hop more.

*Channel load.* All messages that leave a place of a schedule cross the outgoing channels of one node in every
renaming. A node has at most c of them (one, if it has one port). If these messages are posted at cycle r or
later, and from the end of their first crossing to the end of the program it is q cycles or longer, then the
last of them ends its crossing not before r + (sum of all crossings) / c, and the program not before q cycles
later. Likewise those that come to a place. For r and q every message needs a single hop between different
nodes.

That no renaming brings pairs within k hops is shown in two ways (`within_reach`). *Walks.* Let the pairs be
the edges of one graph, and the nodes near each other those of a second. A renaming that brought all pairs
near would carry every walk of the first graph into one of the second, different ones to different ones, those
that start, end or close at a place to those at its node. So the numbers of walks of each length that start
(end, close) at a place, sorted, would nowhere exceed those of the nodes, sorted. Length 1 counts partners,
length 3 triangles: a network without triangles has no room for i, i + 1, i + 2 at one hop. *Trying.* Place
after place is put on a node, the one with the fewest nodes left first; a node that is occupied, or not near
its partners, is no longer left to the others. If every way ends with a place that has none left, no renaming
exists. After so many tries nothing is known.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.model import Machine
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.search.precedence import Precedence, precedence
from senn.traces.naming import counted


@dataclass(frozen=True)
class Bound:
    """No placement ends before `cycles`."""

    name: str
    cycles: int
    because: str


def bounds(schedule: Schedule, machine: Machine) -> tuple[Bound, ...]:
    """Lower bounds of the makespan of every renaming of the schedule's nodes, as the module proves them.

    Raises InputError where they are not proved: control other than simd.
    """
    order = precedence(schedule, machine)
    apart = order.hops(1 - np.eye(order.nodes, dtype=np.int64), np.arange(order.nodes)[None])[0]
    free, one_hop = order.makespan(np.zeros_like(apart)), order.makespan(apart)
    cycles, hops, raised = Sets(order, distances(schedule)).least()
    partners = "no partners are known to need more than one hop"
    if raised:
        partners = f"no placement has all partners at one hop: at best some are {max(hops)} apart"
    channels = schedule.wiring.channels
    return (
        Bound("free network", int(free[0]), "computing and posting take so long when messages take no time"),
        Bound("one hop", int(one_hop[0]), "a message between different nodes crosses a channel at least"),
        Bound("dilation", cycles, partners),
        Bound("channel load", *channel_load(order, apart[:, 0], channels, machine)),
    )


def distances(schedule: Schedule) -> NDArray[np.int16]:
    """(N, N) hops between the nodes of one array. Refuses a network that does not join all of them."""
    channels = schedule.wiring.channels
    hops: NDArray[np.int16] = Router(channels).distances
    if len(cut := np.argwhere(hops < 0)):
        raise InputError(
            f"network {channels.network}: no path leads from node {cut[0][0]} to node {cut[0][1]}, so not "
            "every placement can be routed: add a channel"
        )
    return hops


EFFORT = 10**9
"""Operations spent on looking for renamings before the branching is broken off: some seconds."""

Pairs = frozenset[tuple[int, int]]
Known = dict[tuple[Pairs, int], bool]
"""Whether some renaming may bring such pairs within so many hops, by pairs and hops."""
Alike = Mapping[int, Mapping[int, int]]
"""By cell, points of other cells that are known to be on the node of one of its own; and which."""


class Sets:
    """The sets of pairs that the bundles of a precedence lead over, and what their dilations cost.

    `alike` says what points of other cells are on the same node as one of a cell. `least_hops` (bundles,)
    are those inside the array that a bundle is known to have.
    """

    def __init__(
        self,
        order: Precedence,
        distances: NDArray[np.int16],
        alike: Alike = MappingProxyType({}),
        least_hops: Integers | None = None,
        known: Known | None = None,
    ) -> None:
        self.order, self.distances, self.nodes = order, distances, len(distances)
        self.least_hops = np.zeros(len(order.bundles)) if least_hops is None else least_hops
        self.symmetric = bool((distances == distances.T).all())
        numbers: dict[Pairs, int] = {}
        self.legs = [self._legs(number, numbers) for number in range(len(order.ways.first) - 1)]
        self.pairs = list(numbers)
        cells = sorted({p // self.nodes for pairs in self.pairs for pair in pairs for p in pair})
        # by cell: of every set, those pairs that are known to be between two nodes of that cell
        self.inside = [self._inside(cell, alike.get(cell, {})) for cell in cells]
        self.above = [{t for t, other in enumerate(self.pairs) if pairs <= other} for pairs in self.pairs]
        self.known: Known = {} if known is None else known
        self.effort = EFFORT

    def least(self) -> tuple[int, tuple[int, ...], bool]:
        """The least longest path of all branches, its dilations, and whether any was raised."""
        ties = count()
        start = (1,) * len(self.pairs)
        queue = [(self.makespan(start), next(ties), start)]
        seen = {start}
        while self.effort > 0 and (conflict := self.conflict(queue[0][2])):
            k, apart = conflict
            _, _, hops = heapq.heappop(queue)
            for tight in apart:
                raised = tuple(max(h, k + 1) if s in self.above[tight] else h for s, h in enumerate(hops))
                if raised not in seen:
                    seen.add(raised)
                    heapq.heappush(queue, (self.makespan(raised), next(ties), raised))
        cycles, _, hops = queue[0]
        return cycles, hops, len(seen) > 1

    def _legs(self, number: int, numbers: dict[Pairs, int]) -> list[tuple[int, int]]:
        """Legs of a set of ways: the set of its pairs, and the hops that the other leg has at least."""
        start, middle, end = self.order.ways.of_set(number)
        legs = []
        for source, target, other in (
            (start, middle, self.apart(middle, end)),
            (middle, end, self.apart(start, middle)),
        ):
            apart = self.apart(source, target)
            if apart.any():
                pairs = self._undirected(source[apart], target[apart])
                legs.append((numbers.setdefault(pairs, len(numbers)), int(other[apart].min())))
        return legs

    def _inside(self, cell: int, alike: Mapping[int, int]) -> list[Pairs]:
        first = cell * self.nodes
        places = {p: p - first for p in range(first, first + self.nodes)}
        node = {**{p: q - first for p, q in alike.items()}, **places}
        return [
            frozenset((node[p], node[q]) for p, q in pairs if p in node and q in node) for pairs in self.pairs
        ]

    def apart(self, one: Integers, two: Integers) -> NDArray[np.bool_]:
        """Whether points are known to be on different nodes."""
        apart: NDArray[np.bool_] = (one != two) & (one // self.nodes == two // self.nodes)
        return apart

    def _undirected(self, one: Integers, two: Integers) -> Pairs:
        """Pairs of points; both ways, where distances are equal both ways."""
        pairs = zip(one.tolist(), two.tolist(), strict=True)
        return frozenset(both for p, q in pairs for both in ((p, q), (q, p) if self.symmetric else (p, q)))

    def makespan(self, hops: tuple[int, ...]) -> int:
        """The longest path where every set has a pair at so many hops."""
        bundles = self.order.bundles
        inside = [max((hops[s] + other for s, other in legs), default=0) for legs in self.legs]
        least = np.maximum(np.array(inside, dtype=np.int64)[bundles.ways], self.least_hops)
        whole = least.astype(np.int64) + bundles.vertical
        return int(self.order.makespan(whole[:, None])[0])

    def conflict(self, hops: tuple[int, ...]) -> tuple[int, list[int]] | None:
        """(k, sets): no renaming brings all their pairs within k hops, though `hops` says so; few sets."""
        for k in range(1, int(self.distances.max(initial=0))):
            within = [s for s, h in enumerate(hops) if h <= k]
            for inside in self.inside:
                conflict = [s for s in within if inside[s]]
                if not self._within_reach(conflict, inside, k):
                    for s in list(conflict):
                        fewer = [t for t in conflict if t != s]
                        if not self._within_reach(fewer, inside, k):
                            conflict = fewer
                    return k, conflict
        return None

    def _within_reach(self, sets: list[int], inside: list[Pairs], k: int) -> bool:
        pairs = frozenset[tuple[int, int]]().union(*(inside[s] for s in sets))
        if (pairs, k) not in self.known:
            near = (self.distances > 0) & (self.distances <= k)
            self.known[pairs, k], tries = within_reach(pairs, near)
            self.effort -= 300_000 + self.nodes**3 + tries * 200 * self.nodes
        return self.known[pairs, k]


LENGTHS = 3
"""Walks are counted up to this length; longer ones refuted nothing more on the networks tried."""
TRIES = 3000
"""Tries of putting a place on a node, after which nothing is known."""
LARGEST = 128
"""Nodes of the largest network on which places are tried; on larger ones the tries would be too few."""


def within_reach(pairs: Pairs, near: NDArray[np.bool_], tries: int = TRIES) -> tuple[bool, int]:
    """False if no renaming r makes all `pairs` (p, q) near, near[r[p], r[q]]; (N, N). True proves nothing.

    Second, the number of tries.
    """
    wanted = np.zeros(near.shape)  # counts stay below N^LENGTHS: exact in floating point
    wanted[tuple(np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T)] = 1
    offered = near.astype(np.float64)
    ours, theirs = wanted, offered
    for length in range(1, LENGTHS + 1):
        if length > 1:
            ours, theirs = ours @ wanted, theirs @ offered
        for counts in (lambda walks: walks.sum(axis=1), lambda walks: walks.sum(axis=0), np.diag):
            if (np.sort(counts(ours)) > np.sort(counts(theirs))).any():
                return False, 0
    trying = _Trying(pairs, near, tries if len(near) <= LARGEST else 0)
    return trying.found(dict.fromkeys(trying.to, (1 << len(near)) - 1)), trying.tried


class _Trying:
    """The nodes that are left to every place are the bits of a whole number."""

    def __init__(self, pairs: Pairs, near: NDArray[np.bool_], tries: int) -> None:
        self.tried, self.most = 0, tries
        self.after, self.before = _bits(near), _bits(near.T)
        self.to: dict[int, list[int]] = {p: [] for pair in sorted(pairs) for p in pair}
        self.of: dict[int, list[int]] = {p: [] for p in self.to}
        for p, q in sorted(pairs):
            self.to[p].append(q)
            self.of[q].append(p)

    def found(self, left: dict[int, int]) -> bool:
        """Whether the places can be put on the nodes left to them, or this is unknown."""
        if not left:
            return True
        place = min(left, key=lambda p: (left[p].bit_count(), -len(self.to[p]) - len(self.of[p]), p))
        nodes = left[place]
        while nodes:
            if self.tried == self.most:
                return True
            self.tried += 1
            bit = nodes & -nodes
            nodes ^= bit
            rest = self._put(left, place, bit)
            if rest is not None and self.found(rest):
                return True
        return False

    def _put(self, left: dict[int, int], place: int, bit: int) -> dict[int, int] | None:
        """Nodes left to the other places; None if one of them has none."""
        node = bit.bit_length() - 1
        rest = {p: nodes & ~bit for p, nodes in left.items() if p != place}
        for partners, near in ((self.to[place], self.after[node]), (self.of[place], self.before[node])):
            for p in partners:
                if p in rest:
                    rest[p] &= near
        return rest if all(rest.values()) else None


def _bits(near: NDArray[np.bool_]) -> list[int]:
    return [sum(1 << int(q) for q in np.flatnonzero(row)) for row in near]


def channel_load(order: Precedence, hops: Integers, channels: Channels, machine: Machine) -> tuple[int, str]:
    """No renaming of `order` ends before so many cycles, and why; `hops` are the fewest of every bundle."""
    best, why = 0, "no message crosses a channel inside an array"
    array, leave, reach, head, service, tail = _crossings(order, hops)
    for verb, ends, places in (("sends", channels.source, leave), ("gets", channels.target, reach)):
        ports = 1 if machine.ports == "one" else int(np.bincount(ends, minlength=1).max())
        keys, index = np.unique(np.stack([array, places]), axis=1, return_inverse=True)
        for k, (of_array, place) in enumerate(keys.T.tolist()):
            rows = np.flatnonzero(index == k)
            cycles, messages = taking_turns(head[rows], service[rows], tail[rows], ports)
            if cycles > best:
                best = cycles
                why = (
                    f"what is on node {place} of array {of_array} {verb} {counted(messages, 'message')} over "
                    f"{counted(ports, 'channel')} at most"
                )
    return best, why


def _crossings(order: Precedence, hops: Integers) -> Integers:
    """(6, legs) of all bundles: the array, the places that a leg leaves and reaches, the cycle of posting,
    the crossing, and the least cycles after it."""
    w, b = order.ways, order.bundles
    posted = order.ends(hops[:, None])[:, 0]
    bundle = np.repeat(np.arange(len(b)), np.diff(w.first)[b.ways])
    none = np.zeros((3, 0), dtype=np.int64)
    start, middle, end = np.concatenate([none, *map(w.of_set, b.ways)], axis=1)
    array, service, onward = b.array[bundle], b.service[bundle], b.onward[bundle]
    head = posted[b.source[bundle]]
    tail = order.tails(hops)[bundle] + b.vertical[bundle] * onward
    first, second = start != middle, middle != end
    legs = (
        np.stack([array, start, middle, head, service, tail + second * onward])[:, first],
        np.stack([array, middle, end, head + first * onward, service, tail])[:, second],
    )
    return np.concatenate(legs, axis=1)


def taking_turns(head: Integers, service: Integers, tail: Integers, ports: int) -> tuple[int, int]:
    """The largest r + ceil(crossings / ports) + q over sets of head >= r and tail >= q; the set's size."""
    best, size = 0, 0
    by_tail = np.argsort(-tail, kind="stable")
    for r in np.unique(head).tolist():
        rows = by_tail[head[by_tail] >= r]
        ends = r - (-np.cumsum(service[rows]) // ports) + tail[rows]
        longest = int(ends.argmax())
        if ends[longest] > best:
            best, size = int(ends[longest]), longest + 1
    return best, size
