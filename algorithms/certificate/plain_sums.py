"""The equations of motion as plain sums over the links: the reference of a certificate.

Everything is in axes of the base, from link to link outward and from the tip inward: no six-vectors, no
frames of the paper but where an answer is counted in one. The file imports NumPy alone and shares no code
with a program or a serial solver (`tests/algorithms/certificate/test_plain_sums.py` holds it). Its numbers
have the widest format of the processor (80 bits on x86), so that its rounding is below the digits of an
answer in double precision; where a processor has none wider, corrections stop shrinking earlier and the
certificate says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDE = np.longdouble
BASE = -1
"""The number of the body that carries the first link."""

Array = NDArray[Any]
Whole = NDArray[np.int64]


# -------- the arm at rest in its arrays


@dataclass(frozen=True, eq=False)
class Links:
    """Bodies of an arm, a row each, a body after the one that it hangs on; in the order of q."""

    on: Whole  # (k,): the body that each hangs on, or BASE
    kind: NDArray[np.str_]  # (k,): type of the joint that moves it
    parameter: Array  # (k,): pitch of a helical joint, angle between the axes of a universal one
    turn: Array  # (k, 3, 3): axes of the joint's frame in the frame of the body that it hangs on
    place: Array  # (k, 3) m: its origin there
    mass: Array
    centre: Array  # (k, 3) m: of mass, in the body's frame, which is the joint's frame moved by the joint
    inertia: Array  # (k, 3, 3) kg m^2 about the centre of mass, in the body's frame


def links_of(chain: Any) -> Links:
    """Bodies of a `senn.algorithms.robots.chain.Chain` and of its branches."""
    parts = list(_links(chain, BASE, np.eye(3), np.zeros(3), 0))
    return Links(*(np.concatenate([getattr(part, row.name) for part in parts]) for row in fields(Links)))


def _links(chain: Any, on: int, turn: Array, place: Array, first: int) -> Iterator[Links]:
    """Bodies, from number `first`, of a chain whose base is at `turn`, `place` of body `on`."""
    count, outer = len(chain.joints), _orthogonal(chain.rotation)
    origins = _turned(outer, chain.position)  # of frame i+1 in that of link i, in which it is fixed
    base = _orthogonal(chain.base_rotation)
    yield Links(
        on=np.concatenate([[on], first + np.arange(count - 1)]),
        kind=np.array(chain.joints),
        parameter=chain.parameters,
        turn=np.concatenate([(turn @ base)[None], outer[:-1]]),
        place=np.concatenate([(place + turn @ chain.base_position)[None], origins[:-1]]),
        mass=chain.mass.astype(WIDE),
        centre=_turned(outer, chain.centre),
        inertia=outer @ chain.inertia @ outer.swapaxes(1, 2),
    )
    number = first + count
    for branch in chain.branches:
        at = branch.at - 1
        for part in _links(branch.chain, first + at, outer[at], origins[at], number):
            number += len(part.on)
            yield part


def _orthogonal(rotation: Array) -> Array:
    """The nearest rotation, by one step of Newton's iteration: doubles are off by their rounding."""
    wide = rotation.astype(WIDE)
    return np.asarray(wide @ (3 * np.eye(3) - wide.swapaxes(-1, -2) @ wide) / 2)


# -------- joints, each from its definition

COORDINATES = dict.fromkeys(("revolute", "prismatic", "helical"), 1)
COORDINATES |= {"cylindrical": 2, "universal": 2, "planar": 3, "spherical": 4, "free": 7, "welded": 0}
"""Numbers of q, by type of joint."""
RATES = {**COORDINATES, "spherical": 3, "free": 6}
"""Numbers of qd."""


def moves(kind: str, parameter: Array, q: Array, qd: Array) -> tuple[Array, Array, Array, Array, Array]:
    """k joints of this type at q (k, coordinates) and qd (k, rates), in the joint's frame; their axis is z.

    The turn (k, 3, 3) and shift (k, 3) m of the body; for a unit of each rate its angular velocity and that
    of its origin (k, rates, 3); and the angular acceleration (k, 3) that the rates make without qdd.
    """
    k, x, z = len(q), np.eye(3)[0], np.eye(3)[2]
    turn = np.broadcast_to(np.eye(3), (k, 3, 3))
    shift, rate = np.zeros((k, 3), WIDE), np.zeros((k, 3), WIDE)
    spin, slide = np.zeros((2, k, RATES[kind], 3), WIDE)
    if kind in ("revolute", "helical", "cylindrical", "planar", "universal"):
        turn, spin[:, 0] = _about(np.broadcast_to(z, (k, 3)), q[:, 0]), z
    if kind == "helical":
        shift, slide[:, 0] = parameter[:, None] * q * z, parameter[:, None] * z
    if kind in ("prismatic", "cylindrical"):
        shift, slide[:, -1] = q[:, -1:] * z, z
    if kind == "planar":
        shift[:, :2], slide[:, 1:] = q[:, 1:], np.eye(3)[:2]
    if kind == "universal":
        second = np.sin(parameter)[:, None] * x + np.cos(parameter)[:, None] * z
        spin[:, 1] = _turned(turn, second)
        turn = turn @ _about(second, q[:, 1])
        rate = qd[:, :1] * qd[:, 1:] * _cross(spin[:, 0], spin[:, 1])  # the first carries the second's axis
    if kind in ("spherical", "free"):
        quaternion = q[:, :4] / np.sqrt((q[:, :4] ** 2).sum(axis=1, keepdims=True))
        w, u = quaternion[:, None, :1], quaternion[:, None, 1:]
        once = _cross(u, np.eye(3))  # a turned vector v is v + 2 w (u x v) + 2 u x (u x v)
        turn = (np.eye(3) + 2 * w * once + 2 * _cross(u, once)).swapaxes(1, 2)
        spin[:, :3] = np.eye(3)
    if kind == "free":
        shift, slide[:, 3:] = q[:, 4:], np.eye(3)
    return turn, shift, spin, slide, rate


def _about(axis: Array, angle: Array) -> Array:
    """(k, 3, 3): turns by an angle (k,) about unit axes (k, 3): what is along the axis stays."""
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    across = _cross(axis[:, None, :], np.eye(3)).swapaxes(1, 2)  # column j is axis x e_j
    return np.asarray(c * np.eye(3) + (1 - c) * axis[:, :, None] * axis[:, None, :] + s * across)


_YZX, _ZXY = [1, 2, 0], [2, 0, 1]


def _cross(a: Array, b: Array) -> Array:
    """Products of vectors along the last axis, without the set-up of `numpy.cross`."""
    return np.asarray(a[..., _YZX] * b[..., _ZXY] - a[..., _ZXY] * b[..., _YZX])


def _turned(axes: Array, vectors: Array) -> Array:
    """Vectors (..., k, 3) given in axes (k, 3, 3)."""
    return np.asarray((axes * vectors[..., None, :]).sum(axis=-1))


# -------- the arm at a state


class Sums:
    """An arm at q (coordinates,) and qd (degrees,) under gravity (3,): its equations of motion.

    tau = M qdd + bias + J'F, and J qdd + drift is the acceleration (6,) of the end effector, classical.
    Accelerations qdd (..., degrees) and contact forces (..., 6) [moment; force] by the end effector on the
    environment, in its axes, may have leading axes, one case each.
    """

    def __init__(self, chain: Any, q: Array, qd: Array, gravity: Array) -> None:
        links = links_of(chain)
        self.on, self.mass, count = links.on, links.mass, len(links.on)
        self._chained = bool((self.on == np.arange(-1, count - 1)).all())
        self.main, self.last = len(chain.joints), len(chain.joints) - 1
        q, qd = q.astype(WIDE), qd.astype(WIDE)
        turn, shift = np.empty((count, 3, 3), WIDE), np.empty((count, 3), WIDE)
        rates = np.array([RATES[kind] for kind in links.kind.tolist()])
        coordinates = np.array([COORDINATES[kind] for kind in links.kind.tolist()])
        in_q, in_qd = np.cumsum(coordinates) - coordinates, np.cumsum(rates) - rates
        self.of = np.repeat(np.arange(count), rates)  # the body that each degree of freedom moves
        spin, slide = np.zeros((2, len(self.of), 3), WIDE)
        rate = np.zeros((count, 3), WIDE)
        for kind in np.unique(links.kind).tolist():
            rows = np.flatnonzero(links.kind == kind)
            places = in_qd[rows, None] + np.arange(RATES[kind])
            at = q[in_q[rows, None] + np.arange(COORDINATES[kind])]
            turn[rows], shift[rows], spin[places], slide[places], rate[rows] = moves(
                kind, links.parameter[rows].astype(WIDE), at, qd[places]
            )
        frame = links.turn @ turn
        for k, before in enumerate(self.on.tolist()):
            if before != BASE:
                frame[k] = frame[before].dot(frame[k])  # `dot` is `@` at half the price for matrices so small
        carrying = np.where((self.on == BASE)[:, None, None], np.eye(3), frame[self.on])
        self.axes = carrying @ links.turn  # of the joints' frames, before the joints move them
        moved_by = _turned(self.axes, shift)
        step = _turned(carrying, links.place) + moved_by
        self.spin, self.slide = _turned(self.axes[self.of], spin), _turned(self.axes[self.of], slide)
        self.step, self._moved_by = step, moved_by  # from the origin of the body that each hangs on
        self.arm = _turned(frame, links.centre)  # from a body's origin to its centre of mass
        self.inertia = frame @ links.inertia @ frame.swapaxes(1, 2)
        tip = _orthogonal(chain.rotation[-1])
        self.tip_axes = frame[self.last] @ tip
        self.tip_arm = self.tip_axes @ chain.position[-1]
        self._qd, self._gravity, self._rate = qd, gravity.astype(WIDE), _turned(self.axes, rate)
        still = np.zeros(len(self.of), WIDE)
        self._still = self._loads(still, np.zeros(6), moving=True)
        self.bias, self.drift = self._components(*self._still), self._tip(still, moving=True)

    def torque(self, qdd: Array, force: Array) -> Array:
        """(..., degrees) N m or N: M qdd + J'F."""
        return self._components(*self._loads(qdd, force, moving=False))

    def _components(self, moments: Array, forces: Array) -> Array:
        """(..., degrees): those of loads through the joints along their axes."""
        return np.asarray(
            (self.spin * moments[..., self.of, :]).sum(axis=-1)
            + (self.slide * forces[..., self.of, :]).sum(axis=-1)
        )

    def acceleration(self, qdd: Array) -> Array:
        """(..., 6): J qdd, of the end effector in its axes; the whole acceleration has `drift` too."""
        return self._tip(qdd, moving=False)

    def wrenches(self, qdd: Array, force: Array) -> Array:
        """(n, 6) [moment; force] through the joints of the main chain in motion, in the paper's frame of
        each, about the joint before it has moved."""
        moments, forces = (load[: self.main] for load in self._loads(qdd, force, moving=True))
        inward = self.axes[: self.main].swapaxes(1, 2)
        moments = moments + _cross(self._moved_by[: self.main], forces)
        return np.hstack([_turned(inward, moments), _turned(inward, forces)])

    def _motion(self, qdd: Array, moving: bool) -> tuple[Array, Array, Array]:
        """Angular velocity (k, 3), angular acceleration (..., k, 3), and acceleration of the origins."""
        turning, sliding = self._per_body(self.spin, qdd), self._per_body(self.slide, qdd)
        spin, step = np.zeros_like(self.step), self.step
        if moving:
            in_joint, slide = self._per_body(self.spin, self._qd), self._per_body(self.slide, self._qd)
            spin = self._summed(in_joint)
            before = spin - in_joint
            turning = turning + self._rate + _cross(before, in_joint)
            sliding = sliding + _cross(before, _cross(before, step)) + 2 * _cross(before, slide)
        turning = self._summed(turning)
        return spin, turning, self._summed(sliding + _cross(self._of_carrier(turning), step))

    def _loads(self, qdd: Array, force: Array, moving: bool) -> tuple[Array, Array]:
        """Moments (..., k, 3) about the origins of bodies and forces (..., k, 3) through their joints, by
        d'Alembert's principle."""
        spin, turning, origin = self._motion(qdd, moving)
        arm, gravity = self.arm, self._gravity if moving else np.zeros(3)
        centre = origin + _cross(turning, arm) + _cross(spin, _cross(spin, arm))
        net = self.mass[:, None] * (centre - gravity)
        moment = _turned(self.inertia, turning) + _cross(spin, _turned(self.inertia, spin)) + _cross(arm, net)
        pushed = _turned(self.tip_axes, force[..., 3:])
        net[..., self.last, :] += pushed
        moment[..., self.last, :] += _turned(self.tip_axes, force[..., :3]) + _cross(self.tip_arm, pushed)
        forces = self._summed(net, inward=True)
        carried = np.flatnonzero(self.on != BASE)
        passed_on = _cross(self.step[carried], forces[..., carried, :])
        _add(moment, self.on[carried], passed_on)
        return self._summed(moment, inward=True), forces

    def _tip(self, qdd: Array, moving: bool) -> Array:
        spin, turning, origin = (x[..., self.last, :] for x in self._motion(qdd, moving))
        arm = self.tip_arm
        linear = origin + _cross(turning, arm) + _cross(spin, _cross(spin, arm))
        return np.concatenate([_turned(self.tip_axes.T, x) for x in (turning, linear)], axis=-1)

    def _per_body(self, columns: Array, rates: Array) -> Array:
        """(..., k, 3): what the rates (..., degrees) of its own joint do to each body."""
        sums = np.zeros((*rates.shape[:-1], len(self.on), 3), WIDE)
        _add(sums, self.of, columns * rates[..., None])
        return sums

    def _of_carrier(self, rows: Array) -> Array:
        """The row of the body that each hangs on; zero on the base."""
        return np.where((self.on == BASE)[:, None], 0, rows[..., self.on, :])

    def _summed(self, rows: Array, inward: bool = False) -> Array:
        """Each row plus the rows of all bodies before it; `inward`: of all bodies beyond it."""
        if self._chained:
            step = -1 if inward else 1
            return np.cumsum(rows[..., ::step, :], axis=-2)[..., ::step, :]
        total, bodies = rows.copy(), [(k, on) for k, on in enumerate(self.on.tolist()) if on != BASE]
        for k, on in reversed(bodies) if inward else bodies:
            to, of = (on, k) if inward else (k, on)
            total[..., to, :] += total[..., of, :]
        return total

    def sizes(self, qdd: Array, force: Array) -> Sizes:
        """Sizes of the terms M qdd, b and J'F of torques and wrenches, and of J qdd and drift, added up."""
        cases = np.stack([qdd, np.zeros_like(qdd)]), np.stack([np.zeros(6), force])
        loads = zip(self._loads(*cases, moving=False), self._still, strict=True)
        moments, forces = (_lengths(parts).sum(axis=0) + _lengths(still) for parts, still in loads)
        torque = _lengths(self.spin) * moments[self.of] + _lengths(self.slide) * forces[self.of]
        origin = self._summed(self.step)
        lever = origin[self.last] + self.tip_arm - origin[self.of]
        carrying = np.where(self.of < self.main, np.abs(qdd), 0)  # only the main chain moves the tip
        turning = (_lengths(self.spin) * carrying).sum() + _lengths(self.drift[:3])
        moving = (_lengths(self.slide + _cross(self.spin, lever)) * carrying).sum() + _lengths(self.drift[3:])
        return Sizes(torque, np.hypot(moments, forces)[: self.main], np.repeat([turning, moving], 3))


@dataclass(frozen=True, eq=False)
class Sizes:
    """Lengths of terms added up, before they cancel."""

    torque: Array  # (degrees,)
    wrench: Array  # (n,): through the joints of the main chain
    acceleration: Array  # (6,): of the end effector


def _add(rows: Array, places: Whole, parts: Array) -> None:
    """Add parts (..., p, 3) to the rows (..., k, 3) of their places (p,), some of which may be equal."""
    np.add.at(rows.swapaxes(0, -2), places, parts.swapaxes(0, -2))


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)))
