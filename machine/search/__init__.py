"""Search for better allocations, and lower bounds of what can be found; and for messages to combine.

`optimise`: the search. `runs`: placements that were run, within a budget. `descents`: the way down by bounds
alone. `precedence`: the makespan without queues of a thousand placements at once, the bound of each.
`combining`: which messages of a program go together.
`bounds`: lower bounds of all renamings together, from that and from `channel_load` and `dilation`.
"""
