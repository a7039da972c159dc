"""Measure the tables of optimise.md and draw its picture: `python docs/measure_optimise.py`, some minutes.

Prints Markdown. With `--rate` only how many placements are bounded and run in a second of processor time,
which depends on the computer; everything else does not.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

import senn
from senn.algorithms.programs import closed_chain
from senn.cli.printing.pictures import write
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.search.bounds import bounds, distances
from senn.machine.search.optimise import Found
from senn.machine.search.precedence import precedence
from senn.traces.pictures import plots

SENN = {"machine.network": "senn"}
CASES = [
    *(
        (n, residency, name, SENN, 200)
        for n in (8, 16)
        for residency in ("home", "migrating")
        for name in ("mark3", "raw")
    ),
    *((64, residency, "mark3", SENN, 100) for residency in ("home", "migrating")),
    *(
        (n, "home", "mark3", {"machine.network": network}, 200)
        for network in ("hypercube", "mesh", "full")
        for n in (8, 16)
    ),
]


def searched(n: int, residency: str, machine: str, settings: dict[str, str], budget: int) -> Found:
    return senn.optimise(n, residency=residency, machine=machine, set=settings, budget=budget)


def row(n: int, residency: str, machine: str, settings: dict[str, str], budget: int) -> str:
    found = searched(n, residency, machine, settings, budget)
    given, best = found.starts[0].makespan, found.best.makespan
    rule = min(found.starts, key=lambda one: one.makespan)
    said = "optimal" if found.gap == 0 else f"within {100 * found.gap / found.bound.cycles:.1f} %"
    cells = (
        f"{n}",
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
    return "| " + " | ".join(cells) + " |"


def rate(n: int, residency: str) -> str:
    """Placements bounded and run in a second, one after the other, and what a run is made of."""
    on = model.load("mark3")
    table = allocation.named("identity", n, residency)
    schedule = place(closed_chain.program(n), table, on)
    order, hops = precedence(schedule, on), distances(schedule)
    renamings = np.array([np.random.default_rng(k).permutation(n) for k in range(1000)])

    def seconds(times: int, work: object) -> float:
        start = time.process_time()
        for _ in range(times):
            work()  # type: ignore[operator]
        return (time.process_time() - start) / times

    bounding = seconds(3, lambda: order.makespan(order.hops(hops, renamings)[0])) / 1000
    placing = seconds(5, lambda: place(schedule.flow, table, on))
    running = seconds(5, lambda: lockstep.simulate(schedule, on, None, detail="summary"))
    lower = seconds(1, lambda: bounds(schedule, on))
    return (
        f"| {n} | {residency} | {1 / bounding:,.0f} | {1 / (placing + running):,.0f} | "
        f"{1000 * placing:.0f} | {1000 * running:.0f} | {lower:.1f} |"
    )


def draw(folder: Path) -> None:
    found = senn.optimise(
        16, residency="home", machine="mark3", set={"machine.network": "hypercube"}, budget=200
    )
    lower = {bound.name: bound.cycles for bound in found.bounds}
    write(
        lambda: plots.search(
            found.history, found.runs, lower, caption="n = 16 at home on a hypercube, mark3"
        ),
        folder / "optimise.png",
    )
    write(lambda: _tables(found), folder / "optimise_tables.png")


def _tables(found: Found) -> Axes:
    """Who lives where at home, before and after."""
    _, (above, below) = pyplot.subplots(2, figsize=(8.4, 2.4), layout="constrained")
    cycles = f"{found.starts[0].makespan:,}", f"{found.best.makespan:,}"
    plots.places(found.starts[0].table[0, :1], above, caption=f"as given: {cycles[0]} cycles")
    plots.places(found.best.table[0, :1], below, caption=f"found: {cycles[1]} cycles")
    above.set_xlabel("")
    return below


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", action="store_true")
    parser.add_argument("--draw", action="store_true", help="only the pictures")
    only = parser.parse_args()
    if only.rate:
        for size in (8, 16, 64):
            for how in ("home", "migrating"):
                print(rate(size, how), flush=True)
    else:
        for case in [] if only.draw else CASES:
            print(row(*case), flush=True)
        draw(Path(__file__).parent / "figures")
