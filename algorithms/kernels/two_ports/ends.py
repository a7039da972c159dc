"""Between two spans: where the chain is cut at joint i, with links 1..i-1 inside and i..N outside.

The inner span is known by C and b (27 words); link 1 has none inside, and the base does not move.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, solved, symmetric_product, times, transposed
from senn.machine.program import Kernel, Operations


def _reach(a: Blocks, c: Blocks | None = None, lu: Blocks | None = None) -> Blocks:
    if c is None or lu is None:
        return np.zeros((*a.shape[:-2], 6, 6), dtype=a.dtype)
    return solved(lu, times(full(c), transposed(a)))


def _still(
    bias: Blocks, b: Blocks | None = None, c: Blocks | None = None, lu: Blocks | None = None
) -> Blocks:
    if b is None or c is None or lu is None:
        return np.zeros((*bias.shape[:-1], 6), dtype=bias.dtype)
    return solved(lu, (b - apply(full(c), bias[..., 6:]))[..., None])[..., 0]


reach = Kernel(
    "reach_from_tip",
    "{2}^-1 {1} {0}'",
    _reach,
    Operations(),
    (Operations(432, 360), Operations()),
    alone=True,
)
"""N = K C_x A_y': a force F at the tip moves the cut by -N F."""
still = Kernel(
    "still",
    "{3}^-1 ({1} - {2} eta of {0})",
    _still,
    Operations(),
    (Operations(72, 66), Operations(), Operations()),
    alone=True,
)
"""k = K (b_x - C_x eta_y): a_{i-1}, were the tip free."""
inertia = Kernel(
    "inertia_at_tip",
    "{0} + {1} {2}",
    lambda c, a, n: c + symmetric_product(transposed(a), n),
    Operations(126, 126),
)
"""Lambda^-1, C of the whole chain."""
free = Kernel(
    "free_tip", "b of {0} + {1} {2}", lambda bias, a, k: apply(a, k) + bias[..., :6], Operations(36, 36)
)
"""Vdot_0, b of the whole chain."""
motion = Kernel("motion_at_cut", "{0} - {1} {2}", lambda k, n, force: k - apply(n, force), Operations(36, 36))
"""a_{i-1}."""
wrench = Kernel(
    "wrench_at_cut",
    "{0} {3} + {1}' {4} + eta of {2}",
    lambda j, a, bias, motion, force: apply(full(j), motion) + apply(transposed(a), force) + bias[..., 6:],
    Operations(72, 72),
)
"""F_i, what link i-1 exerts on link i."""
