"""Forward dynamics by the mass matrix, O(N^3): Walker and Orin (1982), method 3; Jain section 3, Eq. (22).

M by composite bodies, the bias C by Newton-Euler at qdd = 0, and M qdd = T - C by LDL'. The factorisation
is the only part of order N^3, with N^3 / 6 multiplications: short arms hardly feel it.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, factor, substitute
from senn.algorithms.family.arm import Arm, joined
from senn.algorithms.family.closing import Free, closed
from senn.algorithms.family.directions import solved
from senn.algorithms.family.inverse.newton_euler import torques
from senn.algorithms.family.mass_matrix.composite_bodies import mass_matrix
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    return closed(problem, open_chain)


def open_chain(arm: Arm, tau: Blocks) -> Free:
    """The tip free."""
    ldl = factored(arm)
    return Free(solved(ldl, tau - joined(torques(arm))), lambda x: substitute(ldl, x))


def factored(arm: Arm) -> Blocks:
    """LDL' of M, packed."""
    rows, columns = np.tril_indices(arm.degrees)
    return factor(mass_matrix(arm)[rows, columns])


def operations(n: int) -> Operations:
    """For n revolute joints."""
    multiply = (n**3 + 81 * n**2 + 1238 * n) // 6 - 4
    return Operations(multiply, (n**3 + 60 * n**2 + 1067 * n) // 6 - 2, n, 2 * n)


def closing(n: int) -> Operations:
    """What Table I adds to them."""
    return Operations(6 * n**2 + 195 * n, 6 * n**2 + 154 * n - 19)
