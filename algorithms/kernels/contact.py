"""Kernels of the contact (Step III), which process N alone executes: at most six equations.

W is 6 x n_c, H is 6 x n_f, n_c + n_f = 6 (Fijany III.B); Type I ends in a symmetric system, the others do
not.
"""

from __future__ import annotations

from functools import cache

from senn.algorithms.blocks import (
    Blocks,
    apply,
    factor,
    full,
    pivoted,
    substitute,
    symmetric_product,
    times,
    transposed,
)
from senn.machine.program import Kernel, Operations

# ------------------------------------------------------------------------------- Type I


@cache
def constraint_force(constrained: int, free: int) -> Kernel:
    """K_C of Eq. (29): (W' Lambda^-1 W) K_C = W' (Vdot_0 - Lambda^-1 H K_F) - G_C.

    W is 6 x constrained and H is 6 x free, with free = 6 - constrained; H and K_F are operands if free > 0.
    """
    c, f = constrained, free

    def evaluate(
        inverse: Blocks,
        acceleration: Blocks,
        w: Blocks,
        g_c: Blocks,
        h: Blocks | None = None,
        k_f: Blocks | None = None,
    ) -> Blocks:
        inverse = full(inverse)
        matrix = symmetric_product(w, times(inverse, w))
        if h is not None and k_f is not None:
            acceleration = acceleration - apply(inverse, apply(h, k_f))
        right = apply(transposed(w), acceleration) - g_c
        return substitute(factor(matrix), right[..., None])[..., 0]

    entries, below = c * (c + 1) // 2, c * (c - 1) // 2
    products = sum(k * (k + 1) // 2 for k in range(c))  # of the elimination, below and right of each pivot
    matrix = Operations(36 * c + 6 * entries, 30 * c + 5 * entries)
    force = Operations(6 * f + 36, 6 * (f - 1) + 36) if f else Operations()
    right = Operations(6 * c, 5 * c + c)
    elimination = Operations(below + products, products, c)
    substitution = Operations(c * c, c * (c - 1))
    count = matrix + force + right + elimination + substitution
    return Kernel("constraint_force", "K_C of (29) from {0}, {1}", evaluate, count)


@cache
def contact_force(constrained: int, free: int) -> Kernel:
    """F_{N+1} = H K_F + W K_C, Eq. (24); H and K_F are operands if free > 0."""
    c, f = constrained, free

    def evaluate(w: Blocks, k_c: Blocks, h: Blocks | None = None, k_f: Blocks | None = None) -> Blocks:
        bound = apply(w, k_c)
        return bound if h is None or k_f is None else bound + apply(h, k_f)

    both = Operations(6 * c, 6 * (c - 1)) + Operations(6 * f, 6 * f)
    return Kernel("contact_force", "{2} {3} + {0} {1}" if f else "{0} {1}", evaluate, both)


given_force = Kernel("given_force", "{0} {1}", apply, Operations(36, 30))
"""F_{N+1} = H K_F of an end effector that nothing constrains (n_c = 0)."""

# ------------------------------------------------------------------- Type II, and general


def _pivoted_count(size: int) -> Operations:
    """Of `blocks.pivoted`."""
    k = size
    return Operations((k**3 + 3 * k**2 - k) // 3, (2 * k**3 + 3 * k**2 - 5 * k) // 6, k)


@cache
def oblique_force(constrained: int, free: int) -> Kernel:
    """K_C of a Type II contact: W' Lambda^-1 (H phi + W) K_C = W' (Vdot_0 - Lambda^-1 H d) - G_C.

    The matrix is not symmetric. W is 6 x constrained, H 6 x free, phi free x constrained.
    """
    c, f = constrained, free

    def evaluate(
        inverse: Blocks, acceleration: Blocks, w: Blocks, g_c: Blocks, h: Blocks, phi: Blocks, d: Blocks
    ) -> Blocks:
        inverse, across = full(inverse), transposed(w)
        matrix = times(across, times(inverse, times(h, phi) + w))
        right = apply(across, acceleration - apply(inverse, apply(h, d))) - g_c
        return pivoted(matrix, right)

    bearing = Operations(6 * f * c, 6 * f * c)
    matrix = Operations(36 * c + 6 * c * c, 30 * c + 5 * c * c)
    force = Operations(6 * f + 36, 6 * (f - 1) + 36)
    right = Operations(6 * c, 5 * c + c)
    count = bearing + matrix + force + right + _pivoted_count(c)
    return Kernel("oblique_force", "K_C of {0}, {1}, phi = {5}", evaluate, count)


@cache
def coupled_force(constrained: int, free: int) -> Kernel:
    """K_F = phi K_C + d, Eq. (25)."""
    c, f = constrained, free

    def evaluate(phi: Blocks, k_c: Blocks, d: Blocks) -> Blocks:
        return apply(phi, k_c) + d

    return Kernel("coupled_force", "{0} {1} + {2}", evaluate, Operations(f * c, f * c))


def _unknowns(
    inverse: Blocks, acceleration: Blocks, m1: Blocks, k1: Blocks, m2: Blocks, k2: Blocks
) -> Blocks:
    inverse = full(inverse)
    return pivoted(times(inverse, m2) + m1, acceleration - (k1 + apply(inverse, k2)))


unknowns = Kernel(
    "unknowns",
    "({0} {4} + {2})^-1 ({1} - ({3} + {0} {5}))",
    _unknowns,
    Operations(216 + 36, 180 + 36 + 30 + 6 + 6) + _pivoted_count(6),
)
"""Omega of the general contact, Eq. (39)."""

general_force = Kernel(
    "general_force", "{0} {1} + {2}", lambda m2, omega, k2: apply(m2, omega) + k2, Operations(36, 36)
)
"""F_{N+1} = M2 Omega + k2, Eq. (38)."""
