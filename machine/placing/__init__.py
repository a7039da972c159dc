"""A program on a machine: `place` makes a schedule, still only data, and checks it.

`allocation`: tables of nodes. `messages`: the nodes of the values, and all messages with their routes.
`schedule`: `place`, the tasks of each array, and the scores of an allocation.
"""

from senn.machine.placing.schedule import Schedule as Schedule
from senn.machine.placing.schedule import Task as Task
from senn.machine.placing.schedule import place as place
