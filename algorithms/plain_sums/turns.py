"""Rotations, each from its definition."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Triple = Sequence[float]


def about(axis: Array, angle: Array) -> Array:
    """By an angle (k,) about unit axes (k, 3): what is along the axis stays, the rest turns; (k, 3, 3)."""
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    along = axis[:, :, None] * axis[:, None, :]
    # Column j is axis x e_j.
    across = np.cross(axis[:, None, :], np.eye(3)[None], axis=-1).transpose(0, 2, 1)
    turned: Array = c * np.eye(3) + (1.0 - c) * along + s * across
    return turned


def by_quaternion(quaternion: Array) -> Array:
    """By unit quaternions w x y z (k, 4): v + 2 w (u x v) + 2 u x (u x v), column by column; (k, 3, 3)."""
    w, u = quaternion[:, :1], quaternion[:, 1:]
    columns = []
    for k in range(3):
        v = np.eye(3)[k]
        once = np.cross(u, v)
        columns.append(v + 2.0 * w * once + 2.0 * np.cross(u, once))
    return np.stack(columns, axis=-1)


def rpy(angles: Triple) -> Array:
    """Roll about x, then pitch about y, then yaw about z, all of the fixed axes."""
    turned = np.eye(3)
    for k, angle in enumerate(angles):
        turned = about(np.eye(3)[k : k + 1], np.array([float(angle)]))[0] @ turned
    return turned


def unit(vector: Triple) -> Array:
    """Of length 1."""
    size = math.hypot(*(float(x) for x in vector))
    return np.array([float(x) / size for x in vector])


def z_to(axis: Array) -> Array:
    """The smallest turn that takes z to the unit vector `axis`; of one that looks down, half a turn about x
    after the smallest turn to what that makes of it."""
    if axis[2] < 0.0:
        over = np.diag([1.0, -1.0, -1.0])
        return np.asarray(over @ z_to(over @ axis), dtype=np.float64)
    across = np.cross([0.0, 0.0, 1.0], axis)
    s = float(np.sqrt(across @ across))
    if s == 0.0:
        return np.eye(3)
    found: Array = about((across / s)[None], np.array([math.atan2(s, float(axis[2]))]))[0]
    return found


def x_and_z(x: Array, z: Array) -> Array:
    """Axes with z along the unit vector `z` and x in the plane of `x` and `z`, on the side of `x`."""
    y = np.cross(z, x)
    y = y / np.sqrt(y @ y)
    return np.asarray(np.column_stack([np.cross(y, z), y, z]), dtype=np.float64)
