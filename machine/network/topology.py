"""The directed channels of one array as columns.

A wire joins two nodes and carries one channel or two, one in each direction; "forward" runs from a to b of
the wire "kind:a-b", its ends as built. `named` says which wires there are, `routing` which way a message
takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.machine.network.paths import Paths, assembled

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
    shuffles: Shuffle | None = None  # which way values move along shuffle wires; None: there are none

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def kind(self) -> tuple[str, ...]:
        """Of every channel."""
        return tuple(KINDS[k] for k in self.kind_number.tolist())

    @cached_property
    def direction(self) -> tuple[str, ...]:
        """Of every channel: "forward" or "backward" on its wire."""
        return tuple(DIRECTIONS[b] for b in self.backward.tolist())

    @cached_property
    def wire(self) -> tuple[str, ...]:
        """The name of every channel's wire, "kind:a-b"; of several of one kind between a and b, as built, the
        second is "kind:a-b#2"."""
        a, b = np.where(self.backward, (self.target, self.source), (self.source, self.target))
        first = np.flatnonzero(np.diff(self.wire_number, prepend=-1))
        built = np.stack([self.kind_number, a, b])[:, first]
        new = np.ones(len(first), dtype=np.bool_)
        new[1:] = (np.diff(built, axis=1) != 0).any(axis=0)
        repeat = np.arange(len(first)) - np.maximum.accumulate(np.where(new, np.arange(len(first)), 0))
        names = [
            f"{KINDS[k]}:{a}-{b}" if again == 0 else f"{KINDS[k]}:{a}-{b}#{again + 1}"
            for k, a, b, again in zip(*built.tolist(), repeat.tolist(), strict=True)
        ]
        return tuple(names[number] for number in self.wire_number.tolist())

    @cached_property
    def unshuffles(self) -> Paths | None:
        """For every node p the un-shuffle of what is there, a source route from p to `unshuffle(p)`.

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

    def between(self, here: Integers, there: Integers) -> Integers:
        """The channels that routed hops from here[k] to there[k] take; -1 where no channel leads there.

        Of parallel channels the first in the order of KINDS (exchange, neighbor, shuffle), of one kind the
        wire built in the direction of the hop, else backward the wire built against it.
        """
        pairs, taken = self.neighbours
        if not len(pairs):
            return np.full(len(here), -1, dtype=np.int64)
        wanted = here * self.nodes + there
        at = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
        return np.where(pairs[at] == wanted, taken[at], -1)

    @cached_property
    def neighbours(self) -> tuple[Integers, Integers]:
        """Pairs of neighbours as here * nodes + there, ascending, and the channel that a routed hop takes."""
        pair = self.source * self.nodes + self.target
        order = np.lexsort((self.wire_number, self.backward, self.kind_number, pair))
        pairs, first = np.unique(pair[order], return_index=True)
        return pairs, order[first]

    def _along_shuffle(self, backward: bool) -> Integers:
        """(nodes,) the channel from each node p to shuffle(p), or, `backward`, to unshuffle(p); -1: none.

        The shuffle wire in this direction; where it is merged with another wire, that one.
        """
        step = unshuffle if backward else shuffle
        found = np.flatnonzero(self.target == step(self.source, self.nodes))
        least = (self.kind_number[found] != KINDS.index("shuffle")) * 2 + (self.backward[found] != backward)
        found = found[np.lexsort((found, least))][::-1]
        channel = np.full(self.nodes, -1, dtype=np.int64)
        channel[self.source[found]] = found  # the last assignment holds: the best, because of the [::-1]
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
