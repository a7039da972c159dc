"""The tables, verdicts and pictures of yang_wu_pan.md, some minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import star, variants
from senn.algorithms.programs.free import hybrid, mass_matrix_inversion
from senn.base import files
from senn.machine import model
from senn.machine.model import Machine
from senn.machine.program import Program
from senn.traces.pictures import plots, style

MACHINE = "k40c"
SIZES = (10, 20, 50, 100, 200, 500, 1000)
GROUPS = (1, 10, 100, 241, 1000, 10_000)
FEW, MANY = 10, 200  # links of the robots of Figs. 3(a) and 3(b)
CFA, CFA_2, ABIA, JSIIA, STAR = "CFA", "CFA, two arrays", "hybrid ABIA", "JSIIA", "star"
PROGRAMS: dict[str, Callable[[int], Program]] = {
    CFA: lambda n: variants.open_chain(n, arrays=1),
    CFA_2: variants.open_chain,
    ABIA: hybrid.program,
    JSIIA: mass_matrix_inversion.program,
    STAR: partial(star.program, contact=ContactShape("I", 0), arrays=1),
}
THREE = (CFA, ABIA, JSIIA)
BOTTLENECK = {ABIA: r"^III\.[34]", JSIIA: r"^IV\."}
"""Steps of the articulated inertias, and of the elimination."""
VARIED = {"timing.flop": ("5", "22"), "timing.startup": ("15", "240"), "timing.word": ("1", "8")}
"""What nobody could confirm about the machine, from half or a quarter of the figure to its double or more."""

UNITS, MOST_ARRAYS, MOST_NODES, WARP = 15, 16, 2048, 32
"""The Tesla K40c, by NVIDIA for compute capability 3.5: its multiprocessors, and their blocks and threads at
once, which are taken in warps. An array is a block, a node a thread."""
ISSUE = 64
"""Operations in double precision that a multiprocessor begins in a cycle."""

# ------------------------------------------------------------------------------ measuring


class Time(NamedTuple):
    """One robot, alone: cycles until all accelerations are there, and those of the bottleneck."""

    makespan: int
    bottleneck: int


@cache
def measured(name: str, n: int, settings: tuple[tuple[str, str], ...] = ()) -> Time:
    """Timing only, for revolute joints, data at home: all nodes of the network are neighbours."""
    run = senn.timed(made(name, n), loaded(settings), "home", detail="instructions")
    own = run.trace.instructions.filter(pl.col("step").str.contains(BOTTLENECK.get(name, "never")))
    span = own["end"].max() - own["issue"].min() if own.height else 0  # type: ignore[operator]
    return Time(run.summary["makespan"], int(span))


@cache
def loaded(settings: tuple[tuple[str, str], ...] = ()) -> Machine:
    return model.load(MACHINE).with_settings(dict(settings))


def microseconds(cycles: int) -> float:
    return float(cycles / loaded().clock_mhz)


@cache
def made(name: str, n: int) -> Program:
    return PROGRAMS[name](n)


def places(nodes: int) -> int:
    """Threads that an array occupies, in whole warps."""
    return -(-nodes // WARP) * WARP


def waves(arrays: int, nodes: int) -> int:
    """Rounds in which so many arrays work on all multiprocessors."""
    return -(-arrays // (UNITS * min(MOST_ARRAYS, MOST_NODES // places(nodes))))


def operation(cycles: int, nodes: int, arrays: int) -> int:
    """Cycles from an operation of all nodes of so many arrays to the next, at least `cycles`."""
    return max(cycles, -(-places(nodes) * arrays // ISSUE))


def of_groups(name: str, n: int, groups: int) -> int:
    """Cycles until so many robots are done, in waves of as many arrays as the units have room for.

    An operation takes longer where more nodes of a unit execute it than it begins in a cycle. The memory of
    the card has what the nodes hold.
    """
    arrays = groups * made(name, n).arrays
    resident = min(MOST_ARRAYS, MOST_NODES // places(n), -(-arrays // UNITS))
    usual = int(loaded().timing.multiply)
    flop = operation(usual, n, resident)
    time = measured(name, n, (("timing.flop", str(flop)),) if flop != usual else ())
    return waves(arrays, n) * time.makespan


# ------------------------------------------------------------------------------- verdicts


TRENDS = files.toml(Path(__file__).with_suffix(".toml"))["trend"]


def of_trends() -> Iterator[str]:
    """What the paper says of a figure, the rule by which it comes out, what was measured, and the verdict;
    nothing of the last two is written by hand."""
    yield from head("Fig.", "Yang, Wu and Pan", "comes out if", "measured", "verdict")
    sizes = {"first": SIZES[0], "last": SIZES[-1], "few": FEW, "many": MANY}
    for trend, (found, holds) in zip(TRENDS, (*_alone(), *_together()), strict=True):
        texts = (trend[key].format(**sizes) for key in ("figure", "says", "rule"))
        yield row(*texts, found, "comes out" if holds else "**does not**")


def _alone() -> Iterator[tuple[str, bool]]:
    """What was measured of one robot, and whether the trend comes out."""
    *_, before, last = SIZES
    first, others = SIZES[0], (ABIA, JSIIA)
    alone = {(name, n): measured(name, n).makespan for name, n in product(THREE, SIZES)}
    slower = [alone[CFA, first] / alone[name, first] for name in others]
    yield f"{_ratios(slower)} times that of {' and '.join(others)}", min(slower) > 1
    wins = [n for n in SIZES if all(alone[CFA, n] < alone[name, n] for name in others)]
    ahead = _ratios(alone[name, last] / alone[CFA, last] for name in others)
    shortest = ", ".join(f"{n:,}" for n in wins) or "no size"
    behind = f"at {last} links {' and '.join(others)} take {ahead} times as long"
    yield f"shortest at {shortest}; {behind}", last in wins
    growth = {name: alone[name, last] / alone[name, first] for name in THREE}
    slowest = all(growth[CFA] < growth[name] for name in others)
    yield ", ".join(f"{name} {growth[name]:,.3g}" for name in THREE), slowest
    shares = {name: measured(name, last).bottleneck / alone[name, last] for name in others}
    yield ", ".join(f"{name} {100 * shares[name]:.0f} %" for name in others), min(shares.values()) > 0.5
    power = log(alone[JSIIA, last] / alone[JSIIA, before]) / log(last / before)
    yield f"power {power:.2f}", abs(power - 3) < 0.5


def _together() -> Iterator[tuple[str, bool]]:
    """The same of many robots."""

    def over(name: str, other: str, n: int, groups: Sequence[int]) -> list[float]:
        """How many times as long one takes as the other."""
        return [of_groups(name, n, g) / of_groups(other, n, g) for g in groups]

    many = [g for g in GROUPS if g > 100]
    near, behind, beyond = (over(x, y, FEW, many) for x, y in ((JSIIA, CFA), (ABIA, CFA), (ABIA, JSIIA)))
    yield f"JSIIA takes {_ratios(near)} times as long", all(1 / 1.5 < ratio < 1.5 for ratio in near)
    slower = f"ABIA takes {_ratios(behind)} times as long as CFA, {_ratios(beyond)} times as long as JSIIA"
    yield slower, min(*behind, *beyond) > 1
    hybrid, inverted = (over(name, CFA, MANY, GROUPS) for name in (ABIA, JSIIA))
    yield f"ABIA takes {_ratios(hybrid)} times as long", min(*hybrid, *inverted) > 1
    worst = min(*inverted, *over(JSIIA, ABIA, MANY, GROUPS)) > 1
    yield f"JSIIA takes {_ratios(inverted)} times as long as CFA", worst


def _ratios(values: Iterable[float]) -> str:
    """All of them where they differ, in three digits."""
    return " and ".join(dict.fromkeys(f"{value:.3g}" for value in values))


# --------------------------------------------------------------------------------- tables


def of_sizes(sizes: Sequence[int]) -> Iterator[str]:
    """Fig. 2: microseconds of one robot; what the hybrid takes but for its recursion, and how long that may
    last for each link if the hybrid is to be as fast as CFA."""
    yield from head("links", *PROGRAMS, f"{ABIA} but for the recursion", f"as fast as {CFA}, a link")
    for n in sizes:
        times = {name: measured(name, n) for name in PROGRAMS}
        cells = [times[name].makespan for name in PROGRAMS]
        rest = times[ABIA].makespan - times[ABIA].bottleneck
        left = microseconds(times[CFA].makespan - rest) / n
        yield row(n, *(f"{microseconds(cell):,.1f}" for cell in (*cells, rest)), f"{left:.2f}")


def of_many(n: int, groups: Sequence[int]) -> Iterator[str]:
    """Fig. 3: microseconds of many robots, and the waves of their arrays."""
    yield from head("robots", "waves", *PROGRAMS)
    for g in groups:
        rounds = sorted({waves(g * made(name, n).arrays, n) for name in PROGRAMS})
        cells = (microseconds(of_groups(name, n, g)) for name in PROGRAMS)
        yield row(f"{g:,}", " or ".join(map(str, rounds)), *(f"{cell:,.0f}" for cell in cells))


def of_settings() -> Iterator[str]:
    """Microseconds of one robot where a figure that is assumed is another."""
    heads = [f"{name}, {n} links" for n in (FEW, MANY) for name in THREE]
    yield from head("setting", *heads)
    for settings in [(), *(((key, value),) for key, values in VARIED.items() for value in values)]:
        cells = [measured(name, n, settings).makespan for n in (FEW, MANY) for name in THREE]
        said = ", ".join(f"`{key}={value}`" for key, value in settings) or f"`{MACHINE}`"
        yield row(said, *(f"{microseconds(cell):,.0f}" for cell in cells))


# --------------------------------------------------------------------------------- pictures


def over_links(sizes: Sequence[int]) -> Axes:
    rows = [
        {"links": n, "algorithm": name, "microseconds": microseconds(measured(name, n).makespan)}
        for name in PROGRAMS
        for n in sizes
    ]
    caption = f"one robot, {MACHINE}: microseconds over the number of links (Fig. 2)"
    return plots.comparison(pl.DataFrame(rows), "links", "microseconds", ["algorithm"], caption=caption)


def over_groups(n: int, groups: Sequence[int]) -> Axes:
    """Stairs, since robots come in waves; marks where the table has them."""
    letter = "a" if n == FEW else "b"
    ax = style.axes(None, 9.0, 5.6)
    robots = np.unique(np.geomspace(1, groups[-1], 400).astype(int).tolist() + list(groups))
    entries: list[style.Entry] = []
    for name, (color, marker) in zip(PROGRAMS, style.LOOKS[1:], strict=False):
        times = np.array([microseconds(of_groups(name, n, int(g))) for g in robots])
        look: dict[str, Any] = {"color": color, "marker": marker}
        ax.plot(robots, times, color=color, drawstyle="steps-post")
        ax.plot(groups, times[np.searchsorted(robots, groups)], linestyle="none", **look)
        entries.append(Line2D([], [], label=name, **look))
    ax.set(xscale="log", yscale="log")
    shown = FixedLocator([g for g in groups if g - 1 not in groups])
    for axis, locator in ((ax.xaxis, shown), (ax.yaxis, LogLocator(subs=(1.0, 2.0, 5.0)))):
        axis.set(major_locator=locator, minor_locator=NullLocator(), major_formatter="{x:,.0f}")
    ax.set_xlabel(f"robots of {n} links, of all of which the accelerations are computed")
    ax.set_ylabel("microseconds")
    ax.grid(axis="y")
    best = [min(PROGRAMS, key=lambda name, of=g: of_groups(name, n, of)) for g in (groups[0], groups[-1])]
    many = "and" if best[0] == best[1] else f"and {best[1]}"
    finding = f"{n} links: {best[0]} is fastest for one robot {many} for {groups[-1]:,}"
    style.headed(ax, finding, entries, f"{MACHINE}, as Fig. 3({letter})")
    return ax


DATA: Tables = {
    "verdicts": of_trends,
    "links": partial(of_sizes, SIZES),
    "few": partial(of_many, FEW, GROUPS),
    "many": partial(of_many, MANY, GROUPS),
    "settings": of_settings,
}
FIGURES: Figures = {
    "yang-wu-pan-links": partial(over_links, SIZES),
    "yang-wu-pan-few": partial(over_groups, FEW, GROUPS),
    "yang-wu-pan-many": partial(over_groups, MANY, GROUPS),
}
