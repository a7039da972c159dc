"""Programs for an arm that touches nothing: inverse dynamics here, and parts of the hybrid and the inversion.

Inverse dynamics by scans is tau = M qdd + b, the Newton-Euler pass of Fijany VI.D, Steps II.a and II.b.1: the
bi-diagonal systems (2a)-(2d) of Yang, Wu and Pan, each solved by recursive doubling. Of a problem with a
contact, tau is the torque of the arm alone. All vectors are in frame 1, so that gravity needs no broadcast.
Labels are those of the closed chain.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import HELD, TOGETHER
from senn.algorithms.kernels import articulated as wide
from senn.algorithms.kernels.branches import from_link, held_at_origin
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics
from senn.algorithms.programs.newton_euler import NEWTON_EULER, RECURRENCES
from senn.algorithms.programs.variants import check_choices
from senn.algorithms.robots.side_tree import BRANCH_QDD_0, SideTree
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError
from senn.machine import rewrite
from senn.machine.program import *  # the words of a program

HEADINGS = {"II": "Newton-Euler by Processor {arrays}", "II.a": "a. Projection", "II.b": "b. Compute F_T"}
"""Headings of `bias`."""
INERTIA = value("I", 21)
HELD_1 = value("p.1", 6)


def inverse_dynamics(
    n: int,
    joints: Sequence[str] | None = None,
    *,
    ahead: bool = False,
    motion: str = "recurrences",
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes on one array; the process of a link does its side branches too.

    `motion`: "recurrences", five scans, or "jets", two. `ahead`: what a level updates moves on at the start
    of the level. `InputError` for arguments that cannot be.

    >>> [len(stream) for stream in inverse_dynamics(4).streams]
    [52]
    """
    check_choices(motion=motion)
    if motion == "outward":
        raise InputError(
            "motion outward leaves out the joint torques, which inverse dynamics returns: take jets"
        )
    arm = arm_of(n, joints, 0, branches)
    whole = arm.program(
        "inverse dynamics",
        NEWTON_EULER[motion].at_base(arm, PR1, qdd=QDD_GIVEN, torque=TAU),
        also=[Resident(GRAVITY), Resident(QDD_GIVEN)],
        results={"tau": (1, TAU), **{name: (1, x) for name, x in arm.branch_torques().items()}},
        parts={**HEADINGS, "II.b": "b. Compute tau"},
        ahead=ahead,
        motion=motion,
    )
    needed = rewrite.keep(whole, *whole.results)
    return rewrite.ahead(needed) if ahead else needed


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
