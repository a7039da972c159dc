"""How many rounds it takes until every node can know what every other knew: a bound of any program in which
every answer depends on every datum.

In a round every channel carries one message, of any length, and computing takes no time. What a node knows
after r rounds it has from nodes at a distance of at most r; every acceleration of an arm depends on every
torque. So no program ends sooner than the farthest pair of processes is apart; and however a network is
wired, if at most d wires meet at a node, no more than 1 + d + d (d - 1) + ... nodes are within r (Moore's
bound).
"""

from __future__ import annotations

import numpy as np

from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Integers


def least_rounds(network: Channels, places: Integers | None = None) -> int:
    """Rounds before what starts at any of these nodes (all of them) can be known at all others.

    More arrays with the same data do not change it: their copies of a datum start at the same distance.

    >>> from senn.machine.network.named import senn
    >>> [least_rounds(senn(nodes)) for nodes in (8, 64)]
    [5, 7]
    """
    distances = Router(network).distances
    chosen = np.arange(network.nodes) if places is None else places
    return int(distances[np.ix_(chosen, chosen)].max(initial=0))


def least_of_degree(nodes: int, degree: int) -> int:
    """The same for the best network of so many nodes with at most `degree` >= 2 wires at a node, if Moore's
    bound can be met.

    >>> least_of_degree(64, 3), least_of_degree(64, 4)
    (5, 4)
    """
    reached, border, rounds = 1, degree, 0
    while reached < nodes:
        reached, border, rounds = reached + border, border * (degree - 1), rounds + 1
    return rounds
