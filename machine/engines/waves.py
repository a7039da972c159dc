"""The queues of a program's messages, one for each class of channels (`senn.machine.engines.classes`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.channel_classes import KINDS, Channels, Hop
from senn.machine.engines.runs import Piece
from senn.machine.network.topology import Integers

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
    """A hop of all messages of a piece in progress; columns by class, as last solved."""

    hop: Hop
    service: Integers
    before: Wave | None
    piece: Piece
    posted: int
    is_last: bool
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
        self.deliveries: list[Delivery] = []

    def post(self, pieces: Sequence[Piece], cycle: int, service: Mapping[Piece, int]) -> None:
        """Pieces enter the network, in the order of their ids at any channel."""
        if pieces:
            self.solve()
            self._settle(cycle)
        for piece in pieces:
            before = None
            for hop in self.channels.hops(piece):
                posted = np.where(hop.crossed, cycle, NEVER)
                cycles = service[piece] * hop.length
                before = Wave(hop, cycles, before, piece, cycle, False, posted, posted, hop.crossed)
                self.waves[hop.kind].append(before)
            if before is not None:
                before.is_last = True
            else:
                self.deliveries.append(Delivery(piece, cycle, np.array([cycle]), np.array([len(piece)])))
            self._enter(piece, cycle)

    def solve(self) -> None:
        """Solve all queues as if nothing more were posted."""
        for kind, waves in self.waves.items():
            for wave in waves:
                if wave.before is not None:
                    wave.arrived = np.where(wave.hop.crossed, wave.before.end[wave.hop.previous], NEVER)
            if waves:
                _grant(waves, self.free[kind])
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
        for kind, waves in self.waves.items():
            for wave in waves:
                turn = wave.waits & (wave.arrived < cycle)
                np.maximum(self.free[kind], wave.end, out=self.free[kind], where=turn)
                wave.waits = wave.waits & ~turn
            self.deliveries += [_delivery(x) for x in waves if x.is_last and not x.waits.any()]
            self.waves[kind] = [wave for wave in waves if wave.waits.any()]


def _delivery(wave: Wave) -> Delivery:
    crossed = wave.hop.crossed
    arrived, at = np.unique(wave.end[crossed], return_inverse=True)
    messages = np.zeros(len(arrived), dtype=np.int64)
    np.add.at(messages, at, wave.hop.channels[crossed])
    return Delivery(wave.piece, wave.posted, arrived, messages)


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
