"""The closed chain by the mass matrix, O(n^3): what is best for a short arm.

Composite inertias in link axes (Walker and Orin 1982); the columns of J and the wrenches that belong to the
columns of M about O_{n+1} in the end effector's axes, so that an entry of M is one product of six-vectors.
"""

from dataclasses import dataclass

from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    AROUND,
    Matrix,
    Scalar,
    Screw,
    Vector,
    congruent,
    inward,
)
from tests.oracles.economical.vectors import cross, dot, plus, scaled

X, Y, Z = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Factor:
    """M = L D L', and L^-1 J'."""

    twists: Matrix
    """J' (n, 6)."""
    lower: Matrix
    """L below its diagonal, by rows."""
    inverse: list[Scalar]
    """D^-1 (n,)."""
    reach: Matrix
    """L^-1 J' (n, 6)."""
    weighted: Matrix
    """D^-1 L^-1 J' (n, 6)."""


def factor(links: list[Link], joints: list[Screw]) -> Factor:
    """M and J, and M's factor: n^3 / 6 m and a, and terms of lower order."""
    twists, wrenches, own = _columns(links, joints)
    n = len(links)
    mass = [[dot(twists[i], wrenches[j]) for j in range(i + 1, n)] for i in range(n)]
    # Row i of the lower triangle from the columns j > i of the upper one; eliminated from the base.
    left = [[*(mass[j][i - j - 1] for j in range(i)), own[i]] for i in range(n)]
    inverse = []
    for k in range(n):
        inverse.append(1.0 / left[k][k])
        column = [left[i][k] for i in range(k + 1, n)]
        for i in range(k + 1, n):
            left[i][k] = left[i][k] * inverse[k]
            for j in range(k + 1, i + 1):
                left[i][j] = left[i][j] - left[i][k] * column[j - k - 1]
    lower = [row[:-1] for row in left]
    by_twist = [forward(lower, [twist[c] for twist in twists]) for c in range(6)]
    reach = [[by_twist[c][i] for c in range(6)] for i in range(n)]
    return Factor(
        twists, lower, inverse, reach, [scaled(d, row) for d, row in zip(inverse, reach, strict=True)]
    )


def forward(lower: Matrix, v: Vector) -> Vector:
    """L^-1 v: n (n - 1) / 2 m and a."""
    out: Vector = []
    for row, x in zip(lower, v, strict=True):
        for entry, known in zip(row, out, strict=True):
            x = x - entry * known
        out.append(x)
    return out


def backward(lower: Matrix, v: Vector) -> Vector:
    """L'^-1 v: as many."""
    out = list(v)
    for i in reversed(range(len(out))):
        for j in range(i):
            out[j] = out[j] - lower[i][j] * out[i]
    return out


def lambda_inverse(found: Factor) -> list[Scalar]:
    """J M^-1 J', packed (21): 21 n m and a."""
    columns = [list(c) for c in zip(*found.reach, strict=True)]
    weighted = [list(c) for c in zip(*found.weighted, strict=True)]
    return [dot(columns[k], weighted[m]) for k in range(6) for m in range(k + 1)]


def _columns(links: list[Link], joints: list[Screw]) -> tuple[Matrix, Matrix, list[Scalar]]:
    """Twists of the end effector, wrenches of the links beyond (n, 6), and the diagonal of M."""
    last = links[-1]
    c, s = last.across.cosine, last.across.sine
    axes: Matrix = [[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]
    origin: Vector = [-last.across.length, 0.0, -last.offset]
    body: _Body | None = None
    twists, wrenches, own = [], [], []
    for i in reversed(range(len(links))):
        link = links[i]
        if body is None:
            body = _Body(link.mass, link.moment, link.inertia)
        else:
            along = [row[Z] for row in axes]  # of joint i + 2, in the end effector's axes
            for screw in (joints[i + 1], link.across):
                body = _moved(body, screw)
                axes = [inward(row, screw) for row in axes]
            body = _joined(body, link)
            step = plus(scaled(link.offset, along), scaled(link.across.length, [row[X] for row in axes]))
            origin = [p - d for p, d in zip(origin, step, strict=True)]
        axis = [row[Z] for row in axes]
        twists.append([*axis, *cross(origin, axis)])
        force = [row[Y] * body.moment[X] - row[X] * body.moment[Y] for row in axes]
        moment = [dot(row, [entries[Z] for entries in body.inertia]) for row in axes]
        wrenches.append([*plus(moment, cross(origin, force)), *force])
        own.append(body.inertia[Z][Z])
    return twists[::-1], wrenches[::-1], own[::-1]


@dataclass(frozen=True, eq=False)
class _Body:
    """A link and all beyond it, locked, about the link's O_i in its axes."""

    mass: Scalar
    moment: Vector
    inertia: Matrix


def _moved(body: _Body, screw: Screw) -> _Body:
    """To the frame before the screw: 16 m 16 a."""
    axis, d = screw.axis, screw.length
    j, k = AROUND[axis]
    moment = inward(body.moment, screw)
    inertia = congruent(body.inertia, axis, screw.cosine, -screw.sine)
    before = moment[axis]
    moment[axis] = before + d * body.mass
    more = d * (before + moment[axis])
    for m in (j, k):
        inertia[m][m] = inertia[m][m] + more
        inertia[m][axis] = inertia[axis][m] = inertia[m][axis] - d * moment[m]
    return _Body(body.mass, moment, inertia)


def _joined(body: _Body, link: Link) -> _Body:
    """With the link itself: 10 a."""
    inertia = [list(row) for row in body.inertia]
    for k in range(3):
        for m in range(k + 1):
            inertia[k][m] = inertia[m][k] = inertia[k][m] + link.inertia[k][m]
    return _Body(body.mass + link.mass, plus(body.moment, link.moment), inertia)
