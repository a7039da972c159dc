"""A network as a picture, without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from senn.machine.network.arrays import Wiring
from senn.machine.network.measures import measures
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 1024
"""So many nodes: their distances are measured."""


def picture(wiring: Wiring, ax: Axes | None = None) -> Axes:
    """The wires inside the arrays and between them, each kind in its style, as in Fijany's Figs. 2 and 3.

    The title has the measures of the network. InputError for more nodes or wires than can be drawn.
    """
    import polars as pl

    from senn.traces.pictures.views.network import wires

    found, name = wiring.channels, wiring.channels.network
    if wiring.nodes > MOST:
        raise InputError(
            f"network {name}: {wiring.nodes:,} nodes are more than the {MOST:,} that can be drawn"
        )
    one = measures(found)
    arrays = f", {wiring.arrays} arrays" if wiring.arrays > 1 else ""
    table = pl.DataFrame(wiring.columns())
    said = (
        f"{name}, {one.nodes} nodes{arrays}: {one.wires} wires{' in each' if arrays else ''}, at most "
        f"{one.degree} at a node; no two nodes are more than {one.diameter} hops apart"
    )
    return wires(table, wiring.nodes, ax, title=said)
