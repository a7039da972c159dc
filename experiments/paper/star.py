"""The tables and the picture of star.md; products.csv and ways.csv were computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import cycle, product

from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments.measuring import MACHINES, fastest
from experiments.measuring import machine as preset
from experiments.page import Figures, Tables, head, order, over_sizes, row, titled
from experiments.paper import frontier
from experiments.paper.crossovers import serial_cycles
from experiments.ways import ARTICULATED, REDUCED_1, SHORT, STAR, Arm, figures, problem_of, right_of
from senn import laws
from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.machine.engines.memory import executed
from senn.machine.program import Program
from senn.traces.pictures import style

SIZES = (4, 16, 64, 256, 1024)
STARS = ("star", "star-together")
_SHORT = ("short, outward", "omega, outward", "divide and conquer", *STARS)
PROGRAMS: dict[str, Callable[[int], Program]] = {
    **{form: frontier.PROGRAMS[form] for form in variants.FORMS},
    "short, jets": partial(variants.closed_chain, form="short", motion="jets"),
    **{name: frontier.PROGRAMS[name] for name in _SHORT},
}
STAYING = {"migrating": "", "home": " h"}


@cache
def best(name: str, n: int) -> dict[str, tuple[int, str]]:
    """By machine, the shorter makespan of the two residencies, and which it is."""
    return fastest(PROGRAMS[name](n), {x: preset(x) for x in MACHINES})  # type: ignore[return-value]


def shortest(names: Iterable[str], n: int, machine: str) -> int:
    """Cycles of the quickest of some programs."""
    return min(best(name, n)[machine][0] for name in names)


# ---------------------------------------------------------------------------------- tables


def steps() -> Iterator[str]:
    """What each program issues, sends and computes."""
    counted = ("network steps, n = 2^M", "words, n = 64", "operations, n = 64")
    yield from head("program", *counted, "start-ups in a row, mark3", "cluster, at home")
    for name, make in PROGRAMS.items():
        counts = laws.sweep(make, [2**m for m in range(3, 8)], "mark3").network_steps()
        here = senn.placed(make(64))
        words = senn.timed(here, "ideal").summary["words"]
        runs = (
            senn.timed(senn.placed(make(64), residency=residency), machine, detail="full")
            for machine, residency in (("mark3", "migrating"), ("cluster", "home"))
        )
        startups = (sum(piece.label == "startup" for piece in run.path) for run in runs)
        yield row(name, laws.line(counts), f"{words:,}", f"{executed(here.flow).flops:,}", *startups)


def makespans(sizes: Iterable[int] = SIZES) -> Iterator[str]:
    """Cycles, machine by machine."""
    yield from head("machine", "n", *PROGRAMS, "best serial")
    for machine, n in product(MACHINES, sizes):
        found = (best(name, n)[machine] for name in PROGRAMS)
        cells = (f"{cycles:,}{STAYING[residency]}" for cycles, residency in found)
        yield row(f"`{machine}`", n, *cells, f"{min(serial_cycles(machine, n).values()):,}")


def ratios() -> Iterator[str]:
    """Cycles of the others over those of the better star program."""
    yield from head("machine", "n", *(f"{label} / star" for label in RIVALS), "one node / star")
    for machine, n in product(MACHINES, SIZES):
        quickest = [
            *(shortest(names, n, machine) for names in RIVALS.values()),
            min(serial_cycles(machine, n).values()),
        ]
        yield row(f"`{machine}`", n, *(f"{cycles / shortest(STARS, n, machine):.2f}" for cycles in quickest))


RIVALS = {
    "forms": ("paper", "short", "omega"),
    "divide and conquer": ("divide and conquer",),
    "jets or outward": ("short, jets", "short, outward", "omega, outward"),
}


ARMS = ("ssrms", "station25", "random:64", "random:1024", "rods:64:slenderness=0.001")
LIGHT = ((8, 1e-2), (8, 1e-5), (64, 1e-5))
"""Links, and the mass of the lighter link in the middle; its size is a hundredth."""


def digits(texts: Iterable[str] = ARMS, light_arms: Iterable[tuple[int, float]] = LIGHT) -> Iterator[str]:
    """Errors against articulated bodies in balls (80 bits for 1,024 links); the tip welded."""
    arms = {text: problems.load(text) for text in texts}
    for n, mass in light_arms:
        label = f"random:{n}, one link of mass {mass:.0e} and size 1e-02"
        arms[label] = problems.draw(problem_of(Arm(f"random:{n}", (mass, 1e-2)), 0).chain, 0)
    shown = (STAR, REDUCED_1, SHORT, ARTICULATED)
    names = ("qdd_error", "contact_force_error", "lambda_inverse_error", "residual")
    yield from head("arm", *(way.label for way in shown))
    for label, what in arms.items():
        right = right_of(what)
        errors = (figures(way.solve(what, "double"), *right) for way in shown)
        yield row(label, *(", ".join(order(each[name]) for name in names) for each in errors))


# --------------------------------------------------------------------------------- picture


def ahead() -> Figure:
    """The best other parallel program over the better star program, over n, a line a machine."""
    others = [name for name in PROGRAMS if name not in STARS]
    lead = {x: [shortest(others, n, x) / shortest(STARS, n, x) for n in SIZES] for x in MACHINES}
    figure, ax = pyplot.subplots(figsize=(9.0, 5.2), layout="constrained")
    for (machine, cycles), (color, marker) in zip(lead.items(), cycle(style.LOOKS)):
        ax.plot(SIZES, cycles, color=color, marker=marker, label=machine)
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    over_sizes(ax, "links n", SIZES)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("cycles, best other program / star")
    ax.grid(axis="y")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right center")
    first = [machine for machine in MACHINES if lead[machine][SIZES.index(64)] > 1.0]
    titled(figure, f"At n = 64 the star program is ahead on {', '.join(first)}")
    return figure


DATA: Tables = {f.__name__: f for f in (steps, ratios, makespans, digits)}
FIGURES: Figures = {"star": ahead}
