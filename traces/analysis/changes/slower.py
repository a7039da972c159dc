"""What got slower from one trace to another, and by how many cycles: by step, by level, by process."""

from __future__ import annotations

from typing import Literal

import polars as pl

from senn.traces.record.trace import Trace

By = Literal["step", "level", "process"]


def slower(a: Trace, b: Trace, by: By = "step") -> pl.DataFrame:
    """A row for each of both traces, those that differ most first.

    By "step" and "level", of each array: instructions, cycles of work (from issue to end) and stall in a and
    in b, and more = what work and stall are longer in b. All rows of an array together are longer by as much
    as its end is later; where every node issues by itself there is no stall, and work overlaps. By "process",
    of each array: busy, the cycles in which the engine of its node works for it, and the end of the last of
    them, in a and in b, and more = what that is later. A node that acts for several processes names none.
    """
    if by == "process":
        for one in (a, b):
            one.require("activities")
        sides = [_processes(one) for one in (a, b)]
        more = pl.col("end_b").fill_null(0) - pl.col("end_a").fill_null(0)
    else:
        for one in (a, b):
            one.require("instructions")
        sides = [_instructions(one, by) for one in (a, b)]
        took = {side: _sum(f"work_{side}") + _sum(f"stall_{side}") for side in "ab"}
        more = took["b"] - took["a"]
    key = ["array", by]
    left, right = (
        side.rename({name: f"{name}_{which}" for name in side.columns if name not in key})
        for side, which in zip(sides, "ab", strict=True)
    )
    both = left.join(right, on=key, how="full", coalesce=True, nulls_equal=True, maintain_order="left_right")
    figures = [name for name in sides[0].columns if name not in key]
    beside = [f"{name}_{which}" for name in figures for which in "ab"]
    rows = both.with_columns(more.alias("more")).select(*key, *beside, "more")
    return rows.sort(pl.col("more").abs(), descending=True, maintain_order=True)


def _sum(name: str) -> pl.Expr:
    return pl.col(name).fill_null(0)


def _instructions(trace: Trace, by: By) -> pl.DataFrame:
    return trace.instructions.group_by("array", by, maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("instructions"),
        (pl.col("end") - pl.col("issue")).sum().alias("work"),
        pl.col("stall").sum(),
    )


def _processes(trace: Trace) -> pl.DataFrame:
    return (
        trace.activities.filter(pl.col("process").is_not_null())
        .group_by("array", "process")
        .agg((pl.col("end") - pl.col("start")).sum().alias("busy"), pl.col("end").max())
        .sort("array", "process")
    )
