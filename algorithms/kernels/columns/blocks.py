"""Kernels on all columns of M at once for joints of any type, and the elimination of M by blocks of rows.

As `senn.algorithms.kernels.columns.rows`, where a joint has k columns of M and its process as many rows: H_i
in frame 1 is 6 x k, k being the most that a joint of the arm allows. `own` are the joint's, and `first`, from
0, is the first of its columns of M.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, cross, factor, full, substitute, times, transposed
from senn.machine.program import Kernel


def _placed(h: Blocks, half: slice, own: int, first: int, columns: int) -> Blocks:
    """The angular or linear half of H_i in its columns, a row each."""
    rows = np.zeros((*h.shape[:-2], columns, 3), dtype=h.dtype)
    rows[..., first : first + own, :] = transposed(h[..., half, :own])
    return rows


@cache
def unit_of(own: int, first: int, columns: int) -> Kernel:
    """How joint i turns link i, when each of its degrees of freedom accelerates alone by one."""
    return Kernel(
        f"unit_of.{own}", "{0}_w in columns i", lambda h: _placed(h, slice(0, 3), own, first, columns)
    )


@cache
def at_joint_of(own: int, first: int, columns: int) -> Kernel:
    """The acceleration of link i at O_i, from that of O_i on link i - 1."""

    def evaluate(h: Blocks, before: Blocks | None) -> Blocks:
        rows = _placed(h, slice(3, 6), own, first, columns)
        return rows if before is None else before + rows

    return Kernel(f"at_joint_of.{own}", "{1} + {0}_v in columns i", evaluate, alone=True)


@cache
def reach_of(own: int, first: int, columns: int) -> Kernel:
    """What link i adds to the acceleration of O_{i+1}, from wdot, p and H."""

    def evaluate(turning: Blocks, p: Blocks, h: Blocks) -> Blocks:
        rows = cross(turning, p[..., None, :])
        mine = slice(first, first + own)
        rows[..., mine, :] = rows[..., mine, :] + transposed(h[..., 3:, :own])
        return rows

    return Kernel(f"reach_of.{own}", "{0} x {1} + {2}_v in columns i", evaluate)


@cache
def wrenches_of(*, held: bool) -> Kernel:
    """[p; f; n] about O_i of what link i takes to accelerate so; `held`: in one more column the wrench that
    its side branches take at rest."""

    def evaluate(
        inertia: Blocks, turning: Blocks, v: Blocks, p: Blocks, more: Blocks | None = None
    ) -> Blocks:
        own = times(np.concatenate([turning, v], axis=-1), full(inertia))
        if held:
            last = np.zeros_like(own[..., :1, :]) if more is None else more[..., None, :]
            own = np.concatenate([own, last], axis=-2)
        return np.concatenate([p[..., None, :], own[..., 3:], own[..., :3]], axis=-2)

    text = "[{3}; {0} [{1}; {2}]]"
    if held:
        return Kernel("wrenches_and_held", text + " and {4}", evaluate, alone=True)
    return Kernel("wrenches_of", text, evaluate)


@cache
def loads_of(own: int, freedom: int, columns: int) -> Kernel:
    """H_i' of the wrenches: the rows of M that are joint i's, zeros behind them."""

    def evaluate(h: Blocks, x: Blocks) -> Blocks:
        wrench = np.concatenate([x[..., columns + 1 :, :], x[..., 1 : columns + 1, :]], axis=-1)
        found = times(transposed(h[..., :own]), transposed(wrench))
        rest = np.zeros((*found.shape[:-2], freedom - own, columns), dtype=found.dtype)
        return np.concatenate([found, rest], axis=-2)

    return Kernel(f"loads_of.{own}", "{0}' [n; f] of {1}", evaluate)


def _rows(rows: Blocks, force: Blocks) -> Blocks:
    return np.concatenate([rows, force[..., None]], axis=-1)


rows_with_right_side = Kernel("rows_with_right_side", "[{0}, {1}]", _rows)
"""Rows of M and their right-hand sides."""
rows_less_held = Kernel(
    "rows_less_held",
    "[{0}, {1} - its last]",
    lambda rows, force: _rows(rows[..., :-1], force - rows[..., -1]),
)
"""The same where the last column of the rows is what side branches take at rest."""


@cache
def normalised_of(own: int) -> Kernel:
    """The words after the pivot, by the pivot (own x own, symmetric): the pivot rows."""

    def evaluate(rows: Blocks) -> Blocks:
        at, below = np.tril_indices(own)
        pivot = rows[..., at, below]
        return substitute(factor(pivot), rows[..., :own, own:])

    return Kernel(f"normalised_of.{own}", "{0} / its first block", evaluate)


@cache
def eliminated_of(own: int) -> Kernel:
    """The words after the pivot less the first times the pivot rows."""

    def evaluate(rows: Blocks, pivot: Blocks) -> Blocks:
        rest: Blocks = rows[..., own:] - times(rows[..., :own], pivot)
        return rest

    return Kernel(f"eliminated_of.{own}", "{0} - its first {1}", evaluate)


@cache
def filled(freedom: int) -> Kernel:
    """Rows of zeros behind a joint's own."""

    def evaluate(rows: Blocks) -> Blocks:
        shape = (*rows.shape[:-2], freedom - rows.shape[-2], rows.shape[-1])
        return np.concatenate([rows, np.zeros(shape, dtype=rows.dtype)], axis=-2)

    return Kernel("filled", "{0} and zeros", evaluate)


last_column = Kernel("last_column", "{0}", lambda rows: rows[..., 0].copy())
"""What is left of the rows: the right-hand sides, Qdd."""
six_of = Kernel("six_of", "[{0}; {1}]", lambda w, v: np.concatenate([w, v], axis=-1))
