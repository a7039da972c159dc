"""The traffic of odd-even elimination with data at home: at level j, rows 2^(j-1) apart exchange messages."""

import numpy as np

from senn.machine.routing import Router
from senn.machine.topology import Channels, Integers, Paths


def shifts(places: Integers, h: int) -> tuple[Integers, Integers]:
    """Sources and targets of one level, row i at places[i]: all +h in rising row, then all -h."""
    low, high = places[:-h], places[h:]
    return np.concatenate([low, high]), np.concatenate([high, low])


def per_level(network: Channels, routing: str, places: Integers | None = None) -> list[Paths]:
    """The routes of every level, for as many rows as there are nodes; row i at node i, or at places[i]."""
    router = Router(network, routing)  # type: ignore[arg-type]
    where = np.arange(network.nodes) if places is None else places
    return [router.paths(*shifts(where, 1 << k)) for k in range(network.nodes.bit_length() - 1)]
