"""Inverse dynamics by scans: tau = M qdd + b, the Newton-Euler pass of Fijany VI.D, Steps II.a and II.b.1.

The bi-diagonal systems (2a)-(2d) of Yang, Wu and Pan, each solved by recursive doubling: frames, velocities
and accelerations from base to tip, forces from tip to base, in O(log n) steps on one array. All vectors are
in frame 1, so that gravity needs no broadcast. Nothing touches the end effector: of a problem with a contact,
tau is the torque of the arm alone. Labels as in the closed chain.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.letters import GRAVITY, QDD_GIVEN, TAU
from senn.algorithms.programs.free import HEADINGS
from senn.algorithms.programs.newton_euler import NEWTON_EULER
from senn.algorithms.programs.variants import check_choices
from senn.algorithms.robots.side_tree import SideTree
from senn.base.errors import InputError
from senn.machine.program import PR1, Program, Resident
from senn.machine.rewrite import ahead as moved_ahead
from senn.machine.rewrite import keep


def program(
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

    >>> [len(stream) for stream in program(4).streams]
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
    needed = keep(whole, *whole.results)
    return moved_ahead(needed) if ahead else needed
