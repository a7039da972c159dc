"""The measured tables and the picture of joints.md.

Timing and executed operations need no numbers; the last two tables solve their problems with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from matplotlib.figure import Figure

import senn
from experiments import bars
from experiments.page import Figures, Tables, head, order, row
from senn.algorithms import problems
from senn.algorithms.arm.letters import PACKED, ROWS
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import triangle
from senn.algorithms.problems.contacts import ContactShape, none
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import variants
from senn.algorithms.programs.closed_chain import diagonalise
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.system.solver import Rows
from senn.machine.program import Compute, Operations, Program, Value
from senn.machine.rewrite.lines import with_values
from senn.traces.pictures import style
from senn.traces.run import Run
from tests.algorithms.robots.states import mild_state

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
            pairs = zip(measured(joints), plain, strict=True)
            cells = ((f"{one:,}", f"{one / other - 1.0:+.0%}") for one, other in pairs)
            yield row(
                n, name, Wide(joints, FREE).rows, Wide(joints, FREE).freedom, *chain.from_iterable(cells)
            )


def measured(joints: Sequence[str]) -> tuple[int, ...]:
    """Makespans in cycles, executed operations of all nodes, words sent."""
    runs = [timed(joints, machine) for machine in MACHINES]
    work = int(runs[0].trace.activities["flops"].sum())
    return (*(run.summary["makespan"] for run in runs), work, runs[0].summary["words"])


FREE = ContactShape("I", 0)


def level(size: int) -> Operations:
    """What an interior process executes in one level of Step I.b on blocks of `size` rows."""
    found = Operations()
    sizes = {ROWS: size, PACKED: triangle(size)}

    def sized(x: Value) -> Value:
        return Value(x.letter, x.level, tuple(sizes.get(d, d) for d in x.shape))

    for line in (with_values(one, sized) for one in diagonalise(Rows(8))):
        if isinstance(line, Compute) and line.level == 1:
            (kernel,) = line.expression.kernels
            found += line.expression.operations(kernel)
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


# ------------------------------------------------- a spherical joint as three revolute ones

CYCLE = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""C(i,i+1) of a link that turns the axes z, x, y of its joint's frame to x, y, z."""


def as_three(what: Problem, at: int, share: float) -> Problem:
    """The open chain with the spherical joint `at` (from 0) as three revolute joints about z, y and x.

    The two links between them have `share` of the mass and gyration of the link they carry.
    """
    chain, own = what.chain, what.chain.qd_shares.of(at + 1)
    turn = JOINTS["spherical"].turn(what.q[chain.q_shares.of(at + 1)], np.array(0.0))
    yaw, pitch, roll = (
        np.arctan2(turn[1, 0], turn[0, 0]),
        np.arcsin(-turn[2, 0]),
        np.arctan2(turn[2, 1], turn[2, 2]),
    )
    c, s = np.cos, np.sin
    across = np.array([-s(yaw), c(yaw), 0.0])  # the axes of the three, in frame i
    along = np.array([c(yaw) * c(pitch), s(yaw) * c(pitch), -s(pitch)])
    axes = np.column_stack([np.array([0.0, 0.0, 1.0]), across, along])
    rates, torques = np.linalg.solve(axes, what.qd[own]), axes.T @ what.tau[own]
    three = replace(
        chain,
        joints=_put(chain.joints, at, ("revolute",) * 3),
        joint_names=_put(chain.joint_names, at, tuple(f"{chain.joint_names[at]}.{x}" for x in "zyx")),
        rotation=_put_rows(chain.rotation, at, [CYCLE, CYCLE, CYCLE @ chain.rotation[at]]),
        position=_put_rows(chain.position, at, [np.zeros(3), np.zeros(3), chain.position[at]]),
        centre=_put_rows(chain.centre, at, [np.zeros(3), np.zeros(3), chain.centre[at]]),
        mass=_put_rows(chain.mass, at, [share * chain.mass[at]] * 2 + [chain.mass[at]]),
        inertia=_put_rows(chain.inertia, at, [share * _ball(chain, at)] * 2 + [chain.inertia[at]]),
        parameters=np.zeros(chain.n + 2),
        limits=(),
    )
    before = chain.q_shares.first[at]
    q = np.r_[what.q[:before], yaw, pitch, roll, what.q[before + 4 :]]
    qd, tau = (
        np.r_[x[: own.start], new, x[own.stop :]] for x, new in ((what.qd, rates), (what.tau, torques))
    )
    return problems.resolved(three, what.gravity, q, qd, tau, none())


def _ball(chain: Chain, at: int) -> np.ndarray:
    return np.eye(3) * np.trace(chain.inertia[at]) / 3.0


def _put(row: tuple[str, ...], at: int, new: tuple[str, ...]) -> tuple[str, ...]:
    return (*row[:at], *new, *row[at + 1 :])


def _put_rows(row: np.ndarray, at: int, new: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([row[:at], np.array(new), row[at + 1 :]])


def solved(what: Problem, refine: int, form: str = "short") -> Mapping[str, np.ndarray]:
    """On the machine."""
    shape = what.contact.shape
    program: Program = variants.closed_chain(what.chain.n, form, refine, what.chain.joints, shape)
    return senn.solved(program, what, "ideal", "home").result


def apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


def small_links(shares: Sequence[float] = (1e-2, 1e-4, 1e-6, 1e-8)) -> Iterator[str]:
    """Vdot_0 and Lambda^-1 of the end effector, Qdd_0 of the other joints, against articulated bodies with
    the spherical joint."""
    chain = generators.generate("joints:RRRSRRRR:seed=1")
    q, qd, tau = mild_state(chain, 1, problems.EARTH)
    what = problems.resolved(chain, problems.EARTH, q, qd, tau, none())
    expected = articulated.solve(what)
    yield from head(
        "joint 4", "mass of the links between", "refine", "error of Vdot_0", "of Lambda^-1", "of Qdd_0"
    )
    others = [*range(3), *range(6, 10)]
    three = [("three revolute", f"{share:.0e}", as_three(what, 3, share)) for share in shares]
    for name, share, given in (("spherical", "-", what), *three):
        said = order if given is what else "{:.0e}".format  # those of the model are no rounding
        for refine in (0, 1):
            found = solved(given, refine)
            motion = apart(found["acceleration0"], expected.acceleration0)
            mobility = apart(found["lambda_inverse"], expected.lambda_inverse)
            rates = apart(found["qdd0"][others], expected.qdd0[others])
            yield row(name, share, refine, *map(said, (motion, mobility, rates)))


WORDS = ("RSRPRRU", "SSSSSSSS", "FRRRRRR", "RRCRESRRPSRURRFRR", "RFRRXRSRR")


def errors(words: Sequence[str] = WORDS) -> Iterator[str]:
    """Arms in contact against articulated bodies, nothing refined."""
    titles = ("Qdd_0", "Vdot_0", "Lambda^-1", "contact force", "Qdd", "interbody forces")
    yield from head("joints", "form", *titles)
    for word in words:
        what = problems.draw(generators.generate(f"joints:{word}:seed=1"), 1)
        expected = articulated.solve(what)
        for form in ("paper", "short", "omega"):
            found = solved(what, 0, form)
            names = ("qdd0", "acceleration0", "lambda_inverse", "force", "qdd", "forces")
            cells = (order(apart(found[name], getattr(expected, name))) for name in names)
            yield row(word, form, *cells)


# ---------------------------------------------------------------------- the picture

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
    finding = (
        f"On {MACHINES[-1]} the makespan goes from {last[least] / first - 1:+.0%} ({least}) "
        f"to {last[most] / first - 1:+.0%} ({most})"
    )
    lean = [set(joints) <= {"revolute", "prismatic"} for joints in arms(N).values()]
    return bars.panels(spans, [LEAN if x else WIDE for x in lean], " {:+.0f}%", finding)


DATA: Tables = {"costs": costs, "levels": levels, "small-links": small_links, "errors": errors}
FIGURES: Figures = {"joints": drawn}
