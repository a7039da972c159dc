"""The engines: a schedule and a memory become a run.

`events` simulates message by message in SimPy; `lockstep` computes the same run on whole arrays at once. Both
take their instructions from `control` and their numbers from `memory`, and leave a `record`: the trace
of the times that they measured, and the final numbers. `classes` times a million processes in seconds, where
channels are alike (`runs`); `slices` has their numbers. `lockstep` and `classes` share `issue_times`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from senn.base.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.traces.record import Detail
    from senn.traces.run import Run

Engine = Literal["auto", "events", "lockstep"]


def engine_of(engine: str, machine: Machine, check: bool = False) -> str:
    """The engine that runs: of "auto" the lockstep engine where it is exact, else the event engine.

    Only the event engine has memories to `check`: InputError if the other engine cannot run them.
    """
    from senn.machine.engines import lockstep

    if engine not in get_args(Engine):
        raise InputError(f'engine "{engine}" is not one of {", ".join(get_args(Engine))}')
    if engine == "lockstep" and check:
        raise InputError(
            'the engine "lockstep" has no memory of a node that could be checked: use the events engine'
        )
    quick = lockstep.is_exact(machine) and not check
    return ("lockstep" if quick else "events") if engine == "auto" else engine


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None = None,
    *,
    engine: str = "auto",
    detail: Detail = "full",
    check: bool = False,
    keep_values: bool = False,
) -> Run:
    """The run of a schedule by the engine that `engine_of` names; the same bytes by either."""
    if engine_of(engine, machine, check) == "lockstep":
        from senn.machine.engines import lockstep

        return lockstep.simulate(schedule, machine, memory, detail=detail, keep_values=keep_values)
    from senn.machine.engines import events

    return events.simulate(schedule, machine, memory, detail=detail, check=check, keep_values=keep_values)


def makespan(schedule: Schedule, machine: Machine) -> int:
    """Makespan of `simulate`, in half its time and without a trace where the lockstep engine is exact."""
    if engine_of("auto", machine) == "lockstep":
        from senn.machine.durations import durations
        from senn.machine.engines.issue_times import times

        return times(schedule, machine, durations(schedule, machine)).makespan
    return int(simulate(schedule, machine, detail="summary").summary["makespan"])
