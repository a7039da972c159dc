"""The arm at a state, every link in axes of the base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms.plain_sums.joints import moves
from senn.algorithms.plain_sums.links import BASE, COORDINATES, RATES, Arm
from senn.algorithms.plain_sums.turns import Array, Whole


@dataclass(frozen=True, eq=False)
class Pose:
    """The arm at q, and how fast it moves at qd: rows are links, in axes of the base."""

    arm: Arm
    on: Whole
    """(k,): the link that each hangs on."""
    axes: Array
    """(k, 3, 3): of the joint's frame, before the joint moves it."""
    frame: Array
    """(k, 3, 3): of the link's."""
    joint: Array
    """(k, 3) m: where the joint's frame is."""
    origin: Array
    """(k, 3) m: where the link's is, which the joint has moved."""
    centre: Array
    """(k, 3) m: of mass."""
    mass: Array
    inertia: Array
    """(k, 3, 3) about the centre of mass."""
    of: Whole
    """(d,): the link that each degree of freedom moves."""
    spin: Array
    """(d, 3): its angular velocity for a unit of each rate."""
    slide: Array
    """(d, 3): the velocity of its origin."""
    rate: Array
    """(k, 3): the angular acceleration that a joint's rates make of themselves."""
    tip: Array
    """(3,) m: the end effector's origin."""
    tip_axes: Array
    """(3, 3)."""


def pose(arm: Arm, q: Array, qd: Array) -> Pose:
    """The arm placed at q (coordinates,), with the rates qd (degrees,)."""
    count = len(arm.links)
    on = np.array([link.on for link in arm.links], dtype=np.int64)
    turn, shift, rate = np.empty((count, 3, 3)), np.empty((count, 3)), np.empty((count, 3))
    in_q, in_qd = arm.shares(COORDINATES), arm.shares(RATES)
    degrees = sum(one.stop - one.start for one in in_qd.values())
    of, spin, slide = np.zeros(degrees, dtype=np.int64), np.zeros((degrees, 3)), np.zeros((degrees, 3))
    for kind in dict.fromkeys(link.kind for link in arm.links):
        rows = [k for k, link in enumerate(arm.links) if link.kind == kind]
        own = _taken(q, in_q, rows, COORDINATES[kind])
        moved = moves(kind, [arm.links[k] for k in rows], own, _taken(qd, in_qd, rows, RATES[kind]))
        turn[rows], shift[rows], rate[rows] = moved.turn, moved.shift, moved.rate
        if RATES[kind]:
            places = np.array([range(in_qd[k].start, in_qd[k].stop) for k in rows])
            of[places] = np.array(rows)[:, None]
            spin[places], slide[places] = moved.spin, moved.slide
    step = np.array([link.turn for link in arm.links])
    axes, frame = np.empty((count, 3, 3)), np.empty((count, 3, 3))
    for k, link in enumerate(arm.links):
        axes[k] = step[k] if link.on == BASE else frame[link.on] @ step[k]
        frame[k] = axes[k] @ turn[k]
    carrying = np.where((on == BASE)[:, None, None], np.eye(3), frame[on])
    place = turned(carrying, np.array([link.place for link in arm.links]))
    moved_by = turned(axes, shift)
    origin = outward(on, place + moved_by)
    inertia = np.array([link.inertia for link in arm.links])
    last = frame[arm.last]
    return Pose(
        arm=arm,
        on=on,
        axes=axes,
        frame=frame,
        joint=origin - moved_by,
        origin=origin,
        centre=origin + turned(frame, np.array([link.centre for link in arm.links])),
        mass=np.array([link.mass for link in arm.links]),
        inertia=frame @ inertia @ frame.transpose(0, 2, 1),
        of=of,
        spin=turned(axes[of], spin),
        slide=turned(axes[of], slide),
        rate=turned(axes, rate),
        tip=origin[arm.last] + last @ arm.tip_place,
        tip_axes=last @ arm.tip_turn,
    )


def _taken(flat: Array, shares: dict[int, slice], rows: list[int], width: int) -> Array:
    if not width:
        return np.zeros((len(rows), 0))
    return np.array([flat[shares[k]] for k in rows])


@dataclass(frozen=True, eq=False)
class Motion:
    """How the links move at qd and qdd: rows are links, in axes of the base."""

    spin: Array
    """(k, 3) rad/s."""
    turning: Array
    """(k, 3) rad/s^2."""
    centre: Array
    """(k, 3) m/s^2: acceleration of the centre of mass."""
    tip_spin: Array
    """(3,) rad/s."""
    tip_speed: Array
    """(3,) m/s."""
    tip_turning: Array
    """(3,) rad/s^2."""
    tip: Array
    """(3,) m/s^2: acceleration of the end effector's origin."""


def motion(at: Pose, qd: Array, qdd: Array) -> Motion:
    """Outward: angular velocity, angular acceleration, and acceleration of the origin, link by link."""
    own_spin, own_slide = per_link(at, at.spin, qd), per_link(at, at.slide, qd)
    own_turning = per_link(at, at.spin, qdd) + at.rate
    spin = outward(at.on, own_spin)
    before = spin - own_spin  # of the link that it hangs on
    turning = outward(at.on, own_turning + np.cross(before, own_spin))
    turning_before = _of_carrier(at.on, turning)
    step = at.origin - _of_carrier(at.on, at.origin)
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
    found = np.zeros((len(at.on), 3))
    np.add.at(found, at.of, columns * rates[:, None])
    return found


def _of_carrier(on: Whole, rows: Array) -> Array:
    """The row of the link that each hangs on; zero on the base."""
    return np.where((on == BASE)[:, None], 0.0, rows[on])


def outward(on: Whole, rows: Array) -> Array:
    """Each row with those of all links before it."""
    if (on == np.arange(-1, len(on) - 1)).all():
        return np.cumsum(rows, axis=0)
    total = rows.copy()
    for k, before in enumerate(on.tolist()):
        if before != BASE:
            total[k] += total[before]
    return total


def inward(on: Whole, rows: Array) -> Array:
    """Each row with those of all links beyond it."""
    if (on == np.arange(-1, len(on) - 1)).all():
        return np.cumsum(rows[::-1], axis=0)[::-1]
    total = rows.copy()
    for k, before in reversed(list(enumerate(on.tolist()))):
        if before != BASE:
            total[before] += total[k]
    return total


def turned(axes: Array, vectors: Array) -> Array:
    """Vectors (k, 3) given in axes (k, 3, 3)."""
    return np.asarray((axes @ vectors[:, :, None])[:, :, 0])
