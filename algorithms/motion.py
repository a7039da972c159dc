"""Motion over time: integrators, the energy of an arm, and a contact fixed in the world.

An integrator asks for joint accelerations at (time, q, qd) and returns the next q and qd; any solver can give
them. Quaternions follow 1/2 [0; omega] times q, omega in the axes of frame i, and are made of unit length at
every stage.

A contact drifts, as an integrator keeps W' Vdot only. The corrections are problems as well, at rest, without
loads: with G_C = -W'V the qdd of the closed chain is the least change of qd that W'V asks for, in the measure
of the mass matrix, and with G_C = -W'e, e being the error of the pose, that of q. So the program that
computes the motion also stabilises it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.blocks import cross
from senn.algorithms.problems.contact_forms import Touch
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain, configuration, points, spread
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers

State: TypeAlias = tuple[Numbers, Numbers]
"""q (coordinates,) and qd (degrees,)."""
Accelerate = Callable[[float, Numbers, Numbers], Numbers]
"""qdd (degrees,) at a time, q and qd."""


# -------- steps


def rates(chain: Chain, q: Numbers, qd: Numbers) -> Numbers:
    """Derivative of q with respect to time, (coordinates,)."""
    rate, rows = np.empty(len(q)), chain.quaternions
    kinds = [JOINTS[joint] for joint in chain.all_joints]
    columns = chain.all_qd_shares.first[:-1][[kind.quaternion for kind in kinds], None] + np.arange(3)
    rate[np.delete(np.arange(len(q)), rows)] = np.delete(qd, columns)
    w, vector, omega = q[rows[:, :1]], q[rows[:, 1:]], qd[columns]
    rate[rows[:, 0]] = -0.5 * (omega * vector).sum(axis=1)
    rate[rows[:, 1:]] = 0.5 * (w * omega + cross(omega, vector))
    return rate


def moved(chain: Chain, q: Numbers, change: Numbers) -> Numbers:
    """q (coordinates,) and a change of it, with unit quaternions."""
    out, rows = q + change, chain.quaternions
    out[rows] /= np.linalg.norm(out[rows], axis=1, keepdims=True)
    return out


def runge_kutta(
    chain: Chain, accelerate: Accelerate, time: float, step: float, state: State, first: Numbers
) -> State:
    """The classical method, of order 4; `first` is qdd at the state."""
    q, qd = state
    slopes, sums = (rates(chain, q, qd), first), [np.zeros_like(q), np.zeros_like(qd)]
    for weight, part in ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)):
        for total, slope in zip(sums, slopes, strict=True):
            total += weight * slope
        if part:
            stage, rate = moved(chain, q, part * step * slopes[0]), qd + part * step * slopes[1]
            slopes = rates(chain, stage, rate), accelerate(time + part * step, stage, rate)
    return moved(chain, q, step / 6 * sums[0]), qd + step / 6 * sums[1]


def semi_implicit(
    chain: Chain, accelerate: Accelerate, time: float, step: float, state: State, first: Numbers
) -> State:
    """Euler's method with the new qd in the new q, of order 1."""
    q, qd = state[0], state[1] + step * first
    return moved(chain, q, step * rates(chain, q, qd)), qd


@dataclass(frozen=True)
class Integrator:
    """A method, and how many accelerations one of its steps needs."""

    step: Callable[[Chain, Accelerate, float, float, State, Numbers], State]
    evaluations: int


INTEGRATORS: Mapping[str, Integrator] = {
    "rk4": Integrator(runge_kutta, 4),
    "semi-implicit": Integrator(semi_implicit, 1),
}
"""Integrators by name."""


# -------- energy


def energy(problem: Problem) -> tuple[float, float]:
    """Kinetic and potential energy of a state, J; the potential one is 0 with all masses at the origin."""
    chain, still = problem.chain, np.zeros(problem.chain.degrees)
    momentum = newton_euler.dynamics(chain, problem.q, still, problem.qd, np.zeros(3)).torque
    kinetic = problem.qd @ momentum / 2
    moment = np.zeros(3)  # kg m, of all masses in the frame of the base
    for limb, places, axes in spread(chain, problem.q):
        centre = configuration(limb.chain, problem.q[limb.share(chain.all_q_shares)]).centre
        moment += limb.chain.mass @ (places[:-1] + spatial.turned(axes[1:], centre))
    return float(kinetic), float(-problem.gravity @ moment)


# -------- the contact


@dataclass(frozen=True, eq=False)
class Pose:
    """The end effector in the base frame."""

    place: Numbers  # (3,) m
    axes: Numbers  # (3, 3)


def tip(problem: Problem) -> Pose:
    """Pose of the end effector."""
    places, axes = points(problem.chain, problem.q)
    return Pose(places[-1], axes[-1])


def frozen(problem: Problem) -> Problem:
    """The problem with the direction of a contact in a word fixed in the world, as it is now."""
    contact = problem.contact_input
    if not isinstance(contact, Touch) or contact.axes == "world":
        return problem
    direction = tip(problem).axes @ contact.direction
    return replace(problem, contact_input=replace(contact, direction=direction, axes="world"))


def is_kept(problem: Problem) -> bool:
    """Whether W'V is known at all times: 0, or changed by a G_C that is its derivative."""
    contact = problem.contact_input
    if isinstance(contact, Touch):
        return True
    derivative = {"world": "classical", "end_effector": "spatial"}[contact.fixed_in]
    is_known = contact.G_C is None or contact.acceleration == derivative
    return contact.constrained > 0 and contact.law is None and is_known


def prescribed(start: Problem, time: float) -> tuple[Numbers, Numbers]:
    """W'e and W'V (n_c,) at a time of a motion in a kept contact: 0, or what its own G_C makes of them."""
    rate = getattr(start.contact_input, "G_C", None)
    if rate is None:
        return (np.zeros(start.contact.constrained),) * 2
    speed = speed_error(start)
    return time * speed + time**2 / 2 * rate, speed + time * rate


def normal_force(problem: Problem, force: Numbers) -> float | None:
    """Component (N) of a contact force along the normal of a plane or face; None of other contacts."""
    contact = problem.contact_input
    if not isinstance(contact, Touch) or contact.word not in ("plane", "face"):
        return None
    axes = tip(problem).axes if contact.axes == "world" else np.eye(3)
    return float(force[3:] @ (axes.T @ contact.direction))


def speed_error(problem: Problem) -> Numbers:
    """W'V (n_c,) of a state: what the contact lets through, m/s and rad/s."""
    velocity, _ = newton_euler.end_effector(problem.chain, problem.q, problem.qd, np.zeros_like(problem.qd))
    return np.asarray(problem.contact.W.T @ velocity)


def pose_error(problem: Problem, start: Pose) -> Numbers | None:
    """W'e (n_c,), e the error of the pose since the start, m and rad; None where W'V = 0 has no integral.

    A weld has one, and so has a contact in a word, and one that holds points alone, in directions fixed in
    the world. Turns are measured by their sines.
    """
    contact, now = problem.contact_input, tip(problem)
    at, turn = np.zeros(3), np.zeros(3)
    if isinstance(contact, Touch):
        at = contact.position
        if contact.word == "face":
            normal = now.axes @ start.axes.T @ contact.direction
            turn = now.axes.T @ np.cross(contact.direction, normal)
    elif contact.constrained == 6 and contact.G_C is None:
        turn = now.axes.T @ np.cross(start.axes, now.axes, axis=0).sum(axis=1) / 2
    elif contact.fixed_in != "world" or contact.W[:3].any():
        return None
    shift = now.axes.T @ (now.place - start.place + (now.axes - start.axes) @ at)
    return np.asarray(problem.contact.W.T @ np.concatenate([turn, shift - np.cross(turn, at)]))


def impact(problem: Problem, after: Numbers) -> dict[str, Any]:
    """The impact that gives a problem the velocity `after` (degrees,), an impulse of its contact.

    `before` and `after` are qd, `kinetic` the energies (J), and `share` is the larger of two: the largest
    change over the largest qd before, and the square root of the energy of the change over that before.
    """
    states = [replace(problem, qd=qd) for qd in (problem.qd, after, after - problem.qd)]
    before, left, change = (energy(state)[0] for state in states)
    largest = np.abs(states[2].qd).max() / np.abs(problem.qd).max()
    share = float(max(largest, np.sqrt(change / before)))
    kinetic = {"kinetic": [before, left], "energy_lost": before - left}
    return {"before": problem.qd.tolist(), "after": after.tolist(), **kinetic, "share": share}


def correction(problem: Problem, error: Numbers) -> Problem:
    """The problem whose qdd is the least change of qd, or of q in a time of 1, that takes an error away."""
    contact: Contact = problem.contact
    pushed = replace(contact, G_C=-error, K_F=np.zeros_like(contact.K_F))
    still = np.zeros(problem.chain.degrees)
    return replace(problem, qd=still, tau=still, gravity=np.zeros(3), contact_input=pushed)
