"""The tables and the picture of real_time.md: which machine simulates which arm in real time.

Points are those of the frontier: a node for each link, or blocks of links on fewer, also at the bounds of
unverified figures. One node has all data and needs no Lambda^-1. A minute on two cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from docs.make.frontier import BLOCKS, LESS, ONE_NODE, PROGRAMS, Point, machines, point
from docs.make.page import Figures, Tables, head, row
from senn.experiments.measuring import MachineName, VariedMachine, machine
from senn.traces.pictures import style

MACHINES = ("t800", "mark3", "ipsc860", "ipsc860-long", "maspar", "fijany", "raw", "cluster")
"""Those of 1993, the design, and two that came later."""
SIZES = (*range(2, 18), 25, 32, 33, 64, 65, 128)
"""All small arms, station25, and the first and last of as many levels: makespans hardly differ between."""
ARMS = {"SSRMS": 7, "station25": 25}
BUDGETS = {f"{ms} ms, {label}": Fraction(ms, k) for ms in (10, 1) for label, k in (("RK4", 4), ("one", 1))}
"""Milliseconds for an evaluation in real time, of a step with four and with one."""
WAYS = ("many", "one")
"""Nodes."""


@cache
def points() -> dict[tuple[str, int], list[Point]]:
    """Of every program on every machine, by nodes and n."""
    cases = [(name, n, 1 << (n - 1).bit_length()) for n in SIZES for name in PROGRAMS]
    cases += [(name, n, 2**k) for n in SIZES for name in BLOCKS for k in range(1, n.bit_length() - 1)]
    with ProcessPoolExecutor(2) as pool:
        several = list(pool.map(point, *zip(*cases, strict=True), [MACHINES] * len(cases)))
    many = {("many", n): [x for x in several if x.n == n] for n in SIZES}
    return many | {("one", n): [point(ONE_NODE + LESS, n, 1, MACHINES)] for n in range(2, SIZES[-1] + 1)}


def milliseconds(name: str, x: Point, on: MachineName) -> Fraction:
    """Of an evaluation, on the machine or at a corner of it."""
    return x.cycles[on] / machine(name).clock_mhz / 1000


@cache
def evaluation(name: str, way: str, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """Milliseconds by the values, at the slowest and at the fastest corner; at each the quickest program."""
    corners = (x for x in machines(2, MACHINES) if isinstance(x, VariedMachine) and x.base == name)
    times = [min(milliseconds(name, x, on) for x in points()[way, n]) for on in (name, *corners)]
    return times[0], max(times), min(times)


def digits(number: Fraction) -> str:
    """Three of them."""
    return f"{float(f'{float(number):.3g}'):,g}"


def bounded(value: str, low: str, high: str) -> str:
    """With its bounds, if there are any."""
    return value if low == high else f"{value} ({low} to {high})"


def largest(name: str, way: str, budget: Fraction, bound: int) -> str:
    """Links of the largest arm in real time; "17-24" if no arm between was tried, 0 if not even two links."""
    sizes = [n for nodes, n in points() if nodes == way]
    last = max((n for n in sizes if evaluation(name, way, n)[bound] <= budget), default=0)
    following = min((n for n in sizes if n > last), default=0)
    if not following:
        return f"{last}+"
    return f"{last}-{following - 1}" if 0 < last < following - 1 else str(last)


def programs() -> Iterator[str]:
    """The factor of every program on every machine, 10 ms with RK4."""
    yield from head("program", "n", "nodes", *MACHINES)
    budget = BUDGETS["10 ms, RK4"]
    for x in (x for way in WAYS for n in SIZES for x in points()[way, n]):
        yield row(x.program, x.n, x.nodes, *(digits(budget / milliseconds(k, x, k)) for k in MACHINES))


def factors() -> Iterator[str]:
    """Of the quickest program, with bounds: milliseconds of an evaluation, and factors."""
    yield from head("machine", "way", "n", "nodes", "quickest", "ms", *BUDGETS)
    for name, way, n in ((name, way, n) for name in MACHINES for way in WAYS for n in SIZES):
        best = min(points()[way, n], key=lambda x: x.cycles[name])
        value, slow, fast = evaluation(name, way, n)
        cells = [bounded(*(digits(x / y) for y in (value, slow, fast))) for x in BUDGETS.values()]
        yield row(name, way, n, best.nodes, best.program, bounded(*map(digits, (value, fast, slow))), *cells)


def limits() -> Iterator[str]:
    """The largest arms in real time, with bounds."""
    yield from head("machine", "way", *BUDGETS)
    for name, way in ((name, way) for name in MACHINES for way in WAYS):
        cells = (bounded(*(largest(name, way, x, k) for k in range(3))) for x in BUDGETS.values())
        yield row(name, way, *cells)


def drawn() -> Figure:
    """The largest arm in real time over the step of RK4, machine by machine."""
    figure, panels = pyplot.subplots(2, 4, figsize=(12, 7.2), sharex=True, sharey=True, layout="constrained")
    for ax, name in zip(panels.flat, MACHINES, strict=True):
        _draw(ax, name)
    for ax, (arm, n) in ((ax, arm) for ax in panels[:, -1] for arm in ARMS.items()):
        ax.text(1.02, n, arm, transform=ax.get_yaxis_transform(), va="center", fontsize=style.SMALL)
    figure.supxlabel("step of RK4, ms; with one evaluation a step, a quarter of it", fontsize=12)
    figure.supylabel("links of the largest arm in real time", fontsize=12)
    legend = "lines: makespans; bands: unverified figures; dashed: steps of 1 and 10 ms"
    marks = panels[0, 0].get_legend_handles_labels()
    figure.legend(*marks, loc="outside upper left", ncols=2, title=legend, alignment="left")
    return figure


def _draw(ax: Axes, name: str) -> None:
    for way, color, label in zip(WAYS, style.SERIES, ("many nodes", "one node"), strict=False):
        value, slow, fast = zip(
            *([4 * float(x) for x in evaluation(name, way, n)] for n in SIZES), strict=True
        )
        ax.fill_betweenx(SIZES, fast, slow, color=color, alpha=0.25, linewidth=0)
        ax.plot(value, SIZES, color=color, label=label)
    for n in ARMS.values():
        ax.axhline(n, color=style.OTHER, linewidth=1, linestyle=":")
    for step in (1, 10):
        ax.axvline(step, color=style.INK, linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xlim=(0.02, 3000), ylim=(SIZES[0], SIZES[-1]), title=name)
    ax.set_yscale("log", base=2)
    for axis, ticks in ((ax.xaxis, (0.1, 1, 10, 100, 1000)), (ax.yaxis, (2, 4, 8, 16, 32, 64, 128))):
        axis.set(major_locator=FixedLocator(ticks), minor_locator=NullLocator(), major_formatter="{x:g}")


DATA: Tables = {"programs": programs, "factors": factors, "limits": limits}
FIGURES: Figures = {"real_time": drawn}
