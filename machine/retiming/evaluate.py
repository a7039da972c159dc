"""The times of many machines from one order of service, and for which of them it is the order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.times import Times, Travel
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.retiming.cycles import Cycles
from senn.machine.retiming.order import Order


@dataclass(frozen=True, eq=False)
class Filled:
    """Times of all nodes of an order; a column per machine."""

    issue: Integers  # by task
    start: Integers  # by class of hops: when its channel is granted
    makespan: Integers  # by machine
    overtaken: Integers  # by machine: a pair of `Order.meet` that it turns round, or -1

    @property
    def holds(self) -> NDArray[np.bool_]:
        """By machine, whether it serves in this order, and the times are those of its run."""
        found: NDArray[np.bool_] = self.overtaken < 0
        return found


def fill_in(order: Order, cycles: Cycles) -> Filled:
    """The times of machines of the order's kind; all of them or none may have a free network."""
    tasks, machines = order.tasks, len(cycles.launch)
    free = bool(cycles.free.all())
    start = np.empty((len(order.requested), machines), dtype=np.int64)
    issue = np.zeros((tasks, machines), dtype=np.int64)
    end = np.empty_like(issue)
    requested, carries = order.requested.tolist(), order.carries.tolist()
    follows, before = order.follows.tolist(), order.before.tolist()
    for node in order.turn:
        if node < tasks:
            time = issue[node]
            if before[node] >= 0:
                np.copyto(time, end[before[node]])
            if len(waits := order.waits[node]):
                arrived = start[waits] + cycles.delivery[order.carries[waits]]
                np.maximum(time, arrived.max(axis=0), out=time)
            if len(senders := order.at_once[node]):
                np.maximum(time, end[senders].max(axis=0), out=time)
            np.add(time, cycles.busy[node], out=end[node])
            continue
        k = node - tasks
        time, by = start[k], requested[k]
        if by < tasks:
            np.add(end[by], cycles.launch, out=time)
        else:
            np.add(start[by - tasks], cycles.onward[carries[k]], out=time)
        if follows[k] >= 0 and not free:
            np.maximum(time, start[follows[k]] + cycles.service[carries[follows[k]]], out=time)
    last = order.last[order.last >= 0]
    makespan = end[last].max(axis=0) if len(last) else np.zeros(machines, dtype=np.int64)
    overtaken = np.full(machines, -1)
    if not free and order.meet.shape[1]:
        first, second = (_requests(order, cycles, start, end, classes) for classes in order.meet)
        turned = np.where(order.strict[:, None], second <= first, second < first)
        overtaken = np.where(turned.any(axis=0), turned.argmax(axis=0), -1)
    return Filled(issue, start, makespan, overtaken)


def _requests(order: Order, cycles: Cycles, start: Integers, end: Integers, classes: Integers) -> Integers:
    """When hops are requested."""
    by = order.requested[classes]
    posted = by < order.tasks
    found = np.empty((len(classes), start.shape[1]), dtype=np.int64)
    found[posted] = end[by[posted]] + cycles.launch
    found[~posted] = start[by[~posted] - order.tasks] + cycles.onward[order.carries[classes[~posted]]]
    return found


def times_of(
    schedule: Schedule,
    durations: Durations,
    units: tuple[tuple[Issue, ...], ...],
    order: Order,
    filled: Filled,
) -> Times:
    """All times of the first machine, hop by hop, as an engine measures them."""
    m = schedule.messages
    issue, start = filled.issue[:, 0], filled.start[:, 0]
    first = np.cumsum([0, *map(len, schedule.tasks)])
    issues = tuple(issue[a:b] for a, b in pairwise(first.tolist()))
    ends = tuple(
        at + np.array([one.busy for one in unit], dtype=np.int64)
        for at, unit in zip(issues, units, strict=True)
    )
    posted = np.concatenate([np.zeros(0, dtype=np.int64), *ends])[first[m.source_array - 1] + m.serial]
    message = np.repeat(np.arange(len(m)), m.paths.hops)
    starts = start[order.of_hop]
    queued = posted[message] + durations.launch
    later = np.flatnonzero(np.diff(message, prepend=-1) == 0)
    queued[later] = starts[later - 1] + durations.onward[message[later]]
    moves = m.paths.hops > 0
    arrived = posted.copy()
    arrived[moves] = starts[m.paths.offsets[1:][moves] - 1] + durations.delivery[moves]
    return Times(
        units, issues, ends, Travel(posted, arrived, queued, starts, starts + durations.messages[message])
    )
