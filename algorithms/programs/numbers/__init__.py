"""Numbers of a problem: what memories hold before the first cycle, and what a run's results mean."""
