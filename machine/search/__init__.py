"""Search for better places, arrays and messages, and lower bounds of the makespan.

`local_search`: the search, over candidates that are given. `optimise`: allocations, `placements`: the tables
that they are among, and neighbours of one. `arrays`: the array of each step. `combining`: messages that go
together. `precedence`: the makespan without queues of a thousand placements at once, the bound of each.
`bounds`: lower bounds of all renamings together; `moving`: those of all tables that differ by level.
"""
