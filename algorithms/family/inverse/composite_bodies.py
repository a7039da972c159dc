"""Inverse dynamics by composite-body inertias, O(N): Jain Lemma 3.2 and Eq. (29); Fijany and Scheid (1989).

The force of a joint is taken apart: f = R alpha + y. R alpha moves all that is beyond as one rigid body with
the joint's own acceleration; y corrects it for what the joints beyond do. So the recursions of y (inward) and
of alpha (outward) do not wait for each other. Jain has the arm at rest; with H'qdd + a in place of H'qdd, and
b joining y, Lemma 3.2 holds as it stands: f = phi (M alpha + b) and phi M phi* = R phi* + (phi - U) R.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import BASE, Arm, Vectors, arm_of, joined, zeros
from senn.algorithms.family.composite import composite_inertias
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """tau of the problem's qdd."""
    arm = arm_of(problem)
    return {"tau": joined(torques(arm, arm.split(problem.qdd)))}


def torques(arm: Arm, qdd: Vectors) -> Vectors:
    """tau_i (n_i,) for the accelerations qdd_i."""
    terms, composite = velocity(arm), composite_inertias(arm)
    own = [link.freedom.added(a, x) for link, a, x in zip(arm.links, terms.acceleration, qdd, strict=True)]
    y, corrections = Beyond(arm, zeros(arm, 6), arm.load), []
    for i in inwards(arm):
        corrections.append(inward(arm.links[i], y[i] + terms.force[i]))
        if i:
            y.hand_on(i, corrections[-1] + composite[i].applied(own[i]))
    alpha, felt = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, []
    for i, (link, correction) in enumerate(zip(arm.links, reversed(corrections), strict=True)):
        moved = alpha[arm.parents[i]] + own[i]
        felt.append(link.freedom.along(composite[i].applied(moved) + correction))
        alpha[i] = outward(link, moved)
    return felt


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(243 * n - 28, 212 * n - 25, 0, 2 * n)
