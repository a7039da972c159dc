"""The event engine: message by message in SimPy; memories hold only resident, computed and received values.

A control unit is a process that issues its instructions in order. Messages are not processes:
`QueuedChannels` moves them, with one SimPy event per busy cycle. The receiving node computes with the
content of the message: it takes the blocks of its sender when it is posted, and they arrive with it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.events import EventPriority

from senn.machine.durations import Durations, durations
from senn.machine.engines.control import Issue, control_units, deadlock
from senn.machine.engines.memory import Memories, evaluate
from senn.machine.engines.record import Times, Travel, run_of
from senn.machine.model import Machine
from senn.machine.network.arrays import Ports, ports, servers
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute
from senn.traces.record import Detail
from senn.traces.run import Run

_NOT_YET = -1


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None,
    *,
    detail: Detail = "full",
    check: bool = False,
    keep_values: bool = False,
) -> Run:
    """Execute a schedule message by message.

    ``memory`` gives the resident values, each an array over the processes 1..n, (n, *shape). Its key is the
    letter, "x", or "x[0]" for a value with a superscript (here 0). None runs the timing alone (durations
    never depend on data). The run's ``result`` holds the program's results, one row per process that has one.
    ``check`` asserts at the end that every node holds exactly its resident, written and received values.

    Raises Deadlock where a control unit stalls for ever, InputError for a memory that does not fit.
    """
    execution = _Execution(schedule, machine, memory, detail)
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
        detail: Detail,
    ) -> None:
        self.schedule = schedule
        self.durations = durations(schedule, machine, detail=detail)
        self.units = control_units(schedule, machine, self.durations)
        self.env = simpy.Environment()
        self.channels = QueuedChannels(self.env, schedule, machine, self.durations, self._deliver)
        self.memories = None if memory is None else Memories(schedule, memory)
        self.arrived = np.full(len(schedule.messages), _NOT_YET)  # the cycle, as seen here
        self.issues = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        self.ends = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        # By stalled control unit: its instruction, and the event of all that it awaits having arrived.
        self.stalled: dict[int, tuple[Issue, simpy.Event]] = {}
        self.awaiting: defaultdict[int, list[int]] = defaultdict(list)  # by message, units that lack it

    def run(self) -> None:
        for unit, stream in enumerate(self.units):
            self.env.process(self._control_unit(unit, stream))
        self.env.run()
        if self.stalled:
            stalled = [(issue, self._lacks(issue).tolist()) for issue, _ in self.stalled.values()]
            raise deadlock(self.schedule, stalled, int(self.env.now))

    def times(self) -> Times:
        return Times(self.units, tuple(self.issues), tuple(self.ends), self.channels.travel(self.arrived))

    def _control_unit(self, unit: int, stream: tuple[Issue, ...]) -> Generator[simpy.Event, None, None]:
        for position, issue in enumerate(stream):
            if len(self._lacks(issue)):
                event = self.env.event()
                self.stalled[unit] = issue, event
                self._wait(unit)
                yield event
            self.issues[unit][position] = self.env.now
            if self.memories is not None and isinstance(issue.task.line.instruction, Compute):
                for positions, blocks in evaluate(issue.task, self.memories.gather, issue.positions):
                    self.memories.write(issue.task, positions, blocks)
            if issue.busy:
                yield self.env.timeout(issue.busy)
            self.ends[unit][position] = self.env.now
            if len(issue.posts):
                if self.memories is not None:
                    self.memories.send(issue.posts)
                self.channels.post(issue.posts if isinstance(issue.posts, range) else issue.posts.tolist())

    def _lacks(self, issue: Issue) -> Integers:
        """The messages that it awaits and that have not arrived."""
        lacking: Integers = issue.awaited[self.arrived[issue.awaited] == _NOT_YET]
        return lacking

    def _wait(self, unit: int) -> None:
        """Go on if nothing is missing; else look again when the last of what is missing has arrived."""
        issue, event = self.stalled[unit]
        if len(missing := self._lacks(issue)):
            self.awaiting[int(missing[-1])].append(unit)
        else:
            del self.stalled[unit]
            event.succeed()

    def _deliver(self, messages: list[int]) -> None:
        if self.memories is not None:
            self.memories.deliver(messages)
        self.arrived[messages] = self.env.now
        for message in sorted(self.awaiting.keys() & messages):
            for unit in self.awaiting.pop(message):
                self._wait(unit)


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


class QueuedChannels:
    """All channels of a run in progress.

    A channel has a server: itself, or one that it shares with others (a half-duplex wire, a bus). A server
    has one queue and serves one message at a time; with one port a node, its channels have a queue each,
    because a port may hold back one and not the other. ``deliver(messages)`` is called in the cycle in which
    they arrive. Each event of a message is logged in its own cycle, and nothing else is.
    """

    def __init__(
        self,
        env: simpy.Environment,
        schedule: Schedule,
        machine: Machine,
        durations: Durations,
        deliver: Callable[[list[int]], None],
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
        # The log, in arrays of Python: quicker to write one by one than those of NumPy.
        self.posted = array("q", [_NONE]) * len(self.cycles)
        self.queued, self.starts, self.ends = (array("q", [_NONE]) * len(self.server) for _ in range(3))
        self.queues: list[list[tuple[int, int, int]]] = [[] for _ in range(len(schedule.wiring))]
        self.busy = [False] * len(schedule.wiring)
        # By cycle: (message, hop whose server is released or -1, whether the message goes on).
        self.due: dict[int, list[tuple[int, int, bool]]] = {}
        self.touched: set[int] = set()
        self.arbitrating = False
        self.ports = ports(schedule.wiring) if machine.ports == "one" else None  # by channel
        self.taken: set[object] = set()  # of the ports
        self.queue = self.channel if self.ports else self.server

    def post(self, messages: Iterable[int]) -> None:
        """Descriptors enter the DMA now, in id order."""
        now, delivered, requests = int(self.env.now), [], []
        for message in messages:
            self.posted[message] = now
            begin, end = self.begin[message], self.begin[message + 1]
            if begin == end:
                delivered.append(message)
            elif self.cycles[message] == 0:  # a free network delivers at once, without queueing
                for log in (self.queued, self.starts, self.ends):
                    log[begin:end] = array("q", [now]) * (end - begin)
                delivered.append(message)
            elif self.launch:
                self._at(now + self.launch, (message, _NONE, True))
            else:
                requests.append(message)
        if delivered:
            self.deliver(delivered)
        if requests:
            self._go_on(requests)

    def _go_on(self, messages: Iterable[int]) -> None:
        """Enter the queues of the next channels."""
        now, urgency, queues = int(self.env.now), self.urgency, self.queues
        for message in messages:
            self.hop[message] = hop = self.hop[message] + 1
            self.queued[hop] = now
            queue = self.queue[hop]
            heappush(queues[queue], (urgency[message], now, message))
            self.touched.add(queue)
        self._arbitrate_later()

    def _arbitrate_later(self) -> None:
        if self.touched and not self.arbitrating:
            self.arbitrating = True
            Tick(self.env, 0, ARBITRATE, self._arbitrate)

    def _arbitrate(self) -> None:
        self.arbitrating = False
        if self.ports:
            self._arbitrate_ports(self.ports)
            return
        # Each is the one queue of the server of the same number.
        self._grant([queue for queue in self.touched if not self.busy[queue]])
        self.touched.clear()

    def _arbitrate_ports(self, ports: Sequence[Ports]) -> None:
        """All waiting heads in the order of the queues; one that cannot be granted holds back no other."""
        self.touched = {q for q in self.touched if self.queues[q]}  # those left waiting are looked at again
        for (_, _, message), queue in sorted((self.queues[q][0], q) for q in self.touched):
            hop = self.hop[message]
            if not self.busy[self.server[hop]] and self.taken.isdisjoint(ports[self.channel[hop]]):
                self._grant([queue])

    def _grant(self, queues: Iterable[int]) -> None:
        now, waiting, busy, server = int(self.env.now), self.queues, self.busy, self.server
        for queue in queues:
            _, _, message = heappop(waiting[queue])
            hop, cycles = self.hop[message], self.cycles[message]
            busy[server[hop]] = True
            if self.ports:
                self.taken.update(self.ports[self.channel[hop]])
            self.starts[hop] = now
            if not self.passing:
                self._at(now + cycles, (message, hop, True))
                continue
            last = hop + 1 == self.begin[message + 1]
            self._at(now + cycles, (message, hop, False))
            self._at(now + self.passing + (cycles if last else 0), (message, _NONE, True))

    def _at(self, cycle: int, event: tuple[int, int, bool]) -> None:
        due = self.due.get(cycle)
        if due is None:
            due = self.due[cycle] = []
            Tick(self.env, cycle - int(self.env.now), ARRIVE, self._begin_cycle)
        due.append(event)

    def _begin_cycle(self) -> None:
        now, delivered, requests = int(self.env.now), [], []
        busy, server, waiting, hop, begin = self.busy, self.server, self.queues, self.hop, self.begin
        for message, released, moves in sorted(self.due.pop(now)):
            if released != _NONE:
                self.ends[released] = now
                busy[server[released]] = False
                if self.ports:
                    self.taken.difference_update(self.ports[self.channel[released]])
                if waiting[queue := self.queue[released]]:
                    self.touched.add(queue)
            if not moves:
                continue
            if hop[message] + 1 == begin[message + 1]:
                delivered.append(message)
            else:
                requests.append(message)
        if delivered:
            self.deliver(delivered)
        if requests:
            self._go_on(requests)
        self._arbitrate_later()

    def travel(self, arrived: Integers) -> Travel:
        """The log of all messages, with the arrivals seen by those they were delivered to."""
        logs = (self.posted, self.queued, self.starts, self.ends)
        posted, *hops = (np.frombuffer(log, dtype=np.int64) for log in logs)
        return Travel(posted, arrived, *hops)
