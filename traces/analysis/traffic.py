"""Who sent how much to whom, and how the channels bore it."""

import numpy as np
import polars as pl

from senn.traces.record.trace import Trace

_CHANNEL = ("source_array", "target_array", "kind", "wire", "source_node", "target_node")


def channels(trace: Trace) -> pl.DataFrame:
    """The account of every channel used, i.e. of one direction of one wire.

    Columns source_array, target_array, kind, wire, source_node, target_node, load (messages), words, busy
    (cycles occupied), queueing (cycles that its messages waited), longest (the longest such wait), peak
    (most messages waiting at once); in order of the columns.
    """
    trace.require("hops")
    words = trace.messages.select(pl.col("id").alias("message"), "words")
    waiting = pl.col("start") - pl.col("queued")
    return (
        trace.hops.with_columns(_waiting(trace.hops))
        .join(words, on="message", how="left")
        .group_by(*_CHANNEL)
        .agg(
            pl.len().cast(pl.Int64).alias("load"),
            pl.col("words").sum(),
            (pl.col("end") - pl.col("start")).sum().alias("busy"),
            waiting.sum().alias("queueing"),
            waiting.max().alias("longest"),
            pl.col("waiting").max().alias("peak"),
        )
        .sort(_CHANNEL)
    )


def _waiting(hops: pl.DataFrame) -> pl.Series:
    """For each hop: the messages that wait at its channel when it joins the queue, itself included.

    A message that is granted in the cycle of its arrival does not wait. Waits of a channel are intervals
    [queued, start): those that contain the cycle are the ones begun by then less the ones over by then.
    """
    channel = hops.select(pl.struct(_CHANNEL).rank("dense")).to_series().cast(pl.Int64).to_numpy()
    queued, start = hops["queued"].to_numpy(), hops["start"].to_numpy()
    horizon = 1 + int(start.max()) if start.size else 1
    waits = start > queued
    begin = np.sort((channel * horizon + queued)[waits])
    end = np.sort((channel * horizon + start)[waits])
    now = channel * horizon + queued
    there = np.searchsorted(begin, now, side="right") - np.searchsorted(end, now, side="right")
    return pl.Series("waiting", np.where(waits, there, 0), dtype=pl.Int64)


def peak_buffer(trace: Trace) -> int:
    """The most words that wait at one node, at any cycle, for a channel further on; buffers have no limit.

    A message counts with all its words from the cycle in which it requests the channel, until it is granted;
    at its source it waits in memory and does not count.
    """
    trace.require("hops")
    words = trace.messages.select(pl.col("id").alias("message"), "words")
    waits = (
        trace.hops.filter((pl.col("hop") > 0) & (pl.col("start") > pl.col("queued")))
        .join(words, on="message")
        .with_columns(pl.struct("source_array", "source_node").alias("at"))
    )
    changes = pl.concat(
        [
            waits.select("at", pl.col("queued").alias("cycle"), "words"),
            waits.select("at", pl.col("start").alias("cycle"), -pl.col("words")),
        ]
    )
    # What is granted in a cycle is gone before what comes in it.
    level = changes.sort("at", "cycle", "words").select(pl.col("words").cum_sum().over("at"))
    return int(level["words"].to_numpy().max(initial=0))


def traffic(trace: Trace) -> pl.DataFrame:
    """Messages and words that every step sent, level by level.

    Columns source_array, step, level (the loop's j of the send, null outside loops), messages, words, hops
    (channels crossed), word_hops (words times channels crossed); in order of array and first issue.
    """
    trace.require("hops")
    crossed = trace.hops.group_by("message").agg(pl.len().cast(pl.Int64).alias("hops"))
    sends = trace.instructions.select(
        pl.col("array").alias("source_array"),
        pl.col("serial").alias("instruction"),
        pl.col("level").alias("loop"),
    )
    return (
        trace.messages.join(crossed, left_on="id", right_on="message", how="left")
        .with_columns(pl.col("hops").fill_null(0))
        .join(sends, on=["source_array", "instruction"], how="left")
        .group_by("source_array", "instruction", "step", pl.col("loop").alias("level"), maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("messages"),
            pl.col("words").sum(),
            pl.col("hops").sum(),
            (pl.col("words") * pl.col("hops")).sum().alias("word_hops"),
        )
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
    return (
        trace.messages.group_by(pair)
        .agg(pl.len().cast(pl.Int64).alias("messages"), pl.col("words").sum())
        .sort(pair)
    )
