"""Search for better places, arrays and messages, and lower bounds of what can be found.

`space`: which tables are searched, renamings or one of its own for every level. `optimise`: the search, and
`found`, what it gives. `arrays`: which array does which step. `combining`: which messages of a program go
together. `runs`: placements that were run, within a budget. `descents`: the way down by bounds alone.
`precedence`: the makespan without queues of a thousand placements at once, the bound of each. `bounds`: lower
bounds of all renamings together, from that and from `channel_load` and `dilation`, which asks `embedding`;
`moving`: those of all tables that differ by level.
"""
