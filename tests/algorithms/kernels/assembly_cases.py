"""What the kernels of divide and conquer are expected to make, as Featherstone 1999 (Part 1) prints it.

V = (Phi_1B + Phi_2A)^-1, W = V - V S (S'VS)^-1 S'V, gamma = W beta + V S (S'VS)^-1 Q, by inverses of 6x6
matrices drawn at random; the kernels have W from five pivots.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import assembly as join
from senn.algorithms.kernels import sums
from senn.algorithms.spatial import pack, six
from tests.algorithms.kernels.cases import Array, Case, H, W, by_vector, case, draw, rotations, spd, t


def _factor(y: Array) -> Array:
    """LDL' by Cholesky's factor: 1/D on the diagonal, but the last pivot as it is."""
    cholesky = np.linalg.cholesky(y)
    pivots = np.diagonal(cholesky, axis1=-2, axis2=-1)
    diagonal = np.concatenate([1.0 / pivots[:, :5] ** 2, pivots[:, 5:] ** 2], axis=1)
    return pack(cholesky / pivots[:, None, :] + np.eye(6) * (diagonal[..., None] - 1.0))


def assemblies(joint: str) -> Iterator[Case]:
    """Bodies a and b, joined. `out` is what handle 2 of b passes on: -f_2."""
    a, b = spd(12), spd(12)
    a_12, a_2, b_1, b_12 = a[:, :6, 6:], a[:, 6:, 6:], b[:, :6, :6], b[:, :6, 6:]
    beta, f_1, out, torque = draw(6), draw(7), draw(6), draw()
    s, order = H[joint][:, 0], np.concatenate([W[joint], H[joint]], axis=1)
    y = b_1 + a_2
    v = np.linalg.inv(y)
    pivot, vs = v @ s @ s, v @ s
    w = v - vs[:, :, None] * vs[:, None, :] / pivot[:, None, None]

    ldl = _factor(order.T @ y @ order)
    yield case(join.JOINT_FACTOR[joint], ldl, pack(b_1), pack(a_2))
    yield case(join.BASE_FACTOR[joint], ldl, pack(y))

    def through(x: Array) -> Array:
        return np.concatenate([W[joint].T @ w @ x, H[joint].T @ (x - y @ w @ x)], axis=1)

    k_outer, k_inner = through(b_12), through(t(a_12))
    yield case(join.THROUGH_OUTER[joint], k_outer, ldl, b_12)
    yield case(join.THROUGH_INNER[joint], k_inner, ldl, a_12)
    yield case(join.FREED_OUTER[joint], pack(t(b_12) @ w @ b_12), b_12, k_outer)
    yield case(join.FREED_INNER[joint], pack(a_12 @ w @ t(a_12)), a_12, k_inner)
    yield case(join.COUPLED[joint], a_12 @ w @ b_12, a_12, k_outer)

    def solved(given: Array) -> tuple[Array, Array]:
        """The joint's force and acceleration from beta and what the far handles add to it."""
        force = by_vector(w, given) + vs * (torque / pivot)[:, None]
        return force, (torque - by_vector(v, given) @ s) / pivot

    before = draw(7)
    for gap in (beta, None):
        gamma, rate = solved(np.zeros_like(beta) if gap is None else gap)
        driven = np.concatenate([gamma @ order[:, :5], torque[:, None], rate[:, None]], axis=1)
        yield case(join.DRIVE[joint], driven, ldl, torque, gap)
        yield case(join.OUTER[joint], by_vector(t(b_12), gamma), k_outer, torque, gap)
    yield case(join.lone_drive, driven, ldl, torque)
    yield case(join.lone_outer, by_vector(t(b_12), gamma), k_outer, torque)
    two = np.concatenate([-by_vector(a_12, gamma), before[:, 6:]], axis=1)
    yield case(join.first_inner, two, k_inner, torque, before[:, 6])

    gamma, rate = solved(beta)
    driven = np.concatenate([gamma @ order[:, :5], torque[:, None], rate[:, None]], axis=1)
    body = np.concatenate([before[:, :6] - by_vector(a_12, gamma), before[:, 6:]], axis=1)
    yield case(join.INNER[joint], body, k_inner, torque, beta, before)
    beyond = by_vector(b_12, out)
    force, rate = solved(beta + beyond)
    last = (driven, k_outer, out)
    yield case(join.LAST_FORCE[joint], force, *last)
    yield case(join.with_last_acceleration, np.column_stack([force, rate]), force, *last)
    yield case(join.base_acceleration, rate, *last)
    yield case(join.JOINT_FORCE[joint], force, *last, None, None)
    yield case(join.with_acceleration, np.column_stack([force, rate]), force, *last, None, None)
    force, rate = solved(beta + beyond + by_vector(t(a_12), f_1[:, :6]))
    yield case(join.JOINT_FORCE[joint], force, *last, k_inner, f_1)
    yield case(join.with_acceleration, np.column_stack([force, rate]), force, *last, k_inner, f_1)


def handles() -> Iterator[Case]:
    """What knows no joint type."""
    x, y, with_torque = draw(6), draw(6), draw(7)
    yield case(join.gap, x - with_torque[:, :6], x, with_torque)
    yield case(join.seventh, with_torque[:, 6], with_torque)
    c = rotations()
    yield case(join.end_bias, by_vector(t(six(c)), x), c, x[:, :3], x[:, 3:])
    yield case(sums.plus_of(1), x + y, x, y)
    yield case(sums.total, x + y, x, y)
    phi, lost = draw(21), draw(21)
    yield case(sums.minus_of(1), phi - lost, phi, lost)
