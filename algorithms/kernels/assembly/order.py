"""Joint order: the rows of what a joint forbids, then those of what it allows."""

from __future__ import annotations

from senn.algorithms.kernels.complement import FORBIDS

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
