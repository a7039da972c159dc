"""A program on a machine: `place` makes a schedule, still only data, and checks it.

`allocation`: tables of nodes. `messages`: the nodes of the values, and all messages with their routes.
`schedule`: `place`, the tasks of each array, and the scores of an allocation.
"""

from senn.machine.placing.schedule import Schedule, Task, place

__all__ = ["Schedule", "Task", "place"]
