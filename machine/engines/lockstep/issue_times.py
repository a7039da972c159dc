"""When every control unit issues, found without events: what is certain at once, the rest by solving queues.

An issue is certain when all messages that it waits for are final. When nothing is certain, the networks are
solved as if nothing more were posted, which gives every control unit an estimate of its next issue. It
posts no earlier than that estimate plus the cycles of its instructions up to its next send, its *lookahead*;
so everything up to the least of these sums happens as estimated, and the traffic before it becomes final.

The argument: take the first post that the estimates do not know, by control unit u in cycle p. Until p all
traffic was as estimated, so u issued as estimated, and p is not before the estimate of u plus its lookahead.
"""

from __future__ import annotations

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.engines.deadlock import Deadlock, who_waits
from senn.machine.engines.lockstep.queueing import NEVER, Network
from senn.machine.engines.times import Times, Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule


def times(schedule: Schedule, machine: Machine, durations: Durations) -> Times:
    """The issues of all control units and the starts of all hops; Deadlock if they cannot end."""
    return _Timing(schedule, machine, durations).run()


class _Unit:
    """A control unit in progress."""

    def __init__(self, stream: tuple[Issue, ...], network: int) -> None:
        self.stream, self.network = stream, network
        self.issues = np.zeros(len(stream), dtype=np.int64)
        self.ends = np.zeros(len(stream), dtype=np.int64)
        self.position = 0
        self.clock = 0  # end of its last instruction
        self.lookahead = _lookahead(stream)

    @property
    def ended(self) -> bool:
        return self.position == len(self.stream)


class _Timing:
    def __init__(self, schedule: Schedule, machine: Machine, durations: Durations) -> None:
        self.schedule = schedule
        server = servers(schedule.wiring, machine.duplex, machine.vertical)
        messages, hops = len(schedule.messages), len(schedule.messages.paths.channels)
        self.travel = Travel(
            posted=np.zeros(messages, dtype=np.int64),
            arrived=np.full(messages, NEVER),
            **{name: np.zeros(hops, dtype=np.int64) for name in ("queued", "starts", "ends")},
        )
        self.final = np.zeros(len(schedule.messages), dtype=bool)
        self.sharing = shared = _sharing(schedule, server)
        self.networks = [
            Network(schedule, machine, durations, server, self.travel, self.final)
            for _ in range(int(shared.max(initial=-1)) + 1)
        ]
        streams = control_units(schedule, machine, durations)
        each = len(streams) // len(schedule.tasks)  # control units of an array
        self.units = [_Unit(stream, int(shared[k // each])) for k, stream in enumerate(streams)]

    def run(self) -> Times:
        waiting = self.units
        while waiting := [unit for unit in waiting if not self._advance(unit)]:
            estimates = [max(unit.clock, self._arrivals(unit)) for unit in waiting]
            if min(estimates) == NEVER:
                raise Deadlock(who_waits(self.schedule, self._missing(waiting), self._last_cycle()))
            self._settle(waiting, estimates)
        for network in self.networks:
            network.settle(NEVER)
        return Times(
            tuple(unit.stream for unit in self.units),
            tuple(unit.issues for unit in self.units),
            tuple(unit.ends for unit in self.units),
            self.travel,
        )

    def _advance(self, unit: _Unit) -> bool:
        """Issue what is certain; True when the control unit has ended."""
        while not unit.ended:
            one = unit.stream[unit.position]
            if len(one.waits):
                if not self.final[one.waits].all():
                    return False
                unit.clock = max(unit.clock, int(self.travel.arrived[one.waits].max()))
            unit.issues[unit.position] = unit.clock
            unit.clock += one.busy
            unit.ends[unit.position] = unit.clock
            unit.position += 1
            if len(one.posts):
                self.networks[unit.network].post(one.posts, unit.clock)
        return True

    def _networks_of(self, messages: Integers) -> Integers:
        return self.sharing[self.schedule.messages.source_array[messages] - 1]

    def _arrivals(self, unit: _Unit) -> int:
        """When all that the control unit waits for has arrived, by what has been posted; else NEVER."""
        waits = unit.stream[unit.position].waits
        for network in np.unique(self._networks_of(waits)).tolist():
            self.networks[network].solve()
        return int(self.travel.arrived[waits].max())

    def _settle(self, waiting: list[_Unit], estimates: list[int]) -> None:
        """Make final what happens before the next post of each network.

        A control unit that waits for messages of another network alone or as well may issue earlier than
        estimated if that network's traffic changes, but not before the first post of all.
        """
        horizon = [NEVER] * len(self.networks)
        first = min(
            _sum(e, unit.lookahead[unit.position]) for unit, e in zip(waiting, estimates, strict=True)
        )
        for unit, estimate in zip(waiting, estimates, strict=True):
            waits = unit.stream[unit.position].waits
            foreign = np.any(self._networks_of(waits[~self.final[waits]]) != unit.network)
            least = min(estimate, first) if foreign else estimate
            post = _sum(max(least, unit.clock), unit.lookahead[unit.position])
            horizon[unit.network] = min(horizon[unit.network], post)
        for network, cycle in zip(self.networks, horizon, strict=True):
            network.settle(cycle)

    def _missing(self, waiting: list[_Unit]) -> list[tuple[Issue, list[int]]]:
        """The instructions that never issue, each with the messages it lacks: nobody posted them."""
        found = []
        for unit in waiting:
            one = unit.stream[unit.position]
            found.append((one, one.waits[self.travel.arrived[one.waits] == NEVER].tolist()))
        return found

    def _last_cycle(self) -> int:
        """When the last message arrived or the last instruction ended."""
        for network in self.networks:
            network.settle(NEVER)
        return max(int(self.travel.arrived[self.final].max(initial=0)), *(unit.clock for unit in self.units))


def _sum(cycle: int, more: int) -> int:
    return min(cycle + more, NEVER)


def _lookahead(stream: tuple[Issue, ...]) -> list[int]:
    """For every instruction, the cycles from its issue to the next post of its control unit, at the least."""
    cycles, found = NEVER, []
    for one in reversed(stream):
        cycles = one.busy if len(one.posts) else _sum(one.busy, cycles)
        found.append(cycles)
    return found[::-1]


def _sharing(schedule: Schedule, server: Integers) -> Integers:
    """By array (index array - 1): the number of its network. Arrays whose messages meet at a server are in
    one network, and so on along the chain."""
    m, arrays = schedule.messages, len(schedule.tasks)
    first = m.paths.offsets[np.searchsorted(m.source_array, np.arange(1, arrays + 2))]
    uses = np.zeros((arrays, len(schedule.wiring)), dtype=bool)
    for k in range(arrays):  # the messages of an array have consecutive ids
        uses[k, server[m.paths.channels[first[k] : first[k + 1]]]] = True
    same = np.arange(arrays)
    for one in range(arrays):
        for other in range(one):
            if np.any(uses[one] & uses[other]):
                same[same == same[one]] = same[other]
    return np.unique(same, return_inverse=True)[1]
