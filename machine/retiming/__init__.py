"""A schedule that has run, timed anew: on other machines, without numbers.

`order`: who was served after whom, as a graph. `cycles`: the durations of many machines. `evaluate`: the
graph filled in with them. `retiming`: all of it, and the engines where the order is another. `slopes`,
`costs`, `sensitivity`: what the makespan depends on, and how much. `hiding`: where communication is hidden.
"""

from senn.machine.retiming.hiding import Hiding, hiding
from senn.machine.retiming.retiming import Makespans, Retiming, Timing
from senn.machine.retiming.sensitivity import Sensitivity, sensitivities

__all__ = ["Hiding", "Makespans", "Retiming", "Sensitivity", "Timing", "hiding", "sensitivities"]
