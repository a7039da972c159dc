"""The data and the picture of calibration.md: what the calibrated machine predicts, and what MPI measured.

The data are a record of the computer on which they are made, with their date; `python -m experiments
calibration --figures` draws them again. The least of many executions, as other work only adds to their times.
Four minutes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import polars as pl
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

import senn
from experiments.measuring import corners
from experiments.page import Figures, Tables, data, head, row
from senn import calibration
from senn.api.building import program_of
from senn.choices import MachineChoices, usual
from senn.machine import model, processes
from senn.machine.durations import durations
from senn.machine.engines.control import control_units
from senn.machine.engines.memory import kernel_groups
from senn.machine.program import Compute
from senn.traces.analysis import line
from senn.traces.pictures import style
from senn.traces.run import Run

PROGRAMS: dict[str, dict[str, str]] = {
    "paper": {},
    "short": {"form": "short"},
    "divide and conquer": {"algorithm": "divide-and-conquer"},
    "star": {"algorithm": "star"},
}
SIZES = (7, 16, 64)
CASES = [*((name, n, ranks) for name in PROGRAMS for n in SIZES for ranks in (1, 2)), ("paper", 16, 4)]
BATCHES, REPEAT = 3, 50
CORES = os.cpu_count() or 1


@cache
def _measured() -> tuple[calibration.Times, list[int], calibration.Times]:
    """The calibration of all cases."""
    return calibration.ping_pong(), *calibration.calls(program_of(usual(MachineChoices), 7))


@cache
def _call() -> calibration.Fit:
    return calibration.call(*_measured()[1:])


def _machine(n: int, ranks: int) -> model.Machine:
    """The machine file for blocks of n/ranks processes."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "calibrated.toml")
        figures = calibration.figures(*_measured(), n // ranks)
        file.write_text(calibration.machine_file(figures, date.today()))
        return model.load(file).with_settings({"machine.nodes": ranks})


@dataclass(frozen=True)
class Case:
    """A program on ranks: makespans in ms; us of computing of all ranks by part of the program ("I.b")."""

    predicted: tuple[float, float, float]  # value, low, high
    with_calls: float
    measured: tuple[float, float]  # least and median
    parts: list[dict[str, float]]  # predicted, with calls, measured
    load: float


@cache
def _case(program: str, n: int, ranks: int) -> Case:
    """`with_calls` are operations at what they take in a call, and the calls of the rank with the most."""
    options, on = {**PROGRAMS[program], "arrays": 1}, _machine(n, ranks)
    schedule = senn.placed(program_of(usual(MachineChoices, **options), n), on, allocation=processes.blocks)
    calls: Counter[tuple[int, int]] = Counter()  # by node and instruction
    for issue in (x for unit in control_units(schedule, on, durations(schedule, on)) for x in unit):
        if isinstance(issue.task.line.instruction, Compute):
            groups = kernel_groups(issue.task.line, issue.positions)
            calls[issue.node or 0, issue.task.serial] += len(list(groups))
    on_node = Counter(node for node, _ in calls.elements())
    in_call = on.with_settings({"timing.flop": f"{_call().slope:.3f}"})
    emulated, without = (senn.timed(schedule, x, detail="full") for x in (on, in_call))
    bounds = [senn.timed(schedule, on.varied(x)).summary["makespan"] / 1e6 for x in corners(on.intervals)]
    load = os.getloadavg()[0]
    runs = [senn.mpi(f"random:{n}:seed=1", ranks, repeat=REPEAT, **options) for _ in range(BATCHES)]
    makespans = sorted(ns / 1e6 for run in runs for ns in run.description["processes"]["makespans"])
    return Case(
        predicted=(emulated.summary["makespan"] / 1e6, min(bounds), max(bounds)),
        with_calls=(without.summary["makespan"] + max(on_node.values()) * _call().start) / 1e6,
        measured=(makespans[0], median(makespans)),
        parts=[_parts([emulated]), _parts([without], calls), _parts(runs)],
        load=load,
    )


def _parts(runs: list[Run], calls: Mapping[tuple[int, int], int] | None = None) -> dict[str, float]:
    """Time of computing of all nodes in us by part, every instruction as in the run that took it least."""
    tables = []
    for run in runs:
        steps = run.trace.instructions.select(instruction="serial", part=line(2))
        tables.append(run.trace.activities.filter(pl.col("class") == "compute").join(steps, "instruction"))
    of_all = pl.concat(tables).group_by("node", "instruction", "part")
    least = of_all.agg(ns=(pl.col("end") - pl.col("start")).min())
    parts: Counter[str] = Counter()
    for node, instruction, part, ns in least.iter_rows():
        parts[part] += (ns + _call().start * (calls or {}).get((node, instruction), 0)) / 1000
    return dict(sorted(parts.items()))


def figures() -> Iterator[str]:
    """Of nodes that work for one process; and a call, and an operation in it."""
    yield from head("date", "figure", "ns", "low", "high")
    for name, x in calibration.figures(*_measured(), 1).items():
        yield row(date.today(), name, *(f"{ns:.3g}" for ns in (x.value, x.low, x.high)))
    yield row(date.today(), "call", f"{_call().start:.4g}", "", "")
    yield row(date.today(), "operation in a call", f"{_call().slope:.3g}", "", "")


def runs() -> Iterator[str]:
    """Makespans in ms; load: processes that were ready on average before, by the system."""
    names = ("predicted", "low", "high", "with calls", "measured", "median", "load")
    yield from head("program", "n", "ranks", "more ranks than cores", *names)
    for key in CASES:
        x = _case(*key)
        times = (*x.predicted, x.with_calls, *x.measured, x.load)
        yield row(*key, "yes" if key[2] > CORES else "no", *(f"{ms:.3g}" for ms in times))


def steps() -> Iterator[str]:
    """Time of computing of all ranks, in us, where there is a core for each."""
    yield from head("program", "n", "ranks", "part", "predicted", "with calls", "measured")
    for key in (key for key in CASES if key[2] <= CORES):
        for part in _case(*key).parts[0]:
            yield row(*key, part, *(f"{times[part]:.4g}" for times in _case(*key).parts))


DATA: Tables = {"figures": figures, "runs": runs, "steps": steps}


def how_far() -> Iterator[str]:
    """Ratios of measured times over predicted ones, their median and range, of runs with a core a rank."""
    yield from head("measured / predicted", "cases", *KINDS.values())
    computing = table("steps").group_by("program", "n", "ranks").agg(pl.col(pl.Float64).sum())
    cases = {"makespan": table("runs"), "time of computing": computing}
    for name, ranks in ((name, ranks) for name in cases for ranks in ("1", "2")):
        rows = cases[name].filter(pl.col("ranks") == ranks)
        ratios = [rows["measured"] / rows[column] for column in KINDS]
        texts = (f"{median(x):.2g} ({min(x):.2g} to {max(x):.2g})" for x in ratios)
        yield row(f"{name}, {ranks} rank{'s' * (ranks != '1')}", len(rows), *texts)


TABLES: Tables = {"how far": how_far}
KINDS = {"predicted": "the machine file", "with calls": "and the cost of every call of a kernel"}


def drawn() -> Figure:
    """Makespans beside the predicted ones, and time of computing by part of the program."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 6), layout="constrained")
    for (column, label), color, shift in zip(KINDS.items(), style.SERIES, (0.15, -0.15), strict=False):
        for ranks, mark in {"1": "o", "2": "s", "4": "x"}.items():
            rows = table("runs").filter(pl.col("ranks") == ranks)
            text = f"{label}, 1 rank" if ranks == "1" else f"{ranks} ranks{' on 2 cores' * (ranks == '4')}"
            left.plot(rows[column], rows["measured"], mark, color=color, label=text, alpha=0.8)
        _ratios(right, column, color, shift)
    ends = (0.5, 15)
    left.plot(ends, ends, color=style.INK, linewidth=1)
    labels = {"xlabel": "predicted makespan, ms", "ylabel": "measured makespan, ms"}
    left.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal", **labels)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=2)
    right.axvline(1, color=style.INK, linewidth=1)
    right.set(xscale="log", xlabel="measured / predicted time of computing; line: median")
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        ticks = FixedLocator((0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50))
        axis.set(major_locator=ticks, minor_locator=NullLocator(), major_formatter="{x:g}")
    return figure


def table(name: str) -> pl.DataFrame:
    """A data file, its times as numbers."""
    names, *rows = data("calibration", name)
    times = pl.col("predicted", "with calls", "measured").cast(float)
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(times)


def _ratios(ax: Axes, column: str, color: str, shift: float) -> None:
    rows = table("steps").with_columns(ratio=pl.col("measured") / pl.col(column))
    parts = sorted(set(rows["part"]), reverse=True)
    for place, part in enumerate(parts):
        ratios = rows.filter(pl.col("part") == part)["ratio"]
        ax.plot(ratios, [place + shift] * len(ratios), ".", color=color, alpha=0.5)
        ax.plot([median(ratios)], [place + shift], "|", color=color, markersize=14, markeredgewidth=2)
    ax.set_yticks(range(len(parts)), parts)


FIGURES: Figures = {"calibration": drawn}
