"""A placed schedule timed on other machines, without numbers.

`order`: the order of service as a graph, filled in with them.
`retiming`: both together, and the engines where the order is another. `sensitivity`: the times that the
makespan depends on, and how much. `hiding`: the cost of communication on a map.
"""

from senn.machine.retiming.hiding import Hiding, hiding
from senn.machine.retiming.retiming import Makespans, Retiming, Timing
from senn.machine.retiming.sensitivity import Sensitivity, sensitivities

__all__ = ["Hiding", "Makespans", "Retiming", "Sensitivity", "Timing", "hiding", "sensitivities"]
