"""Tables and figures of crossovers.md: the machine against one node of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import polars as pl
from matplotlib.axes import Axes

from experiments import crossovers
from experiments.claims import scope
from experiments.measuring import RESIDENCIES, machine
from experiments.page import Figures, Tables, head, row, table
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, LESS, ONE_NODE, serial, written
from senn.algorithms.family.parts import star_blocks
from senn.api.programs import placed
from senn.machine.timing import Retiming

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


RACED = ("short", "short, outward", "star", "star-together", "star-blocks", BOTH_ENDS)
RIVALS = tuple(name + less for name in (ONE_NODE, "gather-solve-scatter") for less in ("", LESS))
LARGEST = 256


@cache
def makespans(name: str, n: int, nodes: int) -> dict[str, int]:
    """Cycles on every machine; data begin and end at the nodes, that of n/nodes links at each."""
    on = {x: machine(x) for x in MACHINES}
    if name.startswith(ONE_NODE):
        return {x: at.compute_cycles(*serial(n, inverse=name == ONE_NODE)) for x, at in on.items()}
    program = written(name, n, nodes)
    times = []
    for residency in RESIDENCIES:
        schedule = placed(program, on["ideal"], residency)
        times.append(Retiming(schedule, on["ideal"]).makespans([*on.values()]).cycles.tolist())
    return dict(zip(on, map(min, *times), strict=True))


def gathered() -> Iterator[str]:
    """From which n on up to LARGEST a program is faster than one node that has all data, and than one that
    gathers them; each with Lambda^-1, and without."""
    yield from head("machine", "program", *RIVALS)
    for name in MACHINES:
        for program in RACED:
            yield row(name, program, *(_from(name, program, rival) or f"> {LARGEST}" for rival in RIVALS))


def _from(name: str, program: str, rival: str) -> int | None:
    """A node for each link; of `star-blocks`, and of its rival that gathers, for each eight. Two nodes from
    both ends, which begin with seven links."""

    def won(n: int) -> bool:
        nodes = -(-n // star_blocks.LINKS) if program in BLOCKS else n
        if program == BOTH_ENDS:
            nodes = 2
            if n < 7:
                return False
        return makespans(program, n, nodes)[name] < makespans(rival, n, nodes)[name]

    return crossovers.pays_from(won, LARGEST)


TABLES: Tables = {"short": partial(pays_from, "short")}
DATA: Tables = {
    "pays-from-form-paper": partial(pays_from, "paper"),
    "pays-from-gathered": gathered,
    **{
        f"{name}-form-{form}": partial(over_n, form, column)
        for form in FORMS
        for name, column in (("speed-up", "speed_up"), ("efficiency", "efficiency"))
    },
}
FIGURES: Figures = {f"crossovers-{form}": partial(drawn, form) for form in FORMS}
