"""The lockstep engine: the same times and the same numbers as the SimPy engine, on whole arrays at once.

Nothing is simulated message by message. A control unit that stalls posts nothing until the messages it
waits for have arrived, so one solution of all queues (`senn.machine.engines.lockstep.queues`) gives its
release exactly (`senn.machine.engines.lockstep.issue_times`). Values are batches over processes; a message
carries the batch it was sent from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from senn.machine.durations import durations
from senn.machine.engines.evaluate import evaluate
from senn.machine.engines.lockstep.batches import Batches
from senn.machine.engines.lockstep.issue_times import times
from senn.machine.engines.outcome import run_of
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.traces.errors import InputError
from senn.traces.record.trace import Detail
from senn.traces.run import Run


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None,
    *,
    detail: Detail = "full",
    keep_values: bool = False,
) -> Run:
    """Execute a schedule on whole arrays: the run of `senn.machine.engines.events.simulate`, to the cycle and
    byte.

    Raises Deadlock where that does, and InputError where this engine cannot be exact: one port per node.
    """
    if not is_exact(machine):
        raise InputError(
            f'ports = "{machine.ports}": which channels may serve then depends on all others in every cycle; '
            "use the events engine"
        )
    time = durations(schedule, machine, detail=detail)
    measured = times(schedule, machine, time)
    batches = None if memory is None else _computed(schedule, memory)
    return run_of(schedule, machine, time, measured, batches, detail=detail, keep_values=keep_values)


def makespan(schedule: Schedule, machine: Machine) -> int:
    """How long `simulate` takes, in half the time and without its trace; on a machine that `is_exact`."""
    found = times(schedule, machine, durations(schedule, machine))
    return max((int(ends[-1]) for ends in found.ends if len(ends)), default=0)


def is_exact(machine: Machine) -> bool:
    """Whether this engine can tell the times of a machine; if not, `simulate` refuses it."""
    return machine.ports == "all"


def _computed(schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> Batches:
    """All values, each after those it is made from: in the order of the slots that they fill."""
    batches = Batches(schedule, memory)
    written = {
        int(task.line.writes[0]): task
        for tasks in schedule.tasks
        for task in tasks
        if task.line.writes is not None
    }
    for _, task in sorted(written.items()):
        for lanes, blocks in evaluate(task, batches.gather):
            batches.write(task, lanes, blocks)
    return batches
