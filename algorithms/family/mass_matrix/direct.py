"""The mass matrix column by column, O(N^2): Walker and Orin (1982), method 1; Jain section 3, Eq. (23).

Column k is what the joints must give for a unit acceleration of joint k alone: one pass of Newton-Euler with
the arm at rest, through all links. Nothing is made of the symmetry, nor of the links that do not move.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import Arm, arm_of, joined
from senn.algorithms.family.inverse.newton_euler import at_rest
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """The mass matrix (N, N)."""
    return {"mass_matrix": mass_matrix(arm_of(problem))}


def mass_matrix(arm: Arm) -> Blocks:
    """M (N, N)."""
    return np.stack([joined(at_rest(arm, arm.split(unit))) for unit in np.eye(arm.degrees)], axis=1)


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(72 * n**2 + 12 * n, 61 * n**2 + 5 * n, 0, 2 * n)
