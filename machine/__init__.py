"""The machine, which knows no robot: a program is placed on it and run, and every cycle is accounted for.

In the order in which one sees the other: `program` (the instruction set), `network` (who can send to whom),
`model` (the machine and its timing; `presets`), `placing` (a program becomes a schedule), `durations` (what
everything in it takes), `engines` (a schedule becomes a run), `invariants` (what is true of every run),
`search` (better allocations).
"""
