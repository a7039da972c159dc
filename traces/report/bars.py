"""What the timeline of a report draws: every busy cycle of every engine and DMA once, in few rectangles.

Lanes of a SIMD array do the same at once, so neighbouring nodes that do are one bar, from node ``low`` to
``high``. A DMA that sends over several channels at a time is busy once: of hops that overlap, the later one
is drawn from where the earlier one ends. So the area of all bars is the busy time, to the cycle.
"""

import polars as pl

from senn.traces import analysis
from senn.traces.record.trace import Trace

COMPUTE, POST, RECEIVE, SEND = range(4)
"""What a bar is: three of an engine, and one of a DMA."""

_CLASSES = {"compute": COMPUTE, "post": POST, "receive": RECEIVE}
_LIKE = ("array", "row", "what", "start", "end")


def bars(trace: Trace) -> pl.DataFrame:
    """Columns array, row (of the instruction that computes, or has sent), what, start, end, low, high."""
    trace.require("hops")
    engines = _with_row(trace, trace.activities, "array").filter(pl.col("end") > pl.col("start"))
    engines = engines.select(
        "array",
        "row",
        pl.col("class").replace_strict(_CLASSES, return_dtype=pl.Int64).alias("what"),
        "start",
        "end",
        "node",
    )
    return pl.concat([_neighbours(engines, _LIKE), _neighbours(_sending(trace), _LIKE)])


def waiting(trace: Trace) -> pl.DataFrame:
    """The waits for messages: columns array, row (of the instruction), start, posted, end, low, high.

    In [start, posted) the message was not yet posted, in [posted, end) it was on its way. Where the lanes of
    an array go together, low and high are -1: all of its nodes wait.
    """
    if analysis.per_node(trace):
        stalls = _with_row(trace, analysis.node_stalls(trace), "array")
        return _neighbours(stalls, ("array", "row", "start", "posted", "end"))
    begin = pl.col("issue") - pl.col("stall")
    return (
        _rows(trace)
        .filter(pl.col("stall") > 0)
        .select(
            "array",
            "row",
            begin.alias("start"),
            (begin + pl.col("dependency_wait")).alias("posted"),
            pl.col("issue").alias("end"),
            pl.lit(-1, pl.Int64).alias("low"),
            pl.lit(-1, pl.Int64).alias("high"),
        )
    )


def _sending(trace: Trace) -> pl.DataFrame:
    """The busy cycles of every DMA, each once: those of the first hop that has them."""
    dma = (pl.col("source_array").alias("array"), pl.col("source_node").alias("node"))
    senders = trace.messages.select(
        pl.col("id").alias("message"), pl.col("source_array").alias("sender"), "instruction"
    )
    before = pl.col("end").cum_max().shift().over("array", "node").fill_null(0)
    return (
        _with_row(trace, trace.hops.join(senders, on="message", how="left"), "sender")
        .select(*dma, "row", "start", "end")
        .sort("array", "node", "start", "end")
        .with_columns(pl.max_horizontal("start", before).alias("start"))
        .filter(pl.col("end") > pl.col("start"))
        .select("array", "row", pl.lit(SEND, pl.Int64).alias("what"), "start", "end", "node")
    )


def _rows(trace: Trace) -> pl.DataFrame:
    """The instructions with their place in the table, as ``row``."""
    return trace.instructions.with_columns(pl.int_range(pl.len()).alias("row"))


def _with_row(trace: Trace, table: pl.DataFrame, array: str) -> pl.DataFrame:
    """The table with the ``row`` of its ``instruction``, which is one of the array in this column."""
    known = _rows(trace).select(pl.col("array").alias(array), pl.col("serial").alias("instruction"), "row")
    return table.join(known, on=[array, "instruction"], how="left", maintain_order="left")


def _neighbours(table: pl.DataFrame, like: tuple[str, ...]) -> pl.DataFrame:
    """Rows of ``node`` that agree in ``like`` as one row for every run of nodes, ``low`` to ``high``."""
    table = table.select(*like, "node").sort(*like, "node")
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in like)
    joins = same & (pl.col("node") == pl.col("node").shift() + 1)
    return (
        table.with_columns((~joins).fill_null(True).cum_sum().alias("run"))
        .group_by("run", maintain_order=True)
        .agg(pl.col(*like).first(), pl.col("node").first().alias("low"), pl.col("node").last().alias("high"))
        .drop("run")
    )
