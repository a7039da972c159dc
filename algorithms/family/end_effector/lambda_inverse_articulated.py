"""Lambda^-1 at the end effector by articulated bodies, O(N): Jain Lemma 6.4, at the tip.

With M^-1 = [U - H psi K]* D^-1 [U - H psi K] and J' = H phi B*, [U - H psi K] H phi = H psi leaves

    Lambda^-1 = J M^-1 J' = X' D^-1 X,      X = H psi B*:

six unit forces at the tip go inward, each joint giving way before the next one feels them, in the same
direction as the articulated inertias: one sweep, and nothing goes outward again.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, full, symmetric_product
from senn.algorithms.family.arm import Arm, arm_of, zeros
from senn.algorithms.family.articulated import hinges
from senn.algorithms.family.directions import product
from senn.algorithms.family.transport import inward
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}."""
    return {"lambda_inverse": lambda_inverse(arm_of(problem))}


def lambda_inverse(arm: Arm) -> Blocks:
    """Lambda^-1 (6, 6)."""
    found, force = zeros(arm, 21), np.eye(6, dtype=arm.gravity.dtype)
    joints = hinges(arm)
    for i in reversed(arm.main):
        link, hinge = arm.links[i], joints[i]
        force = inward(link, force)
        felt = link.freedom.along(force)
        found = found + symmetric_product(felt, hinge.alone(felt))
        force = force - product(hinge.gain, felt)
    return full(found)


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(432 * n, 351 * n - 6, n, 2 * n)
