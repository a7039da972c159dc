"""Fewest rounds of collective operations: tasks, two solvers, and schedules as programs of the machine."""
