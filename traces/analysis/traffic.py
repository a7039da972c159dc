"""Traffic between nodes, the load of the channels, and how much of the machine a run used."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from senn.traces.analysis.accounts import phase
from senn.traces.analysis.control_units import issued, per_node, sent, stalls
from senn.traces.analysis.overlap import NAMES
from senn.traces.record import Trace

CHANNEL = ("source_array", "target_array", "kind", "wire", "source_node", "target_node")
_COUNT = pl.len().cast(pl.Int64)


def channels(trace: Trace) -> pl.DataFrame:
    """The account of every channel used, i.e. of one direction of one wire.

    Columns source_array, target_array, kind, wire, source_node, target_node, load (messages), words, busy
    (cycles with a message or, of a measured run, several), queueing (cycles that its messages waited),
    longest (the longest such wait), peak (most messages waiting at once); in order of the columns.
    """
    trace.require("hops")
    words = sent(trace).select("message", "words")
    waiting = pl.col("start") - pl.col("queued")
    waits = trace.hops.select(*CHANNEL, start="queued", end="start", count=1)
    carried = at_once(trace.hops.select(*CHANNEL, "start", "end", count=1), *CHANNEL)
    lasts = pl.col("cycle").shift(-1) - pl.col("cycle")
    busy = carried.group_by(CHANNEL).agg(busy=lasts.filter(pl.col("count") > 0).sum())
    peaks = at_once(waits, *CHANNEL).group_by(CHANNEL).agg(pl.col("count").max().alias("peak"))
    return (
        trace.hops.join(words, on="message", how="left")
        .group_by(*CHANNEL)
        .agg(pl.col("words").sum(), load=_COUNT, queueing=waiting.sum(), longest=waiting.max())
        .join(busy, on=CHANNEL)
        .join(peaks, on=CHANNEL)
        .select(*CHANNEL, "load", "words", "busy", "queueing", "longest", "peak")
        .sort(CHANNEL)
    )


def peak_buffer(trace: Trace) -> int:
    """The most words that wait at one node, at any cycle, for a channel further on; buffers have no limit.

    A message counts with all its words from the cycle in which it requests the channel, until it is granted;
    at its source it waits in memory and does not count.
    """
    trace.require("hops")
    words = sent(trace).select("message", count="words")
    waits = trace.hops.filter(pl.col("hop") > 0).join(words, on="message")
    node = ("source_array", "source_node")
    return most(at_once(waits.select(*node, "count", start="queued", end="start"), *node))


def at_once(intervals: pl.DataFrame, *by: str) -> pl.DataFrame:
    """How many of the intervals [start, end) there are at the same time, each as often as its `count` says.

    Columns `by`, cycle, and count from that cycle on: a row a change, in order of `by` and cycle.
    """
    count = pl.col("count").cast(pl.Int64)
    starts = intervals.select(*by, cycle="start", change=count)
    ends = intervals.select(*by, cycle="end", change=-count)
    return (
        pl.concat([starts, ends])
        .group_by(*by, "cycle")
        .agg(pl.col("change").sum())
        .sort(*by, "cycle")
        .select(*by, "cycle", count=pl.col("change").cum_sum().over(by))
        .filter((pl.col("count") != pl.col("count").shift().over(by)).fill_null(True))
    )


def most(counts: pl.DataFrame) -> int:
    """The largest count of `at_once`; 0 without intervals."""
    return int(counts["count"].to_numpy().max(initial=0))


def traffic(trace: Trace) -> pl.DataFrame:
    """Messages and words that every step sent, level by level.

    Columns source_array, step, level (the loop's j of the send, null outside loops), messages, words, hops
    (channels crossed), word_hops (words times channels crossed); in order of array and first issue.
    """
    trace.require("hops")
    crossed = trace.hops.group_by("message").agg(hops=_COUNT)
    return (
        sent(trace)
        .rename({"array": "source_array"})
        .join(crossed, on="message", how="left")
        .with_columns(pl.col("hops").fill_null(0), messages=pl.lit(1, pl.Int64))
        .with_columns(word_hops=pl.col("words") * pl.col("hops"))
        .group_by("source_array", "instruction", "step", "level", maintain_order=True)
        .agg(pl.col("messages", "words", "hops", "word_hops").sum())
        .sort("source_array", "instruction")
        .drop("instruction")
    )


def communication_matrix(trace: Trace) -> pl.DataFrame:
    """Messages and words from node to node, whatever the route; pairs without a message are left out.

    Columns source_array, source_node, target_array, target_node, messages, words, in order of the first
    four. A message from a node to itself (no hop) counts.
    """
    trace.require("messages")
    pair = ("source_array", "source_node", "target_array", "target_node")
    return trace.messages.group_by(pair).agg(_COUNT.alias("messages"), pl.col("words").sum()).sort(pair)


def shares(trace: Trace, flights: pl.DataFrame, edges: ArrayLike, nodes: Collection[int]) -> pl.DataFrame:
    """How much of each array works in each stretch of time, exactly: nothing is sampled.

    ``flights`` are the messages `in_flight`; ``edges`` are the ends of the stretches in cycles, rising;
    ``nodes`` those that are counted. Columns
    array, kind, phase, stretch, share: of the nodes that compute ("compute"), post ("post") or receive
    ("receive"), and of those that wait ("wait", no phase), each a mean over the stretch. Rows with a share of
    0 are left out. A share times its stretch and the nodes is a number of node cycles. Where the kind is one
    of `flight.NAMES`, share is no part but the mean number of messages in flight at these nodes (phase of
    the sender's step).
    """
    trace.require("hops")
    counted = pl.col("node").is_in(list(nodes))
    steps = issued(trace).select("array", "instruction", phase().alias("phase"))
    busy = trace.activities.filter(counted).join(steps, on=["array", "instruction"], how="left")
    flights = flights.join(sent(trace).select("message", phase().alias("phase")), on="message", how="left")
    waits = stalls(trace).filter(counted | pl.col("node").is_null())
    columns = ("array", "kind", "phase", "start", "end")
    intervals = pl.concat(
        [
            busy.rename({"class": "kind"}).select(columns),
            waits.with_columns(kind=pl.lit("wait"), phase=pl.lit(None, pl.String)).select(columns),
            flights.filter(counted).rename({"label": "kind"}).select(columns),
        ]
    )
    ends = np.asarray(edges, dtype=float)
    tables = []
    for (array, kind, step), rows in intervals.group_by("array", "kind", "phase", maintain_order=True):
        alone = kind == "wait" and not per_node(trace)  # the control unit, for all nodes at once
        width = 1 if alone or kind in NAMES else max(len(nodes), 1)
        elapsed = []  # for each edge, how long ago all the starts, or ends, before it are, added up
        for times in (np.sort(rows[name].to_numpy()) for name in ("start", "end")):
            before = np.searchsorted(times, ends, side="left")
            elapsed.append(before * ends - np.concatenate([[0], np.cumsum(times)])[before])
        share = np.diff(elapsed[0] - elapsed[1]) / (width * np.diff(ends))
        (there,) = np.nonzero(share > 1e-9)  # less is rounding
        named = {"array": array, "kind": kind, "phase": step, "stretch": there, "share": share[there]}
        tables.append(pl.DataFrame(named, schema=_SHARES))
    return pl.concat([pl.DataFrame(schema=_SHARES), *tables]).sort("array", "kind", "phase", "stretch")


_SHARES = {"array": pl.Int64, "kind": pl.String, "phase": pl.String, "stretch": pl.Int64, "share": pl.Float64}
