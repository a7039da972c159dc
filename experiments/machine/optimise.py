"""Data and pictures of optimise.md, some minutes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from matplotlib import pyplot
from matplotlib.axes import Axes

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms.programs import variants
from senn.machine.search.optimise import SearchResult
from senn.traces.pictures import plots

BOTH, SMALL = ("home", "migrating"), (8, 16)
CASES = [
    *((n, residency, name, "senn", 200) for n, residency, name in product(SMALL, BOTH, ("mark3", "fijany"))),
    *((64, residency, "mark3", "senn", 100) for residency in BOTH),
    *((n, "home", "mark3", name, 200) for name, n in product(("hypercube", "mesh", "full"), SMALL)),
]
TITLES = (
    *("n", "residency", "machine", "network", "as given", "best by a rule", "found", "against given"),
    *("bound", "above the optimum at most: by", "runs", "bounded"),
)
MACHINES = ("mark3", "ipsc860", "t800", "maspar", "raw")


def searched(n: int, machine: str, network: str = "senn", **options: Any) -> SearchResult:
    return senn.optimise(n, machine=machine, set={"machine.network": network}, **options)


def gained(found: SearchResult) -> str:
    """What was found against what was given."""
    given = found.starts[0].makespan
    return f"{100 * (found.best.makespan - given) / given:+.1f} %"


def found() -> Iterator[str]:
    """What the search found, a row each."""
    yield from head(*TITLES)
    for n, residency, machine, network, budget in CASES:
        result = searched(n, machine, network, residency=residency, budget=budget)
        rule, bound, gap = min(result.starts, key=lambda one: one.makespan), result.bound, result.gap
        said = f"within {100 * gap / bound.cycles:.1f} %" if gap else "optimal"
        yield row(
            *(n, residency, machine, network, result.starts[0].makespan),
            *(f"{rule.makespan} ({rule.name})", result.best.makespan, gained(result), bound.cycles),
            *(f"{said}: {bound.name}", result.runs, result.bounded),
        )


def levels() -> Iterator[str]:
    """A table of its own for every level, from the identity that migrates; the same as it is, and at home."""
    titles = ("migrating", "home", "found", "against migrating", "bound", "better at most")
    yield from head("n", "machine", *titles)
    for n, budget in ((8, 30), (16, 30), (64, 3)):
        for machine in MACHINES if n < 64 else MACHINES[:1]:
            result = searched(n, machine, search="levels", budget=budget)
            home = senn.timed(variants.closed_chain(n), machine, "home").summary["makespan"]
            best, least = result.best.makespan, result.bound.cycles
            cycles = (result.starts[0].makespan, home, best, gained(result), least)
            yield row(n, machine, *cycles, f"{100 * (best - least) / best:.1f} %")


def who_lives_where() -> Axes:
    """At home on a hypercube, before and after."""
    result = searched(16, "mark3", "hypercube", residency="home", budget=200)
    _, (above, below) = pyplot.subplots(2, figsize=(8.4, 2.4), layout="constrained")
    for ax, label, one in ((above, "as given", result.starts[0]), (below, "found", result.best)):
        plots.places(one.table[0, :1], ax, caption=f"{label}: {one.makespan:,} cycles")
    above.set_xlabel("")
    return below


DATA: Tables = {"found": found, "levels": levels}
FIGURES: Figures = {"optimise_tables": who_lives_where}
