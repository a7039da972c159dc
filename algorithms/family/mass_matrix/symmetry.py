"""The mass matrix by half columns, O(N^2): Walker and Orin (1982), method 2; Jain section 3.

A unit acceleration of joint k leaves all links before it at rest, so link k and what is beyond it are an
arm of their own: one pass of Newton-Euler through them gives column k from the diagonal on, and symmetry the
rest.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import Arm, arm_of, joined, zeros
from senn.algorithms.family.inverse.newton_euler import at_rest
from senn.algorithms.family.recursion import from_link
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """The mass matrix (N, N)."""
    return {"mass_matrix": mass_matrix(arm_of(problem))}


def mass_matrix(arm: Arm) -> Blocks:
    """M (N, N)."""
    M, rows = zeros(arm, arm.degrees, arm.degrees), arm.split(np.arange(arm.degrees))
    for k, link in enumerate(arm.links):
        outer, entries = from_link(arm, k)
        moved = joined([rows[entry] for entry in entries])
        for c in range(link.freedom.count):
            unit = np.zeros(outer.degrees)
            unit[c] = 1.0
            M[moved, rows[k][c]] = M[rows[k][c], moved] = joined(at_rest(outer, outer.split(unit)))
    return M


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(36 * n**2 + 48 * n, (61 * n**2 + 71 * n) // 2, 0, 2 * n)
