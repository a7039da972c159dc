"""The network inside one array, and the wires between arrays: channels and routes.

`topology`: the directed channels of one array as columns, and routes of many messages over them. `named`: the
networks that have a name (senn, hypercube, mesh, ...) and those from files. `routing`: routes, searched and
by formula. `arrays`: all channels of a machine, with the vertical wires between neighbouring arrays.
`measures`: a network as a graph and as a picture."""

from senn.machine.network.arrays import Wiring
from senn.machine.network.named import NETWORKS, network, nodes_of, senn, shape, shuffle_exchange
from senn.machine.network.routing import Router, Routing
from senn.machine.network.topology import Channels, Integers, Paths, Shuffle, slots

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
