"""Lambda^-1 at the end effector by constraint forces, O(N): Fijany IV.C, Eqs. (82)-(85), with block LDL'.

Lambda^-1 = D - E'A^-1 E, where D is the last link's inverse inertia about the tip and E = [E_N, 0, ..] has
one block, E_N = W_N' I_N^-1 P^_N: of the constraint forces that of joint N alone reaches the tip. A is
eliminated with that joint last, so its pivot is all that is asked of A, and nothing is substituted back:

    Lambda^-1 = D - E_N' D_N^-1 E_N

and for one wrench F, without a matrix, Lambda^-1 F = D (F - phi), phi the constraint force that F calls up,
seen at the tip. It exists for every arm, of the rank of the Jacobian.
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, apply, full, substitute, symmetric_product
from senn.algorithms.family.arm import Arm, chain_of
from senn.algorithms.family.directions import solved
from senn.algorithms.family.forward.constraint_force import factored
from senn.algorithms.family.transport import inward_motion, outward_force
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}."""
    return {"lambda_inverse": lambda_inverse(chain_of(problem))}


def solve_times(problem: Problem) -> dict[str, Blocks]:
    """Lambda^-1 F (6,) for the problem's `tip_vector` F, likewise."""
    return {"tip_acceleration": times(chain_of(problem), problem.tip_vector)}


def lambda_inverse(arm: Arm) -> Blocks:
    """Lambda^-1 (6, 6)."""
    last, pivot = arm.links[-1], factored(arm).pivots[-1]
    D = last.constants.tip_response
    E = last.complement.along(inward_motion(last, full(D)))
    return full(D - symmetric_product(E, substitute(pivot, E)))


def times(arm: Arm, wrench: Blocks) -> Blocks:
    """Lambda^-1 F (6,)."""
    last, pivot = arm.links[-1], factored(arm).pivots[-1]
    D = full(last.constants.tip_response)
    forbidden = last.complement.along(inward_motion(last, apply(D, wrench)))
    phi = last.complement.spread(solved(pivot, forbidden))
    return apply(D, wrench - outward_force(last, phi))


def operations(n: int) -> Operations:
    """Of the matrix, for n revolute joints."""
    return Operations(446 * n + 79, 360 * n + 53, 5 * n, 2 * n)


def operations_times(n: int) -> Operations:
    """Of the product with a vector, likewise."""
    return Operations(446 * n - 175, 360 * n - 158, 5 * n, 2 * n)
