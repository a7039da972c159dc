"""Lambda at the end effector by constraint forces, O(N), with block LDL'.

Fijany, operational space mass matrix, Eqs. (40)-(43):

    Lambda = S + R'Y^-1 R

where S is the last link's inertia about the tip and R = [R_N, 0, ..] has one block,
R_N = W_N' C6 P^_N^-1': what joint N forbids of a motion of the tip. Y is A without what link N adds to its
own block. (The paper's Y is minus this one.) It is eliminated with joint N last, and its pivot is all that is
asked of it:

    Lambda = S + R_N' Y_N^-1 R_N

and for one acceleration a, without a matrix, Lambda a = S a + the constraint force of joint N at the tip.
The arm up to link N-1 is eliminated as for Lambda^-1; of link N, a rigid body, no inverse is needed.

Where the tip cannot move in all six directions Y is singular, there is no Lambda, and it is refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from senn.algorithms.blocks import Blocks, cross, factor, full, substitute, symmetric_product
from senn.algorithms.family.arm import Arm, Link, chain_of, zeros
from senn.algorithms.family.directions import solved
from senn.algorithms.family.forward.constraint_force import behind, factored
from senn.algorithms.family.transport import inward_motion, outward_force
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.operational_space import check_mass_exists
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Lambda (6, 6), frame n+1 at O_{n+1}; `InputError` where it does not exist."""
    arm = chain_of(problem)
    check_mass_exists(problem)
    return {"operational_mass": operational_mass(arm)}


def solve_times(problem: Problem) -> dict[str, Blocks]:
    """Lambda a (6,) for the problem's `tip_vector` a, likewise."""
    arm = chain_of(problem)
    check_mass_exists(problem)
    return {"tip_wrench": times(arm, problem.tip_vector)}


def operational_mass(arm: Arm) -> Blocks:
    """Lambda (6, 6)."""
    last = arm.links[-1]
    R = reach(last)
    return full(last.inertia.packed() + symmetric_product(R, substitute(_pivot(arm), R)))


def times(arm: Arm, acceleration: Blocks) -> Blocks:
    """Lambda a (6,)."""
    last = arm.links[-1]
    forbidden = last.complement.along(inward_motion(last, acceleration))
    phi = last.complement.spread(solved(_pivot(arm), forbidden))
    return last.inertia.applied(acceleration) + outward_force(last, phi)


def _pivot(arm: Arm) -> Blocks:
    """LDL' of Y_N. A joint that forbids nothing has an empty one; so it is if the arm is one link."""
    if not arm.last:
        return zeros(arm, 0)
    *links, last = arm.links
    inner = replace(arm, links=links, parents=arm.parents[:-1], last=arm.last - 1)
    return factor(behind(links[-1], factored(inner).pivots[-1], last)[1])


def reach(link: Link) -> Blocks:
    """R_N: the rows of W_N' [C 0; C P~ C], of which a row of C P~ is that row of C, crossed with P."""
    C = link.rotation
    above = np.concatenate([C, np.zeros_like(C)], axis=1)
    below = np.concatenate([cross(C, link.position[None]), C], axis=1)
    return link.complement.along(np.concatenate([above, below]))


def operations(n: int) -> Operations:
    """Of the matrix, for n >= 2 revolute joints; for n < 6 there is no answer."""
    return Operations(446 * n - 131, 360 * n - 115, 5 * n, 2 * n)


def operations_times(n: int) -> Operations:
    """Of the product with a vector, likewise."""
    return Operations(446 * n - 307, 360 * n - 269, 5 * n, 2 * n)
