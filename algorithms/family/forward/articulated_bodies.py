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
from senn.algorithms.family.arm import BASE, Arm, Vectors, joined, zeros
from senn.algorithms.family.articulated import Hinge, hinges
from senn.algorithms.family.closing import Free, closed
from senn.algorithms.family.forward.articulated_precomputed import accelerations
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    return closed(problem, open_chain)


def open_chain(arm: Arm, tau: Blocks) -> Free:
    """The tip free."""
    joints = hinges(arm)
    qdd = joined(moving(arm, joints, arm.split(tau)))
    return Free(qdd, lambda x: joined(accelerations(arm, joints, arm.split(x))))


def moving(arm: Arm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """qdd_i of the arm with its velocities and weight; torque_i (n_i,)."""
    terms = velocity(arm)
    beyond, alone = Beyond(arm, zeros(arm, 6), arm.load), []
    for i in inwards(arm):
        link, hinge = arm.links[i], joints[i]
        z = inward(link, beyond[i] + terms.force[i]) + apply(full(hinge.inertia), terms.acceleration[i])
        alone.append(hinge.alone(torque[i] - link.freedom.along(z)))
        beyond.hand_on(i, z + apply(hinge.reach, alone[-1]))
    alpha, found = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, []
    for i, (link, nu) in enumerate(zip(arm.links, reversed(alone), strict=True)):
        before = alpha[arm.parents[i]]
        found.append(nu - apply(transposed(joints[i].gain), before))
        alpha[i] = outward(link, link.freedom.added(before, found[i]) + terms.acceleration[i])
    return found


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(385 * n - 4, 324 * n - 7, n, 2 * n)


def closing(n: int) -> Operations:
    """What Table I adds to them."""
    return Operations(561 * n, 460 * n - 19)
