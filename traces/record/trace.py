"""The trace: four tables of whole cycles from which every number and picture of a run is made.

Tables and columns are those of ``SCHEMA`` (see ``schema.py``).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from senn.traces.errors import InputError
from senn.traces.record.schema import KEPT, NULL, ORDER, SCHEMA, Column, Detail, checked, empty, frame
from senn.traces.shown.html import table

__all__ = ["KEPT", "NULL", "ORDER", "SCHEMA", "Column", "Detail", "Trace"]


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
    def from_columns(
        cls,
        detail: Detail,
        instructions: Mapping[str, Column] | None = None,
        activities: Mapping[str, Column] | None = None,
        messages: Mapping[str, Column] | None = None,
        hops: Mapping[str, Column] | None = None,
    ) -> "Trace":
        """A trace from columns: integer arrays with ``NULL`` for null, lists of texts or None, or Series.

        Tables left out are empty. Rows may come in any order. Raises InputError, naming table and column,
        for a column that is missing, unknown, of another type or length, for a null or repeated key, and
        for rows in a table that this level of detail has not got.
        """
        given = {"instructions": instructions, "activities": activities, "messages": messages, "hops": hops}
        frames = {name: frame(name, columns) for name, columns in given.items()}
        return cls.from_tables(detail, frames)

    @classmethod
    def from_tables(cls, detail: Detail, tables: Mapping[str, pl.DataFrame]) -> "Trace":
        """A trace from data frames by table name, with the same checks as ``from_columns``."""
        if detail not in KEPT:
            raise InputError(f"trace: detail is one of {', '.join(KEPT)}, not {detail!r}")
        frames = {name: checked(name, tables.get(name, empty(name))) for name in SCHEMA}
        for name, rows in frames.items():
            if name not in KEPT[detail] and rows.height:
                raise InputError(
                    f"trace: a trace of detail {detail!r} has no rows in {name}, but {rows.height} are "
                    "given; make it at detail 'full' and use at_detail"
                )
        return cls(detail, **frames)

    def at_detail(self, detail: Detail) -> "Trace":
        """This trace without the tables that ``detail`` has not got; more detail than it has is refused."""
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
        return {
            "instructions": self.instructions,
            "activities": self.activities,
            "messages": self.messages,
            "hops": self.hops,
        }[name]

    def require(self, table: str) -> None:
        """Refuse, with the way out, to go on without this table."""
        if table not in KEPT[self.detail]:
            least = "instructions" if table == "instructions" else "full"
            raise InputError(
                f"this needs the {table} of the run, which a trace of detail {self.detail!r} has not got; "
                f"run again with detail {least!r}"
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
        return table(rows, ("table", "rows", "columns"), caption=f"trace of detail {self.detail}")

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} {self.table(name).height}" for name in SCHEMA)
        return f"Trace({self.detail}: {rows})"


def _digest(detail: str, tables: Mapping[str, pl.DataFrame]) -> str:
    sha = hashlib.sha256(_text(detail))
    for name, rows in tables.items():
        sha.update(_text(name))
        sha.update(_integer(rows.height))
        for column, kind in SCHEMA[name]:
            if kind == "int":
                sha.update(rows[column].fill_null(NULL).to_numpy().astype("<i8").tobytes())
            else:
                # Few different texts, many rows: encode each text once.
                encoded = {text: _text(text) for text in rows[column].unique()}
                sha.update(b"".join(map(encoded.__getitem__, rows[column].to_list())))
    return sha.hexdigest()


def _integer(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def _text(text: str | None) -> bytes:
    if text is None:
        return _integer(-1)
    encoded = text.encode()
    return _integer(len(encoded)) + encoded
