"""Queues of messages as recurrences over whole arrays.

A server grants one hop at a time: the first in the order (arrival at the server, message id). Then the k-th
ends at

    end_k = service_k + max(arrival_k, end_{k-1}) = S_k + max over i <= k of (arrival_i - S_{i-1}),

S the sums of service: a running maximum (Lindley). All servers are done in one pass, sorted by server. With
priorities, (urgency, arrival, id) of those that have arrived, there is no such form: a pass serves each
server that has a queue grant by grant.

Where a message crosses several channels, the grant of one hop gives the arrival at the next; passes repeat
until no arrival changes. The next arrival comes at least one cycle after the grant, and a grant depends on
arrivals up to its own cycle alone; so if all arrivals before cycle t are right, the next pass has all up to
t right, and what does not change is the only solution.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers

_LARGEST = np.iinfo(np.int64).max


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

    def take(self, chosen: NDArray[np.bool_] | Integers) -> Hops:
        return Hops(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    @staticmethod
    def joined(parts: list[Hops]) -> Hops:
        """All of them, by hop: messages in the order of their ids."""
        names = Hops.__dataclass_fields__
        whole = Hops(*(np.concatenate([getattr(one, name) for one in parts]) for name in names))
        return whole if np.all(np.diff(whole.hop) > 0) else whole.take(np.argsort(whole.hop))


def solve(hops: Hops, free: Integers, by_urgency: bool) -> Integers:
    """The start of every hop, with servers free from `free` on; `hops.arrived` becomes exact throughout."""
    later = np.flatnonzero(~hops.first)
    while True:
        starts = _by_urgency(hops, free) if by_urgency else _in_turn(hops, free)
        arrived = starts[later - 1] + hops.onward[later - 1]
        if np.array_equal(arrived, hops.arrived[later]):
            return starts
        hops.arrived[later] = arrived


def _in_turn(hops: Hops, free: Integers) -> Integers:
    """One pass, first come first served: starts from the present arrivals."""
    if not len(hops):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((hops.message, hops.arrived, hops.server))
    server, arrived, service = hops.server[order], hops.arrived[order], hops.service[order]
    opens = np.r_[True, server[1:] != server[:-1]]
    queue = np.cumsum(opens) - 1
    before = np.cumsum(service) - service  # S_{i-1}, over all servers
    before -= before[opens][queue]
    slack = np.maximum(arrived, np.where(opens, free[server], 0)) - before
    starts = np.empty(len(hops), dtype=np.int64)
    starts[order] = _running_maximum(slack, queue) + before
    return starts


def _running_maximum(slack: Integers, queue: Integers) -> Integers:
    """Of each queue by itself; queues are numbered from 0 on and stand one after the other."""
    highest = int(slack.max())
    span = highest - int(slack.min()) + 1
    if int(queue[-1]) * span + highest > _LARGEST:  # too high a lift: the order of the numbers is enough
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
    for begin, end in pairwise(bounds):
        if end - begin > 1:
            _one_server(hops, order[begin:end].tolist(), int(free[server[begin]]), starts)
    return starts


def _one_server(hops: Hops, queue: list[int], clock: int, starts: Integers) -> None:
    """The grants of one server, whose hops are given in the order of their arrivals."""
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
