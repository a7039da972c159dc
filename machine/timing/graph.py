"""The order in which the messages of a schedule were served: a graph of times that any machine can fill in.

Where every array has one control unit and channels serve first come first served, each time of a run is the
largest of a few sums: an instruction is issued when the one before it has ended and its messages have
arrived; a hop starts when it is requested and when the hop before it in the same queue has left. The
durations are the machine's, the rest is the program's and the order of the queues. So times of another
machine need no simulation as long as it serves in the same order, and whether it does is seen in the times
themselves: they are those of its run exactly when in every queue no request comes before that of the hop
served before it (ties: the smaller id), since the equations of the queues have one solution
(`engines.issue_times`).

Thousands of hops have the same time on every machine: those of a SIMD instruction that meet the same traffic.
They are one node of the graph. Two hops are one where they are requested by the same node, follow the same
node in their queues, and carry equally many words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import Cycles, Durations
from senn.machine.engines.control import Issue
from senn.machine.engines.record import Times, Travel
from senn.machine.model import Machine
from senn.machine.network.arrays import servers
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule

_NONE = -1
_FEW = 4
"""Rows that are quicker taken one by one than together."""
LARGEST = 20_000
"""A graph of more nodes, which are not much fewer than the hops, takes longer than an engine."""
TOO_LARGE = "the traffic is too different from node to node for a graph smaller than itself"
FORBIDDEN = "its queues cannot be served in the order of the record"


@dataclass(frozen=True, eq=False)
class Graph:
    """The order of a run: nodes are tasks, through all arrays, and then classes of hops.

    Class k is node `len(before)` + k.
    """

    before: Integers  # by task: the one before in its array, or -1
    waits: tuple[Integers, ...]  # by task: the classes whose messages it waits for
    at_once: tuple[Integers, ...]  # by task: the tasks whose messages of no hop it waits for
    requested: Integers  # by class: the node that requests it
    follows: Integers  # by class: the class that its queue served before, where that can hold it up; or -1
    carries: Integers  # by class: its row in the cycles of messages

    @cached_property
    def turn(self) -> tuple[int, ...]:
        """All nodes, each after those that it depends on; CycleError if there is no such order."""
        tasks = len(self.before)
        needs = [
            [*(waits + tasks).tolist(), *at_once.tolist(), *[before] * (before != _NONE)]
            for before, waits, at_once in zip(self.before.tolist(), self.waits, self.at_once, strict=True)
        ]
        for request, follow in zip(self.requested.tolist(), self.follows.tolist(), strict=True):
            needs.append([request] if follow == _NONE else [request, tasks + follow])
        return tuple(TopologicalSorter(dict(enumerate(needs))).static_order())

    def times(self, cycles: Cycles) -> tuple[Integers, Integers, Integers]:
        """Issues and ends of tasks and starts of hops, a column for each machine: longest paths."""
        tasks, machines, whole = len(self.before), cycles.delivery.shape[1], cycles.busy.dtype
        free = bool(cycles.free.all())
        start = np.empty((len(self.requested), machines), dtype=whole)
        issue = np.zeros((tasks, machines), dtype=whole)
        busy, until_request = cycles.busy, cycles.busy + cycles.launch
        requested, carries = self.requested.tolist(), self.carries.tolist()
        follows, before = self.follows.tolist(), self.before.tolist()
        for node in self.turn:
            if node < tasks:
                time, by = issue[node], before[node]
                if by >= 0:
                    np.add(issue[by], busy[by], out=time)
                waits = self.waits[node]
                if len(waits) < _FEW:
                    for k in waits.tolist():
                        np.maximum(time, start[k] + cycles.delivery[carries[k]], out=time)
                else:
                    arrived = start[waits] + cycles.delivery[self.carries[waits]]
                    np.maximum(time, arrived.max(axis=0), out=time)
                if len(senders := self.at_once[node]):
                    np.maximum(time, (issue[senders] + busy[senders]).max(axis=0), out=time)
                continue
            k = node - tasks
            time, by = start[k], requested[k]
            if by < tasks:
                np.add(issue[by], until_request[by], out=time)
            else:
                np.add(start[by - tasks], cycles.onward[carries[k]], out=time)
            if follows[k] >= 0 and not free:
                np.maximum(time, start[follows[k]] + cycles.service[carries[follows[k]]], out=time)
        return issue, issue + busy, start


@dataclass(frozen=True, eq=False)
class Order:
    """The graph of an order of service, and what another machine may turn round in it."""

    graph: Graph
    kind: tuple[str, str, bool]  # duplex, vertical, dma: they determine queues and waits
    of_hop: Integers  # by hop: its class
    meet: Integers  # (2, pairs) classes that a queue served in this order, which is not certain beforehand
    strict: NDArray[np.bool_]  # by pair: whether the second, of the smaller id, must come later
    example: Integers  # (2, pairs) of each pair, two hops of these classes


def kind_of(machine: Machine) -> tuple[str, str, bool]:
    """Fields of a machine that determine which hops share a queue, and which messages a task awaits."""
    return machine.duplex, machine.vertical, machine.dma


def order_of(schedule: Schedule, machine: Machine, queued: Integers) -> Order | str:
    """The graph of a schedule whose hops queued at these cycles, on a network that is not free.

    Or the reason why there is none: it would be as large as the traffic itself (`LARGEST`), or queues and
    waits of another kind of machine forbid the order of these cycles.
    """
    return _Ordering(schedule, machine, queued).order()


class _Ordering:
    """An order under construction, hop by hop: the request, and the hop that its queue served before."""

    def __init__(self, schedule: Schedule, machine: Machine, queued: Integers) -> None:
        self.schedule, self.machine = schedule, machine
        m = self.messages = schedule.messages
        self.message = np.repeat(np.arange(len(m)), m.paths.hops)
        self.is_first = np.zeros(len(self.message), dtype=bool)
        self.is_first[m.paths.offsets[:-1][m.paths.hops > 0]] = True
        _, self.of_words = np.unique(m.words, return_inverse=True)
        server = servers(schedule.wiring, machine.duplex, machine.vertical)[m.paths.channels]
        in_turn = np.lexsort((self.message, queued, server))
        same = server[in_turn[1:]] == server[in_turn[:-1]]
        self.place = np.empty(len(in_turn), dtype=np.int64)
        self.place[in_turn] = np.arange(len(in_turn))
        self.server = server
        before, after = in_turn[:-1][same], in_turn[1:][same]
        # Where the send of the second follows, in the same array, an instruction that awaits the first, the
        # first has left on any machine before the second is posted.
        first, second = self.message[before], self.message[after]
        array, serial = m.source_array[second], m.serial[second]
        left = (m.target_array[first] == array) & (m.read_by[first] <= serial)
        if not machine.dma:  # a send returns when its messages are there
            left |= (m.source_array[first] == array) & (m.serial[first] < serial)
        self.pairs = before[~left], after[~left]

    def order(self) -> Order | str:
        classes = self._classes()
        if isinstance(classes, str):
            return classes
        of_hop, requested, follows, carries = classes
        m, before, sender = self.messages, predecessors(self.schedule), self.schedule.senders
        reader, message = awaiting(self.machine, before, sender, self.schedule.readers)
        moves = m.paths.hops[message] > 0
        arrives = of_hop[m.paths.offsets[1:][message[moves]] - 1] if len(of_hop) else message[moves]
        waits = grouped(reader[moves], arrives, len(before))
        at_once = grouped(reader[~moves], sender[message[~moves]], len(before))
        graph = Graph(before, waits, at_once, requested, follows, carries)
        try:
            _ = graph.turn
        except CycleError:
            return FORBIDDEN
        meet, strict, example = self._meetings(of_hop)
        return Order(graph, kind_of(self.machine), of_hop, meet, strict, example)

    def _classes(self) -> tuple[Integers, Integers, Integers, Integers] | str:
        """(class of every hop; request, predecessor and words of every class).

        Generation after generation: the hops whose request and predecessor have classes.
        """
        hops, tasks, sender = len(self.message), len(self.schedule.every_task), self.schedule.senders
        predecessor, successor = np.full((2, hops), _NONE)
        predecessor[self.pairs[1]], successor[self.pairs[0]] = self.pairs
        onward = np.full(hops, _NONE)
        later = np.flatnonzero(~self.is_first)
        onward[later - 1] = later
        missing = (~self.is_first).astype(np.int8) + (predecessor != _NONE)
        node = np.full(hops + 1, _NONE)  # of each hop; the last entry is that of no hop
        table: list[Integers] = []
        nodes, most = tasks, max(LARGEST, hops // 8)
        ready = np.flatnonzero(missing == 0)
        while len(ready):
            message = self.message[ready]
            request = np.where(self.is_first[ready], sender[message], node[ready - 1])
            key = np.stack([request, node[predecessor[ready]], self.of_words[message]])
            by, after, words = key + 1  # three small numbers as one, which is quicker to sort
            packed = (by * (int(after.max()) + 1) + after) * (int(words.max()) + 1) + words
            distinct, which = np.unique(packed, return_inverse=True)
            representative = np.empty(len(distinct), dtype=np.int64)
            representative[which] = np.arange(len(ready))
            node[ready] = nodes + which
            table.append(key[:, representative])
            nodes += len(distinct)
            if nodes - tasks > most:
                return TOO_LARGE
            following = np.concatenate([onward[ready], successor[ready]])
            following = following[following != _NONE]
            np.subtract.at(missing, following, 1)
            ready = np.unique(following[missing[following] == 0])
        if missing.any():
            return FORBIDDEN
        request, follows, words = np.concatenate([np.zeros((3, 0), dtype=np.int64), *table], axis=1)
        follows = np.where(follows == _NONE, _NONE, follows - tasks)
        return node[:-1] - tasks, request, follows, words

    def _meetings(self, of_hop: Integers) -> tuple[Integers, NDArray[np.bool_], Integers]:
        """Pairs of a queue whose order another machine may turn round.

        The order is certain where both were just posted by the same array, in the order of their ids, or
        where both come from another queue, in which they were in this order.
        """
        before, after = self.pairs
        first, second = self.message[before], self.message[after]
        posted = self.is_first[before] & self.is_first[after] & (first < second)
        posted &= self.messages.source_array[first] == self.messages.source_array[second]
        forwarded = ~self.is_first[before] & ~self.is_first[after]
        forwarded &= (self.server[before - 1] == self.server[after - 1]) & (
            self.place[before - 1] < self.place[after - 1]
        )
        uncertain = ~(posted | forwarded)
        hops = np.stack(self.pairs)[:, uncertain]
        meetings = np.concatenate([of_hop[hops], (first > second)[None, uncertain]])
        meetings, index = np.unique(meetings, axis=1, return_index=True)
        return meetings[:2], meetings[2].astype(bool), hops[:, index]


def predecessors(schedule: Schedule) -> Integers:
    """By task, the task before it in its array, or -1."""
    rows = enumerate(schedule.every_task)
    return np.array([row - 1 if task.serial else _NONE for row, task in rows], dtype=np.int64)


def awaiting(
    machine: Machine, before: Integers, sender: Integers, reader: Integers
) -> tuple[Integers, Integers]:
    """Pairs of a task and a message that it awaits, by the sender and the first reader of each message.

    Without DMA a send returns on delivery: the next task in its array awaits its messages, too.
    """
    messages = np.arange(len(reader))
    if machine.dma:
        return reader, messages
    again = np.flatnonzero(np.append(before, _NONE)[sender + 1] == sender)
    return np.concatenate([reader, sender[again] + 1]), np.concatenate([messages, again])


def grouped(keys: Integers, values: Integers, groups: int) -> tuple[Integers, ...]:
    """Distinct values of every key from 0 to `groups` - 1."""
    if not len(keys):
        return (np.zeros(0, dtype=np.int64),) * groups
    span = int(values.max()) + 1
    key, value = np.divmod(np.unique(keys * span + values), span)
    return tuple(np.split(value, np.searchsorted(key, np.arange(1, groups))))


@dataclass(frozen=True, eq=False)
class Filled:
    """An order with the times of all its nodes on machines of its kind: a column for each.

    All of the machines or none may have a free network.
    """

    order: Order
    cycles: Cycles
    issue: Integers  # by task
    end: Integers  # by task
    start: Integers  # by class of hops: when its channel is granted

    @classmethod
    def of(cls, order: Order, cycles: Cycles) -> Filled:
        return cls(order, cycles, *order.graph.times(cycles))

    def requests(self, classes: Integers) -> Integers:
        """Requests of hops of some classes, a row for each."""
        graph, cycles = self.order.graph, self.cycles
        by, tasks = graph.requested[classes], len(self.end)
        posted = by < tasks
        rows = np.empty((len(classes), self.start.shape[1]), dtype=self.start.dtype)
        rows[posted] = self.end[by[posted]] + cycles.launch
        rows[~posted] = self.start[by[~posted] - tasks] + cycles.onward[graph.carries[classes[~posted]]]
        return rows

    @cached_property
    def makespan(self) -> Integers:
        """By machine, the latest end of a task."""
        longest: Integers = self.end.max(axis=0, initial=0)
        return longest

    @cached_property
    def overtaken(self) -> Integers:
        """By machine, a pair of `Order.meet` that it turns round; -1: these are the times of its run."""
        overtaken, order = np.full(len(self.cycles.launch), -1), self.order
        if not self.cycles.free.all() and order.meet.shape[1]:
            first, second = map(self.requests, order.meet)
            turned = np.where(order.strict[:, None], second <= first, second < first)
            overtaken = np.where(turned.any(axis=0), turned.argmax(axis=0), -1)
        return overtaken


def times_of(
    schedule: Schedule, durations: Durations, units: tuple[tuple[Issue, ...], ...], filled: Filled
) -> Times:
    """Times of the first machine, hop by hop, as an engine measures them."""
    paths, of_hop = schedule.messages.paths, filled.order.of_hop
    issues, ends = (np.split(column[:, 0], schedule.first[1:-1]) for column in (filled.issue, filled.end))
    posted, starts = filled.end[schedule.senders, 0], filled.start[of_hop, 0]
    arrived, moves = posted.copy(), paths.hops > 0
    arrived[moves] = starts[paths.offsets[1:][moves] - 1] + durations.delivery[moves]
    left = starts + np.repeat(durations.messages, paths.hops)
    travel = Travel(posted, arrived, filled.requests(of_hop)[:, 0], starts, left)
    return Times(units, tuple(issues), tuple(ends), travel)
