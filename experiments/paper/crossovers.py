"""Tables and figures of crossovers.md: the machine against one node of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import polars as pl
from matplotlib.axes import Axes

from experiments import crossovers
from experiments.measuring import MACHINES, fastest, machine
from experiments.page import Figures, Tables, head, row, table
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, LESS, ONE_NODE, serial, written
from senn.algorithms.family.parts import star_blocks
from senn.choices import Form

FORMS: tuple[Form, ...] = ("short", "paper")
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


@cache
def raced(form: Form) -> pl.DataFrame:
    """Times of the program and of the serial solution, n by n."""
    return crossovers.crossovers(SIZES, form=form)


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


def over_n(form: Form, column: str) -> Iterator[str]:
    """Speed-up or efficiency, n by n and machine by machine."""
    cells = {(name, n): x for name, n, x in raced(form)["machine", "n", column].rows()}
    yield from table([{"n": n, **{f"`{name}`": cells[name, n] for name in MACHINES}} for n in SIZES])


def drawn(form: Form) -> Axes:
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
    return {str(x): cycles for x, (cycles, _) in fastest(written(name, n, nodes), on).items()}


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
        if program == BOTH_ENDS and n < 7:
            return False
        nodes = 2 if program == BOTH_ENDS else -(-n // star_blocks.LINKS) if program in BLOCKS else n
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
