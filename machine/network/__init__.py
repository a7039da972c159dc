"""The network inside one array, and the wires between arrays: who can send to whom, and by which way.

`topology`: the directed channels of one array as columns. `layout`: from wires to those columns. `named`: the
networks that have a name (senn, hypercube, mesh, ...). `files`: networks of one's own. `measures`: what one
is worth as a graph. `routing`, `formulas`: ways through it, searched and by formula. `arrays`: all channels
of a machine, with the vertical wires between neighbouring arrays.
"""
