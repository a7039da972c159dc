"""Precedence of the tasks of a schedule, and their earliest times if messages never queue.

A control unit issues a task when its predecessor has ended and the messages it needs have arrived; a message
is posted when its send ends and cannot arrive sooner than the crossing of its channels takes. So the earliest
times are longest paths: sums and maxima of durations and crossings, which grow with every one of them. In a
run a message may also queue, never for less than nothing; so these times are lower bounds of the run's, and
they are the better the more hops are known to be needed.

Messages of equal size from one task to one other are a *bundle*: they are posted together and the last of
them counts. The *way* of a message is (start, middle, end): from its source to the place of its reader at the
sender's level, then on to where it is read, if that is elsewhere (`senn.machine.placing.messages`); bundles
of the same ways share them. The ends of a way are *points* of a space (`senn.machine.search.placements`); a
placement puts the points on nodes. It changes the distances of ways and nothing else, as long as the same
rows of its tables are equal."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.durations import Cycles, durations
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Places
from senn.machine.placing.schedule import Schedule
from senn.machine.program.flow import NONE
from senn.machine.timing.graph import Graph, awaiting, grouped, predecessors


@dataclass(frozen=True, eq=False)
class Bundles:
    """Bundles of messages, by tasks, size and vertical hops; tasks are numbered through all arrays."""

    source: Integers
    reader: Integers
    vertical: Integers  # hops between arrays
    array: Integers  # whose channels they cross inside
    service: Integers  # cycles for which one occupies a channel
    nearest: Integers  # cycles from posted to arrived over one hop
    onward: Integers  # over each hop more
    ways: Integers  # which set of ways

    def __len__(self) -> int:
        return len(self.source)

    def travel(self, hops: NDArray[np.int64]) -> NDArray[np.int64]:
        """(bundles, k) cycles in flight over (bundles, k) hops, if nothing queues."""
        travels = (hops > 0) & (self.service > 0)[:, None]
        return np.where(travels, self.nearest[:, None] + (hops - 1) * self.onward[:, None], 0)


@dataclass(frozen=True, eq=False)
class Ways:
    """All different ways, and the sets of them that bundles take: set s is
    members[first[s]:first[s + 1]]."""

    points: Integers  # (3, ways): start, middle and end
    words: Integers  # of all messages that go this way
    members: Integers
    first: Integers

    def of_set(self, number: int) -> Integers:
        """(3, ways) points of a set."""
        return self.points[:, self.members[self.first[number] : self.first[number + 1]]]


@dataclass(frozen=True, eq=False)
class Precedence:
    """The graph of tasks and bundles, which are its hops, without queues; and the ways of the bundles."""

    graph: Graph
    busy: Integers  # cycles of every task
    bundles: Bundles
    ways: Ways
    nodes: int
    vertical_word_hops: int

    def ends(self, hops: NDArray[np.int64]) -> NDArray[np.int64]:
        """(tasks, k) earliest ends where the bundles need (bundles, k) hops."""
        travel, none = self.bundles.travel(hops), np.zeros(1, dtype=np.int64)
        cycles = Cycles(self.busy[:, None], travel, travel, travel, launch=none, free=none == 0)
        return self.graph.times(cycles)[1]

    def makespan(self, hops: NDArray[np.int64]) -> NDArray[np.int64]:
        """(k,) ends of the last task where the bundles need (bundles, k) hops: at least so many cycles."""
        longest: NDArray[np.int64] = self.ends(hops).max(axis=0, initial=0)
        return longest

    def tails(self, hops: Integers) -> Integers:
        """(bundles,) cycles from arrival to the end of the last task, where bundles need `hops`."""
        travel, g = self.bundles.travel(hops[:, None])[:, 0], self.graph
        tail, after = np.zeros(len(travel), dtype=np.int64), np.zeros(len(self.busy) + 1, dtype=np.int64)
        for node in reversed(g.turn):  # `after` a task, and last an entry for what no task precedes
            if node < len(self.busy):
                rest = after[node] + self.busy[node]
                after[g.before[node]] = max(after[g.before[node]], rest)
                tail[g.waits[node]] = np.maximum(tail[g.waits[node]], rest)
            else:
                bundle = node - len(self.busy)
                sender = g.requested[bundle]
                after[sender] = max(after[sender], travel[bundle] + tail[bundle])
        return tail

    def hops(
        self, distances: NDArray[np.integer], renamings: Integers
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hops of the longest way of every bundle, (bundles, k), and words x hops of all messages, (k,).

        `distances` (N, N) between nodes; `renamings` (k, points): point p is put on node renaming[p].
        """
        w = self.ways
        start, middle, end = (renamings[:, points] for points in w.points)
        inside = distances[start, middle].astype(np.int64) + distances[middle, end]
        longest = np.zeros((len(self.bundles), len(renamings)), dtype=np.int64)
        if len(w.words):
            of_set = np.maximum.reduceat(inside[:, w.members], w.first[:-1], axis=1)
            longest = of_set[:, self.bundles.ways].T
        return longest + self.bundles.vertical[:, None], inside @ w.words + self.vertical_word_hops


def precedence(schedule: Schedule, machine: Machine, points: Integers | None = None) -> Precedence:
    """The precedence of a placed program; it is that of every renaming of the schedule's nodes, too.

    `points` (arrays, M + 1, n) says at which point each process is; without, its node is the point.
    Refuses what it is not proved for: control units that do not issue for all lanes at once.
    """
    if machine.control != "simd":  # longest paths prove nothing where every node issues on its own
        raise InputError(
            f'control = "{machine.control}": lower bounds are proved for lockstep control only; '
            "set machine.control=simd"
        )
    m = schedule.messages
    vertical = np.abs(m.source_array - m.target_array)
    # The longest that a renaming may do: two legs through all nodes, and the vertical channels.
    time = durations(schedule, machine, hops=2 * schedule.wiring.nodes + vertical)
    busy = np.concatenate([r + c for r, c in zip(time.receive, time.cycles, strict=True)])
    ways_of_messages = _ways(schedule, schedule.allocation if points is None else points)
    ways, way_of = np.unique(ways_of_messages, axis=1, return_inverse=True)
    words = np.zeros(ways.shape[1], dtype=np.int64)
    np.add.at(words, way_of, m.words)
    columns = [schedule.senders, schedule.readers, vertical, m.source_array, time.messages]
    columns += [time.delivery + time.launch, time.onward]
    keys, bundle_of = np.unique(np.stack(columns), axis=1, return_inverse=True)
    ends = np.cumsum(np.bincount(bundle_of))[:-1]
    by_bundle = np.split(way_of[np.argsort(bundle_of, kind="stable")], ends) if len(m) else []
    sets: dict[tuple[int, ...], int] = {}
    set_of_bundle = [sets.setdefault(tuple(np.unique(x).tolist()), len(sets)) for x in by_bundle]
    bundles = Bundles(*(*keys, np.array(set_of_bundle, dtype=np.int64)))
    numbers = np.arange(len(bundles))
    before = predecessors(schedule)
    waits = grouped(*awaiting(machine, before, bundles.source, bundles.reader), len(busy))
    none = (np.zeros(0, dtype=np.int64),) * len(busy)
    graph = Graph(before, waits, none, bundles.source, np.full_like(numbers, NONE), numbers)
    try:
        _ = graph.turn
    except CycleError:
        raise InputError(
            "the arrays wait for each other forever: run the program to see who waits for what"
        ) from None
    return Precedence(
        graph=graph,
        busy=busy,
        bundles=bundles,
        ways=Ways(
            ways,
            words,
            members=np.array([way for way_set in sets for way in way_set], dtype=np.int64),
            first=np.cumsum([0, *map(len, sets)]),
        ),
        nodes=schedule.wiring.nodes,
        vertical_word_hops=int(vertical.astype(np.int64) @ m.words),
    )


def _ways(schedule: Schedule, points: Integers) -> Integers:
    """(3, messages) start, middle and end of the way of every message."""
    m, places = schedule.messages, Places.of(schedule.flow, schedule.allocation)
    read_at = np.full(len(places.alias), NONE)  # by slot, the row of the allocation
    for line in (line for stream in places.issued for line in stream):
        for transfer in line.transfers:
            read_at[transfer.slots] = places.rows(line, transfer)
    at = np.array([task.line.instruction.at for task in schedule.every_task], dtype=np.int64)
    sent, read = at[schedule.senders], np.empty(len(m), dtype=np.int64)
    read[m.carrier] = read_at[m.slot]
    start = points[m.source_array - 1, sent, m.source_process - 1]
    middle, end = (points[m.target_array - 1, row, m.target_process - 1] for row in (sent, read))
    return np.stack([start, middle, end])
