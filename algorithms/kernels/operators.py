"""Kernels of the operators around A^-1 (Steps II.b-c, IV.b), seen from one process.

R, H, W, I^-1 are Fijany's underlined operators of Eq. (81): block row i in frame i. A process combines its
own words with those of a neighbour: link i + 1 (`following` is the type of its joint) or link i - 1, whose
part is optional, as the ends of the arm have none. X and phi are one vector, or several as columns.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms import blocks
from senn.algorithms.blocks import (
    Blocks,
    apply,
    as_given,
    columns_of,
    cross,
    dot,
    full,
    shifted,
    times,
    turned,
)
from senn.algorithms.spatial import AXIS_ROW, COMPLEMENT_ROWS, REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family

# ------------------------------------------------------- X^1 = I^-1 R H F_G (II.b.4)

# What the part of link i + 1 adds: 18, 24 or 36 products with the inverse inertia in place of 6 for H_i F_i.


@kernel_family("{3} (H {0} - C6 P^ H_{{i+1}} {4})", alone=True)
def joint_wrench(
    force: Blocks, c: Blocks, p: Blocks, inertia: Blocks, after: Blocks | None, *, joint: str, following: str
) -> Blocks:
    """(I_i)^-1 (H_i F_i - C6 P^_i H_{i+1} F_{i+1}), without the rows that are zero for these joint types.

    A revolute joint that follows passes on a moment only; a prismatic one P^ [0; z] F = [P x z; z] F.
    """
    row = AXIS_ROW[joint]
    inverse = full(inertia)
    if after is None:
        return inverse[..., :, row] * force[..., None]
    axis = -(c[..., :, 2] * after[..., None])
    if following == REVOLUTE:
        rows, y = [0, 1, 2], axis
    else:
        arm_x, arm_y = p[..., 0] * after, p[..., 1] * after
        moment = c[..., :, 1] * arm_x[..., None] - c[..., :, 0] * arm_y[..., None]
        rows, y = [0, 1, 2, 3, 4, 5], np.concatenate([moment, axis], axis=-1)
    if row in rows:
        y[..., row] = y[..., row] + force
    else:
        rows, y = [*rows, row], np.concatenate([y, force[..., None]], axis=-1)
    return apply(inverse[..., :, rows], y)


less = Kernel("less", "{0} - {1}", lambda x, y: x - y)
"""X^1 of a link that also holds side branches: less what their drives take."""

# ---------------------------------------------------- X^2 = W' R' X^1 (II.b.5)


@kernel("P^_i' C6' {2}")
def carried(c: Blocks, p: Blocks, x: Blocks) -> Blocks:
    """P^_i' C6(i+1,i) X_i: an acceleration of link i, taken to O_{i+1} and frame i + 1."""
    return as_given(blocks.carried(c, p, columns_of(x)), x)


@kernel_family("W' ({0} - {1})", alone=True)
def constrained(x: Blocks, before: Blocks | None, *, joint: str) -> Blocks:
    """W_i' (X_i - what the link before carries)."""
    return (x if before is None else x - before)[..., COMPLEMENT_ROWS[joint]]


@kernel_family("W' {0}")
def projected(x: Blocks, *, joint: str) -> Blocks:
    """W_i' X_i: five of six rows, no operation."""
    return x[..., COMPLEMENT_ROWS[joint]]


# ----------------------------------------- X^4 = I^-1 R W X^3 (II.c.5), X^5 (II.c.6), Qdd (II.c.7)


def _spread(joint: str, x: Blocks) -> Blocks:
    """W X: five rows back into six, zero in the joint's own row."""
    row = AXIS_ROW[joint]
    return np.concatenate([x[..., :row, :], np.zeros_like(x[..., :1, :]), x[..., row:, :]], axis=-2)


@kernel_family("{0} (W {1} - C6 P^ W_{{i+1}} {4})", alone=True)
def constraint_wrench(
    inertia: Blocks, phi: Blocks, c: Blocks, p: Blocks, after: Blocks | None, *, joint: str, following: str
) -> Blocks:
    """(I_i)^-1 (W_i phi_i - C6 P^_i W_{i+1} phi_{i+1}); the zero row of W phi is a word like any other."""
    y = _spread(joint, columns_of(phi))
    if after is not None:
        y = y - turned(c, shifted(p, _spread(following, columns_of(after))))
    return as_given(times(full(inertia), y), phi)


@kernel("{1} - {0}", alone=True)
def less_or_negative(x4: Blocks, x1: Blocks | None) -> Blocks:
    """X^1 - X^4 where X^1 is zero but at the last process."""
    return -x4 if x1 is None else x1 - x4


@kernel_family("H_{{i+1}}' P^_i' C6' {2}")
def carried_component(c: Blocks, p: Blocks, x: Blocks, *, following: str) -> Blocks:
    """H_{i+1}' P^_i' C6(i+1,i) X_i: one word per column for the joint that follows."""
    return as_given(blocks.carried(c, p, columns_of(x))[..., AXIS_ROW[following], :], x)


@kernel_family("H' {0} - {1}", alone=True)
def joint_component(x: Blocks, before: Blocks | None, *, joint: str) -> Blocks:
    """H_i' X_i minus what the link before carries (II.c.7)."""
    row = AXIS_ROW[joint]
    component = as_given(columns_of(x)[..., row, :], x)
    return component.copy() if before is None else component - before


# ------------------------------------------- X^1 of the end effector's wrench, at process N (IV.b)

end_wrench = Kernel(
    "end_wrench",
    "{0} C6 P^ {3}",
    lambda inertia, c, p, force: apply(full(inertia), turned(c, shifted(p, force[..., None]))[..., 0]),
)
"""I_N^-1 P^_N F (form short)."""


def reached(rows: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """Y C6 P^ for rows Y (..., r, 6): 24 r multiplications, 18 r additions."""
    moment, force = times(rows[..., :, :3], c), times(rows[..., :, 3:], c)
    return np.concatenate([moment, force + cross(moment, p[..., None, :])], axis=-1)  # row x P = row P~


end_response = Kernel("end_response", "{0} C6 P^", lambda inertia, c, p: reached(full(inertia), c, p))
"""I_N^-1 P^_N, for six unit wrenches (form omega)."""

response = Kernel(
    "response",
    "{0} - {1} {2}",
    lambda qdd, y, f: qdd - dot(y[..., :3], f[..., :3]) - dot(y[..., 3:], f[..., 3:]),
)
"""Qdd_i = Qdd_0i - Y_i F, Y_i the i-th row of M^-1 J' (form omega)."""
