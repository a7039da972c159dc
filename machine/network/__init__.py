"""The network inside one array, and the wires between arrays: channels and routes.

`topology`: the directed channels of one array as columns, and routes of many messages over them. `named`: the
networks that have a name (senn, hypercube, mesh, ...) and those from files. `routing`: routes, searched and
by formula. `arrays`: all channels of a machine, with the vertical wires between neighbouring arrays.
`measures`: a network as a graph and as a picture."""

from senn.machine.network.arrays import Wiring as Wiring
from senn.machine.network.named import network as network
from senn.machine.network.named import senn as senn
