"""Channels in service: queues of messages, one SimPy event per busy cycle.

Within one cycle the order is (i) deliveries, requests and releases of channels, in id order; (ii) issue and
post; (iii) arbitration of what is idle. Priorities of SimPy's event queue express it: ARRIVE, then its own
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
from senn.machine.engines.times import Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule

ARRIVE, ARBITRATE = EventPriority(0), EventPriority(2)
_NONE = -1


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

    A channel has a server: itself, or what it shares with others (a half-duplex wire, a bus). A server has
    one queue and serves one message at a time; with one port a node, its channels have a queue each, because
    a port may hold back one and not the other. ``deliver(message)`` is called in the cycle a message arrives.
    What happens to a message is written down in the cycle in which it happens, and nothing else is.
    """

    def __init__(
        self,
        env: simpy.Environment,
        schedule: Schedule,
        machine: Machine,
        durations: Durations,
        deliver: Callable[[int], None],
    ) -> None:
        paths = schedule.messages.paths
        self.env, self.deliver = env, deliver
        self.begin: list[int] = paths.offsets.tolist()
        self.channel: list[int] = paths.channels.tolist()
        server = servers(schedule.wiring, machine.duplex, machine.vertical)[paths.channels]
        self.server: list[int] = server.tolist()
        self.cycles: list[int] = durations.messages.tolist()
        self.launch, self.passing = durations.launch, durations.passing
        self.urgency: list[int] = durations.urgency.tolist()
        self.hop: list[int] = (paths.offsets[:-1] - 1).tolist()  # where a message is on its route
        # The log, in lists: quicker to write one by one than arrays.
        self.posted = [_NONE] * len(self.cycles)
        self.queued, self.starts, self.ends = ([_NONE] * len(self.server) for _ in range(3))
        self.queues: list[list[tuple[int, int, int]]] = [[] for _ in range(len(schedule.wiring))]
        self.busy = [False] * len(schedule.wiring)
        # By cycle: (message, hop whose server is released or -1, whether the message goes on).
        self.due: dict[int, list[tuple[int, int, bool]]] = {}
        self.touched: set[int] = set()
        self.arbitrating = False
        self.ports = _Ports(schedule) if machine.ports == "one" else None
        self.queue = self.channel if self.ports is not None else self.server

    def post(self, messages: Iterable[int]) -> None:
        """Descriptors enter the DMA now, in id order."""
        now = int(self.env.now)
        for message in messages:
            self.posted[message] = now
            begin, end = self.begin[message], self.begin[message + 1]
            if self.cycles[message] == 0:  # a free network delivers at once, without queueing
                for log in (self.queued, self.starts, self.ends):
                    log[begin:end] = [now] * (end - begin)
                self.deliver(message)
            elif begin == end:
                self.deliver(message)
            elif self.launch:
                self._at(self.launch, (message, _NONE, True))
            else:
                self._go_on(message)

    def _go_on(self, message: int) -> None:
        """To the queue of the next channel."""
        hop, now = self.hop[message] + 1, int(self.env.now)
        self.hop[message], self.queued[hop] = hop, now
        queue = self.queue[hop]
        heapq.heappush(self.queues[queue], (self.urgency[message], now, message))
        self._touch(queue)

    def _touch(self, queue: int) -> None:
        self.touched.add(queue)
        if not self.arbitrating:
            self.arbitrating = True
            Tick(self.env, 0, ARBITRATE, self._arbitrate)

    def _arbitrate(self) -> None:
        self.arbitrating = False
        if self.ports is not None:
            self._arbitrate_ports(self.ports)
            return
        touched, self.touched = self.touched, set()
        for queue in touched:  # each the one queue of the server of the same number
            if self.queues[queue] and not self.busy[queue]:
                self._grant(queue)

    def _arbitrate_ports(self, ports: _Ports) -> None:
        """All waiting heads in the order of the queues; one that cannot be granted holds back no other."""
        self.touched = {q for q in self.touched if self.queues[q]}  # those left waiting are looked at again
        for (_, _, message), queue in sorted((self.queues[q][0], q) for q in self.touched):
            hop = self.hop[message]
            if not self.busy[self.server[hop]] and ports.free(self.channel[hop]):
                self._grant(queue)

    def _grant(self, queue: int) -> None:
        _, _, message = heapq.heappop(self.queues[queue])
        hop, cycles = self.hop[message], self.cycles[message]
        self.busy[self.server[hop]] = True
        if self.ports is not None:
            self.ports.take(self.channel[hop])
        self.starts[hop] = int(self.env.now)
        if not self.passing:
            self._at(cycles, (message, hop, True))
            return
        last = hop + 1 == self.begin[message + 1]
        self._at(cycles, (message, hop, False))
        self._at(self.passing + cycles if last else self.passing, (message, _NONE, True))

    def _at(self, delay: int, what: tuple[int, int, bool]) -> None:
        cycle = int(self.env.now) + delay
        if cycle not in self.due:
            self.due[cycle] = []
            Tick(self.env, delay, ARRIVE, self._begin_cycle)
        self.due[cycle].append(what)

    def _begin_cycle(self) -> None:
        now = int(self.env.now)
        for message, released, moves in sorted(self.due.pop(now)):
            if released != _NONE:
                self.ends[released] = now
                self.busy[self.server[released]] = False
                if self.ports is not None:
                    self.ports.release(self.channel[released])
                self._touch(self.queue[released])
            if not moves:
                continue
            if self.hop[message] + 1 == self.begin[message + 1]:
                self.deliver(message)
            else:
                self._go_on(message)

    def travel(self, arrived: Integers) -> Travel:
        """What was written down here, and the arrivals seen by those it was delivered to."""
        posted, *of_hops = (
            np.array(log, dtype=np.int64) for log in (self.posted, self.queued, self.starts, self.ends)
        )
        return Travel(posted, arrived, *of_hops)


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
