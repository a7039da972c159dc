"""The event engine: message by message in SimPy, with memories that hold only what came to them.

A control unit is a process that issues its instructions in order. Messages are not processes: `Channels`
moves them, with one SimPy event per busy cycle. The receiving node computes with what the message carried: a
payload is copied when the send posts it, and enters the memory when it arrives.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.events import EventPriority

from senn.machine.durations import Durations, durations
from senn.machine.engines.control import Issue, control_units, deadlock
from senn.machine.engines.memory import Block, Memories, evaluate
from senn.machine.engines.outcome import run_of
from senn.machine.engines.record import Times, Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute
from senn.traces.errors import InputError
from senn.traces.record import Detail
from senn.traces.run import Run

Tamper = Callable[[int, Block], Block | None]
"""Called with id and payload of every message in flight: returns the payload that arrives, None for a lost
message."""
_NOT_YET = -1


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None,
    *,
    detail: Detail = "full",
    check: bool = False,
    keep_values: bool = False,
    tamper: Tamper | None = None,
) -> Run:
    """Execute a schedule message by message.

    ``memory`` gives the resident values, each an array over the processes 1..n, (n, *shape). Its key is the
    letter, "x", or "x[0]" for a value with a superscript (here 0). None runs the timing alone (durations
    never depend on data). The run's ``result`` holds the program's results, one row per process that has one.
    ``check`` asserts at the end that every node holds exactly what was resident there, what it wrote, and
    what arrived. ``tamper`` alters or drops messages in flight, for experiments.

    Raises Deadlock when no event is left and a control unit is still stalled, InputError for a memory that
    does not fit the program.
    """
    execution = _Execution(schedule, machine, memory, tamper, detail)
    execution.run()
    times, memories = execution.times(), execution.memories
    if check and memories is not None:
        memories.check()
    return run_of(
        schedule, machine, execution.durations, times, memories, detail=detail, keep_values=keep_values
    )


class _Execution:
    """A run in progress."""

    def __init__(
        self,
        schedule: Schedule,
        machine: Machine,
        memory: Mapping[str, NDArray[Any]] | None,
        tamper: Tamper | None,
        detail: Detail,
    ) -> None:
        self.schedule, self.tamper = schedule, tamper
        self.durations = durations(schedule, machine, detail=detail)
        self.units = control_units(schedule, machine, self.durations)
        self.env = simpy.Environment()
        self.channels = Channels(self.env, schedule, machine, self.durations, self._deliver)
        if tamper is not None and memory is None:
            raise InputError("tamper alters the numbers in messages, but this run has none: give it a memory")
        self.memories = None if memory is None else Memories(schedule, memory)
        self.payloads: dict[int, Block] = {}
        self.arrived = np.full(len(schedule.messages), _NOT_YET)  # the cycle, as seen here
        self.issues = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        self.ends = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        # By stalled control unit: its instruction, the messages missing, and the event of their arrival.
        self.stalled: dict[int, tuple[Issue, set[int], simpy.Event]] = {}
        self.awaiting: dict[int, list[int]] = {}  # by message, the control units that await it

    def run(self) -> None:
        for unit, stream in enumerate(self.units):
            self.env.process(self._control_unit(unit, stream))
        self.env.run()
        if self.stalled:
            stalled = [(issue, missing) for issue, missing, _ in self.stalled.values()]
            raise deadlock(self.schedule, stalled, int(self.env.now))

    def times(self) -> Times:
        return Times(self.units, tuple(self.issues), tuple(self.ends), self.channels.travel(self.arrived))

    def _control_unit(self, unit: int, stream: tuple[Issue, ...]) -> Generator[simpy.Event, None, None]:
        for position, issue in enumerate(stream):
            missing = set(issue.awaited[self.arrived[issue.awaited] == _NOT_YET].tolist())
            if missing:
                event = self.env.event()
                self.stalled[unit] = (issue, missing, event)
                for message in missing:
                    self.awaiting.setdefault(message, []).append(unit)
                yield event
            self.issues[unit][position] = self.env.now
            self._execute(issue)
            if issue.busy:
                yield self.env.timeout(issue.busy)
            self.ends[unit][position] = self.env.now
            self._post(issue)

    def _execute(self, issue: Issue) -> None:
        if self.memories is not None and isinstance(issue.task.line.instruction, Compute):
            gather = self.memories.reader(issue.task.array)
            for positions, blocks in evaluate(issue.task, gather, issue.positions):
                self.memories.write(issue.task, positions, blocks)

    def _post(self, issue: Issue) -> None:
        posts = issue.posts if isinstance(issue.posts, range) else issue.posts.tolist()
        if self.memories is not None:
            for message in posts:
                self.payloads[message] = self.memories.payload(message)
        self.channels.post(posts)

    def _deliver(self, message: int) -> None:
        if self.memories is not None:
            payload: Block | None = self.payloads.pop(message)
            if self.tamper is not None and payload is not None:
                payload = self.tamper(message, payload)
            if payload is None:
                return
            self.memories.deliver(message, payload)
        self.arrived[message] = self.env.now
        for unit in self.awaiting.pop(message, ()):
            _, missing, event = self.stalled[unit]
            missing.discard(message)
            if not missing:
                del self.stalled[unit]
                event.succeed()


# Within one cycle the order is (i) deliveries, requests and releases of channels, in id order; (ii) issue and
# post; (iii) arbitration of what is idle. Priorities of SimPy's event queue express it: ARRIVE, then its own
# NORMAL for the control units, then ARBITRATE. So nothing depends on the order in which events were made.
ARRIVE, ARBITRATE = EventPriority(0), EventPriority(2)
_NONE = -1


class Tick(simpy.Event):
    """An event that calls back once, at a given cycle and place within the cycle."""

    def __init__(
        self, env: simpy.Environment, delay: int, priority: EventPriority, call: Callable[[], None]
    ) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        self.callbacks = [lambda _: call()]
        env.schedule(self, priority, delay)


class Channels:
    """All channels of a run in progress.

    A channel has a server: itself, or one that it shares with others (a half-duplex wire, a bus). A server
    has one queue and serves one message at a time; with one port a node, its channels have a queue each,
    because a port may hold back one and not the other. ``deliver(message)`` is called in the cycle a message
    arrives. Each event of a message is logged in its own cycle, and nothing else is.
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
        """Enter the queue of the next channel."""
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

    def _at(self, delay: int, event: tuple[int, int, bool]) -> None:
        cycle = int(self.env.now) + delay
        if cycle not in self.due:
            self.due[cycle] = []
            Tick(self.env, delay, ARRIVE, self._begin_cycle)
        self.due[cycle].append(event)

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
        """The log of all messages, with the arrivals seen by those they were delivered to."""
        posted, *hops = (
            np.array(log, dtype=np.int64) for log in (self.posted, self.queued, self.starts, self.ends)
        )
        return Travel(posted, arrived, *hops)


class _Ports:
    """One outgoing and one incoming port per node; vertical wires have ports of their own."""

    def __init__(self, schedule: Schedule) -> None:
        columns: dict[str, Any] = schedule.wiring.columns()
        nodes, arrays = schedule.wiring.nodes, schedule.wiring.arrays
        vertical = np.array([kind == "vertical" for kind in columns["kind"]])
        apart = vertical * nodes * (arrays + 1)
        self.outgoing = (apart + columns["source_array"] * nodes + columns["source_node"]).tolist()
        self.incoming = (apart + columns["target_array"] * nodes + columns["target_node"]).tolist()
        self.busy: set[tuple[str, int]] = set()

    def _ports(self, channel: int) -> tuple[tuple[str, int], tuple[str, int]]:
        return ("out", self.outgoing[channel]), ("in", self.incoming[channel])

    def free(self, channel: int) -> bool:
        return self.busy.isdisjoint(self._ports(channel))

    def take(self, channel: int) -> None:
        self.busy.update(self._ports(channel))

    def release(self, channel: int) -> None:
        self.busy.difference_update(self._ports(channel))
