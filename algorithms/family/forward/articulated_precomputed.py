"""Forward dynamics by articulated bodies with the bias computed before, O(N): Jain Eqs. (45)-(46), (55).

Newton-Euler gives the bias C; under T - C the arm is at rest. Inward, z collects what the joints' efforts do
beyond; outward, every joint follows what its own link's point already does. As an operator:
qdd = [U - H psi K]* D^-1 [U - H psi K] (T - C), a product of triangular matrices that nobody forms.
The recursion for an arm at rest is Rodriguez's filter and smoother (1987).
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family.arm import Arm, Vectors, arm_of, joined, zeros
from senn.algorithms.family.articulated import Hinge, hinges
from senn.algorithms.family.closing import closed
from senn.algorithms.family.directions import product
from senn.algorithms.family.inverse.newton_euler import torques
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    arm = arm_of(problem)
    joints = hinges(arm)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(arm, joints, arm.split(x)))

    return closed(problem, arm, respond(problem.tau - joined(torques(arm))), respond)


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free."""
    return joined(accelerations(arm, hinges(arm), arm.split(tau - joined(torques(arm)))))


def accelerations(arm: Arm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """M^-1 T, Eq. (46): torque_i (n_i,) or, for several arms' worth at once, (n_i, r)."""
    columns = torque[0].shape[1:]
    z, alone = zeros(arm, 6, *columns), []
    for link, hinge, own in zip(reversed(arm.links), reversed(joints), reversed(torque), strict=True):
        z = inward(link, z)
        alone.append(hinge.alone(own - link.freedom.along(z)))  # nu = D^-1 epsilon
        z = z + product(hinge.reach, alone[-1])
    alpha, found = zeros(arm, 6, *columns), []
    for link, hinge, nu in zip(arm.links, joints, reversed(alone), strict=True):
        found.append(nu - product(transposed(hinge.gain), alpha))
        alpha = outward(link, link.freedom.added(alpha, found[-1]))
    return found


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(421 * n - 4, 349 * n - 8, n, 2 * n)
