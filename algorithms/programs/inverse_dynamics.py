"""Inverse dynamics by scans: tau = M qdd + b, the Newton-Euler pass of Fijany VI.D, Steps II.a and II.b.1.

The bi-diagonal systems (2a)-(2d) of Yang, Wu and Pan, each solved by recursive doubling: frames, velocities
and accelerations from base to tip, forces from tip to base, in O(log n) steps on one array. All vectors are
in frame 1, so that gravity needs no broadcast. Nothing touches the end effector: of a problem with a contact,
tau is what the arm alone needs. Labels are those of the closed chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from senn.algorithms.arm.padding import of_joint
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import memory as held
from senn.algorithms.programs.answers import flat
from senn.algorithms.programs.free_arm import memory
from senn.algorithms.programs.steps_ii_iv import newton_euler_at_base
from senn.algorithms.programs.variant import joint_types
from senn.algorithms.spatial import Numbers
from senn.machine.program import PR1, Program, value

__all__ = ["answers", "memory", "program"]

TAU = value("tau")


def program(n: int, joints: Sequence[str] | None = None, *, ahead: bool = False) -> Program:
    """The program for n processes on one array.

    `ahead`: what a level updates moves on at the start of the level. What cannot be is refused (InputError).

    >>> [len(stream) for stream in program(4).streams]
    [52]
    """
    types = joint_types(n, joints)
    return Program(
        name="inverse dynamics",
        n=n,
        streams=(tuple(newton_euler_at_base(types, PR1, qdd=held.QDD, load=TAU, ahead=ahead)),),
        resident=held.resident_of_motion(types, of_joint(held.QDD, types)),
        results={"tau": (1, of_joint(TAU, types))},
        titles={
            "II": "Newton-Euler by Processor Array PR_{1,i}",
            "II.a": "a. Projection",
            "II.b": "b. Compute tau",
        },
        joints=types,
        ahead=ahead,
    )


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """tau (degrees,), N m or N: what gives the arm the accelerations `qdd` of the problem."""
    return {"tau": flat(problem.chain, result["tau"])}
