"""Between two spans: where the chain is cut at joint i, with links 1..i-1 inside and i..N outside.

The inner span is known by C and b (27 words); link 1 has none inside, and the base does not move.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, solved, symmetric_product, transposed
from senn.algorithms.kernels.two_ports import span
from senn.machine.program import Kernel


def _reach(a: Blocks, k: Blocks | None = None) -> Blocks:
    return np.zeros((*a.shape[:-2], 6, 6), dtype=a.dtype) if k is None else span.moved(a, k)


def _still(bias: Blocks, b: Blocks | None = None, k: Blocks | None = None, c: Blocks | None = None) -> Blocks:
    if b is None or k is None:
        return np.zeros((*bias.shape[:-1], 6), dtype=bias.dtype)
    found: Blocks = span.still.evaluate(b, bias, k, c)
    return found


def _motion(
    still: Blocks, a: Blocks, force: Blocks, k: Blocks | None = None, c: Blocks | None = None
) -> Blocks:
    if k is None or c is None:
        return still.copy()
    pushed = apply(full(c), apply(transposed(a), force))
    return still - solved(span.factors(k), pushed[..., None])[..., 0]


reach = Kernel("reach_from_tip", "{0} {1}", _reach, alone=True)
"""A_y K C_x, by which a force at the tip moves the cut, transposed."""
still = Kernel("still_at_cut", "{2}^-1 ({1} - {3} eta of {0})", _still, alone=True)
"""k = K (b_x - C_x eta_y): a_{i-1}, were the tip free."""
inertia = Kernel(
    "inertia_at_tip", "{0} + {2} {1}'", lambda c, a, n: c + symmetric_product(transposed(n), transposed(a))
)
"""Lambda^-1, C of the whole chain."""
free = Kernel("free_tip", "b of {0} + {1} {2}", lambda bias, a, k: apply(a, k) + bias[..., :6])
"""Vdot_0, b of the whole chain."""
motion = Kernel("motion_at_cut", "{0} - {3}^-1 {4} {1}' {2}", _motion, alone=True)
"""a_{i-1}; with A_y K C_x instead, made for Lambda^-1, an arm of few joints loses two digits."""
wrench = Kernel(
    "wrench_at_cut",
    "{0} {3} + {1}' {4} + eta of {2}",
    lambda j, a, bias, motion, force: apply(full(j), motion) + apply(transposed(a), force) + bias[..., 6:],
)
"""F_i, what link i-1 exerts on link i."""
