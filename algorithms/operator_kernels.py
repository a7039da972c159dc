"""The operators around A^-1, seen from one process: what it receives from its neighbours and what it forms.

R, H, W, I^-1 are Fijany's underlined operators of Eq. (81): block row i in frame i. Kernels take a
right-hand side as a vector, or several as columns; the plain vector is the case of one column.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.kernels import (
    columns_of,
    factor,
    substitute,
    symmetric_product,
    symmetric_times,
    times,
    transposed,
)
from senn.algorithms.link_kernels import apply, cross, dot, shifted
from senn.algorithms.spatial import AXIS_ROW, COMPLEMENT_ROWS
from senn.machine.program import Kernel, Operations

Blocks = NDArray[Any]


def turned(c: Blocks, x: Blocks) -> Blocks:
    """C6 X for columns (..., 6, r): 18 r multiplications, 12 r additions."""
    return np.concatenate([times(c, x[..., :3, :]), times(c, x[..., 3:, :])], axis=-2)


def spread(joint: str, x: Blocks) -> Blocks:
    """W X: five rows back into six, zero in the joint's own row."""
    zero = np.zeros_like(x[..., :1, :])
    row = AXIS_ROW[joint]
    return np.concatenate([x[..., :row, :], zero, x[..., row:, :]], axis=-2)


# ------------------------------------------------------- X^1 = I^-1 R H F_G (II.b.4)


@cache
def joint_wrench(joint: str, following: str | None) -> Kernel:
    """(I_i)^-1 (H_i F_i - C6 P^_i H_{i+1} F_{i+1}) for a joint of each type; `following` is that of i + 1.

    Between revolute joints the force part of R H F is zero and half of the product falls away.
    """
    row = AXIS_ROW[joint]

    def alone(inertia: Blocks, force: Blocks) -> Blocks:
        column = inertia[..., [max(row, k) * (max(row, k) + 1) // 2 + min(row, k) for k in range(6)]]
        return column * force[..., None]

    def moments(force: Blocks, c: Blocks, p: Blocks, inertia: Blocks, after: Blocks | None) -> Blocks:
        if after is None:
            return alone(inertia, force)
        y = -(c[..., :, 2] * after[..., None])
        y[..., 2] = y[..., 2] + force
        full = inertia[
            ..., [[max(r, k) * (max(r, k) + 1) // 2 + min(r, k) for k in range(3)] for r in range(6)]
        ]
        return times(full, y[..., None])[..., 0]

    def wrenches(force: Blocks, c: Blocks, p: Blocks, inertia: Blocks, after: Blocks | None) -> Blocks:
        if after is None:
            return alone(inertia, force)
        axis = c[..., :, 2]
        if following == "revolute":
            y = np.concatenate([-(axis * after[..., None]), np.zeros_like(axis)], axis=-1)
        else:  # P^ [0; z] = [P x z; z]
            moment = c[..., :, 0] * p[..., 1, None] - c[..., :, 1] * p[..., 0, None]
            y = -np.concatenate([moment * after[..., None], axis * after[..., None]], axis=-1)
        y[..., row] = y[..., row] + force
        return symmetric_times(inertia, 6, y[..., None])[..., 0]

    form = "{3} (H {0} - C6 P^ H_{{i+1}} {4})"
    own = Operations(multiply=6)
    if (joint, following) == ("revolute", "revolute"):
        return Kernel("joint_wrench", form, moments, own, (Operations(15, 13),), alone=True)
    each = Operations(33, 31) if following == "revolute" else Operations(42, 34)
    return Kernel("joint_wrench", form, wrenches, own, (each,), alone=True)


# ---------------------------------------------------- X^2 = W' R' X^1 (II.b.5) and II.c.7


@cache
def carried(columns: int | None = None) -> Kernel:
    """P^_i' C6(i+1,i) X_i: an acceleration of link i, taken to O_{i+1} and frame i + 1."""
    r, vector = (1, True) if columns is None else (columns, False)

    def evaluate(c: Blocks, p: Blocks, x: Blocks) -> Blocks:
        y = turned(transposed(c), columns_of(x, vector))
        angular = transposed(y[..., :3, :])
        linear = y[..., 3:, :] - transposed(cross(p[..., None, :], angular))
        y = np.concatenate([y[..., :3, :], linear], axis=-2)
        return y[..., 0] if vector else y

    return Kernel("carried", "P^_i' C6' {2}", evaluate, Operations(24 * r, 18 * r))


@cache
def constrained(joint: str) -> Kernel:
    """W_i' (X_i - what the link before carries)."""
    kept = list(COMPLEMENT_ROWS[joint])

    def evaluate(x: Blocks, before: Blocks | None) -> Blocks:
        return x[..., kept] if before is None else x[..., kept] - before[..., kept]

    return Kernel("constrained", "W' ({0} - {1})", evaluate, Operations(), (Operations(add=5),), alone=True)


@cache
def projected(joint: str) -> Kernel:
    """W_i' X_i: five of six rows, no operation."""
    kept = list(COMPLEMENT_ROWS[joint])
    return Kernel("projected", "W' {0}", lambda x: x[..., kept], Operations())


@cache
def carried_component(following: str, columns: int | None = None) -> Kernel:
    """H_{i+1}' P^_i' C6(i+1,i) X_i: one word per column for the joint that follows."""
    r, vector = (1, True) if columns is None else (columns, False)

    def evaluate(c: Blocks, p: Blocks, x: Blocks) -> Blocks:
        x = columns_of(x, vector)
        axis = c[..., :, 2, None]
        if following == "revolute":
            y = dot(np.swapaxes(axis, -1, -2), transposed(x[..., :3, :]))
        else:  # z . (v - P x w) in frame i + 1
            w = times(transposed(c)[..., :2, :], x[..., :3, :])
            linear = dot(np.swapaxes(axis, -1, -2), transposed(x[..., 3:, :]))
            y = linear - (p[..., 0, None] * w[..., 1, :] - p[..., 1, None] * w[..., 0, :])
        return y[..., 0] if vector else y

    count = Operations(3 * r, 2 * r) if following == "revolute" else Operations(11 * r, 8 * r)
    return Kernel("carried_component", "H_{{i+1}}' P^_i' C6' {2}", evaluate, count)


@cache
def joint_component(joint: str, columns: int | None = None) -> Kernel:
    """H_i' X_i minus what the link before carries (II.c.7)."""
    row = AXIS_ROW[joint]
    r = columns or 1

    def evaluate(x: Blocks, before: Blocks | None) -> Blocks:
        own = x[..., row] if columns is None else x[..., row, :]
        return own.copy() if before is None else own - before

    return Kernel("joint_component", "H' {0} - {1}", evaluate, Operations(), (Operations(add=r),), alone=True)


# ------------------------------------------------- X^4 = I^-1 R W X^3 (II.c.5), X^5 (II.c.6)


@cache
def constraint_wrench(joint: str, following: str | None, columns: int | None = None) -> Kernel:
    """(I_i)^-1 (W_i phi_i - C6 P^_i W_{i+1} phi_{i+1})."""
    r, vector = (1, True) if columns is None else (columns, False)

    def evaluate(inertia: Blocks, phi: Blocks, c: Blocks, p: Blocks, after: Blocks | None) -> Blocks:
        y = spread(joint, columns_of(phi, vector))
        if after is not None and following is not None:
            y = y - turned(c, shifted(p, spread(following, columns_of(after, vector))))
        y = symmetric_times(inertia, 6, y)
        return y[..., 0] if vector else y

    return Kernel(
        "constraint_wrench",
        "{0} (W {1} - C6 P^ W_{{i+1}} {4})",
        evaluate,
        Operations(36 * r, 30 * r),
        (Operations(24 * r, 24 * r),),
        alone=True,
    )


@cache
def less_or_negative(words: int) -> Kernel:
    """X^1 - X^4 where X^1 is zero but at the last process."""

    def evaluate(x4: Blocks, x1: Blocks | None) -> Blocks:
        return -x4 if x1 is None else x1 - x4

    return Kernel(
        "less_or_negative", "{1} - {0}", evaluate, Operations(), (Operations(add=words),), alone=True
    )


def _end_wrench(inertia: Blocks, c: Blocks, p: Blocks, force: Blocks) -> Blocks:
    return symmetric_times(inertia, 6, turned(c, shifted(p, force[..., None])))[..., 0]


end_wrench = Kernel("end_wrench", "{0} C6 P^ {3}", _end_wrench, Operations(60, 48))
"""X^1 of a wrench at the end effector alone, at process N: I_N^-1 P^_N F (schedule of the short form)."""


def _tilde(p: Blocks) -> Blocks:
    x, y, z = (p[..., k] for k in range(3))
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _end_response(inertia: Blocks, c: Blocks, p: Blocks) -> Blocks:
    upper = np.concatenate([c, times(c, _tilde(p))], axis=-1)
    lower = np.concatenate([np.zeros_like(c), c], axis=-1)
    return symmetric_times(inertia, 6, np.concatenate([upper, lower], axis=-2))


end_response = Kernel("end_response", "{0} C6 P^", _end_response, Operations(243, 198))
"""X^1 of six unit wrenches at the end effector, at process N (form omega)."""

# -------------------------------------------------------------------- contact (Step III)


@cache
def constraint_force(constrained_: int, free: int) -> Kernel:
    """K_C of Eq. (29): (W' Lambda^-1 W) K_C = W' (Vdot_0 - Lambda^-1 H K_F) - G_C."""
    c, f = constrained_, free

    def evaluate(
        inverse: Blocks,
        acceleration: Blocks,
        w: Blocks,
        g_c: Blocks,
        h: Blocks | None = None,
        k_f: Blocks | None = None,
    ) -> Blocks:
        matrix = symmetric_product(w, symmetric_times(inverse, 6, w))
        if h is not None and k_f is not None:
            acceleration = acceleration - symmetric_times(inverse, 6, times(h, k_f[..., None]))[..., 0]
        right = times(transposed(w), acceleration[..., None])[..., 0] - g_c
        return substitute(factor(matrix, c), c, right[..., None])[..., 0]

    product = Operations(36 * c + 6 * (c * (c + 1) // 2), 30 * c + 5 * (c * (c + 1) // 2))
    free_part = Operations(6 * f + 36, 6 * (f - 1) + 36) if f else Operations()
    right = Operations(6 * c, 6 * c)
    elimination = Operations(
        sum((c - 1 - k) + (c - 1 - k) * (c - k) // 2 for k in range(c)),
        sum((c - 1 - k) * (c - k) // 2 for k in range(c)),
        c,
    )
    count = product + free_part + right + elimination + Operations(c * c, c * (c - 1))
    return Kernel("constraint_force", "K_C of (29) from {0}, {1}", evaluate, count)


@cache
def contact_force(constrained_: int, free: int) -> Kernel:
    """F_{N+1} = H K_F + W K_C, Eq. (24)."""
    c, f = constrained_, free

    def evaluate(w: Blocks, k_c: Blocks, h: Blocks | None = None, k_f: Blocks | None = None) -> Blocks:
        bound = times(w, k_c[..., None])[..., 0]
        return bound if h is None or k_f is None else bound + times(h, k_f[..., None])[..., 0]

    both = Operations(6 * c, 6 * (c - 1)) + (Operations(6 * f, 6 * (f - 1) + 6) if f else Operations())
    return Kernel("contact_force", "{2} {3} + {0} {1}" if f else "{0} {1}", evaluate, both)


given_force = Kernel(
    "given_force", "{0} {1}", lambda h, k_f: times(h, k_f[..., None])[..., 0], Operations(36, 30)
)
"""F_{N+1} = H K_F of an end effector that nothing constrains (n_c = 0)."""

response = Kernel(
    "response",
    "{0} - {1} {2}",
    lambda qdd, y, f: qdd - dot(y[..., :3], f[..., :3]) - dot(y[..., 3:], f[..., 3:]),
    Operations(6, 6),
)
"""Qdd_i = Qdd_0i - Y_i F, Y_i the i-th row of M^-1 J' (form omega)."""
