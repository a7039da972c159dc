"""Issue times of every control unit, without events: queues as recurrences, and a proof that an order is
certain.

*Queues.* A server grants one hop at a time: the first in the order (arrival at the server, message id). Then
the k-th ends at

    end_k = service_k + max(arrival_k, end_{k-1}) = S_k + max over i <= k of (arrival_i - S_{i-1}),

S the sums of service: a running maximum (Lindley). All servers are done in one pass, sorted by server. With
priorities, (urgency, arrival, id) of those that have arrived, there is no such form: a pass serves each
server that has a queue grant by grant.

Where a message crosses several channels, the grant of one hop gives the arrival at the next; passes repeat
until no arrival changes. The next arrival comes at least one cycle after the grant, and a grant depends on
arrivals up to its own cycle alone; so if all arrivals before cycle t are right, the next pass has all up to
t right, and arrivals that do not change are the only solution.

*Control units.* An issue is certain when all messages that it awaits are final. When nothing is certain, the
networks are solved as if nothing more were posted, which gives every control unit an estimate of its next
issue. It posts no earlier than that estimate plus the cycles of its instructions up to its next send, its
*lookahead*; so everything up to the least of these sums happens as estimated, and the traffic before it
becomes final.

The argument: take the first post that the estimates do not know, by control unit u in cycle p. Until p all
traffic was as estimated, so u issued as estimated, and p is not before the estimate of u plus its lookahead.

*A network of one control unit*, first come first served. Its posts come in the order of cycles and ids, so a
message comes after every hop that arrives no later than it does, and before all later posts: the grant of its
first hop is final when it is posted. Only what it crosses then has to be estimated.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue, control_units, deadlock
from senn.machine.engines.record import Times, Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers, ranges
from senn.machine.placing.schedule import Schedule

NEVER = np.iinfo(np.int64).max


@dataclass
class Hops:
    """Hops that still have to be granted, by message id and hop number; columns of equal length.

    `arrived` is exact where `first` (the message waits at this server), else the latest solution.
    """

    hop: Integers  # position in the schedule's list of all hops
    message: Integers
    server: Integers
    service: Integers  # cycles for which it occupies the server
    onward: Integers  # cycles from its grant to the arrival at the next server
    urgency: Integers
    first: NDArray[np.bool_]
    arrived: Integers

    def __len__(self) -> int:
        return len(self.hop)

    def select(self, rows: NDArray[np.bool_] | Integers) -> Hops:
        return Hops(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @staticmethod
    def joined(parts: list[Hops]) -> Hops:
        """Several tables as one, by hop: messages in the order of their ids."""
        names = Hops.__dataclass_fields__
        whole = Hops(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
        return whole if np.all(np.diff(whole.hop) > 0) else whole.select(np.argsort(whole.hop))


def solve(hops: Hops, free: Integers, by_urgency: bool) -> Integers:
    """Starts of all hops, with servers free from `free` on; `hops.arrived` becomes exact throughout."""
    later = np.flatnonzero(~hops.first)
    while True:
        starts = (
            _by_urgency(hops, free) if by_urgency else _in_turn(hops.server, hops.arrived, hops.service, free)
        )
        arrived = starts[later - 1] + hops.onward[later - 1]
        if np.array_equal(arrived, hops.arrived[later]):
            return starts
        hops.arrived[later] = arrived


def _in_turn(server: Integers, arrived: Integers, service: Integers, free: Integers) -> Integers:
    """One pass, first come first served: starts of hops that are listed in the order of their messages."""
    if not len(server):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((arrived, server))
    server, arrived, service = server[order], arrived[order], service[order]
    opens = np.ones(len(server), dtype=bool)
    opens[1:] = server[1:] != server[:-1]
    queue = np.cumsum(opens) - 1
    before = np.cumsum(service) - service  # S_{i-1}, over all servers
    before -= before[opens][queue]
    slack = np.maximum(arrived, np.where(opens, free[server], 0)) - before
    starts = np.empty(len(server), dtype=np.int64)
    starts[order] = _running_maximum(slack, queue) + before
    return starts


def _running_maximum(slack: Integers, queue: Integers) -> Integers:
    """Running maximum of each queue; queues are numbered from 0 on and stand one after the other."""
    highest = int(slack.max())
    span = highest - int(slack.min()) + 1
    if int(queue[-1]) * span + highest > NEVER:  # too high a lift: the order of the numbers is enough
        numbers, rank = np.unique(slack, return_inverse=True)
        return numbers[_running_maximum(rank, queue)]
    # One running maximum for all: each queue is lifted above everything before it.
    lift = queue * span
    latest: Integers = np.maximum.accumulate(slack + lift) - lift
    return latest


def _by_urgency(hops: Hops, free: Integers) -> Integers:
    """One pass, the most urgent of those that have arrived first: starts from the present arrivals."""
    starts = np.maximum(hops.arrived, free[hops.server])
    order = np.lexsort((hops.message, hops.arrived, hops.server))
    server = hops.server[order]
    bounds = np.r_[0, np.flatnonzero(np.diff(server)) + 1, len(order)].tolist()
    for begin, end in ((begin, end) for begin, end in pairwise(bounds) if end - begin > 1):
        queue, clock = order[begin:end].tolist(), int(free[server[begin]])
        waiting: list[tuple[int, int, int]] = []
        arrivals = [(int(hops.arrived[k]), int(hops.urgency[k]), k) for k in reversed(queue)]
        while arrivals or waiting:
            if not waiting:
                clock = max(clock, arrivals[-1][0])
            while arrivals and arrivals[-1][0] <= clock:
                arrived, urgency, k = arrivals.pop()
                heapq.heappush(waiting, (urgency, arrived, k))  # k rises with the message id
            k = heapq.heappop(waiting)[2]
            starts[k] = clock
            clock += int(hops.service[k])
    return starts


class Network:
    """Traffic of some arrays on channels that no other array uses, posted by so many control `units`.

    `travel` and `final` belong to all.

    Arrivals and starts follow from the messages posted so far; arrivals are exact where `final`.
    """

    def __init__(
        self,
        schedule: Schedule,
        machine: Machine,
        durations: Durations,
        server: Integers,
        travel: Travel,
        final: Integers,
        units: int,
    ) -> None:
        paths = schedule.messages.paths
        self.begin, self.end = paths.offsets[:-1], paths.offsets[1:]
        self.by_urgency = machine.discipline != "fifo"
        self.in_order = units == 1 and not self.by_urgency
        self.durations, self.onward, self.delivery = durations, durations.onward, durations.delivery
        self.moves = (self.begin < self.end) & (durations.messages > 0)
        self.server = server  # of every hop
        self.free = np.zeros(len(schedule.wiring), dtype=np.int64)
        self.turn = np.zeros(len(schedule.wiring), dtype=np.int64)
        self.travel, self.final = travel, final
        self.pending: list[Hops] = []
        self.solved = True

    def post(self, messages: range | Integers, cycle: int) -> None:
        """Messages enter the network; those without a hop, or of no length, have arrived."""
        rows = slice(messages.start, messages.stop) if isinstance(messages, range) else messages
        self.travel.posted[rows] = cycle
        moves = self.moves[rows]
        if not moves.all():
            ids = _ids(rows)
            self._arrive(ids[~moves], cycle)
            rows = ids[moves]
            if not len(rows):
                return
        begin, arrived = self.begin[rows], np.array(cycle + self.durations.launch)
        if self.in_order:
            self.settle(cycle + self.durations.launch + 1)
            starts = self._serve(rows, begin, arrived)
            begin = begin + 1
            more = begin < self.end[rows]
            self.final[rows] = ~more
            if not more.any():
                return
            arrived = (starts + self.onward[rows])[more]
            rows, begin = _ids(rows)[more], begin[more]
        self._wait(_ids(rows), begin, arrived)

    def _arrive(self, ids: Integers, cycle: int) -> None:
        """Messages arrive as they are posted."""
        if (self.begin[ids] < self.end[ids]).any():
            hop, *_ = self._hops(ids, self.begin[ids])
            for log in (self.travel.queued, self.travel.starts, self.travel.ends):
                log[hop] = cycle
        self.travel.arrived[ids] = cycle
        self.final[ids] = True

    def _wait(self, ids: Integers, begin: Integers, arrived: Integers) -> None:
        """Messages request their hops from `begin` on, the first of them when they `arrived`."""
        self.travel.arrived[ids] = NEVER - 1  # not known before the next solution
        hop, number, rows = self._hops(ids, begin)
        message = ids[rows]
        onward = self.onward[message]
        self.pending.append(
            Hops(
                hop=hop,
                message=message,
                server=self.server[hop],
                service=self.durations.messages[message],
                onward=onward,
                urgency=self.durations.urgency[message],
                first=number == 0,
                arrived=np.broadcast_to(arrived, len(ids))[rows] + number * onward,
            )
        )
        self.solved = False

    def _hops(self, ids: Integers, begin: Integers) -> tuple[Integers, Integers, Integers]:
        """Hops of some messages from `begin` on: (hop, its number from there on, row of its message)."""
        hops = self.end[ids] - begin
        hop, rows = ranges(begin, hops), np.repeat(np.arange(len(ids)), hops)
        return hop, hop - begin[rows], rows

    def _serve(self, ids: slice | Integers, begin: Integers, arrived: Integers) -> Integers:
        """Starts of first hops, which no pending or later hop precedes: they are final."""
        first, last = int(begin[0]), int(begin[-1])
        hop = slice(first, last + 1) if last - first < len(begin) else begin
        server, service = self.server[hop].astype(np.intp), self.durations.messages[ids]  # as NumPy indexes
        self.turn[server] = order = np.arange(len(begin))
        if (self.turn[server] == order).all():  # none shares its server
            starts = np.maximum(arrived, self.free[server])
            self.free[server] = ends = starts + service
        else:
            starts = _in_turn(server, np.broadcast_to(arrived, len(begin)), service, self.free)
            ends = starts + service
            np.maximum.at(self.free, server, ends)
        self.travel.queued[hop], self.travel.starts[hop], self.travel.ends[hop] = arrived, starts, ends
        self.travel.arrived[ids] = starts + self.delivery[ids]
        self.solved = False  # what is pending
        return starts

    def solve(self) -> None:
        """Solve for the times of all pending hops, as if nothing more were posted."""
        if self.solved or not self.pending:
            return
        pending = Hops.joined(self.pending)
        starts = solve(pending, self.free, self.by_urgency)
        self.travel.starts[pending.hop] = starts
        last = np.r_[pending.first[1:], True]
        message = pending.message[last]
        self.travel.arrived[message] = starts[last] + self.delivery[message]
        self.pending = [pending]
        self.solved = True

    def settle(self, cycle: int) -> None:
        """Make final what is decided before `cycle`: no message will be posted before it.

        First come first served, a hop that has arrived before it has its place in the queue; with priorities
        a hop is decided when it is granted.
        """
        self.solve()
        if not self.pending:
            return
        (pending,) = self.pending
        done = (self.travel.starts[pending.hop] if self.by_urgency else pending.arrived) < cycle
        if not done.any():
            return
        served = pending.select(done)
        ends = self.travel.starts[served.hop] + served.service
        self.travel.queued[served.hop], self.travel.ends[served.hop] = served.arrived, ends
        np.maximum.at(self.free, served.server, ends)
        last = np.r_[pending.first[1:], True]
        self.final[pending.message[done & last]] = True
        follows = np.r_[False, done[:-1]] & ~pending.first  # now waits at its server
        pending.first = pending.first | follows
        self.pending = [pending.select(~done)] if not done.all() else []


def times(schedule: Schedule, machine: Machine, durations: Durations) -> Times:
    """Issues of all control units and starts of all hops; raises Deadlock if they cannot end."""
    return _Timing(schedule, machine, durations).run()


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


class _Timing:
    """All control units and networks in progress."""

    def __init__(self, schedule: Schedule, machine: Machine, durations: Durations) -> None:
        self.schedule = schedule
        server = servers(schedule.wiring, machine.duplex, machine.vertical).astype(np.int32)
        of_hop = server[schedule.messages.paths.channels]
        messages, hops = len(schedule.messages), len(schedule.messages.paths.channels)
        self.travel = Travel(
            posted=np.zeros(messages, dtype=np.int64),
            arrived=np.full(messages, NEVER),
            **{name: np.zeros(hops, dtype=np.int64) for name in ("queued", "starts", "ends")},
        )
        self.final = np.zeros(messages, dtype=bool)
        # Arrays whose messages meet at a server are in one network, and so are those that meet one of them.
        m, arrays = schedule.messages, len(schedule.tasks)
        first = m.paths.offsets[np.searchsorted(m.source_array, np.arange(1, arrays + 2))]
        uses = np.zeros((arrays, len(schedule.wiring)), dtype=bool)
        network = np.arange(arrays)
        for k in range(arrays):
            uses[k, of_hop[first[k] : first[k + 1]]] = True  # the ids of an array are consecutive
            for other in np.flatnonzero((uses[:k] & uses[k]).any(axis=1)).tolist():
                network[network == network[k]] = network[other]
        self.sharing = shared = np.unique(network, return_inverse=True)[1]  # by array (index array - 1)
        streams = control_units(schedule, machine, durations)
        each = len(streams) // len(schedule.tasks)  # control units of an array
        self.networks = [
            Network(schedule, machine, durations, of_hop, self.travel, self.final, each * arrays)
            for arrays in np.bincount(shared).tolist()
        ]
        self.units = [_Unit(stream, int(shared[k // each])) for k, stream in enumerate(streams)]

    def run(self) -> Times:
        waiting = self.units
        while waiting := [unit for unit in waiting if not self._advance(unit)]:
            estimates = [max(unit.clock, self._arrivals(unit)) for unit in waiting]
            if min(estimates) == NEVER:
                break
            self._settle(waiting, estimates)
        for network in self.networks:
            network.settle(NEVER)
        if waiting:
            issues = [unit.stream[unit.position] for unit in waiting]
            missing = [(x, x.awaited[self.travel.arrived[x.awaited] == NEVER].tolist()) for x in issues]
            arrived = int(self.travel.arrived[self.final].max(initial=0))
            raise deadlock(self.schedule, missing, max(arrived, *(unit.clock for unit in self.units)))
        return Times(
            tuple(unit.stream for unit in self.units),
            tuple(unit.issues for unit in self.units),
            tuple(unit.ends for unit in self.units),
            self.travel,
        )

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
        return self.sharing[self.schedule.messages.source_array[messages] - 1]

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


def _ids(messages: slice | Integers) -> Integers:
    return np.arange(messages.start, messages.stop) if isinstance(messages, slice) else messages


def _sum(cycle: int, more: int) -> int:
    return min(cycle + more, NEVER)
