"""What the kernels of the star program are expected to make: dense 6x6 matrices, and of the star product the
port between two spans as one system of twelve equations, by np.linalg."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import two_port_links as port
from senn.algorithms.kernels import two_ports as span
from senn.algorithms.spatial import hat, pack, six, tilde
from tests.algorithms.kernels.cases import (
    BATCH,
    Array,
    Case,
    H,
    by_vector,
    case,
    draw,
    rotation_z,
    rotations,
    spd,
    t,
)
from tests.algorithms.kernels.uses import REVOLUTE

UNIT = np.eye(6)


def lu(matrix: Array) -> Array:
    """Doolittle's factors with the largest pivot first, row by row of one matrix after the other: reciprocals
    of the pivots on the diagonal, and the order of the rows as a last column."""
    found = np.zeros((BATCH, 6, 7))
    for out, a in zip(found, matrix, strict=True):
        rows = list(range(6))
        upper, lower = a.copy(), np.zeros((6, 6))
        for k in range(6):
            best = max(range(k, 6), key=lambda r, k=k: abs(upper[r, k]))  # type: ignore[misc]
            for x in (upper, lower):
                x[[k, best]] = x[[best, k]]
            rows[k], rows[best] = rows[best], rows[k]
            lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
            upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
        out[:, :6] = lower + np.triu(upper, 1) + np.diag(1.0 / np.diag(upper))
        out[:, 6] = rows
    return found


def two_ports() -> Iterator[Case]:
    """Products of a span x and the span y that follows it."""
    a_x, a_y = draw(6, 6), draw(6, 6)
    c_x, c_y, j_x, j_y = spd(6), spd(6), spd(6), spd(6)
    bias_x, bias_y = draw(12), draw(12)
    # a = A_x a_l + b_x - C_x f, f = J_y a + A_y' f_r + eta_y: the port between them, for a_l, f_r and 1.
    between = np.zeros((BATCH, 12, 12))
    between[:, :6, :6] = between[:, 6:, 6:] = UNIT
    between[:, :6, 6:], between[:, 6:, :6] = c_x, -j_y
    given = np.zeros((BATCH, 12, 13))
    given[:, :6, :6], given[:, 6:, 6:12] = a_x, t(a_y)
    given[:, :6, 12], given[:, 6:, 12] = bias_x[:, :6], bias_y[:, 6:]
    port = np.linalg.solve(between, given)
    a, f = port[:, :6], port[:, 6:]
    # f_l = J_x a_l + A_x' f + eta_x, a_r = A_y a - C_y f_r + b_y
    chained = a_y @ a[..., :6]
    compliance = c_y - a_y @ a[..., 6:12]
    inertia = j_x + t(a_x) @ f[..., :6]
    b = by_vector(a_y, a[..., 12]) + bias_y[:, :6]
    bias = np.concatenate([b, bias_x[:, 6:] + by_vector(t(a_x), f[..., 12])], axis=-1)

    closed = np.eye(6) + c_x @ j_y
    k_a, k_c = (np.linalg.solve(closed, x) for x in (a_x, c_x))
    k = np.concatenate([lu(closed).reshape(BATCH, 42), pack(k_c)], axis=-1)
    yield case(span.close, k, pack(c_x), pack(j_y))
    yield case(span.through, k_a, k, a_x)
    yield case(span.chained_behind, chained, a_y, k_a)
    yield case(span.chained_ahead, chained, a_x, a_y, k_a)
    yield case(span.chained_ahead, a_x, a_x, None, None)
    yield case(span.compliance_behind, pack(compliance), pack(c_y), a_y, k)
    yield case(span.compliance_behind, pack(c_y), pack(c_y), None, None)
    yield case(span.compliance_ahead, pack(compliance), pack(c_x), pack(c_y), a_y, k)
    yield case(span.compliance_ahead, pack(c_x), pack(c_x), None, None, None)
    yield case(span.inertia_behind, pack(inertia), pack(j_x), a_x, pack(j_y), k_a)
    yield case(span.inertia_ahead, pack(inertia), pack(j_x), a_x, pack(j_y), k_a)
    yield case(span.inertia_ahead, pack(j_x), pack(j_x), a_x, None, None)
    still = np.linalg.solve(closed, (bias_x[:, :6] - by_vector(c_x, bias_y[:, 6:]))[..., None])[..., 0]
    at_base = np.concatenate([b, bias_y[:, 6:]], axis=-1)
    yield case(span.still, still, bias_x, bias_y, k, pack(c_x))
    yield case(span.bias_behind, bias, bias_y, a_y, still, bias_x, pack(j_y), a_x)
    yield case(span.bias_behind, at_base, bias_y, a_y, still, bias_x, None, None)
    yield case(span.bias_behind, bias_y, bias_y, None, None, None, None, None)
    yield case(span.bias_ahead, bias, bias_x, bias_y, a_x, pack(j_y), a_y, still)
    yield case(span.bias_ahead, bias_x, bias_x, None, a_x, None, None, None)
    yield case(span.from_base, bias_x[:, :6], bias_x)
    yield case(span.free_behind, b, bias_y, a_y, still)
    yield case(span.free_behind, bias_y[:, :6], bias_y, None, None)

    # The same port between them, cut: the base does not move, a force acts at the tip.
    reach = -t(a[..., 6:12])
    yield case(span.reach_from_tip, reach, a_y, k)
    yield case(span.reach_from_tip, np.zeros((BATCH, 6, 6)), a_y, None)
    yield case(span.still_at_cut, still, bias_y, bias_x[:, :6], k, pack(c_x))
    yield case(span.still_at_cut, np.zeros((BATCH, 6)), bias_y, None, None, None)
    yield case(span.inertia_at_tip, pack(compliance), pack(c_y), a_y, reach)
    yield case(span.free_tip, by_vector(a_y, still) + bias_y[:, :6], bias_y, a_y, still)
    force = draw(6)
    moved = still - by_vector(t(reach), force)
    yield case(span.motion_at_cut, moved, still, a_y, force, k, pack(c_x))
    yield case(span.motion_at_cut, still, still, a_y, force, None, None)
    wrench = by_vector(j_y, still) + by_vector(t(a_y), force) + bias_y[:, 6:]
    yield case(span.wrench_at_cut, wrench, pack(j_y), a_y, bias_y, still, force)


def spans_of_few_links(links: int) -> Iterator[Case]:
    """The same products where C of a span is known by its factors."""
    a_x, a_y, j_y = draw(6, 6), draw(6, 6), spd(6)
    b_x, b_y = draw(6, links), draw(6, links)
    d_x, d_y = np.abs(draw(links)) + 0.5, np.abs(draw(links)) + 0.5
    bias_x, bias_y = draw(12), draw(12)
    c_x, c_y = ((b / d[:, None]) @ t(b) for b, d in ((b_x, d_x), (b_y, d_y)))
    closed = np.eye(6) + c_x @ j_y
    k_c, k_a = np.linalg.solve(closed, c_x), np.linalg.solve(closed, a_x)
    # D + B' J B = L E L' by Cholesky's factor
    root = np.linalg.cholesky(d_x[:, :, None] * np.eye(links) + t(b_x) @ j_y @ b_x)
    pivots = np.diagonal(root, axis1=-2, axis2=-1)
    q = b_x @ np.linalg.inv(t(root / pivots[:, None]))
    of_x, of_y = (np.concatenate([b, d[:, None]], axis=1) for b, d in ((b_x, d_x), (b_y, d_y)))
    k = np.concatenate([q, j_y @ q, pivots[:, None] ** 2, pivots[:, None] ** -2], axis=1)
    none = np.concatenate([np.zeros((BATCH, 6, links)), np.ones((BATCH, 1, links))], axis=1)
    after = np.concatenate([of_y, np.concatenate([a_y @ q, pivots[:, None] ** 2], axis=1)], axis=-1)
    yield case(span.close_few, k, of_x, pack(j_y))
    yield case(span.through_few, k_a, k, a_x)
    yield case(span.few_behind, after, of_y, a_y, k)
    yield case(span.few_behind, np.concatenate([of_y, none], axis=-1), of_y, None, None)
    yield case(span.few_ahead, after, of_x, of_y, a_y, k)
    yield case(span.few_ahead, np.concatenate([of_x, none], axis=-1), of_x, None, None, None)
    product = c_y + a_y @ k_c @ t(a_y)
    yield case(span.packed_behind, pack(product), of_y, a_y, k)
    yield case(span.packed_behind, pack(c_y), of_y, None, None)
    yield case(span.packed_ahead, pack(product), of_x, of_y, a_y, k)
    yield case(span.packed_ahead, pack(c_x), of_x, None, None, None)
    still = np.linalg.solve(closed, (bias_x[:, :6] - by_vector(c_x, bias_y[:, 6:]))[..., None])[..., 0]
    yield case(span.still_few, still, bias_x, bias_y, k, of_x, pack(j_y))


def links_as_two_ports(joint: str) -> Iterator[Case]:
    """Of a link, by 6x6 transforms."""
    q, rate, z, p = draw(), draw(), draw(3), draw(3)
    axis, constant = H[joint][:, 0], draw(6, 6)
    symmetric, row, r = spd(6), draw(6), draw()
    transform = t(six(rotation_z(q))) if joint == REVOLUTE else t(hat(q[:, None] * axis[3:]))
    rz = np.stack([np.cos(q), np.sin(q)], axis=-1)
    yield case(port.across(joint), constant @ transform, rz, q, constant)
    yield case(port.inertia(joint), pack(t(transform) @ symmetric @ transform), rz, q, pack(symmetric))
    a, f, own = draw(6), draw(6), draw(6)
    inside = by_vector(t(transform), row)
    found = r - (inside * a).sum(axis=-1) - (own * f).sum(axis=-1)
    yield case(port.acceleration(joint), found, r, rz, q, row, own, a, f)

    c, w = rotations(), draw(3)
    turning = z * rate[:, None] if joint == REVOLUTE else np.zeros((BATCH, 3))
    yield case(port.motion(joint), np.concatenate([c, turning[:, None]], axis=1), c, z, rate)
    moved = np.concatenate([c, w[:, None]], axis=1)
    across, inward = np.cross(w, z * rate[:, None]), np.cross(w, np.cross(w, p))
    if joint == REVOLUTE:
        swerve = np.concatenate([across, np.cross(across, p) + inward], axis=-1)
    else:
        swerve = np.concatenate([np.zeros((BATCH, 3)), 2 * across + inward], axis=-1)
    yield case(port.lean_velocity_product(joint), swerve, moved, z, rate, p)


def links_of_any_joint() -> Iterator[Case]:
    """What knows no joint type."""
    c, c_before, w, w_before = rotations(), rotations(), draw(3), draw(3)
    own, before = (np.concatenate([x, y[:, None]], axis=1) for x, y in ((c, w), (c_before, w_before)))
    after = np.concatenate([c_before @ c, (by_vector(t(c), w_before) + w)[:, None]], axis=1)
    yield case(port.moved_on, after, own, before)
    yield case(port.moved_on, own, own, None)
    # Newton and Euler about O_{i+1}: I by hat, the gyroscopic part by the rate of momentum of a turning body.
    swerve, g, s, m, j = draw(6), draw(3), draw(3), np.abs(draw()), spd(3)
    mass = np.zeros((BATCH, 6, 6))
    mass[:, :3, :3], mass[:, 3:, 3:] = j, m[:, None, None] * np.eye(3)
    inertia = hat(s) @ mass @ t(hat(s))
    swung = m[:, None] * (by_vector(tilde(w) @ tilde(w), s) - by_vector(t(c), g))
    gyroscopic = np.concatenate([np.cross(w, by_vector(j, w)) + np.cross(s, swung), swung], axis=-1)
    expected = by_vector(inertia, swerve) + gyroscopic
    yield case(port.wrench_of_link, expected, swerve, own, g, s, m, pack(j))
    tau, axis, inverse, x, r = draw(), draw(6), draw(), draw(6), draw()
    yield case(port.drive_of_link, (tau - (axis * x).sum(axis=-1)) * inverse, x, tau, axis, inverse)
    yield case(port.repaid, x + by_vector(np.diag([1, 1, 1, 0, 0, 0]), axis) * r[:, None], x, r, axis)
    yield case(port.gained, x + axis * r[:, None], x, axis, r)
    p = draw(3)
    yield case(port.to_joint, by_vector(six(c) @ hat(p), x), c, p, x)
    yield case(port.joined, np.concatenate([x, axis], axis=-1), x, axis)
