"""The program beside its run: lines of the listing as instructions, and what is left of the matrix."""

from collections.abc import Sequence

import polars as pl

from senn.traces.record.trace import Trace
from senn.traces.report.told import Line, Stage


def listing(trace: Trace, lines: Sequence[Line]) -> pl.DataFrame:
    """A row for each line: its text, and the row of its instruction in the table, null if it has none."""
    known = trace.instructions.select(
        "array", "step", "level", pl.int_range(pl.len()).cast(pl.Int64).alias("row")
    )
    columns = ("text", "array", "step", "level")
    table = pl.DataFrame(
        [(line.text, line.array, line.step, line.level) for line in lines],
        schema=dict(zip(columns, (pl.String, pl.Int64, pl.String, pl.Int64), strict=True)),
        orient="row",
    )
    joined = table.join(
        known, on=["array", "step", "level"], how="left", nulls_equal=True, maintain_order="left"
    )
    return joined.select("text", pl.when(pl.col("step").is_not_null()).then("row").alias("row"))


def blocks(stages: Sequence[Stage]) -> pl.DataFrame:
    """The blocks of every stage: columns stage (its place), row, column."""
    rows = [(place, *block) for place, stage in enumerate(stages) for block in sorted(stage.blocks)]
    return pl.DataFrame(rows, schema=dict.fromkeys(("stage", "row", "column"), pl.Int64), orient="row")


def ends_of(trace: Trace, stage: Stage) -> int:
    """The cycle from which on a stage is there."""
    of = (pl.col("array") == stage.array) & (pl.col("step") == stage.step)
    found = trace.instructions.filter(of & pl.col("level").eq_missing(stage.level))
    return int(found["end"].to_numpy().max(initial=0))
