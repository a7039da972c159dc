"""Inverse dynamics by Newton-Euler, O(N): Luh, Walker and Paul (1980); Jain Eqs. (13)-(17).

Outward, the accelerations that the joints make; inward, the forces that these need. Every link hands on
the force of all that is beyond it, f = phi (f beyond + M alpha + b), and its joint feels H'f. Gravity is an
acceleration -g of the base. As an operator: tau = H phi (M phi'(H'qdd + a) + b), Eq. (21).
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import BASE, Arm, Vectors, arm_of, joined, zeros
from senn.algorithms.family.recursion import Beyond, inwards
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
    alpha, forces = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, []
    for i, link in enumerate(arm.links):
        moved = alpha[arm.parents[i]] + terms.acceleration[i]
        alpha[i] = outward(link, moved if qdd is None else link.freedom.added(moved, qdd[i]))
        forces.append(link.inertia.applied(alpha[i]) + terms.force[i])
    return _inward(arm, forces, arm.load)


def at_rest(arm: Arm, qdd: Vectors) -> Vectors:
    """M qdd, the torques without velocities, gravity and load; Jain's (17) with a = b = 0."""
    alpha, forces = {BASE: zeros(arm, 6)}, []
    for i, (link, own) in enumerate(zip(arm.links, qdd, strict=True)):
        alpha[i] = outward(link, link.freedom.added(alpha[arm.parents[i]], own))
        forces.append(link.inertia.applied(alpha[i]))
    return _inward(arm, forces, zeros(arm, 6))


def _inward(arm: Arm, forces: Vectors, load: Blocks) -> Vectors:
    beyond, felt = Beyond(arm, zeros(arm, 6), load), []
    for i in inwards(arm):
        force = inward(arm.links[i], beyond[i] + forces[i])
        felt.append(arm.links[i].freedom.along(force))
        beyond.hand_on(i, force)
    return felt[::-1]


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(147 * n - 4, 119 * n - 2, 0, 2 * n)
