"""The engines: a schedule and a memory become a run; and what they share.

`events`: SimPy, message by message. `lockstep`: whole arrays at once. Both take their
times from `control` (who issues what after what) and their numbers from `evaluate`, and leave an `outcome`:
the trace (`record`, `activities`, `totals`) of the `times` that they measured, and the final numbers.
`memory`: what the nodes hold; `provenance`: whether they may. `deadlock`: who waits for what. `reading`: a
trace beside its schedule.
"""
