"""The directed channels of one array as columns.

A wire joins two nodes and carries one channel or two, one in each direction; "forward" runs from a to b of
the wire "kind:a-b", its ends as built. `named` has the networks, `routing` the routes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import networkx as nx

Integers: TypeAlias = NDArray[np.signedinteger[Any]]
Truth: TypeAlias = NDArray[np.bool_]
Shuffle: TypeAlias = Literal["both", "forward", "inverse"]

KINDS = ("exchange", "neighbor", "shuffle", "cube", "row", "column", "link")
"""All kinds of wires inside an array; of parallel channels a routed hop takes the first in this order."""
DIRECTIONS = ("forward", "backward")


def shuffle(p: ArrayLike, nodes: int) -> Integers:
    """The shuffle of a pack of `nodes` cards, an even number or one: p -> 2p mod (nodes - 1), the last stays.

    Of 2^m nodes it rotates the m address bits of `p` (any shape) to the left.
    """
    p = np.asarray(p, dtype=np.int64)
    return np.where(2 * p < nodes, 2 * p, 2 * p - (nodes - 1))


def unshuffle(p: ArrayLike, nodes: int) -> Integers:
    """The inverse of `shuffle`; of 2^m nodes it rotates the m address bits of `p` to the right."""
    p = np.asarray(p, dtype=np.int64)
    return np.where(p % 2 == 0, p, p + nodes - 1) // 2


@dataclass(frozen=True, eq=False)
class Channels:
    """All directed channels of one array as parallel columns; a channel is a position in them.

    Canonical order: by kind as in KINDS; within a kind by the ends as built; forward, backward. Arrays
    share the network, so a channel of the machine is (array, wire, direction).
    """

    network: str  # its name, or its file
    nodes: int
    source: Integers
    target: Integers
    kind_number: Integers  # into KINDS
    wire_number: Integers  # from 0, in canonical order: the channels of one wire have the same
    backward: Truth
    shuffles: Shuffle | None = None  # direction of values along shuffle wires; None without such wires

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def kind(self) -> tuple[str, ...]:
        """Per channel, its kind of wire."""
        return tuple(KINDS[k] for k in self.kind_number.tolist())

    @cached_property
    def direction(self) -> tuple[str, ...]:
        """Per channel, "forward" or "backward" on its wire."""
        return tuple(DIRECTIONS[b] for b in self.backward.tolist())

    @cached_property
    def wire(self) -> tuple[str, ...]:
        """The name of every channel's wire, "kind:a-b", its ends as built."""
        a, b = np.where(self.backward, (self.target, self.source), (self.source, self.target))
        return tuple(f"{kind}:{p}-{q}" for kind, p, q in zip(self.kind, a.tolist(), b.tolist(), strict=True))

    @cached_property
    def unshuffles(self) -> Paths | None:
        """The un-shuffle of every node p: a source route from p to `unshuffle(p)`.

        One hop backward on the shuffle wire, even where another wire runs parallel. If shuffle wires go
        forward only, on along them round the cycle of p, M - 1 hops where no shorter cycle closes. No hop
        where p is its own un-shuffle. None in a network without shuffle wires.
        """
        if self.shuffles is None:
            return None
        here = np.arange(self.nodes)
        home = unshuffle(here, self.nodes)
        if self.shuffles != "forward":
            moving = np.flatnonzero(here != home)
            return assembled(self.nodes, [(moving, self._along_shuffle(backward=True)[moving])])
        channel, rounds = self._along_shuffle(backward=False), []
        while (moving := np.flatnonzero(here != home)).size:
            rounds.append((moving, channel[here[moving]]))
            here = np.where(here == home, here, shuffle(here, self.nodes))
        return assembled(self.nodes, rounds)

    def between(self, sources: Integers, targets: Integers) -> Integers:
        """The channels of routed hops from sources[k] to targets[k]; -1 without a channel.

        Of parallel channels the first in the order of KINDS (exchange, neighbor, shuffle), of one kind the
        wire built in the direction of the hop, else backward the wire built against it.
        """
        pairs, channels = self.neighbours
        if not len(pairs):
            return np.full(len(sources), -1, dtype=np.int64)
        pair_codes = sources * self.nodes + targets
        at = np.minimum(np.searchsorted(pairs, pair_codes), len(pairs) - 1)
        return np.where(pairs[at] == pair_codes, channels[at], -1)

    @cached_property
    def neighbours(self) -> tuple[Integers, Integers]:
        """Pairs of neighbours, source * nodes + target, ascending, and the channel of a routed hop."""
        pair = self.source * self.nodes + self.target
        order = np.argsort((pair * len(KINDS) + self.kind_number) * 2 + self.backward, kind="stable")
        first = order[np.diff(pair[order], prepend=-1) > 0]
        return pair[first], first

    def _along_shuffle(self, backward: bool) -> Integers:
        """(nodes,) the channel from each node p to shuffle(p), or, `backward`, to unshuffle(p); -1: none.

        The shuffle wire in this direction; where it is merged with another wire, that one.
        """
        step = unshuffle if backward else shuffle
        candidates = np.flatnonzero(self.target == step(self.source, self.nodes))
        least = (self.kind_number[candidates] != KINDS.index("shuffle")) * 2 + (
            self.backward[candidates] != backward
        )
        best_last = candidates[np.lexsort((candidates, least))][::-1]
        channel = np.full(self.nodes, -1, dtype=np.int64)
        channel[self.source[best_last]] = best_last  # the last assignment holds
        return channel

    def graph(self) -> nx.MultiDiGraph:
        """The network for networkx: an edge is a channel, its key the wire.

        Attributes: kind, wire, and direction, "forward" from a to b of the wire "kind:a-b".

        >>> from senn.machine.network.named import senn
        >>> senn(8).graph().edges[4, 1, "shuffle:4-1"]["direction"]
        'forward'
        """
        import networkx as nx

        graph = nx.MultiDiGraph(name=self.network)
        graph.add_nodes_from(range(self.nodes))
        columns = (self.source.tolist(), self.target.tolist(), self.kind, self.wire, self.direction)
        for a, b, kind, wire, direction in zip(*columns, strict=True):
            graph.add_edge(a, b, key=wire, kind=kind, wire=wire, direction=direction)
        return graph


# ------------------------------------------------------------ routes of many messages


@dataclass(frozen=True, eq=False)
class Paths:
    """Routes of many messages: message k crosses channels[offsets[k]:offsets[k+1]], in this order."""

    offsets: Integers  # (messages + 1,)
    channels: Integers  # (hops in all,)

    @classmethod
    def of(cls, hops: Integers | Truth, channels: Integers) -> Paths:
        """Routes of so many hops, over these channels one message after the other."""
        return cls(np.concatenate([[0], np.cumsum(hops)]), channels)

    @cached_property
    def hops(self) -> Integers:
        """(messages,) channels crossed by each message: its dilation."""
        return self.offsets[1:] - self.offsets[:-1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, messages: range) -> Paths:
        """The routes of consecutive messages."""
        offsets = self.offsets[messages.start : messages.stop + 1]
        return Paths(offsets - offsets[0], self.channels[offsets[0] : offsets[-1]])

    def __getitem__(self, message: int) -> Integers:
        return self.channels[self.offsets[message] : self.offsets[message + 1]]

    def __iter__(self) -> Iterator[Integers]:
        return (self[message] for message in range(len(self)))


def assembled(messages: int, rounds: list[tuple[Integers, Integers]]) -> Paths:
    """Routes from rounds of (messages that move, channel of each): a message crosses one channel a round."""
    none = np.zeros(0, dtype=np.int64)
    mover, channel = (np.concatenate([none, *column]) for column in zip((none, none), *rounds, strict=True))
    return Paths.of(np.bincount(mover, minlength=messages), channel[np.argsort(mover, kind="stable")])


def ranges(first: Integers, count: Integers) -> Integers:
    """The numbers first[k], first[k] + 1, ...: `count[k]` of them for each k, one range after the other."""
    return np.repeat(first + count - np.cumsum(count), count) + np.arange(count.sum())


def slots(paths: Paths) -> int:
    """Slots until all messages have arrived, all injected at slot 0, one message per channel and slot.

    A channel serves first come, first served: by the slot of arrival at it, then by message number.
    """
    most, hops = int(paths.hops.max(initial=0)), paths.hops
    each = (paths.channels[paths.offsets[:-1][hops > slot] + slot] for slot in range(most))
    if all(np.bincount(channels).max() == 1 for channels in each):
        return most  # no two messages meet
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
