"""All channels of a machine: those inside each array, and the vertical wires between neighbouring arrays.

A channel of the wiring is a whole number. Array k has the channels of its network at (k - 1) C ... k C - 1,
C per array; vertical channels follow, two per node and pair of neighbouring arrays, down before up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.machine.network.topology import Channels, Integers, Paths, ranges


@dataclass(frozen=True, eq=False)
class Wiring:
    """`arrays` copies of a network of `channels`, joined node by node."""

    channels: Channels
    arrays: int

    @property
    def nodes(self) -> int:
        """Nodes of one array."""
        return self.channels.nodes

    def __len__(self) -> int:
        return len(self.channels) * self.arrays + 2 * self.nodes * (self.arrays - 1)

    def inside(self, array: int, channels: Integers) -> Integers:
        """Wiring channels of the network channels of one array."""
        return channels + (array - 1) * len(self.channels)

    def vertical(self, array: int, towards: int, nodes: Integers) -> Integers:
        """The channels from `array` to the neighbouring array `towards`, at each node."""
        pair = min(array, towards) - 1
        up = int(towards < array)
        return len(self.channels) * self.arrays + 2 * (pair * self.nodes + nodes) + up

    def columns(self) -> dict[str, Integers | list[str]]:
        """Per channel: source_array, target_array, source_node, target_node, kind, wire."""
        inner, k, size = self.channels, self.arrays, len(self.channels)
        array = np.repeat(np.arange(1, k + 1), size)
        pair = np.repeat(np.arange(1, k), 2 * self.nodes)
        node = np.tile(np.repeat(np.arange(self.nodes), 2), k - 1)
        up = np.tile(np.array([0, 1]), self.nodes * (k - 1))
        return {
            "source_array": np.concatenate([array, pair + up]),
            "target_array": np.concatenate([array, pair + 1 - up]),
            "source_node": np.concatenate([np.tile(inner.source, k), node]),
            "target_node": np.concatenate([np.tile(inner.target, k), node]),
            "kind": [*inner.kind] * k + ["vertical"] * len(node),
            "wire": [*inner.wire] * k + [f"vertical:{p}-{p}" for p in node.tolist()],
        }


def join(*segments: Paths) -> Paths:
    """Row by row, one segment after the other: the whole route of each message."""
    segments = tuple(segment for segment in segments if len(segment.channels)) or segments[:1]
    if len(segments) == 1:
        return segments[0]
    hops = np.sum([segment.hops for segment in segments], axis=0)
    whole = Paths.of(hops, np.empty(hops.sum(), dtype=np.int64))
    begin = whole.offsets[:-1].copy()
    for segment in segments:
        whole.channels[ranges(begin, segment.hops)] = segment.channels
        begin += segment.hops
    return whole


def take(paths: Paths, rows: Integers) -> Paths:
    """The routes of the given messages, in the given order."""
    hops = paths.hops[rows]
    return Paths.of(hops, paths.channels[ranges(paths.offsets[:-1][rows], hops)])


def servers(wiring: Wiring, duplex: str, vertical: str) -> Integers:
    """(channels,) number of the server of each channel, from 0; a server carries one message at a time.

    Every channel has its own server. With half duplex the two channels of a wire share one; with a bus for
    `vertical`, all channels between the same two arrays share one, whatever the duplex.
    """
    if (duplex, vertical) == ("full", "node"):
        return np.arange(len(wiring))
    columns = wiring.columns()
    low = np.minimum(columns["source_array"], columns["target_array"]).tolist()
    number: dict[object, int] = {}
    numbers = []
    for channel, (array, wire, kind) in enumerate(zip(low, columns["wire"], columns["kind"], strict=True)):
        key: object = (array, wire) if duplex == "half" else channel
        if vertical == "bus" and kind == "vertical":
            key = (array, "bus")
        numbers.append(number.setdefault(key, len(number)))
    return np.array(numbers, dtype=np.int64)


Ports = tuple[tuple[object, ...], tuple[object, ...]]


def ports(wiring: Wiring) -> list[Ports]:
    """By channel, the ports that it takes where a node has one outgoing and one incoming port; vertical wires
    have ports of their own."""
    columns: dict[str, Any] = wiring.columns()
    ends = (columns[name].tolist() for name in ("source_array", "source_node", "target_array", "target_node"))
    rows = zip((kind == "vertical" for kind in columns["kind"]), *ends, strict=True)
    return [(("out", up, k, p), ("in", up, other, q)) for up, k, p, other, q in rows]
