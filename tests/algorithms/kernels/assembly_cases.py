"""What the kernels of divide and conquer are expected to make, as Featherstone 1999 (Parts 1, 2) prints it.

V = (Phi_1B + Phi_2A)^-1, W = V - V S (S'VS)^-1 S'V, gamma = W beta + V S (S'VS)^-1 Q, by inverses of 6x6
matrices drawn at random; the kernels have W from as many pivots as a joint forbids directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from senn.algorithms.kernels import assembly, sums
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import hat, pack, six
from tests.algorithms.kernels.cases import Array, Case, by_vector, case, draw, rotations, spd, t
from tests.algorithms.kernels.wide_cases import moved, padded

ALLOWED = {
    "revolute": (2,),
    "prismatic": (5,),
    "helical": (5,),
    "cylindrical": (2, 5),
    "universal": (1, 2),
    "planar": (2, 3, 4),
    "spherical": (0, 1, 2),
    "free": (0, 1, 2, 3, 4, 5),
    "welded": (),
}
"""Which rows a joint moves, in the axes of its handles; of a helical and a universal one in turned axes."""


def _factor(y: Array, pivots: int) -> Array:
    """LDL' by Cholesky's factor of the first rows: 1/D on the diagonal, and the Schur complement behind."""
    first, across, last = y[:, :pivots, :pivots], y[:, pivots:, :pivots], y[:, pivots:, pivots:]
    whole = np.zeros_like(y)
    whole[:, pivots:, pivots:] = last
    if pivots:
        cholesky = np.linalg.cholesky(first)
        diagonal = np.diagonal(cholesky, axis1=-2, axis2=-1)
        lower = cholesky / diagonal[:, None, :]
        whole[:, :pivots, :pivots] = lower + np.eye(pivots) * (1.0 / diagonal**2 - 1.0)[:, None, :]
        whole[:, pivots:, :pivots] = across @ np.linalg.inv(t(cholesky)) / diagonal[:, None, :]
        whole[:, pivots:, pivots:] = last - across @ np.linalg.inv(first) @ t(across)
    return pack(whole)


def assemblies(joint: str, freedom: int | None) -> Iterator[Case]:
    """Bodies a and b, joined. `out` is what handle 2 of b passes on: -f_2."""
    moves = list(ALLOWED[joint])
    holds = [0, 1, 3, 4, 2] if joint == "helical" else [row for row in range(6) if row not in moves]
    own, p = len(moves), len(holds)
    a, b = spd(12), spd(12)
    a_12, a_2, b_1, b_12 = a[:, :6, 6:], a[:, 6:, 6:], b[:, :6, :6], b[:, :6, 6:]
    beta, f_1, out, torque = draw(6), draw(6), draw(6), draw(own)
    s, w_rows, order = np.eye(6)[:, moves], np.eye(6)[:, holds], np.eye(6)[:, holds + moves]
    y = b_1 + a_2
    v = np.linalg.inv(y)
    vs, pivot = v @ s, s.T @ v @ s
    share = vs @ np.linalg.inv(pivot)
    w = v - share @ t(vs)

    def words(x: Array) -> Array:
        """A torque or an acceleration of the joint as kernels have it."""
        return x[:, 0] if freedom is None else padded(x, freedom)

    def behind(x: Array) -> Array:
        return padded(x, freedom or 1)

    ldl = _factor(order.T @ y @ order, p)
    yield case(assembly.joint_factor(joint), ldl, pack(b_1), pack(a_2))
    yield case(assembly.base_factor(joint), ldl, pack(y))

    def through(x: Array) -> Array:
        return np.concatenate([w_rows.T @ w @ x, s.T @ (x - y @ w @ x)], axis=1)

    k_outer, k_inner = through(b_12), through(t(a_12))
    yield case(assembly.through_outer(joint), k_outer, ldl, b_12)
    yield case(assembly.through_inner(joint), k_inner, ldl, a_12)
    yield case(assembly.freed_outer(joint), pack(t(b_12) @ w @ b_12), b_12, k_outer)
    yield case(assembly.freed_inner(joint), pack(a_12 @ w @ t(a_12)), a_12, k_inner)
    yield case(assembly.coupled(joint), a_12 @ w @ b_12, a_12, k_outer)

    def solved(given: Array) -> tuple[Array, Array]:
        """The joint's force and acceleration from beta and what the far handles add to it."""
        force = by_vector(w, given) + by_vector(share, torque)
        rate = np.linalg.solve(pivot, (torque - by_vector(t(vs), given))[..., None])[..., 0]
        return force, rate

    def as_driven(gamma: Array, rate: Array) -> Array:
        return np.concatenate([gamma @ w_rows, torque, behind(rate)], axis=1)

    given = words(torque)
    before = draw(6 + (freedom or 1))
    for gap in (beta, None):
        gamma, rate = solved(np.zeros_like(beta) if gap is None else gap)
        driven = as_driven(gamma, rate)
        yield case(assembly.drive(joint), driven, ldl, given, gap)
        yield case(assembly.outer(joint), by_vector(t(b_12), gamma), k_outer, given, gap)
    yield case(assembly.lone_drive(joint), driven, ldl, given)
    yield case(assembly.lone_outer(joint), by_vector(t(b_12), gamma), k_outer, given)
    two = np.concatenate([-by_vector(a_12, gamma), before[:, 6:]], axis=1)
    kept = before[:, 6] if freedom is None else before[:, 6:]
    yield case(assembly.first_inner(joint), two, k_inner, given, kept)

    gamma, rate = solved(beta)
    driven = as_driven(gamma, rate)
    body = np.concatenate([before[:, :6] - by_vector(a_12, gamma), before[:, 6:]], axis=1)
    yield case(assembly.inner(joint), body, k_inner, given, beta, before)
    beyond = by_vector(b_12, out)
    force, rate = solved(beta + beyond)
    end = (driven, k_outer, out)
    with_rate = assembly.with_acceleration(joint, last=False)
    plain = assembly.joint_force(joint, last=False)
    passed = np.concatenate([force, behind(rate)], axis=1)
    yield case(assembly.joint_force(joint, last=True), force, *end)
    yield case(assembly.with_acceleration(joint, last=True), passed, force, *end)
    yield case(assembly.base_acceleration(joint, freedom), words(rate), *end)
    yield case(plain, force, *end, None, None)
    yield case(with_rate, passed, force, *end, None, None)
    inner = np.concatenate([f_1, draw(freedom or 1)], axis=1)
    force, rate = solved(beta + beyond + by_vector(t(a_12), f_1))
    yield case(plain, force, *end, k_inner, inner)
    yield case(with_rate, np.concatenate([force, behind(rate)], axis=1), force, *end, k_inner, inner)


def leaves(joint: str) -> Iterator[Case]:
    """A link at a joint in axes in which W and H are rows, held against H and W of the table of joints."""
    at, one, rows = moved(joint), JOINTS[joint], list(ALLOWED[joint])
    own, forbids = one.degrees, one.complement(at.q[:, : one.coordinates], at.parameter)
    h = at.subspace
    dual = h @ np.linalg.inv(t(h) @ h) if own else h
    turn, tilt = np.broadcast_to(np.eye(6), (len(h), 6, 6)).copy(), draw(2)
    if joint in ("universal", "helical"):
        a, b = (0, 1) if joint == "universal" else (2, 5)
        (which,) = {*(np.abs(forbids[:, a]) + np.abs(forbids[:, b])).argmax(axis=-1)}
        column = forbids[:, :, which]
        tilt = column[:, [a, b]] * (1.0 if joint == "universal" else np.sqrt(1.0 + at.parameter**2)[:, None])
        turn[:, a, a], turn[:, a, b], turn[:, b, a], turn[:, b, b] = *tilt.T, tilt[:, 1], -tilt[:, 0]
    symmetric, across, force = spd(6), draw(6, 6), draw(7)
    mixes = assembly.mixing(joint)
    assert (mixes is None) == (turn == np.eye(6)).all()
    yield case(assembly.inner_handle(mixes), pack(turn @ symmetric @ turn), pack(symmetric), tilt)
    yield case(assembly.outer_handle(mixes), pack(turn @ symmetric @ turn), pack(symmetric), tilt)
    yield case(assembly.between_handles(mixes, None), turn @ across, across, tilt, None)
    yield case(assembly.between_handles(None, mixes), across @ turn, across, draw(2), tilt)
    turned = by_vector(turn, force[:, :6])
    yield case(assembly.at_inner(mixes), turned, force, tilt)
    yield case(assembly.at_outer(mixes), turned, force[:, :6], tilt)
    if mixes is None:
        yield case(assembly.at_inner(None), force[:, :6], force)
    # W_a tau is V x with x along the rows that move; Qdd is W_a' a of a = H Qdd, V'a in those rows.
    columns = turn[:, :, rows]
    assert np.allclose(t(forbids) @ columns, 0.0)
    tau, qdd = draw(own), draw(own)
    along = np.linalg.pinv(columns) if own else np.zeros((len(h), 0, 6))
    found = by_vector(along, by_vector(dual, tau))
    rates = by_vector(t(columns), by_vector(h, qdd))
    w_a, behind = padded(dual, 6), padded(rates, 6)
    straight = () if joint in ("universal",) else ((),)
    for more in ((tilt,), *straight):
        yield case(assembly.torque_along(joint, 6), padded(found, 6), w_a, padded(tau, 6), *more)
        given = np.concatenate([draw(6), behind], axis=1)
        yield case(assembly.rate_along(joint, 6, 6), padded(qdd, 6), w_a, given, *more)


def anywhere() -> Iterator[Case]:
    """What knows no joint type."""
    x, y, with_torque = draw(6), draw(6), draw(9)
    yield case(assembly.gap, x - with_torque[:, :6], x, with_torque)
    yield case(assembly.joint_word(None), with_torque[:, 6], with_torque)
    yield case(assembly.joint_word(3), with_torque[:, 6:], with_torque)
    c, p = rotations(), draw(3)
    yield case(assembly.end_bias, by_vector(t(six(c)), x), c, x[:, :3], x[:, 3:])
    assert {one for one in ALLOWED if assembly.mixing(one)} == {"universal", "helical"}
    both, tilts = draw(6, 6), (draw(2), draw(2))
    sides = []
    for (a, b), tilt in zip(((0, 1), (2, 5)), tilts, strict=True):
        turn = np.broadcast_to(np.eye(6), (len(both), 6, 6)).copy()
        turn[:, a, a], turn[:, a, b], turn[:, b, a], turn[:, b, b] = *tilt.T, tilt[:, 1], -tilt[:, 0]
        sides.append((turn, tilt))
    for one, other in product(zip(("universal", "helical"), sides, strict=True), repeat=2):
        (first, (left, own)), (then, (right, after)) = one, other
        yield case(assembly.between_handles(first, then), left @ both @ right, both, own, after)
    carried = by_vector(t(hat(p)) @ t(six(c)), x)
    yield case(assembly.leaf_outer, -carried, c, p, x)
    yield case(assembly.leaf_outer, np.zeros_like(x), c, p, None)
    for torque in (draw(), draw(3)):
        behind = torque.reshape(len(torque), -1)
        for held in (x, None):
            first = np.zeros_like(x) if held is None else -held
            leaf = np.concatenate([first, behind], axis=1)
            yield case(assembly.leaf_inner, leaf, torque, held)
    yield case(sums.plus.of(1), x + y, x, y)
    yield case(sums.total, x + y, x, y)
    phi, lost = draw(21), draw(21)
    yield case(sums.minus.of(1), phi - lost, phi, lost)
