"""Local block operations of the schedule, each with its operation count (per process).

Every kernel works over leading axes, one block per process. A symmetric block is packed: its lower
triangle row by row, 15 words for 5x5 and 21 for 6x6. Sums are explicit products and additions, element by
element, in a fixed order: no library may reorder them, so results are the same bits on every machine, and
the declared counts are those of the operations really executed (a test runs every kernel on counting
scalars). Changing a sign is free.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Kernel, Operations

Blocks = NDArray[Any]

# ------------------------------------------------------------ packed symmetric blocks


@cache
def triangle(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the lower triangle, row by row: the order in which symmetric blocks are packed."""
    rows, columns = np.tril_indices(size)
    return rows, columns


def at(row: int, column: int) -> int:
    """Position of an entry of a symmetric block in its packed form."""
    row, column = max(row, column), min(row, column)
    return row * (row + 1) // 2 + column


def restricted(packed: Blocks, kept: tuple[int, ...]) -> Blocks:
    """The symmetric sub-block of the given rows and columns, packed."""
    rows, columns = triangle(len(kept))
    return packed[..., [at(kept[r], kept[c]) for r, c in zip(rows, columns, strict=True)]]


def symmetric_times(packed: Blocks, size: int, x: Blocks) -> Blocks:
    """S X for a packed S and X (..., size, r): size^2 r multiplications, size (size - 1) r additions."""
    full = packed[..., [[at(r, c) for c in range(size)] for r in range(size)]]
    return times(full, x)


def times(x: Blocks, y: Blocks) -> Blocks:
    """X Y for blocks (..., p, q) and (..., q, r): pqr multiplications, p(q-1)r additions."""
    total = x[..., :, 0, None] * y[..., None, 0, :]
    for k in range(1, x.shape[-1]):
        total = total + x[..., :, k, None] * y[..., None, k, :]
    return total


def symmetric_product(x: Blocks, y: Blocks) -> Blocks:
    """X' Y, known to be symmetric, packed: q (q + 1) / 2 entries of p multiplications for (..., p, q)."""
    rows, columns = triangle(x.shape[-1])
    total = x[..., 0, rows] * y[..., 0, columns]
    for k in range(1, x.shape[-2]):
        total = total + x[..., k, rows] * y[..., k, columns]
    return total


def transposed(x: Blocks) -> Blocks:
    return np.swapaxes(x, -1, -2)


def columns_of(x: Blocks, vector: bool) -> Blocks:
    """Right-hand sides as columns (..., m, r); a vector is one column."""
    return x[..., None] if vector else x


# ---------------------------------------------------------------------- LDL^T


def factor(packed: Blocks, size: int) -> Blocks:
    """The scalar LDL^T factor of an SPD block: L below the diagonal, the reciprocals of D on it, packed."""
    a = packed.copy()
    for k in range(size):
        below = range(k + 1, size)
        reciprocal = 1.0 / a[..., at(k, k)]
        unscaled = [a[..., at(r, k)].copy() for r in below]
        a[..., at(k, k)] = reciprocal
        for r in below:
            a[..., at(r, k)] = a[..., at(r, k)] * reciprocal
        for r in below:
            for c in range(k + 1, r + 1):
                a[..., at(r, c)] = a[..., at(r, c)] - a[..., at(r, k)] * unscaled[c - k - 1]
    return a


def substitute(ldl: Blocks, size: int, x: Blocks) -> Blocks:
    """A^-1 X from the factor of A, for X (..., size, r)."""
    y = x.copy()
    for k in range(size):
        for r in range(k + 1, size):
            y[..., r, :] = y[..., r, :] - ldl[..., at(r, k), None] * y[..., k, :]
    for k in range(size):
        y[..., k, :] = y[..., k, :] * ldl[..., at(k, k), None]
    for k in reversed(range(size)):
        for r in range(k):
            y[..., r, :] = y[..., r, :] - ldl[..., at(k, r), None] * y[..., k, :]
    return y


# -------------------------------------------------- kernels of Step I.b and of the sweeps

ldl = Kernel("ldl", "ldl({0})", lambda a: factor(a, 5), Operations(30, 20, 5))
solve = Kernel("solve", "{0}^-1 {1}", lambda a, b: substitute(a, 5, b), Operations(125, 100))
solve_transposed = Kernel(
    "solve_transposed", "{0}^-1 {1}'", lambda a, b: substitute(a, 5, transposed(b)), Operations(125, 100)
)
transposed_product = Kernel("transposed_product", "{0}' {1}", symmetric_product, Operations(75, 60))
product = Kernel("product", "{0} {1}", lambda x, y: symmetric_product(transposed(x), y), Operations(75, 60))
negative_product = Kernel("negative_product", "-{0} {1}", lambda x, y: -times(x, y), Operations(125, 100))


def _less(x: Blocks, *subtrahends: Blocks | None) -> Blocks:
    for y in subtrahends:
        if y is not None:
            x = x - y
    return x


def _plus(x: Blocks, *summands: Blocks | None) -> Blocks:
    for y in summands:
        if y is not None:
            x = x + y
    return x


@cache
def minus(words: int, subtrahends: int = 2) -> Kernel:
    """x - y - ...; the subtrahends are optional."""
    form = "{0}" + "".join(f" - {{{k}}}" for k in range(1, subtrahends + 1))
    return Kernel("minus", form, _less, Operations(), (Operations(add=words),))


@cache
def plus(words: int, summands: int = 1) -> Kernel:
    """x + y + ...; the summands are optional."""
    form = "{0}" + "".join(f" + {{{k}}}" for k in range(1, summands + 1))
    return Kernel("plus", form, _plus, Operations(), (Operations(add=words),))


@cache
def difference(words: int) -> Kernel:
    """x - y, both required."""
    return Kernel("difference", "{0} - {1}", lambda x, y: x - y, Operations(add=words))


@cache
def total(words: int) -> Kernel:
    """x + y, both required."""
    return Kernel("total", "{0} + {1}", lambda x, y: x + y, Operations(add=words))


def _width(columns: int | None) -> tuple[int, bool]:
    """Number of right-hand sides, and whether they are one plain vector."""
    return (1, True) if columns is None else (columns, False)


@cache
def transposed_times(columns: int | None = None, sign: int = 1) -> Kernel:
    """+-X' psi for X 5x5 and psi (5,) or (5, columns)."""
    r, vector = _width(columns)

    def evaluate(x: Blocks, psi: Blocks) -> Blocks:
        y = times(transposed(x), columns_of(psi, vector))
        y = -y if sign < 0 else y
        return y[..., 0] if vector else y

    form = ("-" if sign < 0 else "") + "{0}' {1}"
    return Kernel("transposed_times", form, evaluate, Operations(25 * r, 20 * r))


@cache
def solve_columns(columns: int | None = None) -> Kernel:
    """A^-1 psi from the factor of A, for psi (5,) or (5, columns)."""
    r, vector = _width(columns)

    def evaluate(a: Blocks, psi: Blocks) -> Blocks:
        y = substitute(a, 5, columns_of(psi, vector))
        return y[..., 0] if vector else y

    return Kernel("solve", "{0}^-1 {1}", evaluate, Operations(25 * r, 20 * r))


@cache
def residual(columns: int | None = None) -> Kernel:
    """rhs - A phi - B phi_{i+1} - L phi_{i-1}: the residual of one block row; absent terms are zero."""
    r, vector = _width(columns)

    def evaluate(
        a: Blocks,
        phi: Blocks,
        rhs: Blocks | None,
        b: Blocks | None,
        after: Blocks | None,
        lower: Blocks | None,
        before: Blocks | None,
    ) -> Blocks:
        y = symmetric_times(a, 5, columns_of(phi, vector))
        y = -y if rhs is None else columns_of(rhs, vector) - y
        for block, neighbour in ((b, after), (lower, before)):
            if block is not None and neighbour is not None:
                y = y - times(block if block is b else transposed(block), columns_of(neighbour, vector))
        return y[..., 0] if vector else y

    none, row = Operations(), Operations(25 * r, 25 * r)
    return Kernel(
        "residual",
        "{2} - {0} {1} - {3} {4} - {5}' {6}",
        evaluate,
        Operations(25 * r, 20 * r),
        (Operations(add=5 * r), none, row, none, row),
        alone=True,
    )


theta = Kernel(
    "theta", "{1}' {0}^-1 {1}", lambda a, e: symmetric_product(e, substitute(a, 5, e)), Operations(255, 204)
)
inner_product = Kernel("inner_product", "{0}' {1}", symmetric_product, Operations(105, 84))
