"""A placed schedule timed on other machines, without numbers.

`graph`: the order of service as a graph, filled in with times.
`recorded`: the schedule of a recorded run. `what_if`: a schedule on other machines, by the graph, and by the
engines where the order is another. `sensitivity`: the times that the makespan depends on, and how much.
`hiding`: the cost of communication on a map.
"""

from senn.machine.timing.hiding import Hiding as Hiding
from senn.machine.timing.hiding import hiding as hiding
from senn.machine.timing.recorded import recorded_schedule as recorded_schedule
from senn.machine.timing.sensitivity import Sensitivity as Sensitivity
from senn.machine.timing.sensitivity import sensitivities as sensitivities
from senn.machine.timing.what_if import Makespans as Makespans
from senn.machine.timing.what_if import Retiming as Retiming
from senn.machine.timing.what_if import Timing as Timing
