"""Vectors and symmetric 6x6 matrices moved along and about one axis, scalar by scalar.

A screw takes a frame to the next: turn about an axis, shift along the same axis. Vectors are lists of three;
a twist is [angular; of the point], a wrench [moment about the point; force], each a pair of vectors. Entries
are floats or scalars that count; an operation with a literal 0 or 1 is left out, as a change of sign is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

Scalar = Any
Vector = list[Scalar]
Matrix = list[list[Scalar]]
Pair = tuple[Vector, Vector]

X, Z = 0, 2
PLANES = ((1, 2), (2, 0), (0, 1))
"""The two other axes of each axis, in turn."""
REST = [0.0, 0.0, 0.0]


def mul(a: Scalar, b: Scalar) -> Scalar:
    for x, other in ((a, b), (b, a)):
        if type(x) is float and x in (0.0, 1.0, -1.0):
            return 0.0 if x == 0.0 else other if x == 1.0 else -other
    return a * b


def add(*terms: Scalar) -> Scalar:
    total: Scalar = 0.0
    for x in terms:
        if not (type(x) is float and x == 0.0):
            total = x if type(total) is float and total == 0.0 else total + x
    return total


def sub(a: Scalar, b: Scalar) -> Scalar:
    return add(a, -b)


def dot(x: Vector, y: Vector) -> Scalar:
    return add(*map(mul, x, y))


def plus(x: Vector, y: Vector) -> Vector:
    return [add(a, b) for a, b in zip(x, y, strict=True)]


def scaled(factor: Scalar, x: Vector) -> Vector:
    return [mul(factor, a) for a in x]


def cross(x: Vector, y: Vector) -> Vector:
    return [sub(mul(x[i], y[j]), mul(x[j], y[i])) for i, j in PLANES]


@dataclass(frozen=True)
class Screw:
    """Turn about `axis` by the angle of this cosine and sine, shift along it by `length`."""

    axis: int
    cosine: Scalar
    sine: Scalar
    length: Scalar

    @property
    def back(self) -> Screw:
        return Screw(self.axis, self.cosine, -self.sine, -self.length)


def turned(v: Vector, screw: Screw) -> Vector:
    """A vector in the axes of the turned frame: 4 m 2 a."""
    (j, k), c, s, out = PLANES[screw.axis], screw.cosine, screw.sine, list(v)
    out[j], out[k] = add(mul(c, v[j]), mul(s, v[k])), sub(mul(c, v[k]), mul(s, v[j]))
    return out


def lever(v: Vector, length: Scalar, w: Vector, axis: int) -> Vector:
    """v + length (e x w), e the axis: 2 m 2 a."""
    (j, k), out = PLANES[axis], list(v)
    out[j], out[k] = sub(v[j], mul(length, w[k])), add(v[k], mul(length, w[j]))
    return out


def twist(moving: Pair, screw: Screw) -> Pair:
    """A twist in the next frame: 10 m 6 a."""
    angular, linear = moving
    return turned(angular, screw), turned(lever(linear, -screw.length, angular, screw.axis), screw)


def wrench(pressing: Pair, screw: Screw) -> Pair:
    """A wrench in the next frame: 10 m 6 a."""
    moment, force = pressing
    return turned(lever(moment, -screw.length, force, screw.axis), screw), turned(force, screw)


class Six(NamedTuple):
    """A symmetric 6x6 matrix [I H; H' M], blocks 3x3: an inertia maps twists to wrenches."""

    I: Matrix
    H: Matrix
    M: Matrix

    @property
    def rows(self) -> Matrix:
        upper = [[*self.I[k], *self.H[k]] for k in range(3)]
        return upper + [[*(row[k] for row in self.H), *self.M[k]] for k in range(3)]


def inertia(six: Six, screw: Screw) -> Six:
    """An inertia in the next frame: 38 m 41 a; behind a joint about the screw's axis 28 m 35 a."""
    return shifted(_turned_blocks(six, screw), screw.length, screw.axis)


def shifted(six: Six, length: Scalar, axis: int) -> Six:
    """An inertia about a point further out along the axis: 10 m 14 a."""
    return _shifted(six, -length, axis)


def _turned_blocks(six: Six, screw: Screw) -> Six:
    across = [list(row) for row in six.H]
    _turn_plane(across, screw, symmetric=False)
    _turn_column(across, screw)
    across[screw.axis] = turned(across[screw.axis], screw)
    return Six(congruent(six.I, screw), across, congruent(six.M, screw))


def congruent(block: Matrix, screw: Screw) -> Matrix:
    """A symmetric 3x3 in turned axes: 8 m 8 a."""
    out = [list(row) for row in block]
    _turn_plane(out, screw, symmetric=True)
    _turn_column(out, screw)
    for row in PLANES[screw.axis]:
        out[screw.axis][row] = out[row][screw.axis]
    return out


def _turn_plane(block: Matrix, screw: Screw, *, symmetric: bool) -> None:
    """The 2x2 part in the plane: 4 m 7 a, symmetric 4 m 6 a; c^2 - s^2 = 2 c^2 - 1 saves the rest."""
    (j, k), c, s = PLANES[screw.axis], screw.cosine, screw.sine
    upper, lower = block[j][k], block[k][j]
    w = sub(mul(s, sub(block[j][j], block[k][k])), mul(c, add(upper, lower)))
    along, beside = mul(s, w), mul(c, w)
    block[j][j], block[k][k] = sub(block[j][j], along), add(block[k][k], along)
    block[j][k] = -add(beside, lower)
    block[k][j] = block[j][k] if symmetric else -add(beside, upper)


def _turn_column(block: Matrix, screw: Screw) -> None:
    column = turned([row[screw.axis] for row in block], screw)
    for row in PLANES[screw.axis]:
        block[row][screw.axis] = column[row]


def _shifted(six: Six, d: Scalar, axis: int) -> Six:
    """About a point further in by d: H + d e~ M and I - d H e~ + d e~ H': 10 m 14 a."""
    j, k = PLANES[axis]
    I, H, M = ([list(row) for row in block] for block in six)
    beside = mul(d, M[j][k])
    H[j] = [sub(x, y) for x, y in zip(H[j], _row(d, M[k], beside, j), strict=True)]
    H[k] = [add(x, y) for x, y in zip(H[k], _row(d, M[j], beside, k), strict=True)]
    I[j][j] = sub(I[j][j], mul(d, add(six.H[j][k], H[j][k])))
    I[k][k] = add(I[k][k], mul(d, add(six.H[k][j], H[k][j])))
    I[j][k] = I[k][j] = add(I[j][k], mul(d, sub(six.H[j][j], H[k][k])))
    I[j][axis] = I[axis][j] = sub(I[j][axis], mul(d, H[axis][k]))
    I[k][axis] = I[axis][k] = add(I[k][axis], mul(d, H[axis][j]))
    return Six(I, H, M)


def _row(d: Scalar, row: Vector, beside: Scalar, at: int) -> Vector:
    return [beside if column == at else mul(d, x) for column, x in enumerate(row)]
