"""Forward dynamics by triangular equations, O(N^2): Jain section 4 and Lemma 6.2; Rosenthal (1988).

The innovations factorisation M = [U + H phi K] D [U + H phi K]*, of which K and D come from the articulated
inertias in O(N) and the triangular factor, element by element, in O(N^2). Then two triangular systems:
[U + H phi K] D x = T - C and [U + H phi K]* qdd = x. Counted from the base the first factor is upper.
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family.arm import SerialArm, Vectors, ancestors, joined
from senn.algorithms.family.closing import Free
from senn.algorithms.family.joint_space import newton_euler
from senn.algorithms.family.link import inward, product
from senn.algorithms.family.sweeps import Hinge, hinges

Triangle = list[dict[int, Blocks]]
"""Entry [j][i] is block (i, j) of H phi K, for an ancestor i of j; the other blocks are zero."""


def open_chain(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free."""
    joints = hinges(arm)
    upper = factor(arm, joints)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(joints, upper, arm.split(x)))

    return Free(respond(tau - joined(newton_euler(arm))), respond)


def factor(arm: SerialArm, joints: list[Hinge]) -> Triangle:
    """H phi K: column j is G_j brought inward, felt by each joint on the way."""
    columns: Triangle = []
    for j, hinge in enumerate(joints):
        gain, felt = hinge.gain, {}
        for i in ancestors(arm, j):
            gain = inward(arm.links[i], gain)
            felt[i] = arm.links[i].freedom.along(gain)
        columns.append(felt)
    return columns


def accelerations(joints: list[Hinge], upper: Triangle, torque: Vectors) -> Vectors:
    """Both triangular systems; torque_i (n_i,) or (n_i, r)."""
    x = list(torque)
    for j in reversed(range(len(x))):
        for i, block in upper[j].items():
            x[i] = x[i] - product(block, x[j])
        x[j] = joints[j].alone(x[j])
    for j in range(len(x)):
        for i, block in upper[j].items():
            x[j] = x[j] - product(transposed(block), x[i])
    return x
