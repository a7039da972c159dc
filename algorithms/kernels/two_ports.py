"""A span of links as a two-port, and the star product of two of them.

Inside, the span has the acceleration a_l of the link before it, outside the wrench f_r that it exerts on what
follows, each in the frame of its link (frame i at O_i), six-vectors with the angular part first:

    f_l = J a_l + A' f_r + eta          a_r = A a_l - C f_r + b

J and C are symmetric and positive semidefinite, packed; b and eta are one value of 12 words. The product of a
span x and the span y that follows it, with K = (1 + C_x J_y)^-1:

    A = A_y K A_x        C = C_y + A_y K C_x A_y'        J = J_x + A_x' J_y K A_x
    b = A_y k + b_y      eta = eta_x + A_x' (J_y k + eta_y)      k = K (b_x - C_x eta_y)

A kernel has the own part of the span first, which stays as it is where there is no other span: that a kernel
without any of its optional operands does so is the machine's rule.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.machine.program import Kernel, kernel
from senn.machine.program.counting import known


@kernel("K({0}, {1})")
def close(c: Blocks, j: Blocks) -> Blocks:
    """K, from C of the inner span and J of the outer one, as the factors of 1 + C_x J_y, and K C_x."""
    lu, below = decomposed(times(full(c), full(j)) + known(np.eye(6), c)), np.tril_indices(6)
    return np.concatenate([lu.reshape(*c.shape[:-1], 42), solved(lu, full(c))[..., *below]], axis=-1)


def factors(k: Blocks) -> Blocks:
    """The LU factors of 1 + C_x J_y."""
    return k[..., :42].reshape(*k.shape[:-1], 6, 7)


def moved(a: Blocks, k: Blocks) -> Blocks:
    """A_y (K C_x), whole."""
    return times(a, full(k[..., 42:]))


def _compliance(own: Blocks, a: Blocks, k: Blocks) -> Blocks:
    """C_y + A_y (K C_x) A_y'."""
    return own + symmetric_product(transposed(moved(a, k)), transposed(a))


@kernel("{2}^-1 (b of {0} - {3} eta of {1})")
def still(b: Blocks, bias: Blocks, k: Blocks, c: Blocks) -> Blocks:
    """k = K (b_x - C_x eta_y); with K C_x, which is known, K b_x - K C_x eta_y would lose two digits."""
    gap = b[..., :6] - apply(full(c), bias[..., 6:])
    return solved(factors(k), gap[..., None])[..., 0]


def _free(outer: Blocks, a: Blocks, k: Blocks) -> Blocks:
    return apply(a, k) + outer[..., :6]


def _bias(inner: Blocks, outer: Blocks, a_x: Blocks, j: Blocks, a_y: Blocks, k: Blocks) -> Blocks:
    eta = inner[..., 6:] + apply(transposed(a_x), apply(full(j), k) + outer[..., 6:])
    return np.concatenate([_free(outer, a_y, k), eta], axis=-1)


through = Kernel("through", "{0}^-1 {1}", lambda k, a: solved(factors(k), a))
"""K A_x."""
chained_behind = Kernel("chained", "{0} {1}", times)
"""A of the own span behind another."""
chained_ahead = Kernel("chained_ahead", "{1} {2} or {0}", lambda own, a, k_a: times(a, k_a))
"""A of the own span ahead of another."""
compliance_behind = Kernel("compliance_behind", "{0} + {1} {2} {1}'", _compliance)
compliance_ahead = Kernel("compliance_ahead", "{1} + {2} {3} {2}' or {0}", lambda own, *x: _compliance(*x))


@kernel("{0} + {1}' {2} {3}")
def inertia_behind(own: Blocks, a: Blocks, j: Blocks, k_a: Blocks) -> Blocks:
    """J_x + A_x' J_y (K A_x)."""
    return own + symmetric_product(a, times(full(j), k_a))


@kernel("(b, eta) of {3} * {0} by {2}")
def bias_behind(own: Blocks, a_y: Blocks, k: Blocks, before: Blocks, j: Blocks, a_x: Blocks | None) -> Blocks:
    if a_x is None:
        return np.concatenate([_free(own, a_y, k), own[..., 6:]], axis=-1)
    return _bias(before, own, a_x, j, a_y, k)


bias_ahead = Kernel("bias_ahead", "(b, eta) of {0} * {1} by {5}", _bias)
from_base = Kernel("from_base", "b of {0}", lambda x: x[..., :6].copy())
"""b, which is enough of a span that begins at the base."""
free_behind = Kernel(
    "free_behind",
    "b of {0} behind {2}",
    lambda own, a, k: own[..., :6].copy() if a is None or k is None else _free(own, a, k),
    runs_without_operands=True,
)
"""b of the product where the first span begins at the base."""


# -------------------------------------------------------------------------------- few links
#
# C has the rank of the joints, and is held by its factors: C = B D^-1 B' with a column of B and an entry of
# the diagonal D for each joint, [B; D] of (7, r). Where a span y follows x, the joints of x are eliminated
# one after the other, as articulated bodies do it:
#
#     D_x + B_x' J_y B_x = L E L',  Q = B_x L'^-1,  P = J_y Q
#     K = 1 - Q E^-1 P',  K C_x = Q E^-1 Q',  and C of the product has the factors [B_y, A_y Q; D_y, E]
#
# K is held as [Q; P; E; E^-1] of (14, r). All else of a product is as above.


@kernel("ldl({0}, {1})")
def close_few(c: Blocks, j: Blocks) -> Blocks:
    """The joints of the inner span eliminated against J of the outer one."""
    q, e = c[..., :6, :].copy(), c[..., 6, :].copy()
    p = times(full(j), q)
    size = q.shape[-1]
    s = {(k, m): apply(q[..., None, :, k], p[..., :, m])[..., 0] for m in range(size) for k in range(m + 1)}
    reciprocal = np.empty_like(e)
    for k in range(size):
        e[..., k] = e[..., k] + s[k, k]
        reciprocal[..., k] = 1.0 / e[..., k]
        for m in range(k + 1, size):
            factor = s[k, m] * reciprocal[..., k]
            for x in (q, p):
                x[..., m] = x[..., m] - factor[..., None] * x[..., k]
            for r in range(m, size):
                s[m, r] = s[m, r] - factor * s[k, r]
    return np.concatenate([q, p, e[..., None, :], reciprocal[..., None, :]], axis=-2)


def _parts(k: Blocks) -> tuple[Blocks, Blocks, Blocks]:
    """Q, P and E^-1 as a column."""
    return k[..., :6, :], k[..., 6:12, :], k[..., 13, :, None]


@kernel("{0}^-1 {1}")
def through_few(k: Blocks, a: Blocks) -> Blocks:
    """K A_x."""
    q, p, reciprocal = _parts(k)
    return a - times(q, reciprocal * times(transposed(p), a))


def _of_joints(x: Blocks, reciprocal: Blocks) -> Blocks:
    """X E^-1 X', packed."""
    return symmetric_product(transposed(x) * reciprocal, transposed(x))


def _joined_behind(own: Blocks, a: Blocks | None, k: Blocks | None) -> Blocks:
    if a is None or k is None:  # no joints before: columns of zeros, and D = 1
        none = np.zeros_like(own)
        none[..., 6, :] = 1.0
        return np.concatenate([own, none], axis=-1)
    moved = times(a, k[..., :6, :])
    return np.concatenate([own, np.concatenate([moved, k[..., 12:13, :]], axis=-2)], axis=-1)


def _packed(c: Blocks) -> Blocks:
    return _of_joints(c[..., :6, :], 1.0 / c[..., 6, :, None])


def _packed_behind(own: Blocks, a: Blocks | None, k: Blocks | None) -> Blocks:
    if a is None or k is None:
        return _packed(own)
    return _packed(own) + _of_joints(times(a, k[..., :6, :]), k[..., 13, :, None])


def _ahead(behind: Callable[..., Blocks]) -> Callable[..., Blocks]:
    """`behind` for the span that is ahead, which stays as it is where nothing follows."""
    return lambda own, c, a, k: behind(own if c is None else c, a, k)


@kernel("{2}^-1 (b of {0} - {3} eta of {1}), corrected by {4}")
def still_few(b: Blocks, bias: Blocks, k: Blocks, c: Blocks, j: Blocks) -> Blocks:
    """k = K (b_x - C_x eta_y), and K times what is left of b_x - C_x eta_y - (1 + C_x J_y) k: b of a light
    link is large beside k, and K as a projection leaves its rounding, which factors of 1 + C J do not."""
    q, p, reciprocal = _parts(k)
    a, eta = b[..., :6], bias[..., 6:]
    pushed = apply(transposed(p), a) + apply(transposed(q), eta)
    first = a - apply(q, reciprocal[..., 0] * pushed)
    pushed = apply(transposed(c[..., :6, :]), apply(full(j), first) + eta)
    left = a - first - apply(c[..., :6, :], pushed / c[..., 6, :])
    corrected: Blocks = first + (left - apply(q, reciprocal[..., 0] * apply(transposed(p), left)))
    return corrected


few_behind = Kernel("few_behind", "[{0}, {1} {2}]", _joined_behind, runs_without_operands=True)
few_ahead = Kernel("few_ahead", "[{1}, {2} {3}] or {0}", _ahead(_joined_behind), runs_without_operands=True)
packed_behind = Kernel(
    "packed_behind", "{0} + {1} {2} {1}', packed", _packed_behind, runs_without_operands=True
)
packed_ahead = Kernel(
    "packed_ahead", "{1} + {2} {3} {2}' or {0}, packed", _ahead(_packed_behind), runs_without_operands=True
)


# --------------------------------------------------------------------------- between two spans
#
# The chain is cut at joint i, with links 1..i-1 inside and i..N outside. The inner span is known by C and b
# (27 words); link 1 has none inside, and the base does not move.


@kernel("{0} {1}", runs_without_operands=True)
def reach_from_tip(a: Blocks, k: Blocks | None = None) -> Blocks:
    """A_y K C_x, by which a force at the tip moves the cut, transposed."""
    return np.zeros((*a.shape[:-2], 6, 6), dtype=a.dtype) if k is None else moved(a, k)


@kernel("{2}^-1 ({1} - {3} eta of {0})", runs_without_operands=True)
def still_at_cut(
    bias: Blocks, b: Blocks | None = None, k: Blocks | None = None, c: Blocks | None = None
) -> Blocks:
    """k = K (b_x - C_x eta_y): a_{i-1}, were the tip free."""
    if b is None or k is None:
        return np.zeros((*bias.shape[:-1], 6), dtype=bias.dtype)
    return still.evaluate(b, bias, k, c)


@kernel("{0} - {3}^-1 {4} {1}' {2}", runs_without_operands=True)
def motion_at_cut(
    still: Blocks, a: Blocks, force: Blocks, k: Blocks | None = None, c: Blocks | None = None
) -> Blocks:
    """a_{i-1}; with A_y K C_x instead, made for Lambda^-1, an arm of few joints loses two digits."""
    if k is None or c is None:
        return still.copy()
    pushed = apply(full(c), apply(transposed(a), force))
    return still - solved(factors(k), pushed[..., None])[..., 0]


inertia_at_tip = Kernel(
    "inertia_at_tip", "{0} + {2} {1}'", lambda c, a, n: c + symmetric_product(transposed(n), transposed(a))
)
"""Lambda^-1, C of the whole chain."""
free_tip = Kernel("free_tip", "b of {0} + {1} {2}", lambda bias, a, k: apply(a, k) + bias[..., :6])
"""Vdot_0, b of the whole chain."""
wrench_at_cut = Kernel(
    "wrench_at_cut",
    "{0} {3} + {1}' {4} + eta of {2}",
    lambda j, a, bias, motion, force: apply(full(j), motion) + apply(transposed(a), force) + bias[..., 6:],
)
"""F_i, what link i-1 exerts on link i."""
