"""Data and pictures of optimise.md, some minutes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from matplotlib import pyplot
from matplotlib.axes import Axes

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms.programs import variants
from senn.machine.search.local_search import SearchResult
from senn.traces.pictures import plots

SENN = {"machine.network": "senn"}
CASES = [
    *(
        (n, residency, name, SENN, 200)
        for n in (8, 16)
        for residency in ("home", "migrating")
        for name in ("mark3", "fijany")
    ),
    *((64, residency, "mark3", SENN, 100) for residency in ("home", "migrating")),
    *(
        (n, "home", "mark3", {"machine.network": network}, 200)
        for network in ("hypercube", "mesh", "full")
        for n in (8, 16)
    ),
]


TITLES = (
    *("n", "residency", "machine", "network", "as given", "best by a rule", "found", "against given"),
    *("bound", "above the optimum at most: by", "runs", "bounded"),
)


def found() -> Iterator[str]:
    """What the search found, a row each; numbers are flush right."""
    yield row(*TITLES)
    yield "|--:|---|---|---|--:|--:|--:|--:|--:|---|--:|--:|"
    for case in CASES:
        yield searched(*case)


def searched(n: int, residency: str, machine: str, settings: dict[str, str], budget: int) -> str:
    """One search."""
    found = senn.optimise(n, residency=residency, machine=machine, set=settings, budget=budget)
    given, best = found.starts[0].makespan, found.best.makespan
    rule = min(found.starts, key=lambda one: one.makespan)
    said = "optimal" if found.gap == 0 else f"within {100 * found.gap / found.bound.cycles:.1f} %"
    return row(
        n,
        residency,
        machine,
        settings["machine.network"],
        f"{given:,}",
        f"{rule.makespan:,} ({rule.name})",
        f"{best:,}",
        f"{100 * (best - given) / given:+.1f} %",
        f"{found.bound.cycles:,}",
        f"{said}: {found.bound.name}",
        f"{found.runs:,}",
        f"{found.bounded:,}",
    )


MACHINES = ("mark3", "ipsc860", "t800", "maspar", "raw")


def levels() -> Iterator[str]:
    """A table of its own for every level, from the identity that migrates; the same as it is, and at home."""
    yield from head(
        "n", "machine", "migrating", "home", "found", "against migrating", "bound", "better at most"
    )
    for n, budget in ((8, 30), (16, 30), (64, 3)):
        for machine in MACHINES if n < 64 else MACHINES[:1]:
            found = senn.optimise(n, search="levels", machine=machine, budget=budget)
            home = senn.timed(variants.closed_chain(n), machine, "home").summary["makespan"]
            yield _beyond((n, machine), found, f"{home:,}")


def _beyond(case: tuple[int, str], found: SearchResult, *more: str) -> str:
    """A row: what was found, and by how much anything could be better than that."""
    given, best, least = found.starts[0].makespan, found.best.makespan, found.bound.cycles
    gained = f"{100 * (best - given) / given:+.1f} %"
    return row(
        *case, f"{given:,}", *more, f"{best:,}", gained, f"{least:,}", f"{100 * (best - least) / best:.1f} %"
    )


@cache
def on_a_hypercube() -> SearchResult:
    """The search that is drawn."""
    return senn.optimise(
        16, residency="home", machine="mark3", set={"machine.network": "hypercube"}, budget=200
    )


def who_lives_where() -> Axes:
    """At home, before and after."""
    found = on_a_hypercube()
    _, (above, below) = pyplot.subplots(2, figsize=(8.4, 2.4), layout="constrained")
    cycles = f"{found.starts[0].makespan:,}", f"{found.best.makespan:,}"
    plots.places(found.starts[0].table[0, :1], above, caption=f"as given: {cycles[0]} cycles")
    plots.places(found.best.table[0, :1], below, caption=f"found: {cycles[1]} cycles")
    above.set_xlabel("")
    return below


DATA: Tables = {"found": found, "levels": levels}
FIGURES: Figures = {"optimise_tables": who_lives_where}
