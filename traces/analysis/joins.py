"""Joins of tables whose rows stay in order, under every Polars from 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, Literal

import polars as pl

_NULLS = "nulls_equal" if "nulls_equal" in signature(pl.DataFrame.join).parameters else "join_nulls"
_ROWS = "row of the table", "row of the other"


def joined(
    table: pl.DataFrame,
    other: pl.DataFrame,
    on: str | Sequence[str],
    how: Literal["inner", "left", "full", "semi"] = "inner",
    *,
    nulls: bool = False,
    suffix: str = "_right",
) -> pl.DataFrame:
    """``table.join(other)``, its rows in the order of ``table``, then of ``other``; with ``nulls``, a null of
    ``on`` is equal to a null. Polars before 1.21 promises no order."""
    sides = (side.with_row_index(row) for side, row in zip((table, other), _ROWS, strict=True))
    equal: dict[str, Any] = {_NULLS: nulls}
    rows = next(sides).join(next(sides), on=on, how=how, suffix=suffix, coalesce=True, **equal)
    kept = [row for row in _ROWS if row in rows.columns]
    return rows.sort(kept, nulls_last=True).drop(kept)
