"""Forward dynamics by articulated bodies, O(N): Jain Eqs. (45), (46) with (60).

Published by Vereshchagin (1974), Armstrong (1979, spherical joints), Featherstone (1983), Rodriguez (1987),
Brandl, Johanni and Otter (1986), Bae and Haug (1987), Rosenthal (1987): one algorithm, as Jain shows.

Nothing is computed before: the accelerations a and forces b that come of the velocities go through the same
two passes as the torques, z = phi (z+ + b) + P a and alpha = alpha+ + H'qdd + a (60). Gravity is an
acceleration -g of the base.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, transposed
from senn.algorithms.family.arm import Arm, Vectors, arm_of, joined, zeros
from senn.algorithms.family.articulated import Hinge, hinges
from senn.algorithms.family.closing import closed
from senn.algorithms.family.forward.articulated_precomputed import accelerations
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    arm = arm_of(problem)
    joints = hinges(arm)
    qdd0 = joined(moving(arm, joints, arm.split(problem.tau)))
    return closed(problem, arm, qdd0, lambda x: joined(accelerations(arm, joints, arm.split(x))))


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free."""
    return joined(moving(arm, hinges(arm), arm.split(tau)))


def moving(arm: Arm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """qdd_i of the arm with its velocities and weight; torque_i (n_i,)."""
    terms = velocity(arm)
    z, alone = zeros(arm, 6), []
    for i, link in reversed(list(enumerate(arm.links))):
        hinge = joints[i]
        z = inward(link, z + terms.force[i]) + apply(full(hinge.inertia), terms.acceleration[i])
        alone.append(hinge.alone(torque[i] - link.freedom.along(z)))
        z = z + apply(hinge.reach, alone[-1])
    alpha, found = np.concatenate([zeros(arm, 3), -arm.gravity]), []
    for i, link in enumerate(arm.links):
        found.append(alone[-1 - i] - apply(transposed(joints[i].gain), alpha))
        alpha = outward(link, link.freedom.added(alpha, found[i]) + terms.acceleration[i])
    return found


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(385 * n - 4, 324 * n - 7, n, 2 * n)
