"""Classes of the channels of a program that un-shuffles, and the ways of its pieces.

A channel is known by the array and the node where it begins, and by its kind: R and L lead to the next and to
the previous node, U un-shuffles, S shuffles back, D and A lead down and up to the next array. Inside an array
they are those of the network, by its routing: each hop must be one channel, which may be of two kinds.
Channels of a kind are in one *class* if every way crosses, with each of its hops, all of them or none, comes
to them from channels of one class, and goes on to channels of one class. So a way has a message for each
class that it begins in, and this message stands for as many as that class has channels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from senn.machine.engines.runs import Piece, Unfit, rotation
from senn.machine.network.arrays import take
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers, Paths, Truth, shuffle, unshuffle
from senn.machine.program.flow import NONE
from senn.machine.program.subscripts import moved

INSIDE = "RLUS"
KINDS = INSIDE + "DA"


class Step(NamedTuple):
    """A hop of the way of a piece's messages."""

    array: int
    kind: str
    turns: int  # un-shuffles that lead from the homes of the processes to the nodes where it begins
    back: int  # from these processes to those that receive


class Crossing(NamedTuple):
    """Messages of some pieces, one for each class of channels that they begin in; columns of equal length."""

    piece: Integers  # which of the pieces
    paths: Paths  # classes of channels, numbered over all arrays and kinds
    copies: Integers  # the messages that it stands for


class ChannelClasses:
    """The classes of all channels, and the ways of every piece; `posts` has the pieces of each send.

    Channels of two arrays are in two classes: those of array k are numbered from (k - 1) `each` on.

    Raises Unfit, or what `router` raises, where a hop is not one channel."""

    def __init__(self, levels: int, arrays: int, posts: Sequence[Sequence[Piece]], router: Router) -> None:
        self.levels, self.nodes = levels, 2**levels
        self.turns = [rotation(row, levels) for row in range(levels + 1)]
        self.ways = {piece: tuple(self._way(piece)) for pieces in posts for piece in pieces}
        kinds = {step.kind for way in self.ways.values() for step in way}
        channels = {kind: self._channels(kind, router) for kind in INSIDE if kind in kinds}
        # By two kinds, whether the channel that begins at each node is of both.
        self.both = {(a, b): channels[a] == channels[b] for a, b in combinations(channels, 2)}
        label = self._labels()
        self.node: dict[str, Integers] = {}  # by kind, a node for each class
        self.count: dict[str, Integers] = {}  # by kind, the channels of each class
        self.begin: dict[str, int] = {}  # by kind, the number of its first class
        self.number: dict[str, Integers] = {}  # by kind, that of the class of the channel at each node
        self.each = 0
        for kind in KINDS:
            _, self.node[kind], self.count[kind] = np.unique(
                label[kind], return_index=True, return_counts=True
            )
            self.begin[kind], self.number[kind] = self.each, self.each + label[kind]
            self.each += len(self.count[kind])
        for (first, second), both in self.both.items():
            self.number[second] = np.where(both, self.number[first], self.number[second])
        self.copies = np.tile(np.concatenate([*self.count.values()]), arrays)  # channels, by class
        for pieces in posts:
            self._refuse_unordered(pieces)

    def uses(self) -> Truth:
        """(arrays, classes) whether messages of an array cross channels of a class, or others of its kind."""
        arrays = len(self.copies) // self.each
        uses = np.zeros((arrays, arrays, self.each), dtype=bool)
        for piece, way in self.ways.items():
            for step in way:
                uses[piece.array - 1, step.array - 1, self.begin[step.kind]] = True
        return uses.reshape(arrays, -1)

    def crossing(self, pieces: Sequence[Piece]) -> Crossing:
        """The messages of some pieces, in the order of their ids at any channel."""
        crossed, copies = zip(*map(self._crossed_by, pieces), strict=True) if pieces else ((), ())
        none = np.zeros(0, dtype=np.int64)
        hops = [(channels != NONE).sum(axis=1) for channels in crossed]
        return Crossing(
            np.repeat(np.arange(len(pieces)), [*map(len, hops)]),
            Paths.of(np.concatenate([none, *hops]), np.concatenate([none, *(x[x != NONE] for x in crossed)])),
            np.concatenate([none, *copies]),
        )

    def _crossed_by(self, piece: Piece) -> tuple[Integers, Integers]:
        """(messages, hops) classes that each message of a piece crosses, NONE where a node has no channel of
        this kind; and the messages that it stands for."""
        way = self.ways[piece]
        if not way:
            return np.zeros((1, 0), dtype=np.int64), np.array([len(piece)])
        first = way[0]
        target = self._process(self.node[first.kind], first.turns) + first.back + 1
        sent = np.zeros(len(target), dtype=bool)
        for part in piece.targets:
            inside = (target >= part.start) & (target < part.stop)
            sent |= inside & ((target - part.start) % part.step == 0)
        target, copies = target[sent], self.count[first.kind][sent]
        crossed = np.empty((len(target), len(way)), dtype=np.int64)
        for step, column in zip(way, crossed.T, strict=True):
            node = self._process(target - 1 - step.back, self.levels - step.turns)
            number = (step.array - 1) * self.each + self.number[step.kind][node]
            column[:] = np.where(self._lengths(step.kind, node), number, NONE)
        return crossed, copies

    def _process(self, node: Any, turns: int) -> Any:
        """The process that comes to a node by so many un-shuffles, counted from 0."""
        return ((node << turns) | (node >> (self.levels - turns))) & (self.nodes - 1)

    # -- ways

    def _channels(self, kind: str, router: Router) -> Integers:
        """By node, the channel of a kind that begins there; without one a number below 0, its own by kind."""
        nodes, unshuffles = np.arange(self.nodes), router.channels.unshuffles
        ends = self._neighbours(kind, nodes)
        moving = np.flatnonzero((ends >= 0) & (ends < self.nodes) & (ends != nodes))
        if kind == "U" and unshuffles is not None:
            paths = take(unshuffles, moving)
        elif (far := moving[router.channels.between(moving, ends[moving]) < 0]).size:
            raise Unfit(f"no channel leads from node {far[0]} to node {ends[far[0]]}")
        else:
            paths = router.paths(moving, ends[moving])
        if (far := moving[paths.hops != 1]).size:
            raise Unfit(f"a message crosses several channels from node {far[0]} to node {ends[far[0]]}")
        channels = np.full(self.nodes, -1 - KINDS.index(kind))
        channels[moving] = paths.channels
        return channels

    def _way(self, piece: Piece) -> Iterator[Step]:
        """Between the places of two processes, on to that of the reader, and to its array."""
        row, array, turns = piece.at, piece.array, self.turns
        if piece.offset:
            if abs(piece.offset) != 2 ** turns[row]:
                raise Unfit("a message goes further than to a neighbour")
            yield Step(array, "R" if piece.offset > 0 else "L", turns[row], piece.offset)
        while row != piece.row:
            returns = 0 < piece.row < row
            following = piece.row if returns else (row + 1) % (self.levels + 1)
            if returns and turns[row] - turns[following] > 1:
                raise Unfit("a message moves back by several shuffles")
            if turns[row] != turns[following]:
                yield Step(array, "S" if returns else "U", turns[row], 0)
            row = following
        for kind, between in (
            ("D", range(array, piece.target_array)),
            ("A", range(array, piece.target_array, -1)),
        ):
            yield from (Step(k, kind, turns[row], 0) for k in between)

    def _refuse_unordered(self, pieces: Sequence[Piece]) -> None:
        """Ids decide between messages of one send that arrive together: by the nodes that they come from.
        These have one order where messages came by the same un-shuffles, or all are for one process."""
        crossings: dict[tuple[int, str], list[tuple[object, object, Integers]]] = defaultdict(list)
        for piece in pieces:
            way = self.ways[piece]
            for k, (hop, crossed) in enumerate(zip(way, self._crossed_by(piece)[0].T, strict=True), 1):
                path: object = tuple(step[1:3] for step in way[:k] if not step.back)
                for kind in (hop.kind, *(first for first, second in self.both if second == hop.kind)):
                    begin = (hop.array - 1) * self.each + self.begin[kind]
                    inside = crossed[(crossed >= begin) & (crossed < begin + len(self.count[kind]))]
                    target = piece.targets if len(piece) == 1 else path
                    crossings[hop.array, kind].append((path, target, inside))
        pairs = (pair for some in crossings.values() for pair in combinations(some, 2))
        for (path, target, inside), (other_path, other_target, other) in pairs:
            if path != other_path and target != other_target and np.isin(inside, other).any():
                raise Unfit("messages of one send meet after unequal un-shuffles")

    # -- classes

    def _labels(self) -> dict[str, Integers]:
        """By kind, the class of the channel that begins at each node: refined until no class is split."""
        nodes = np.arange(self.nodes)
        label = {kind: self._crossed(kind) for kind in KINDS}
        # Two channels of one message in succession, or one of two kinds: the kinds, by node the one at which
        # the second begins, and by this whether it does.
        pairs = [(*kinds, nodes, both) for kinds, both in self.both.items() if both.any()]
        for (before, kind), crossed in self._follows().items():
            pairs.append((before, kind, self._neighbours(before, nodes) % self.nodes, crossed))
        classes = -1
        while classes != (classes := sum(int(some.max()) for some in label.values())):
            for first, second, ahead, crossed in pairs:
                behind = np.empty_like(ahead)
                behind[ahead] = nodes
                code = np.where(crossed, 1 + label[first][behind], 0)
                label[second] = _refined(label[second], code)
                code = np.where(crossed[ahead], 1 + label[second][ahead], 0)
                label[first] = _refined(label[first], code)
        return label

    def _crossed(self, kind: str) -> Integers:
        """Labels of the channels of a kind, by the pieces that cross them."""
        label = self._lengths(kind, np.arange(self.nodes))
        parts: dict[int, set[range]] = defaultdict(set)
        for piece, way in self.ways.items():
            for step in (step for step in way if step.kind == kind):
                parts[step.turns] |= {moved(part, -1 - step.back) for part in piece.targets}
        for turns, some in parts.items():
            runs = np.diff(
                [0, *sorted({edge for part in some for edge in (part[0], part[-1] + 1)}), self.nodes]
            )
            code = np.repeat(np.arange(len(runs)), runs)
            for every, first in {(part.step, part[0] % part.step) for part in some if part.step > 1}:
                code = _refined(code, np.arange(self.nodes) % every == first)
            label = _refined(label, code.reshape(-1, 1 << turns).T.ravel())  # by process, then by node
        return label

    def _follows(self) -> dict[tuple[str, str], Truth]:
        """Kinds of two hops in succession, and by node whether a second hop of this kind begins there."""
        parts = {
            (first.kind, step.kind, step.turns, moved(part, -1 - step.back))
            for piece, way in self.ways.items()
            for first, step in pairwise(way)
            for part in piece.targets
        }
        follows = {pair: np.zeros(self.nodes, dtype=bool) for pair in sorted({part[:2] for part in parts})}
        for before, kind, turns, part in parts:
            processes = np.arange(part.start, part.stop, part.step)
            follows[before, kind][self._process(processes, self.levels - turns)] = True
        return follows

    def _neighbours(self, kind: str, nodes: Integers) -> Integers:
        """The nodes to which the channels of a kind lead, those at the ends of the line beyond it."""
        if kind in "US":
            return {"U": unshuffle, "S": shuffle}[kind](nodes, self.nodes)
        return nodes + {"R": 1, "L": -1}.get(kind, 0)

    def _lengths(self, kind: str, nodes: Integers) -> Integers:
        """Channels of a kind that begin at each node: nodes 0 and N - 1 have no shuffle and un-shuffle."""
        return np.where((kind in "US") & (nodes % (self.nodes - 1) == 0), 0, 1)


def _refined(label: Integers, code: Integers) -> Integers:
    """Classes of equal labels and equal codes, numbered from 0 on."""
    pairs = label * (int(code.max()) + 1) + code
    if pairs.max() > 2 * len(pairs):  # too many numbers to count
        classes: Integers = np.unique(pairs, return_inverse=True)[1]
    else:
        classes = (np.cumsum(np.bincount(pairs) > 0) - 1)[pairs]
    return classes
