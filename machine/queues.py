"""First come first served channels as one sorted recurrence over whole arrays.

On one channel the k-th message in the order (arrival at the channel, id) ends at

    end_k = service_k + max(arrival_k, end_{k-1}) = S_k + max over i <= k of (arrival_i - S_{i-1}),

S the sums of service: a running maximum (Lindley). All channels are served in one pass, sorted by channel.
Where a message crosses several channels, the end of one hop is the arrival at the next; passes repeat until
no arrival changes. Every service takes at least one cycle, so each pass settles at least the earliest hop
that is not yet settled, and what does not change is the only solution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from senn.machine.topology import Integers


@dataclass
class Hops:
    """Hops that still have to be served, by message id and hop number; columns of equal length.

    `arrived` is exact where `first` (the message waits at this channel), else the latest solution.
    """

    hop: Integers  # position in the schedule's list of all hops
    message: Integers
    channel: Integers
    service: Integers
    first: NDArray[np.bool_]
    arrived: Integers

    def __len__(self) -> int:
        return len(self.hop)

    def take(self, chosen: NDArray[np.bool_]) -> Hops:
        return Hops(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def joined(self, others: Hops) -> Hops:
        """These, then others (of larger message ids)."""
        names = self.__dataclass_fields__
        return Hops(*(np.concatenate([getattr(self, name), getattr(others, name)]) for name in names))


def solve(hops: Hops, free: Integers) -> Integers:
    """The start of every hop, with channels free from `free` on; `hops.arrived` becomes exact throughout."""
    later = np.flatnonzero(~hops.first)
    while True:
        starts = _serve(hops, free)
        arrived = starts[later - 1] + hops.service[later - 1]
        if np.array_equal(arrived, hops.arrived[later]):
            return starts
        hops.arrived[later] = arrived


def _serve(hops: Hops, free: Integers) -> Integers:
    """One pass: starts from the present arrivals."""
    if not len(hops):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((hops.message, hops.arrived, hops.channel))
    channel, arrived, service = hops.channel[order], hops.arrived[order], hops.service[order]
    opens = np.r_[True, channel[1:] != channel[:-1]]
    queue = np.cumsum(opens) - 1
    before = np.cumsum(service) - service  # S_{i-1}, over all channels
    slack = np.maximum(arrived, np.where(opens, free[channel], 0)) - (before - before[opens][queue])
    # One running maximum for all channels: each is lifted above everything before it.
    lift = queue * (slack.max() - slack.min() + 1)
    latest = np.maximum.accumulate(slack + lift) - lift
    starts = np.empty(len(hops), dtype=np.int64)
    starts[order] = latest + (before - before[opens][queue])
    return starts
