"""Articulated bodies (Featherstone 1983), O(n): the reference that every run is certified against.

Link i in frame i at O_i. The arm is taken at rest under tau - b, as in Fijany II.C; the bias b and Jdot Q
come from Newton-Euler. One outward and one inward pass serve all right-hand sides at once: the torque, and
six unit forces at the tip whose responses are the columns of Lambda^-1.
"""

from dataclasses import dataclass

import numpy as np

from senn.algorithms import contact as contacts
from senn.algorithms import spatial
from senn.algorithms.chain import Chain, configuration, tip_inverse_inertia
from senn.algorithms.problem import Problem
from senn.algorithms.serial import newton_euler
from senn.algorithms.solution import Solution
from senn.algorithms.spatial import Array, IntArray, transposed


def solve(problem: Problem, arm: "Arm | None" = None) -> Solution:
    """The closed chain by Fijany Table I with articulated bodies; `InputError` for a singular contact.

    Who has the arm factored at this state already gives it along.
    """
    chain, still = problem.chain, np.zeros(problem.chain.n)
    bias = newton_euler.inverse_dynamics(chain, problem.q, problem.qd, still, problem.gravity)
    _, jdot_qd = newton_euler.end_effector(chain, problem.q, problem.qd, still)
    arm = arm or factor(chain, problem.q)
    torque = np.zeros((chain.n, 7))
    torque[:, 0] = problem.tau - bias
    tip_force = np.hstack([np.zeros((6, 1)), -np.eye(6)])
    acceleration, tip = respond(arm, torque, tip_force)
    qdd0, unit_response = acceleration[:, 0], acceleration[:, 1:]
    lambda_inverse = (tip[:, 1:] + tip[:, 1:].T) / 2
    acceleration0 = tip[:, 0] + jdot_qd
    ratio = contacts.pivot_ratio(problem.contact, lambda_inverse, tip_inverse_inertia(chain))
    contacts.check_regular(ratio, problem.drawn)
    force = contacts.force(problem.contact, lambda_inverse, acceleration0)
    return Solution(qdd0 - unit_response @ force, force, lambda_inverse, qdd0, acceleration0)


@dataclass(frozen=True, eq=False)
class Arm:
    """The factored arm at one q."""

    axis: IntArray
    """(n,): row of the joint's axis."""
    motion: Array
    """(n, 6, 6): link i's velocity (frame i, O_i) to that of O_{i+1} (frame i+1): hat(P_i)' C6(i+1,i)."""
    reach: Array
    """(n, 6): articulated inertia times H_i."""
    pivot: Array
    """(n,): H_i' times that, the inertia seen by joint i."""


def factor(chain: Chain, q: Array) -> Arm:
    """Articulated inertias from the tip to the base at q (n,)."""
    pose = configuration(chain, q)
    axis = spatial.axis_rows(chain.joints)
    motion = transposed(spatial.hat(pose.position)) @ spatial.six(transposed(pose.rotation))
    turned = pose.rotation @ chain.inertia @ transposed(pose.rotation)
    centre = np.einsum("nij,nj->ni", pose.rotation, pose.centre)
    inertia = spatial.inertia(chain.mass, turned, centre)
    reach, pivot = np.empty((chain.n, 6)), np.empty(chain.n)
    beyond = np.zeros((6, 6))
    for i in reversed(range(chain.n)):
        whole = inertia[i] + motion[i].T @ beyond @ motion[i]
        reach[i] = whole[:, axis[i]]
        pivot[i] = reach[i, axis[i]]
        beyond = whole - reach[i][:, None] * (reach[i] / pivot[i])
        beyond = (beyond + beyond.T) / 2
    return Arm(axis, motion, reach, pivot)


def respond(arm: Arm, torque: Array, tip_force: Array) -> tuple[Array, Array]:
    """Accelerations of the arm at rest: M^-1 (torque - J' tip_force), and J times that.

    torque (n, r); tip_force (6, r) BY the end effector ON the environment, frame n+1
    -> joint accelerations (n, r), end-effector accelerations (6, r) in frame n+1.
    """
    n, columns = torque.shape
    drive = np.empty((n, columns))
    bias = tip_force
    for i in reversed(range(n)):
        bias = arm.motion[i].T @ bias
        drive[i] = (torque[i] - bias[arm.axis[i]]) / arm.pivot[i]
        bias = bias + arm.reach[i][:, None] * drive[i]
    out = np.empty((n, columns))
    share = arm.reach / arm.pivot[:, None]
    acceleration = np.zeros((6, columns))
    for i in range(n):
        out[i] = drive[i] - share[i] @ acceleration
        acceleration[arm.axis[i]] += out[i]
        acceleration = arm.motion[i] @ acceleration
    return out, acceleration
