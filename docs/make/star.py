"""The tables and the picture of star.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import cycle

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

import senn
from docs.make.page import Figures, Tables, head, order, row
from senn import laws
from senn.algorithms.family import costs
from senn.algorithms.programs import divide_and_conquer, star, variants
from senn.algorithms.programs.star import spans
from senn.experiments import measuring
from senn.machine import model
from senn.machine.engines.memory import executed
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
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
MACHINES = model.presets("senn")
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
    return min(measuring.cycles(count(n), model.load(machine)) for count in costs.CLOSED.values())


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


def _lasting(holds: Callable[[int], bool]) -> str:
    """The size from which on it holds at all that were tried."""
    beyond = [n for n in SIZES if not holds(n)]
    later = [n for n in SIZES if not beyond or n > beyond[-1]]
    return str(later[0]) if later else "never"


def fronts() -> Iterator[str]:
    """From which n on it is ahead, and by how much."""
    yield from head(
        "machine",
        "ahead of all other parallel programs from n",
        "best other / star, n = 64",
        "n = 1,024",
        "beats serial from n: star",
        "the others",
    )
    for machine in MACHINES:

        def wins(n: int, of: Iterable[str], machine: str = machine) -> bool:
            return min(best(name, n, machine)[0] for name in of) < serial(n, machine)

        others = [name for name in PROGRAMS if name not in STARS]
        yield row(
            f"`{machine}`",
            _lasting(lambda n, machine=machine: lead(n, machine) > 1.0),  # type: ignore[misc]
            *(f"{lead(n, machine):.2f}" for n in (64, 1024)),
            _lasting(partial(wins, of=STARS)),
            _lasting(partial(wins, of=others)),
        )


def ways() -> Iterator[str]:
    """What each way is worth at n = 64."""
    yield from head("program", *(f"`{machine}`" for machine in MACHINES))
    yield row("`star`", *(f"{best('`star`', 64, machine)[0]:,}" for machine in MACHINES))
    yield row("`star-together`", *(f"{best('`star-together`', 64, machine)[0]:,}" for machine in MACHINES))
    kept = spans.BY_FACTORS
    spans.BY_FACTORS = 0
    packed = star.program(64)
    spans.BY_FACTORS = kept
    both = [senn.placed(packed, residency=residency) for residency in STAYING]
    cells = (min(int(senn.timed(x, machine).summary["makespan"]) for x in both) for machine in MACHINES)
    yield row("`star`, C packed at once", *(f"{cycles:,}" for cycles in cells))


ARMS = ("ssrms", "station25", "random:64", "random:1024", "rods:64:slenderness=0.001")


def digits() -> Iterator[str]:
    """Errors as the certificate finds them."""
    yield from head("arm", "star", "short, refined", "short")
    ways_of = ({"algorithm": "star"}, {"form": "short", "refine": 1}, {"form": "short"})
    names = ("qdd_error", "contact_force_error", "lambda_inverse_error", "residual")
    for arm in ARMS:
        cells = []
        for chosen in ways_of:
            found = senn.run(arm, engine="lockstep", detail="summary", **chosen).certificate
            cells.append(", ".join(order(found[name]) for name in names))
        yield row(f"`{arm}`", *cells)


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
    "fronts": fronts,
    "makespans": makespans,
    "ways": ways,
    "digits": digits,
}
FIGURES: Figures = {"star": ahead}
