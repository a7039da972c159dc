"""Joins against the two loops that they stand for."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from senn.traces.record import joined

KEYS = st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=40)


def pairs(
    left: list[int | None], right: list[int | None], how: str, nulls: bool
) -> list[tuple[int | None, ...]]:
    """Rows of both tables by their numbers, in the order of the left, then of the right."""
    found: list[tuple[int | None, ...]] = []
    for k, key in enumerate(left):
        equal = [j for j, other in enumerate(right) if other == key and (nulls or key is not None)]
        if how == "semi":
            found += [(k,)] if equal else []
        else:
            found += [(k, j) for j in equal] or ([] if how == "inner" else [(k, None)])
    if how == "full":
        matched = {row[1] for row in found}
        found += [(None, j) for j in range(len(right)) if j not in matched]
    return found


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("how", ["inner", "left", "full", "semi"])
@given(left=KEYS, right=KEYS)
def test_rows_are_in_order(how, nulls, left, right):
    sides = [
        pl.DataFrame({"key": keys, name: range(len(keys))}, schema={"key": pl.Int64, name: pl.Int64})
        for keys, name in ((left, "k"), (right, "j"))
    ]
    rows = joined(*sides, on="key", how=how, nulls=nulls)
    assert rows.columns == (["key", "k"] if how == "semi" else ["key", "k", "j"])
    assert rows.drop("key").rows() == pairs(left, right, how, nulls)


def test_columns_of_one_name_have_an_ending():
    table = pl.DataFrame({"key": [1, 2], "x": [3, 4]})
    assert joined(table, table, on="key").columns == ["key", "x", "x_right"]
    assert joined(table, table, on="key", suffix="_b").rows() == [(1, 3, 3), (2, 4, 4)]
