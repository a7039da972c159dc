"""A span of links as a two-port, and the star product of two of them.

Inside, the span has the acceleration a_l of the link before it, outside the wrench f_r that it exerts on what
follows, each in the frame of its link (frame i at O_i), six-vectors with the angular part first:

    f_l = J a_l + A' f_r + eta          a_r = A a_l - C f_r + b

J and C are symmetric and positive semidefinite, packed; b and eta are one value of 12 words. The product of a
span x and the span y that follows it, with K = (1 + C_x J_y)^-1:

    A = A_y K A_x        C = C_y + A_y K C_x A_y'        J = J_x + A_x' J_y K A_x
    b = A_y k + b_y      eta = eta_x + A_x' (J_y k + eta_y)      k = K (b_x - C_x eta_y)

A kernel has the own part of the span first, which stays as it is where there is no other span.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    decomposed,
    full,
    solved,
    solved_symmetric,
    symmetric_product,
    times,
    transposed,
)
from senn.machine.program import Kernel


def _close(c: Blocks, j: Blocks) -> Blocks:
    matrix = times(full(c), full(j))
    for k in range(6):
        matrix[..., k, k] = matrix[..., k, k] + 1.0
    lu = decomposed(matrix)
    return np.concatenate([lu.reshape(*c.shape[:-1], 42), solved_symmetric(lu, c)], axis=-1)


def factors(k: Blocks) -> Blocks:
    """The LU factors of 1 + C_x J_y."""
    return k[..., :42].reshape(*k.shape[:-1], 6, 7)


def moved(a: Blocks, k: Blocks) -> Blocks:
    """A_y (K C_x), whole."""
    return times(a, full(k[..., 42:]))


def _compliance(own: Blocks, a: Blocks | None, k: Blocks | None) -> Blocks:
    """C_y + A_y (K C_x) A_y'."""
    if a is None or k is None:
        return own.copy()
    return own + symmetric_product(transposed(moved(a, k)), transposed(a))


def _inertia(own: Blocks, a: Blocks, j: Blocks | None, k_a: Blocks | None) -> Blocks:
    """J_x + A_x' J_y (K A_x)."""
    if j is None or k_a is None:
        return own.copy()
    return own + symmetric_product(a, times(full(j), k_a))


def _still(b: Blocks, bias: Blocks, k: Blocks, c: Blocks) -> Blocks:
    gap = b[..., :6] - apply(full(c), bias[..., 6:])
    return solved(factors(k), gap[..., None])[..., 0]


def _free(outer: Blocks, a: Blocks, k: Blocks) -> Blocks:
    return apply(a, k) + outer[..., :6]


def _bias(inner: Blocks, outer: Blocks, a_x: Blocks, j: Blocks, a_y: Blocks, k: Blocks) -> Blocks:
    eta = inner[..., 6:] + apply(transposed(a_x), apply(full(j), k) + outer[..., 6:])
    return np.concatenate([_free(outer, a_y, k), eta], axis=-1)


close = Kernel("close", "K({0}, {1})", _close)
"""What K is known by, of C of the inner span and J of the outer one: the factors, and K C_x."""
through = Kernel("through", "{0}^-1 {1}", lambda k, a: solved(factors(k), a))
"""K A_x."""
chained_behind = Kernel("chained", "{0} {1}", times)
"""A of the own span behind another."""
chained_ahead = Kernel(
    "chained_ahead",
    "{1} {2} or {0}",
    lambda own, a, k_a: own.copy() if a is None or k_a is None else times(a, k_a),
)
"""A of the own span ahead of another."""
compliance_behind = Kernel("compliance_behind", "{0} + {1} {2} {1}'", _compliance)
compliance_ahead = Kernel(
    "compliance_ahead",
    "{1} + {2} {3} {2}' or {0}",
    lambda own, c, a, k: own.copy() if c is None else _compliance(c, a, k),
)
inertia_behind = Kernel("inertia_behind", "{0} + {1}' {2} {3}", _inertia)
inertia_ahead = Kernel("inertia_ahead", "{0} + {1}' {2} {3}", _inertia)
still = Kernel("still", "{2}^-1 (b of {0} - {3} eta of {1})", _still)
"""k = K (b_x - C_x eta_y); with K C_x, which is known, K b_x - K C_x eta_y would lose two digits."""


def _bias_behind(
    own: Blocks, a_y: Blocks | None, k: Blocks | None, before: Blocks, j: Blocks, a_x: Blocks | None
) -> Blocks:
    if a_y is None or k is None:
        return own.copy()
    if a_x is None:
        return np.concatenate([_free(own, a_y, k), own[..., 6:]], axis=-1)
    return _bias(before, own, a_x, j, a_y, k)


bias_behind = Kernel("bias_behind", "(b, eta) of {3} * {0} by {2}", _bias_behind)
bias_ahead = Kernel(
    "bias_ahead",
    "(b, eta) of {0} * {1} by {5}",
    lambda own, after, a_x, j, a_y, k: (
        own.copy() if after is None or k is None else _bias(own, after, a_x, j, a_y, k)
    ),
)
from_base = Kernel("from_base", "b of {0}", lambda x: x[..., :6].copy())
"""What there is to know of (b, eta) of a span that begins at the base."""
free_behind = Kernel(
    "free_behind",
    "b of {0} behind {2}",
    lambda own, a, k: own[..., :6].copy() if a is None or k is None else _free(own, a, k),
    alone=True,
)
"""b of the product where the first span begins at the base."""
