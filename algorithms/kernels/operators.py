"""Kernels of the matrix A and of the operators around A^-1 (Steps I.a, II.b-c, IV.b), seen from one process.

R, H, W, I^-1 are Fijany's underlined operators of Eq. (81): block row i in frame i. A process combines its
own words with those of a neighbour: link i + 1 (`following` is the type of its joint) or link i - 1, whose
part is optional, as the ends of the arm have none. X and phi are one vector, or several as columns.

The columns of W_i are rows of the unit matrix, so that a product with it is a choice of rows and costs
nothing. Universal and helical joints have one column with two entries, their *tilt*; kernels take it as their
last operand if an arm has such joints. Products with W_i have as many `rows` as the arm needs, zeros behind
the joint's own.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import own_columns, words_of
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known

# ------------------------------------------------------------------- W_i


def _across(joint: str, x: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X for X (..., 6, r): 2 r multiplications and r additions if W is tilted."""
    y, mixed = x[..., JOINTS[joint].held, :], JOINTS[joint].mixed
    if mixed and tilt is not None:
        a, b = mixed
        k = JOINTS[joint].held.index(a)
        y[..., k, :] = tilt[..., 0, None] * x[..., a, :] + tilt[..., 1, None] * x[..., b, :]
    return y


def _within(joint: str, rows: int, packed: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X W of a packed 6x6 block, packed, with ones where W has columns of zeros."""
    a = _across(joint, transposed(_across(joint, full(packed), tilt)), tilt)
    a = widened(lengthened(a, rows), rows)
    unused = range(len(JOINTS[joint].held), rows)
    a[..., unused, unused] = 1.0
    at, below = np.tril_indices(rows)
    return a[..., at, below]


def _and_ones(joint: str, rows: int) -> str:
    return ", and ones behind" if len(JOINTS[joint].held) < rows else ""


@kernel_family(lambda joint, rows: "W' ({0} + {1}) W" + _and_ones(joint, rows))
def diagonal(inertia: Blocks, before: Blocks, tilt: Blocks | None = None, *, joint: str, rows: int) -> Blocks:
    """I.a.5, Eq. (75): A_i = W_i' (I_i^-1 + I_{i-1,i}^-1) W_i; the second may be held restricted to W_i."""
    if before.shape == inertia.shape:
        return _within(joint, rows, inertia + before, tilt)
    return _within(joint, rows, inertia, tilt) + before


@kernel_family(lambda joint, rows: "W' {1} W" + _and_ones(joint, rows))
def before_alone(
    inertia: Blocks, before: Blocks, tilt: Blocks | None = None, *, joint: str, rows: int
) -> Blocks:
    """`diagonal` without the term of link i: of the last joint, the block of Y that Lambda is made of."""
    return _within(joint, rows, before, tilt) if before.shape == inertia.shape else before.copy()


def reached(rows: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """Y C6 P^ for rows Y (..., r, 6): 24 r multiplications, 18 r additions."""
    moment, force = times(rows[..., :, :3], c), times(rows[..., :, 3:], c)
    return np.concatenate([moment, force + cross(moment, p[..., None, :])], axis=-1)  # row x P = row P~


@kernel_family(
    lambda joint, following, rows: "W' {0} C6 P^" if following is None else "-W' {0} C6 P^ W_{{i+1}}"
)
def coupling(
    inertia: Blocks,
    c: Blocks,
    p: Blocks,
    tilt: Blocks | None = None,
    after: Blocks | None = None,
    *,
    joint: str,
    following: str | None,
    rows: int,
) -> Blocks:
    """B_i = -W_i' I_i^-1 C6(i,i+1) P^_i W_{i+1}, Eqs. (74), (79); `following` is None: E_N, Eq. (83), with U
    in place of W_{i+1} and the other sign."""
    x = reached(full(inertia), c, p)
    if following is not None:
        x = transposed(_across(following, transposed(x), after))
    x = lengthened(_across(joint, x, tilt), rows)
    return x if following is None else -widened(x, rows)


def motion_from_tip(c: Blocks, p: Blocks) -> Blocks:
    """C6 P^^-1' = [C 0; C P~ C]: motions at O_{i+1} in frame i+1, seen at O_i in frame i."""
    below = np.concatenate([cross(c, p[..., None, :]), c], axis=-1)  # a row of C P~ is that row x P
    return np.concatenate([np.concatenate([c, np.zeros_like(c)], axis=-1), below], axis=-2)


@kernel_family("W' C6 P^^-1' from {0}, {1}")
def reach(c: Blocks, p: Blocks, tilt: Blocks | None = None, *, joint: str, rows: int) -> Blocks:
    """R_N = W_N' C6(N,N+1) P^_N^-1' of the operational space."""
    return lengthened(_across(joint, motion_from_tip(c, p), tilt), rows)


# ------------------------- with side branches: what follows from (I_{i,i+1})^-1 at O_i (I.a)


@kernel("I^-1 C6 P^ from {0}, {1}, {2}")
def across(inverse: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """C6 P^'^-1 (I_{i,i+1})^-1 = I_i^-1 C6 P^, 6x6: rows in frame i at O_i, columns in frame i+1."""
    whole = full(inverse)
    upper, lower = whole[..., :3, :], whole[..., 3:, :]
    lower = lower + transposed(cross(p[..., None, :], transposed(upper)))
    return np.concatenate([times(c, upper), times(c, lower)], axis=-2)


@kernel("{0} P^^-1 C6'")
def at_joint(x: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """(I_i)^-1 about O_i in frame i, packed, from I_i^-1 C6 P^."""
    back, lower = transposed(c), x[..., 3:, 3:] + cross(p[..., None, :], x[..., 3:, :3])
    angular, linear = (symmetric_product(transposed(half), back) for half in (x[..., :3, :3], lower))
    return of_parts(angular, times(x[..., 3:, :3], back), linear)


@kernel_family("-W' {0} W_{{i+1}}")
def side_coupling(x: Blocks, *, joint: str, following: str) -> Blocks:
    """B_i = -W_i' (I_i^-1 C6 P^) W_{i+1}: words that are there."""
    rows, columns = JOINTS[joint].held, JOINTS[following].held
    return -x[..., rows, :][..., columns]


@kernel_family("W_{{i+1}}' {0} W_{{i+1}}")
def side_before(x: Blocks, *, following: str) -> Blocks:
    """(I_{i,i+1})^-1 restricted to W_{i+1}: words that are there."""
    return restricted(x, JOINTS[following].held)


# ------------------------------------------------------- X^1 = I^-1 R H F_G (II.b.4)


@kernel_family("{0} {1}")
def force_of_torque(w: Blocks, torque: Blocks, *, joint: str) -> Blocks:
    """W_a F_G: the force at O_i in frame i that the torques of joint i make."""
    return apply(own_columns(JOINTS[joint].fixed("dual"), w), words_of(joint, torque))


@kernel("{0} ({1} - C6 P^ {4})", runs_without_operands=True)
def accelerations(inertia: Blocks, force: Blocks, c: Blocks, p: Blocks, after: Blocks | None) -> Blocks:
    """I_i^-1 (F_i - C6 P^_i F_{i+1}) with F = W_a F_G or W phi: X^1 and X^4."""
    y = columns_of(force)
    if after is not None:
        y = y - turned(c, shifted(p, columns_of(after)))
    return as_given(times(full(inertia), y), force)


@kernel_family("{3} (H {0} - C6 P^ H_{{i+1}} {4})", runs_without_operands=True)
def joint_wrench(
    force: Blocks, c: Blocks, p: Blocks, inertia: Blocks, after: Blocks | None, *, joint: str, following: str
) -> Blocks:
    """(I_i)^-1 (H_i F_i - C6 P^_i H_{i+1} F_{i+1}) where H is a row of the unit matrix."""
    beyond = None if after is None else _allowed(following, after)
    return accelerations.evaluate(inertia, _allowed(joint, force), c, p, beyond)


def _allowed(joint: str, force: Blocks) -> Blocks:
    """H F of one number."""
    wrench: Blocks = force[..., None] * known(np.eye(6)[JOINTS[joint].allowed[0]], force)
    return wrench


# ---------------------------------------------------- X^2 = W' R' X^1 (II.b.5)


@kernel("P^_i' C6' {2}")
def carried(c: Blocks, p: Blocks, x: Blocks) -> Blocks:
    """P^_i' C6(i+1,i) X_i: an acceleration of link i, taken to O_{i+1} and frame i + 1."""
    return as_given(transported(c, p, columns_of(x)), x)


@kernel_family("W' ({0} - {1})", runs_without_operands=True)
def constrained(
    x: Blocks, before: Blocks | None, tilt: Blocks | None = None, *, joint: str, rows: int
) -> Blocks:
    """W_i' (X_i - what the link before carries)."""
    return projected(joint, rows).evaluate(x if before is None else x - before, tilt)


@kernel_family("W' {0}")
def projected(x: Blocks, tilt: Blocks | None = None, *, joint: str, rows: int) -> Blocks:
    """W_N' X_N, where nothing is carried to (form short)."""
    return as_given(lengthened(_across(joint, columns_of(x), tilt), rows), x)


# ----------------------------------------- X^4 = I^-1 R W X^3 (II.c.5), X^5 (II.c.6), Qdd (II.c.7)


@kernel_family("W {0}")
def constraint_force(phi: Blocks, tilt: Blocks | None = None, *, joint: str) -> Blocks:
    """W_i phi_i: the force at O_i in frame i; a row of zeros is words like any others."""
    x, kind = columns_of(phi), JOINTS[joint]
    y = np.zeros((*x.shape[:-2], 6, x.shape[-1]), dtype=x.dtype)
    y[..., kind.held, :] = x[..., : len(kind.held), :]
    if kind.mixed and tilt is not None:
        y[..., kind.mixed, :] = tilt[..., :, None] * x[..., kind.held.index(kind.mixed[0]), None, :]
    return as_given(y, phi)


@kernel_family("{0} (W {1} - C6 P^ W_{{i+1}} {4})", runs_without_operands=True)
def constraint_wrench(
    inertia: Blocks, phi: Blocks, c: Blocks, p: Blocks, after: Blocks | None, *, joint: str, following: str
) -> Blocks:
    """(I_i)^-1 (W_i phi_i - C6 P^_i W_{i+1} phi_{i+1})."""
    beyond = None if after is None else constraint_force(following).evaluate(after)
    return accelerations.evaluate(inertia, constraint_force(joint).evaluate(phi), c, p, beyond)


@kernel("{1} - {0}", runs_without_operands=True)
def less_or_negative(x4: Blocks, x1: Blocks | None) -> Blocks:
    """X^1 - X^4 where X^1 is zero but at the last process."""
    return -x4 if x1 is None else x1 - x4


@kernel_family("H_{{i+1}}' P^_i' C6' {2}")
def carried_component(c: Blocks, p: Blocks, x: Blocks, *, following: str) -> Blocks:
    """H_{i+1}' P^_i' C6(i+1,i) X_i: one word per column for the joint that follows."""
    return as_given(transported(c, p, columns_of(x))[..., JOINTS[following].allowed[0], :], x)


@kernel_family("H' {0} - {1}", runs_without_operands=True)
def joint_component(x: Blocks, before: Blocks | None, *, joint: str) -> Blocks:
    """H_i' X_i minus what the link before carries (II.c.7)."""
    component = as_given(columns_of(x)[..., JOINTS[joint].allowed[0], :], x)
    return component.copy() if before is None else component - before


@kernel_family("{0}' ({1} - {2})", runs_without_operands=True)
def joint_components(w: Blocks, x: Blocks, before: Blocks | None, *, joint: str) -> Blocks:
    """W_a' (X_i - what the link before carries)."""
    dual = transposed(own_columns(JOINTS[joint].fixed("dual"), w))
    rates = times(dual, columns_of(x if before is None else x - before))
    return as_given(lengthened(rates, w.shape[-1]), x)


# ------------------------------------------- X^1 of the end effector's wrench, at process N (IV.b)

end_wrench = Kernel(
    "end_wrench",
    "{0} C6 P^ {3}",
    lambda inertia, c, p, force: apply(full(inertia), turned(c, shifted(p, force[..., None]))[..., 0]),
)
"""I_N^-1 P^_N F (form short)."""


end_response = Kernel("end_response", "{0} C6 P^", lambda inertia, c, p: reached(full(inertia), c, p))
"""I_N^-1 P^_N, for six unit wrenches (form omega)."""


@kernel("{0} - {1} {2}")
def response(qdd: Blocks, y: Blocks, f: Blocks) -> Blocks:
    """Qdd_i = Qdd_0i - Y_i F, Y_i the row of M^-1 J' of joint i, or its rows (form omega)."""
    f = f[:, None] if y.ndim > 2 else f
    rate: Blocks = qdd - dot(y[..., :3], f[..., :3]) - dot(y[..., 3:], f[..., 3:])
    return rate
