"""Kernels of arms with joints of any type (`senn.algorithms.arm.wide`); families by the type of a joint.

First products with W_i, what joint i forbids; then H_i and W_a, what it allows, and where it moves its link;
then what all types have in common.

The columns of W_i are rows of the unit matrix, so that a product with it is a choice of rows and costs
nothing. Universal and helical joints have one column with two entries, their *tilt*; it need not be of unit
length, because A^-1 takes its scale. Kernels take the tilt as their last operand if an arm has such joints.
What they make has `size` rows, zeros behind the joint's own.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels import link
from senn.algorithms.kernels.end_effector import carried_back
from senn.algorithms.kernels.operators import reached
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family

FORBIDS = {name: joint.forbids for name, joint in JOINTS.items()}
"""The columns of W_i: a row of the unit matrix each, or two rows, mixed by the tilt of the joint."""
TILTED = tuple(name for name, columns in FORBIDS.items() if any(len(rows) > 1 for rows in columns))


_TILTS = {"helical": "[-{1}, 1]", "universal": "[-sin {0}, cos {0}]"}


@kernel_family(lambda name: _TILTS.get(name, "0"))
def tilt(q: Blocks, parameter: Blocks, *, name: str) -> Blocks:
    """The tilt of W_i at q_i; that of a screw is not of unit length, which would take a square root."""
    if name == "helical":
        return np.stack([-parameter, np.ones_like(parameter)], axis=-1)
    if name == "universal":
        return np.stack([-np.sin(q[..., 0]), np.cos(q[..., 0])], axis=-1)
    return np.zeros((*parameter.shape, 2), dtype=parameter.dtype)


def _across(columns: tuple[tuple[int, ...], ...], x: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X for X (..., 6, r): 2 r multiplications and r additions if W is tilted."""
    rows = [x[..., :0, :]]
    for column in columns:
        row = x[..., column[:1], :]
        if tilt is not None and len(column) > 1:
            row = tilt[..., 0, None, None] * row + tilt[..., 1, None, None] * x[..., column[1:], :]
        rows.append(row)
    return np.concatenate(rows, axis=-2)


@kernel_family("W' ({0} - {1})", alone=True)
def constrained(
    x: Blocks, before: Blocks | None, tilt: Blocks | None = None, *, name: str, size: int
) -> Blocks:
    """X^2 = W_i' (X_i - what the link before carries)."""
    x = x if before is None else x - before
    return lengthened(_across(FORBIDS[name], x[..., None], tilt), size)[..., 0]


@kernel_family("W' {0}")
def projected(x: Blocks, tilt: Blocks | None = None, *, name: str, size: int) -> Blocks:
    """W_N' X_N, where nothing is carried to (form short)."""
    return lengthened(_across(FORBIDS[name], x[..., None], tilt), size)[..., 0]


@kernel_family("W {0}")
def constraint_force(phi: Blocks, tilt: Blocks | None = None, *, name: str) -> Blocks:
    """W_i phi_i: the force at O_i in frame i."""
    x = columns_of(phi)
    y = np.zeros((*x.shape[:-2], 6, x.shape[-1]), dtype=x.dtype)
    for k, rows in enumerate(FORBIDS[name]):
        y[..., rows[0], :] = x[..., k, :]
        if tilt is not None and len(rows) > 1:
            y[..., rows, :] = tilt[..., :, None] * x[..., k, None, :]
    return as_given(y, phi)


def _bordered(name: str, size: int, whole: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X W of a 6x6 block, packed, with ones where W has columns of zeros."""
    columns = FORBIDS[name]
    a = _across(columns, whole, tilt)
    a = _across(columns, np.swapaxes(a, -1, -2), tilt)
    a = widened(lengthened(a, size), size)
    unused = range(len(columns), size)
    a[..., unused, unused] = 1.0
    rows, below = np.tril_indices(size)
    return a[..., rows, below]


def _and_ones(name: str, size: int) -> str:
    return ", and ones behind" if len(FORBIDS[name]) < size else ""


@kernel_family(lambda name, size: "W' ({0} + {1}) W" + _and_ones(name, size))
def diagonal(inertia: Blocks, before: Blocks, tilt: Blocks | None = None, *, name: str, size: int) -> Blocks:
    """A_i = W_i' (I_i^-1 + I_{i-1,i}^-1) W_i, Eq. (75), and ones where W_i has columns of zeros."""
    return _bordered(name, size, full(inertia + before), tilt)


@kernel_family(lambda name, size: "W' {1} W" + _and_ones(name, size))
def before_alone(
    inertia: Blocks, before: Blocks, tilt: Blocks | None = None, *, name: str, size: int
) -> Blocks:
    """`diagonal` without the term of link i: of the last joint, the block of Y that Lambda is made of."""
    return _bordered(name, size, full(before), tilt)


@kernel_family("W' C6 P^^-1' from {0}, {1}")
def reach_across(c: Blocks, p: Blocks, tilt: Blocks | None = None, *, name: str, size: int) -> Blocks:
    """R_N = W_N' C6(N,N+1) P^_N^-1'."""
    return lengthened(_across(FORBIDS[name], carried_back(c, p), tilt), size)


@kernel_family(
    lambda name, following, size: "W' {0} C6 P^" if following is None else "-W' {0} C6 P^ W_{{i+1}}"
)
def coupling(
    inertia: Blocks,
    c: Blocks,
    p: Blocks,
    tilt: Blocks | None = None,
    after: Blocks | None = None,
    *,
    name: str,
    following: str | None,
    size: int,
) -> Blocks:
    """B_i = -W_i' I_i^-1 C6(i,i+1) P^_i W_{i+1}, Eqs. (74), (79); `following` is None: E_N, Eq. (83), with U
    in place of W_{i+1} and the other sign."""
    x = reached(full(inertia), c, p)
    if following is not None:
        x = transposed(_across(FORBIDS[following], transposed(x), after))
    x = lengthened(_across(FORBIDS[name], x, tilt), size)
    return x if following is None else -widened(x, size)


# ------------------------------------------------------------- one joint: what q_i makes of it
#
# Families by the type of the joint, so that a joint is charged for no other's work. They take q (as long as
# the longest of the arm) and the joint's parameter; what they make is as wide as the arm needs, with zeros
# behind the joint's own part. H_i is not orthonormal for universal, helical, planar and free joints; its dual
# W_a = H (H'H)^-1 maps joint torques to the force they make, and its transpose link accelerations to Qdd
# (Fijany-Featherstone).

SLIDING = tuple(name for name, joint in JOINTS.items() if joint.shifts)
"""Joints that move O_i: the point of link i that lies there has a velocity against link i - 1."""
SWERVING = ("planar", "free")
"""Joints whose Hdot qd has a linear part; all of them slide."""
PRECESSING = ("universal",)
"""Joints whose Hdot qd has an angular part."""


# ----------------------------------------------------------- frames (Steps I.a.1, II.a.1)


@kernel_family("C(i,i+1) from {0}, {2}")
def rotation(q: Blocks, parameter: Blocks, r: Blocks, *, name: str) -> Blocks:
    """C(i,i+1) = E(q_i) R_{i+1}."""
    joint = JOINTS[name]
    if joint.unturned:
        return r.copy()
    if joint.about_z:
        return link.spin(link.cosine_and_sine(q[..., 0]), r)
    return times(joint.turn(q[..., : joint.coordinates], parameter), r)


@kernel_family("{0} at {1}")
def moved(x: Blocks, q: Blocks, pitch: Blocks, c: Blocks, *, name: str) -> Blocks:
    """P_i or S_i in frame i + 1, moved with O_i: C' d(q_i) added."""
    y = x.copy()
    for number, row in JOINTS[name].shifts:
        far = pitch * q[..., number] if name == "helical" else q[..., number]
        y = y + far[..., None] * c[..., row, :]
    return y


# ------------------------------------------------------------------ H_i, W_a (frame i, at O_i)


@kernel_family("H from {0}")
def subspace(q: Blocks, parameter: Blocks, *, name: str, columns: int) -> Blocks:
    """H_i; tau_i = H_i' F_i, and H_i qd_i is the velocity against link i - 1."""
    joint = JOINTS[name]
    return widened(joint.subspace(q[..., : joint.coordinates], parameter), columns)


@kernel_family("W_a from {0}")
def dual(q: Blocks, parameter: Blocks, *, name: str, columns: int) -> Blocks:
    """W_a = H (H'H)^-1: the columns in the span of H_i with W_a' H = U."""
    joint = JOINTS[name]
    return widened(_DUAL.get(name, joint.subspace)(q[..., : joint.coordinates], parameter), columns)


def _dual_screw(q: Blocks, pitch: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 1), dtype=q.dtype)
    inverse = 1.0 / (1.0 + pitch * pitch)
    w[..., 2, 0], w[..., 5, 0] = inverse, pitch * inverse
    return w


def _dual_axes(q: Blocks, angle: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 2), dtype=q.dtype)
    inverse, cosine = 1.0 / np.sin(angle), np.cos(angle)
    x, y = np.cos(q[..., 0]) * inverse, np.sin(q[..., 0]) * inverse
    w[..., 0, 0], w[..., 1, 0], w[..., 2, 0] = -(cosine * x), -(cosine * y), 1.0
    w[..., 0, 1], w[..., 1, 1] = x, y
    return w


def _dual_plane(q: Blocks, parameter: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 3), dtype=q.dtype)
    w[..., (2, 3, 4), (0, 1, 2)] = 1.0
    w[..., 2, 1], w[..., 2, 2] = -q[..., 2], q[..., 1]
    return w


def _dual_free(q: Blocks, parameter: Blocks) -> Blocks:
    """The transposed inverse of H: [U, d~; 0, U], d~ as below the moments of H with the other sign."""
    h = JOINTS["free"].subspace(q, parameter)
    w = np.zeros_like(h)
    w[..., range(6), range(6)] = 1.0
    w[..., :3, 3:] = -np.swapaxes(h[..., 3:, :3], -1, -2)
    return w


_DUAL = {"helical": _dual_screw, "universal": _dual_axes, "planar": _dual_plane, "free": _dual_free}

# ------------------------------------------------------------- Hdot qd (Step II.b.1), turned by T_{i-1}


DRIFTS = (*PRECESSING, *SWERVING)
"""Joints whose Hdot qd is not zero."""


@kernel_family("{3} Hdot({0}) {1}")
def drift(q: Blocks, qd: Blocks, parameter: Blocks, turn: Blocks, *, name: str, linear: bool) -> Blocks:
    """The angular or the linear part of Hdot_i qd_i in the common frame."""
    joint = JOINTS[name]
    both = joint.drift(q[..., : joint.coordinates], qd[..., : joint.degrees], parameter)
    return apply(turn, both[..., 3:] if linear else both[..., :3])


# ------------------------------------- Steps I.a to IV with explicit H and W_a
#
# One kernel for every type of joint; what differs is in H_i and W_a, 6 x k with zeros where a joint has fewer
# columns. T_{i-1} = C(common frame, i) turns what is known in frame i.

# ------------------------------------------------------------- Step I.a: projection


@kernel("(76) from {0}, {1}, {2}, {3}")
def inverse_inertia(c: Blocks, s: Blocks, j: Blocks, inverse_mass: Blocks) -> Blocks:
    """I.a.2: the packed inverse of I_i about O_i in frame i; C(i,i+1) turns J^-1 and S_i."""
    back = transposed(c)
    return link.inverse_about_origin(symmetric_product(back, times(full(j), back)), apply(c, s), inverse_mass)


# ----------------------------------------------- the operators around A^-1 (Steps II.b-c, IV.b)


force_of_torque = Kernel("force_of_torque", "{0} {1}", apply)
"""W_a F_G: the force at O_i in frame i that the torques of joint i make."""


@kernel("{0} ({1} - C6 P^ {4})", alone=True)
def accelerations(inertia: Blocks, force: Blocks, c: Blocks, p: Blocks, after: Blocks | None) -> Blocks:
    """I_i^-1 (F_i - C6 P^_i F_{i+1}) with F = W_a F_G or W phi: X^1 and X^4."""
    y = columns_of(force)
    if after is not None:
        y = y - turned(c, shifted(p, columns_of(after)))
    return as_given(times(full(inertia), y), force)


@kernel("{0}' ({1} - {2})", alone=True)
def joint_component(w: Blocks, x: Blocks, before: Blocks | None) -> Blocks:
    """W_a' (X_i - what the link before carries): the accelerations of joint i (II.c.7)."""
    return as_given(times(transposed(w), columns_of(x if before is None else x - before)), x)


response_rows = Kernel("response_rows", "{0} - {1} {2}", lambda qdd, y, f: qdd - apply(y, f))
"""Qdd_i = Qdd_0i - Y_i F, Y_i the rows of M^-1 J' that belong to joint i (form omega)."""

# ------------------------------------------------------------- Newton-Euler (Steps II.a, II.b.1, II.d, IV.a)

turned_back = Kernel("turned_back", "{0} {1}'", lambda turn, c: times(turn, transposed(c)))
"""T_{i-1} = T_i C(i,i+1)'."""


def _part(h: Blocks, rate: Blocks, turn: Blocks, rows: slice) -> Blocks:
    return apply(turn, apply(h[..., rows, :], rate))


angular = Kernel("angular", "{2} ({0} {1})_w", lambda h, rate, turn: _part(h, rate, turn, slice(0, 3)))
"""The angular velocity of link i against link i - 1, in the common frame."""
linear = Kernel("linear", "{2} ({0} {1})_v", lambda h, rate, turn: _part(h, rate, turn, slice(3, 6)))
"""The velocity of the point of link i at O_i against link i - 1."""


@kernel("({2} + {0}) x {1}", alone=True)
def coriolis_of_both(omega: Blocks, v: Blocks, before: Blocks | None) -> Blocks:
    """(omega_{i-1} + omega_i) x v_rel: 2 omega_{i-1} x v_rel, and w_rel x v_rel as the point is one of
    link i."""
    return cross(omega if before is None else before + omega, v)


def _bias(h: Blocks, turn: Blocks, moment: Blocks, force: Blocks) -> Blocks:
    back = transposed(turn)
    return apply(transposed(h), np.concatenate([apply(back, moment), apply(back, force)], axis=-1))


bias = Kernel("bias", "{0}' {1}' [{2}; {3}]", _bias)
"""II.b.1.viii: b_i = H_i' F_i."""
bias_of_wrench = Kernel(
    "bias_of_wrench", "{0}' {1}' [n; f] of {2}", lambda h, turn, x: _bias(h, turn, x[..., 2, :], x[..., 1, :])
)

lever_rate = Kernel(
    "lever_rate",
    "{0} x {1} + {4} ({2} {3})_v",
    lambda dw, p, h, qdd, turn: cross(dw, p) + _part(h, qdd, turn, slice(3, 6)),
)
"""II.d.1, Eq. (86)."""

reaction = Kernel(
    "reaction",
    "{0}' {1}' [n + {2} x f; f] of {3}",
    lambda h, turn, p, f: _bias(h, turn, f[..., :3] + cross(p, f[..., 3:]), f[..., 3:]),
)
"""IV.a.2, Eq. (88): tau'_i = H_i' F_i."""
