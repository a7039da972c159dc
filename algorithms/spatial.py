"""Spatial algebra of Fijany II.A: six-vectors [omega; v] and [n; f], angular part first.

Every function works over leading axes, so one call serves one link or all links of a chain.
"""

from math import ceil, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

REVOLUTE = "revolute"
PRISMATIC = "prismatic"


def tilde(p: ArrayLike) -> Numbers:
    """Cross-product matrix, (..., 3) -> (..., 3, 3): tilde(a) @ b = a x b (Fijany II.A)."""
    p = np.asarray(p, dtype=np.float64)
    out = np.zeros((*p.shape[:-1], 3, 3))
    out[..., 2, 1] = p[..., 0]
    out[..., 1, 2] = -p[..., 0]
    out[..., 0, 2] = p[..., 1]
    out[..., 2, 0] = -p[..., 1]
    out[..., 1, 0] = p[..., 2]
    out[..., 0, 1] = -p[..., 2]
    return out


def hat(p: ArrayLike) -> Numbers:
    """[U p~; 0 U], (..., 3) -> (..., 6, 6) (Fijany II.A).

    With p from B to A: F_B = hat(p) F_A for forces, and V_A = hat(p)' V_B for velocities.
    """
    p = np.asarray(p, dtype=np.float64)
    out = np.zeros((*p.shape[:-1], 6, 6))
    out[...] = np.eye(6)
    out[..., :3, 3:] = tilde(p)
    return out


def six(rotation: ArrayLike) -> Numbers:
    """C6: the rotation twice on the diagonal, (..., 3, 3) -> (..., 6, 6) (Fijany V.A)."""
    rotation = np.asarray(rotation, dtype=np.float64)
    out = np.zeros((*rotation.shape[:-2], 6, 6))
    out[..., :3, :3] = rotation
    out[..., 3:, 3:] = rotation
    return out


def transposed(matrix: Numbers) -> Numbers:
    """The transpose over leading axes, a view."""
    return np.swapaxes(matrix, -1, -2)


def turned(matrix: Numbers, vector: Numbers) -> Numbers:
    """(n, i, j) and (n, j) -> (n, i): each vector by its matrix."""
    return np.asarray(np.einsum("nij,nj->ni", matrix, vector))


def products(matrices: Numbers) -> Numbers:
    """Products of the first 1, 2, ... k matrices (k, m, m), in about sqrt(k) operations on whole arrays."""
    count = len(matrices)
    width = ceil(sqrt(count))
    padded = np.concatenate(
        [matrices, np.broadcast_to(np.eye(matrices.shape[-1]), (-count % width, *matrices.shape[1:]))]
    )
    rows = padded.reshape(-1, width, *matrices.shape[1:])
    for k in range(1, width):
        rows[:, k] = rows[:, k - 1] @ rows[:, k]
    for k in range(1, len(rows)):
        rows[k] = rows[k - 1, -1] @ rows[k]
    return padded[:count]


def pack(matrix: ArrayLike) -> Numbers:
    """Lower triangle by rows (0,0),(1,0),(1,1),(2,0),..: (..., k, k) -> (..., k(k+1)/2)."""
    matrix = np.asarray(matrix, dtype=np.float64)
    rows, columns = np.tril_indices(matrix.shape[-1])
    return np.ascontiguousarray(matrix[..., rows, columns])


def inertia(mass: ArrayLike, central: ArrayLike, centre: ArrayLike) -> Numbers:
    """Spatial inertia about O of a body with its centre of mass at `centre` from O (Fijany Eq. (2)).

    mass (...,) kg, central (..., 3, 3) kg m^2 about the centre of mass, centre (..., 3) m -> (..., 6, 6).
    """
    mass = np.asarray(mass, dtype=np.float64)[..., None, None]
    s = tilde(centre)
    out = np.empty((*s.shape[:-2], 6, 6))
    out[..., :3, :3] = np.asarray(central) - mass * (s @ s)
    out[..., :3, 3:] = mass * s
    out[..., 3:, :3] = -mass * s
    out[..., 3:, 3:] = mass * np.eye(3)
    return out


def inverse_inertia(mass: ArrayLike, inverse_central: ArrayLike, centre: ArrayLike) -> Numbers:
    """Inverse of `inertia` from J^-1, without a 6x6 inversion (Fijany Eq. (76) with its signs corrected).

    The printed off-diagonal blocks +J^-1 S~ and -S~ J^-1 have the wrong signs: the product with Eq. (2)
    is the unit matrix only with -J^-1 S~ above and +S~ J^-1 below.
    """
    mass = np.asarray(mass, dtype=np.float64)[..., None, None]
    inverse_central = np.asarray(inverse_central, dtype=np.float64)
    s = tilde(centre)
    below = s @ inverse_central
    out = np.empty((*s.shape[:-2], 6, 6))
    out[..., :3, :3] = inverse_central
    out[..., 3:, :3] = below
    out[..., :3, 3:] = transposed(below)
    out[..., 3:, 3:] = np.eye(3) / mass - below @ s
    return out


def rotation_rpy(rpy: ArrayLike) -> Numbers:
    """Rz(yaw) Ry(pitch) Rx(roll) from (roll, pitch, yaw) in rad, as in URDF; (3,) -> (3, 3)."""
    roll, pitch, yaw = np.asarray(rpy, dtype=np.float64)
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_to(axis: ArrayLike) -> Numbers:
    """The smallest rotation that takes e_z to the unit vector `axis`; its third column is `axis`."""
    x, y, z = np.asarray(axis, dtype=np.float64)
    if z < 0.0:  # near -z the smallest rotation is ill-defined: turn by pi about x first
        return rotation_to((x, -y, -z)) * np.array([[1.0], [-1.0], [-1.0]], dtype=np.float64)
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])


def rotation_quaternion(quaternion: ArrayLike) -> Numbers:
    """Rotation of a quaternion (w, x, y, z) of any non-zero length, (..., 4) -> (..., 3, 3)."""
    q = np.asarray(quaternion, dtype=np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    w, v = q[..., :1, None], q[..., 1:]
    s = tilde(v)
    return np.asarray(np.eye(3) + 2.0 * (w * s + s @ s))
