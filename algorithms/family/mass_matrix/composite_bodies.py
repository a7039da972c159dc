"""The mass matrix by composite rigid bodies, O(N^2): Walker and Orin (1982), method 3; Jain Eqs. (27)-(28).

For a unit acceleration of joint i all that is beyond moves as one rigid body: its force R_i H_i goes inward,
and each joint on the way feels its share. M = H (R + (phi - U) R + R (phi - U)*) H*.
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, full, transposed
from senn.algorithms.family.arm import Arm, arm_of, zeros
from senn.algorithms.family.composite import composite_inertias
from senn.algorithms.family.recursion import way_in
from senn.algorithms.family.transport import inward
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """The mass matrix (N, N)."""
    return {"mass_matrix": mass_matrix(arm_of(problem))}


def mass_matrix(arm: Arm) -> Blocks:
    """M (N, N)."""
    M = zeros(arm, arm.degrees, arm.degrees)
    shares = arm.shares
    for i, composite in enumerate(composite_inertias(arm)):
        inertia = composite.packed()
        own, freedom = shares[i], arm.links[i].freedom
        M[own, own] = full(freedom.seen(inertia))
        X = freedom.reach(inertia)
        for k in way_in(arm, i):
            X, other = inward(arm.links[k], X), shares[k]
            M[other, own] = arm.links[k].freedom.along(X)
            M[own, other] = transposed(M[other, own])
    return M


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(12 * n**2 + 72 * n, 9 * n**2 + 66 * n, 0, 2 * n)
