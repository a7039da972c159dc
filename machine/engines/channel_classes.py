"""The classes of all channels of a program that un-shuffles, and what each piece crosses of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.runs import Piece, Unfit, rotation
from senn.machine.network.topology import Integers

KINDS = "RLUD"


class Hop(NamedTuple):
    """Channels of one kind that the messages of a piece cross; columns by class."""

    kind: str
    crossed: NDArray[np.bool_]
    previous: Integers  # class of the channel that they come from, where this is the second hop
    length: Integers  # in channels: 1, or 0 where the node has none of this kind
    channels: Integers  # of each class


class Channels:
    """The classes of all channels, and the hops of every piece."""

    def __init__(self, levels: int, pieces: Sequence[Piece]) -> None:
        self.levels, self.nodes = levels, 2**levels
        self.turns = [rotation(row, self.levels) for row in range(self.levels + 1)]
        self.kinds: dict[Piece, str] = {piece: self._kinds(piece) for piece in pieces}
        self.label: dict[str, Integers] = {}  # by kind, the class of the channel that begins at each node
        self.node: dict[str, Integers] = {}  # by kind, a node for each class
        self.count: dict[str, Integers] = {}  # by kind, the channels of each class
        for kind in KINDS:
            self.label[kind] = self._classified(kind, [x for x, kinds in self.kinds.items() if kind in kinds])
            self.node[kind], self.count[kind] = np.unique(
                self.label[kind], return_index=True, return_counts=True
            )[1:]
        self.length = {kind: self._lengths(kind, nodes) for kind, nodes in self.node.items()}
        self.previous = {shift: self._previous(shift, self.node["U"]) for shift in "RL"}

    def _kinds(self, piece: Piece) -> str:
        """The kinds of channels that a piece crosses, in their order."""
        row, turns = piece.at, 0
        while row != piece.row:
            following = (row + 1) % (self.levels + 1)
            turns += self.turns[row] != self.turns[following]
            if turns > 1 or 0 < piece.row < row:
                raise Unfit("a message moves on by several un-shuffles, or back")
            row = following
        down = piece.target_array - piece.array
        kinds = ("R" if piece.offset > 0 else "L" if piece.offset else "") + "U" * turns
        if abs(piece.offset) not in (0, 2 ** self.turns[piece.at]) or down not in (0, 1) or (kinds and down):
            raise Unfit("a message goes further than to a neighbour")
        return kinds + "D" * down

    def _lengths(self, kind: str, nodes: Integers) -> Integers:
        """Channels of a kind that begin at each node: nodes 0 and N - 1 have no un-shuffle."""
        return np.where((kind == "U") & (nodes % (self.nodes - 1) == 0), 0, 1)

    def _places(self, piece: Piece, kind: str) -> tuple[int, list[tuple[int, int]]]:
        """Un-shuffles that lead from the homes of some processes to the nodes where the channels of a piece
        begin; and these processes, counted from 0: intervals [first, stop)."""
        back = piece.offset if kind in "RL" else 0  # at senders, else at receivers
        turns = self.turns[piece.row if kind == "D" else piece.at]
        runs = (
            each for part in piece.targets for each in ((part,) if part.step == 1 else ((p,) for p in part))
        )
        return turns, [(run[0] - 1 - back, run[-1] - back) for run in runs]

    def _previous(self, shift: str, nodes: Integers) -> Integers:
        """The classes of the channels of the kind R or L that lead to these nodes."""
        classes: Integers = self.label[shift][(nodes + {"R": -1, "L": 1}[shift]) % self.nodes]
        return classes

    def _classified(self, kind: str, pieces: list[Piece]) -> Integers:
        """The class of every channel of a kind."""
        nodes = np.arange(self.nodes)
        label = self._lengths(kind, nodes)
        edges: dict[int, set[int]] = defaultdict(set)
        for piece in pieces:
            turns, intervals = self._places(piece, kind)
            edges[turns] |= {edge for interval in intervals for edge in interval}
        for turns, bounds in edges.items():
            runs = np.diff([0, *sorted(bounds), self.nodes])
            by_process = np.repeat(np.arange(len(runs)), runs)
            label = _refined(label, by_process.reshape(-1, 1 << turns).T.ravel())
        for shift in {self.kinds[piece][0] for piece in pieces} - {kind}:
            label = _refined(label, self._previous(shift, nodes))
        return label

    def hops(self, piece: Piece) -> Iterator[Hop]:
        """The hops of a piece, in their order."""
        for kind in self.kinds[piece]:
            nodes = self.node[kind]
            turns, intervals = self._places(piece, kind)
            process = ((nodes << turns) | (nodes >> (self.levels - turns))) & (self.nodes - 1)
            crossed = np.any([(first <= process) & (process < stop) for first, stop in intervals], axis=0)
            previous = self.previous.get(self.kinds[piece][0], nodes)
            yield Hop(kind, crossed, previous, self.length[kind], self.count[kind])


def _refined(label: Integers, code: Integers) -> Integers:
    """Classes of equal labels and equal codes, numbered from 0 on."""
    pairs = label * (int(code.max()) + 1) + code
    if pairs.max() > 2 * len(pairs):  # too many numbers to count
        classes: Integers = np.unique(pairs, return_inverse=True)[1]
    else:
        classes = (np.cumsum(np.bincount(pairs) > 0) - 1)[pairs]
    return classes
