"""Search for better places and messages, and lower bounds of the makespan.

`optimise`: the search, of allocations; `placements`: the tables that allocations are among, and ways of
wandering among neighbours of one. `combining`: messages that go together.
`precedence`: the makespan without queues of a thousand placements at once, the bound of each. `bounds`: lower
bounds of all renamings together; `moving`: those of all tables that differ by level.
"""
