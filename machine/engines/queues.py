"""Queues of channels without events, as recurrences.

A server grants one hop at a time: the first in the order (arrival at the server, message id). Then
the k-th ends at

    end_k = service_k + max(arrival_k, end_{k-1}) = S_k + max over i <= k of (arrival_i - S_{i-1}),

S the sums of service: a running maximum (Lindley). All servers are done in one pass, sorted by server. With
priorities, (urgency, arrival, id) of those that have arrived, there is no such form: a pass serves each
server that has a queue grant by grant.

Where a message crosses several channels, the grant of one hop gives the arrival at the next; passes repeat
until no arrival changes. The next arrival comes at least one cycle after the grant, and a grant depends on
arrivals up to its own cycle alone; so if all arrivals before cycle t are right, the next pass has all up to
t right, and arrivals that do not change are the only solution.

*A network of one control unit*, first come first served. Its posts come in the order of cycles and ids, so a
message comes after every hop that arrives no later than it does, and before all later posts: the grant of its
first hop is final when it is posted. Only what it crosses then has to be estimated.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from senn.machine.durations import Durations
from senn.machine.network.topology import Integers, Truth, ranges

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
    first: Truth
    arrived: Integers

    def select(self, rows: Truth | Integers) -> Hops:
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


class Granted(NamedTuple):
    """Hops whose starts are final."""

    hop: slice | Integers
    message: slice | Integers
    server: Integers
    arrived: Integers
    starts: Integers
    last: Truth  # of their messages


class Network(ABC):
    """Servers of some arrays, and the hops that wait there: of so many control `units`, and of no other.

    Arrivals and starts follow from the messages posted so far.
    """

    def __init__(self, servers: int, units: int, durations: Durations, by_urgency: bool = False) -> None:
        self.by_urgency, self.durations = by_urgency, durations
        self.in_order = units == 1 and not by_urgency
        self.service, self.onward, self.delivery = durations.messages, durations.onward, durations.delivery
        self.free, self.turn = np.zeros((2, servers), dtype=np.int64)
        self.pending: list[Hops] = []
        self.starts = np.zeros(0, dtype=np.int64)  # of the hops in `pending`, as solved
        self.solved = True

    @abstractmethod
    def post(self, messages: range | Integers, cycle: int) -> None:
        """Messages enter the network; those without a hop, or of no length, have arrived."""

    @abstractmethod
    def expect(self, messages: Integers, arrived: Integers) -> None:
        """Messages would arrive so, if nothing more were posted."""

    @abstractmethod
    def leave(self, granted: Granted) -> None:
        """Hops are over; messages arrive with their last ones."""

    def request(
        self,
        message: slice | Integers,
        server: Integers,
        begin: Integers,
        end: Integers,
        cycle: int,
        shift: int = 0,
    ) -> None:
        """Messages request their hops, in each from `begin` to `end` the entries of `server`, the first in
        this cycle. A `shift` leads to numbers of hops in the order of all messages."""
        arrived = np.array(cycle)
        if not len(begin):
            return
        if self.in_order:
            self.settle(cycle + 1)
            first, last = int(begin[0]), int(begin[-1])
            hop = slice(first, last + 1) if last - first < len(begin) else begin
            used = server[hop]
            starts = self._serve(used, arrived, self.service[message])
            begin = begin + 1
            more = begin < end
            self.leave(Granted(hop, message, used, arrived, starts, ~more))
            if not more.any():
                return
            arrived = (starts + self.onward[message])[more]
            message, begin, end = as_ids(message)[more], begin[more], end[more]
        hops = end - begin
        hop, rows = ranges(begin, hops), np.repeat(np.arange(len(hops)), hops)
        number, message = hop - begin[rows], as_ids(message)[rows]
        onward = self.onward[message]
        self.pending.append(
            Hops(
                hop=hop + shift,
                message=message,
                server=server[hop],
                service=self.service[message],
                onward=onward,
                urgency=self.durations.urgency[message],
                first=number == 0,
                arrived=np.broadcast_to(arrived, len(hops))[rows] + number * onward,
            )
        )
        self.solved = False

    def _serve(self, server: Integers, arrived: Integers, service: Integers) -> Integers:
        """Starts of first hops, which no pending or later hop precedes."""
        server = server.astype(np.intp)  # as NumPy indexes
        self.turn[server] = order = np.arange(len(server))
        if (self.turn[server] == order).all():  # none shares its server
            starts = np.maximum(arrived, self.free[server])
            self.free[server] = starts + service
        else:
            starts = _in_turn(server, np.broadcast_to(arrived, len(server)), service, self.free)
            np.maximum.at(self.free, server, starts + service)
        self.solved = False  # what is pending
        return starts

    def solve(self) -> None:
        """Solve for the times of all pending hops, as if nothing more were posted."""
        if self.solved or not self.pending:
            return
        pending = Hops.joined(self.pending)
        self.starts = solve(pending, self.free, self.by_urgency)
        last = np.r_[pending.first[1:], True]
        message = pending.message[last]
        self.expect(message, self.starts[last] + self.delivery[message])
        self.pending, self.solved = [pending], True

    def settle(self, cycle: int) -> None:
        """Make final what is decided before `cycle`: no message will be posted before it.

        First come first served, a hop that has arrived before it has its place in the queue; with priorities
        a hop is decided when it is granted.
        """
        self.solve()
        if not self.pending:
            return
        (pending,), starts = self.pending, self.starts
        done = (starts if self.by_urgency else pending.arrived) < cycle
        if not done.any():
            return
        served = pending.select(done)
        np.maximum.at(self.free, served.server, starts[done] + served.service)
        last = np.r_[pending.first[1:], True][done]
        self.leave(Granted(served.hop, served.message, served.server, served.arrived, starts[done], last))
        follows = np.r_[False, done[:-1]] & ~pending.first  # now waits at its server
        pending.first = pending.first | follows
        self.pending, self.starts = [pending.select(~done)] if not done.all() else [], starts[~done]


def as_ids(messages: slice | Integers) -> Integers:
    return np.arange(messages.start, messages.stop) if isinstance(messages, slice) else messages


def networks(uses: Truth) -> Integers:
    """By array, its network: arrays whose messages meet at a server (`uses`: arrays, servers) are in one, and
    so are those that meet one of them."""
    network = np.arange(len(uses))
    for k in range(len(uses)):
        for other in np.flatnonzero((uses[:k] & uses[k]).any(axis=1)).tolist():
            network[network == network[k]] = network[other]
    numbered: Integers = np.unique(network, return_inverse=True)[1]
    return numbered
