"""Joint order: the rows of what a joint forbids, then those of what it allows."""

from __future__ import annotations

from senn.algorithms.kernels.complement import FORBIDS
from senn.machine.program import Operations

W_ROWS = {joint: tuple(rows[0] for rows in columns) for joint, columns in FORBIDS.items()}
"""The rows of W_i; of a column that mixes two, the first, to which `handles` bring it."""
H_ROWS = {joint: tuple(row for row in range(6) if row not in kept) for joint, kept in W_ROWS.items()}
"""The rows of H_i."""
MIXED = {joint: next((rows for rows in columns if len(rows) > 1), None) for joint, columns in FORBIDS.items()}
"""The two rows that W_i mixes, if it does."""


def joint_order(joint: str) -> tuple[int, ...]:
    """All six."""
    return (*W_ROWS[joint], *H_ROWS[joint])


def pivots(joint: str) -> int:
    """The directions that a joint forbids."""
    return len(W_ROWS[joint])


def factoring(joint: str) -> Operations:
    """Of the LDL' factor that stops after them."""
    left = [5 - k for k in range(pivots(joint))]
    products = sum(rows * (rows + 1) // 2 for rows in left)
    return Operations(sum(left) + products, products, len(left))


def substituting(joint: str) -> Operations:
    """Of a column by that factor, both ways."""
    p = pivots(joint)
    ways = sum(5 - k for k in range(p)) + p * (p - 1) // 2
    return Operations(ways + p, ways)
