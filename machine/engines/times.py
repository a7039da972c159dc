"""What an engine measures: when each control unit issued and ended what, how each message travelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from senn.machine.engines.control import Issue
from senn.machine.network.topology import Integers


@dataclass(frozen=True, eq=False)
class Travel:
    """The cycles in which things happened to messages, each as the engine saw it happen.

    Nothing here follows from anything else here: a message that is delivered late has left its last channel
    when it did, and arrived later.
    """

    posted: Integers  # by message: its descriptor entered the DMA
    arrived: Integers  # by message: it was delivered
    queued: Integers  # by hop, as in schedule.messages.paths.channels: the channel was requested
    starts: Integers  # by hop: granted
    ends: Integers  # by hop: left

    def granted(self, offsets: Integers) -> Integers:
        """By message: the start of its first hop, its post if it makes none; hops begin at `offsets`."""
        begin, moves = offsets[:-1], offsets[1:] > offsets[:-1]
        granted = self.posted.copy()
        granted[moves] = self.starts[begin[moves]]
        return granted


@dataclass(frozen=True, eq=False)
class Times:
    """What an engine measures: the issue and the end of everything that control units did, and all travel."""

    units: tuple[tuple[Issue, ...], ...]
    issues: tuple[Integers, ...]  # aligned with units
    ends: tuple[Integers, ...]  # aligned with units
    travel: Travel

    def timed(self) -> Iterator[tuple[Issue, int, int, int]]:
        """(instruction, issue, start of its operation after receiving, end), control unit by control unit."""
        for unit, issues, ends in zip(self.units, self.issues, self.ends, strict=True):
            for one, issue, end in zip(unit, issues.tolist(), ends.tolist(), strict=True):
                yield one, issue, issue + one.receive, end

    @property
    def per_node(self) -> bool:
        """Whether every node has a control unit of its own."""
        return any(one.node is not None for unit in self.units for one in unit[:1])
