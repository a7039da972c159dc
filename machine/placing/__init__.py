"""A program on a machine: `place` makes a schedule, still only data, and checks it.

`allocation`, `allocation_files`, `renamings`: where the processes live. `routes`: the ways of the messages.
`messages`: all of them, by id. `schedule`: `place` and what it refuses. `scores`: what an allocation costs.
"""
