"""What the four tables of a trace look like, and the check that columns are such a table.

Arrays, processes and levels count from 1, nodes, hops, serials and message ids from 0; times are whole
cycles from 0. A node is its address in the network, so the engine of node p of array k is (k, p).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np
import polars as pl

from senn.traces.errors import InputError

Detail = Literal["full", "instructions", "summary"]
Column = np.ndarray | Sequence[str | None] | pl.Series

NULL = -(2**63)
"""How an absent integer is written in NumPy columns and hashed; in the tables it is a null."""

SCHEMA: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "instructions": (
            ("array", "int"),
            ("serial", "int"),  # counts the issued instructions of one control unit
            ("step", "text"),  # the paper's number, "I.b.5"
            ("level", "int"),  # the loop's j; null outside loops
            ("operation", "text"),  # compute, send, arrange, wait
            ("issue", "int"),
            ("end", "int"),
            ("active", "int"),  # nodes in the mask, also of a wait
            ("stall", "int"),  # issue - end of the predecessor = dependency_wait + exposed; null with mimd
            ("dependency_wait", "int"),
            ("exposed", "int"),
            ("released_by", "int"),  # message id; null exactly where stall = 0, and with mimd
        ),
        "activities": (
            ("array", "int"),
            ("instruction", "int"),  # serial in its array
            ("node", "int"),
            ("process", "int"),  # null where the node acts for several
            ("class", "text"),  # compute, post, receive
            ("start", "int"),
            ("end", "int"),
            ("flops", "int"),  # executed operations of this lane
        ),
        "messages": (
            ("id", "int"),
            ("source_array", "int"),
            ("instruction", "int"),  # serial of the send in source_array
            ("step", "text"),
            ("value", "text"),  # "D"; of several values in one message "D + K"
            ("level", "int"),  # the superscript, 0..M, or null; of several that differ "A^1 + K^0" and null
            ("process", "int"),  # the subscript: who wrote the value
            ("source_process", "int"),
            ("target_process", "int"),
            ("source_node", "int"),
            ("target_array", "int"),
            ("target_node", "int"),
            ("words", "int"),
            ("posted", "int"),
            ("granted", "int"),  # start of hop 0; = posted without hops
            ("arrived", "int"),
            ("read_by", "int"),  # serial in target_array of the first reader
            ("read_at", "int"),  # its issue
        ),
        "hops": (
            ("message", "int"),
            ("hop", "int"),
            ("source_array", "int"),
            ("target_array", "int"),
            ("kind", "text"),  # exchange, neighbor, shuffle, vertical
            ("wire", "text"),  # "kind:a-b", ends as built
            ("source_node", "int"),
            ("target_node", "int"),
            (
                "queued",
                "int",
            ),  # = posted for hop 0, else the end of the hop before; cut-through: when the head is there
            ("start", "int"),
            ("end", "int"),
        ),
    }
)
"""Table -> its columns, in the order in which they are stored and hashed."""

# A lane that receives has two activities in one instruction: the key of the table and the start order them.
ORDER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "instructions": ("array", "serial"),
        "activities": ("array", "instruction", "node", "start"),
        "messages": ("id",),
        "hops": ("message", "hop"),
    }
)
"""Table -> the columns its rows are sorted by; no two rows agree in all of them."""

KEPT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"full": tuple(SCHEMA), "instructions": ("instructions",), "summary": ()}
)
"""Level of detail -> the tables that have rows."""


def empty(name: str) -> pl.DataFrame:
    """The table of this name without rows."""
    return pl.DataFrame(schema={column: _type(kind) for column, kind in SCHEMA[name]})


def text_column(texts: Sequence[str], index: np.ndarray) -> pl.Series:
    """`texts[index]` as a column, without a Python object per row."""
    return pl.Series(texts, dtype=pl.String).gather(index) if len(index) else pl.Series([], dtype=pl.String)


def frame(name: str, columns: Mapping[str, Column] | None) -> pl.DataFrame:
    """The columns as one frame, in the order given; names, types and lengths are checked here."""
    if columns is None:
        return empty(name)
    kinds = dict(SCHEMA[name])
    series = []
    for column, values in columns.items():
        if column not in kinds:
            raise InputError(f"trace: {name} has no column {column!r}; its columns are {', '.join(kinds)}")
        series.append(_series(f"{name}.{column}", column, kinds[column], values))
    lengths = {entry.name: len(entry) for entry in series}
    if len(set(lengths.values())) > 1:
        raise InputError(f"trace: the columns of {name} differ in length: {lengths}")
    return pl.DataFrame(series)


def checked(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the documented columns in their order, nulls as nulls, and rows in ``ORDER``."""
    wanted = [column for column, _ in SCHEMA[name]]
    missing = [column for column in wanted if column not in rows.columns]
    unknown = [column for column in rows.columns if column not in wanted]
    if missing or unknown:
        wrong = [f"is missing {', '.join(missing)}"] * bool(missing)
        wrong += [f"has no column {', '.join(unknown)}"] * bool(unknown)
        raise InputError(f"trace: {name} {' and '.join(wrong)}; its columns are {', '.join(wanted)}")
    rows = rows.select(_series(f"{name}.{c}", c, kind, rows[c]) for c, kind in SCHEMA[name])
    integers = [column for column, kind in SCHEMA[name] if kind == "int"]
    rows = rows.with_columns(pl.when(pl.col(c) != NULL).then(pl.col(c)).alias(c) for c in integers)
    order = ORDER[name]
    for column in order:
        if rows[column].null_count():
            raise InputError(f"trace: {name}.{column} is part of the key and must not be null")
    if not _increasing(rows, order):
        rows = rows.sort(order)
        if not _increasing(rows, order):
            row = rows.filter(pl.struct(order).is_duplicated()).row(0, named=True)
            key = ", ".join(f"{column} {row[column]}" for column in order)
            raise InputError(f"trace: two rows of {name} have the same key ({key})")
    return rows


def _type(kind: str) -> type[pl.Int64] | type[pl.String]:
    return pl.Int64 if kind == "int" else pl.String


def _series(where: str, column: str, kind: str, values: Column) -> pl.Series:
    try:
        # NumPy integers go through as they are; anything else must be of the type, nothing is rounded.
        entry = pl.Series(column, values, dtype=None if len(values) else _type(kind))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise InputError(f"trace: {where} must be {_said(kind)}: {error}") from error
    if entry.dtype == pl.Null or (entry.dtype.is_integer() if kind == "int" else entry.dtype == pl.String):
        return entry.cast(_type(kind))
    raise InputError(f"trace: {where} must be {_said(kind)}, not {entry.dtype}")


def _said(kind: str) -> str:
    return "whole numbers" if kind == "int" else "texts"


def _increasing(rows: pl.DataFrame, order: tuple[str, ...]) -> bool:
    """Whether every row comes strictly after the one before: cheaper than sorting what is sorted."""
    equal = np.ones(max(rows.height - 1, 0), dtype=bool)
    for column in order:
        values = rows[column].to_numpy()
        if (equal & (values[1:] < values[:-1])).any():
            return False
        equal &= values[1:] == values[:-1]
    return not equal.any()
