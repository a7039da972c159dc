"""Control units: what each issued, when, and which message ended each of its stalls.

A SIMD array has one control unit for all its nodes; with control = "mimd" every node has its own. The table
of instructions has a row for each issue of an array's unit; of nodes with their own units a row covers the
issues of all nodes, from the first to the last. `control_units` has a row for each issue in both cases, so
that accounts, paths and pictures need not tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import polars as pl

from senn.base.errors import InputError
from senn.traces.record import Trace, joined

_NODE = ("array", "node")


def once(function: Callable[[Trace], pl.DataFrame]) -> Callable[[Trace], pl.DataFrame]:
    """Compute a table of a trace at the first call, and keep it in the trace."""

    @wraps(function)
    def kept(trace: Trace) -> pl.DataFrame:
        tables: dict[str, pl.DataFrame] = trace.__dict__.setdefault("_derived", {})
        if function.__name__ not in tables:
            tables[function.__name__] = function(trace)
        return tables[function.__name__]

    return kept


@once
def issued(trace: Trace) -> pl.DataFrame:
    """The instructions with their serial as ``instruction``, as activities and messages name it."""
    return trace.instructions.rename({"serial": "instruction"})


@once
def sent(trace: Trace) -> pl.DataFrame:
    """The messages by their sender: its array and node, the ``message`` (id), and the level of the send."""
    levels = issued(trace).select("array", "instruction", "level")
    names = {"source_array": "array", "source_node": "node", "id": "message"}
    messages = trace.messages.drop("level").rename(names)
    return messages.pipe(joined, levels, on=["array", "instruction"], how="left")


def nodes(trace: Trace) -> int:
    """Nodes of an array, as far as the record names them, from node 0 on."""
    hops, messages = trace.hops, trace.messages
    ends = (hops["source_node"], hops["target_node"], messages["source_node"], messages["target_node"])
    return 1 + max(int(column.to_numpy().max(initial=0)) for column in (trace.activities["node"], *ends))


def per_node(trace: Trace) -> bool:
    """Whether every node has a control unit of its own: instructions then have no stall."""
    return trace.instructions["stall"].null_count() > 0


def unit(trace: Trace) -> list[str]:
    """The columns of `control_units` that name a control unit: array, or array and node."""
    return list(_NODE) if per_node(trace) else ["array"]


def refuse_per_node(trace: Trace, subject: str) -> None:
    """InputError for a figure or picture that only the one control unit of a SIMD array has."""
    if per_node(trace):
        raise InputError(
            f"{subject} belongs to instructions whose lanes go together, but in this run every node issues "
            'by itself (control = "mimd"): see analysis.stalls and the timeline, or run with control = "simd"'
        )


@once
def control_units(trace: Trace) -> pl.DataFrame:
    """The issues of every control unit, in order of array, node and instruction.

    Columns array, node (null for the one unit of a SIMD array), instruction (its serial), step, level,
    operation, start, posted, issue, end, stall, dependency_wait, exposed, released_by. A stall is [start,
    issue); in [start, posted) the message that ends it was not yet posted (dependency wait), in [posted,
    issue) it was in flight (exposed). ``released_by`` is that message, null without a stall.

    A unit of a node issues what its engine does, at the first cycle of it; waits have no row there. Its stall
    ends with a message that the node receives or, without DMA, with the delivery of one that it sent. Idle
    cycles after its last activity are no stall.
    """
    trace.require("instructions")
    if per_node(trace):
        trace.require("hops")
        key = (*_NODE, "instruction")
        steps = issued(trace).select("array", "instruction", "step", "level", "operation")
        work = trace.activities.group_by(key).agg(pl.col("start").min().alias("issue"), pl.col("end").max())
        idle = (
            work.sort(*_NODE, "issue", "instruction")
            .with_columns(
                pl.col("end").shift(1, fill_value=0).over(_NODE).alias("start"),
                pl.col("instruction").shift(1, fill_value=-1).over(_NODE).alias("before"),
            )
            .filter(pl.col("start") < pl.col("issue"))
        )
        causes = _released(trace, idle, list(_NODE)).sort("sent", "released_by")
        cause = causes.select(*key, "posted", "released_by").unique(key, keep="first", maintain_order=True)
        gaps = idle.join(cause, on=key, how="left").with_columns(posted=pl.max_horizontal("start", "posted"))
        stall, exposed = pl.col("issue") - pl.col("start"), pl.col("issue") - pl.col("posted")
        units = (
            work.join(gaps.select(*key, "start", "posted", "released_by"), on=key, how="left")
            .join(steps, on=["array", "instruction"], how="left")
            .with_columns(pl.col("start", "posted").fill_null(pl.col("issue")))
            .with_columns(stall=stall, dependency_wait=stall - exposed, exposed=exposed)
            .sort(key)
        )
    else:
        start = pl.col("issue") - pl.col("stall")
        posted = start + pl.col("dependency_wait")
        units = issued(trace).with_columns(node=pl.lit(None, pl.Int64), start=start, posted=posted)
    return units.select(
        *(*_NODE, "instruction", "step", "level", "operation", "start", "posted", "issue", "end"),
        *("stall", "dependency_wait", "exposed", "released_by"),
    )


def stalls(trace: Trace) -> pl.DataFrame:
    """The stalls of every control unit by the message that ended them.

    Columns array, node, instruction, step, level, start, posted, end (the issue), released_by, as those of
    `control_units`, in order of array, node and start.
    """
    stalled = control_units(trace).filter(pl.col("stall") > 0)
    columns = (*_NODE, "instruction", "step", "level", "start", "posted", pl.col("issue").alias("end"))
    return stalled.select(*columns, "released_by")


def endings(trace: Trace, dma: bool = True) -> pl.DataFrame:
    """The messages whose arrival ended each stall: several, tied, where they arrived in the same cycle.

    Columns array, node, instruction, step, level, start, end (the issue) of the stall, message, posted.
    Without ``dma`` a control unit is also stalled until its own messages are delivered.
    """
    key = unit(trace)
    before = pl.col("instruction").shift(1, fill_value=-1).over(key).alias("before")
    stalled = (
        control_units(trace).with_columns(before).filter(pl.col("stall") > 0).drop("posted", "released_by")
    )
    ended = _released(trace, stalled, key)
    if dma:
        ended = ended.filter(~pl.col("sent"))
    columns = (*_NODE, "instruction", "step", "level", "start", pl.col("issue").alias("end"))
    return ended.select(*columns, pl.col("released_by").alias("message"), "posted")


def _released(trace: Trace, stalled: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """The stalls, with each message that arrives when they end: received since the issue ``before``, or sent
    by it (then ``sent``: only a send without DMA waits for that)."""
    received, delivered = (
        stalled.join(
            trace.messages.select(
                *(pl.col(f"{side}_{name}").alias(name) for name in key),
                *("posted", pl.col("id").alias("released_by")),
                issue="arrived",
                serial=serial,
            ),
            on=[*key, "issue"],
        )
        for side, serial in (("target", "read_by"), ("source", "instruction"))
    )
    serial, before = pl.col("serial"), pl.col("before")
    by_receipt = received.filter(serial > before, serial <= pl.col("instruction"))
    by_delivery = delivered.filter(serial == before)
    of = (by_receipt.with_columns(sent=pl.lit(False)), by_delivery.with_columns(sent=pl.lit(True)))
    return pl.concat(of)
