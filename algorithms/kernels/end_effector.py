"""Kernels of the operational space at process N: R_N, and products with one vector."""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, full, transposed
from senn.algorithms.spatial import COMPLEMENT_ROWS
from senn.machine.program import Kernel

BEFORE_ALONE = Kernel("before_alone", "W' {1} W", lambda inertia, before: before.copy())
"""A_N less what link N adds, in place of `link_kernels.DIAGONAL`; restricted to W_N already."""


@cache
def reach(joint: str) -> Kernel:
    """R_N = W_N' C6(N,N+1) P^_N^-1': rows of [C 0; C P~ C], a row of C P~ being that row x P."""
    kept = COMPLEMENT_ROWS[joint]
    lower = [row - 3 for row in kept if row >= 3]

    def evaluate(c: Blocks, p: Blocks) -> Blocks:
        rows = np.concatenate([c, np.zeros_like(c)], axis=-1)[..., [row for row in kept if row < 3], :]
        turned = c[..., lower, :]
        below = np.concatenate([cross(turned, p[..., None, :]), turned], axis=-1)
        return np.concatenate([rows, below], axis=-2)

    form = "W' C6 P^^-1' from {0}, {1}"
    return Kernel(f"reach.{joint}", form, evaluate)


REACH_OF = Kernel("reach_of", "{0} {1}", apply)
"""E_N x or R_N x."""


def _reaction(side: Blocks, solved: Blocks) -> Blocks:
    return apply(transposed(side), solved)


LESS_REACTION = Kernel(
    "less_reaction",
    "{0} {1} - {2}' {3}",
    lambda own, x, side, solved: apply(full(own), x) - _reaction(side, solved),
)
"""D x - E_N' phi_N."""
PLUS_REACTION = Kernel(
    "plus_reaction",
    "{0} {1} + {2}' {3}",
    lambda own, x, side, solved: apply(full(own), x) + _reaction(side, solved),
)
"""S x + R_N' phi_N."""
