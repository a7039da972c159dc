"""The times of a schedule alone: durations never depend on numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.traces.record.trace import Detail
    from senn.traces.run import Run


def timed(schedule: Schedule, machine: Machine, detail: Detail = "summary") -> Run:
    """The times of a schedule, by the quicker engine that can tell them."""
    from senn.machine.engines import events, lockstep

    simulate = lockstep.simulate if lockstep.is_exact(machine) else events.simulate
    return simulate(schedule, machine, None, detail=detail)
