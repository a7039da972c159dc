"""Pictures of runs: each takes axes or makes its own, and shows only what analyses return."""
