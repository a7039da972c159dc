"""Issue times of every control unit, without events: a proof that an order is certain.

*Control units.* An issue is certain when all messages that it awaits are final. When nothing is certain, the
networks are solved as if nothing more were posted, which gives every control unit an estimate of its next
issue. It posts no earlier than that estimate plus the cycles of its instructions up to its next send, its
*lookahead*; so everything up to the least of these sums happens as estimated, and the traffic before it
becomes final.

The argument: take the first post that the estimates do not know, by control unit u in cycle p. Until p all
traffic was as estimated, so u issued as estimated, and p is not before the estimate of u plus its lookahead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue, control_units, deadlock
from senn.machine.engines.queues import NEVER, Granted, Network, as_ids, networks
from senn.machine.engines.record import Times, Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers, Truth, ranges
from senn.machine.placing.schedule import Schedule


class _Placed(Network):
    """Traffic of a schedule; `server` is that of every hop, `travel` and `final` belong to all networks."""

    def __init__(
        self,
        schedule: Schedule,
        durations: Durations,
        server: Integers,
        travel: Travel,
        final: Truth,
        units: int,
        by_urgency: bool,
    ) -> None:
        super().__init__(len(schedule.wiring), units, durations, by_urgency)
        paths = schedule.messages.paths
        self.begin, self.end = paths.offsets[:-1], paths.offsets[1:]
        self.moves = (self.begin < self.end) & (durations.messages > 0)
        self.server, self.travel, self.final = server, travel, final

    def post(self, messages: range | Integers, cycle: int) -> None:
        rows = slice(messages.start, messages.stop) if isinstance(messages, range) else messages
        self.travel.posted[rows] = cycle
        moves = self.moves[rows]
        if not moves.all():
            ids = as_ids(rows)
            still, rows = ids[~moves], ids[moves]
            hop = ranges(self.begin[still], self.end[still] - self.begin[still])
            for log in (self.travel.queued, self.travel.starts, self.travel.ends):
                log[hop] = cycle
            self.travel.arrived[still], self.final[still] = cycle, True
        requested = cycle + self.durations.launch
        self.request(rows, self.server, self.begin[rows], self.end[rows], requested)

    def expect(self, messages: Integers, arrived: Integers) -> None:
        self.travel.arrived[messages] = arrived

    def leave(self, granted: Granted) -> None:
        hop, message, _, arrived, starts, last = granted
        travel = self.travel
        travel.queued[hop], travel.starts[hop] = arrived, starts
        travel.ends[hop] = starts + self.service[message]
        if not last.all():
            message, starts = as_ids(message)[last], starts[last]
        travel.arrived[message] = starts + self.delivery[message]
        self.final[message] = True


def times(schedule: Schedule, machine: Machine, durations: Durations) -> Times:
    """Issues of all control units and starts of all hops; raises Deadlock if they cannot end."""
    m, arrays = schedule.messages, len(schedule.tasks)
    server = servers(schedule.wiring, machine.duplex, machine.vertical).astype(np.int32)[m.paths.channels]
    travel = Travel(
        posted=np.zeros(len(m), dtype=np.int64),
        arrived=np.full(len(m), NEVER),
        **{name: np.zeros(len(server), dtype=np.int64) for name in ("queued", "starts", "ends")},
    )
    final = np.zeros(len(m), dtype=bool)
    first = m.paths.offsets[np.searchsorted(m.source_array, np.arange(1, arrays + 2))]
    uses = np.zeros((arrays, len(schedule.wiring)), dtype=bool)
    for k in range(arrays):
        uses[k, server[first[k] : first[k + 1]]] = True  # the ids of an array are consecutive
    network = networks(uses)
    streams = control_units(schedule, machine, durations)
    each = len(streams) // arrays  # control units of an array
    timing = Timing(
        streams,
        [
            _Placed(schedule, durations, server, travel, final, each * some, machine.discipline != "fifo")
            for some in np.bincount(network).tolist()
        ],
        network,
        m.source_array,
        travel,
        final,
    )
    if waiting := timing.run():
        issues = [unit.stream[unit.position] for unit in waiting]
        missing = [(x, x.awaited[travel.arrived[x.awaited] == NEVER].tolist()) for x in issues]
        arrived = int(travel.arrived[final].max(initial=0))
        raise deadlock(schedule, missing, max(arrived, *(unit.clock for unit in timing.units)))
    return timing.times()


class _Unit:
    """A control unit in progress."""

    def __init__(self, stream: tuple[Issue, ...], network: int) -> None:
        self.stream, self.network = stream, network
        self.issues = np.zeros(len(stream), dtype=np.int64)
        self.ends = np.zeros(len(stream), dtype=np.int64)
        self.position = 0
        self.clock = 0  # end of its last instruction
        # By instruction, the least cycles from its issue to the next post.
        self.lookahead, cycles = [NEVER] * len(stream), NEVER
        for k, issue in reversed([*enumerate(stream)]):
            self.lookahead[k] = cycles = issue.busy if len(issue.posts) else _sum(issue.busy, cycles)

    @property
    def ended(self) -> bool:
        return self.position == len(self.stream)


class Timing:
    """All control units and networks in progress; a message belongs to the network of its array.

    Arrivals in `travel` are exact where `final`.
    """

    def __init__(
        self,
        streams: tuple[tuple[Issue, ...], ...],
        networks: Sequence[Network],
        network: Integers,
        array: Integers,
        travel: Travel,
        final: Truth,
    ) -> None:
        each = len(streams) // len(network)  # control units of an array
        self.units = [_Unit(stream, int(network[k // each])) for k, stream in enumerate(streams)]
        self.networks, self.network, self.array = networks, network, array
        self.travel, self.final = travel, final

    def run(self) -> list[_Unit]:
        """Issue everything that can be issued; the control units that wait for ever."""
        waiting = self.units
        while waiting := [unit for unit in waiting if not self._advance(unit)]:
            estimates = [max(unit.clock, self._arrivals(unit)) for unit in waiting]
            if min(estimates) == NEVER:
                break
            self._settle(waiting, estimates)
        for network in self.networks:
            network.settle(NEVER)
        return waiting

    def times(self) -> Times:
        each = [(unit.stream, unit.issues, unit.ends) for unit in self.units]
        streams, issues, ends = zip(*each, strict=True)
        return Times(streams, issues, ends, self.travel)

    def _advance(self, unit: _Unit) -> bool:
        """Issue all certain instructions; True when the control unit has ended."""
        while not unit.ended:
            issue = unit.stream[unit.position]
            if len(issue.awaited):
                awaited = issue.awaited.astype(np.intp)
                if not self.final[awaited].all():
                    return False
                unit.clock = max(unit.clock, int(self.travel.arrived[awaited].max()))
            unit.issues[unit.position] = unit.clock
            unit.clock += issue.busy
            unit.ends[unit.position] = unit.clock
            unit.position += 1
            if len(issue.posts):
                self.networks[unit.network].post(issue.posts, unit.clock)
        return True

    def _networks_of(self, messages: Integers) -> Integers:
        return self.network[self.array[messages] - 1]

    def _arrivals(self, unit: _Unit) -> int:
        """The last arrival that the control unit awaits, by the posts so far; NEVER if one is missing."""
        awaited = unit.stream[unit.position].awaited
        for network in np.unique(self._networks_of(awaited)).tolist():
            self.networks[network].solve()
        return int(self.travel.arrived[awaited].max())

    def _settle(self, waiting: list[_Unit], estimates: list[int]) -> None:
        """Make final what happens before the next post of each network.

        A control unit that awaits messages of another network may issue earlier than estimated if that
        network's traffic changes, but not before the first post of all.
        """
        horizon = [NEVER] * len(self.networks)
        first = min(
            _sum(e, unit.lookahead[unit.position]) for unit, e in zip(waiting, estimates, strict=True)
        )
        for unit, estimate in zip(waiting, estimates, strict=True):
            awaited = unit.stream[unit.position].awaited
            foreign = np.any(self._networks_of(awaited[~self.final[awaited]]) != unit.network)
            least = min(estimate, first) if foreign else estimate
            post = _sum(max(least, unit.clock), unit.lookahead[unit.position])
            horizon[unit.network] = min(horizon[unit.network], post)
        for network, cycle in zip(self.networks, horizon, strict=True):
            network.settle(cycle)


def _sum(cycle: int, more: int) -> int:
    return min(cycle + more, NEVER)
