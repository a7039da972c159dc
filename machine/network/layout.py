"""From wires to channels: the columns of a network, in canonical order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from senn.machine.network.topology import DIRECTIONS, KINDS, Channels, Shuffle


def wired(
    network: str,
    nodes: int,
    wires: Sequence[tuple[str, ArrayLike, ArrayLike]],
    *,
    shuffles: Shuffle | None = None,
    one_way: bool = False,
    merge_parallel: bool = False,
) -> Channels:
    """The channels of wires (kind, a, b), a and b columns of nodes; in both directions unless `one_way`.

    With `shuffles` "forward" or "inverse" the shuffle wires have the channel of that direction only. With
    `merge_parallel` there is one wire between any two nodes, the first in canonical order, and it carries
    every direction that one of them did.
    """
    columns = [(np.full(np.size(a), KINDS.index(kind)), np.ravel(a), np.ravel(b)) for kind, a, b in wires]
    kinds, a, b = (np.concatenate([[], *column]).astype(np.int64) for column in zip(*columns, strict=True))
    order = np.lexsort((b, a, kinds))
    kinds, a, b = kinds[order], a[order], b[order]
    carried = np.ones((len(kinds), len(DIRECTIONS)), dtype=np.bool_)
    carried[:, 1] = not one_way
    if shuffles in ("forward", "inverse"):
        carried[kinds == KINDS.index("shuffle"), int(shuffles == "forward")] = False
    if merge_parallel:
        pairs = np.minimum(a, b) * nodes + np.maximum(a, b)
        _, first, pair = np.unique(pairs, return_index=True, return_inverse=True)
        kept = first[pair]
        turned = a != a[kept]  # built the other way round than the wire that is kept
        merged = np.zeros_like(carried)
        for direction in range(len(DIRECTIONS)):
            np.logical_or.at(merged, (kept, turned ^ direction), carried[:, direction])
        left = np.sort(first)
        kinds, a, b, carried = kinds[left], a[left], b[left], merged[left]
    wire, backward = np.nonzero(carried)
    ends = np.stack([a, b], axis=1)
    return Channels(
        network=network,
        nodes=nodes,
        source=ends[wire, backward],
        target=ends[wire, 1 - backward],
        kind_number=kinds[wire],
        wire_number=wire,
        backward=backward.astype(np.bool_),
        shuffles=shuffles,
    )
