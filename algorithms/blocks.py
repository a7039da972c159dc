"""Arithmetic on stacked blocks, of which the kernels are made: one block per process over leading axes.

A symmetric block is packed: its lower triangle row by row, 15 words for 5x5 and 21 for 6x6. Sums are
explicit products and additions, element by element, in a fixed order: no library may reorder them, so only
the machine's sine and cosine can change a bit, and the counts stated here are those of the operations really
executed. Changing a sign is free. Six-vectors have the moment (or omega) first.
"""

from __future__ import annotations

from functools import cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.spatial import transposed as transposed
from senn.machine.program.counting import Scalar, known

Blocks = NDArray[Any]

# ------------------------------------------------------------ packed symmetric blocks


@cache
def layout(size: int) -> NDArray[np.int64]:
    """Where the entries of a symmetric block are in its packed form, (size, size)."""
    rows, columns = np.indices((size, size))
    high, low = np.maximum(rows, columns), np.minimum(rows, columns)
    return np.asarray(high * (high + 1) // 2 + low)


def triangle(size: int) -> int:
    """The words of a packed block: 15 for 5 rows, 21 for 6."""
    return size * (size + 1) // 2


def order(packed: Blocks) -> int:
    """The number of rows of a packed block."""
    return isqrt(2 * packed.shape[-1])


def full(packed: Blocks) -> Blocks:
    """All entries of a packed block, (..., k, k)."""
    return packed[..., layout(order(packed))]


def restricted(packed: Blocks, kept: tuple[int, ...]) -> Blocks:
    """The symmetric sub-block of the rows and columns that are kept, packed."""
    rows, columns = np.tril_indices(len(kept))
    index = np.array(kept, dtype=np.int64)
    return packed[..., layout(order(packed))[index[rows], index[columns]]]


# ------------------------------------------------------------------------ products


def times(x: Blocks, y: Blocks) -> Blocks:
    """X Y for blocks (..., p, q) and (..., q, r): pqr multiplications, p (q - 1) r additions."""
    if x.shape[-1] == 0:
        return known(np.zeros((*x.shape[:-1], y.shape[-1])), x)
    total = x[..., :, 0, None] * y[..., None, 0, :]
    for k in range(1, x.shape[-1]):
        total = total + x[..., :, k, None] * y[..., None, k, :]
    return total


def apply(x: Blocks, v: Blocks) -> Blocks:
    """X v for a block (..., p, q) and a vector (..., q): pq multiplications, p (q - 1) additions."""
    return times(x, v[..., None])[..., 0]


def symmetric_product(x: Blocks, y: Blocks) -> Blocks:
    """X' Y of blocks (..., p, q), known to be symmetric, packed: p products and p - 1 sums an entry."""
    rows, columns = np.tril_indices(x.shape[-1])
    if x.shape[-2] == 0:
        return known(np.zeros((*x.shape[:-2], len(rows))), x)
    total = x[..., 0, rows] * y[..., 0, columns]
    for k in range(1, x.shape[-2]):
        total = total + x[..., k, rows] * y[..., k, columns]
    return total


def columns_of(x: Blocks) -> Blocks:
    """Right-hand sides of all processes as columns (n, m, r); a vector (n, m) of each is one column."""
    return x[..., None] if x.ndim == 2 else x


def as_given(y: Blocks, x: Blocks) -> Blocks:
    """Columns y (n, m, r) as vectors (n, m) where x is: the inverse of `columns_of`."""
    return y[..., 0] if x.ndim == 2 else y


def widened(x: Blocks, columns: int) -> Blocks:
    """So many columns, zeros behind the given ones."""
    rest = np.zeros((*x.shape[:-1], columns - x.shape[-1]), dtype=x.dtype)
    return np.concatenate([x, rest], axis=-1)


def lengthened(x: Blocks, rows: int) -> Blocks:
    """So many rows, zeros behind the given ones."""
    return transposed(widened(transposed(x), rows))


# ---------------------------------------------------------------------- LDL^T


def factor(packed: Blocks, pivots: int | None = None) -> Blocks:
    """The scalar LDL^T factor of an SPD block: L below the diagonal, the reciprocals of D on it, packed.

    30 multiplications, 20 additions, 5 divisions for 5x5; 50, 35, 6 for 6x6. After the first `pivots` of
    them (default: all) it stops: what then stands below and right is the Schur complement.
    """
    a, at, size = packed.copy(), layout(order(packed)), order(packed)
    for k in range(size if pivots is None else pivots):
        below = range(k + 1, size)
        reciprocal = 1.0 / a[..., at[k, k]]
        unscaled = {r: a[..., at[r, k]].copy() for r in below}
        a[..., at[k, k]] = reciprocal
        for r in below:
            a[..., at[r, k]] = unscaled[r] * reciprocal
        for r in below:
            for c in range(k + 1, r + 1):
                a[..., at[r, c]] = a[..., at[r, c]] - a[..., at[r, k]] * unscaled[c]
    return a


def substitute(ldl: Blocks, x: Blocks, pivots: int | None = None) -> Blocks:
    """A^-1 X from the factor of A, for X (..., k, r): k^2 r multiplications, k (k - 1) r additions.

    With the factor of the first `pivots` rows and columns alone, A = [A11 A21'; A21 A22], it is
    [A11^-1 X1; X2 - A21 A11^-1 X1].
    """
    y, at, size = x.copy(), layout(order(ldl)), order(ldl)
    eliminated = size if pivots is None else pivots
    for k in range(eliminated):
        for r in range(k + 1, size):
            y[..., r, :] = y[..., r, :] - ldl[..., at[r, k], None] * y[..., k, :]
    for k in range(eliminated):
        y[..., k, :] = y[..., k, :] * ldl[..., at[k, k], None]
    for k in reversed(range(eliminated)):
        for r in range(k):
            y[..., r, :] = y[..., r, :] - ldl[..., at[k, r], None] * y[..., k, :]
    return y


# ----------------------------------------------------------- elimination with pivoting


def pivoted(matrix: Blocks, x: Blocks) -> Blocks:
    """A^-1 x for a general block (..., k, k) and a vector (..., k), by LU with partial pivoting: the sum of
    `decomposed` and of `solved` for one column."""
    return solved(decomposed(matrix), x[..., None])[..., 0]


def decomposed(matrix: Blocks) -> Blocks:
    """The LU factors of a general block (..., k, k) with reciprocals on the diagonal, and as column k + 1 the
    order of its rows, (..., k, k + 1).

    The largest entry that is left in a column is the pivot. Rows are exchanged and magnitudes compared at no
    cost, so the count is the same whatever the numbers are: k divisions, k (k - 1) (2 k - 1) / 6 additions
    and k (k - 1) / 2 more multiplications.
    """
    size = matrix.shape[-1]
    rows = np.broadcast_to(np.arange(size, dtype=matrix.dtype), matrix.shape[:-1])
    a = np.concatenate([matrix, rows[..., None]], axis=-1)
    for k in range(size):
        pivot = k + _largest(a[..., k:, k])
        order = np.broadcast_to(np.arange(size), a.shape[:-1]).copy()
        order[..., k] = pivot
        np.put_along_axis(order, pivot[..., None], k, axis=-1)
        a = np.take_along_axis(a, order[..., None], axis=-2)
        reciprocal = 1.0 / a[..., k, k]
        a[..., k, k] = reciprocal
        factors = a[..., k + 1 :, k] * reciprocal[..., None]
        a[..., k + 1 :, k] = factors
        products = factors[..., None] * a[..., None, k, k + 1 : size]
        a[..., k + 1 :, k + 1 : size] = a[..., k + 1 :, k + 1 : size] - products
    return a


def _largest(column: Blocks) -> NDArray[np.int64]:
    """Where the largest magnitude stands (..., k). Every choice costs the same, so that of counted scalars,
    which have no value, the first is taken."""
    if column.dtype == object:
        return np.zeros(column.shape[:-1], dtype=np.int64)
    return np.asarray(np.abs(column).argmax(axis=-1))


def solved(lu: Blocks, x: Blocks) -> Blocks:
    """A^-1 X from `decomposed` for columns (..., k, r): k^2 r multiplications, k (k - 1) r additions."""
    size = lu.shape[-2]
    order = lu[..., :, size]
    if order.dtype == object and isinstance(order.flat[0], Scalar):  # counted: the rows in their own order
        order = np.broadcast_to(np.arange(size), order.shape)
    y = np.take_along_axis(x, order.astype(np.int64)[..., None], axis=-2)
    for k in range(size):
        y[..., k + 1 :, :] = y[..., k + 1 :, :] - lu[..., k + 1 :, k, None] * y[..., k, None, :]
    for k in reversed(range(size)):
        y[..., k, :] = y[..., k, :] * lu[..., k, k, None]
        y[..., :k, :] = y[..., :k, :] - lu[..., :k, k, None] * y[..., k, None, :]
    return y


# ---------------------------------------------------------- three-vectors and six-vectors


def cross_component(a: Blocks, b: Blocks, k: int) -> Blocks:
    """(a x b)_k: 2 multiplications, 1 addition."""
    component: Blocks = a[..., k - 2] * b[..., k - 1] - a[..., k - 1] * b[..., k - 2]
    return component


def cross(a: Blocks, b: Blocks) -> Blocks:
    """a x b over leading axes: 6 multiplications, 3 additions."""
    return np.stack([cross_component(a, b, k) for k in range(3)], axis=-1)


def dot(a: Blocks, b: Blocks) -> Blocks:
    """a . b of 3-vectors: 3 multiplications, 2 additions."""
    product: Blocks = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return product


def shifted(p: Blocks, x: Blocks) -> Blocks:
    """P^ X = [X_n + P x X_f; X_f] for columns (..., 6, r): 6 r multiplications, 6 r additions."""
    force = transposed(x[..., 3:, :])
    moment = x[..., :3, :] + transposed(cross(p[..., None, :], force))
    return np.concatenate([moment, x[..., 3:, :]], axis=-2)


def turned(c: Blocks, x: Blocks) -> Blocks:
    """C6 X for columns (..., 6, r): 18 r multiplications, 12 r additions."""
    return np.concatenate([times(c, x[..., :3, :]), times(c, x[..., 3:, :])], axis=-2)


def transported(c: Blocks, p: Blocks, x: Blocks) -> Blocks:
    """P^' C6' X for columns (..., 6, r): 24 r multiplications, 18 r additions."""
    y = turned(transposed(c), x)
    linear = y[..., 3:, :] - transposed(cross(p[..., None, :], transposed(y[..., :3, :])))
    return np.concatenate([y[..., :3, :], linear], axis=-2)


def of_parts(upper: Blocks, across: Blocks, lower: Blocks) -> Blocks:
    """A packed 6x6 block of its diagonal blocks, packed, and the 3x3 block below the diagonal."""
    entries = [upper]
    for row in range(3):
        entries += [across[..., row, :], lower[..., triangle(row) : triangle(row + 1)]]
    return np.concatenate(entries, axis=-1)


def turned_inertia(c: Blocks, packed: Blocks) -> Blocks:
    """C6 X C6' of a packed 6x6 block: 144 multiplications, 96 additions."""
    x, back = full(packed), transposed(c)
    upper, lower = (
        symmetric_product(transposed(times(c, x[..., half, half])), back) for half in (slice(3), slice(3, 6))
    )
    return of_parts(upper, transposed(times(times(c, x[..., :3, 3:]), back)), lower)


def shifted_inertia(p: Blocks, packed: Blocks) -> Blocks:
    """P^ X P^' of a packed 6x6 block [A B; B' D]: 42 multiplications, 42 additions.

    B becomes B + P~ D and A becomes A + P~ B' + (B + P~ D) P~'.
    """
    x = full(packed)
    a, b, d = x[..., :3, :3], x[..., :3, 3:], x[..., 3:, 3:]
    across = b + transposed(cross(p[..., None, :], d))  # D is symmetric
    corner = [
        a[..., r, c] + (cross_component(p, b[..., c, :], r) + cross_component(p, across[..., r, :], c))
        for r in range(3)
        for c in range(r + 1)
    ]
    return of_parts(np.stack(corner, axis=-1), transposed(across), restricted(packed, (3, 4, 5)))
