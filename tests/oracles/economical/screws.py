"""Moving vectors and symmetric 6x6 matrices along and about one axis, scalar by scalar.

A screw takes a frame to the next: turn about an axis, shift along the same axis. Vectors are lists of
three; a twist is [angular; of the point], a wrench [moment about the point; force]. "Outward" is towards the
tip: to the coordinates of the turned frame, at its origin. A change of sign and a copy cost nothing.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

Scalar = Any
"""A float, or a scalar that counts."""
Vector = list[Scalar]
Matrix = list[list[Scalar]]

X, Z = 0, 2
AROUND = {X: (1, 2), Z: (0, 1)}
"""The plane in which a turn about the axis happens."""


@dataclass(frozen=True)
class Screw:
    """Turn about `axis` by the angle of this cosine and sine, shift along it by `length`."""

    axis: int
    cosine: Scalar
    sine: Scalar
    length: Scalar


class Six(NamedTuple):
    """A symmetric 6x6 matrix [I H; H' M], blocks 3x3: an inertia maps twists to wrenches."""

    I: Matrix
    H: Matrix
    M: Matrix


def outward(v: Vector, screw: Screw) -> Vector:
    """A vector in the axes of the turned frame: 4 m 2 a."""
    return _turned(v, screw.axis, screw.cosine, screw.sine)


def inward(v: Vector, screw: Screw) -> Vector:
    """Back again."""
    return _turned(v, screw.axis, screw.cosine, -screw.sine)


def twist_outward(angular: Vector, linear: Vector, screw: Screw) -> tuple[Vector, Vector]:
    """A twist to the next frame: 10 m 6 a."""
    moved = plus_cross(linear, -screw.length, angular, screw.axis)
    return outward(angular, screw), outward(moved, screw)


def wrench_inward(moment: Vector, force: Vector, screw: Screw) -> tuple[Vector, Vector]:
    """A wrench from the next frame: 10 m 6 a."""
    moment, force = inward(moment, screw), inward(force, screw)
    return plus_cross(moment, screw.length, force, screw.axis), force


def inertia_inward(six: Six, screw: Screw, *, hinged: bool = False) -> Six:
    """An inertia from the next frame: 38 m 41 a.

    `hinged`: the rows of I and H of the screw's axis are zero, as behind a joint about it: 28 m 35 a.
    """
    turned = _congruent(six, screw.axis, screw.cosine, -screw.sine, hinged)
    return _shifted(turned, screw.length, screw.axis, hinged)


def response_outward(six: Six, screw: Screw) -> Six:
    """[I H; H' M] that maps [force; moment] to [acceleration of the point; angular]: 38 m 41 a."""
    moved = response_shifted(six, screw.length, screw.axis)
    return _congruent(moved, screw.axis, screw.cosine, screw.sine, False)


def response_shifted(six: Six, length: Scalar, axis: int) -> Six:
    """The same at a point further out along the axis, not turned: 10 m 14 a."""
    return _shifted(six, -length, axis, False)


def plus_cross(v: Vector, length: Scalar, w: Vector, axis: int) -> Vector:
    """v + length (e x w), e the axis: 2 m 2 a."""
    j, k = AROUND[axis]
    out = list(v)
    out[j], out[k] = v[j] - length * w[k], v[k] + length * w[j]
    return out


def _turned(v: Vector, axis: int, c: Scalar, s: Scalar) -> Vector:
    j, k = AROUND[axis]
    out = list(v)
    out[j], out[k] = c * v[j] + s * v[k], c * v[k] - s * v[j]
    return out


def congruent(block: Matrix, axis: int, c: Scalar, s: Scalar) -> Matrix:
    """A symmetric 3x3 in turned axes, T block T': 8 m 8 a."""
    out = [list(row) for row in block]
    _turn_plane(out, axis, c, s, symmetric=True)
    _turn_column(out, axis, c, s)
    for row in AROUND[axis]:
        out[axis][row] = out[row][axis]
    return out


def _congruent(six: Six, axis: int, c: Scalar, s: Scalar, hinged: bool) -> Six:
    """All three blocks in turned axes."""
    across = [list(row) for row in six.H]
    _turn_plane(across, axis, c, s, symmetric=False)
    _turn_column(across, axis, c, s)
    if hinged:
        own = [list(row) for row in six.I]
        _turn_plane(own, axis, c, s, symmetric=True)
    else:
        own = congruent(six.I, axis, c, s)
        across[axis] = _turned(across[axis], axis, c, s)
    return Six(own, across, congruent(six.M, axis, c, s))


def _turn_plane(block: Matrix, axis: int, c: Scalar, s: Scalar, symmetric: bool) -> None:
    """The 2x2 part in the plane: 4 m 7 a, symmetric 4 m 6 a; c^2 - s^2 = 2 c^2 - 1 saves the rest."""
    j, k = AROUND[axis]
    upper, lower = block[j][k], block[k][j]
    twice = c * (upper + lower)
    w = s * (block[j][j] - block[k][k]) - twice
    along, across = s * w, c * w
    block[j][j], block[k][k] = block[j][j] - along, block[k][k] + along
    block[j][k] = -(across + lower)
    block[k][j] = block[j][k] if symmetric else -(across + upper)


def _turn_column(block: Matrix, axis: int, c: Scalar, s: Scalar) -> None:
    j, k = AROUND[axis]
    column = _turned([row[axis] for row in block], axis, c, s)
    block[j][axis], block[k][axis] = column[j], column[k]


def _shifted(six: Six, d: Scalar, axis: int, hinged: bool) -> Six:
    """About a point further in by d: H + d e~ M and I - d H e~ + d e~ H': 10 m 14 a."""
    j, k = AROUND[axis]
    I, H, M = ([list(row) for row in block] for block in six)
    across = d * M[j][k]
    H[j][j], H[j][k], H[j][axis] = H[j][j] - across, H[j][k] - d * M[k][k], H[j][axis] - d * M[k][axis]
    H[k][j], H[k][k], H[k][axis] = H[k][j] + d * M[j][j], H[k][k] + across, H[k][axis] + d * M[j][axis]
    I[j][j] = I[j][j] - d * (six.H[j][k] + H[j][k])
    I[k][k] = I[k][k] + d * (six.H[k][j] + H[k][j])
    I[j][k] = I[k][j] = I[j][k] + d * (six.H[j][j] - H[k][k])
    if not hinged:
        I[j][axis] = I[axis][j] = I[j][axis] - d * H[axis][k]
        I[k][axis] = I[axis][k] = I[k][axis] + d * H[axis][j]
    return Six(I, H, M)
