"""Traces with one table altered, which no invariant may let pass."""

from collections.abc import Callable

import polars as pl

from senn.traces.record import SCHEMA, Trace

Change = Callable[[pl.DataFrame], pl.DataFrame]


def altered(trace: Trace, table: str, change: Change) -> Trace:
    tables = {name: trace.table(name) for name in SCHEMA}
    return Trace.from_tables("full", {**tables, table: change(tables[table])})


def add(row: int, **more: int) -> Change:
    """Add to the numbers of one row."""

    def change(table: pl.DataFrame) -> pl.DataFrame:
        here = pl.int_range(pl.len()) == row
        return table.with_columns(
            pl.when(here).then(pl.col(name) + by).otherwise(pl.col(name)).alias(name)
            for name, by in more.items()
        )

    return change


def drop(row: int) -> Change:
    return lambda table: table.filter(pl.int_range(pl.len()) != row)
