"""The engines: a schedule and a memory become a run; and what they share.

`events`: SimPy, message by message, with its `channels`. `lockstep`: whole arrays at once. Both take their
times from `control` (who issues what after what), their numbers from `evaluate`, and leave a `record`.
`memory`: what the nodes hold, and the final numbers. `deadlock`: who waits for what. `reading`: a trace
beside its schedule.
"""
