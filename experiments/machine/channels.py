"""The tables and the picture of channels.md.

One field of the machine is changed at a time; the program (form paper, migrating) and its answer stay.
traffic.csv, the traffic of a diagonalisation alone, was computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from matplotlib.figure import Figure

import senn
from experiments import drawing
from experiments.page import Figures, Tables, head, row
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
    spans = {
        f"n = {n}, form paper, migrating, {MACHINE}": {x: timed(n, x).summary["makespan"] for x in KINDS}
        for n in SIZES
    }
    *_, last = spans.values()
    first, *_ = last.values()
    most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    times = f"{last[most] / first:.2f} times as long, {least} {last[least] / first:.2f}"
    finding = f"At n = {SIZES[-1]}, {most} takes {times}"
    return drawing.panels(spans, [style.OTHER, *[style.SERIES[0]] * (len(KINDS) - 1)], " {:+.1f} %", finding)


DATA: Tables = {"kinds": kinds, "at-home": at_home}
FIGURES: Figures = {"channels": drawn}
