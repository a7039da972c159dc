"""The search for a better allocation, or for better arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, get_args

from senn.api import chosen as made
from senn.api.signature import taking
from senn.choices import MachineChoices, choices
from senn.traces.errors import InputError
from senn.words import timed

if TYPE_CHECKING:
    from senn.machine.program import Program
    from senn.machine.search.arrays import Assigned
    from senn.machine.search.local_search import Found, Placement

Search = Literal["renamings", "levels", "arrays"]
SEARCHES: tuple[str, ...] = get_args(Search)


@taking(MachineChoices)
def optimise(
    n: int = 8,
    *,
    search: Search = "renamings",
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
    **chosen: Unpack[MachineChoices],
) -> Found[Placement] | Found[Assigned]:
    """Search for what makes the program end sooner, in at most `budget` runs, and say how good it can be.

    `search` says among what: the `renamings` of the nodes of the allocation, the tables that have a renaming
    of their own for all `levels`, or the `arrays` that do the steps. Timing only, for revolute joints and a
    welded tip, by the engine that `steps` takes. The result has the best found (`best.table`, (arrays, M + 1,
    n), or `best.assignment`), the lower bounds, and says whether it is optimal and why (`because`). Equal
    seeds find the same. `progress` is told the runs so far and the least makespan.
    """
    from senn.machine.search.arrays import optimise_arrays
    from senn.machine.search.optimise import LEVELS, RENAMINGS
    from senn.machine.search.optimise import optimise as optimise_tables

    if search not in SEARCHES:
        raise InputError(f'search "{search}" is not one of {", ".join(SEARCHES)}')
    on = made.machine(chosen)
    given = made.program(chosen, n)
    schedule = made.schedule(chosen, given, on)
    how: dict[str, Any] = {
        "budget": budget,
        "seed": seed,
        "simulate": lambda schedule, on, memory, detail: timed(schedule, on),
        "progress": progress,
    }
    if search != "arrays":
        tables = LEVELS if search == "levels" else RENAMINGS
        return optimise_tables(schedule.flow, schedule.allocation, on, tables=tables, **how)
    if (schedule.allocation != schedule.allocation[0]).any():
        raise InputError("the arrays have different tables, and steps change arrays: give all the same one")
    if chosen["residency"] == "ahead":
        raise InputError(
            "residency ahead: values move in steps of its own, which no assignment names; "
            "give migrating or home"
        )
    if chosen["arrays"] in (8, "8"):
        raise InputError("8 arrays are another program, whose steps are not those of 2: give 1, 2 or 3")

    def write(assignment: Mapping[str, int]) -> Program:
        return made.program(cast(MachineChoices, {**chosen, "arrays": assignment}), n)

    usual = choices(MachineChoices)["arrays"].default
    base = made.program(cast(MachineChoices, {**chosen, "arrays": usual}), n)
    return optimise_arrays(given, base, write, schedule.allocation[0], on, **how)
