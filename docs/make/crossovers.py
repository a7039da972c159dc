"""Tables and figures of crossovers.md: the machine against one node of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import polars as pl
from matplotlib.axes import Axes

from docs.make.page import Figures, Tables, table
from senn.experiments import crossovers
from senn.experiments.claims import scope

MACHINES = scope(quick=False).machines
FORMS = ("short", "paper")
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


@cache
def raced(form: str) -> pl.DataFrame:
    """Times of the program and of the serial solution, n by n."""
    return crossovers.table(MACHINES, form, None, SIZES)


def pays_from(form: str) -> Iterator[str]:
    """The numbers of joints from which the parallel program is faster, and what messages cost, by machine."""
    races = [crossovers.crossover(name, SIZES[-1], form) for name in MACHINES]
    yield from table(
        [
            {
                "machine": f"`{race.machine}`",
                "pays from n": race.pays_from,
                "if messages took no time": race.free_pays_from,
                "a start-up costs (operations)": race.startup,
                "a word costs (operations)": race.word,
            }
            for race in races
        ]
    )


def over_n(form: str, column: str) -> Iterator[str]:
    """Speed-up or efficiency, n by n and machine by machine."""
    yield from table([{"n": n, **over_machines(form, n, column)} for n in SIZES])


def over_machines(form: str, n: int, column: str) -> dict[str, float]:
    """One figure of the race, machine by machine."""
    return {f"`{name}`": raced(form).filter(machine=name, n=n)[0, column] for name in MACHINES}


def drawn(form: str) -> Axes:
    """Speed-up over n."""
    return crossovers.draw(raced(form), caption=f"form {form}, data where they are faster")


TABLES: Tables = {"short": partial(pays_from, "short")}
DATA: Tables = {
    "pays-from-form-paper": partial(pays_from, "paper"),
    **{
        f"{name}-form-{form}": partial(over_n, form, column)
        for form in FORMS
        for name, column in (("speed-up", "speed_up"), ("efficiency", "efficiency"))
    },
}
FIGURES: Figures = {f"crossovers-{form}": partial(drawn, form) for form in FORMS}
