"""The pictures of docs/divide_and_conquer.md; drawn by `docs/make_figures.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

from senn.algorithms.programs import closed_chain, divide_and_conquer
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.traces.pictures import plots
from senn.traces.run import Run

PROGRAMS: dict[str, tuple[Callable[[int], Program], str, str]] = {
    "paper": (partial(closed_chain.program, form="paper"), "C7", "o-"),
    "short": (partial(closed_chain.program, form="short"), "C0", "o-"),
    "omega": (partial(closed_chain.program, form="omega"), "C2", "o-"),
    "divide and conquer": (divide_and_conquer.program, "C3", "s-"),
    "divide and conquer, one array": (partial(divide_and_conquer.program, arrays=1), "C3", "s:"),
}
MACHINES = ("ideal", "raw", "mark3")
SIZES = tuple(2**k for k in range(2, 11))


def timed(program: Program, machine: str, detail: str = "summary") -> Run:
    """A run without numbers on a SENN, data migrating."""
    on = model.load(machine)
    table = allocation.named("identity", program.n, "migrating")
    return lockstep.simulate(place(program, table, on), on, None, detail=detail)  # type: ignore[arg-type]


def makespans() -> Figure:
    """Makespans of the programs over n on three machines."""
    figure, places = plt.subplots(1, len(MACHINES), figsize=(12.0, 4.4), layout="constrained")
    for machine, ax in zip(MACHINES, places, strict=True):
        for label, (program, color, style) in PROGRAMS.items():
            cycles = [timed(program(n), machine).summary["makespan"] for n in SIZES]
            ax.plot(SIZES, [c / 1000 for c in cycles], style, color=color, label=label, markersize=4)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xticks(SIZES[::2])
        ax.set_ylim(bottom=0)
        ax.set_title(machine)
        ax.set_xlabel("links n")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", alpha=0.3)
    places[0].set_ylabel("makespan, thousand cycles")
    places[0].legend(frameon=False, fontsize=9)
    return figure


def phases() -> Figure:
    """Divide and conquer above form short, n = 16, in the same scale of time."""
    runs = [
        timed(program, "mark3", "full")
        for program in (divide_and_conquer.program(16), closed_chain.program(16, "short"))
    ]
    figure, places = plt.subplots(2, figsize=(11.0, 7.6), layout="constrained")
    end = max(run.summary["makespan"] for run in runs)
    for run, ax, title in zip(runs, places, ("divide and conquer", "form short"), strict=True):
        ax.set_xlim(0, end)
        plots.phases(run.trace, ax)
        ax.set_xlim(0, end)
        ax.set_title(title, loc="left", fontsize=11, pad=26)
    return figure
