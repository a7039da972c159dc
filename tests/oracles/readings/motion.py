"""The arm at a state, every link in axes of the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.oracles.readings.links import BASE, COORDINATES, RATES, Arm, Array, Whole, moves


@dataclass(frozen=True, eq=False)
class Pose:
    """The arm at q, and how fast it moves at qd: rows are links, in axes of the base."""

    arm: Arm
    on: Whole  # (k,): the link that each hangs on
    axes: Array  # (k, 3, 3): of the joint's frame, before the joint moves it
    frame: Array  # (k, 3, 3): of the link's
    joint: Array  # (k, 3) m: where the joint's frame is
    origin: Array  # (k, 3) m: where the link's is, which the joint has moved
    centre: Array  # (k, 3) m: of mass
    mass: Array
    inertia: Array  # (k, 3, 3) about the centre of mass
    of: Whole  # (d,): the link that each degree of freedom moves
    spin: Array  # (d, 3): its angular velocity for a unit of each rate
    slide: Array  # (d, 3): the velocity of its origin
    rate: Array  # (k, 3): the angular acceleration that a joint's rates make of themselves
    tip: Array  # (3,) m: the end effector's origin
    tip_axes: Array  # (3, 3)


def pose(arm: Arm, q: Array, qd: Array) -> Pose:
    """The arm placed at q (coordinates,), with the rates qd (degrees,)."""
    links, on, count = arm.links, arm.links.on, len(arm.links.on)
    turn, shift, rate = np.empty((count, 3, 3)), np.empty((count, 3)), np.empty((count, 3))
    in_q, _ = arm.starts(COORDINATES)
    in_qd, degrees = arm.starts(RATES)
    of, spin, slide = np.zeros(degrees, dtype=np.int64), np.zeros((degrees, 3)), np.zeros((degrees, 3))
    for kind in np.unique(links.kind).tolist():
        rows = np.flatnonzero(links.kind == kind)
        angles = q[in_q[rows, None] + np.arange(COORDINATES[kind])]
        places = in_qd[rows, None] + np.arange(RATES[kind])
        moved = moves(kind, links[rows], angles, qd[places])
        turn[rows], shift[rows], rate[rows] = moved.turn, moved.shift, moved.rate
        of[places], spin[places], slide[places] = rows[:, None], moved.spin, moved.slide
    frame = _turned_on(on, links.turn @ turn)
    carrying = np.where((on == BASE)[:, None, None], np.eye(3), frame[on])
    axes = carrying @ links.turn
    moved_by = turned(axes, shift)
    origin = outward(on, turned(carrying, links.place) + moved_by)
    last = frame[arm.last]
    return Pose(
        arm=arm,
        on=on,
        axes=axes,
        frame=frame,
        joint=origin - moved_by,
        origin=origin,
        centre=origin + turned(frame, links.centre),
        mass=links.mass,
        inertia=frame @ links.inertia @ frame.transpose(0, 2, 1),
        of=of,
        spin=turned(axes[of], spin),
        slide=turned(axes[of], slide),
        rate=turned(axes, rate),
        tip=origin[arm.last] + last @ arm.tip_place,
        tip_axes=last @ arm.tip_turn,
    )


def _turned_on(on: Whole, turns: Array) -> Array:
    """(k, 3, 3): turns one after the other, from the base to each link."""
    frames = turns.copy()
    for k, before in enumerate(on.tolist()):
        if before != BASE:
            frames[k] = frames[before].dot(turns[k])  # `@` at half the price for matrices this small
    return frames


@dataclass(frozen=True, eq=False)
class Motion:
    """How the links move at qd and qdd: rows are links, in axes of the base."""

    spin: Array  # (k, 3) rad/s
    turning: Array  # (k, 3) rad/s^2
    centre: Array  # (k, 3) m/s^2: acceleration of the centre of mass
    tip_spin: Array  # (3,) rad/s
    tip_speed: Array  # (3,) m/s
    tip_turning: Array  # (3,) rad/s^2
    tip: Array  # (3,) m/s^2: acceleration of the end effector's origin


def motion(at: Pose, qd: Array, qdd: Array) -> Motion:
    """Outward: angular velocity, angular acceleration, and acceleration of the origin, link by link."""
    own_spin, own_slide = per_link(at, at.spin, qd), per_link(at, at.slide, qd)
    own_turning = per_link(at, at.spin, qdd) + at.rate
    spin = outward(at.on, own_spin)
    before = spin - own_spin  # of the link that it hangs on
    turning = outward(at.on, own_turning + np.cross(before, own_spin))
    turning_before = of_carrier(at.on, turning)
    step = at.origin - of_carrier(at.on, at.origin)
    speed = outward(at.on, np.cross(before, step) + own_slide)
    moved = (
        np.cross(turning_before, step)
        + np.cross(before, np.cross(before, step))
        + 2.0 * np.cross(before, own_slide)
        + per_link(at, at.slide, qdd)
    )
    origin = outward(at.on, moved)
    arm, out = at.centre - at.origin, at.tip - at.origin[at.arm.last]
    last = at.arm.last
    return Motion(
        spin=spin,
        turning=turning,
        centre=origin + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm)),
        tip_spin=spin[last],
        tip_speed=speed[last] + np.cross(spin[last], out),
        tip_turning=turning[last],
        tip=origin[last] + np.cross(turning[last], out) + np.cross(spin[last], np.cross(spin[last], out)),
    )


def per_link(at: Pose, columns: Array, rates: Array) -> Array:
    """(k, 3): what the rates of a link's own joint do to it."""
    sums = np.zeros((len(at.on), 3))
    np.add.at(sums, at.of, columns * rates[:, None])
    return sums


def of_carrier(on: Whole, rows: Array) -> Array:
    """The row of the link that each hangs on; zero on the base."""
    return np.where((on == BASE)[:, None], 0.0, rows[on])


def outward(on: Whole, rows: Array) -> Array:
    """Each row with those of all links before it."""
    if is_chain(on):
        return np.cumsum(rows, axis=0)
    total = rows.copy()
    for k, before in enumerate(on.tolist()):
        if before != BASE:
            total[k] += total[before]
    return total


def inward(on: Whole, rows: Array) -> Array:
    """Each row with those of all links beyond it."""
    if is_chain(on):
        return np.cumsum(rows[::-1], axis=0)[::-1]
    total = rows.copy()
    for k, before in reversed(list(enumerate(on.tolist()))):
        if before != BASE:
            total[before] += total[k]
    return total


def is_chain(on: Whole) -> bool:
    """Whether each link hangs on the one before it."""
    return bool((on == np.arange(-1, len(on) - 1)).all())


def turned(axes: Array, vectors: Array) -> Array:
    """Vectors (k, 3) given in axes (k, 3, 3)."""
    return np.asarray((axes @ vectors[:, :, None])[:, :, 0])


# -------- torques, M and J as sums over the links (d'Alembert's principle)


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads through the joints; rows are links, in axes of the base."""

    force: Array  # (k, 3) N
    moment: Array  # (k, 3) N m about the origin of the link's frame
    torque: Array  # (degrees,)


def loads(at: Pose, moving: Motion, gravity: Array, force: Array) -> Loads:
    """Loads of this motion under gravity (3,), with the contact force (6,) on the environment at the tip
    ([moment; force], end-effector axes).

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
    rows = at.arm.order[: at.arm.main]
    frames = at.axes[rows] @ at.arm.links.frame[rows]
    moments = carried.moment[rows] + np.cross(at.origin[rows] - at.joint[rows], carried.force[rows])
    inside = frames.transpose(0, 2, 1)
    return np.hstack([turned(inside, moments), turned(inside, carried.force[rows])])


def jacobian(at: Pose) -> Array:
    """(6, degrees): the end effector's [angular; linear] velocity for each rate alone, in its own axes."""
    carrying, on, link = np.zeros(len(at.on)), at.on.tolist(), at.arm.last
    while link != BASE:
        carrying[link], link = 1.0, on[link]
    beyond = carrying[at.of]
    spin = at.spin * beyond[:, None]
    slide = (at.slide + np.cross(at.spin, at.tip - at.origin[at.of])) * beyond[:, None]
    return np.vstack([at.tip_axes.T @ spin.T, at.tip_axes.T @ slide.T])


def mass_matrix(at: Pose) -> Array:
    """(degrees, degrees): twice the kinetic energy, as a sum over the links."""
    beyond, degrees = _beyond(at)[:, :, None], len(at.of)
    spin = at.spin * beyond
    slide = (at.slide + np.cross(at.spin, at.centre[:, None] - at.origin[at.of])) * beyond
    momentum = spin @ at.inertia.transpose(0, 2, 1)
    matrix = np.zeros((degrees, degrees))
    for k in range(3):
        matrix += spin[:, :, k].T @ momentum[:, :, k]
        matrix += (slide[:, :, k] * at.mass[:, None]).T @ slide[:, :, k]
    return (matrix + matrix.T) / 2.0


def _beyond(at: Pose) -> Array:
    """(k, degrees): 1 where a degree of freedom moves a link, else 0."""
    above = np.zeros((len(at.on), len(at.on)))
    for k, before in enumerate(at.on.tolist()):
        if before != BASE:
            above[k] = above[before]
        above[k, k] = 1.0
    return above[:, at.of]
