"""A placed schedule timed on other machines, without numbers.

`graph`: the order of service as a graph, filled in with times.
`recorded`: the schedule of a recorded run. `what_if`: a schedule on other machines, by the graph, and by the
engines where the order is another. `sensitivity`: the times that the makespan depends on, and how much.
`hiding`: the cost of communication on a map.
"""

from senn.machine.timing.hiding import Hiding, hiding
from senn.machine.timing.recorded import recorded_schedule
from senn.machine.timing.sensitivity import Sensitivity, sensitivities
from senn.machine.timing.what_if import Makespans, Retiming, Timing

__all__ = [
    "Hiding",
    "Makespans",
    "Retiming",
    "Sensitivity",
    "Timing",
    "hiding",
    "recorded_schedule",
    "sensitivities",
]
