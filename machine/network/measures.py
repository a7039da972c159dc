"""Measures of a network as a graph (wires, degree, distances), and its picture without a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from senn.base.errors import InputError
from senn.machine.network.arrays import Wiring
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


MOST = 1024
"""The most nodes of a network that is drawn, since their distances are measured."""


def picture(wiring: Wiring, ax: Axes | None = None) -> Axes:
    """The wires inside the arrays and between them, each kind in its style, as in Fijany's Figs. 2 and 3.

    The title has the measures of the network. InputError for more nodes or wires than can be drawn.
    """
    import polars as pl

    from senn.traces.pictures.network import wires

    channels, name = wiring.channels, wiring.channels.network
    if wiring.nodes > MOST:
        raise InputError(
            f"network {name}: {wiring.nodes:,} nodes are more than the {MOST:,} that can be drawn"
        )
    figures = measures(channels)
    arrays = f", {wiring.arrays} arrays" if wiring.arrays > 1 else ""
    table = pl.DataFrame(wiring.columns())
    title = (
        f"{name}, {figures.nodes} nodes{arrays}: {figures.wires} wires{' in each' if arrays else ''}, at "
        f"most {figures.degree} at a node; no two nodes are more than {figures.diameter} hops apart"
    )
    return wires(table, wiring.nodes, ax, title=title)
