"""Classes of the channels of a program that un-shuffles, the ways of its pieces, and a queue for each class.

A channel is known by the array and the node where it begins, and by its kind: R and L lead to the next and to
the previous node, U un-shuffles, S shuffles back, D and A lead down and up to the next array. Inside an array
they are those of the network, by its routing: each hop must be one channel, and a channel that serves two
kinds is known by the first of them. Channels of a kind are in one *class* if every way crosses, with each of
its hops, all of them or none, and comes to them from channels of one class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.runs import Piece, Unfit, rotation
from senn.machine.network.arrays import take
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers, Truth, shuffle, unshuffle
from senn.machine.program.subscripts import moved

INSIDE = "RLUS"
KINDS = INSIDE + "DA"


class Step(NamedTuple):
    """A hop of a way."""

    array: int
    kind: str
    turns: int  # un-shuffles that lead from the homes of the processes to the nodes where it begins
    back: int  # from these processes to those that receive


class Way(NamedTuple):
    """The hops of a piece's messages to some processes."""

    steps: tuple[Step, ...]
    targets: tuple[range, ...]  # counted from 0
    besides: tuple[int, ...] = ()  # of `targets`, those that another way leads to


class Hop(NamedTuple):
    """Channels of one kind that the messages of a way cross; columns by class."""

    array: int
    kind: str
    crossed: Truth
    previous: Integers  # class of the channel that they come from, where this is no first hop
    length: Integers  # in channels: 1, or 0 where the node has none of this kind
    channels: Integers  # of each class


class ChannelClasses:
    """The classes of all channels, and the ways of every piece; `posts` has the pieces of each send.

    Raises Unfit, or what `router` raises, where a hop is not one channel."""

    def __init__(self, levels: int, posts: Sequence[Sequence[Piece]], router: Router) -> None:
        self.levels, self.nodes = levels, 2**levels
        self.turns = [rotation(row, levels) for row in range(levels + 1)]
        steps = {piece: tuple(self._steps(piece)) for pieces in posts for piece in pieces}
        self.other = self._other_kinds(router, {step.kind for some in steps.values() for step in some})
        self.ways = {piece: tuple(self._ways(piece, some)) for piece, some in steps.items()}
        self.label: dict[str, Integers] = {}  # by kind, the class of the channel that begins at each node
        self.node: dict[str, Integers] = {}  # by kind, a node for each class
        self.count: dict[str, Integers] = {}  # by kind, the channels of each class
        pairs = self._label()
        for kind, label in self.label.items():
            _, self.node[kind], self.count[kind] = np.unique(label, return_index=True, return_counts=True)
        self.length = {kind: self._lengths(kind, nodes) for kind, nodes in self.node.items()}
        self.previous = {pair: self._previous(pair[0], self.node[pair[1]]) for pair in pairs}
        for pieces in posts:
            self._refuse_unordered([way for piece in pieces for way in self.ways[piece]])

    def hops(self, way: Way) -> Iterator[Hop]:
        """The hops of a way, in their order."""
        before = ""
        for step in way.steps:
            nodes = self.node[step.kind]
            target = self._process(nodes, step.turns) + step.back
            crossed = np.zeros(len(nodes), dtype=bool)
            for part in way.targets:
                inside = (target >= part.start) & (target < part.stop)
                crossed |= inside & ((target - part.start) % part.step == 0)
            crossed &= ~np.isin(target, way.besides)
            previous = self.previous.get((before, step.kind), nodes)
            yield Hop(step.array, step.kind, crossed, previous, self.length[step.kind], self.count[step.kind])
            before = step.kind

    def _process(self, node: Any, turns: int) -> Any:
        """The process that comes to a node by so many un-shuffles, counted from 0."""
        return ((node << turns) | (node >> (self.levels - turns))) & (self.nodes - 1)

    # -- ways

    def _other_kinds(self, router: Router, kinds: set[str]) -> dict[str, dict[int, str]]:
        """By kind and node, the kind by which its channel is known already."""
        channels = {kind: self._begin(kind, router) for kind in INSIDE if kind in kinds}
        other: dict[str, dict[int, str]] = {kind: {} for kind in KINDS}
        for first, second in combinations(channels, 2):
            for node in np.flatnonzero(channels[first] == channels[second]).tolist():
                other[second].setdefault(node, first)
        return other

    def _begin(self, kind: str, router: Router) -> Integers:
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
        begin = np.full(self.nodes, -1 - KINDS.index(kind))
        begin[moving] = paths.channels
        return begin

    def _ways(self, piece: Piece, steps: tuple[Step, ...]) -> Iterator[Way]:
        """The ways of a piece: to some processes a hop is over a channel that is known by another kind."""
        targets = tuple(moved(part, -1) for part in piece.targets)
        others: dict[int, dict[Step, str]] = defaultdict(dict)  # by process
        for step in steps:
            for node, kind in self.other[step.kind].items():
                process = self._process(node, step.turns) + step.back
                if any(process in part for part in targets):
                    others[process][step] = kind
        for process, kinds in others.items():
            with_kinds = tuple(step._replace(kind=kinds.get(step, step.kind)) for step in steps)
            yield Way(with_kinds, (range(process, process + 1),))
        if not others or any(process not in others for part in targets for process in part):
            yield Way(steps, targets, tuple(others))

    def _steps(self, piece: Piece) -> Iterator[Step]:
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

    def _refuse_unordered(self, ways: Sequence[Way]) -> None:
        """Ids decide between messages of one send that arrive together: by the nodes that they come from.
        These have one order where messages came by the same un-shuffles, or all are for one process."""
        crossings: dict[tuple[int, str], list[tuple[object, object, Truth]]] = defaultdict(list)
        for way in ways:
            alone = sum(map(len, way.targets)) == 1
            for k, hop in enumerate(self.hops(way), 1):
                path: object = tuple(step[1:3] for step in way.steps[:k] if not step.back)
                crossed = hop.crossed & (hop.length > 0)
                crossings[hop.array, hop.kind].append((path, way.targets if alone else path, crossed))
        pairs = (pair for some in crossings.values() for pair in combinations(some, 2))
        for (path, target, crossed), (other_path, other_target, other) in pairs:
            if path != other_path and target != other_target and np.any(crossed & other):
                raise Unfit("messages of one send meet after unequal un-shuffles")

    # -- classes

    def _label(self) -> Iterable[tuple[str, str]]:
        """Refine the labels of all kinds until no class is split; return the pairs of kinds in succession."""
        nodes = np.arange(self.nodes)
        ways = {way for ways in self.ways.values() for way in ways}
        for kind in KINDS:
            self.label[kind] = self._crossed(kind, ways)
        follows, classes = self._follows(ways), -1
        while classes != (classes := sum(int(label.max()) for label in self.label.values())):
            for (before, kind), crossed in follows.items():
                code = np.where(crossed, 1 + self._previous(before, nodes), 0)
                self.label[kind] = _refined(self.label[kind], code)
        return follows

    def _crossed(self, kind: str, ways: Iterable[Way]) -> Integers:
        """Labels of the channels of a kind, by the ways that cross them."""
        label = self._lengths(kind, np.arange(self.nodes))
        parts: dict[int, set[range]] = defaultdict(set)
        for way in ways:
            alone = [range(process, process + 1) for process in way.besides]
            for step in (step for step in way.steps if step.kind == kind):
                parts[step.turns] |= {moved(part, -step.back) for part in (*way.targets, *alone)}
        for turns, some in parts.items():
            runs = np.diff(
                [0, *sorted({edge for part in some for edge in (part[0], part[-1] + 1)}), self.nodes]
            )
            code = np.repeat(np.arange(len(runs)), runs)
            for every, first in {(part.step, part[0] % part.step) for part in some if part.step > 1}:
                code = _refined(code, np.arange(self.nodes) % every == first)
            label = _refined(label, self._at_nodes(code, turns))
        return label

    def _follows(self, ways: Iterable[Way]) -> dict[tuple[str, str], Truth]:
        """Kinds of two hops in succession, and by node whether a second hop of this kind begins there."""
        parts: dict[tuple[int, str, str, int], set[range]] = defaultdict(set)
        for way in ways:
            for first, step in pairwise(way.steps):
                key = (KINDS.index(step.kind), first.kind, step.kind, step.turns)
                parts[key] |= {moved(part, -step.back) for part in way.targets}
        follows: dict[tuple[str, str], Truth] = {}
        for (_, before, kind, turns), some in sorted(parts.items(), key=lambda entry: entry[0]):
            crossed = np.zeros(self.nodes, dtype=bool)
            for part in some:
                crossed[part.start : part.stop : part.step] = True
            follows.setdefault((before, kind), np.zeros_like(crossed))
            follows[before, kind] |= self._at_nodes(crossed, turns)
        return follows

    def _at_nodes(self, by_process: NDArray[Any], turns: int) -> NDArray[Any]:
        """A column by process as one by the nodes to which so many un-shuffles bring them."""
        return by_process.reshape(-1, 1 << turns).T.ravel()

    def _previous(self, kind: str, nodes: Integers) -> Integers:
        """The classes of the channels of a kind that lead to these nodes."""
        reverse = dict(zip(INSIDE, "LRSU", strict=True))
        classes: Integers = self.label[kind][self._neighbours(reverse.get(kind, kind), nodes) % self.nodes]
        return classes

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


# Queues: the messages under way, a wave for each hop of those that go the same way.


NEVER = 2**55

Arrivals = defaultdict[tuple[int, int], int]
"""The last arrival of the messages that an instruction awaits, by array and serial."""


class Delivery(NamedTuple):
    """The arrivals of all messages of a piece."""

    piece: Piece
    posted: int
    arrived: Integers  # cycles, ascending
    messages: Integers  # that arrive in each of them


@dataclass(eq=False)
class Wave:
    """A hop of all messages of a way in progress; columns by class, as last solved."""

    piece: Piece
    posted: int
    hop: Hop
    service: Integers
    passing: int
    before: Wave | None
    is_last: bool
    arrived: Integers
    start: Integers
    waits: Truth  # where its turn is still open

    @property
    def left(self) -> Integers:
        """The cycles in which its channels are free again."""
        return self.start + self.service

    @property
    def onward(self) -> Integers:
        """The cycles in which the next channels are requested."""
        ahead = self.start + self.passing if self.passing else self.left
        return np.where(self.hop.length, ahead, self.arrived)

    @property
    def end(self) -> Integers:
        """The cycles of delivery, where the hop is the last one."""
        if self.hop.length.all():
            return self.left + self.passing
        earlier = self.posted if self.before is None else self.before.end[self.hop.previous]
        return np.where(self.hop.length, self.left + self.passing, earlier)

    def arrivals(self) -> Integers:
        """The cycles in which its channels are requested."""
        if self.before is None:
            return self.arrived
        return np.where(self.hop.crossed, self.before.onward[self.hop.previous], NEVER)


class Traffic:
    """The messages under way on the channels that begin at some arrays.

    `onward` has, by array, hops of them on channels that begin at others, whose turn comes later.
    """

    def __init__(
        self,
        channels: ChannelClasses,
        arrays: Sequence[int],
        arrivals: Arrivals,
        onward: dict[int, list[Wave]],
        launch: int = 0,
        passing: int = 0,
    ) -> None:
        self.channels, self.arrivals, self.onward = channels, arrivals, onward
        self.launch, self.passing = launch, passing  # as in `Durations`
        self.waves: dict[tuple[int, str], list[Wave]] = {
            (array, kind): [] for kind in KINDS for array in arrays
        }
        self.free = {
            (array, kind): np.zeros(len(channels.node[kind]), dtype=np.int64) for array, kind in self.waves
        }
        self.deliveries: list[Delivery] = []
        by_array = (wave for array in arrays for wave in onward.pop(array, ()))
        for wave in sorted(by_array, key=lambda wave: wave.piece.array):
            self._queue(wave)

    def post(self, pieces: Sequence[Piece], cycle: int, service: Mapping[Piece, int]) -> None:
        """Pieces enter the network, in the order of their ids at any channel."""
        if pieces:
            self.solve()
            self._settle(cycle)
        for piece in pieces:
            for way in self.channels.ways[piece]:
                self._send(piece, way, cycle, service[piece])
            self._enter(piece, cycle)

    def _send(self, piece: Piece, way: Way, cycle: int, service: int) -> None:
        before = None
        for number, hop in enumerate(self.channels.hops(way), 1):
            is_last, requested = number == len(way.steps), np.where(hop.crossed, cycle + self.launch, NEVER)
            cycles, waits = service * hop.length, hop.crossed
            before = Wave(
                piece, cycle, hop, cycles, self.passing, before, is_last, requested, requested, waits
            )
            self._queue(before)
        if before is None:
            self.deliveries.append(Delivery(piece, cycle, np.array([cycle]), np.array([len(piece)])))

    def _queue(self, wave: Wave) -> None:
        key = (wave.hop.array, wave.hop.kind)
        (self.waves[key] if key in self.waves else self.onward.setdefault(key[0], [])).append(wave)

    def solve(self) -> None:
        """Solve all queues as if nothing more were posted: most in one pass, in the order of the kinds."""
        again = True
        while again:
            for key, waves in self.waves.items():
                for wave in waves:
                    wave.arrived = wave.arrivals()
                if waves:
                    _grant(waves, self.free[key])
            waves = [wave for some in self.waves.values() for wave in some]
            again = any(not np.array_equal(wave.arrived, wave.arrivals()) for wave in waves)
        for wave in waves:
            if wave.is_last:
                self._enter(wave.piece, int(wave.end[wave.hop.crossed].max()))

    def finish(self) -> None:
        """Deliver everything: nothing more is posted."""
        self.solve()
        self._settle(NEVER)

    def _enter(self, piece: Piece, cycle: int) -> None:
        reader = (piece.target_array, piece.reader)
        self.arrivals[reader] = max(self.arrivals[reader], cycle)

    def _settle(self, cycle: int) -> None:
        """Make final what has arrived before `cycle`: nothing more will be posted before it."""
        for key, waves in self.waves.items():
            for wave in waves:
                turn = wave.waits & (wave.arrived < cycle)
                np.maximum(self.free[key], wave.left, out=self.free[key], where=turn)
                wave.waits = wave.waits & ~turn
            for wave in (wave for wave in waves if wave.is_last and not wave.waits.any()):
                crossed = wave.hop.crossed
                arrived, at = np.unique(wave.end[crossed], return_inverse=True)
                messages = np.zeros(len(arrived), dtype=np.int64)
                np.add.at(messages, at, wave.hop.channels[crossed])
                self.deliveries.append(Delivery(wave.piece, wave.posted, arrived, messages))
            self.waves[key] = [wave for wave in waves if wave.waits.any()]


def _grant(waves: Sequence[Wave], free: Integers) -> None:
    """First come first served, of equal arrivals the first wave."""
    arrived = np.array([np.where(wave.waits, wave.arrived, NEVER) for wave in waves])
    order = np.argsort(arrived, axis=0, kind="stable")
    granted = np.take_along_axis(arrived, order, axis=0)
    service = np.take_along_axis(np.array([wave.service for wave in waves]), order, axis=0)
    for turn, cycles in zip(granted, service, strict=True):
        np.maximum(turn, free, out=turn)
        free = turn + cycles
    start = np.empty_like(granted)
    np.put_along_axis(start, order, granted, axis=0)
    for wave, cycles in zip(waves, start, strict=True):
        wave.start = np.where(wave.waits, cycles, wave.start)
