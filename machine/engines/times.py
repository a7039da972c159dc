"""What an engine measures: when each control unit issued what, when each hop started, and so what arrived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.control import Issue
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Times:
    """What an engine measures: when each control unit issued what, and the start of every hop."""

    units: tuple[tuple[Issue, ...], ...]
    issues: tuple[Integers, ...]  # aligned with units
    hop_starts: Integers  # by message, as in schedule.messages.paths.channels

    def timed(self) -> Iterator[tuple[Issue, int, int, int]]:
        """(instruction, issue, start of its operation after receiving, end), control unit by control unit."""
        for unit, issues in zip(self.units, self.issues, strict=True):
            for one, issue in zip(unit, issues.tolist(), strict=True):
                yield one, issue, issue + one.receive, issue + one.busy

    @property
    def per_node(self) -> bool:
        """Whether every node has a control unit of its own."""
        return any(one.node is not None for unit in self.units for one in unit[:1])

    @cached_property
    def ends(self) -> Integers:
        """The ends of all instructions, control unit by control unit."""
        return np.array([end for _, _, _, end in self.timed()], dtype=np.int64)


def arrivals(
    schedule: Schedule, durations: Durations, times: Times, chosen: Integers | slice = slice(None)
) -> tuple[Integers, Integers, Integers]:
    """(posted, granted, arrived) of the chosen messages, by default of every one."""
    offsets = schedule.messages.paths.offsets
    posted = _posted(schedule, times, chosen)
    begin, end = offsets[:-1][chosen], offsets[1:][chosen]
    moves = end > begin
    granted, arrived = posted.copy(), posted.copy()
    granted[moves] = times.hop_starts[begin[moves]]
    arrived[moves] = times.hop_starts[end[moves] - 1] + durations.delivery[chosen][moves]
    return posted, granted, arrived


def _posted(schedule: Schedule, times: Times, chosen: Integers | slice) -> Integers:
    m = schedule.messages
    if times.per_node:
        posted = np.zeros(len(m), dtype=np.int64)
        for one, _, _, end in times.timed():
            posted[one.posts] = end
        return posted[chosen]
    first = np.cumsum([0] + [len(tasks) for tasks in schedule.tasks])
    return times.ends[first[m.source_array[chosen] - 1] + m.serial[chosen]]
