"""Pictures of one side of a run each: `spacetime`, one level message by message; `level`: which that is."""
