"""The table and the picture of control.md: which machine closes the control loop of the Space Station arm.

The delay is the makespan of the quickest program with Lambda^-1 for seven links and a welded tip, those of
the frontier; in brackets the bounds of unverified figures. On one node also the law alone, which needs no
joint accelerations and no contact force.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from experiments.measuring import MachineName, fastest, machine
from experiments.page import Figures, Tables, head, row
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, ONE_NODE, PROGRAMS, machines, point
from experiments.paper.real_time import MACHINES, OF_1993, bounded, bounds
from experiments.robot import control_law
from experiments.robot.control_loop import Wanted, control
from senn.algorithms.catalogue import algorithm
from senn.algorithms.programs import operational_space
from senn.algorithms.programs.free import inverse_dynamics
from senn.machine.program import Program
from senn.traces.pictures import style

LINKS, NODES = 7, 8
ZETA = 1.0
SAMPLE, STEP = 1.0, control_law.Gains(20 * np.pi, ZETA, 0.0)
"""The loop of the table: samples of 1 ms, or as often as the machine can, and 10 Hz."""
WAYS = ("many", "one")
EXECUTED = {
    "form paper": {},
    "short, outward": {"form": "short", "motion": "outward", "residency": "home"},
    "one node, mass matrix": {"algorithm": "forward-by-mass-matrix"},
}


@cache
def quickest(way: str) -> dict[MachineName, tuple[str, int]]:
    """The quickest program with Lambda^-1, and its cycles, on each machine and at each corner of it."""
    if way == "one":
        return {x: (ONE_NODE, cycles) for x, cycles in point(ONE_NODE, LINKS, 1, MACHINES).cycles.items()}
    points = [point(name, LINKS, NODES, MACHINES) for name in PROGRAMS]
    points += [point(name, LINKS, 2, MACHINES) for name in (*BLOCKS, BOTH_ENDS)]
    best = {x: min(points, key=lambda program: program.cycles[x]) for x in points[0].cycles}
    return {x: (program.program, program.cycles[x]) for x, program in best.items()}


@cache
def about(way: str) -> dict[MachineName, int]:
    """Cycles of inverse dynamics, the quickest; of one node serially."""
    if way == "one":
        count = algorithm("inverse-dynamics-newton-euler").operations
        assert count is not None  # it is serial
        return {x: at.compute_cycles(*count(LINKS)) for x, at in machines(LINKS, MACHINES).items()}
    return timed([inverse_dynamics.program(LINKS, motion=x) for x in ("recurrences", "jets")])


@cache
def inverse() -> dict[MachineName, int]:
    """Cycles of Lambda^-1 alone, form short."""
    return timed([operational_space.program(LINKS, form="short", elimination=x) for x in ("oee", "oer")])


def timed(programs: list[Program]) -> dict[MachineName, int]:
    """Cycles of the quickest of these programs, at home or migrating."""
    on = {x: at.with_settings({"machine.nodes": NODES}) for x, at in machines(LINKS, MACHINES).items()}
    several = [fastest(program, on) for program in programs]
    return {x: min(times[x][0] for times in several) for x in on}


def alone(name: str) -> tuple[Fraction, Fraction, Fraction]:
    """Milliseconds of all torques on one node, with no more than the law needs; at both corners."""
    operations = control_law.law_operations(LINKS)
    return bounds(name, {x: at.compute_cycles(*operations) for x, at in machines(LINKS, MACHINES).items()})


def delays(name: str, way: str, *, whole: bool = False) -> tuple[Fraction, Fraction, Fraction]:
    """Milliseconds by the values, at the fastest and at the slowest corner; `whole` has tau_0 and J'Phi."""
    return bounds(name, {x: load + 2 * whole * about(way)[x] for x, (_, load) in quickest(way).items()})


def bandwidth(delay: Fraction) -> Fraction:
    """Hz: the largest that is stable where the sample period is the delay (ms)."""
    return Fraction(500 * control_law.stability_limit(ZETA, 1.0) / np.pi) / delay


def loops() -> Iterator[str]:
    """A row for each machine, and many nodes or one."""
    titles = ("delay, ms", "with tau_0 and J'Phi, ms", "Lambda^-1 alone, ms", "the law alone, ms")
    yield from head("machine", "nodes", "quickest", *titles, "largest bandwidth, Hz", "10 Hz: radius")
    for name, way in product(MACHINES, WAYS):
        delay, fast, slow = delays(name, way)
        radius = control_law.spectral_radius(STEP, max(SAMPLE, float(delay)) / 1e3, float(delay) / 1e3)
        least = inverse()[name] / (machine(name).clock_mhz * 1000)
        yield row(
            *(name, way, quickest(way)[name][0]),
            bounded(delay, fast, slow),
            bounded(*delays(name, way, whole=True)),
            bounded(least, least, least) if way == "many" else "",
            bounded(*alone(name)) if way == "one" else "",
            *(bounded(*map(bandwidth, (delay, slow, fast))), f"{radius:.3g}"),
        )


def limits() -> Iterator[str]:
    """Stability limits of the linear loop: omega T."""
    yield from head("delay", "zeta = 0.5", "zeta = 1", "zeta = 2")
    for label, share in (("0", 0.0), ("T / 4", 0.25), ("T / 2", 0.5), ("T", 1.0)):
        yield row(label, *(f"{control_law.stability_limit(zeta, share):.4f}" for zeta in (0.5, 1.0, 2.0)))


def arm() -> Iterator[str]:
    """A step of 1 mm at 10 Hz by the arm itself, on a plane, with programs that are executed."""
    errors = ("largest error after 50 ms, mm", "from the recursion, um")
    yield from head("machine", "program", "delay, ms", "radius", *errors, "torque, kN m")
    step = Wanted(move=1e-3, rise=0.0, push=0.0, sample=SAMPLE / 1e3, bandwidth=10.0, until=0.1)
    for name, (label, program) in product(("fijany", "ipsc860", "mark3", "t800"), EXECUTED.items()):
        motion = control("ssrms", step, contact="plane", machine=name, judge=0, **program)
        off = motion.tip_error[:, 3:] @ motion.tip_error[0, 3:] / np.linalg.norm(motion.tip_error[0, 3:])
        linear = [np.array([1e-3, 0.0, -1e-3 * STEP.omega**2])]
        for _ in off[1:]:
            linear.append(control_law.recursion(STEP, motion.period, motion.delay) @ linear[-1])
        apart = np.abs(off - np.array(linear)[:, 0]).max()
        late, torque = np.abs(off[motion.time > 0.05]).max(), np.abs(motion.next_tau).max()
        figures = (1e3 * motion.delay, motion.spectral_radius, 1e3 * late, 1e6 * apart, torque / 1e3)
        yield row(name, label, *(f"{x:.3g}" for x in figures))


def samples() -> Iterator[str]:
    """The move of 20 cm and the push of 50 N, at 0.4 Hz, over sample period and machine."""
    tip, force_titles = ("tip in the move, mm", "tip pushed, mm"), ("force at most, N", "after 1 s, N")
    yield from head("machine", "sample, ms", "radius", *tip, *force_titles)
    cases = [(name, sample) for name in ("fijany", "mark3") for sample in (0.02, 0.05, 0.1)]
    for name, sample in [*cases, ("maspar", 0.1)]:
        wanted = Wanted(sample=sample, bandwidth=0.4)
        motion = control("ssrms", wanted, contact="plane", machine=name, judge=0)
        off = 1e3 * np.linalg.norm(motion.tip_error[:, 3:], axis=1)
        force = np.abs(motion.force_error).max(axis=1)
        moving = off[motion.time <= 3].max()
        figures = (1e3 * motion.period, motion.spectral_radius, moving, off[-1], force.max(), force[-1])
        yield row(name, *(f"{x:.3g}" for x in figures))


def drawn() -> Axes:
    """The highest sample rate of each machine, with and without tau_0 and J'Phi."""
    ax = pyplot.subplots(figsize=(9.0, 5.2))[1]
    shown = [name for name in MACHINES if name != "ipsc860-long"]
    for k, name in enumerate(shown):
        for way, color, up in (("one", style.SERIES[1], -0.18), ("many", style.SERIES[0], 0.18)):
            for whole, face in ((True, "white"), (False, color)):
                value, fast, slow = (1000 / float(x) for x in delays(name, way, whole=whole))
                y = k + up + 0.12 * whole
                ax.plot([slow, fast], [y, y], color=color, linewidth=1.5)
                ax.plot(value, y, "o", color=color, markerfacecolor=face, markersize=7)
        value, fast, slow = (1000 / float(x) for x in alone(name))
        ax.plot([slow, fast], [k - 0.3, k - 0.3], color=style.SERIES[2], linewidth=1.5)
        ax.plot(value, k - 0.3, "D", color=style.SERIES[2], markersize=6)
    for rate in (100, 1000):
        ax.axvline(rate, color=style.INK, linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xlim=(3, 2e6), xlabel="highest sample rate (Hz); line: unverified figures")
    ax.set_yticks(range(len(shown)), shown)
    ax.invert_yaxis()
    factor = control_law.stability_limit(ZETA, 1.0) / (2 * np.pi)
    top = ax.secondary_xaxis("top", functions=(lambda x: x * factor, lambda x: x / factor))
    top.set_xlabel("largest stable bandwidth there (Hz)")
    entries = [
        Line2D([], [], color=color, marker=mark, markerfacecolor=face, label=label)
        for color, mark, face, label in (
            (style.SERIES[2], "D", style.SERIES[2], "the law alone, one node"),
            (style.SERIES[1], "o", style.SERIES[1], "a run, one node"),
            (style.SERIES[0], "o", style.SERIES[0], "a run, many nodes"),
            (style.INK, "o", "white", "a run with tau_0 and J'Phi"),
        )
    ]
    ax.legend(handles=entries, loc="upper right")
    old = [name for name in shown if name in OF_1993]
    run = ", ".join(name for name in old if min(delays(name, way)[0] for way in WAYS) <= 1)
    law = ", ".join(name for name in old if alone(name)[0] <= 1)
    ax.set_title(f"1 kHz on one node: {run} with a run; {law} with the law alone", loc="left", pad=14)
    return ax


DATA: Tables = {"loops": loops, "limits": limits, "arm": arm, "samples": samples}
FIGURES: Figures = {"control": drawn}
