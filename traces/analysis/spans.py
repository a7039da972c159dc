"""The run in large: which part of the algorithm each array was in, at which level, and where it waited."""

import polars as pl

from senn.traces.record.trace import Trace


def spans(trace: Trace) -> pl.DataFrame:
    """The parts of the algorithm in time.

    A part is a lettered section of the paper ("I.b"), or the whole phase where it has none ("III").
    Columns array, phase, part, start, end: [start, end) from the end of what came before to the end of its
    last instruction, its stalls included; in order of array and start. The spans of an array leave no gap.
    Where every node issues by itself, a span goes from the first issue to the last end, and spans overlap.
    """
    trace.require("instructions")
    return (
        trace.instructions.with_columns(_part().alias("part"))
        .with_columns(pl.struct("array", "part").rle_id().alias("turn"))
        .group_by("turn", maintain_order=True)
        .agg(
            pl.col("array").first(),
            pl.col("step").first().str.split(".").list.first().alias("phase"),
            pl.col("part").first(),
            _begin().min().alias("start"),
            pl.col("end").max(),
        )
        .drop("turn")
    )


def level_starts(trace: Trace) -> pl.DataFrame:
    """Where the levels of the loops begin: columns array, part, level, start, in order of array and start."""
    trace.require("instructions")
    return (
        trace.instructions.with_columns(_part().alias("part"))
        .filter(
            pl.struct("array", "part", "level").rle_id().diff().fill_null(1) > 0,
            pl.col("level").is_not_null(),
        )
        .select("array", "part", "level", _begin().alias("start"))
    )


def stalls(trace: Trace) -> pl.DataFrame:
    """Where the control units waited: columns array, step, level, start, posted, end.

    In [start, posted) the message was not yet posted (dependency wait), in [posted, end) it was on its way
    (exposed). None where every node issues by itself: see node_stalls.
    """
    trace.require("instructions")
    begin = pl.col("issue") - pl.col("stall")
    return trace.instructions.filter(pl.col("stall") > 0).select(
        "array",
        "step",
        "level",
        begin.alias("start"),
        (begin + pl.col("dependency_wait")).alias("posted"),
        pl.col("issue").alias("end"),
    )


def _begin() -> pl.Expr:
    """The end of what came before; where every node issues by itself, the first issue."""
    return pl.col("issue") - pl.col("stall").fill_null(0)


def _part() -> pl.Expr:
    """ "II.b.1.vii" -> "II.b"; "III.2" -> "III"."""
    return pl.col("step").str.extract(r"^([IV]+(?:\.[a-z])?)").fill_null(pl.col("step"))
