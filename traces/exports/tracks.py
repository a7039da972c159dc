"""A trace as other people's tools want it: tracks of intervals that never overlap, arrows, and a counter.

A track is what can be busy with one thing at a time: a control unit, the engine of a node, a channel, a place
for one of the messages in flight at a node. That the intervals of a track do not overlap is what formats are
particular about: put on one track per DMA, the hops of a node are shown at wrong times, and no reader says
so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from senn.traces.analysis import NAMES, at_once, control_units, issued, sent
from senn.traces.analysis.overlap import places
from senn.traces.naming import value_text
from senn.traces.record import Trace, joined
from senn.traces.run import Run

CONTROL, ENGINE, FLIGHT, CHANNEL = "control", "engine", "flight", "channel"
KINDS = {CONTROL: "control unit", ENGINE: "engines", FLIGHT: "messages in flight", CHANNEL: "channels"}
"""What there are tracks of, in the order in which they are shown, and how each is called."""

ARGUMENTS = ("level", "instruction", "process", "flops", "message", "words", "queued")
"""What a slice says besides its name, null where it has none: the loop's level, the serial of the
instruction, the process that an engine works for and the operations it executes, the message in flight or on
a channel with its words and the cycle in which it came to the channel. Of a stall, `message` is the one that
was waited for."""


NONE_YET = {"start": pl.lit(0, pl.Int64), "end": pl.lit(0, pl.Int64), "count": pl.lit(0)}
"""An interval that counts nothing, at cycle 0."""
_LAST = 2**62  # a place after those of all channels


@dataclass(frozen=True, eq=False)
class Tracks:
    """The tracks of a trace of detail "full".

    ``tracks``: columns track (row number), array, kind, title ("node 3", unique in its array and kind) and
    name (unique: "array 1 node 3"); in order of array, kind and place. Control units only where the nodes do
    not issue by themselves.
    ``slices``: columns slice (row number), track, start, end, name, category, step, and ``ARGUMENTS``; in
    order of track, start and end. The slices of a track do not overlap; some take no time.
    """

    tracks: pl.DataFrame
    slices: pl.DataFrame
    run: Run

    @cached_property
    def engines(self) -> pl.DataFrame:
        """Columns track, array, node of the engines, in order of track."""
        node = pl.col("title").str.strip_prefix("node ").cast(pl.Int64).alias("node")
        return self.tracks.filter(kind=ENGINE).select("track", "array", node)

    @cached_property
    def arrows(self) -> pl.DataFrame:
        """The way of every message from slice to slice: post, hops, and what its first reader did first.

        Columns message, slice, last (whether the way ends here); in order of message and way. A reader that
        waits has no slice of its own: then it is that of the control unit, if there is one. Channels that
        take no time are left out, and so is a way that begins and ends in one cycle: readers could not tell
        which of its slices is first.
        """
        slices = self.slices.join(self.tracks.select("track", "array", "kind"), on="track")
        by_node = slices.filter(kind=ENGINE).join(self.engines.drop("array"), on="track")
        key = ("array", "instruction", "node")
        posts = sent(self.run.trace).join(by_node.filter(category="post"), on=key)
        along = pl.int_range(pl.len()).over("message", order_by=["start", "end"])
        crossed = slices.filter((pl.col("kind") == CHANNEL) & (pl.col("end") > pl.col("start")))
        first = by_node.group_by(key).agg(pl.col("slice").min())
        issues = slices.filter((pl.col("kind") == CONTROL) & (pl.col("category") != "stall"))
        issues = issues.select("array", "instruction", issue="slice")
        readers = {"array": "target_array", "instruction": "read_by", "node": "target_node"}
        reads = self.run.trace.messages.select(message="id", **readers).join(first, on=key, how="left")
        reads = reads.join(issues, on=("array", "instruction"), how="left")
        ways = [
            posts.select("message", "slice", place=pl.lit(-1, pl.Int64)),
            crossed.select("message", "slice", place=along),
            reads.select(
                "message", pl.coalesce("slice", "issue"), place=pl.lit(_LAST, pl.Int64)
            ).drop_nulls(),
        ]
        start = pl.col("start")
        return (
            pl.concat(ways)
            .join(slices.select("slice", "start"), on="slice")
            .filter(start.min().over("message") < start.max().over("message"))
            .sort("message", "place")
            .select(
                "message", "slice", last=(pl.col("message") != pl.col("message").shift(-1)).fill_null(True)
            )
        )

    @cached_property
    def flying(self) -> pl.DataFrame:
        """Messages in flight by the array that sent them: columns array, cycle, count from that cycle on.

        A message is in flight from its post up to, not including, its arrival. An array begins with cycle 0.
        """
        messages = sent(self.run.trace).select("array", start="posted", end="arrived", count=1)
        return at_once(pl.concat([messages, self.tracks.select("array", **NONE_YET)]), "array")


def tracks_of(run: Run) -> Tracks:
    """The tracks of a run; InputError, with the way out, if its trace is not of detail "full"."""
    trace = run.trace
    trace.require("hops")
    of_array = control_units(trace).filter(pl.col("node").is_null())
    of_array = of_array.drop("node", "start", "posted", "dependency_wait", "exposed").with_columns(
        kind=pl.lit(CONTROL), place=pl.lit(0, pl.Int64), title=pl.lit(KINDS[CONTROL])
    )
    issued = of_array.rename({"issue": "start", "operation": "category"}).with_columns(name="step")
    stalled = (
        of_array.filter(pl.col("stall") > 0)
        .join(message_names(trace), left_on="released_by", right_on="message", how="left")
        .with_columns(
            start=pl.col("issue") - pl.col("stall"),
            end="issue",
            category=pl.lit("stall"),
            name=pl.format("waits for {}", pl.col("name").fill_null("a message")),
            message="released_by",
        )
        .drop("issue", "operation")
    )
    controls = pl.concat([issued, stalled], how="diagonal").drop("stall", "released_by")
    every = pl.concat([controls, _engines(trace), _flights(run), _channels(trace)], how="diagonal")
    order = {kind: place for place, kind in enumerate(KINDS)}
    tracks = (
        every.select("array", "kind", "place", "title")
        .unique()
        .sort("array", pl.col("kind").replace_strict(order), "place", "title")
        .with_columns(track=pl.int_range(pl.len()), name=pl.format("array {} {}", "array", "title"))
    )
    slices = (
        every.join(tracks.select("track", "array", "kind", "title"), on=("array", "kind", "title"))
        .sort("track", "start", "end", "instruction")
        .with_columns(slice=pl.int_range(pl.len()))
        .select("slice", "track", "start", "end", "name", "category", "step", *ARGUMENTS)
    )
    return Tracks(tracks.select("track", "array", "kind", "title", "name"), slices, run)


def message_names(trace: Trace) -> pl.DataFrame:
    """Columns message, name: the value that a message carries, as the paper writes it ("D_2^0")."""
    parts = ("value", "level", "process")
    distinct = trace.messages.select(parts).unique()
    names = [value_text(*row) for row in distinct.iter_rows()]
    named = distinct.with_columns(pl.Series("name", names, dtype=pl.String))
    messages = trace.messages.rename({"id": "message"})
    return messages.pipe(joined, named, on=parts, how="left", nulls=True).select("message", "name")


def _engines(trace: Trace) -> pl.DataFrame:
    """Slices of the engine of every node."""
    steps = issued(trace).select("array", "instruction", "step", "level")
    doing = pl.when(pl.col("class") == "compute").then(pl.col("step"))
    return trace.activities.join(steps, on=("array", "instruction"), how="left").select(
        *("array", "instruction", "step", "level", "start", "end", "process", "flops"),
        kind=pl.lit(ENGINE),
        place="node",
        title=pl.format("node {}", "node"),
        category="class",
        name=doing.otherwise(pl.format("{} {}", "step", "class")),
    )


def _about(trace: Trace) -> pl.DataFrame:
    """Arguments of a slice about its message."""
    messages = sent(trace).select("message", "instruction", "step", "level", "words")
    return messages.join(message_names(trace), on="message")


def _flights(run: Run) -> pl.DataFrame:
    """Slices of the messages in flight at every node, as many tracks as there are messages at once."""
    stays = run.in_flight.group_by("message", "hop", maintain_order=True).agg(
        pl.col("array", "node", "start").first(), pl.col("end").last()
    )
    stays = stays.sort("array", "node", "start", "message")
    owner = stays.select("array", "node").rows()
    stays = stays.with_columns(pl.Series("number", places(owner, stays["start"], stays["end"]), pl.Int64) + 1)
    return (
        run.in_flight.join(stays.select("message", "hop", "number"), on=("message", "hop"))
        .join(_about(run.trace), on="message")
        .with_columns(pl.col("label").replace_strict(NAMES).alias("category"), pl.col("node").alias("place"))
        .with_columns(
            pl.format("node {} message {}", "node", "number").alias("title"),
            pl.format("{} {}", "name", "category").alias("name"),
            kind=pl.lit(FLIGHT),
        )
        .drop("hop", "node", "label", "cycles", "number")
    )


def _channels(trace: Trace) -> pl.DataFrame:
    """Slices of every channel, one direction of one wire, by the array that it leaves."""
    inside = pl.col("target_array") == pl.col("source_array")
    down = pl.format("array {} node {}", "target_array", "target_node")
    to = pl.when(inside).then(pl.format("{}", "target_node")).otherwise(down)
    return trace.hops.join(_about(trace), on="message", how="left").select(
        *("instruction", "step", "level", "start", "end", "name", "message", "words", "queued"),
        array="source_array",
        kind=pl.lit(CHANNEL),
        place="source_node",
        title=pl.format("{} from {} to {}", "wire", "source_node", to),
        category="kind",
    )


def csv(tracks: Tracks) -> Iterator[bytes]:
    """CSV, piece by piece: a line of names, then a line an interval. Times are cycles."""
    placed = tracks.slices.pipe(joined, tracks.tracks.drop("name"), on="track")
    table = placed.select(
        *("array", "kind", pl.col("title").alias("track"), "name", "category", "step", "start", "end"),
        *((pl.col("end") - pl.col("start")).alias("duration"), *ARGUMENTS),
    )
    yield table.clear().write_csv().encode()
    for part in table.iter_slices(50_000):
        yield part.write_csv(include_header=False).encode()
