"""The measured tables and the picture of joints.md.

Timing and executed operations need no numbers; its tables of errors were computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from matplotlib.figure import Figure

import senn
from experiments import drawing
from experiments.page import Figures, Tables, head, row
from senn.algorithms.arm.letters import PACKED, ROWS
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import triangle
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import variants
from senn.algorithms.programs.closed_chain import diagonalise
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.system.solver import Rows
from senn.machine.program import Compute, Operations, Value
from senn.machine.rewrite.lines import with_values
from senn.traces.pictures import style
from senn.traces.run import Run

SIZES, MACHINES = (8, 32), ("mark3", "raw")
Arms = dict[str, tuple[str, ...]]


def arms(n: int) -> Arms:
    """Arms of n joints by what they are called in the table; joint 4 is the odd one."""

    def with_one(joint: str, at: int = 3) -> tuple[str, ...]:
        return tuple(joint if k == at else "revolute" for k in range(n))

    return {
        "all revolute": ("revolute",) * n,
        "one prismatic": with_one("prismatic"),
        "one helical": with_one("helical"),
        "one universal": with_one("universal"),
        "one spherical": with_one("spherical"),
        "free base": with_one("free", 0),
        "one welded": with_one("welded"),
        "all universal": ("universal",) * n,
        "all spherical": ("spherical",) * n,
        "all spherical but the last, revolute": (*("spherical",) * (n - 1), "revolute"),
        "all revolute, the spherical joint as three": ("revolute",) * (n + 2),
    }


def timed(joints: Sequence[str], machine: str) -> Run:
    """The program of an arm, form short, on a machine, without numbers."""
    return senn.timed(variants.closed_chain(len(joints), "short", joints=joints), machine, detail="full")


def costs(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """Makespans, executed operations and words, beside those of the arm with revolute joints only."""
    pairs = ((x, f"{x}, more") for x in (*MACHINES, "operations", "words"))
    yield from head("n", "joints", "s", "k", *chain.from_iterable(pairs))
    for n in sizes:
        plain = measured(("revolute",) * n)
        for name, joints in arms(n).items():
            pairs, wide = zip(measured(joints), plain, strict=True), Wide(joints, ContactShape("I", 0))
            cells = ((one, f"{one / other - 1.0:+.0%}") for one, other in pairs)
            yield row(n, name, wide.rows, wide.freedom, *chain.from_iterable(cells))


def measured(joints: Sequence[str]) -> tuple[int, ...]:
    """Makespans in cycles, executed operations of all nodes, words sent."""
    runs = [timed(joints, machine) for machine in MACHINES]
    work = int(runs[0].trace.activities["flops"].sum())
    return (*(run.summary["makespan"] for run in runs), work, runs[0].summary["words"])


def level(size: int) -> Operations:
    """What an interior process executes in one level of Step I.b on blocks of `size` rows."""
    found = Operations()
    sizes = {ROWS: size, PACKED: triangle(size)}

    def sized(x: Value) -> Value:
        return Value(x.letter, x.level, tuple(sizes.get(d, d) for d in x.shape))

    for line in (with_values(one, sized) for one in diagonalise(Rows(8))):
        if isinstance(line, Compute) and line.level == 1:
            (kernel,) = line.expression.kernels
            found += line.operations(kernel)
    return found


def levels() -> Iterator[str]:
    """Operations of a level by the rows of a block, and what a joint that needs fewer rows pays for."""
    yield from head("rows", "joints that need them", "m", "a", "d", "all", "of those of 5 rows")
    five = level(5).flops
    for size in range(1, 7):
        found = level(size)
        need = ", ".join(name for name, joint in JOINTS.items() if 6 - joint.degrees == size) or "-"
        counts = found.multiply, found.add, found.divide, found.flops
        yield row(size, need, *counts, f"{found.flops / five:.2f}")


N, LEAN, WIDE = 8, style.OTHER, style.SERIES[0]


def drawn() -> Figure:
    """Bars of the makespan, a panel for each machine; the line is the arm with revolute joints only."""
    spans = {
        f"n = {N}, form short, migrating, {machine}": {
            name: timed(joints, machine).summary["makespan"] for name, joints in arms(N).items()
        }
        for machine in MACHINES
    }
    *_, last = spans.values()
    first, *_ = last.values()
    most, least = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    low, high = (f"{last[x] / first - 1:+.0%} ({x})" for x in (least, most))
    finding = f"On {MACHINES[-1]} the makespan goes from {low} to {high}"
    lean = [set(joints) <= {"revolute", "prismatic"} for joints in arms(N).values()]
    return drawing.panels(spans, [LEAN if x else WIDE for x in lean], " {:+.0f}%", finding)


DATA: Tables = {"costs": costs, "levels": levels}
FIGURES: Figures = {"joints": drawn}
