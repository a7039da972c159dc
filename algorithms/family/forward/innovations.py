"""Forward dynamics by triangular equations, O(N^2): Jain section 4 and Lemma 6.2; Rosenthal (1988).

The innovations factorisation M = [U + H phi K] D [U + H phi K]*, of which K and D come from the articulated
inertias in O(N) and the triangular factor, element by element, in O(N^2). Then two triangular systems:
[U + H phi K] D x = T - C and [U + H phi K]* qdd = x. Counted from the base the first factor is upper.
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family.arm import Arm, Vectors, arm_of, joined
from senn.algorithms.family.articulated import Hinge, hinges
from senn.algorithms.family.closing import closed
from senn.algorithms.family.directions import product
from senn.algorithms.family.inverse.newton_euler import torques
from senn.algorithms.family.transport import inward
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations

Triangle = list[Vectors]
"""Block (i, j) of H phi K for i < j is entry [j][i]."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I."""
    arm = arm_of(problem)
    joints = hinges(arm)
    upper = factor(arm, joints)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(joints, upper, arm.split(x)))

    return closed(problem, arm, respond(problem.tau - joined(torques(arm))), respond)


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free."""
    joints = hinges(arm)
    drive = arm.split(tau - joined(torques(arm)))
    return joined(accelerations(joints, factor(arm, joints), drive))


def factor(arm: Arm, joints: list[Hinge]) -> Triangle:
    """H phi K: column j is G_j brought inward, felt by each joint on the way."""
    columns: Triangle = []
    for j, hinge in enumerate(joints):
        gain, felt = hinge.gain, []
        for link in reversed(arm.links[:j]):
            gain = inward(link, gain)
            felt.append(link.freedom.along(gain))
        columns.append(felt[::-1])
    return columns


def accelerations(joints: list[Hinge], upper: Triangle, torque: Vectors) -> Vectors:
    """Both triangular systems; torque_i (n_i,) or (n_i, r)."""
    x = list(torque)
    for j in reversed(range(len(x))):
        for i in range(j):
            x[i] = x[i] - product(upper[j][i], x[j])
        x[j] = joints[j].alone(x[j])
    for j in range(len(x)):
        for i in range(j):
            x[j] = x[j] - product(transposed(upper[j][i]), x[i])
    return x


def operations(n: int) -> Operations:
    """For n revolute joints."""
    return Operations(13 * n**2 + 348 * n - 4, 10 * n**2 + 289 * n - 8, n, 2 * n)
