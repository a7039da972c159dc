"""Divide and conquer on one processor, as Featherstone 1999 prints it: the same tree, by 6x6 inverses.

Two bodies A (inner) and B meet at a joint with axis S: V = (Phi_1B + Phi_2A)^-1,
W = V - V S (S'VS)^-1 S'V, beta = b_2A - b_1B, gamma = W beta + V S (S'VS)^-1 Q. The program on the machine
(`senn.algorithms.programs.divide_and_conquer`) has W from five pivots instead; this is what it is compared
with. The arm is taken at rest under tau - b, b from Newton-Euler, as in the other references. Row i-1 is link
i, frame i at O_i for its inner handle, frame i+1 at O_{i+1} for its outer one; the work is O(n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.arm import is_wide
from senn.algorithms.problems.contact_force import check_regular, contact_force, pivot_ratio
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import newton_euler, side_tree
from senn.algorithms.robots.chain import configuration, tip_inverse_inertia
from senn.algorithms.spatial import Numbers, transposed
from senn.base.errors import InputError


@dataclass(frozen=True, eq=False)
class Body:
    """Links that are joined: accelerations of the two handles from the forces on them.

    a_1 = inner f_1 + across f_2 + b_1 and a_2 = across' f_1 + outer f_2 + b_2. With link 1 in it, joined to
    the base, a body has no inner handle: those parts are zero.
    """

    inner: Numbers
    across: Numbers
    outer: Numbers
    b_1: Numbers
    b_2: Numbers
    joint: Joint | None = None
    """Where its two parts meet; None for a link."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two bodies, solved for everything but the forces at the far handles."""

    number: int
    a: Body
    b: Body
    W: Numbers
    drive: Numbers
    """(6,): V S (S'VS)^-1."""
    pivot: float
    """S'VS."""
    beta: Numbers
    torque: float


def solve(problem: Problem) -> Solution:
    """The closed chain by Fijany Table I with divide and conquer; `InputError` for a singular contact and
    for joints that are neither revolute nor prismatic."""
    chain, still = problem.chain, np.zeros(problem.chain.degrees)
    if is_wide(chain.joints):
        raise InputError(f"as printed, joints are revolute or prismatic, not {', '.join(chain.joints)}")
    side_tree.refuse(chain)
    bias = newton_euler.inverse_dynamics(chain, problem.q, problem.qd, still, problem.gravity)
    _, jdot_qd = newton_euler.end_effector(chain, problem.q, problem.qd, still)
    torque = problem.tau - bias
    rows = [{"revolute": 2, "prismatic": 5}[joint] for joint in chain.joints]
    base, bodies = Body(*np.zeros((3, 6, 6)), *np.zeros((2, 6))), _links(problem)
    bodies[0] = _joined(base, bodies[0], 1, rows[0], torque[0])
    first = list(range(1, chain.n + 1))  # of each body its innermost link, which is the number of the joint
    while len(bodies) > 1:  # neighbours in pairs, counted from the tip
        odd = len(bodies) % 2
        pairs = zip(bodies[odd::2], bodies[odd + 1 :: 2], first[odd + 1 :: 2], strict=True)
        bodies[odd:] = [_joined(a, b, number, rows[number - 1], torque[number - 1]) for a, b, number in pairs]
        first[odd:] = first[odd::2]
    (arm,) = bodies
    acceleration0 = arm.b_2 + jdot_qd
    ratio = pivot_ratio(problem.contact, arm.outer, tip_inverse_inertia(chain))
    check_regular(ratio, problem.drawn)
    force = contact_force(problem.contact, arm.outer, acceleration0)
    qdd, qdd0 = np.empty(chain.n), np.empty(chain.n)
    _accelerations(arm, np.zeros(6), force, qdd)
    _accelerations(arm, np.zeros(6), np.zeros(6), qdd0)
    forces = newton_euler.dynamics(chain, problem.q, problem.qd, qdd, problem.gravity, force).wrenches
    return Solution(qdd, force, arm.outer, qdd0, acceleration0, forces)


def _links(problem: Problem) -> list[Body]:
    """The leaves: inverse inertias about both handles, and between them; at rest nothing else."""
    chain, pose = problem.chain, configuration(problem.chain, problem.q)
    inverse = np.linalg.inv(chain.inertia)
    turned = pose.rotation @ inverse @ transposed(pose.rotation)
    centre = np.einsum("nij,nj->ni", pose.rotation, pose.centre)
    inner = spatial.inverse_inertia(chain.mass, turned, centre)
    outer = spatial.inverse_inertia(chain.mass, inverse, pose.centre - pose.position)
    across = inner @ spatial.six(pose.rotation) @ spatial.hat(pose.position)
    still = np.zeros(6)
    return [Body(*blocks, still, still) for blocks in zip(inner, across, outer, strict=True)]


def _joined(a: Body, b: Body, number: int, row: int, torque: float) -> Body:
    """The body of two, joined by joint `number`, whose S is the unit vector of `row` in the joint's frame."""
    V = np.linalg.inv(b.inner + a.outer)
    V = (V + V.T) / 2
    drive = V[:, row] / V[row, row]
    W = V - np.outer(drive, V[row])
    beta = a.b_2 - b.b_1
    gamma = W @ beta + drive * torque
    return Body(
        inner=a.inner - a.across @ W @ a.across.T,
        across=a.across @ W @ b.across,
        outer=b.outer - b.across.T @ W @ b.across,
        b_1=a.b_1 - a.across @ gamma,
        b_2=b.b_2 + b.across.T @ gamma,
        joint=Joint(number, a, b, W, drive, float(V[row, row]), beta, torque),
    )


def _accelerations(body: Body, inner: Numbers, passed: Numbers, out: Numbers) -> None:
    """Fill in the joints' accelerations: `inner` is the force on handle 1, `passed` what 2 passes on."""
    joint = body.joint
    if joint is None:
        return
    relative = joint.beta + joint.a.across.T @ inner + joint.b.across @ passed
    force = joint.W @ relative + joint.drive * joint.torque
    out[joint.number - 1] = joint.torque / joint.pivot - joint.drive @ relative
    _accelerations(joint.a, inner, force, out)
    _accelerations(joint.b, force, passed, out)
