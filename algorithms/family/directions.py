"""The columns H_i that a joint allows or W_i that it forbids, frame i at O_i, and products with them.

For most joints they are columns of the unit matrix: then a product is a choice of rows, and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    factor,
    full,
    restricted,
    substitute,
    symmetric_product,
    times,
    transposed,
)


@dataclass(frozen=True, eq=False)
class Directions:
    """Columns of a six-row matrix S."""

    columns: Blocks
    """(6, k)."""
    rows: tuple[int, ...] | None
    """Where the ones are, if these are columns of the unit matrix for every q."""

    @property
    def count(self) -> int:
        """k."""
        return int(self.columns.shape[1])

    @property
    def turns(self) -> bool:
        """Whether S reaches the upper three rows, for whatever q."""
        return self.rows is None or min(self.rows, default=3) < 3

    @property
    def slides(self) -> bool:
        """Whether S reaches the lower three rows."""
        return self.rows is None or max(self.rows, default=0) >= 3

    def along(self, x: Blocks) -> Blocks:
        """S'x (k,) or (k, r) for x (6,) or (6, r)."""
        if self.rows is not None:
            return x[list(self.rows)]
        return product(transposed(self.columns), x)

    def spread(self, y: Blocks) -> Blocks:
        """S y (6,) or (6, r) for y (k,) or (k, r)."""
        if self.rows is None:
            return product(self.columns, y)
        x = np.zeros((6, *y.shape[1:]), dtype=y.dtype)
        x[list(self.rows)] = y
        return x

    def added(self, x: Blocks, y: Blocks) -> Blocks:
        """x + S y."""
        if self.rows is None:
            return x + self.spread(y)
        total = x.copy()
        for row, own in zip(self.rows, y, strict=True):
            total[row] = total[row] + own
        return total

    def reach(self, packed: Blocks) -> Blocks:
        """P S (6, k) for a symmetric P (21,), packed."""
        if self.rows is not None:
            return full(packed)[:, list(self.rows)]
        return times(full(packed), self.columns)

    def dual(self) -> Directions:
        """S (S'S)^-1: S itself where its columns are orthonormal for every q.

        A joint force F with H'F = tau is dual(H) tau + W F_S (Fijany and Featherstone 2013 call it W_a).
        """
        if self.rows is not None:
            return self
        inverse = factor(symmetric_product(self.columns, self.columns))
        return Directions(transposed(substitute(inverse, transposed(self.columns))), None)

    def seen(self, packed: Blocks) -> Blocks:
        """S'P S, packed."""
        if self.rows is not None:
            return restricted(packed, self.rows)
        return symmetric_product(self.columns, self.reach(packed))


def product(x: Blocks, y: Blocks) -> Blocks:
    """X y for a vector y (q,) or for columns (q, r)."""
    return apply(x, y) if y.ndim == 1 else times(x, y)


def solved(ldl: Blocks, x: Blocks) -> Blocks:
    """A^-1 x from the factor of A, for a vector (k,) or for columns (k, r)."""
    return substitute(ldl, x if x.ndim == 2 else x[:, None]).reshape(x.shape)


Formula = Callable[[Blocks, Blocks], Blocks]
"""An entry of the table of joints: a matrix or vector from q_i and the joint's parameter."""


def directions(formula: Formula, q: Blocks, parameter: Any) -> Directions:
    """The columns of a joint at q_i, as rows where they are columns of the unit matrix for every q."""
    constant = fixed(formula, len(q))
    if constant is None or not set(constant.ravel()) <= {0.0, 1.0}:
        return Directions(formula(q, parameter), None)
    return Directions(constant, tuple(int(row) for row in constant.argmax(axis=0)))


@cache
def fixed(formula: Formula, coordinates: int) -> Blocks | None:
    """The value of a formula that depends neither on q nor on the parameter; else None."""
    value = formula(np.full(coordinates, np.nan), np.array(np.nan))
    return None if np.isnan(value).any() else value
