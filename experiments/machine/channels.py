"""The tables and the picture of channels.md.

One field of the machine is changed at a time; the program (form paper, migrating) and its answer stay.
traffic.csv, the traffic of a diagonalisation alone, was computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

import senn
from experiments.page import Figures, Tables, head, row, titled
from senn.algorithms.programs import variants
from senn.machine import model
from senn.traces.pictures import style
from senn.traces.run import Run

MACHINE = "fijany"
SIZES = (8, 64)
KINDS: Mapping[str, Mapping[str, str]] = {
    "as it is": {},
    "switching = cut-through, hop = 1": {"machine.switching": "cut-through", "timing.hop": "1"},
    "duplex = half": {"machine.duplex": "half"},
    "ports = one": {"machine.ports": "one"},
    "dma = false": {"machine.dma": "false"},
    "discipline = priority": {"machine.discipline": "priority"},
    "discipline = deadline": {"machine.discipline": "deadline"},
    "vertical = bus": {"machine.vertical": "bus"},
    "control = mimd": {"machine.control": "mimd"},
}


def timed(n: int, kind: str, residency: str = "migrating") -> Run:
    """The program of `n` links on the machine of this kind."""
    machine = model.load(MACHINE).with_settings(KINDS[kind])
    return senn.timed(variants.closed_chain(n), machine, residency, detail="instructions")


def at_home(sizes: tuple[int, ...] = (8, 16, 32, 64, 128)) -> Iterator[str]:
    """Makespans of both residencies with both kinds of switching."""
    yield from head(MACHINE, *(f"n = {n}" for n in sizes))
    kinds = [*zip(KINDS, ("store-and-forward", "cut-through"), strict=False)]
    for residency, (kind, name) in product(("home", "migrating"), kinds):
        yield row(f"{residency}, {name}", *(timed(n, kind, residency).summary["makespan"] for n in sizes))


def kinds(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """Makespan, end of array 1, exposed stalls: none where nodes issue by themselves."""
    titles = ("makespan", "array 1 ends", "exposed, 1 and 2")
    yield from head(MACHINE, *(f"n = {n}: {title}" for n, title in product(sizes, titles)))
    for kind in KINDS:
        cells: list[object] = []
        for found in (timed(n, kind).summary for n in sizes):
            arrays = [*found["arrays"].values()]
            stalls = ("-" if x is None else f"{x:,}" for x in (one["exposed_stall"] for one in arrays))
            cells += [found["makespan"], arrays[0]["end"], ", ".join(stalls)]
        yield row(f"`{kind}`", *cells)


def drawn() -> Figure:
    """Bars of the makespan, a panel for each size; the line is the machine as it is."""
    size = {"figsize": (12.0, 1.6 + 0.3 * len(KINDS)), "layout": "constrained"}
    figure, axes = pyplot.subplots(1, len(SIZES), sharey=True, **size)
    for ax, n in zip(axes, SIZES, strict=True):
        spans = {kind: timed(n, kind).summary["makespan"] for kind in KINDS}
        first, *_ = spans.values()
        for k, span in enumerate(spans.values()):
            ax.barh(k, span, color=style.SERIES[0] if k else style.OTHER, height=0.72)
            text = f"{span:,}" + f" {100 * (span / first - 1):+.1f} %" * (k > 0)
            look = {"va": "center", "fontsize": style.SMALL, "color": style.INK}
            ax.text(span + 0.01 * max(spans.values()), k, text, **look)
        ax.axvline(first, color=style.INK, linewidth=0.8, linestyle=":")
        ax.set_title(f"n = {n}, form paper, migrating, {MACHINE}", fontsize="medium", weight="normal")
        ax.set(xlabel="makespan (cycles)", xlim=(0, 1.4 * max(spans.values())))
        ax.xaxis.set(major_locator=MaxNLocator(4), major_formatter=StrMethodFormatter("{x:,.0f}"))
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(KINDS)), KINDS)
    axes[0].invert_yaxis()
    most, least = max(spans, key=spans.__getitem__), min(spans, key=spans.__getitem__)
    times = f"{spans[most] / first:.2f} times as long, {least} {spans[least] / first:.2f}"
    titled(figure, f"At n = {SIZES[-1]}, {most} takes {times}")
    return figure


DATA: Tables = {"kinds": kinds, "at-home": at_home}
FIGURES: Figures = {"channels": drawn}
