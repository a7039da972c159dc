"""The tables and the picture of star.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import cycle

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

import senn
from experiments.measuring import MACHINES
from experiments.page import Figures, Tables, head, order, row
from experiments.ways import ARTICULATED, REDUCED_1, SHORT, STAR, Arm, figures, problem_of, right_of
from senn import laws
from senn.algorithms import problems
from senn.algorithms.family import costs
from senn.algorithms.programs import divide_and_conquer, star, variants
from senn.algorithms.programs.star import spans
from senn.machine import model
from senn.machine.engines.memory import executed
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Program
from senn.machine.search.combining import combined
from senn.traces.pictures import style

SIZES = (4, 16, 64, 256, 1024)
PROGRAMS: dict[str, Callable[[int], Program]] = {
    "paper": partial(variants.closed_chain, form="paper"),
    "short": partial(variants.closed_chain, form="short"),
    "omega": partial(variants.closed_chain, form="omega"),
    "short, jets": partial(variants.closed_chain, form="short", motion="jets"),
    "short, outward": partial(variants.closed_chain, form="short", motion="outward"),
    "omega, outward": partial(variants.closed_chain, form="omega", motion="outward"),
    "divide and conquer": divide_and_conquer.program,
    "`star`": star.program,
    "`star-together`": partial(star.program, one_message=True),
}
STARS = ("`star`", "`star-together`")
STAYING = {"migrating": "", "home": " h"}


@cache
def placed(name: str, n: int, residency: str) -> Schedule:
    """A program on a SENN; where it is placed does not depend on times."""
    return senn.placed(PROGRAMS[name](n), residency=residency)


@cache
def makespan(name: str, n: int, machine: str, residency: str) -> int:
    """In cycles of the machine."""
    return int(senn.timed(placed(name, n, residency), machine).summary["makespan"])


def best(name: str, n: int, machine: str) -> tuple[int, str]:
    """The shorter makespan of the two residencies, and which it is."""
    return min((makespan(name, n, machine, residency), residency) for residency in STAYING)


def serial(n: int, machine: str) -> int:
    """The best serial solution on one node."""
    return min(model.load(machine).compute_cycles(*count) for count in costs.closed(n).values())


def lead(n: int, machine: str) -> float:
    """The best other parallel program's cycles over the better star program's."""
    cycles = {name: best(name, n, machine)[0] for name in PROGRAMS}
    own = min(cycles[name] for name in STARS)
    return min(found for name, found in cycles.items() if name not in STARS) / own


# ---------------------------------------------------------------------------------- tables


def _startups(name: str, machine: str, residency: str) -> int:
    run = senn.timed(placed(name, 64, residency), machine, detail="full")
    return sum(piece.label == "startup" for piece in run.path)


def steps() -> Iterator[str]:
    """What each program issues, sends and computes."""
    yield from head(
        "program",
        "network steps, n = 2^M",
        "words, n = 64",
        "operations, n = 64",
        "start-ups in a row, mark3",
        "cluster, at home",
    )
    for name in PROGRAMS:
        counts = laws.sweep(PROGRAMS[name], [2**m for m in range(3, 8)], "mark3").network_steps()
        here = placed(name, 64, "migrating")
        words = senn.timed(here, "ideal").summary["words"]
        rows = (_startups(name, "mark3", "migrating"), _startups(name, "cluster", "home"))
        yield row(name, laws.line(counts), f"{words:,}", f"{executed(here.flow).flops:,}", *rows)


def makespans(sizes: Iterable[int] = SIZES) -> Iterator[str]:
    """Cycles, machine by machine."""
    sizes = tuple(sizes)
    yield from head("machine", "n", *PROGRAMS, "best serial")
    for machine in MACHINES:
        for n in sizes:
            shortest = (best(name, n, machine) for name in PROGRAMS)
            cells = (f"{cycles:,}{STAYING[residency]}" for cycles, residency in shortest)
            yield row(f"`{machine}`", n, *cells, f"{serial(n, machine):,}")


def ratios() -> Iterator[str]:
    """Cycles of the others over those of the better star program."""
    yield from head("machine", "n", *(f"{label} / star" for label in RIVALS), "one node / star")
    for machine in MACHINES:
        for n in SIZES:
            stars = min(best(name, n, machine)[0] for name in STARS)
            quickest = [min(best(name, n, machine)[0] for name in names) for names in RIVALS.values()]
            cells = (f"{cycles / stars:.2f}" for cycles in (*quickest, serial(n, machine)))
            yield row(f"`{machine}`", n, *cells)


RIVALS = {
    "forms": ("paper", "short", "omega"),
    "divide and conquer": ("divide and conquer",),
    "jets or outward": ("short, jets", "short, outward", "omega, outward"),
}


def ways() -> Iterator[str]:
    """What each way is worth at n = 64."""
    yield from head("program", *(f"`{machine}`" for machine in MACHINES))
    for name in STARS:
        yield row(name, *(f"{best(name, 64, machine)[0]:,}" for machine in MACHINES))
    kept = spans.BY_FACTORS
    spans.BY_FACTORS = 0
    packed = star.program(64)
    spans.BY_FACTORS = kept
    both = [senn.placed(packed, residency=residency) for residency in STAYING]
    cells = (min(int(senn.timed(x, machine).summary["makespan"]) for x in both) for machine in MACHINES)
    yield row("`star`, C packed at once", *(f"{cycles:,}" for cycles in cells))
    for name in (STARS[0], "short, outward", "divide and conquer"):
        yield row(f"{name}, combined", *(f"{with_combining(name, machine):,}" for machine in MACHINES))


def with_combining(name: str, machine: str) -> int:
    """The shorter makespan of the two residencies with `--combine`, at n = 64."""
    schedules = (combined(placed(name, 64, residency), model.load(machine)) for residency in STAYING)
    return min(int(senn.timed(schedule, machine).summary["makespan"]) for schedule in schedules)


def products() -> Iterator[str]:
    """What a product of two spans costs, level by level: array 1, links 1..i."""
    yield from head("level", "multiply", "add")
    (lines, _) = star.program(64).streams
    for level in range(1, 6):
        operations = [
            line.expression.operations(*line.expression.kernels)
            for line in lines
            if isinstance(line, Compute) and line.level == level and line.step.startswith("II.a.")
        ]
        yield row(level, sum(x.multiply for x in operations), sum(x.add for x in operations))


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
    """The lead over the best other program, over n, a line a machine."""
    figure, ax = pyplot.subplots(figsize=(9.0, 5.2), layout="constrained")
    for machine, (color, marker) in zip(MACHINES, cycle(style.LOOKS)):
        ax.plot(SIZES, [lead(n, machine) for n in SIZES], color=color, marker=marker, label=machine)
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(SIZES)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("links n")
    ax.set_ylabel("cycles, best other program / star")
    ax.grid(axis="y")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right center")
    first = [machine for machine in MACHINES if lead(64, machine) > 1.0]
    figure.suptitle(
        f"At n = 64 the star program is ahead on {', '.join(first)}",
        x=0.01,
        ha="left",
        weight="bold",
        size=13,
    )
    return figure


DATA: Tables = {
    "steps": steps,
    "ratios": ratios,
    "makespans": makespans,
    "ways": ways,
    "products": products,
    "digits": digits,
}
FIGURES: Figures = {"star": ahead}
