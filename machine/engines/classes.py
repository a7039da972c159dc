"""Issue times of a long program without an array per message: a queue for each class of channels.

At n = 2^20 the paper's program posts 710 million messages over some 200 classes. Where n is no power of two
there are more of them, 60,000 at n = 49,152, and still fewer than channels.

Migrating processes use channels of four kinds: R and L lead from a node to the next and to the previous one,
U un-shuffles, D leads down to the next array. A message crosses R, L, U or D, or R and then U, or L and then
U. Channels of a kind are in one *class* if every piece (`senn.machine.engines.runs`) crosses all of them or
none, and comes to them from channels of one class.

All channels of a class serve the same sequence of arrivals and services. By induction over grants: messages
of a piece are posted together, and channels of a class grant together, so arrivals at U are equal. Messages
that arrive together are served by id: send after send, and within a send by the node that they come from: at
every channel the node before, then its own, then the node after. So one queue stands for its class, and a
control unit awaits a maximum over classes.

A control unit posts nothing while it waits, and no array sends to an earlier one. So all queues, solved as if
nothing more were posted, release it exactly; and at a post, whatever has arrived before has its turn. Nodes 0
and N - 1 have no un-shuffle: their messages pass U in no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import instruction_cycles
from senn.machine.engines.runs import Piece, Unfit, issued, rotation
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.program import Program

KINDS = "RLUD"
NEVER = 2**55
NEEDS = (
    "a senn of 2^M nodes for two or more processes, with all arrays at once, store-and-forward, full duplex, "
    "all ports, wires at every node, un-shuffles of one hop, fifo queues, simd control and a DMA"
)
"""What `fits` looks at."""


class Timed(NamedTuple):
    """The times of a program on a machine, and its counts."""

    issues: tuple[tuple[int, ...], ...]  # per array, the cycle of every instruction
    makespan: int
    network_steps: int
    messages: int


def fits(program: Program, machine: Machine) -> bool:
    """Whether a program has the size, and a machine the settings, that `timed` can do."""
    return (
        program.n > 1
        and machine.network == "senn"
        and machine.nodes in (0, 2**program.levels)
        and machine.shuffle != "forward"
        and not machine.merge_parallel
        and not 0 < machine.arrays_at_once < program.arrays
        and (machine.switching, machine.duplex, machine.vertical) == ("store-and-forward", "full", "node")
        and (machine.ports, machine.control, machine.discipline) == ("all", "simd", "fifo")
        and machine.dma
    )


def timed(program: Program, machine: Machine) -> Timed:
    """The times of the other engines, for the allocation "identity" and the residency "migrating".

    Raises Unfit for a program or machine that classes do not time.
    """
    if not fits(program, machine):
        raise Unfit(f"they need {NEEDS}")
    streams = issued(program)
    lines = [line for stream in streams for line in stream]
    busy = {
        x: machine.timing.receive * x.received + instruction_cycles(x.instruction, machine) for x in lines
    }
    pieces = [piece for line in lines for piece in line.pieces]
    service = {piece: machine.message_cycles(piece.words) for piece in pieces}
    if sum(busy.values()) + sum(3 * len(piece) * service[piece] for piece in pieces) >= NEVER:
        raise Unfit(f"machine {machine.name}: its times are too long")
    channels = Channels(program.levels, pieces)
    arrivals: Arrivals = defaultdict(int)
    issues, makespan = [], 0
    for array, stream in enumerate(streams, 1):
        traffic, cycles, clock = Traffic(channels, arrivals), [], 0
        for serial, line in enumerate(stream):
            if line.received:
                traffic.solve()
            cycles.append(max(clock, arrivals[array, serial]))
            clock = cycles[-1] + busy[line]
            traffic.post(line.pieces, clock, service)
        traffic.solve()
        issues.append(tuple(cycles))
        makespan = max(makespan, clock)
    steps = sum(_network_steps(channels, line.pieces) for line in lines)
    return Timed(tuple(issues), makespan, steps, sum(map(len, pieces)))


def _network_steps(channels: Channels, pieces: Sequence[Piece]) -> int:
    """Network steps of a send by itself: one message per channel and step, first come first served."""
    arrivals: Arrivals = defaultdict(int)
    traffic = Traffic(channels, arrivals)
    traffic.post(pieces, 0, dict.fromkeys(pieces, 1))
    traffic.solve()
    return max(arrivals.values(), default=0)


# ------------------------------------------------------------ classes


class Hop(NamedTuple):
    """Channels of one kind that the messages of a piece cross; columns by class."""

    kind: str
    crossed: NDArray[np.bool_]
    previous: Integers  # class of the channel that they come from, where this is the second hop
    length: Integers  # in channels: 1, or 0 where the node has none of this kind


class Channels:
    """The classes of all channels, and the hops of every piece."""

    def __init__(self, levels: int, pieces: Sequence[Piece]) -> None:
        self.levels, self.nodes = levels, 2**levels
        self.turns = [rotation(row, self.levels) for row in range(self.levels + 1)]
        self.kinds: dict[Piece, str] = {piece: self._kinds(piece) for piece in pieces}
        self.label: dict[str, Integers] = {}  # by kind, the class of the channel that begins at each node
        self.node: dict[str, Integers] = {}  # by kind, a node for each class
        for kind in KINDS:
            self.label[kind] = self._classified(kind, [x for x, kinds in self.kinds.items() if kind in kinds])
            self.node[kind] = np.unique(self.label[kind], return_index=True)[1]
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
        return turns, [(first - 1 - back, last - back) for first, last in piece.targets]

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
            yield Hop(kind, crossed, self.previous.get(self.kinds[piece][0], nodes), self.length[kind])


def _refined(label: Integers, code: Integers) -> Integers:
    """Classes of equal labels and equal codes, numbered from 0 on."""
    pairs = label * (int(code.max()) + 1) + code
    if pairs.max() > 2 * len(pairs):  # too many numbers to count
        classes: Integers = np.unique(pairs, return_inverse=True)[1]
    else:
        classes = (np.cumsum(np.bincount(pairs) > 0) - 1)[pairs]
    return classes


# ------------------------------------------------------------ queues

Arrivals = defaultdict[tuple[int, int], int]
"""The last arrival of the messages that an instruction awaits, by array and serial."""


@dataclass(eq=False)
class Wave:
    """A hop of all messages of a piece in progress; columns by class, as last solved."""

    hop: Hop
    service: Integers
    before: Wave | None
    reader: tuple[int, int] | None  # array and serial, where the hop is the last one
    arrived: Integers
    start: Integers
    waits: NDArray[np.bool_]  # where its turn is still open

    @property
    def end(self) -> Integers:
        return self.start + self.service


class Traffic:
    """The messages of one array under way."""

    def __init__(self, channels: Channels, arrivals: Arrivals) -> None:
        self.channels, self.arrivals = channels, arrivals
        self.free = {kind: np.zeros(len(nodes), dtype=np.int64) for kind, nodes in channels.node.items()}
        self.waves: dict[str, list[Wave]] = {kind: [] for kind in KINDS}

    def post(self, pieces: Sequence[Piece], cycle: int, service: Mapping[Piece, int]) -> None:
        """Pieces enter the network, in the order of their ids at any channel."""
        if pieces:
            self.solve()
            self._settle(cycle)
        for piece in pieces:
            before, reader = None, (piece.target_array, piece.reader)
            for hop in self.channels.hops(piece):
                posted = np.where(hop.crossed, cycle, NEVER)
                cycles = service[piece] * hop.length
                before = Wave(hop, cycles, before, None, posted, posted, hop.crossed)
                self.waves[hop.kind].append(before)
            if before is not None:
                before.reader = reader
            self.arrivals[reader] = max(self.arrivals[reader], cycle)

    def solve(self) -> None:
        """Solve all queues as if nothing more were posted."""
        for kind, waves in self.waves.items():
            for wave in waves:
                if wave.before is not None:
                    wave.arrived = np.where(wave.hop.crossed, wave.before.end[wave.hop.previous], NEVER)
            if waves:
                _grant(waves, self.free[kind])
            for wave in waves:
                if wave.reader is not None:
                    last = int(wave.end[wave.hop.crossed].max())
                    self.arrivals[wave.reader] = max(self.arrivals[wave.reader], last)

    def _settle(self, cycle: int) -> None:
        """Make final what has arrived before `cycle`: nothing more will be posted before it."""
        for kind, waves in self.waves.items():
            for wave in waves:
                turn = wave.waits & (wave.arrived < cycle)
                np.maximum(self.free[kind], wave.end, out=self.free[kind], where=turn)
                wave.waits = wave.waits & ~turn
            self.waves[kind] = [wave for wave in waves if wave.waits.any()]


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
