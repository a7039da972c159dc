"""The record of a run: four tables of whole cycles, and the values that small runs keep.

Arrays, processes and levels count from 1, nodes, hops, serials and message ids from 0; times are whole
cycles from 0. A node is its address in the network, so the engine of node p of array k is (k, p).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import signature
from types import MappingProxyType
from typing import IO, Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.datatypes import DataTypeClass

from senn.base.errors import InputError
from senn.base.tables import html_table

Detail = Literal["full", "instructions", "summary"]
Column = np.ndarray | Sequence[str | None] | pl.Series

NULL = -(2**63)
"""How an absent integer is written in NumPy columns and hashed; in the tables it is a null."""

Columns = dict[str, DataTypeClass]
_INTEGER, _TEXT = pl.Int64, pl.String

SCHEMA: Mapping[str, Columns] = MappingProxyType(
    {
        "instructions": {
            "array": _INTEGER,
            "serial": _INTEGER,  # counts the issued instructions of one control unit
            "step": _TEXT,  # the paper's number, "I.b.5"
            "level": _INTEGER,  # the loop's j; null outside loops
            "operation": _TEXT,  # compute, send, arrange, wait
            "issue": _INTEGER,
            "end": _INTEGER,
            "active": _INTEGER,  # nodes in the mask, also of a wait
            "stall": _INTEGER,  # issue - end of the predecessor = dependency_wait + exposed; null with mimd
            "dependency_wait": _INTEGER,
            "exposed": _INTEGER,
            "released_by": _INTEGER,  # message id; null exactly where stall = 0, and with mimd
        },
        "activities": {
            "array": _INTEGER,
            "instruction": _INTEGER,  # serial in its array
            "node": _INTEGER,
            "process": _INTEGER,  # null where the node acts for several
            "class": _TEXT,  # compute, post, receive
            "start": _INTEGER,
            "end": _INTEGER,
            "flops": _INTEGER,  # executed operations of this lane
        },
        "messages": {
            "id": _INTEGER,
            "source_array": _INTEGER,
            "instruction": _INTEGER,  # serial of the send in source_array
            "step": _TEXT,
            "value": _TEXT,  # "D"; of several values in one message "D + K"
            "level": _INTEGER,  # the superscript, 0..M, or null; of several that differ "A^1 + K^0" and null
            "process": _INTEGER,  # the subscript: the process that wrote the value
            "source_process": _INTEGER,
            "target_process": _INTEGER,
            "source_node": _INTEGER,
            "target_array": _INTEGER,
            "target_node": _INTEGER,
            "words": _INTEGER,
            "posted": _INTEGER,
            "granted": _INTEGER,  # start of hop 0; = posted without hops
            "arrived": _INTEGER,
            "read_by": _INTEGER,  # serial in target_array of the first reader
            "read_at": _INTEGER,  # its issue
        },
        "hops": {
            "message": _INTEGER,
            "hop": _INTEGER,
            "source_array": _INTEGER,
            "target_array": _INTEGER,
            "kind": _TEXT,  # exchange, neighbor, shuffle, vertical
            "wire": _TEXT,  # "kind:a-b", ends as built
            "source_node": _INTEGER,
            "target_node": _INTEGER,
            "queued": _INTEGER,  # = posted for hop 0, else the end (cut-through: header) of the hop before
            "start": _INTEGER,
            "end": _INTEGER,
        },
    }
)
"""Table -> its columns, in the order in which they are stored and hashed."""

WORK: Mapping[str, Columns] = MappingProxyType(
    {
        "instructions": {
            "received": _INTEGER,  # the most messages that one lane receives
            "operations": _TEXT,  # of a process by kind, "34 30 1 0 0 0"; kernels with ", " between
            "mask": _TEXT,  # of a wait, which has no activities: "0:1 1:2", node:process; else null
        },
        "activities": {"work": _TEXT},  # "2 34 30 1 0 0 0": two processes that execute so much, by kind
    }
)
"""Table -> further columns: the work that a schedule asks of any machine, from which another machine's times
follow. They are stored behind the others, and no hash covers them; null in a record of an older version."""

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
    return pl.DataFrame(schema=SCHEMA[name] | WORK.get(name, {}))


def text_column(texts: Sequence[str], index: np.ndarray) -> pl.Series:
    """`texts[index]` as a column, without a Python object per row."""
    return pl.Series(texts, dtype=pl.String).gather(index) if len(index) else pl.Series([], dtype=pl.String)


_first_process = cache(os.getpid)


def refuse_fork() -> None:
    """`InputError` in a process that was forked from one that has called this: without the threads of Polars,
    whose tables would wait for them for ever."""
    if _first_process() != os.getpid():
        raise InputError(
            "this process was forked from one that has used senn, without its threads; start processes with "
            'multiprocessing.get_context("spawn")'
        )


def checked(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with the documented columns in their order, nulls as nulls, and rows in ``ORDER``."""
    if rows.height:
        refuse_fork()
    kinds, work = SCHEMA[name], WORK.get(name, {})
    rows = rows.with_columns(pl.lit(None).alias(column) for column in work if column not in rows.columns)
    missing = [column for column in kinds if column not in rows.columns]
    unknown = [column for column in rows.columns if column not in kinds | work]
    if missing or unknown:
        wrong = [f"is missing {', '.join(missing)}"] * bool(missing)
        wrong += [f"has no column {', '.join(unknown)}"] * bool(unknown)
        raise InputError(f"trace: {name} {' and '.join(wrong)}; its columns are {', '.join(kinds)}")
    rows = rows.select(*kinds, *work)
    for column, kind in (kinds | work).items():
        dtype = rows[column].dtype
        fits = dtype.is_integer() if kind == pl.Int64 else dtype == pl.String
        if rows.height and not fits and dtype != pl.Null:
            what = "whole numbers" if kind == pl.Int64 else "texts"
            raise InputError(f"trace: {name}.{column} must be {what}, not {dtype}")
    rows = rows.cast(pl.Schema(kinds | work))
    absent = [column for column, kind in kinds.items() if kind == pl.Int64 and rows[column].min() == NULL]
    rows = rows.with_columns(pl.when(pl.col(c) != NULL).then(pl.col(c)).alias(c) for c in absent)
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


def _increasing(rows: pl.DataFrame, order: tuple[str, ...]) -> bool:
    """Whether every row comes strictly after the one before: cheaper than sorting what is sorted."""
    equal = np.ones(max(rows.height - 1, 0), dtype=bool)
    for column in order:
        values = rows[column].to_numpy()
        if (equal & (values[1:] < values[:-1])).any():
            return False
        equal &= values[1:] == values[:-1]
    return not equal.any()


@dataclass(frozen=True, eq=False)
class Trace:
    """The record of a run: tables as in ``SCHEMA`` (Int64 and String columns), rows sorted as in ``ORDER``.

    Make one with ``Trace.from_columns`` or ``Trace.from_tables``, which check; two traces are equal when
    their hashes are.
    """

    detail: Detail
    instructions: pl.DataFrame
    activities: pl.DataFrame
    messages: pl.DataFrame
    hops: pl.DataFrame

    @classmethod
    def from_columns(cls, detail: Detail, **tables: Mapping[str, Column]) -> Trace:
        """A trace from columns by table: integer arrays with ``NULL`` for null, lists of texts or None, or
        Series.

        Tables left out are empty. Rows may come in any order. Raises InputError, naming table and column, for
        a column that is missing, unknown, of another type or length, for a null or repeated key, and for rows
        in a table that this level of detail does not keep.
        """
        frames = {}
        for name, columns in tables.items():
            lengths = {column: len(values) for column, values in columns.items()}
            if len(set(lengths.values())) > 1:
                raise InputError(f"trace: the columns of {name} differ in length: {lengths}")
            try:
                frames[name] = pl.DataFrame(dict(columns))
            except (TypeError, pl.exceptions.PolarsError) as error:
                raise InputError(f"trace: a column of {name} mixes types: {error}") from error
        return cls.from_tables(detail, frames)

    @classmethod
    def from_tables(cls, detail: Detail, tables: Mapping[str, pl.DataFrame]) -> Trace:
        """A trace from data frames by table name, with the same checks as ``from_columns``."""
        if detail not in KEPT:
            raise InputError(f"trace: detail is one of {', '.join(KEPT)}, not {detail!r}")
        if unknown := [name for name in tables if name not in SCHEMA]:
            raise InputError(f"trace: there is no table {unknown[0]}; its tables are {', '.join(SCHEMA)}")
        frames = {name: checked(name, tables[name]) if name in tables else empty(name) for name in SCHEMA}
        for name, rows in frames.items():
            if name not in KEPT[detail] and rows.height:
                raise InputError(
                    f"trace: a trace of detail {detail!r} has no rows in {name}, but {rows.height} are "
                    "given; make it at detail 'full' and use at_detail"
                )
        return cls(detail, **frames)

    def at_detail(self, detail: Detail) -> Trace:
        """This trace without the tables that ``detail`` does not keep; more detail is refused."""
        if detail not in KEPT:
            raise InputError(f"trace: detail is one of {', '.join(KEPT)}, not {detail!r}")
        missing = [name for name in KEPT[detail] if name not in KEPT[self.detail]]
        if missing:
            raise InputError(
                f"trace: a trace of detail {self.detail!r} cannot give detail {detail!r} "
                f"({', '.join(missing)} were not kept); run again with detail {detail!r}"
            )
        emptied = {name: empty(name) for name in SCHEMA if name not in KEPT[detail]}
        return replace(self, detail=detail, **emptied)

    def table(self, name: str) -> pl.DataFrame:
        """The table of this name."""
        rows: pl.DataFrame = getattr(self, name)
        return rows

    def require(self, table: str) -> None:
        """Refuse, with the way out, to go on without this table."""
        if table not in KEPT[self.detail]:
            least = "instructions" if table == "instructions" else "full"
            raise InputError(
                f"this needs the {table} of the run, which a trace of detail {self.detail!r} does not keep; "
                f"run again with detail {least!r}"
            )

    def require_work(self) -> None:
        """Refuse, with the way out, to go on without the operations of instructions and nodes."""
        self.require("hops")
        if self.instructions["operations"].null_count():
            raise InputError(
                "the tables of this run do not say what work its instructions are, because an older version "
                "wrote them: make the run again"
            )

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the content, not of files: equal exactly when detail and all tables are equal.

        Over text(detail), then per table in the order of ``SCHEMA``: text(name), int64 number of rows, then
        column after column; int64 little-endian, null = -2^63; text = int64 byte length and UTF-8, null text
        = length -1.
        """
        return _digest(self.detail, {name: self.table(name) for name in SCHEMA})

    @cached_property
    def instructions_hash(self) -> str:
        """The hash of the instructions alone: the same at every level of detail above 'summary'."""
        return _digest("instructions", {"instructions": self.instructions})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def _repr_html_(self) -> str:
        rows = [(name, self.table(name).height, ", ".join(self.table(name).columns)) for name in SCHEMA]
        return html_table(rows, ("table", "rows", "columns"), caption=f"trace of detail {self.detail}")

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} {self.table(name).height}" for name in SCHEMA)
        return f"Trace({self.detail}: {rows})"


def _digest(detail: str, tables: Mapping[str, pl.DataFrame]) -> str:
    sha = hashlib.sha256(_text(detail))
    for name, rows in tables.items():
        sha.update(_text(name))
        sha.update(_integer(rows.height))
        for column, kind in SCHEMA[name].items():
            cells = rows[column]
            if kind == pl.Int64:
                numbers = cells.fill_null(NULL) if cells.null_count() else cells
                sha.update(np.ascontiguousarray(numbers, "<i8").data)
            else:
                # Few different texts, many rows, often in runs.
                runs = cells.rle().struct.unnest()
                texts = runs["value"].drop_nulls().unique()
                codes = runs["value"].cast(pl.Enum(texts)).to_physical().fill_null(len(texts))
                encoded = np.array([*map(_text, texts), _text(None)], dtype=object)
                sha.update(b"".join(encoded[codes] * runs["len"].to_numpy()))
    return sha.hexdigest()


def _integer(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def _text(text: str | None) -> bytes:
    if text is None:
        return _integer(-1)
    encoded = text.encode()
    return _integer(len(encoded)) + encoded


# Joins of tables whose rows stay in order, under every Polars from 1.0.

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


# What the program computed and what each message carried: kept for replays of small runs.

Integers = NDArray[np.int64]
Numbers = NDArray[np.floating[Any]]
_COLUMNS = ("array", "value", "level", "process", "born")


@dataclass(frozen=True, eq=False)
class Values:
    """Every value of a program, one entry per value and process.

    ``value`` is the letter, ``level`` the superscript (``NULL`` where there is none), ``process`` the
    subscript, ``array`` the array that holds it, ``born`` the cycle in which it came to be (0 = resident
    from the start), ``numbers`` its numbers. ``payloads`` has, by message id, the numbers that the message
    carried.
    """

    array: Integers
    value: NDArray[np.str_]
    level: Integers
    process: Integers
    born: Integers
    numbers: tuple[Numbers, ...]
    payloads: Mapping[int, Numbers]

    def __post_init__(self) -> None:
        lengths = {name: len(getattr(self, name)) for name in (*_COLUMNS, "numbers")}
        if len(set(lengths.values())) > 1:
            raise InputError(f"values: the columns differ in length: {lengths}")

    def get(self, array: int, value: str, level: int | None, process: int) -> Numbers:
        """The numbers of one value: ``get(1, "A", 0, 3)`` is A_3^0 of array 1; KeyError without it."""
        key = (array, value, NULL if level is None else level, process)
        if key not in self._index:
            superscript = "" if level is None else f"^{level}"
            raise KeyError(f"no value {value}_{process}{superscript} in array {array}")
        return self.numbers[self._index[key]]

    @cached_property
    def _index(self) -> dict[tuple[int, str, int, int], int]:
        rows = zip(*(getattr(self, name).tolist() for name in _COLUMNS[:4]), strict=True)
        return {key: index for index, key in enumerate(rows)}

    def save(self, file: IO[bytes]) -> None:
        """Write one npz file."""
        entries: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in _COLUMNS}
        entries |= _packed("numbers", self.numbers)
        entries |= {"message": np.array(list(self.payloads), dtype=np.int64)}
        entries |= _packed("payload", tuple(self.payloads.values()))
        np.savez_compressed(file, **entries)

    @classmethod
    def load(cls, file: IO[bytes]) -> Self:
        """Read a file of ``save``; for another file the error of NumPy is raised."""
        with np.load(file, allow_pickle=False) as archive:
            entries = dict(archive)
        columns = {name: entries[name] for name in _COLUMNS}
        payloads = dict(zip(entries["message"].tolist(), _unpacked("payload", entries), strict=True))
        return cls(**columns, numbers=_unpacked("numbers", entries), payloads=payloads)


def _packed(name: str, arrays: tuple[Numbers, ...]) -> dict[str, NDArray[np.generic]]:
    """Arrays of different shapes as three arrays: an npz entry each would be slow beyond a few thousand."""
    return {
        f"{name}_ndim": np.array([array.ndim for array in arrays], dtype=np.int64),
        f"{name}_shape": np.array([length for array in arrays for length in array.shape], dtype=np.int64),
        f"{name}_flat": np.concatenate([array.ravel() for array in arrays]) if arrays else np.zeros(0),
    }


def _unpacked(name: str, entries: Mapping[str, NDArray[np.generic]]) -> tuple[Numbers, ...]:
    shapes = np.split(entries[f"{name}_shape"], np.cumsum(entries[f"{name}_ndim"]))[:-1]
    sizes = np.array([np.prod(shape) for shape in shapes], dtype=np.int64)
    parts = np.split(entries[f"{name}_flat"], np.cumsum(sizes))[:-1]
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
