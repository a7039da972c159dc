"""The tables and the picture of real_time.md: which machine simulates which arm in real time.

Points are those of the frontier: a node for each link, or fewer, also at the bounds of
unverified figures. One node has all data and needs no Lambda^-1. A minute or so on two cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import product

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from experiments.measuring import MachineName, VariedMachine, machine
from experiments.page import Figures, Tables, head, row
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, LESS, ONE_NODE, PROGRAMS, Point, machines, point
from senn.traces.pictures import style

OF_1993 = ("t800", "mark3", "ipsc860", "ipsc860-long", "maspar")
MACHINES = (*OF_1993, "fijany", "raw", "cluster")
"""With the design, and two that came later."""
SIZES = (*range(2, 18), 25, 32, 33, 64, 65, 128)
"""Links: of all small arms and station25, and the first and last of as many levels."""
ARMS = {"SSRMS": 7, "station25": 25}
BUDGETS = {f"{ms} ms, {label}": Fraction(ms, k) for ms in (10, 1) for label, k in (("RK4", 4), ("one", 1))}
"""Milliseconds for an evaluation in real time, of a step with four and with one."""
WAYS = ("many", "one")


@cache
def points() -> dict[tuple[str, int], list[Point]]:
    """Of every program on every machine, by nodes and n."""
    cases = [(name, n, 1 << (n - 1).bit_length()) for n in SIZES for name in PROGRAMS]
    cases += [(name, n, 2**k) for n in SIZES for name in BLOCKS for k in range(1, n.bit_length() - 1)]
    cases += [(BOTH_ENDS, n, 2) for n in SIZES]
    with ProcessPoolExecutor(2) as pool:
        several = list(pool.map(point, *zip(*cases, strict=True), [MACHINES] * len(cases)))
    many = {("many", n): [x for x in several if x.n == n] for n in SIZES}
    return many | {("one", n): [point(ONE_NODE + LESS, n, 1, MACHINES)] for n in range(2, SIZES[-1] + 1)}


def bounds(name: str, cycles: Mapping[MachineName, int]) -> tuple[Fraction, Fraction, Fraction]:
    """Milliseconds of a machine by its values, at its fastest and at its slowest corner."""
    corners = [k for x, k in cycles.items() if x == name or (isinstance(x, VariedMachine) and x.base == name)]
    per_ms = machine(name).clock_mhz * 1000
    return cycles[name] / per_ms, min(corners) / per_ms, max(corners) / per_ms


@cache
def evaluation(name: str, way: str, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """Milliseconds by the values, at the fastest and at the slowest corner; at each the quickest program."""
    return bounds(name, {x: min(one.cycles[x] for one in points()[way, n]) for x in machines(2, MACHINES)})


def bounded(value: Fraction | str, low: Fraction | str, high: Fraction | str) -> str:
    """With its bounds, if there are any: numbers to three digits."""
    texts = [x if isinstance(x, str) else f"{float(f'{float(x):.3g}'):,g}" for x in (value, low, high)]
    return texts[0] if texts[1] == texts[2] else f"{texts[0]} ({texts[1]} to {texts[2]})"


def largest(name: str, way: str, budget: Fraction, bound: int) -> str:
    """Links of the largest arm in real time; "17-24" if no arm between was tried, 0 if not even two links."""
    sizes = [n for nodes, n in points() if nodes == way]
    last = max((n for n in sizes if evaluation(name, way, n)[bound] <= budget), default=0)
    before_next = min((n for n in sizes if n > last), default=0) - 1
    return f"{last}+" if before_next < 0 else f"{last}-{before_next}" if 0 < last < before_next else f"{last}"


def programs() -> Iterator[str]:
    """The factor of every program on every machine, 10 ms with RK4."""
    yield from head("program", "n", "nodes", *MACHINES)
    for x in (x for key in product(WAYS, SIZES) for x in points()[key]):
        values = (BUDGETS["10 ms, RK4"] * 1000 * machine(k).clock_mhz / x.cycles[k] for k in MACHINES)
        yield row(x.program, x.n, x.nodes, *(bounded(x, x, x) for x in values))


def factors() -> Iterator[str]:
    """Of the quickest program, with bounds: milliseconds of an evaluation, and factors."""
    yield from head("machine", "way", "n", "nodes", "quickest", "ms", *BUDGETS)
    for name, way, n in product(MACHINES, WAYS, SIZES):
        best = min(points()[way, n], key=lambda x: x.cycles[name])
        value, fast, slow = evaluation(name, way, n)
        cells = [bounded(x / value, x / slow, x / fast) for x in BUDGETS.values()]
        yield row(name, way, n, best.nodes, best.program, bounded(value, fast, slow), *cells)


def limits() -> Iterator[str]:
    """The largest arms in real time, with bounds."""
    yield from head("machine", "way", *BUDGETS)
    for name, way in product(MACHINES, WAYS):
        cells = (bounded(*(largest(name, way, x, k) for k in (0, 2, 1))) for x in BUDGETS.values())
        yield row(name, way, *cells)


def drawn() -> Figure:
    """The largest arm in real time over the step of RK4, machine by machine."""
    figure, panels = pyplot.subplots(2, 4, figsize=(12, 7.2), sharex=True, sharey=True, layout="constrained")
    for ax, name in zip(panels.flat, MACHINES, strict=True):
        _draw(ax, name)
    label = """step of RK4, ms; with one evaluation a step a quarter of it, with both projections 1.5 times
lines: makespans; bands: unverified figures; dashed: steps of 1 and 10 ms"""
    figure.supxlabel(label, fontsize=12)
    figure.supylabel("links of the largest arm in real time", fontsize=12)
    capable = [k for k in OF_1993 if evaluation(k, "one", ARMS["SSRMS"])[0] <= BUDGETS["10 ms, RK4"]]
    title = f"At 10 ms with RK4 one node of {', '.join(capable)} simulates the SSRMS in real time"
    marks = panels[0, 0].get_legend_handles_labels()
    legend = figure.legend(*marks, loc="outside upper left", ncols=2, title=title, alignment="left")
    legend.get_title().set(weight="bold", size=13)
    return figure


def _draw(ax: Axes, name: str) -> None:
    for way, color, label in zip(WAYS, style.SERIES, ("many nodes", "one node"), strict=False):
        times = [evaluation(name, way, n) for n in SIZES]
        value, fast, slow = ([4 * float(x[k]) for x in times] for k in range(3))
        ax.fill_betweenx(SIZES, fast, slow, color=color, alpha=0.25, linewidth=0)
        ax.plot(value, SIZES, color=color, label=label)
    for arm, n in ARMS.items():
        ax.axhline(n, color=style.OTHER, linewidth=1, linestyle=":")
        if ax.get_subplotspec().is_last_col():
            ax.text(1.02, n, arm, transform=ax.get_yaxis_transform(), va="center", fontsize=style.SMALL)
    for step in (1, 10):
        ax.axvline(step, color=style.INK, linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xlim=(0.02, 3000), ylim=(SIZES[0], SIZES[-1]), title=name)
    ax.set_yscale("log", base=2)
    for axis, ticks in ((ax.xaxis, (0.1, 1, 10, 100, 1000)), (ax.yaxis, (2, 4, 8, 16, 32, 64, 128))):
        axis.set(major_locator=FixedLocator(ticks), minor_locator=NullLocator(), major_formatter="{x:,g}")


DATA: Tables = {"programs": programs, "factors": factors, "limits": limits}
FIGURES: Figures = {"real_time": drawn}
