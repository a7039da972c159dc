"""The traffic of odd-even elimination with data at home: at level j, rows 2^(j-1) apart exchange messages."""

import numpy as np

from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Integers, Paths
from senn.machine.placing.messages import exchanges


def per_level(network: Channels, routing: str, places: Integers | None = None) -> list[Paths]:
    """The routes of every level, for as many rows as there are nodes; row i at node i, or at places[i]."""
    router = Router(network, routing)  # type: ignore[arg-type]
    where = np.arange(network.nodes) if places is None else places
    return [router.paths(*exchanges(1 << k, where, where)) for k in range(network.nodes.bit_length() - 1)]


def shifts(nodes: int, h: int) -> tuple[Integers, Integers]:
    """Sources and targets of one level, h apart, row i at node i."""
    low = np.arange(nodes - h)
    return np.concatenate([low, low + h]), np.concatenate([low + h, low])
