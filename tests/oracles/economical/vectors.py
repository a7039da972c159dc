"""Sums and products of short lists of scalars."""

from tests.oracles.economical.screws import Matrix, Scalar, Vector

PLANES = ((1, 2), (2, 0), (0, 1))
"""The two other axes of each axis, in turn."""


def dot(x: Vector, y: Vector) -> Scalar:
    """k m, k - 1 a."""
    products = [a * b for a, b in zip(x, y, strict=True)]
    return sum(products[1:], start=products[0])


def times(matrix: Matrix, v: Vector) -> Vector:
    """Each row by v."""
    return [dot(row, v) for row in matrix]


def plus(x: Vector, y: Vector) -> Vector:
    """k a."""
    return [a + b for a, b in zip(x, y, strict=True)]


def scaled(factor: Scalar, v: Vector) -> Vector:
    """k m."""
    return [factor * x for x in v]


def cross(x: Vector, y: Vector) -> Vector:
    """6 m 3 a."""
    return [x[i] * y[j] - x[j] * y[i] for i, j in PLANES]
