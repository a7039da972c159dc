"""Pictures of one side of a run each.

`spacetime`: one level, message by message; `level`: which that is. `network`: the wires, and what went over
each; `wiring`: where they are on paper. `critical`: what the run had to go through. `heat`: which
levels and nodes suffer. `wavefront`: the elimination, block by block.
`moment`: the machine at one cycle.
"""
