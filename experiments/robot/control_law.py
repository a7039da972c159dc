"""Operational-space control of a tip in contact, and the linear recursion of its error.

Vectors (6,) are [angular; linear] in the axes of the end effector, at O_{n+1}. W has the constrained
directions as orthonormal columns, P = U - W W' is onto the free ones, e is the error of the pose. With
torques tau_0 a run of the program gives A_0, the acceleration that the tip would have without contact, and
Lambda^-1. The law of Khatib (1987) is

    A*  = P (A_d + omega^2 e + 2 zeta omega e') + W G_C
    Phi = Lambda (A* - A_0) + B k_d + H K_F        tau = tau_0 + J' Phi

B is what a unit of the contact force K_C presses, H K_F the force in free directions. As Vdot = A_0 +
Lambda^-1 (Phi - F) in contact, Vdot = A* and K_C = k_d, whatever the arm is. tau_0 asks for qdd = -omega qd:
it bears gravity, and damps the motion that the tip does not see.

So along a free direction e'' = -omega^2 e - 2 zeta omega e'. Of a computer e'' is what it was at the last
sample whose torque acts: over a sample period T, and from a delay of 0..T after the sample on, a linear
recursion (`recursion`), whose spectral radius is below 1 if the loop is stable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from senn.algorithms.motion import Pose, tip
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError
from senn.machine.program import Operations

_SINGULAR = 1e12
_AXES = np.eye(3)


@dataclass(frozen=True)
class Gains:
    """Gains of the law: omega = 2 pi bandwidth (1/s), zeta, and the share of a force error added a sample."""

    omega: float
    zeta: float
    integral: float


@dataclass(frozen=True, eq=False)
class Aim:
    """Pose, velocity and acceleration that the tip is to have at a time: in base axes, without turning."""

    pose: Pose
    velocity: Numbers  # (3,) m/s
    acceleration: Numbers  # (3,) m/s^2


def free_way(problem: Problem) -> Numbers:
    """The unit vector (3,), in base axes, that the contact lets the tip go along, near an axis of the base;
    InputError where nothing is held, or no translation is free."""
    contact, axes = problem.contact, tip(problem).axes
    _, sizes, rows = np.linalg.svd(contact.W[3:].T @ axes.T) if contact.constrained else (0, 0, _AXES)
    free = rows[np.count_nonzero(np.asarray(sizes) > 1e-9) :]
    if contact.law or not contact.constrained or not len(free):
        kind = "holds nothing" if not contact.constrained else "lets the tip move along nothing"
        raise InputError(
            f"{problem.name}: control presses in some directions and moves along others, but the contact "
            f"{'is a law between force and acceleration' if contact.law else kind}: take a plane, a line or "
            "a face, such as --contact plane"
        )
    shares = free.T @ free
    way = shares[np.linalg.norm(shares, axis=0).round(9).argmax()]
    return np.asarray(way / np.linalg.norm(way))


def aim(start: Pose, way: Numbers, rise: float, time: float) -> Aim:
    """On the way (3,) m from the start, at rest after `rise` (s): a quintic in time; rise 0 is a step."""
    s = min(time / rise, 1.0) if rise else 1.0
    rate = 1.0 / rise if rise else 0.0
    place = s**3 * (10 - 15 * s + 6 * s**2)
    velocity = 30 * s**2 * (1 - s) ** 2 * rate
    acceleration = 60 * s * (1 - s) * (1 - 2 * s) * rate**2
    return Aim(Pose(start.place + place * way, start.axes), velocity * way, acceleration * way)


def errors(problem: Problem, aim: Aim) -> tuple[Numbers, Numbers]:
    """Errors (6,) of pose and velocity in the free directions, m and rad; turns by their sines."""
    W, now = problem.contact.W, tip(problem)
    velocity, _ = newton_euler.end_effector(problem.chain, problem.q, problem.qd, np.zeros_like(problem.qd))
    across = now.axes.T @ aim.pose.axes
    turn = (across - across.T)[[2, 0, 1], [1, 2, 0]] / 2
    pose = np.concatenate([turn, now.axes.T @ (aim.pose.place - now.place)])
    rate = np.concatenate([np.zeros(3), now.axes.T @ aim.velocity]) - velocity
    return pose - W @ (W.T @ pose), rate - W @ (W.T @ rate)


def unpressed(problem: Problem, gains: Gains) -> Problem:
    """The problem with the torques tau_0."""
    qdd = -gains.omega * problem.qd
    tau = newton_euler.dynamics(problem.chain, problem.q, problem.qd, qdd, problem.gravity).torque
    return replace(problem, tau=tau)


def torque(
    state: Problem, aim: Aim, press: Numbers, gains: Gains, lambda_inverse: Numbers, acceleration0: Numbers
) -> Numbers:
    """tau (degrees,) from the answers at a state with torques tau_0; press is k_d (n_c,)."""
    if not np.linalg.cond(lambda_inverse) < _SINGULAR:
        raise InputError("Lambda^-1 is singular: the tip cannot move in all six directions; change q")
    contact, (pose, rate) = state.contact, errors(state, aim)
    assert contact.G_C is not None  # settled
    forward = np.concatenate([np.zeros(3), tip(state).axes.T @ aim.acceleration])
    forward -= contact.W @ (contact.W.T @ forward)
    wanted = forward + gains.omega**2 * pose + 2 * gains.zeta * gains.omega * rate + contact.W @ contact.G_C
    wrench = np.asarray(np.linalg.solve(lambda_inverse, wanted - acceleration0), dtype=np.float64)
    wrench += contact.bearing @ press + contact.H @ contact.K_F
    return state.tau + at_joints(state.chain, state.q, wrench)


def at_joints(chain: Chain, q: Numbers, wrench: Numbers) -> Numbers:
    """J' times a wrench (6,) at the end effector: torques (degrees,)."""
    still = np.zeros(chain.degrees)
    return newton_euler.dynamics(chain, q, still, still, np.zeros(3), wrench).torque


def pressed(contact: Contact, force: Numbers) -> Numbers:
    """K_C (n_c,) of a contact force (6,)."""
    return np.asarray(np.linalg.lstsq(contact.bearing, force - contact.H @ contact.K_F, rcond=None)[0])


# -------- the linear loop


def recursion(gains: Gains, period: float, delay: float) -> Numbers:
    """(3, 3): e, e' and the acceleration that acts at a sample, from sample to sample."""
    rest, omega = period - delay, gains.omega
    law = np.array([-(omega**2), -2 * gains.zeta * omega, 0.0])
    free = np.array([[1.0, period, (period**2 - rest**2) / 2], [0.0, 1.0, delay], [0.0, 0.0, 0.0]])
    return free + np.outer([rest**2 / 2, rest, 1.0], law)


def spectral_radius(gains: Gains, period: float, delay: float) -> float:
    """Factor of the slowest part of an error of the tip, a sample; from 1 on the loop is unstable."""
    return float(np.abs(np.linalg.eigvals(recursion(gains, period, delay))).max())


def force_radius(gains: Gains, period: float, delay: float) -> float:
    """Factor of an error of the force, a sample, by its integral; 1 without one, else unstable from 1 on."""
    share = gains.integral
    polynomial = [1.0, share - 1.0] if delay < period else [1.0, -1.0, share]
    return float(np.abs(np.roots(polynomial)).max())


def stability_limit(zeta: float, share: float) -> float:
    """omega T from which on a loop with a delay of this share of T is unstable: zeta = 1 has 1 at share 0."""
    low, high = 0.0, 4.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        stable = spectral_radius(Gains(middle, zeta, 0.0), 1.0, share) < 1
        low, high = (middle, high) if stable else (low, middle)
    return low


def law_operations(n: int) -> Operations:
    """Torques of operational-space control, O(n^3), n >= 2: tau_0 and A_0 by Newton-Euler, Lambda^-1 by the
    mass matrix, the wrench that solves with it, and J' times it. The errors of the tip are not counted."""
    multiply = (n**3 + 39 * n**2 + 1310 * n - 60) // 6
    return Operations(multiply, (n**3 + 33 * n**2 + 1112 * n - 168) // 6, n + 6, 2 * n)
