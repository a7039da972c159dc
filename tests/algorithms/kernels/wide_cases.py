"""What the kernels of wide arms are expected to make: 6x6 matrices from hat and six, H and W of the table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import hat, inertia, pack, six, tilde
from tests.algorithms.kernels.cases import (
    BATCH,
    RNG,
    TYPES,
    Array,
    Case,
    axis_of,
    by_vector,
    case,
    draw,
    right_sides,
    rotations,
    shaped,
    spd,
    t,
)

FREEDOM, ROWS, COORDINATES = 6, 6, 7
PARAMETER = {"helical": (0.02, 0.3), "universal": (1.0, 2.0)}


class Moved(NamedTuple):
    """A joint somewhere, with what the table of joints says of it there."""

    q: Array
    qd: Array
    parameter: Array
    turn: Array
    shift: Array
    subspace: Array
    drift: Array


def padded(x: Array, columns: int) -> Array:
    return np.concatenate([x, np.zeros((*x.shape[:-1], columns - x.shape[-1]))], axis=-1)


@cache
def moved(name: str) -> Moved:
    one = JOINTS[name]
    q, qd = draw(one.coordinates), draw(one.degrees)
    if one.coordinates > one.degrees:
        q[:, :4] /= np.linalg.norm(q[:, :4], axis=-1, keepdims=True)
    parameter = RNG.uniform(*PARAMETER.get(name, (0.0, 1.0)), BATCH)
    return Moved(
        padded(q, COORDINATES),
        padded(qd, FREEDOM),
        parameter,
        one.turn(q, parameter),
        one.shift(q, parameter),
        one.subspace(q, parameter),
        one.drift(q, qd, parameter),
    )


def of_joint(name: str) -> Iterator[Case]:
    """What q_i makes; W_a by H (H'H)^-1 as it stands."""
    at, own = moved(name), JOINTS[name].degrees
    rotation, x, turn = rotations(), draw(3), rotations()
    c = at.turn @ rotation
    yield case(joint.rotation(name), c, at.q, rotation, at.parameter)
    shifted = x + by_vector(t(c), at.shift)
    yield case(joint.moved(name), shifted, x, at.q, c, at.parameter)
    if name in TYPES:  # q is a number
        yield case(joint.rotation(name), c, at.q[:, 0], rotation)
        yield case(joint.moved(name), shifted, x, at.q[:, 0], c)
    h = at.subspace
    for columns in {own, FREEDOM} if own else {1, FREEDOM}:
        yield case(joint.subspace(name, columns), padded(h, columns), at.q, at.parameter)
        dual = h @ np.linalg.inv(t(h) @ h) if own else h
        yield case(joint.dual(name, columns), padded(dual, columns), at.q, at.parameter)
    yield case(link.axes(name), padded(six(turn) @ h, FREEDOM), padded(h, FREEDOM), turn)
    w, torque = padded(dual, FREEDOM), padded(draw(own), FREEDOM)
    yield case(op.force_of_torque(name), by_vector(w, torque), w, torque)
    for columns, force, stacked in right_sides(6):
        before = draw(*force.shape[1:])
        after = before if columns else before[..., None]
        yield case(op.joint_components(name), shaped(columns, t(w) @ (stacked - after)), w, force, before)
        yield case(op.joint_components(name), shaped(columns, t(w) @ stacked), w, force, None)
    for linear, rows in ((False, slice(0, 3)), (True, slice(3, 6))):
        drift = at.drift[:, rows]
        assert JOINTS[name].drifts[linear] == drift.any()
        yield case(joint.drift(name, linear), by_vector(turn, drift), at.q, at.qd, at.parameter, turn)
    tilt = np.zeros((BATCH, 2))
    for column, rows in enumerate(JOINTS[name].forbids):
        if len(rows) > 1:
            tilt = forbidden(name)[:, rows, column]
    yield case(joint.tilt(name), tilt, at.q, at.parameter)


def forbidden(name: str) -> Array:
    """W_i of the table of joints; the mixed column of a helical joint not made to unit length."""
    one, at = JOINTS[name], moved(name)
    w = one.complement(at.q[:, : one.coordinates], at.parameter)
    return (
        w * np.append(np.ones((BATCH, 4)), np.sqrt(1.0 + at.parameter**2)[:, None], axis=-1)[:, None]
        if name == "helical"
        else w
    )


def with_constraints(name: str) -> Iterator[Case]:
    """Products with W_i, in blocks as small as they can be and larger."""
    at, w = moved(name), forbidden(name)
    own = w.shape[-1]
    tilt = (joint.tilt(name).evaluate(at.q, at.parameter),) if JOINTS[name].mixed else ()
    c, p, inverse, before, x, carried = rotations(), draw(3), spd(6), spd(6), draw(6), draw(6)
    reach = six(c) @ hat(p)
    for size in {own, 5, ROWS} - {0, *range(own)}:
        whole = padded(w, size)
        a = t(whole) @ (inverse + before) @ whole
        a[:, range(own, size), range(own, size)] = 1.0
        yield case(op.diagonal(name, size), pack(a), pack(inverse), pack(before), *tilt)
        if not tilt and size == own < 6:  # where it is stored restricted to W
            held = pack(t(whole) @ before @ whole)
            yield case(op.diagonal(name, size), pack(a), pack(inverse), held)
            yield case(op.before_alone(name, size), held, pack(inverse), held)
        alone = t(whole) @ before @ whole
        alone[:, range(own, size), range(own, size)] = 1.0
        yield case(op.before_alone(name, size), pack(alone), pack(inverse), pack(before), *tilt)
        seen = t(whole) @ six(c) @ np.linalg.inv(t(hat(p)))
        yield case(op.reach(name, size), seen, c, p, *tilt)
        yield case(op.constrained(name, size), by_vector(t(whole), x - carried), x, carried, *tilt)
        yield case(op.constrained(name, size), by_vector(t(whole), x), x, None, *tilt)
        yield case(op.projected(name, size), by_vector(t(whole), x), x, *tilt)
        yield case(op.coupling(name, None, size), t(whole) @ inverse @ reach, pack(inverse), c, p, *tilt)
        for columns, phi, stacked in right_sides(size):
            kernel = op.constraint_force(name)
            yield case(kernel, shaped(columns, whole @ stacked), phi, *tilt)


def couplings(name: str, following: str) -> Iterator[Case]:
    """B_i for each pair of neighbours."""
    w, after = forbidden(name), forbidden(following)
    c, p, inverse = rotations(), draw(3), spd(6)
    both = [joint.tilt(x).evaluate(moved(x).q, moved(x).parameter) for x in (name, following)]
    tilts = both if JOINTS[name].mixed or JOINTS[following].mixed else []
    b = -t(padded(w, ROWS)) @ inverse @ six(c) @ hat(p) @ padded(after, ROWS)
    yield case(op.coupling(name, following, ROWS), b, pack(inverse), c, p, *tilts)


def projections() -> Iterator[Case]:
    """Step I.a for H and W that are any matrices."""
    mass, central, centre, c = RNG.uniform(0.5, 2.0, BATCH), spd(3), draw(3), rotations()
    turned = six(c) @ inertia(mass, central, centre) @ t(six(c))
    constants = (c, centre, pack(np.linalg.inv(central)), 1.0 / mass)
    yield case(link.inverse_inertia_in_pose, pack(np.linalg.inv(turned)), *constants)


def operators() -> Iterator[Case]:
    """Steps II.b-c and IV.b."""
    c, p, inverse = rotations(), draw(3), spd(6)
    reach = six(c) @ hat(p)
    for columns, force, stacked in right_sides(6):
        beyond = draw(*force.shape[1:])
        after = beyond if columns else beyond[..., None]
        both = inverse @ (stacked - reach @ after)
        of = op.accelerations
        yield case(of, shaped(columns, both), pack(inverse), force, c, p, beyond)
        yield case(of, shaped(columns, inverse @ stacked), pack(inverse), force, c, p, None)
    qdd, y, force = draw(4), draw(4, 6), draw(6)
    yield case(op.response, qdd - by_vector(y, force), qdd, y, force)


def along_axes(name: str, freedom: int | None) -> Iterator[Case]:
    """Newton-Euler, by 6x6 matrices: what depends on H_i in the common frame, z if `freedom` is None."""
    own = JOINTS[name].degrees
    axes = draw(3) if freedom is None else padded(draw(6, own) * JOINTS[name].halves, freedom)
    h = axis_of(name, axes)[..., None] if freedom is None else axes[..., :own]
    p, wrench, dw, relative, before, rate = draw(3), draw(6), draw(3), draw(3), draw(3), draw(own)

    def words(x: Array) -> Array:
        return x[:, 0] if freedom is None else padded(x, freedom)

    given, velocity = words(rate), by_vector(h, rate)
    yield case(link.turning(name), velocity[:, :3], axes, given)
    yield case(link.shifting(name), velocity[:, 3:], axes, given)
    turns = 1.0 if JOINTS[name].turning else 0.0
    for inner in (before, None):
        expected = velocity[:, :3] + turns * np.cross(
            np.zeros((BATCH, 3)) if inner is None else inner, relative
        )
        yield case(link.accelerated_gyration(name), expected, axes, relative, given, inner)
    moment, force = wrench[:, :3], wrench[:, 3:]
    torque = words(by_vector(t(h), wrench))
    yield case(link.bias(name), torque, axes, moment, force)
    yield case(link.bias_of_wrench(name), torque, axes, np.stack([p, force, moment], axis=1))
    yield case(link.lever_rate(name), np.cross(dw, p) + velocity[:, 3:], dw, p, axes, given)
    yield case(link.reaction(name), words(by_vector(t(h) @ hat(p), wrench)), axes, p, wrench)


def motions() -> Iterator[Case]:
    """What knows no joint type."""
    turn, c, omega, v, before = rotations(), rotations(), draw(3), draw(3), draw(3)
    yield case(link.turned_back, turn @ t(c), turn, c)
    yield case(link.coriolis_of_both, by_vector(tilde(before + omega), v), omega, v, before)
    yield case(link.coriolis_of_both, by_vector(tilde(omega), v), omega, v, None)


def wide() -> Iterator[Case]:
    yield from projections()
    yield from operators()
    yield from motions()
    for name in TYPES:
        yield from along_axes(name, None)
    for name in JOINTS:
        yield from of_joint(name)
        yield from with_constraints(name)
        yield from along_axes(name, FREEDOM)
        for following in JOINTS:
            yield from couplings(name, following)
