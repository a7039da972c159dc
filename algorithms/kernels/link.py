"""Kernels of one link: Newton-Euler (Step II.b), projection (I.a), frames (II.a), and Steps II.d and IV.a."""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import *
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family

# ----------------------------------------------------------- Step II.b: Newton-Euler


def times_vector(z: Blocks, rate: Blocks) -> Blocks:
    return z * rate[..., None]


def _angular(joint: str, axes: str, rate: str) -> str:
    return f"(1 - sigma) {axes} {rate}" if is_lean(joint) else f"({axes} {rate})_w"


@kernel_family(lambda joint: _angular(joint, "{0}", "{1}"))
def turning(axes: Blocks, rate: Blocks, *, joint: str) -> Blocks:
    """Angular velocity that joint i adds: z_i qd_i of a revolute joint, zero of a prismatic one."""
    return apply(axes_of(joint, axes)[..., :3, :], words_of(joint, rate))


@kernel_family("({0} {1})_v")
def shifting(axes: Blocks, rate: Blocks, *, joint: str) -> Blocks:
    """The velocity of the point of link i at O_i against link i - 1."""
    return apply(axes_of(joint, axes)[..., 3:, :], words_of(joint, rate))


@kernel("{1} x {0}", runs_without_operands=True)
def gyration(relative: Blocks, before: Blocks | None) -> Blocks:
    """omega_{i-1} x z_i qd_i; the base does not turn."""
    return np.zeros_like(relative) if before is None else cross(before, relative)


@kernel("({2} + {0}) x {1}", runs_without_operands=True)
def coriolis_of_both(omega: Blocks, v: Blocks, before: Blocks | None) -> Blocks:
    """(omega_{i-1} + omega_i) x v_rel: Coriolis, and w_rel x v_rel, as the point is one of link i."""
    return cross(omega if before is None else before + omega, v)


coriolis = Kernel("coriolis", "2 {0} x {1} {2}", lambda w, z, rate: times_vector(cross(w, z), rate + rate))


@kernel_family(lambda joint: _angular(joint, "{0}", "{2}") + " + {3} x {1}", runs_without_operands=True)
def accelerated_gyration(
    axes: Blocks, relative: Blocks, qdd: Blocks, before: Blocks | None, *, joint: str
) -> Blocks:
    """`gyration` of a joint that accelerates: z_i qdd_i + omega_{i-1} x z_i qd_i; zero of a prismatic one."""
    if not JOINTS[joint].turning:
        return np.zeros_like(relative)
    rate = turning(joint).evaluate(axes, qdd)
    return rate if before is None else rate + cross(before, relative)


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


stacked = Kernel("stacked", "[{0}; {1}]", lambda x, y: np.concatenate([x, y], axis=-1))
gravity_free = Kernel("gravity_free", "{0} {1} - {2}", lambda u, s, g: apply(u, s) - g)
scaled = Kernel("scaled", "{0} {1}", lambda m, v: times_vector(v, m))


@kernel("{1} {3} + {2} x {1} {2}, turned by {0}")
def inertial_moment(c: Blocks, j: Blocks, w: Blocks, dw: Blocks) -> Blocks:
    """J_i wdot_i + omega_i x J_i omega_i, with J_i in frame i + 1 and all else in the common frame."""
    inertia, w, dw = full(j), apply(transposed(c), w), apply(transposed(c), dw)
    return apply(c, apply(inertia, dw) + cross(w, apply(inertia, w)))


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


@kernel_family(lambda joint: {REVOLUTE: "{0} . {1}", PRISMATIC: "{0} . {2}"}.get(joint, "{0}' [{1}; {2}]"))
def bias(axes: Blocks, n: Blocks, f: Blocks, *, joint: str) -> Blocks:
    """II.b.1.viii: b_i = H_i' F_i."""
    along = apply(transposed(axes_of(joint, axes)), np.concatenate([n, f], axis=-1))
    return filled(along, axes[:, 0])


@kernel_family(lambda joint: f"{along(joint)} of {{1}}")
def bias_of_wrench(axes: Blocks, x: Blocks, *, joint: str) -> Blocks:
    """`bias` from (p, f, n)."""
    return bias(joint).evaluate(axes, x[..., 2, :], x[..., 1, :])


# ------------------------------------------------------------------- what depends on the joint
#
# Families by the type of the joint, chosen per process (`senn.machine.program.by_process`). The constants of
# link i that PR_{1,i} holds are turned by R_{i+1} beforehand, so that only the planar rotation Rz(q_i) is
# left to do: frame i' below is frame i at q_i = 0. A prismatic joint leaves the axes alone and moves S_i and
# P_i by q_i along its axis.

# ------------------------------------------------------------- Step I.a: projection


@kernel_family("Rz({0})")
def planar(q: Blocks, *, joint: str) -> Blocks:
    """I.a.1: [cos q_i, sin q_i], all that array 1 needs of C(i,i+1); of prismatic joints unused."""
    return cosine_and_sine(q) if joint == REVOLUTE else np.stack([np.ones_like(q), np.zeros_like(q)], -1)


def spin_symmetric(rz: Blocks, j: Blocks) -> Blocks:
    """Rz J Rz' of a packed 3x3: 8 multiplications, 8 additions."""
    c, s = rz[..., 0], rz[..., 1]
    a, b, d, e, f, g = (j[..., k] for k in range(6))  # [a; b d; e f g]
    w = s * (a - d) + c * (b + b)
    sw = s * w
    return np.stack([a - sw, c * w - b, d + sw, c * e - s * f, s * e + c * f, g], axis=-1)


def _slid(x: Blocks, q: Blocks) -> Blocks:
    """x + q e_3, moved along the axis of a prismatic joint in frame i: 1 addition."""
    y = x.copy()
    y[..., 2] += q
    return y


def inverse_about_origin(j: Blocks, s: Blocks, inverse_mass: Blocks) -> Blocks:
    """Eq. (76), signs corrected: [J^-1, -J^-1 S~; S~ J^-1, -S~ J^-1 S~ + U/m]: 30 m, 18 a."""
    lower = transposed(cross(s[..., None, :], full(j)))  # column c of S~ J^-1 is S x (column c of J^-1)
    corner = [  # row r of -(S~ J^-1) S~ is S x row
        cross_component(s, lower[..., r, :], c) for r in range(3) for c in range(r + 1)
    ]
    for k in (0, 2, 5):
        corner[k] = corner[k] + inverse_mass
    return of_parts(j, lower, np.stack(corner, axis=-1))


@kernel_family("(76) from {0}, {1}, {2}, {3}, {4}")
def inverse_inertia(
    rz: Blocks, q: Blocks, s: Blocks, j: Blocks, inverse_mass: Blocks, *, joint: str
) -> Blocks:
    """I.a.2, Eqs. (76)-(78): the packed inverse of I_i about O_i in frame i."""
    if joint == REVOLUTE:
        return inverse_about_origin(spin_symmetric(rz, j), spin(rz, s[..., None])[..., 0], inverse_mass)
    return inverse_about_origin(j, _slid(s, q), inverse_mass)


@kernel("(76) from {0}, {1}, {2}, {3}")
def inverse_inertia_in_pose(c: Blocks, s: Blocks, j: Blocks, inverse_mass: Blocks) -> Blocks:
    """I.a.2: the packed inverse of I_i about O_i in frame i; C(i,i+1) turns J^-1 and S_i."""
    back = transposed(c)
    return inverse_about_origin(symmetric_product(back, times(full(j), back)), apply(c, s), inverse_mass)


@kernel_family(
    lambda joint, whole=False: ("" if whole else "W' ") + "C6 I^-1 P^ X from {0}, {1}, {2}, {3}, X = {4}"
)
def coupling(
    rz: Blocks, q: Blocks, inertia: Blocks, p: Blocks, x: Blocks, *, joint: str, whole: bool = False
) -> Blocks:
    """W_i' C6(i,i+1) I_i^-1 P^_i X for a constant X of six rows: B_i (X = -W_{i+1}) or E_N (X = U).

    `whole`: all six rows instead of those of W_i.
    Revolute: the stored constant is I_i^-1 P^_i X in frame i', only to be turned (Eqs. (79)-(80), (83)).
    Prismatic: I_i and P_i move with q_i, so the stored constant is X itself in frame i'.
    """
    kept = tuple(range(6)) if whole else JOINTS[joint].held
    if joint == REVOLUTE:
        return np.concatenate([spin(rz, x[..., :3, :]), spin(rz, x[..., 3:, :])], axis=-2)[..., kept, :]
    return times(full(inertia)[..., kept, :], shifted(_slid(p, q), x))


# --------------------------------------------------------------- Step II.a: frames


@kernel_family("{1} {0}")
def axes(h: Blocks, turn: Blocks, *, joint: str) -> Blocks:
    """H_i, turned by T_{i-1} = C(common frame, i)."""
    return widened(turned(turn, own_columns(JOINTS[joint].fixed(), h)), h.shape[-1])


turned_back = Kernel("turned_back", "{0} {1}'", lambda turn, c: times(turn, transposed(c)))
"""T_{i-1} = T_i C(i,i+1)'."""
turned_wrench = Kernel("turned_wrench", "{0} {1}", lambda c, x: turned(c, x[..., None])[..., 0])
transpose = Kernel("transpose", "{0}'", lambda c: transposed(c).copy())
premultiply = Kernel("premultiply", "{1} {0}", lambda c, further: times(further, c))
turn = Kernel("turn", "{0} {1}", apply)
third_column = Kernel("third_column", "{0} e_3", lambda c: c[..., :, 2].copy())

# ------------------------------------------------------ Steps II.d and IV.a, as printed


@kernel_family(lambda joint: "{0} x {1}" + " + {2} {3}" * bool(JOINTS[joint].shifts))
def lever_rate(dw: Blocks, p: Blocks, axes: Blocks, qdd: Blocks, *, joint: str) -> Blocks:
    """II.d.1, Eq. (86): what joint and link i add to the acceleration of the end effector."""
    return cross(dw, p) + shifting(joint).evaluate(axes, qdd)


end_acceleration = Kernel(
    "end_acceleration",
    "[{0} + {2}; {1} + {3}]",
    lambda dw, v, dw0, v0: np.concatenate([dw + dw0, v + v0], axis=-1),
)


@kernel("{0} + {1}' [{2}; {3}]")
def end_acceleration_turned(x: Blocks, c: Blocks, dw: Blocks, v: Blocks) -> Blocks:
    """II.d.2 of the short forms: Vdot'' in frame N+1, Jdot Q in frame 1 and turned here."""
    return x + turned_wrench.evaluate(transposed(c), np.concatenate([dw, v], axis=-1))


@kernel_family(lambda joint: f"{along(joint, '(n + {1} x f)')} of {{2}}")
def reaction(axes: Blocks, p: Blocks, f: Blocks, *, joint: str) -> Blocks:
    """IV.a.2, Eq. (88): tau'_i = H_i' F_i, F_i by the closed form of (87)."""
    return bias(joint).evaluate(axes, f[..., :3] + cross(p, f[..., 3:]), f[..., 3:])
