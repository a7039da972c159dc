"""What all messages of a run amount to together, straight from its schedule and times.

A run of less detail than full keeps no row per message, hop or node, and of 65,536 processes could not: its
summary is counted here, to the same integers as ``senn.traces.analysis.summary`` of the whole trace.
"""

from __future__ import annotations

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.times import Times
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute

_NODES = 2**14
"""At most so many nodes are looked at together: the memory it takes, and numbers of 16 bits, which NumPy
sorts by counting."""

_POINTS = 2**62
"""Nor more than have so many cycles together: a node and a cycle are one number of 64 bits."""


def traffic(schedule: Schedule, durations: Durations, times: Times) -> dict[str, int]:
    """messages, hops, words (of the messages, each counted once), and hidden: summed over nodes, the cycles
    in which a DMA is busy under that node's compute."""
    return {
        "hidden": _hidden(schedule, durations, times),
        "messages": len(schedule.messages),
        "hops": len(schedule.messages.paths.channels),
        "words": int(schedule.messages.words.sum()),
    }


def _hidden(schedule: Schedule, durations: Durations, times: Times) -> int:
    starts, ends = times.travel.starts, times.travel.ends
    horizon = 1 + int(ends.max(initial=0))
    array, node = schedule.wiring.sources()
    nodes = schedule.wiring.nodes
    together = min(_NODES, _POINTS // horizon)
    owner = ((array - 1) * nodes + node).astype(np.int32)[schedule.messages.paths.channels]
    hidden = 0
    for k in range(len(schedule.tasks)):
        for low in range(0, nodes, together):
            high = min(low + together, nodes)
            hops = np.flatnonzero((owner >= k * nodes + low) & (owner < k * nodes + high))
            if len(hops):
                inside = (owner[hops] - (k * nodes + low)).astype(np.int16)
                order = np.argsort(inside, kind="stable")
                hops, inside = hops[order], inside[order]
                origin = inside * np.int64(horizon)
                busy = _Engines(schedule, durations, times, k, low, high)
                start, end = _union(origin + starts[hops], origin + ends[hops])
                under = busy.before(end, horizon) - busy.before(start, horizon)
                hidden += int(under.sum())
    return hidden


def _union(start: Integers, end: Integers) -> tuple[Integers, Integers]:
    """The points in any of the intervals [start, end), as disjoint ones.

    Sorted apart: the k-th smallest start begins an interval of its own just where k ends lie before it. They
    come nearly sorted, which this kind of sort is quick with.
    """
    start, end = np.sort(start, kind="stable"), np.sort(end, kind="stable")
    gap = start[1:] > end[:-1]
    return start[np.r_[True, gap]], end[np.r_[gap, True]]


class _Engines:
    """The compute cycles of the nodes low..high-1 of array k + 1."""

    def __init__(
        self, schedule: Schedule, durations: Durations, times: Times, k: int, low: int, high: int
    ) -> None:
        tasks = [task for task in schedule.tasks[k] if isinstance(task.line.instruction, Compute)]
        serials = np.array([task.serial for task in tasks], dtype=np.int64)
        # In front of all computes stands one of no cycles, at cycle 0.
        self.starts = np.r_[0, (times.issues[k] + durations.receive[k])[serials]]
        self.cycles = np.zeros((high - low, 1 + len(tasks)), dtype=np.int64)
        for column, task in enumerate(tasks, 1):
            inside = (task.lanes >= low) & (task.lanes < high)
            work = task.load[inside] * durations.each[k][task.serial]
            self.cycles[task.lanes[inside] - low, column] = work
        self.done = np.cumsum(self.cycles, axis=1) - self.cycles  # before each compute

    def before(self, points: Integers, horizon: int) -> Integers:
        """For points (node - low) * horizon + cycle: compute cycles of the node before the cycle."""
        node, cycle = np.divmod(points, horizon)
        last = np.searchsorted(self.starts, cycle, side="right") - 1
        under: Integers = np.minimum(cycle - self.starts[last], self.cycles[node, last])
        return self.done[node, last] + under
