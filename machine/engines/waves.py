"""The queues of a program's messages, one for each class of channels (`senn.machine.engines.classes`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from senn.machine.engines.channel_classes import KINDS, Channels, Hop, Way
from senn.machine.engines.runs import Piece
from senn.machine.network.topology import Integers, Truth

NEVER = 2**55

Arrivals = defaultdict[tuple[int, int], int]
"""The last arrival of the messages that an instruction awaits, by array and serial."""


class Delivery(NamedTuple):
    """The arrivals of all messages of a piece."""

    piece: Piece
    posted: int
    arrived: Integers  # cycles, ascending
    messages: Integers  # that arrive in each of them


class Pace(NamedTuple):
    """Cycles of a message beside its service, where switching is cut-through: as in `Durations`."""

    launch: int = 0  # from its post to the request of its first channel
    passing: int = 0  # from a grant to the request of the next channel, if not 0; and at the end


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
        channels: Channels,
        arrays: Sequence[int],
        arrivals: Arrivals,
        onward: dict[int, list[Wave]],
        pace: Pace = Pace(),  # noqa: B008 (immutable)
    ) -> None:
        self.channels, self.arrivals, self.onward, self.pace = channels, arrivals, onward, pace
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
        before, (launch, passing) = None, self.pace
        for number, hop in enumerate(self.channels.hops(way), 1):
            is_last, requested = number == len(way.steps), np.where(hop.crossed, cycle + launch, NEVER)
            cycles, waits = service * hop.length, hop.crossed
            before = Wave(piece, cycle, hop, cycles, passing, before, is_last, requested, requested, waits)
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
            self.deliveries += [_delivery(x) for x in waves if x.is_last and not x.waits.any()]
            self.waves[key] = [wave for wave in waves if wave.waits.any()]


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
