"""The closed chain in the null space of its contact, in scalars: six dependent joints, the last ones.

Twists of the end effector and wrenches of the links beyond each joint, about O_{n+1} in the end effector's
axes, make the columns of J and M (as in Walker and Orin 1982). The motion of the last link is prescribed, so
that its inertia is left out of M: it adds a known wrench to the contact force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracles.economical import motion
from tests.oracles.economical.chain import back, halved, ldl
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    PLANES,
    Matrix,
    Pair,
    Scalar,
    Screw,
    Vector,
    X,
    Z,
    add,
    congruent,
    cross,
    dot,
    mul,
    plus,
    scaled,
    sub,
    turned,
    wrench,
)

Y = 1
HELD = 6


@dataclass(frozen=True, eq=False)
class State:
    """State, torques and contact of an arm whose tip is held in all directions, W = U."""

    q: Any
    """(n,) an array, so that NumPy's cosine and sine serve floats and counting scalars."""
    qd: Vector
    tau: Vector
    gravity: Vector
    """In frame 1."""
    prescribed: Vector
    """G_C (6,)."""
    last: Matrix
    """(6, 6): inertia of the last link about O_{n+1} in the end effector's axes, a constant."""


def solve(links: list[Link], state: State) -> tuple[Vector, Vector]:
    """(qdd (n,), force (6,)) of n > 6 joints, of which the last six move the tip in all directions."""
    free = len(links) - HELD
    turns = list(zip(np.cos(state.q).tolist(), np.sin(state.q).tolist(), strict=True))
    joints = motion.joint_screws(links, turns)
    loads, end = motion.outward(links, joints, state.qd, motion.at_rest(state.gravity))
    drive = minus(state.tau, _torques(links, joints, loads))
    tip = minus(state.prescribed, [*end.turning, *plus(end.point, end.g)])

    columns = _columns(links, joints)
    twists, wrenches, own = columns.twists, columns.wrenches, columns.own
    dependent = Plu(transposed(twists[free:]))
    S = [dependent.solved(twist) for twist in twists[:free]]  # by rows
    p = dependent.solved(tip)
    moved = HELD - 1  # the last joint moves nothing but the last link
    mass: Matrix = [[0.0] * moved for _ in range(moved)]
    for a in range(moved):
        mass[a][a] = own[free + a]
        for b in range(a + 1, moved):
            mass[a][b] = mass[b][a] = dot(twists[free + a], wrenches[free + b])
    felt = []  # Z'M of the dependent joints, by rows
    for twist, share in zip(twists, S, strict=False):
        row = [dot(twist, wrenches[free + a]) for a in range(moved)]
        felt.append(minus(row, [dot(entries, share[:moved]) for entries in mass]))
    reduced: Matrix = []
    across = transposed(wrenches[free : free + moved])
    for k in range(free):
        less = [dot(row, S[k][:moved]) for row in across]
        rest = minus(wrenches[k], less) if k else []
        row = [*(dot(twists[j], rest) for j in range(k)), sub(own[k], dot(twists[k], less))]
        reduced.append([sub(x, dot(S[j][:moved], felt[k])) for j, x in enumerate(row)])
    force = [sub(sub(drive[k], dot(S[k], drive[free:])), dot(felt[k], p[:moved])) for k in range(free)]
    lower, inverse = ldl(reduced)
    qdd = back(lower, [mul(d, x) for d, x in zip(inverse, halved(lower, force), strict=True)])
    torques = minus(drive[free:-1], [dot(column, qdd) for column in transposed(felt)])
    torques = minus(torques, [dot(row, p[:moved]) for row in mass])
    pressed = dependent.solved_transposed([*torques, drive[-1]])
    qdd = [*qdd, *minus(p, [dot(column, qdd) for column in transposed(S)])]
    return qdd, minus(pressed, [dot(row, tip) for row in state.last])


def _torques(links: list[Link], joints: list[Screw], loads: list[Pair]) -> Vector:
    """The torques of these loads, inward."""
    at, torques = loads[-1], [loads[-1][0][Z]]
    for link, joint, load in zip(links[-2::-1], joints[:0:-1], loads[-2::-1], strict=True):
        moment, force = wrench(wrench(at, joint.back), link.across.back)
        at = plus(load[0], moment), plus(load[1], force)
        torques.append(at[0][Z])
    return torques[::-1]


def minus(x: Vector, y: Vector) -> Vector:
    return [sub(a, b) for a, b in zip(x, y, strict=True)]


def transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


class Plu:
    """LU of a square matrix with partial pivoting; comparisons and exchanges cost nothing."""

    def __init__(self, matrix: Matrix) -> None:
        size = len(matrix)
        self.lu, self.order = [list(row) for row in matrix], list(range(size))
        self.inverse: Vector = []
        for k in range(size):
            if isinstance(matrix[0][0], float):
                pivot = max(range(k, size), key=lambda row: abs(self.lu[row][k]))
                for rows in (self.lu, self.order):
                    rows[k], rows[pivot] = rows[pivot], rows[k]  # type: ignore[index]
            self.inverse.append(1.0 / self.lu[k][k])
            for i in range(k + 1, size):
                self.lu[i][k] = mul(self.lu[i][k], self.inverse[k])
                for j in range(k + 1, size):
                    self.lu[i][j] = sub(self.lu[i][j], mul(self.lu[i][k], self.lu[k][j]))

    def solved(self, b: Vector) -> Vector:
        x, size = [b[row] for row in self.order], len(b)
        for i in range(size):
            x[i] = sub(x[i], dot(self.lu[i][:i], x[:i]))
        for i in reversed(range(size)):
            x[i] = mul(sub(x[i], dot(self.lu[i][i + 1 :], x[i + 1 :])), self.inverse[i])
        return x

    def solved_transposed(self, b: Vector) -> Vector:
        x, columns = list(b), transposed(self.lu)
        for i, column in enumerate(columns):
            x[i] = mul(sub(x[i], dot(column[:i], x[:i])), self.inverse[i])
        for i in reversed(range(len(b))):
            x[i] = sub(x[i], dot(columns[i][i + 1 :], x[i + 1 :]))
        return [x[self.order.index(row)] for row in range(len(b))]


@dataclass(frozen=True, eq=False)
class Columns:
    """The end effector moved by each joint, and what the links beyond, the last left out, need for it."""

    twists: Matrix
    """J' (n, 6)."""
    wrenches: Matrix
    """(n - 1, 6); the first stands in no other column, and is empty."""
    own: Vector
    """The diagonal of M (n - 1,)."""


def _columns(links: list[Link], joints: list[Screw]) -> Columns:
    across = links[-1].across
    axes: Matrix = [[1.0, 0.0, 0.0], [0.0, across.cosine, across.sine], [0.0, -across.sine, across.cosine]]
    origin: Vector = [-across.length, 0.0, -links[-1].offset]
    body: _Body | None = None
    twists, wrenches, own = [], [], []
    for i in reversed(range(len(links))):
        link = links[i]
        if i < len(links) - 1:
            along = [row[Z] for row in axes]  # of joint i + 2, in the end effector's axes
            for screw in (joints[i + 1], link.across):
                axes = [turned(row, screw.back) for row in axes]
            step = plus(scaled(link.offset, along), scaled(link.across.length, [row[X] for row in axes]))
            origin = minus(origin, step)
        axis = [row[Z] for row in axes]
        twists.append([*axis, *cross(origin, axis)])
        if i == len(links) - 1:
            continue
        if i == 0 and body is not None:
            wrenches.append([])
            own.append(add(_about_axis(_moved(body, joints[1].back), link.across.back), link.inertia[Z][Z]))
            continue
        if body is None:
            body = _Body(link.mass, link.moment, link.inertia)
        else:
            body = _joined(_moved(_moved(body, joints[i + 1].back), link.across.back), link)
        force = [sub(mul(row[Y], body.moment[X]), mul(row[X], body.moment[Y])) for row in axes]
        moment = [dot(row, [entries[Z] for entries in body.inertia]) for row in axes]
        wrenches.append([*plus(moment, cross(origin, force)), *force])
        own.append(body.inertia[Z][Z])
    return Columns(twists[::-1], wrenches[::-1], own[::-1])


@dataclass(frozen=True, eq=False)
class _Body:
    """A link and those beyond it, locked, about the link's O_i in its axes."""

    mass: Scalar
    moment: Vector
    inertia: Matrix


def _moved(body: _Body, screw: Screw) -> _Body:
    """To the frame behind the screw: 16 m 16 a."""
    axis, d = screw.axis, -screw.length
    moment, inertia = turned(body.moment, screw), congruent(body.inertia, screw)
    before = moment[axis]
    moment[axis] = add(before, mul(d, body.mass))
    more = mul(d, add(before, moment[axis]))
    for m in PLANES[axis]:
        inertia[m][m] = add(inertia[m][m], more)
        inertia[m][axis] = inertia[axis][m] = sub(inertia[m][axis], mul(d, moment[m]))
    return _Body(body.mass, moment, inertia)


def _about_axis(body: _Body, screw: Screw) -> Scalar:
    """The zz entry of the inertia in the frame behind a screw about x, alone."""
    c, s, d, own, along = screw.cosine, screw.sine, -screw.length, body.inertia, body.moment[X]
    w = sub(mul(s, sub(own[Y][Y], own[Z][Z])), mul(c, add(own[Y][Z], own[Z][Y])))
    return add(own[Z][Z], mul(s, w), mul(d, add(along, add(along, mul(d, body.mass)))))


def _joined(body: _Body, link: Link) -> _Body:
    """With the link itself: 10 a."""
    inertia = [list(row) for row in body.inertia]
    for k in range(3):
        for m in range(k + 1):
            inertia[k][m] = inertia[m][k] = add(inertia[k][m], link.inertia[k][m])
    return _Body(add(body.mass, link.mass), plus(body.moment, link.moment), inertia)
