"""What the channels of one node must carry in every renaming of the nodes: a lower bound of the makespan.

All messages that leave a place of a schedule cross the outgoing channels of one node in every renaming. A
node has at most c of them (one, if it has one port). If these messages are posted at cycle r or later, and
from the end of their first crossing to the end of the program it is q cycles or longer, then the last of them
ends its crossing not before r + (sum of all crossings) / c, and the program not before q cycles later.
Likewise those that come to a place. For r and q every message is taken to need a single hop between
different nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.machine.model import Machine
from senn.machine.network.topology import Channels, Integers
from senn.machine.search.precedence import Precedence


def channel_load(order: Precedence, hops: Integers, channels: Channels, machine: Machine) -> tuple[int, str]:
    """No renaming of `order` ends before so many cycles, and why; `hops` are the fewest of every bundle."""
    best, why = 0, "no message crosses a channel inside an array"
    crossings = _Crossings(order, hops)
    for said, ends, places in (
        ("sends", channels.source, crossings.leave),
        ("gets", channels.target, crossings.reach),
    ):
        ports = 1 if machine.ports == "one" else int(np.bincount(ends, minlength=1).max())
        for array, place, chosen in crossings.by_place(places):
            cycles, messages = taking_turns(
                crossings.head[chosen], crossings.service[chosen], crossings.tail[chosen], ports
            )
            if cycles > best:
                best = cycles
                why = (
                    f"what is on node {place} of array {array} {said} {_count(messages, 'message')} over "
                    f"{_count(ports, 'channel')} at most"
                )
    return best, why


class _Crossings:
    """The legs of all bundles: their ends, the cycle of posting, the crossing, and what follows at least."""

    def __init__(self, order: Precedence, hops: Integers) -> None:
        w, b = order.ways, order.bundles
        posted = order.issues(hops[:, None])[:, 0] + np.array(order.busy, dtype=np.int64)
        bundle = np.repeat(np.arange(len(b)), np.diff(w.first)[b.ways])
        way = np.concatenate([w.of_set(s) for s in b.ways.tolist()]) if len(b) else bundle
        first, second = w.start[way] != w.middle[way], w.middle[way] != w.end[way]
        service, onward = b.service[bundle], b.onward[bundle]
        head = posted[b.source[bundle]]
        tail = order.tails(hops)[b.reader[bundle]] + b.vertical[bundle] * onward
        apart = np.concatenate([first, second])
        self.array = np.tile(b.array[bundle], 2)[apart]
        self.leave = np.concatenate([w.start[way], w.middle[way]])[apart]
        self.reach = np.concatenate([w.middle[way], w.end[way]])[apart]
        self.head = np.concatenate([head, head + first * onward])[apart]
        self.tail = np.concatenate([tail + second * onward, tail])[apart]
        self.service = np.tile(service, 2)[apart]

    def by_place(self, places: Integers) -> Iterator[tuple[int, int, Integers]]:
        """(array, place, its crossings)."""
        keys, index = np.unique(np.stack([self.array, places]), axis=1, return_inverse=True)
        for k, (array, place) in enumerate(keys.T.tolist()):
            yield array, place, np.flatnonzero(index == k)


def taking_turns(head: Integers, service: Integers, tail: Integers, ports: int) -> tuple[int, int]:
    """The largest r + ceil(crossings / ports) + q over sets of head >= r and tail >= q; the set's size."""
    best, size = 0, 0
    by_tail = np.argsort(-tail, kind="stable")
    for r in np.unique(head).tolist():
        chosen = by_tail[head[by_tail] >= r]
        ends = r - (-np.cumsum(service[chosen]) // ports) + tail[chosen]
        longest = int(ends.argmax())
        if ends[longest] > best:
            best, size = int(ends[longest]), longest + 1
    return best, size


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"
