"""Kernels of the elimination, of the sweeps and of solutions with A (Steps I.b, I.c, II.c), and residuals.

A kernel is a local operation of one process; it is evaluated for all processes at once, along its leading
axis. Blocks are square, of any one size (5x5 for joints of one degree of freedom); symmetric ones are packed
(`senn.algorithms.blocks`). A right-hand side psi or phi is one vector, or several as columns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.machine.program import Kernel, kernel, kernel_family

# ------------------------------------------------------------------ Step I.b, Eqs. (90)-(91)


def _of_columns(name: str, form: str, evaluate: Callable[[Blocks, Blocks], Blocks]) -> Kernel:
    """A kernel of a block and of right-hand sides, one or several."""
    return Kernel(name, form, lambda x, psi: as_given(evaluate(x, columns_of(psi)), psi))


ldl = Kernel("ldl", "ldl({0})", factor)
solve = _of_columns("solve", "{0}^-1 {1}", substitute)
"""A^-1 psi from the factor of A."""
solve_transposed = Kernel("solve_transposed", "{0}^-1 {1}'", lambda a, b: substitute(a, transposed(b)))
transposed_product = Kernel("transposed_product", "{0}' {1}", symmetric_product)
product = Kernel("product", "{0} {1}", lambda x, y: symmetric_product(transposed(x), y))
negative_product = Kernel("negative_product", "-{0} {1}", lambda x, y: -times(x, y))

# ------------------------------------------------------------------ the sweep, Eq. (92)


transposed_times = _of_columns("transposed_times", "{0}' {1}", lambda x, psi: times(transposed(x), psi))
"""X' psi: what the sweep sends."""
negative_transposed_times = _of_columns(
    "negative_transposed_times", "-{0}' {1}", lambda x, psi: -times(transposed(x), psi)
)
"""-X' psi; also B_i^j of Eq. (91) by the owner of the row."""

# ------------------------------------------------------------------ the way back of odd-even reduction


@kernel_family(
    lambda lone: "-{0} {1} - {2} {3}" if lone else "{4} - {0} {1} - {2} {3}", runs_without_operands=True
)
def minus_products(
    c: Blocks, after: Blocks, f: Blocks | None, before: Blocks | None, *y: Blocks, lone: bool
) -> Blocks:
    """y - C phi_{i+h} - F phi_{i-h}, applied to C, phi_{i+h}, F, phi_{i-h}, y; `lone`: without y.

    F is absent together with the phi it multiplies.
    """
    product = times(c, columns_of(after))
    x = -product if lone else columns_of(*y) - product
    if f is not None and before is not None:
        x = x - times(f, columns_of(before))
    return as_given(x, after)


@kernel_family(
    lambda lone: "{0}^-1 (-{1} {2} - {3}' {4})" if lone else "{0}^-1 ({5} - {1} {2} - {3}' {4})",
    runs_without_operands=True,
)
def row_solution(
    ldl: Blocks, b: Blocks, after: Blocks, lower: Blocks | None, *before: Blocks | None, lone: bool
) -> Blocks:
    """A^-1 (psi - B phi_{i+h} - L' phi_{i-h}), applied to the factor of A, B, phi_{i+h}, L, phi_{i-h}, psi;
    `lone`: without psi.

    L is absent together with the phi it multiplies.
    """
    left = None if lower is None else transposed(lower)
    x = columns_of(minus_products(lone).evaluate(b, after, left, *before))
    return as_given(substitute(ldl, x), after)


# ------------------------------------------------------------------ Step I.c, Eqs. (82)-(83)

theta = Kernel("theta", "{1}' {0}^-1 {1}", lambda a, e: symmetric_product(e, substitute(a, e)))


@kernel_family(lambda number: f"column {number} of {{0}}")
def column(x: Blocks, *, number: int) -> Blocks:
    """Column `number` (from 1) of a block: a choice of words, no operation."""
    return x[..., number - 1].copy()


@kernel("{0}' [{1} {2} {3} {4} {5} {6}]")
def inner_product_of_columns(e: Blocks, *columns: Blocks) -> Blocks:
    """E' Omega, 6x6, packed: Theta, where each column of Omega comes from an array of its own."""
    return symmetric_product(e, np.stack(columns, axis=-1))
