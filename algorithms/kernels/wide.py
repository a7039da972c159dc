"""Kernels of wide arms (`senn.algorithms.arm.wide`): Steps I.a to IV with explicit H and W_a.

The same for every type of joint; what differs is in H_i and W_a, 6 x k with zeros where a joint has fewer
columns (`senn.algorithms.kernels.joint`; products with W_i are in `senn.algorithms.kernels.complement`).
Counts follow from the shapes of the operands. T_{i-1} = C(common frame, i) turns what is known in frame i.
`columns` as in `senn.algorithms.kernels.system`.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    as_given,
    columns_of,
    cross,
    full,
    shifted,
    symmetric_product,
    times,
    transposed,
    turned,
)
from senn.algorithms.kernels import link
from senn.machine.program import Kernel, kernel

# ------------------------------------------------------------- Step I.a: projection


def _inverse_inertia(c: Blocks, s: Blocks, j: Blocks, inverse_mass: Blocks) -> Blocks:
    back = transposed(c)
    return link.inverse_inertia(symmetric_product(back, times(full(j), back)), apply(c, s), inverse_mass)


inverse_inertia = Kernel("inverse_inertia", "(76) from {0}, {1}, {2}, {3}", _inverse_inertia)
"""I.a.2: the packed inverse of I_i about O_i in frame i; C(i,i+1) turns J^-1 and S_i."""

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


def _coriolis(omega: Blocks, v: Blocks, before: Blocks | None) -> Blocks:
    return cross(omega if before is None else before + omega, v)


coriolis = Kernel("coriolis_of_both", "({2} + {0}) x {1}", _coriolis, alone=True)
"""(omega_{i-1} + omega_i) x v_rel: 2 omega_{i-1} x v_rel, and w_rel x v_rel as the point is one of link i."""


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
