"""The search for a better allocation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

from senn.api import chosen as made
from senn.api.signature import taking
from senn.choices import MachineChoices
from senn.words import timed

if TYPE_CHECKING:
    from senn.machine.search.optimise import Found


@taking(MachineChoices)
def optimise(
    n: int = 8,
    *,
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
    **chosen: Unpack[MachineChoices],
) -> Found:
    """Search the renamings of the nodes of an allocation for the least makespan, in at most `budget` runs.

    Timing only, for revolute joints and a welded tip, by the engine that `steps` takes. The result has the
    table found (`best.table`, (arrays, M + 1, n)), the lower bounds, and says whether it is optimal and why
    (`because`). Equal seeds find equal tables. `progress` is told the runs so far and the least makespan.
    """
    from senn.machine.search.optimise import optimise as search

    on = made.machine(chosen)
    schedule = made.schedule(chosen, made.program(chosen, n), on)
    return search(
        schedule.flow,
        schedule.allocation,
        on,
        budget=budget,
        seed=seed,
        simulate=lambda schedule, on, memory, detail: timed(schedule, on),
        progress=progress,
    )
