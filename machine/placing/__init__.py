"""A program on a machine: `place` makes a schedule, still only data, and checks it.

`allocation`, `allocation_files`, `renamings`: where the processes live. `places`: where that puts the values.
`routes`: the ways of the messages. `posting`, `messages`: all of them, by id. `tasks`: what is issued, and by
whom. `schedule`: `place`, from all of these. `scores`: what an allocation costs.
"""

from senn.machine.placing.schedule import Schedule, place
from senn.machine.placing.tasks import Task

__all__ = ["Schedule", "Task", "place"]
