"""Routes of many messages over the channels of a network or of a machine, and the slots that they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from senn.machine.network.topology import Channels, Integers


@dataclass(frozen=True, eq=False)
class Paths:
    """Routes of many messages: message k crosses channels[offsets[k]:offsets[k+1]], in this order."""

    offsets: Integers  # (messages + 1,)
    channels: Integers  # (hops in all,)

    @cached_property
    def hops(self) -> Integers:
        """(messages,) channels crossed by each message: its dilation."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, messages: range) -> Paths:
        """Those of consecutive messages."""
        offsets = self.offsets[messages.start : messages.stop + 1]
        return Paths(offsets - offsets[0], self.channels[offsets[0] : offsets[-1]])

    def __getitem__(self, message: int) -> Integers:
        return self.channels[self.offsets[message] : self.offsets[message + 1]]

    def __iter__(self) -> Iterator[Integers]:
        return (self[message] for message in range(len(self)))


def assembled(messages: int, rounds: list[tuple[Integers, Integers]]) -> Paths:
    """Routes from rounds of (who moves, the channel of each): a message crosses one channel a round."""
    none = np.zeros(0, dtype=np.int64)
    mover, channel = (np.concatenate([none, *column]) for column in zip((none, none), *rounds, strict=True))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(mover, minlength=messages))])
    return Paths(offsets, channel[np.argsort(mover, kind="stable")])


def slots(paths: Paths, one_port: Channels | None = None) -> int:
    """Slots until all messages have arrived, all injected at slot 0, one message per channel and slot.

    A channel serves first come, first served: by the slot of arrival at it, then by message number. With
    `one_port`, the channels that the paths are made of, a node sends one message and receives one in a slot,
    as in a machine with ports = one: the heads of the queues are looked at in the order (arrival, message);
    one is granted if both ports are free, and one that is not does not hold back others.
    """
    if one_port is None and not _meet(paths):
        return int(paths.hops.max(initial=0))
    position, end = paths.offsets[:-1].copy(), paths.offsets[1:]
    arrived = np.zeros(len(paths), dtype=np.int64)
    slot = 0
    while (waiting := np.flatnonzero(position < end)).size:
        slot += 1
        # Stable: message numbers stay ascending among equal arrivals; `unique` keeps the first of a channel.
        queue = waiting[np.argsort(arrived[waiting], kind="stable")]
        _, head = np.unique(paths.channels[position[queue]], return_index=True)
        if one_port is None:
            served = queue[head]
        else:
            heads = queue[np.sort(head)]
            channel = paths.channels[position[heads]]
            served = heads[_granted(one_port.source[channel], one_port.target[channel])]
        position[served] += 1
        arrived[served] = slot
    return slot


def _granted(senders: Integers, receivers: Integers) -> Integers:
    """Who is served if each, in this order, takes its sender's and its receiver's port if both are free."""
    left, granted = np.arange(len(senders)), []
    while left.size:
        # Who is the first at both ports is served whatever becomes of the others.
        first = np.ones(len(left), dtype=np.bool_)
        for port in (senders[left], receivers[left]):
            earliest = np.zeros_like(first)
            earliest[np.unique(port, return_index=True)[1]] = True
            first &= earliest
        granted.append(left[first])
        blocked = np.isin(senders[left], senders[left[first]]) | np.isin(
            receivers[left], receivers[left[first]]
        )
        left = left[~blocked]
    return np.concatenate(granted)


def _meet(paths: Paths) -> bool:
    """Whether two messages that go on in every slot would want the same channel in one of them."""
    hops = paths.hops
    for slot in range(int(hops.max(initial=0))):
        if np.bincount(paths.channels[paths.offsets[:-1][hops > slot] + slot]).max() > 1:
            return True
    return False
