"""How steps and cycles grow with n, and the law that they follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

from senn.api import chosen as made
from senn.api.ranges import sizes
from senn.api.signature import taking
from senn.choices import MachineChoices, Residency
from senn.words import timed

if TYPE_CHECKING:
    import polars as pl

    from senn.traces.analysis import Law

FITTED_FROM = {"migrating": 3, "ahead": 3, "home": 2}
"""The smallest n from which issued instructions are a M + b; below it programs lack steps."""


@taking(MachineChoices)
def steps(n: str | Iterable[int] = "1:1024", **chosen: Unpack[MachineChoices]) -> pl.DataFrame:
    """The step law: levels, issued instructions of each array (`instructions_1`, ...), network steps,
    makespan, messages, per n.

    Timing only (durations never depend on data), for revolute joints and a welded tip. `n` is a list, or a
    text: "8,16,32"; "1:1024" for every 2^k and 3*2^k with both ends; "8:64:8" with a step. Timed by the
    lockstep engine, and by the event engine on machines that it refuses: their times are the same.
    """
    import polars as pl

    on = made.machine(chosen)
    rows = []
    for size in sizes(n) if isinstance(n, str) else n:
        schedule = made.schedule(chosen, made.program(chosen, size), on)
        run = timed(schedule, on)
        rows.append(
            {
                "n": size,
                "levels": schedule.program.levels,
                **{f"instructions_{k}": len(tasks) for k, tasks in enumerate(schedule.tasks, 1)},
                "network_steps": schedule.network_steps(),
                "makespan": run.summary["makespan"],
                "messages": len(schedule.messages),
            }
        )
    return pl.DataFrame(rows)


@taking(MachineChoices)
def serial(largest: int, **chosen: Unpack[MachineChoices]) -> dict[int, int]:
    """Cycles of the best serial solution of what `steps` counts, on one node of the machine, by n.

    From n = 2 to the largest, some hundred sizes evenly in log n. The best is the cheapest of the mass
    matrix, O(n^3), and of articulated bodies, PV and PV-early, O(n), by their operations.
    """
    from senn.algorithms.family import costs

    on = made.machine(chosen)
    sizes = sorted({round(2 * (largest / 2) ** (k / 300)) for k in range(301)}) if largest > 1 else []
    counts = {size: [count(size) for count in costs.CLOSED.values()] for size in sizes}
    return {
        size: min(on.compute_cycles(one.multiply, one.add, one.divide, one.trig) for one in each)
        for size, each in counts.items()
    }


def fits(table: pl.DataFrame, residency: Residency = "migrating") -> dict[str, Law]:
    """The fit a M + b over a table of `steps`, by column, without the sizes below FITTED_FROM."""
    import polars as pl

    from senn.traces.analysis import fit

    fitted = table.filter(pl.col("n") >= FITTED_FROM[residency])
    names = [name for name in table.columns if name not in ("n", "levels", "messages")]
    if fitted["levels"].n_unique() < 2:
        return {}
    return {name: fit(fitted["levels"].to_list(), fitted[name].to_list()) for name in names}
