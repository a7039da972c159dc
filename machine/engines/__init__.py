"""The engines: a schedule and a memory become a run.

`events` simulates message by message in SimPy; `lockstep` computes the same run on whole arrays at once. Both
take their instructions from `control` and their numbers from `memory`, and leave an `outcome`: the trace
(`record`) of the times that they measured, and the final numbers. `issue_times` are those of `lockstep`.
"""
