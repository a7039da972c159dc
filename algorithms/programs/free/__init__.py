"""Programs for an arm that touches nothing: inverse dynamics, the hybrid, the inversion of M; and the parts
that these programs share: F_T, the inertias of links in frame 1, and memory."""

from __future__ import annotations

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import HELD, TOGETHER
from senn.algorithms.kernels import articulated as wide
from senn.algorithms.kernels.branches import from_link, held_at_origin
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics
from senn.algorithms.programs.newton_euler import RECURRENCES
from senn.algorithms.robots.side_tree import BRANCH_QDD_0
from senn.algorithms.spatial import Numbers
from senn.machine.program import Array, Compute, Name, Value, value
from senn.machine.program.ready import minus

HEADINGS = {"II": "Newton-Euler by Processor {arrays}", "II.a": "a. Projection", "II.b": "b. Compute F_T"}
"""Headings of `bias`."""
INERTIA = value("I", 21)
HELD_1 = value("p.1", 6)


def bias(arm: Arm, array: Array) -> Lines:
    """Steps II.a to II.b.2 in frame 1: F_T = tau - b."""
    yield from RECURRENCES.at_base(arm, array)
    yield Compute("II.b.2", F_T, minus(TAU, BIAS))


def inertias(arm: Arm) -> Lines:
    """III.1 of arms with joints of any type: the inertia of link i in frame 1, about O_i; of a link
    with side branches the articulated inertia of both, and p, the wrench that the torques of the branches
    exert on it."""
    rigid, with_branches = value("I.r", 21), value("I.s", 21)
    yield Compute("III.1.ii", rigid, wide.rigid_body(TURN, J, S, M), arm.plain)
    yield from arm.as_one("III.1'")
    if arm.branches:
        yield Compute("III.1'.iv", with_branches, from_link(TURN, P, TOGETHER))
    yield Name("III.1.ii", INERTIA, rigid, *((with_branches,) if arm.branches else ()))
    yield from arm.holds("III.1''.i", "III.1''.ii", "III.1''.iii")
    if arm.branches:
        yield Compute("III.1''.iv", HELD_1, held_at_origin(TURN, P, HELD))


def side_accelerations(arm: Arm) -> dict[str, tuple[int, Value]]:
    """Qdd_0 of branches among the results of an arm that has any."""
    return {name: (1, x) for name, (_, x) in arm.results().items() if name == BRANCH_QDD_0}


def memory(problem: Problem) -> dict[str, Numbers]:
    """`numerics.memory`; an arm with side branches is taken as one with joints of any type."""
    return numerics.memory(problem, wide=bool(problem.chain.branches))
