"""Which array does which step: a search for a better assignment, and bounds.

`assignments`: the search. `groups`: what one array does in any case. `data_flow`: the least times of tasks.
"""
