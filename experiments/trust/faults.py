"""Data and picture of faults.md: every message of every program at n = 8, one fault in a run.

Two processes of their own, about three minutes on two cores.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import polars as pl
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import senn
from experiments.page import Figures, Tables, head, row, titled
from experiments.trust.flips import delayed
from experiments.trust.injection import BITS, faults
from senn.api.states import Placed
from senn.machine import engines
from senn.machine.model import Machine
from senn.machine.network.named import senn as network
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.traces.pictures import style
from senn.traces.record import joined

N, LATE = 8, 100
OTHER = "star, other arm"
"""Robustness: in no sum."""
PROGRAMS: Mapping[str, dict[str, Any]] = {
    **{form: {"form": form} for form in ("paper", "short", "omega")},
    **{
        name: {"algorithm": name}
        for name in (
            *("divide-and-conquer", "star", "star-together", "gather-and-solve", "gather-solve-scatter"),
            "hybrid",  # the tip free
        )
    },
    OTHER: {"algorithm": "star", "seed": 1},
}
OUTCOMES = ("masked", "certified", "refused", "silent")
CHECKS = ("motion", "contact", "wrenches", "copies")
KINDS = {
    "masked": ("#FFFFFF", "the same to the bit"),
    "certified": (style.GRID, "six digits or more"),
    "refused": (style.mixed(style.HIDDEN, 0.25), "refused: the residuals suffice"),
    "wrenches": (style.COLORS[1], "refused, but passes the residuals: joint wrenches"),
    "reference": (style.COLORS[3], "refused, but passes all checks without a reference"),
    "silent": (style.EXPOSED, "silent: a copy of an answer"),
}
BRIDGES = ("exchange:0-1", "exchange:6-7")
"""Wires without which a node is cut off: the makespan is that without the node."""
WIDTH = 0.92


class Measured(NamedTuple):
    """A program: its faults counted, and its cycles."""

    flips: pl.DataFrame
    """By step, level, bit, outcome and check: `len`, `error`; and by step and level: messages, words."""
    makespan: int
    late: tuple[int, ...]  # by message, cycles added to the makespan
    channels: tuple[int, int]  # used, of all
    without: Mapping[str, int]  # makespans, by wire ("exchange:0-1") or node ("0") that is left out


def measured(name: str) -> Measured:
    """All faults of a program, and runs without a wire and without a node."""
    words = dict(PROGRAMS[name])
    arm = senn.problem(f"random:{N}", seed=words.pop("seed", 0))
    table = faults(arm, **words)
    by = ("step", "level")
    sizes = table.group_by(by).agg(messages=pl.col("message").n_unique(), words=pl.len() // len(BITS))
    counts = table.group_by(*by, "bit", "outcome", "check", maintain_order=True).agg(
        pl.len(), error=pl.col("error").max()
    )
    at = Placed(arm, words)  # type: ignore[arg-type]
    schedule, machine, makespan = at.schedule, at.machine, at.timing.summary["makespan"]
    late = [delayed(schedule, machine, k, LATE) - makespan for k in range(len(schedule.messages))]
    wires = {wire: tuple(map(int, wire.split(":")[1].split("-"))) for wire in sorted(set(network(N).wire))}
    left = {dead: [ends for wire, ends in wires.items() if wire != dead] for dead in wires}
    left |= {str(node): [ends for ends in wires.values() if node not in ends] for node in range(N)}
    without = {dead: _rerouted(schedule.program, machine, some) for dead, some in left.items()}
    used = len(np.unique(schedule.messages.paths.channels)), len(schedule.wiring)
    flips = counts.pipe(joined, sizes, on=by, nulls=True)
    return Measured(flips, makespan, tuple(late), used, without)


def _rerouted(program: Program, machine: Machine, wires: list[tuple[int, ...]]) -> int:
    """Makespan on what these wires hold together; another node has the process of each that is cut off."""
    nodes = sorted(max(nx.connected_components(nx.Graph(wires)), key=len))
    number = {node: k for k, node in enumerate(nodes)}
    lost = [node for node in range(N) if node not in number]
    table = np.array(allocation.named("identity", N, "migrating"))
    ends = {tuple(sorted((number[a], number[b]))) for a, b in wires if a in number}  # of parallel wires one
    makespans = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wires.edges"
        file.write_text("".join(f"{a} {b}\n{b} {a}\n" for a, b in sorted(ends)), encoding="utf-8")
        reduced = machine.with_settings({"machine.network": str(file)})
        for heirs in product(number.values(), repeat=len(lost)):
            places = number | dict(zip(lost, heirs, strict=True))
            placed = place(program, np.vectorize(places.get)(table), reduced)
            makespans.append(engines.makespan(placed, reduced))
    return min(makespans)


@cache
def measures() -> dict[str, Measured]:
    """By program, in processes that have not started the threads of Polars."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        return dict(zip(PROGRAMS, pool.map(measured, PROGRAMS), strict=True))


def _count(table: pl.DataFrame, **equal: Any) -> int:
    return int(table.filter(**equal)["len"].sum())


def outcomes() -> Iterator[str]:
    """Bits inverted, by program, and by bit."""
    yield from head("program", "messages", "bits inverted", *OUTCOMES)
    tables = {name: x.flips for name, x in measures().items()}
    sums = pl.concat([x for name, x in tables.items() if name != OTHER])
    tables |= {f"all, {kind} (bit {bit})": sums.filter(bit=bit) for kind, bit in BITS.items()}
    for name, table in tables.items():
        sent = f"{len(measures()[name].late):,}" if name in PROGRAMS else ""
        yield row(name, sent, table["len"].sum(), *(_count(table, outcome=x) for x in OUTCOMES))


def checks() -> Iterator[str]:
    """Wrong answers and copies that stay silent if these checks alone are made, one more in each column."""
    titles = [" + ".join(CHECKS[:1]), *(f"+ {check}" for check in CHECKS[1:])]
    yield from head("program", "refused or silent", *titles, "largest error of these")
    for name, x in measures().items():
        wrong = x.flips.filter(pl.col("outcome").is_in(["refused", "silent"]))
        noticed = np.cumsum([_count(wrong, check=check) for check in ("number", *CHECKS)])
        total = wrong["len"].sum()
        passing = wrong.filter(check="")["error"]
        yield row(name, total, *(total - noticed[1:]), f"{passing.max():.0e}" if len(passing) else "")


def times() -> Iterator[str]:
    """Late messages, dead wires and dead nodes."""
    titles = "a wire dead, not 0-1 or 6-7", "a node dead"
    yield from head("program", "makespan", "messages without slack", "most", "channels used", *titles)
    for name, x in measures().items():
        late, (used, every) = np.array(x.late), x.channels
        wires = [cycles for dead, cycles in x.without.items() if "-" in dead and dead not in BRIDGES]
        nodes = [cycles for dead, cycles in x.without.items() if "-" not in dead]
        yield row(
            *(name, f"{x.makespan:,}", f"{(late > 0).mean():.0%}", f"+{late.max()}", f"{used} of {every}"),
            *(f"{min(y) / x.makespan:.2f} to {max(y) / x.makespan:.2f}" for y in (wires, nodes)),
        )


def makespans() -> Iterator[str]:
    """Makespan of each program without each wire, and without each node."""
    yield from head("program", "dead", "name", "makespan")
    for name, x in measures().items():
        yield row(name, "", "", x.makespan)
        for dead, cycles in x.without.items():
            yield row(name, "wire" if "-" in dead else "node", dead, cycles)


def steps() -> Iterator[str]:
    """Outcomes by program, step, level and bit."""
    yield from head("program", "step", "level", "messages", "words", "bit", *OUTCOMES, *CHECKS)
    for name, x in measures().items():
        for (step, level, bit), some in x.flips.group_by("step", "level", "bit", maintain_order=True):
            sizes = some["messages"][0], some["words"][0]
            counts = [_count(some, outcome=o) for o in OUTCOMES] + [_count(some, check=c) for c in CHECKS]
            yield row(name, step, "" if level is None else level, *sizes, bit, *counts)


def drawn() -> Figure:
    """A panel for each program: a bar for each section of its steps and level, all bits together."""
    figure, panels = pyplot.subplots(3, 3, figsize=(13.0, 11.0), layout="constrained")
    for ax, (name, x) in zip(panels.flat, measures().items(), strict=False):
        _panel(ax, name, x.flips)
    handles = [style.patch(label, facecolor=color, edgecolor=style.OTHER) for color, label in KINDS.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    title = "No answer with fewer than six digits passes the certificate; wrong copies of answers do"
    titled(figure, title)
    return figure


def _panel(ax: Axes, name: str, flips: pl.DataFrame) -> None:
    """Sections from top to bottom, levels from left to right; what has no level is in the first column."""
    kinds = flips.with_columns(
        section=pl.col("step").str.extract(r"^([^.]+(\.[^.]+)?)"),
        kind=pl.when(outcome="refused", check="wrenches")
        .then(pl.lit("wrenches"))
        .when(outcome="refused", check="")
        .then(pl.lit("reference"))
        .otherwise("outcome"),
    )
    names = sorted(kinds["section"].unique())
    for (part, level), some in kinds.group_by("section", "level"):
        at, left = names.index(part), float(level or 0)
        widths = [WIDTH * _count(some, kind=kind) / some["len"].sum() for kind in KINDS]
        starts = left + np.cumsum([0.0, *widths[:-1]])
        ax.barh(at, widths, 0.72, starts, color=[color for color, _ in KINDS.values()])
        ax.barh(at, WIDTH, 0.72, left, facecolor="none", edgecolor=style.OTHER, linewidth=0.7)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(len(names), 7) - 0.4, -0.6)
    ax.set_xlim(-0.05, 4)
    ax.set_xticks([k + WIDTH / 2 for k in range(4)], ["no level", "level 1", "2", "3"])
    ax.tick_params(length=0)
    ax.set_title(name)


DATA: Tables = {f.__name__: f for f in (outcomes, checks, times, steps, makespans)}
FIGURES: Figures = {"faults": drawn}
