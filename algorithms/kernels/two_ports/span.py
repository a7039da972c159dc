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
    symmetric_product,
    times,
    transposed,
)
from senn.machine.program import Kernel, Operations


def closed(c: Blocks, j: Blocks) -> Blocks:
    """The factors of 1 + C J: 286 multiplications, 241 additions, 6 divisions."""
    matrix = times(full(c), full(j))
    for k in range(6):
        matrix[..., k, k] = matrix[..., k, k] + 1.0
    return decomposed(matrix)


def _compliance(own: Blocks, a: Blocks | None, k_c: Blocks | None) -> Blocks:
    """C_y + A_y (K C_x) A_y'."""
    return (
        own.copy()
        if a is None or k_c is None
        else own + symmetric_product(transposed(times(a, k_c)), transposed(a))
    )


def _inertia(own: Blocks, a: Blocks, j: Blocks | None, k_a: Blocks | None) -> Blocks:
    """J_x + A_x' J_y (K A_x)."""
    if j is None or k_a is None:
        return own.copy()
    return own + symmetric_product(a, times(full(j), k_a))


def _gap(inner: Blocks, c: Blocks, outer: Blocks) -> Blocks:
    return inner[..., :6] - apply(full(c), outer[..., 6:])


def _bias(inner: Blocks, outer: Blocks, lu: Blocks, c: Blocks, j: Blocks, a_x: Blocks, a_y: Blocks) -> Blocks:
    k = solved(lu, _gap(inner, c, outer)[..., None])[..., 0]
    b = apply(a_y, k) + outer[..., :6]
    eta = inner[..., 6:] + apply(transposed(a_x), apply(full(j), k) + outer[..., 6:])
    return np.concatenate([b, eta], axis=-1)


def _free(outer: Blocks, before: Blocks, lu: Blocks, c: Blocks, a: Blocks) -> Blocks:
    return apply(a, solved(lu, _gap(before, c, outer)[..., None])[..., 0]) + outer[..., :6]


close = Kernel("close", "lu(1 + {0} {1})", closed, Operations(286, 241, 6))
"""C of the inner span and J of the outer one, closed on each other."""
through = Kernel("through", "{0}^-1 {1}", solved, Operations(216, 180))
"""K A_x."""
through_packed = Kernel(
    "through_packed", "{0}^-1 {1}", lambda lu, c: solved(lu, full(c)), Operations(216, 180)
)
"""K C_x."""
chained_behind = Kernel("chained", "{0} {1}", times, Operations(216, 180))
"""A of the own span behind another."""
chained_ahead = Kernel(
    "chained_ahead",
    "{1} {2} or {0}",
    lambda own, a, k_a: own.copy() if a is None or k_a is None else times(a, k_a),
    Operations(),
    (Operations(216, 180), Operations()),
)
"""A of the own span ahead of another."""
compliance_behind = Kernel(
    "compliance_behind", "{0} + {1} {2} {1}'", _compliance, Operations(), (Operations(), Operations(342, 306))
)
compliance_ahead = Kernel(
    "compliance_ahead",
    "{1} + {2} {3} {2}' or {0}",
    lambda own, c, a, k_c: own.copy() if c is None or a is None else _compliance(c, a, k_c),
    Operations(),
    (Operations(342, 306), Operations(), Operations()),
)
inertia_behind = Kernel("inertia_behind", "{0} + {1}' {2} {3}", _inertia, Operations(342, 306))
inertia_ahead = Kernel(
    "inertia_ahead", "{0} + {1}' {2} {3}", _inertia, Operations(), (Operations(342, 306), Operations())
)
_BIAS = (Operations(180, 174), *[Operations()] * 4)


def _bias_behind(
    own: Blocks,
    before: Blocks | None,
    lu: Blocks,
    c: Blocks,
    a_y: Blocks,
    j: Blocks,
    a_x: Blocks | None,
) -> Blocks:
    if before is None:
        return own.copy()
    if a_x is None:
        return np.concatenate([_free(own, before, lu, c, a_y), own[..., 6:]], axis=-1)
    return _bias(before, own, lu, c, j, a_x, a_y)


bias_behind = Kernel(
    "bias_behind",
    "(b, eta) of {1} * {0}",
    _bias_behind,
    Operations(),
    (Operations(108, 102), *[Operations()] * 4, Operations(72, 72)),
)
bias_ahead = Kernel(
    "bias_ahead",
    "(b, eta) of {0} * {1}",
    lambda own, after, lu, c, j, a_x, a_y: (
        own.copy() if after is None else _bias(own, after, lu, c, j, a_x, a_y)
    ),
    Operations(),
    _BIAS,
)
from_base = Kernel("from_base", "b of {0}", lambda x: x[..., :6].copy(), Operations())
"""What there is to know of (b, eta) of a span that begins at the base."""
free_behind = Kernel(
    "free_behind",
    "b of {1} * {0}",
    lambda own, before, lu, c, a: own[..., :6].copy() if before is None else _free(own, before, lu, c, a),
    Operations(),
    (Operations(108, 102), *[Operations()] * 3),
    alone=True,
)
"""b of the product where the first span begins at the base."""
