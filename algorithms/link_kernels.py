"""Local operations on links: projection, Newton-Euler terms, and the operators around A^-1, with their counts.

Kernels that depend on the type of a joint are chosen per process (`senn.machine.program.by_process`). The
constants of link i that PR_{1,i} holds are turned by R_{i+1} beforehand, so that only the planar rotation
Rz(q_i) is left to do: frame i' below is frame i at q_i = 0. A prismatic joint leaves the axes alone and
moves S_i and P_i by q_i along its axis. Rows of 6-vectors: moment (or omega) first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.kernels import at, columns_of, restricted, symmetric_times, times, transposed
from senn.algorithms.spatial import AXIS_ROW, COMPLEMENT_ROWS
from senn.machine.program import Kernel, Operations

Blocks = NDArray[Any]


def cross(a: Blocks, b: Blocks) -> Blocks:
    """a x b over leading axes: 6 multiplications, 3 additions."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


def apply(c: Blocks, v: Blocks) -> Blocks:
    """C v for a 3x3 and a 3-vector: 9 multiplications, 6 additions."""
    return times(c, v[..., None])[..., 0]


def _moved(x: Blocks, q: Blocks, axis: Blocks | None = None) -> Blocks:
    """x + q z; without an axis z is the third unit vector: one addition."""
    if axis is not None:
        return x + q[..., None] * axis
    y = x.copy()
    y[..., 2] = y[..., 2] + q
    return y


# ------------------------------------------------------------- Step I.a: projection


def _planar(q: Blocks) -> Blocks:
    return np.stack([np.cos(q), np.sin(q)], axis=-1)


def _still(q: Blocks) -> Blocks:
    return np.stack([np.ones_like(q), np.zeros_like(q)], axis=-1)


PLANAR = {
    "revolute": Kernel("planar", "Rz({0})", _planar, Operations(trig=2)),
    "prismatic": Kernel("planar", "Rz({0})", _still, Operations()),
}
"""I.a.1: C(i, i+1) = Rz(q_i) R_{i+1}; array 1 needs only [cos q_i, sin q_i]. Unused by prismatic joints."""


def _spin(rz: Blocks, v: Blocks) -> Blocks:
    """Rz v for rows (..., 3, r): 4 r multiplications, 2 r additions."""
    c, s = rz[..., 0, None], rz[..., 1, None]
    return np.stack(
        [c * v[..., 0, :] - s * v[..., 1, :], s * v[..., 0, :] + c * v[..., 1, :], v[..., 2, :]], axis=-2
    )


def _spin_symmetric(rz: Blocks, j: Blocks) -> Blocks:
    """Rz J Rz' of a packed 3x3: 8 multiplications, 8 additions."""
    c, s = rz[..., 0], rz[..., 1]
    a, b, d, e, f, g = (j[..., k] for k in range(6))  # [a; b d; e f g]
    w = s * (a - d) + c * (b + b)
    return np.stack([a - s * w, c * w - b, d + s * w, c * e - s * f, s * e + c * f, g], axis=-1)


def _inverse_inertia(j: Blocks, s: Blocks, inverse_mass: Blocks) -> Blocks:
    """Eq. (76), signs corrected: [J^-1, -J^-1 S~; S~ J^-1, -S~ J^-1 S~ + U/m]; 30 m, 18 a."""
    full = j[..., [[0, 1, 3], [1, 2, 4], [3, 4, 5]]]
    lower = cross(s[..., None, :], full)  # row c is S x (column c of J^-1): (S~ J^-1)' by rows
    lower = transposed(lower)  # S~ J^-1, its row r is lower[..., r, :]
    corner = {}
    for r in range(3):
        row = lower[..., r, :]
        turned = (  # row r of -S~ J^-1 S~ is S x row
            s[..., 1] * row[..., 2] - s[..., 2] * row[..., 1],
            s[..., 2] * row[..., 0] - s[..., 0] * row[..., 2] if r > 0 else None,
            s[..., 0] * row[..., 1] - s[..., 1] * row[..., 0] if r > 1 else None,
        )
        for c in range(r + 1):
            corner[r, c] = turned[c] if r != c else turned[c] + inverse_mass
    entries = [j[..., k] for k in range(6)]
    for r in range(3):
        entries += [lower[..., r, c] for c in range(3)] + [corner[r, c] for c in range(r + 1)]
    return np.stack(entries, axis=-1)


INVERSE_INERTIA = {
    "revolute": Kernel(
        "inverse_inertia",
        "(76) from {0}, {1}, {2}, {3}, {4}",
        lambda rz, q, s, j, inverse_mass: _inverse_inertia(
            _spin_symmetric(rz, j), _spin(rz, s[..., None])[..., 0], inverse_mass
        ),
        Operations(42, 28),
    ),
    "prismatic": Kernel(
        "inverse_inertia",
        "(76) from {0}, {1}, {2}, {3}, {4}",
        lambda rz, q, s, j, inverse_mass: _inverse_inertia(j, _moved(s, q), inverse_mass),
        Operations(30, 19),
    ),
}
"""I.a.2, Eqs. (76)-(78): the packed inverse of I_i about O_i in frame i."""


@cache
def coupling(joint: str, columns: int) -> Kernel:
    """W_i' C6(i,i+1) I_i^-1 P^_i X for a constant X of 6 x columns: B_i (X = -W_{i+1}) or E_N (X = U).

    Revolute: the stored constant is I_i^-1 P^_i X in frame i', only to be turned (Eqs. (79)-(80), (83)).
    Prismatic: I_i and P_i move with q_i, so the stored constant is X itself in frame i'.
    """
    kept = list(COMPLEMENT_ROWS[joint])

    def revolute(rz: Blocks, q: Blocks, inertia: Blocks, p: Blocks, x: Blocks) -> Blocks:
        upper = _spin(rz, x[..., :3, :])[..., :2, :]
        return np.concatenate([upper, _spin(rz, x[..., 3:, :])], axis=-2)

    def prismatic(rz: Blocks, q: Blocks, inertia: Blocks, p: Blocks, x: Blocks) -> Blocks:
        y = times(symmetric_rows(inertia, kept), shifted(_moved(p, q), x))
        return y

    form = "W' C6 I^-1 P^ X from {0}, {1}, {2}, {3}, X = {4}"
    if joint == "revolute":
        return Kernel("coupling", form, revolute, Operations(8 * columns, 4 * columns))
    return Kernel("coupling", form, prismatic, Operations(36 * columns, 31 * columns + 1))


def symmetric_rows(packed: Blocks, kept: list[int]) -> Blocks:
    """Some rows of a packed 6x6, in full."""
    return packed[..., [[at(r, c) for c in range(6)] for r in kept]]


def shifted(p: Blocks, x: Blocks) -> Blocks:
    """P^ X = [X_n + P x X_f; X_f] for columns (..., 6, r): 6 r multiplications, 6 r additions."""
    force = transposed(x[..., 3:, :])
    upper = x[..., :3, :] + transposed(cross(p[..., None, :], force))
    return np.concatenate([upper, x[..., 3:, :]], axis=-2)


DIAGONAL = {
    joint: Kernel(
        "diagonal",
        "W' ({0} + {1}) W",
        lambda inertia, before, kept=COMPLEMENT_ROWS[joint]: restricted(inertia, kept) + before,
        Operations(add=15),
    )
    for joint in COMPLEMENT_ROWS
}
"""I.a.5, Eq. (75): A_i = W_i' (I_i^-1 + I_{i-1,i}^-1) W_i; the second is stored restricted to W_i."""

# --------------------------------------------------------------- Step II.a: frames


def _turn_matrix(q: Blocks, r: Blocks) -> Blocks:
    return _spin(_planar(q), r)


ROTATION = {
    "revolute": Kernel("rotation", "C(i,i+1) from {0}, {1}", _turn_matrix, Operations(12, 6, trig=2)),
    "prismatic": Kernel("rotation", "C(i,i+1) from {0}, {1}", lambda q, r: r.copy(), Operations()),
}
MOVED = {
    "revolute": Kernel("moved", "{0} at {1}", lambda x, q, r: x.copy(), Operations()),
    "prismatic": Kernel("moved", "{0} at {1}", lambda x, q, r: _moved(x, q, r[..., 2, :]), Operations(3, 3)),
}
"""P_i or S_i in frame i + 1; a prismatic joint adds q_i z, z the third row of R_{i+1}."""

transpose = Kernel("transpose", "{0}'", lambda c: transposed(c).copy(), Operations())
premultiply = Kernel(
    "premultiply", "{1} {0}", lambda c, further: times(further, c), Operations(), (Operations(27, 18),)
)
turn = Kernel("turn", "{0} {1}", apply, Operations(9, 6))
turn_back = Kernel("turn_back", "{0}' {1}", lambda c, v: apply(transposed(c), v), Operations(9, 6))
third_column = Kernel("third_column", "{0} e_3", lambda c: c[..., :, 2].copy(), Operations())

# ----------------------------------------------------------- Step II.b: Newton-Euler


def _scaled(z: Blocks, rate: Blocks) -> Blocks:
    return z * rate[..., None]


RATE = {
    "revolute": Kernel("rate", "(1 - sigma) {0} {1}", _scaled, Operations(3)),
    "prismatic": Kernel("rate", "(1 - sigma) {0} {1}", lambda z, rate: np.zeros_like(z), Operations()),
}
SLIDE = {
    "revolute": Kernel("slide", "sigma {0} {1}", lambda z, rate: np.zeros_like(z), Operations()),
    "prismatic": Kernel("slide", "sigma {0} {1}", _scaled, Operations(3)),
}


def _gyration(relative: Blocks, before: Blocks | None) -> Blocks:
    return np.zeros_like(relative) if before is None else cross(before, relative)


gyration = Kernel("gyration", "{1} x {0}", _gyration, Operations(), (Operations(6, 3),), alone=True)
"""omega_{i-1} x z_i qd_i; the base does not turn."""


def _coriolis(omega: Blocks, z: Blocks, rate: Blocks) -> Blocks:
    return cross(omega, z) * (rate + rate)[..., None]


coriolis = Kernel("coriolis", "2 {0} x {1} {2}", _coriolis, Operations(9, 4))


def _spin_matrix(w: Blocks, dw: Blocks) -> Blocks:
    x, y, z = (w[..., k] for k in range(3))
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = (dw[..., k] for k in range(3))
    rows = [[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


spin_matrix = Kernel("spin_matrix", "{1}~ + {0}~ {0}~", _spin_matrix, Operations(6, 9))
gravity_free = Kernel("gravity_free", "{0} {1} - {2}", lambda u, s, g: apply(u, s) - g, Operations(9, 9))
scaled = Kernel("scaled", "{0} {1}", lambda m, v: v * m[..., None], Operations(3))


def _inertial_moment(c: Blocks, j: Blocks, w: Blocks, dw: Blocks) -> Blocks:
    w, dw = apply(transposed(c), w), apply(transposed(c), dw)
    full = j[..., [[0, 1, 3], [1, 2, 4], [3, 4, 5]]]
    return apply(c, apply(full, dw) + cross(w, apply(full, w)))


inertial_moment = Kernel(
    "inertial_moment", "{1} {3} + {2} x {1} {2}, turned by {0}", _inertial_moment, Operations(51, 36)
)
add_moment = Kernel("add_moment", "{0} + {1} x {2}", lambda n, s, f: n + cross(s, f), Operations(6, 6))
lever = Kernel("lever", "{0} + {1} x {2}", lambda n, p, f: n + cross(p, f), Operations(), (Operations(6, 6),))


def _wrench(p: Blocks, f: Blocks, n: Blocks) -> Blocks:
    return np.stack([p, f, n], axis=-2)


wrench = Kernel("wrench", "[{0}; {1}; {2}]", _wrench, Operations())


def _farther(x: Blocks, y: Blocks) -> Blocks:
    moment = x[..., 2, :] + y[..., 2, :] + cross(x[..., 0, :], y[..., 1, :])
    return np.stack([x[..., 0, :] + y[..., 0, :], x[..., 1, :] + y[..., 1, :], moment], axis=-2)


farther = Kernel("farther", "{0} o {1}", _farther, Operations(), (Operations(6, 15),))
"""(P, f, n) o (P', f', n') = (P + P', f + f', n + n' + P x f'), primed = farther out."""


def dot(a: Blocks, b: Blocks) -> Blocks:
    """a . b of 3-vectors: 3 multiplications, 2 additions."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


BIAS = {
    "revolute": Kernel("bias", "{0} . {1}", lambda z, n, f: dot(z, n), Operations(3, 2)),
    "prismatic": Kernel("bias", "{0} . {2}", lambda z, n, f: dot(z, f), Operations(3, 2)),
}
BIAS_OF_WRENCH = {
    "revolute": Kernel("bias", "{0} . n of {1}", lambda z, x: dot(z, x[..., 2, :]), Operations(3, 2)),
    "prismatic": Kernel("bias", "{0} . f of {1}", lambda z, x: dot(z, x[..., 1, :]), Operations(3, 2)),
}
REACTION = {
    "revolute": Kernel(
        "reaction",
        "{0} . (n + {1} x f) of {2}",
        lambda z, p, f: dot(z, f[..., :3] + cross(p, f[..., 3:])),
        Operations(9, 8),
    ),
    "prismatic": Kernel("reaction", "{0} . f of {2}", lambda z, p, f: dot(z, f[..., 3:]), Operations(3, 2)),
}
"""IV.a.2, Eq. (88): tau'_i = H_i' F_i, F_i by the closed form of (87)."""
LEVER_RATE = {
    "revolute": Kernel("lever_rate", "{0} x {1}", lambda dw, p, z, qdd: cross(dw, p), Operations(6, 3)),
    "prismatic": Kernel(
        "lever_rate",
        "{0} x {1} + {2} {3}",
        lambda dw, p, z, qdd: cross(dw, p) + _scaled(z, qdd),
        Operations(9, 6),
    ),
}
"""II.d.1, Eq. (86): what joint and link i add to the acceleration of the end effector."""

end_acceleration = Kernel(
    "end_acceleration",
    "[{0} + {2}; {1} + {3}]",
    lambda dw, v, dw0, v0: np.concatenate([dw + dw0, v + v0], axis=-1),
    Operations(add=6),
)


def _end_acceleration_turned(x: Blocks, c: Blocks, dw: Blocks, v: Blocks) -> Blocks:
    back = transposed(c)
    return x + np.concatenate([apply(back, dw), apply(back, v)], axis=-1)


end_acceleration_turned = Kernel(
    "end_acceleration", "{0} + {1}' [{2}; {3}]", _end_acceleration_turned, Operations(18, 18)
)
