"""Kernels of process N alone: the operational space, R_N and products with one vector; and the contact."""

from __future__ import annotations

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.machine.program import Kernel, kernel, kernel_family

LESS_REACTION = Kernel(
    "less_reaction",
    "{0} {1} - {2}' {3}",
    lambda own, x, side, solved: apply(full(own), x) - apply(transposed(side), solved),
)
"""D x - E_N' phi_N."""
PLUS_REACTION = Kernel(
    "plus_reaction",
    "{0} {1} + {2}' {3}",
    lambda own, x, side, solved: apply(full(own), x) + apply(transposed(side), solved),
)
"""S x + R_N' phi_N."""


# ----------------------------------------------------------------- contact (Step III): Type I
#
# At most six equations. W is 6 x n_c, H is 6 x n_f, n_c + n_f = 6 (Fijany III.B); Type I ends in a symmetric
# system, the others do not.


@kernel("K_C of (29) from {0}, {1}")
def constraint_force(inverse: Blocks, acceleration: Blocks, w: Blocks, g_c: Blocks, *given: Blocks) -> Blocks:
    """K_C of Eq. (29): (W' Lambda^-1 W) K_C = W' (Vdot_0 - Lambda^-1 H K_F) - G_C; H and K_F are `given`
    unless all six directions are constrained."""
    inverse = full(inverse)
    matrix = symmetric_product(w, times(inverse, w))
    if given:
        acceleration = acceleration - apply(inverse, apply(*given))
    right = apply(transposed(w), acceleration) - g_c
    return substitute(factor(matrix), right[..., None])[..., 0]


@kernel_family(lambda free: "{2} {3} + {0} {1}" if free else "{0} {1}")
def contact_force(w: Blocks, k_c: Blocks, *given: Blocks, free: int) -> Blocks:
    """F_{N+1} = H K_F + W K_C, Eq. (24); H and K_F are `given` if free > 0."""
    bound = apply(w, k_c)
    return bound + apply(*given) if free else bound


# ------------------------------------------------------------------- Type II, and general


@kernel("K_C of {0}, {1}, phi = {5}")
def oblique_force(
    inverse: Blocks, acceleration: Blocks, w: Blocks, g_c: Blocks, h: Blocks, phi: Blocks, d: Blocks
) -> Blocks:
    """K_C of a Type II contact: W' Lambda^-1 (H phi + W) K_C = W' (Vdot_0 - Lambda^-1 H d) - G_C; the matrix
    is not symmetric, phi is n_f x n_c."""
    inverse, across = full(inverse), transposed(w)
    matrix = times(across, times(inverse, times(h, phi) + w))
    right = apply(across, acceleration - apply(inverse, apply(h, d))) - g_c
    return pivoted(matrix, right)


@kernel("({0} {4} + {2})^-1 ({1} - ({3} + {0} {5}))")
def unknowns(inverse: Blocks, acceleration: Blocks, m1: Blocks, k1: Blocks, m2: Blocks, k2: Blocks) -> Blocks:
    """Omega of the general contact, Eq. (39)."""
    inverse = full(inverse)
    return pivoted(times(inverse, m2) + m1, acceleration - (k1 + apply(inverse, k2)))


general_force = Kernel("general_force", "{0} {1} + {2}", lambda m2, omega, k2: apply(m2, omega) + k2)
"""F_{N+1} = M2 Omega + k2, Eq. (38), and K_F = phi K_C + d, Eq. (25)."""
