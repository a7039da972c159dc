"""Torques, M and J as sums over the links: d'Alembert's principle, one degree of freedom after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms.plain_sums.links import BASE, Arm
from senn.algorithms.plain_sums.motion import Motion, Pose, inward, turned
from senn.algorithms.plain_sums.turns import Array, x_and_z, z_to


@dataclass(frozen=True, eq=False)
class Loads:
    """What passes through the joints, rows are links, in axes of the base."""

    force: Array
    """(k, 3) N."""
    moment: Array
    """(k, 3) N m about the origin of the link's frame."""
    torque: Array
    """(degrees,)."""


def loads(at: Pose, moving: Motion, gravity: Array, force: Array) -> Loads:
    """What moves the links so, against gravity (3,), and gives the environment the contact force (6,) at the
    tip ([moment; force], end-effector axes).

    Of every link the force m (a - g) at its centre of mass, and the rate of its angular momentum.
    """
    net = at.mass[:, None] * (moving.centre - gravity)
    momentum = turned(at.inertia, moving.spin)
    moment = turned(at.inertia, moving.turning) + np.cross(moving.spin, momentum)
    moment += np.cross(at.centre - at.origin, net)
    last = at.arm.last
    given_moment, given_force = at.tip_axes @ force[:3], at.tip_axes @ force[3:]
    net[last] += given_force
    moment[last] += given_moment + np.cross(at.tip - at.origin[last], given_force)
    through = inward(at.on, net)
    carried = np.flatnonzero(at.on != BASE)
    before = at.on[carried]
    np.add.at(moment, before, np.cross(at.origin[carried] - at.origin[before], through[carried]))
    moments = inward(at.on, moment)
    torque = (at.spin * moments[at.of]).sum(axis=1) + (at.slide * through[at.of]).sum(axis=1)
    return Loads(through, moments, torque)


def wrenches(at: Pose, carried: Loads) -> Array:
    """(main, 6) [moment; force] through the joints of the main chain, in the paper's frame of each, about the
    joint before it has moved."""
    rows = list(at.arm.order[: at.arm.main])
    frames = at.axes[rows] @ np.array([_frame(at.arm, k) for k in rows])
    moments = carried.moment[rows] + np.cross(at.origin[rows] - at.joint[rows], carried.force[rows])
    inside = frames.transpose(0, 2, 1)
    return np.hstack([turned(inside, moments), turned(inside, carried.force[rows])])


def _frame(arm: Arm, number: int) -> Array:
    """Axes of the paper's frame of a joint, z along it, in the joint's own frame."""
    link = arm.links[number]
    if link.frame is not None:
        return link.frame
    return z_to(link.axis) if link.second is None else x_and_z(link.second, link.axis)


def jacobian(at: Pose) -> Array:
    """(6, degrees): the end effector's [angular; linear] velocity for each rate alone, in its own axes."""
    beyond = _beyond(at)[at.arm.last]
    spin = at.spin * beyond[:, None]
    slide = (at.slide + np.cross(at.spin, at.tip - at.origin[at.of])) * beyond[:, None]
    return np.vstack([at.tip_axes.T @ spin.T, at.tip_axes.T @ slide.T])


def mass_matrix(at: Pose) -> Array:
    """(degrees, degrees): twice the kinetic energy, as a sum over the links."""
    beyond, degrees = _beyond(at)[:, :, None], len(at.of)
    spin = at.spin * beyond
    slide = (at.slide + np.cross(at.spin, at.centre[:, None] - at.origin[at.of])) * beyond
    momentum = spin @ at.inertia.transpose(0, 2, 1)
    found = np.zeros((degrees, degrees))
    for k in range(3):
        found += spin[:, :, k].T @ momentum[:, :, k]
        found += (slide[:, :, k] * at.mass[:, None]).T @ slide[:, :, k]
    return (found + found.T) / 2.0


def _beyond(at: Pose) -> Array:
    """(k, degrees): 1 where a degree of freedom moves a link, else 0."""
    above = np.zeros((len(at.on), len(at.on)))
    for k, before in enumerate(at.on.tolist()):
        if before != BASE:
            above[k] = above[before]
        above[k, k] = 1.0
    return above[:, at.of]
