"""Random blocks for a batch of three processes, and what a kernel is expected to make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.spatial import rotation_quaternion
from senn.machine.program import Kernel
from tests.algorithms.kernels.uses import PRISMATIC, REVOLUTE

Array = NDArray[np.floating[Any]]

BATCH = 3
TYPES = (REVOLUTE, PRISMATIC)
AXIS = {REVOLUTE: 2, PRISMATIC: 5}
H = {joint: np.eye(6)[:, [row]] for joint, row in AXIS.items()}
W = {joint: np.delete(np.eye(6), row, axis=1) for joint, row in AXIS.items()}
RNG = np.random.default_rng(1993)


class Case(NamedTuple):
    kernel: Kernel
    operands: tuple[Array | None, ...]
    expected: Array


def case(kernel: Kernel, expected: Array, *operands: Array | None) -> Case:
    return Case(kernel, operands, expected)


def draw(*shape: int) -> Array:
    return RNG.standard_normal((BATCH, *shape))


def spd(size: int) -> Array:
    root = draw(size, size)
    return root @ t(root) + np.eye(size)


def rotations() -> Array:
    return rotation_quaternion(draw(4))


def rotation_z(angle: Array) -> Array:
    """Rotations about z, (...,) -> (..., 3, 3)."""
    c, s, none = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    rows = [[c, -s, none], [s, c, none], [none, none, none + 1.0]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def axis_of(joint: str, z: Array) -> Array:
    """H: the axis z in the angular or in the linear half."""
    none = np.zeros_like(z)
    return np.concatenate([z, none] if joint == REVOLUTE else [none, z], axis=-1)


def t(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def by_vector(matrix: Array, vector: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))


def inner(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))


def right_sides(rows: int) -> Iterator[tuple[int | None, Array, Array]]:
    """(columns, as a kernel takes them, as columns) for one plain vector and for six columns."""
    vector, columns = draw(rows), draw(rows, 6)
    yield None, vector, vector[..., None]
    yield 6, columns, columns


def shaped(columns: int | None, x: Array) -> Array:
    return x[..., 0] if columns is None else x
