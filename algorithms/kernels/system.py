"""Kernels of the elimination, of the sweeps and of solutions with A (Steps I.b, I.c, II.c), and residuals.

A kernel is a local operation of one process; it evaluates over leading axes, one block per process, and
declares how many operations it executes (a test runs every kernel on counting scalars). Blocks are square,
of any one size (5x5 for joints of one degree of freedom); symmetric ones are packed
(`senn.algorithms.blocks`). Where a kernel takes right-hand sides, `columns` is their number; None means one,
as a plain vector.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    as_given,
    columns_of,
    factor,
    full,
    substitute,
    symmetric_product,
    times,
    transposed,
)
from senn.machine.program import Expression, Kernel, Operand, Value

# ------------------------------------------------------------------- solutions with A


@cache
def solve_columns(columns: int | None = None) -> Kernel:
    """A^-1 psi from the factor of A, for psi (s,) or (s, columns)."""

    def evaluate(ldl: Blocks, psi: Blocks) -> Blocks:
        return as_given(substitute(ldl, columns_of(psi, columns)), columns)

    return Kernel("solve_columns", "{0}^-1 {1}", evaluate)


@cache
def transposed_times(columns: int | None = None, sign: int = 1) -> Kernel:
    """+-X' psi for psi (s,) or (s, columns): what the sweep of Eq. (92) sends."""

    def evaluate(x: Blocks, psi: Blocks) -> Blocks:
        y = as_given(times(transposed(x), columns_of(psi, columns)), columns)
        return -y if sign < 0 else y

    form = ("-" if sign < 0 else "") + "{0}' {1}"
    return Kernel("transposed_times", form, evaluate)


negative_transposed_product = Kernel(
    "negative_transposed_product",
    "-{0}' {1}",
    lambda x, y: -times(transposed(x), y),
)
"""B_i^j of Eq. (91) by the owner of the row."""


def residual(columns: int | None = None) -> Callable[..., Expression]:
    """rhs - A phi - B phi_{i+1} - L' phi_{i-1}: the residual of one block row, with the blocks of level 0.

    To be applied to A, phi, rhs, B, phi_{i+1}, L, phi_{i-1}. A block B or L is absent together with the phi
    it multiplies. rhs is required, or optional (then absent is zero); this decides which operands are
    optional, and so how they are counted.
    """

    def apply(a: Value, phi: Value, rhs: Operand, *row: Operand) -> Expression:
        return _residual(columns, rhs.absent is not None)(a, phi, rhs, *row)

    return apply


@cache
def _residual(columns: int | None, optional: bool) -> Kernel:

    def evaluate(
        a: Blocks,
        phi: Blocks,
        rhs: Blocks | None,
        upper: Blocks | None,
        after: Blocks | None,
        lower: Blocks | None,
        before: Blocks | None,
    ) -> Blocks:
        y = times(full(a), columns_of(phi, columns))
        y = -y if rhs is None else columns_of(rhs, columns) - y
        if upper is not None and after is not None:
            y = y - times(upper, columns_of(after, columns))
        if lower is not None and before is not None:
            y = y - times(transposed(lower), columns_of(before, columns))
        return as_given(y, columns)

    return Kernel(
        "residual",
        "{2} - {0} {1} - {3} {4} - {5}' {6}",
        evaluate,
        alone=True,
    )


# ------------------------------------------------------------------ the way back of odd-even reduction


@cache
def minus_products(columns: int | None = None, *, alone: bool = False) -> Kernel:
    """y - C phi_{i+h} - F phi_{i-h}, applied to C, phi_{i+h}, F, phi_{i-h}, y; `alone`: without y.

    F is absent together with the phi it multiplies.
    """

    def evaluate(
        c: Blocks, after: Blocks, f: Blocks | None, before: Blocks | None, y: Blocks | None = None
    ) -> Blocks:
        return as_given(_less_products(c, after, f, before, y, columns), columns)

    return Kernel(
        "minus_products",
        "-{0} {1} - {2} {3}" if alone else "{4} - {0} {1} - {2} {3}",
        evaluate,
        alone=True,
    )


@cache
def row_solution(columns: int | None = None, *, alone: bool = False) -> Kernel:
    """A^-1 (psi - B phi_{i+h} - L' phi_{i-h}), applied to the factor of A, B, phi_{i+h}, L, phi_{i-h}, psi;
    `alone`: without psi.

    L is absent together with the phi it multiplies.
    """

    def evaluate(
        ldl: Blocks,
        b: Blocks,
        after: Blocks,
        lower: Blocks | None,
        before: Blocks | None,
        psi: Blocks | None = None,
    ) -> Blocks:
        left = None if lower is None else transposed(lower)
        return as_given(substitute(ldl, _less_products(b, after, left, before, psi, columns)), columns)

    return Kernel(
        "row_solution",
        "{0}^-1 (-{1} {2} - {3}' {4})" if alone else "{0}^-1 ({5} - {1} {2} - {3}' {4})",
        evaluate,
        alone=True,
    )


def _less_products(
    c: Blocks, after: Blocks, f: Blocks | None, before: Blocks | None, y: Blocks | None, columns: int | None
) -> Blocks:
    """y - c after - f before, as columns; what is None is zero."""
    product = times(c, columns_of(after, columns))
    x = -product if y is None else columns_of(y, columns) - product
    if f is not None and before is not None:
        x = x - times(f, columns_of(before, columns))
    return x


# ------------------------------------------------------------------ Step I.b, Eqs. (90)-(91)


ldl = Kernel("ldl", "ldl({0})", factor)
solve = Kernel("solve", "{0}^-1 {1}", substitute)
solve_transposed = Kernel("solve_transposed", "{0}^-1 {1}'", lambda a, b: substitute(a, transposed(b)))
transposed_product = Kernel("transposed_product", "{0}' {1}", symmetric_product)
product = Kernel("product", "{0} {1}", lambda x, y: symmetric_product(transposed(x), y))
negative_product = Kernel("negative_product", "-{0} {1}", lambda x, y: -times(x, y))

# ------------------------------------------------------------------ Step I.c, Eqs. (82)-(83)

theta = Kernel(
    "theta",
    "{1}' {0}^-1 {1}",
    lambda a, e: symmetric_product(e, substitute(a, e)),
)
inner_product = Kernel("inner_product", "{0}' {1}", symmetric_product)
"""E' Omega, 6x6, packed: Theta where Omega is there already."""


@cache
def column(number: int) -> Kernel:
    """Column `number` (from 1) of a block: a choice of words, no operation."""

    def evaluate(x: Blocks) -> Blocks:
        return x[..., number - 1].copy()

    return Kernel(f"column.{number}", f"column {number} of {{0}}", evaluate)


def _inner_product_of_columns(e: Blocks, *columns: Blocks) -> Blocks:
    return symmetric_product(e, np.stack(columns, axis=-1))


inner_product_of_columns = Kernel(
    "inner_product_of_columns",
    "{0}' [{1} {2} {3} {4} {5} {6}]",
    _inner_product_of_columns,
)
"""The same where each column of Omega comes from an array of its own."""
