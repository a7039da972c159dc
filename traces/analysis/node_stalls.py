"""Where nodes waited that have control units of their own (a machine with control = "mimd").

There an instruction has no stall: it goes from the first node that issues it to the last that ends it, and
every node waits for its own messages. What a node waited for follows from its activities and the messages
that it took.
"""

import polars as pl

from senn.traces.errors import InputError
from senn.traces.record import Trace

_NODE = ("array", "node")


def per_node(trace: Trace) -> bool:
    """Whether every node issued by itself: instructions then have no stall."""
    return trace.instructions["stall"].null_count() > 0


def refuse_per_node(trace: Trace, what: str) -> None:
    """Refuse what only an array whose lanes go together has."""
    if per_node(trace):
        raise InputError(
            f"{what} belongs to instructions whose lanes go together, but in this run every node issues by "
            'itself (control = "mimd"): see analysis.node_stalls and the timeline, or run with '
            'control = "simd"'
        )


def node_stalls(trace: Trace) -> pl.DataFrame:
    """The stalls of every node, from the end of one activity to the start of the next, by what ended them.

    Columns array, node, instruction, step, level, start, posted, end, released_by: in [start, posted) the
    message that ended the stall was not yet posted (dependency wait), in [posted, end) it was on its way
    (exposed); in order of array, node and start. A stall ends with a message that the node takes or, without
    DMA, with the delivery of one that it sent. What a node waits for after its last activity is not told.
    """
    trace.require("hops")
    work = trace.activities.sort(*_NODE, "start", "instruction", "end").select(
        *_NODE,
        "instruction",
        pl.col("end").shift(1, fill_value=0).over(_NODE).alias("start"),
        pl.col("start").alias("end"),
        pl.col("instruction").shift(1, fill_value=-1).over(_NODE).alias("before"),
    )
    gaps = work.filter(pl.col("end") > pl.col("start"))
    taken = trace.messages.select(
        pl.col("target_array").alias("array"), pl.col("target_node").alias("node"), *_MESSAGE, "read_by"
    )
    sent = trace.messages.select(
        pl.col("source_array").alias("array"),
        pl.col("source_node").alias("node"),
        *_MESSAGE,
        pl.col("instruction").alias("sent_by"),
    )
    ending = (*_NODE, "end")
    by_taking = gaps.join(taken, on=ending).filter(
        (pl.col("read_by") > pl.col("before")) & (pl.col("read_by") <= pl.col("instruction"))
    )
    by_delivery = gaps.join(sent, on=ending).filter(pl.col("sent_by") == pl.col("before"))
    key = (*_NODE, "instruction", "start", "end")
    cause = (
        pl.concat([by_taking.select(*key, "id", "posted"), by_delivery.select(*key, "id", "posted")])
        .sort("id")
        .unique(key, keep="first", maintain_order=True)
    )
    steps = trace.instructions.select("array", pl.col("serial").alias("instruction"), "step", "level")
    return (
        gaps.join(cause, on=key, how="left")
        .join(steps, on=["array", "instruction"], how="left")
        .select(
            *_NODE,
            "instruction",
            "step",
            "level",
            "start",
            pl.max_horizontal("start", pl.col("posted")).alias("posted"),
            "end",
            pl.col("id").alias("released_by"),
        )
        .sort(*_NODE, "start")
    )


_MESSAGE = ("id", "posted", pl.col("arrived").alias("end"))
