"""Channels in service: first come first served queues on directed links, one SimPy event per busy cycle.

Within one cycle the order is (i) deliveries and channel releases, in id order; (ii) issue and post;
(iii) arbitration of idle channels. Priorities of SimPy's event queue express it: ARRIVE, then its own
NORMAL for the control units, then ARBITRATE. So nothing depends on the order in which events were made.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import simpy
from simpy.events import EventPriority

from senn.machine.durations import Durations
from senn.machine.schedule import Schedule

ARRIVE, ARBITRATE = EventPriority(0), EventPriority(2)


class Tick(simpy.Event):
    """An event at a given cycle and place within the cycle, that calls back once."""

    def __init__(
        self, env: simpy.Environment, delay: int, priority: EventPriority, call: Callable[[], None]
    ) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        self.callbacks = [lambda _: call()]
        env.schedule(self, priority, delay)


class Channels:
    """The state of all channels while a run is in progress.

    ``deliver(message)`` is called when a message has crossed its last channel, in the cycle it arrives.
    """

    def __init__(
        self,
        env: simpy.Environment,
        schedule: Schedule,
        durations: Durations,
        ports: str,
        deliver: Callable[[int], None],
    ) -> None:
        paths = schedule.messages.paths
        self.env, self.deliver = env, deliver
        self.begin: list[int] = paths.offsets.tolist()
        self.route: list[int] = paths.channels.tolist()
        self.cycles: list[int] = durations.messages.tolist()
        self.next_hop: list[int] = paths.offsets[:-1].tolist()
        self.starts = np.zeros(len(self.route), dtype=np.int64)
        self.queues: list[list[tuple[int, int]]] = [[] for _ in range(len(schedule.wiring))]
        self.busy = [False] * len(schedule.wiring)
        self.finishing: dict[int, list[int]] = {}
        self.touched: set[int] = set()
        self.arbitrating = False
        self.ports = _Ports(schedule) if ports == "one" else None

    def post(self, messages: Iterable[int]) -> None:
        """Descriptors enter the DMA now, in id order."""
        for message in messages:
            if self.cycles[message] == 0:  # a free network delivers at once, without queueing
                self.starts[self.begin[message] : self.begin[message + 1]] = self.env.now
                self.deliver(message)
            elif self.begin[message] == self.begin[message + 1]:
                self.deliver(message)
            else:
                self._queue(message)

    def _queue(self, message: int) -> None:
        channel = self.route[self.next_hop[message]]
        heapq.heappush(self.queues[channel], (int(self.env.now), message))
        self._touch(channel)

    def _touch(self, channel: int) -> None:
        self.touched.add(channel)
        if not self.arbitrating:
            self.arbitrating = True
            Tick(self.env, 0, ARBITRATE, self._arbitrate)

    def _arbitrate(self) -> None:
        self.arbitrating = False
        if self.ports is not None:
            self._arbitrate_ports(self.ports)
            return
        touched, self.touched = self.touched, set()
        for channel in touched:
            if self.queues[channel] and not self.busy[channel]:
                self._grant(channel)

    def _arbitrate_ports(self, ports: _Ports) -> None:
        """All waiting heads in order (arrival, id); one that cannot be granted holds back no other."""
        self.touched = {c for c in self.touched if self.queues[c]}  # those left waiting are looked at again
        for _, channel in sorted((self.queues[c][0], c) for c in self.touched if not self.busy[c]):
            if ports.free(channel):
                ports.take(channel)
                self._grant(channel)

    def _grant(self, channel: int) -> None:
        _, message = heapq.heappop(self.queues[channel])
        self.busy[channel] = True
        now = int(self.env.now)
        self.starts[self.next_hop[message]] = now
        end = now + self.cycles[message]
        if end not in self.finishing:
            self.finishing[end] = []
            Tick(self.env, self.cycles[message], ARRIVE, self._finish)
        self.finishing[end].append(message)

    def _finish(self) -> None:
        for message in sorted(self.finishing.pop(int(self.env.now))):
            channel = self.route[self.next_hop[message]]
            self.busy[channel] = False
            if self.ports is not None:
                self.ports.release(channel)
            self._touch(channel)
            self.next_hop[message] += 1
            if self.next_hop[message] == self.begin[message + 1]:
                self.deliver(message)
            else:
                self._queue(message)


class _Ports:
    """One outgoing and one incoming port per node; vertical wires have ports of their own."""

    def __init__(self, schedule: Schedule) -> None:
        columns: dict[str, Any] = schedule.wiring.columns()
        nodes, arrays = schedule.wiring.nodes, schedule.wiring.arrays
        vertical = np.array([kind == "vertical" for kind in columns["kind"]])
        own = vertical * nodes * (arrays + 1)
        self.outgoing = (own + columns["source_array"] * nodes + columns["source_node"]).tolist()
        self.incoming = (own + columns["target_array"] * nodes + columns["target_node"]).tolist()
        self.taken: set[tuple[str, int]] = set()

    def _of(self, channel: int) -> tuple[tuple[str, int], tuple[str, int]]:
        return ("out", self.outgoing[channel]), ("in", self.incoming[channel])

    def free(self, channel: int) -> bool:
        return self.taken.isdisjoint(self._of(channel))

    def take(self, channel: int) -> None:
        self.taken.update(self._of(channel))

    def release(self, channel: int) -> None:
        self.taken.difference_update(self._of(channel))
