"""The network inside one array, and the wires between arrays: who can send to whom, and by which way.

`topology`: the directed channels of one array as columns. `layout`: from wires to those columns. `named`: the
networks that have a name (senn, hypercube, mesh, ...). `graph_files`: networks of one's own. `measures`: what
one is worth as a graph. `paths`: routes of many messages, and the slots they take. `routing`, `formulas`: the
ways through a network, searched and by formula. `arrays`: all channels of a machine, with the vertical wires
between neighbouring arrays. `drawn`: all that as a picture.
"""

from senn.machine.network.arrays import Wiring
from senn.machine.network.named import NETWORKS, network, nodes_of, senn, shape, shuffle_exchange
from senn.machine.network.paths import Paths, slots
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Shuffle

__all__ = [
    "NETWORKS",
    "Channels",
    "Integers",
    "Paths",
    "Router",
    "Routing",
    "Shuffle",
    "Wiring",
    "network",
    "nodes_of",
    "senn",
    "shape",
    "shuffle_exchange",
    "slots",
]
