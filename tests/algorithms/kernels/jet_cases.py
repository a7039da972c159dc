"""What the kernels of jets are expected to make: 4 x 4 matrices of poses as polynomials of time, to t^2.

A curve of poses is T + t T' + t^2/2 T''. Curves multiply as polynomials do, and T' = V T, T'' = (V' + V V) T
with the twist V, 4 x 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from senn.algorithms.kernels import jets as kernels
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import tilde
from tests.algorithms.kernels.cases import BATCH, TYPES, Array, Case, by_vector, case, draw, rotations, t
from tests.algorithms.kernels.wide_cases import FREEDOM, moved, padded


class Curve(NamedTuple):
    """T, T', T''."""

    at: Array
    rate: Array
    second: Array

    def then(self, outer: Curve) -> Curve:
        return Curve(
            self.at @ outer.at,
            self.rate @ outer.at + self.at @ outer.rate,
            self.second @ outer.at + 2 * self.rate @ outer.rate + self.at @ outer.second,
        )

    def jet(self) -> Array:
        back = t(self.at[:, :3, :3])
        spin = self.rate[:, :3, :3] @ back
        turning = self.second[:, :3, :3] @ back - spin @ spin
        rows = [self.at[:, :3, 3], _axis(spin), self.rate[:, :3, 3], _axis(turning), self.second[:, :3, 3]]
        return np.concatenate([self.at[:, :3, :3], np.stack(rows, axis=1)], axis=1)


def _axis(skew: Array) -> Array:
    return np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)


def _twist(six: Array) -> Array:
    found = np.zeros((BATCH, 4, 4))
    found[:, :3, :3], found[:, :3, 3] = tilde(six[:, :3]), six[:, 3:]
    return found


def curve(c: Array, p: Array, velocity: Array, acceleration: Array) -> Curve:
    """Of a frame that is at p and turned by c, with the twist of its body at the origin and its rate."""
    at = np.zeros((BATCH, 4, 4))
    at[:, :3, :3], at[:, :3, 3], at[:, 3, 3] = c, p, 1.0
    v = _twist(velocity)
    return Curve(at, v @ at, (_twist(acceleration) + v @ v) @ at)


def any_curve() -> Curve:
    return curve(rotations(), draw(3), draw(6), draw(6))


def curves() -> Iterator[Case]:
    for name, freedom in (*((x, None) for x in TYPES), *((x, FREEDOM) for x in JOINTS)):
        yield from _of_links(name, freedom)
    inner, outer = any_curve(), any_curve()
    yield case(kernels.outward, inner.then(outer).jet(), outer.jet(), inner.jet())
    yield case(kernels.outward, outer.jet(), outer.jet(), None)
    at, jet = inner.at, inner.jet()
    parts = {kernels.place: 3, kernels.omega: 4, kernels.wdot: 6, kernels.acceleration: 7}
    yield case(kernels.rotation, at[:, :3, :3], jet)
    for kernel, row in parts.items():
        yield case(kernel, jet[:, row], jet)
    s, p, g = draw(3), draw(3), draw(3)
    body = np.concatenate([s - p, np.ones((BATCH, 1))], axis=-1)
    centre = by_vector(at, body)[:, :3]
    yield case(kernels.centre, centre, jet, s, p)
    yield case(kernels.at_centre, by_vector(inner.second, body)[:, :3] - g, jet, centre, g)
    f, n = draw(3), draw(3)
    turn, load = at[:, :3, :3], draw(6)
    yield case(kernels.arm_of_centre, centre - inner.at[:, :3, 3], turn, s, p)
    both = np.concatenate([by_vector(t(turn), n), by_vector(t(turn), f)], axis=-1)
    loaded = both + np.concatenate([by_vector(t(turn), x) for x in (load[:, :3], load[:, 3:])], axis=-1)
    yield case(kernels.to_link, both, turn, n, f)
    yield case(kernels.loaded_to_link, loaded, turn, n, f, load)
    yield case(kernels.loaded_to_link, both, turn, n, f, None)
    yield case(kernels.wrench, np.stack([f, n], axis=1), f, n)
    joint = by_vector(at, np.concatenate([-p, np.ones((BATCH, 1))], axis=-1))[:, :3]
    borne = np.stack([joint, f, n - np.cross(joint, f)], axis=1)
    yield case(kernels.at_joint, borne, jet, p, np.stack([f, n], axis=1))


def _of_links(name: str, freedom: int | None) -> Iterator[Case]:
    """Of a joint of one number with constant axes if `freedom` is None."""
    at, c, p, own = moved(name), rotations(), draw(3), JOINTS[name].degrees
    qdd = draw(own)
    state = () if freedom is None else (padded(at.subspace, freedom), at.q, at.parameter)
    qd, accelerations = (x[:, 0] if freedom is None else padded(x, freedom) for x in (at.qd[:, :own], qdd))
    for given in ((), (accelerations,)):
        gained = at.drift + (by_vector(at.subspace, qdd) if given else 0.0)
        expected = curve(c, by_vector(c, p), by_vector(at.subspace, at.qd[:, :own]), gained).jet()
        yield case(kernels.link_jet(name, bool(given)), expected, c, p, qd, *given, *state)
