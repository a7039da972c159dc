"""Runs as points: which of a table's rows stand beside each other, and which are one series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import polars as pl

from senn.traces.errors import InputError

MOST = 24
"""More series than that cannot be told apart in one picture."""


@dataclass(frozen=True)
class Series:
    """Rows that differ in x alone, in rising order of x: the indices of the rows of the table."""

    key: tuple[Any, ...]
    """What sets it apart: its values in the columns `colour`."""
    label: str
    rows: tuple[int, ...]


def arranged(table: pl.DataFrame, x: str, colour: Sequence[str]) -> list[Series]:
    """The rows of a table as series, one for every combination of the columns `colour`, in order of rows.

    `InputError` where a column is missing, where two rows stand at the same place (they differ in something
    that is neither x nor colour; nothing is averaged), and where there are more than `MOST` series.
    """
    absent = [name for name in (x, *colour) if name not in table.columns]
    if absent:
        raise InputError(f"{absent[0]} is not a column; the columns are {', '.join(table.columns)}")
    members: dict[tuple[Any, ...], dict[Any, int]] = {}
    for index, row in enumerate(table.iter_rows(named=True)):
        here = members.setdefault(tuple(row[name] for name in colour), {})
        if row[x] in here:
            other = table.row(here[row[x]], named=True)
            apart = ", ".join(name for name in table.columns if row[name] != other[name])
            raise InputError(
                f"two runs stand at {x} = {row[x]} in one series: what sets them apart "
                f"{f'({apart}) ' if apart else ''}must be in colour, or one of it be chosen with where"
            )
        here[row[x]] = index
    if len(members) > MOST:
        raise InputError(f"{len(members)} series; at most {MOST} can be told apart, choose some with where")
    places = positions(table[x].to_list())
    found = []
    for key, rows in members.items():
        in_order = tuple(sorted(rows.values(), key=places.__getitem__))
        found.append(Series(key, label(dict(zip(colour, key, strict=True))), in_order))
    return found


def positions(values: Sequence[Any]) -> list[float]:
    """Where each value stands on the x axis: a number as itself, else its place in order of appearance."""
    if numeric(values):
        return [float(value) for value in values]
    order = {value: float(k) for k, value in enumerate(dict.fromkeys(values))}
    return [order[value] for value in values]


def numeric(values: Sequence[Any]) -> bool:
    """Whether all values are numbers, or texts that are ("0.5")."""
    return all(_is_number(value) for value in values)


def label(chosen: dict[str, Any]) -> str:
    """What sets a series apart, in words: texts as they are, other values with their name."""
    named = (value if _is_word(value) else f"{name} {_said(value)}" for name, value in chosen.items())
    return ", ".join(named)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not _is_number(value)


def _said(value: Any) -> str:
    if value is None:
        return "as it is"
    return str(value).lower() if isinstance(value, bool) else str(value)
