"""Articulated bodies (Featherstone 1983), O(n): the reference that every run is certified against.

Link i in frame i at O_i. The arm is taken at rest under tau - b, as in Fijany II.C; the bias b and Jdot Q
come from Newton-Euler. One outward and one inward pass serve all right-hand sides at once: the torque, and
six unit forces at the tip whose responses are the columns of Lambda^-1.

A joint of n_i degrees of freedom has a pivot n_i x n_i; a free one lets nothing through to the link before
it, a welded one everything.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.problems.contact.force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import newton_euler, tree
from senn.algorithms.robots.chain import Chain, configuration
from senn.algorithms.spatial import Numbers, transposed


def solve(problem: Problem, arm: "Factored | None" = None) -> Solution:
    """The closed chain by Fijany Table I with articulated bodies; `InputError` for a singular contact.

    Who has the arm factored at this state already gives it along.
    """
    chain, still = problem.chain, np.zeros(problem.chain.degrees)
    bias = newton_euler.inverse_dynamics(chain, problem.q, problem.qd, still, problem.gravity)
    _, jdot_qd = newton_euler.end_effector(chain, problem.q, problem.qd, still)
    arm = arm or factor(chain, problem.q)
    torque = np.zeros((chain.degrees, 7))
    torque[:, 0] = problem.tau - bias
    tip_force = np.hstack([np.zeros((6, 1)), -np.eye(6)])
    acceleration, tip = respond(arm, torque, tip_force)
    qdd0, unit_response = acceleration[:, 0], acceleration[:, 1:]
    lambda_inverse = (tip[:, 1:] + tip[:, 1:].T) / 2
    acceleration0 = tip[:, 0] + jdot_qd
    ratio = pivot_ratio(problem.contact, lambda_inverse, tree.tip_inverse_inertia(chain, problem.q))
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))
    force = contact_force(problem.contact, lambda_inverse, acceleration0)
    qdd = qdd0 - unit_response @ force
    forces = newton_euler.interbody_forces(chain, problem.q, problem.qd, qdd, problem.gravity, force)
    return Solution(qdd, force, lambda_inverse, qdd0, acceleration0, forces)


def lambda_inverse(chain: Chain, q: Numbers) -> Numbers:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}: how the end effector answers six unit forces."""
    _, tip = respond(factor(chain, q), np.zeros((chain.degrees, 6)), -np.eye(6))
    return np.asarray((tip + tip.T) / 2)


@dataclass(frozen=True, eq=False)
class Arm:
    """The factored arm at one q."""

    own: tuple[slice, ...]
    """(n,): the rows of joint i."""
    motion: Numbers
    """(n, 6, 6): link i's velocity (frame i, O_i) to that of O_{i+1} (frame i+1): hat(P_i)' C6(i+1,i)."""
    axes: Numbers
    """(degrees, 6): H_i', frame i."""
    reach: Numbers
    """(degrees, 6): H_i' times the articulated inertia."""
    pivots: tuple[Numbers, ...]
    """(n,) of (n_i, n_i): that times H_i, the inertia seen by joint i."""
    share: Numbers
    """(degrees, 6): pivot^-1 times `reach`."""


Factored: TypeAlias = Arm | tree.Arm
"""A factored arm, without or with side branches."""


def factor(chain: Chain, q: Numbers) -> Factored:
    """Articulated inertias from the tip to the base at q (coordinates,)."""
    if chain.branches:
        return tree.factor(chain, q)
    pose = configuration(chain, q)
    axes = chain.qd_shares.flat(transposed(pose.H))
    motion = transposed(spatial.hat(pose.position)) @ spatial.six(transposed(pose.rotation))
    turned = pose.rotation @ chain.inertia @ transposed(pose.rotation)
    centre = np.einsum("nij,nj->ni", pose.rotation, pose.centre)
    inertia = spatial.inertia(chain.mass, turned, centre)
    slices = chain.qd_shares.slices
    reach, share, pivots = np.empty_like(axes), np.empty_like(axes), []
    beyond = np.zeros((6, 6))
    # `dot` is `@` at half the price for matrices this small, which is what counts for long arms.
    for own, outward, link in zip(reversed(slices), motion[::-1], inertia[::-1], strict=True):
        whole = link + outward.T.dot(beyond).dot(outward)
        allowed = axes[own].T
        through = whole.dot(allowed).T
        pivot = through.dot(allowed)
        part = _solved(pivot, through)
        reach[own], share[own] = through, part
        pivots.append(pivot)
        beyond = whole - through.T.dot(part)
        beyond = (beyond + beyond.T) / 2
    return Arm(slices, motion, axes, reach, tuple(reversed(pivots)), share)


def respond(arm: Factored, torque: Numbers, tip_force: Numbers) -> tuple[Numbers, Numbers]:
    """Accelerations of the arm at rest: M^-1 (torque - J' tip_force), and J times that.

    torque (degrees, r); tip_force (6, r) BY the end effector ON the environment, frame n+1
    -> joint accelerations (degrees, r), end-effector accelerations (6, r) in frame n+1.
    """
    if isinstance(arm, tree.Arm):
        return tree.respond(arm, torque, tip_force)
    drive = np.empty_like(torque)
    bias = tip_force
    for own, motion, pivot in zip(reversed(arm.own), arm.motion[::-1], reversed(arm.pivots), strict=True):
        bias = motion.T.dot(bias)
        push = _solved(pivot, torque[own] - arm.axes[own].dot(bias))
        bias = bias + arm.reach[own].T.dot(push)
        drive[own] = push
    out = np.empty_like(torque)
    acceleration = np.zeros_like(tip_force)
    for own, motion in zip(arm.own, arm.motion, strict=True):
        move = drive[own] - arm.share[own].dot(acceleration)
        acceleration = motion.dot(acceleration + arm.axes[own].T.dot(move))
        out[own] = move
    return out, acceleration


def _solved(pivot: Numbers, rows: Numbers) -> Numbers:
    """pivot^-1 rows; one degree of freedom, the usual case, is a division."""
    if len(pivot) == 1:
        return rows / pivot
    return np.asarray(np.linalg.solve(pivot, rows), dtype=np.float64)
