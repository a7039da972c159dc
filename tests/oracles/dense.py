"""Dense matrices: M, b, J, Jdot Q, and the closed chain by Fijany Table I as printed, O(n^3).

M and J are built from the links' Jacobians, a route that shares nothing with the O(n) solvers.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems.contact_force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import newton_euler, side_tree
from senn.algorithms.robots.chain import Chain, configuration, tip_inverse_inertia
from senn.algorithms.spatial import Numbers, transposed


def mass_matrix(chain: Chain, q: ArrayLike) -> Numbers:
    """M(q) (degrees, degrees): sum over links of Jc' diag(J_i, m_i U) Jc, Jc the Jacobian of its centre of
    mass."""
    frames, origins = _frames(chain, q)
    outer, pose = frames[1:], configuration(chain, q)
    centres = origins[:-1] + np.einsum("nij,nj->ni", outer, pose.centre)
    M = np.zeros((chain.degrees, chain.degrees))
    turning, sliding = frames[:-1] @ pose.H[:, :3], frames[:-1] @ pose.H[:, 3:]
    for i in range(chain.n):
        angular, linear = _jacobian(chain, turning, sliding, origins, centres[i], i + 1)
        inertia = outer[i] @ chain.inertia[i] @ outer[i].T
        moved = angular.shape[1]  # by joints 1..i
        M[:moved, :moved] += angular.T @ inertia @ angular + chain.mass[i] * (linear.T @ linear)
    return M


def bias(chain: Chain, q: ArrayLike, qd: ArrayLike, gravity: ArrayLike) -> Numbers:
    """b(q, qd) (degrees,): centrifugal, Coriolis, gravity terms (Fijany Eq. (13)); gravity in base axes."""
    return newton_euler.dynamics(chain, q, qd, np.zeros(chain.degrees), gravity).torque


def jacobian(chain: Chain, q: ArrayLike) -> Numbers:
    """J(q) (6, degrees): joint velocities to the tip's [omega; v], frame n+1 at O_{n+1} (Fijany Eq. (8))."""
    frames, origins = _frames(chain, q)
    H = configuration(chain, q).H
    turning, sliding = frames[:-1] @ H[:, :3], frames[:-1] @ H[:, 3:]
    angular, linear = _jacobian(chain, turning, sliding, origins, origins[-1], chain.n)
    return np.vstack([frames[-1].T @ angular, frames[-1].T @ linear])


def jdot_qd(chain: Chain, q: ArrayLike, qd: ArrayLike) -> Numbers:
    """Jdot Q (6,): classical tip acceleration at qdd = 0, frame n+1, free of gravity (Fijany III.C)."""
    return newton_euler.end_effector(chain, q, qd, np.zeros(chain.degrees))[1]


def solve(problem: Problem) -> Solution:
    """Fijany Table I, with Vdot_{0,n+1} on the right of Eq. (29); `InputError` for a singular contact."""
    chain, q, qd = problem.chain, problem.q, problem.qd
    M, J = mass_matrix(chain, q), jacobian(chain, q)
    drive = problem.tau - bias(chain, q, qd, problem.gravity)
    responses: Numbers = np.linalg.solve(M, np.column_stack([drive, J.T])).astype(np.float64)
    qdd0 = responses[:, 0]
    lambda_inverse = J @ responses[:, 1:]
    lambda_inverse = (lambda_inverse + lambda_inverse.T) / 2
    acceleration0 = J @ qdd0 + jdot_qd(chain, q, qd)
    ratio = pivot_ratio(problem.contact, lambda_inverse, tip_inverse_inertia(chain))
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))
    force = contact_force(problem.contact, lambda_inverse, acceleration0)
    qdd = qdd0 - responses[:, 1:] @ force
    forces = newton_euler.dynamics(chain, q, qd, qdd, problem.gravity, force).wrenches
    return Solution(qdd, force, lambda_inverse, qdd0, acceleration0, forces)


def _frames(chain: Chain, q: ArrayLike) -> tuple[Numbers, Numbers]:
    """Axes (n+1, 3, 3) and origins (n+1, 3) of frames 1..n+1 in the base frame.

    The origin of frame i is O_i, where the joint moves the link's point away from.
    """
    side_tree.refuse(chain)
    pose = configuration(chain, q)
    frames = np.array(list(accumulate(pose.rotation, np.matmul, initial=chain.base_rotation)))
    steps = np.einsum("nij,nj->ni", frames[1:], pose.position)
    return frames, np.cumsum(np.vstack([chain.base_position, steps]), axis=0)


def _jacobian(
    chain: Chain, turning: Numbers, sliding: Numbers, origins: Numbers, point: Numbers, links: int
) -> tuple[Numbers, Numbers]:
    """Angular and linear Jacobian (3, degrees of joints 1..links) of a point of link `links`, base axes.

    turning, sliding (n, 3, k): the angular and linear rows of H_i, turned to base axes.
    """
    held = chain.qd_shares.held[:links]
    arms = np.repeat(point - origins[:links], held.sum(axis=1), axis=0)
    angular = transposed(turning[:links])[held]
    linear = transposed(sliding[:links])[held] + np.cross(angular, arms)
    return angular.T, linear.T
