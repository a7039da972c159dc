"""Forward dynamics by articulated bodies with the bias computed before, O(N): Jain Eqs. (45)-(46), (55).

Newton-Euler gives the bias C; under T - C the arm is at rest. Inward, z collects what the joints' efforts do
beyond; outward, every joint follows what its own link's point already does. As an operator:
qdd = [U - H psi K]* D^-1 [U - H psi K] (T - C), a product of triangular matrices that nobody forms.
The recursion for an arm at rest is Rodriguez's filter and smoother (1987).
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family.arm import BASE, Arm, Vectors, joined, zeros
from senn.algorithms.family.articulated import Hinge, hinges
from senn.algorithms.family.closing import Free, closed
from senn.algorithms.family.directions import product
from senn.algorithms.family.inverse.newton_euler import torques
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    return closed(problem, open_chain)


def open_chain(arm: Arm, tau: Blocks) -> Free:
    """The tip free."""
    joints = hinges(arm)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(arm, joints, arm.split(x)))

    return Free(respond(tau - joined(torques(arm))), respond)


def accelerations(arm: Arm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """M^-1 T, Eq. (46): torque_i (n_i,) or, for several arms' worth at once, (n_i, r)."""
    columns = torque[0].shape[1:]
    beyond, alone = Beyond(arm, zeros(arm, 6, *columns)), []
    for i in inwards(arm):
        z = inward(arm.links[i], beyond[i])
        alone.append(joints[i].alone(torque[i] - arm.links[i].freedom.along(z)))  # nu = D^-1 epsilon
        beyond.hand_on(i, z + product(joints[i].reach, alone[-1]))
    alpha, found = {BASE: zeros(arm, 6, *columns)}, []
    for i, (link, hinge, nu) in enumerate(zip(arm.links, joints, reversed(alone), strict=True)):
        before = alpha[arm.parents[i]]
        found.append(nu - product(transposed(hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, found[i]))
    return found


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(421 * n - 4, 349 * n - 8, n, 2 * n)


def closing(n: int) -> Operations:
    """What Table I adds to them."""
    return Operations(561 * n, 460 * n - 19)
