"""Inverse dynamics by Newton-Euler, O(N): Luh, Walker and Paul (1980); Jain Eqs. (13)-(17).

Outward, the accelerations that the joints make; inward, the forces that these need. Every link hands on
the force of all that is beyond it, f = phi (f beyond + M alpha + b), and its joint feels H'f. Gravity is an
acceleration -g of the base. As an operator: tau = H phi (M phi'(H'qdd + a) + b), Eq. (21).
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import Arm, Vectors, arm_of, joined, zeros
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """tau of the problem's qdd."""
    arm = arm_of(problem)
    return {"tau": joined(torques(arm, arm.split(problem.qdd)))}


def torques(arm: Arm, qdd: Vectors | None = None) -> Vectors:
    """tau_i (n_i,) for the accelerations qdd_i; None: b, the torques of the arm at qdd = 0."""
    terms = velocity(arm)
    alpha, forces = np.concatenate([zeros(arm, 3), -arm.gravity]), []
    for i, link in enumerate(arm.links):
        alpha = alpha + terms.acceleration[i]
        if qdd is not None:
            alpha = link.freedom.added(alpha, qdd[i])
        alpha = outward(link, alpha)
        forces.append(link.inertia.applied(alpha) + terms.force[i])
    return _inward(arm, forces)


def at_rest(arm: Arm, qdd: Vectors) -> Vectors:
    """M qdd, the torques without velocities and gravity; Jain's (17) with a = b = 0."""
    alpha, forces = zeros(arm, 6), []
    for link, own in zip(arm.links, qdd, strict=True):
        alpha = outward(link, link.freedom.added(alpha, own))
        forces.append(link.inertia.applied(alpha))
    return _inward(arm, forces)


def _inward(arm: Arm, forces: Vectors) -> Vectors:
    beyond, felt = zeros(arm, 6), []
    for link, force in zip(reversed(arm.links), reversed(forces), strict=True):
        beyond = inward(link, beyond + force)
        felt.append(link.freedom.along(beyond))
    return felt[::-1]


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(147 * n - 4, 119 * n - 2, 0, 2 * n)
