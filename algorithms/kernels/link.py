"""Kernels of one link: Newton-Euler (Step II.b), projection (I.a), frames (II.a), and Steps II.d and IV.a."""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    cross,
    cross_component,
    dot,
    full,
    restricted,
    shifted,
    times,
    transposed,
)
from senn.algorithms.spatial import COMPLEMENT_ROWS, PRISMATIC, REVOLUTE
from senn.machine.program import Kernel, kernel

# ----------------------------------------------------------- Step II.b: Newton-Euler


def times_vector(z: Blocks, rate: Blocks) -> Blocks:
    return z * rate[..., None]


RATE = {
    REVOLUTE: Kernel("rate.revolute", "(1 - sigma) {0} {1}", times_vector),
    PRISMATIC: Kernel("rate.prismatic", "(1 - sigma) {0} {1}", lambda z, rate: np.zeros_like(z)),
}
"""z_i qd_i of a revolute joint, zero of a prismatic one."""


@kernel("{1} x {0}", alone=True)
def gyration(relative: Blocks, before: Blocks | None) -> Blocks:
    """omega_{i-1} x z_i qd_i; the base does not turn."""
    return np.zeros_like(relative) if before is None else cross(before, relative)


coriolis = Kernel("coriolis", "2 {0} x {1} {2}", lambda w, z, rate: times_vector(cross(w, z), rate + rate))


def _turning(z: Blocks, relative: Blocks, qdd: Blocks, before: Blocks | None) -> Blocks:
    rate = times_vector(z, qdd)
    return rate if before is None else rate + cross(before, relative)


TURNING = {
    REVOLUTE: Kernel("turning.revolute", "(1 - sigma) {0} {2} + {3} x {1}", _turning, alone=True),
    PRISMATIC: Kernel(
        "turning.prismatic",
        "(1 - sigma) {0} {2} + {3} x {1}",
        lambda z, relative, qdd, before: np.zeros_like(z),
        alone=True,
    ),
}
"""`gyration` of a joint that accelerates: z_i qdd_i + omega_{i-1} x z_i qd_i; zero of a prismatic joint."""
sliding = Kernel(
    "sliding",
    "{1} {3} + 2 {0} x {1} {2}",
    lambda w, z, rate, qdd: times_vector(z, qdd) + times_vector(cross(w, z), rate + rate),
)
"""`coriolis` of a joint that accelerates: the acceleration of link i against link i-1 at O_i."""


@kernel("{1}~ + {0}~ {0}~")
def spin_matrix(w: Blocks, dw: Blocks) -> Blocks:
    x, y, z = (w[..., k] for k in range(3))
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = (dw[..., k] for k in range(3))
    rows = [[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


gravity_free = Kernel("gravity_free", "{0} {1} - {2}", lambda u, s, g: apply(u, s) - g)
scaled = Kernel("scaled", "{0} {1}", lambda m, v: times_vector(v, m))


@kernel("{1} {3} + {2} x {1} {2}, turned by {0}")
def inertial_moment(c: Blocks, j: Blocks, w: Blocks, dw: Blocks) -> Blocks:
    """J_i wdot_i + omega_i x J_i omega_i, with J_i in frame i + 1 and all else in the common frame."""
    inertia, w, dw = full(j), apply(transposed(c), w), apply(transposed(c), dw)
    return apply(c, apply(inertia, dw) + cross(w, apply(inertia, w)))


add_moment = Kernel("add_moment", "{0} + {1} x {2}", lambda n, s, f: n + cross(s, f))
with_force = Kernel("with_force", "{0} + f of {1}", lambda f, load: f + load[..., 3:])
with_moment = Kernel(
    "with_moment",
    "{0} + n of {2} + {1} x f of {2}",
    lambda n, p, load: n + load[..., :3] + cross(p, load[..., 3:]),
)
"""With a wrench [n; f] about O_{i+1} that also acts on the link: that of its branches."""
lever = Kernel("lever", "{0} + {1} x {2}", lambda n, p, f: n + cross(p, f))
wrench = Kernel("wrench", "[{0}; {1}; {2}]", lambda p, f, n: np.stack([p, f, n], axis=-2))


@kernel("{0} o {1}")
def farther(x: Blocks, y: Blocks) -> Blocks:
    """(P, f, n) o (P', f', n') = (P + P', f + f', n + n' + P x f'), primed = farther out."""
    moment = x[..., 2, :] + y[..., 2, :] + cross(x[..., 0, :], y[..., 1, :])
    return np.stack([x[..., 0, :] + y[..., 0, :], x[..., 1, :] + y[..., 1, :], moment], axis=-2)


BIAS = {
    REVOLUTE: Kernel("bias.revolute", "{0} . {1}", lambda z, n, f: dot(z, n)),
    PRISMATIC: Kernel("bias.prismatic", "{0} . {2}", lambda z, n, f: dot(z, f)),
}
"""II.b.1.viii: b_i = H_i' F_i."""
BIAS_OF_WRENCH = {
    REVOLUTE: Kernel("bias_of_wrench.revolute", "{0} . n of {1}", lambda z, x: dot(z, x[..., 2, :])),
    PRISMATIC: Kernel("bias_of_wrench.prismatic", "{0} . f of {1}", lambda z, x: dot(z, x[..., 1, :])),
}


# ------------------------------------------------------------------- what depends on the joint
#
# Tables by the type of the joint, chosen per process (`senn.machine.program.by_process`). The constants of
# link i that PR_{1,i} holds are turned by R_{i+1} beforehand, so that only the planar rotation Rz(q_i) is
# left to do: frame i' below is frame i at q_i = 0. A prismatic joint leaves the axes alone and moves S_i and
# P_i by q_i along its axis.

# ------------------------------------------------------------- Step I.a: projection


def planar(q: Blocks) -> Blocks:
    return np.stack([np.cos(q), np.sin(q)], axis=-1)


def _still(q: Blocks) -> Blocks:
    return np.stack([np.ones_like(q), np.zeros_like(q)], axis=-1)


PLANAR = {
    REVOLUTE: Kernel("planar.revolute", "Rz({0})", planar),
    PRISMATIC: Kernel("planar.prismatic", "Rz({0})", _still),
}
"""I.a.1: C(i, i+1) = Rz(q_i) R_{i+1}; array 1 needs only [cos q_i, sin q_i]. Unused by prismatic joints."""


def spin(rz: Blocks, v: Blocks) -> Blocks:
    """Rz V for columns (..., 3, r): 4 r multiplications, 2 r additions."""
    c, s = rz[..., 0, None], rz[..., 1, None]
    x, y, z = (v[..., k, :] for k in range(3))
    return np.stack([c * x - s * y, s * x + c * y, z], axis=-2)


def spin_symmetric(rz: Blocks, j: Blocks) -> Blocks:
    """Rz J Rz' of a packed 3x3: 8 multiplications, 8 additions."""
    c, s = rz[..., 0], rz[..., 1]
    a, b, d, e, f, g = (j[..., k] for k in range(6))  # [a; b d; e f g]
    w = s * (a - d) + c * (b + b)
    sw = s * w
    return np.stack([a - sw, c * w - b, d + sw, c * e - s * f, s * e + c * f, g], axis=-1)


def _moved(x: Blocks, q: Blocks) -> Blocks:
    """x + q e_3, moved along the axis of a prismatic joint in frame i: 1 addition."""
    y = x.copy()
    y[..., 2] = y[..., 2] + q
    return y


def inverse_inertia(j: Blocks, s: Blocks, inverse_mass: Blocks) -> Blocks:
    """Eq. (76), signs corrected: [J^-1, -J^-1 S~; S~ J^-1, -S~ J^-1 S~ + U/m]: 30 m, 18 a."""
    lower = transposed(cross(s[..., None, :], full(j)))  # column c of S~ J^-1 is S x (column c of J^-1)
    entries = [j[..., k] for k in range(6)]
    for r in range(3):
        row = lower[..., r, :]
        corner = [cross_component(s, row, c) for c in range(r + 1)]  # row r of -(S~ J^-1) S~ is S x row
        corner[r] = corner[r] + inverse_mass
        entries += [row[..., 0], row[..., 1], row[..., 2], *corner]
    return np.stack(entries, axis=-1)


INVERSE_INERTIA = {
    REVOLUTE: Kernel(
        "inverse_inertia.revolute",
        "(76) from {0}, {1}, {2}, {3}, {4}",
        lambda rz, q, s, j, inverse_mass: inverse_inertia(
            spin_symmetric(rz, j), spin(rz, s[..., None])[..., 0], inverse_mass
        ),
    ),
    PRISMATIC: Kernel(
        "inverse_inertia.prismatic",
        "(76) from {0}, {1}, {2}, {3}, {4}",
        lambda rz, q, s, j, inverse_mass: inverse_inertia(j, _moved(s, q), inverse_mass),
    ),
}
"""I.a.2, Eqs. (76)-(78): the packed inverse of I_i about O_i in frame i."""


@cache
def coupling(joint: str, columns: int, *, whole: bool = False) -> Kernel:
    """W_i' C6(i,i+1) I_i^-1 P^_i X for a constant X of 6 x columns: B_i (X = -W_{i+1}) or E_N (X = U).

    `whole`: all six rows instead of those of W_i.
    Revolute: the stored constant is I_i^-1 P^_i X in frame i', only to be turned (Eqs. (79)-(80), (83)).
    Prismatic: I_i and P_i move with q_i, so the stored constant is X itself in frame i'.
    """
    kept = tuple(range(6)) if whole else COMPLEMENT_ROWS[joint]

    def revolute(rz: Blocks, q: Blocks, inertia: Blocks, p: Blocks, x: Blocks) -> Blocks:
        six = np.concatenate([spin(rz, x[..., :3, :]), spin(rz, x[..., 3:, :])], axis=-2)
        return six[..., kept, :]

    def prismatic(rz: Blocks, q: Blocks, inertia: Blocks, p: Blocks, x: Blocks) -> Blocks:
        return times(full(inertia)[..., kept, :], shifted(_moved(p, q), x))

    form = ("" if whole else "W' ") + "C6 I^-1 P^ X from {0}, {1}, {2}, {3}, X = {4}"
    if joint == REVOLUTE:
        return Kernel("coupling.revolute", form, revolute)
    return Kernel("coupling.prismatic", form, prismatic)


def _diagonal(joint: str) -> Kernel:
    def evaluate(inertia: Blocks, before: Blocks) -> Blocks:
        return restricted(inertia, COMPLEMENT_ROWS[joint]) + before

    return Kernel(f"diagonal.{joint}", "W' ({0} + {1}) W", evaluate)


DIAGONAL = {joint: _diagonal(joint) for joint in COMPLEMENT_ROWS}
"""I.a.5, Eq. (75): A_i = W_i' (I_i^-1 + I_{i-1,i}^-1) W_i; the second is stored restricted to W_i."""

# --------------------------------------------------------------- Step II.a: frames

ROTATION = {
    REVOLUTE: Kernel("rotation.revolute", "C(i,i+1) from {0}, {1}", lambda q, r: spin(planar(q), r)),
    PRISMATIC: Kernel("rotation.prismatic", "C(i,i+1) from {0}, {1}", lambda q, r: r.copy()),
}
"""II.a.1: Rz(q_i) R_{i+1}."""
MOVED = {
    REVOLUTE: Kernel("moved.revolute", "{0} at {1}", lambda x, q, r: x.copy()),
    PRISMATIC: Kernel("moved.prismatic", "{0} at {1}", lambda x, q, r: x + q[..., None] * r[..., 2, :]),
}
"""P_i or S_i in frame i + 1; a prismatic joint adds q_i z, z the third row of R_{i+1}."""

transpose = Kernel("transpose", "{0}'", lambda c: transposed(c).copy())
premultiply = Kernel("premultiply", "{1} {0}", lambda c, further: times(further, c))
turn = Kernel("turn", "{0} {1}", apply)
third_column = Kernel("third_column", "{0} e_3", lambda c: c[..., :, 2].copy())

# ------------------------------------------------------ Steps II.d and IV.a, as printed

LEVER_RATE = {
    REVOLUTE: Kernel("lever_rate.revolute", "{0} x {1}", lambda dw, p, z, qdd: cross(dw, p)),
    PRISMATIC: Kernel(
        "lever_rate.prismatic",
        "{0} x {1} + {2} {3}",
        lambda dw, p, z, qdd: cross(dw, p) + times_vector(z, qdd),
    ),
}
"""II.d.1, Eq. (86): what joint and link i add to the acceleration of the end effector."""

end_acceleration = Kernel(
    "end_acceleration",
    "[{0} + {2}; {1} + {3}]",
    lambda dw, v, dw0, v0: np.concatenate([dw + dw0, v + v0], axis=-1),
)


@kernel("{0} + {1}' [{2}; {3}]")
def end_acceleration_turned(x: Blocks, c: Blocks, dw: Blocks, v: Blocks) -> Blocks:
    """II.d.2 of the short forms: Vdot'' in frame N+1, Jdot Q in frame 1 and turned here."""
    back = transposed(c)
    total: Blocks = x + np.concatenate([apply(back, dw), apply(back, v)], axis=-1)
    return total


REACTION = {
    REVOLUTE: Kernel(
        "reaction.revolute",
        "{0} . (n + {1} x f) of {2}",
        lambda z, p, f: dot(z, f[..., :3] + cross(p, f[..., 3:])),
    ),
    PRISMATIC: Kernel("reaction.prismatic", "{0} . f of {2}", lambda z, p, f: dot(z, f[..., 3:])),
}
"""IV.a.2, Eq. (88): tau'_i = H_i' F_i, F_i by the closed form of (87)."""
