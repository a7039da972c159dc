"""Forward dynamics by the mass matrix, O(N^3): Walker and Orin (1982), method 3; Jain section 3, Eq. (22).

M by composite bodies, the bias C by Newton-Euler at qdd = 0, and M qdd = T - C by LDL'. The factorisation
is the only part of order N^3, with N^3 / 6 multiplications: short arms hardly feel it.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, factor, substitute
from senn.algorithms.family.arm import Arm, arm_of, joined
from senn.algorithms.family.closing import closed
from senn.algorithms.family.directions import solved
from senn.algorithms.family.inverse.newton_euler import torques
from senn.algorithms.family.mass_matrix.composite_bodies import mass_matrix
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    arm = arm_of(problem)
    ldl = factored(arm)
    return closed(problem, arm, _driven(arm, ldl, problem.tau), lambda x: substitute(ldl, x))


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free."""
    return _driven(arm, factored(arm), tau)


def factored(arm: Arm) -> Blocks:
    """LDL' of M, packed."""
    rows, columns = np.tril_indices(arm.degrees)
    return factor(mass_matrix(arm)[rows, columns])


def _driven(arm: Arm, ldl: Blocks, tau: Blocks) -> Blocks:
    return solved(ldl, tau - joined(torques(arm)))


def operations(n: int) -> Operations:
    """For n revolute joints."""
    multiply = (n**3 + 81 * n**2 + 1238 * n) // 6 - 4
    return Operations(multiply, (n**3 + 60 * n**2 + 1067 * n) // 6 - 2, n, 2 * n)
