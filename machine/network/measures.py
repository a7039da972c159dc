"""What a network is worth as a graph: its wires, how many meet at a node, and how far nodes are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels
from senn.traces.errors import InputError


@dataclass(frozen=True)
class Measures:
    """Figures of a network. Of one node all are 0."""

    nodes: int
    wires: int
    channels: int
    edges: int  # pairs of nodes with a wire between them
    degree: int  # the most wires that meet at a node
    diameter: int  # the most hops that a shortest path takes
    mean_distance: float  # hops between two different nodes


def measures(network: Channels) -> Measures:
    """Count and measure `network`; needs a table of distances, so it is for small ones.

    >>> from senn.machine.network.named import senn
    >>> measures(senn(8))
    Measures(nodes=8, wires=13, channels=26, edges=11, degree=4, diameter=5, mean_distance=2.0357142857142856)
    """
    nodes = network.nodes
    distances = Router(network).distances
    if (distances < 0).any():
        p, q = np.argwhere(distances < 0)[0]
        raise InputError(f"network {network.network}: no path leads from node {p} to node {q}: add a channel")
    low, high = np.minimum(network.source, network.target), np.maximum(network.source, network.target)
    _, first = np.unique(network.wire_number, return_index=True)
    ends = np.concatenate([network.source[first], network.target[first]])
    return Measures(
        nodes=nodes,
        wires=len(first),
        channels=len(network),
        edges=len(np.unique(low * nodes + high)),
        degree=int(np.bincount(ends).max(initial=0)),
        diameter=int(distances.max()),
        mean_distance=float(distances.sum(dtype=np.int64) / max(1, nodes * (nodes - 1))),
    )
