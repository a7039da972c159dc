"""The tables and the picture of channels.md.

One field of the machine is changed at a time; the program (form paper, migrating) and its answer stay. The
bare traffic is that of one odd-even diagonalisation and nothing else: computing and posting take no time, and
at home every level is a program of its own, whose messages all start in cycle 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

import senn
from experiments import bars
from experiments.page import Figures, Tables, head, row
from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.allocation import gray, identity
from senn.machine.program import (
    PR1,
    Arrange,
    Compute,
    Instruction,
    Kernel,
    Letter,
    Operations,
    Program,
    Resident,
    Send,
    Wait,
    i,
    levels,
    loop,
)
from senn.traces.pictures import style

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


class Measured(NamedTuple):
    """One run, in cycles; `exposed` of each array, none where nodes issue by themselves."""

    makespan: int
    ends: tuple[int, ...]
    exposed: tuple[int | None, ...]


def measure(n: int, kind: str, residency: allocation.Residency = "migrating") -> Measured:
    """The program of `n` links on the machine of this kind."""
    machine = model.load(MACHINE).with_settings(KINDS[kind])
    run = senn.timed(variants.closed_chain(n), machine, residency, detail="instructions")
    arrays = run.summary["arrays"].values()
    return Measured(
        run.summary["makespan"],
        tuple(one["end"] for one in arrays),
        tuple(one["exposed_stall"] for one in arrays),
    )


def at_home(sizes: tuple[int, ...] = (8, 16, 32, 64, 128)) -> Iterator[str]:
    """Makespans of both residencies with both kinds of switching."""
    yield from head(MACHINE, *(f"n = {n}" for n in sizes))
    residencies: tuple[allocation.Residency, ...] = ("home", "migrating")
    for residency in residencies:
        for kind, name in zip(list(KINDS)[:2], ("store-and-forward", "cut-through"), strict=True):
            cells = (f"{measure(n, kind, residency).makespan:,}" for n in sizes)
            yield row(f"{residency}, {name}", *cells)


def kinds(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """The rows, in Markdown."""
    heads = [f"n = {n}: {what}" for n in sizes for what in ("makespan", "array 1 ends", "exposed, 1 and 2")]
    yield from head(MACHINE, *heads)
    for kind in KINDS:
        cells = []
        for n in sizes:
            found = measure(n, kind)
            exposed = ("-" if x is None else f"{x:,}" for x in found.exposed)
            cells += [f"{found.makespan:,}", f"{found.ends[0]:,}", ", ".join(exposed)]
        yield row(f"`{kind}`", *cells)


# ---------------------------------------------------------------------- bare traffic


TRAFFIC_SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
TIMES = {"timing.startup": 20, "timing.word": 1, "timing.post": 0}
SWITCHING = {
    "store-and-forward": {},
    "cut-through": {"machine.switching": "cut-through", "timing.hop": 2},
}
AT_HOME: Sequence[tuple[str, str, str, Callable[[int], Integers]]] = (
    ("`senn`, `greedy`", "senn", "greedy", identity),
    ("`hypercube`, `e-cube`", "hypercube", "e-cube", identity),
    ("`hypercube`, `e-cube`, Gray code", "hypercube", "e-cube", gray),
    ("`torus`, `xy`", "torus", "xy", identity),
    ("`mesh`, `xy`", "mesh", "xy", identity),
    ("`ring`", "ring", "lowest", identity),
    ("`full`", "full", "lowest", identity),
)

UP, DOWN = Letter("up", (40,)), Letter("down", (40,))
LAST = Letter("last", (15,))  # at the last level there is no B: D or G alone
MOVED = Letter("moved", (65,))  # A and both B of a row
FREE = Kernel(
    "free", "free({0}, ...)", lambda *operands: operands[0], declared=Operations()
)  # takes no cycle


def traffic(sizes: Sequence[int] = TRAFFIC_SIZES) -> Iterator[str]:
    """Cycles of the whole traffic, in Markdown."""
    yield from head("network", "switching", *sizes)
    for switching in SWITCHING:
        cells = (f"{migrating(n, switching):,}" for n in sizes)
        yield row("`senn`, migrating", switching, *cells)
    for label, network, routing, places in AT_HOME:
        for switching in SWITCHING:
            cells = (f"{home(n, network, routing, places(n), switching):,}" for n in sizes)
            yield row(label, switching, *cells)


def home(n: int, network: str, routing: str, places: Integers, switching: str) -> int:
    """Row i stays at places[i - 1]; all levels one after the other."""
    fields = {"machine.network": network, "machine.routing": routing}
    rows = np.tile(places, (levels(n) + 1, 1))
    return sum(_makespan(_exchange(n, 1 << k), rows, switching, fields) for k in range(levels(n)))


def migrating(n: int, switching: str) -> int:
    """Between neighbours, and un-shuffled from level to level; no step begins before the last has ended."""
    rows = allocation.named("identity", n, "migrating")
    return _makespan(_levels(n), rows, switching, {"machine.dma": "false"})


def _exchange(n: int, h: int) -> Program:
    """Rows h apart send each other 40 words: first all upward, then all downward."""
    stream = (
        Send("up", UP[0], PR1[i + h]),
        Send("down", DOWN[0], PR1[i - h]),
        Compute("take", MOVED[0], FREE(UP[0][i - h].or_zero, DOWN[0][i + h].or_zero)),
    )
    return _program(n, stream, UP, DOWN)


def _levels(n: int) -> Program:
    """A packed message to both partners, and what the next level needs to its next place."""
    last = levels(n)

    def level(j: int, h: int) -> Iterator[Instruction]:
        packed = (UP if j < last else LAST)[j]
        yield Compute("pack", packed, FREE(MOVED[j - 1]))
        yield Send("exchange", packed, PR1[i + h], PR1[i - h])
        yield Compute("take", MOVED[j], FREE(MOVED[j - 1], packed[i - h].or_zero, packed[i + h].or_zero))
        if j < last:
            yield Arrange("un-shuffle", MOVED[j], j, j + 1)

    return _program(n, chain(loop(n, level), [Wait("end", MOVED[last], at=last)]), MOVED)


def _program(n: int, stream: Iterable[Instruction], *letters: Letter) -> Program:
    resident = tuple(Resident(letter[0], (1,)) for letter in letters)
    return Program(name="traffic", n=n, streams=(tuple(stream),), resident=resident, results={})


def _makespan(program: Program, rows: Integers, switching: str, fields: dict[str, str]) -> int:
    on = model.load("ideal").with_settings({**TIMES, **SWITCHING[switching], **fields})
    return int(senn.timed(program, on, allocation=rows).summary["makespan"])


# ---------------------------------------------------------------------- the picture

BASE, CHANGED = style.OTHER, style.SERIES[0]


def drawn() -> Figure:
    """Bars of the makespan, a panel for each size; the line is the machine as it is."""
    spans = {
        f"n = {n}, form paper, migrating, {MACHINE}": {kind: measure(n, kind).makespan for kind in KINDS}
        for n in SIZES
    }
    *_, last = spans.values()
    first, *_ = last.values()
    most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    times = f"{last[most] / first:.2f} times as long, {least} {last[least] / first:.2f}"
    finding = f"At n = {SIZES[-1]}, {most} takes {times}"
    return bars.panels(spans, [BASE, *[CHANGED] * (len(KINDS) - 1)], " {:+.1f} %", finding)


DATA: Tables = {"kinds": kinds, "at-home": at_home, "traffic": traffic}
FIGURES: Figures = {"channels": drawn}
