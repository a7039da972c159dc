"""The data of a page: columns of whole numbers for its pictures, and facts in JSON's terms.

The tables are those of the trace, under the names that they have there ("hops.start"); a text stands in a
column as its place in a list of words, and what is null as -1. Nothing is worked out in the browser that an
analysis here returns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from senn.base.account import Section
from senn.base.tables import Cell
from senn.traces import analysis
from senn.traces.analysis.traffic import CHANNEL
from senn.traces.facts import facts
from senn.traces.parts import COLORS
from senn.traces.pictures.network import ENDS, layout
from senn.traces.record import Integers, Trace, joined
from senn.traces.report.parts import payloads
from senn.traces.run import Run

Key = tuple[int, str, int | None]
"""Array, step and level (of the loop) of an instruction."""
Line = tuple[str, Key | None]
"""A line of the listing, and the instruction that it prints, if it is issued."""
Stage = tuple[Key, Collection[tuple[int, int]]]
"""The instruction at whose end the matrix is there, and its blocks above the diagonal as (row, column), from
1."""


@dataclass(frozen=True)
class ReportContent:
    """Content that a run does not know: the listing, and the matrix as it was made and after each level."""

    listing: Sequence[Line] = ()
    stages: Sequence[Stage] = ()


_NONE = -1
_LEFT_OUT = {
    "instructions": (),
    "activities": ("flops",),
    "messages": ("id", "step"),
    "hops": ("hop", "source_array", "target_array", "kind", "wire", "source_node", "target_node"),
}
"""The columns of each table that the page does without; ids and hops count from 0: they are places in it."""


def columns(run: Run, content: ReportContent) -> tuple[dict[str, Integers], dict[str, list[str]]]:
    """The columns by name, and the words of those that are texts."""
    trace = run.trace
    packed: dict[str, Integers] = {}
    words: dict[str, list[str]] = {}
    tables = {name: trace.table(name).drop(rest) for name, rest in _LEFT_OUT.items()}
    tables = {name: table for name, table in tables.items() if table.height}
    if trace.detail == "full":
        schema = {x: pl.String if x in ("label", "step") else pl.Int64 for x in analysis.Piece._fields}
        path = pl.DataFrame(run.path, schema=schema, orient="row")
        hops = trace.hops.select("message", "hop", pl.int_range(pl.len()).alias("row"))
        called = pl.col("label").replace_strict(analysis.NAMES).alias("name")
        flights = run.in_flight.pipe(joined, hops, on=["message", "hop"])
        tables |= {
            "bars": bars(run),
            "flights": flights.select(pl.col("row").alias("hop"), called, "start", "end"),
            "waits": waiting(trace),
            **network(trace, _nodes(run.description, trace)),
            "path": path.select("start", "end", "array", "instruction", "message", "node", "label"),
            **payloads(run),
            "pairs": analysis.communication_matrix(trace).drop("messages"),
        }
    tables |= {"listing": listing(trace, content.listing), "blocks": blocks(content.stages)}
    for name, table in tables.items():
        for column in table:
            place = f"{name}.{column.name}"
            if column.dtype == pl.String:
                words[place] = column.unique(maintain_order=True).to_list()
                codes = {word: code for code, word in enumerate(words[place])}
                column = column.replace_strict(codes, return_dtype=pl.Int64)
            packed[place] = column.fill_null(_NONE).to_numpy()
    return packed, words


def page_facts(run: Run, content: ReportContent) -> dict[str, Any]:
    """Facts of the whole run that the pictures need."""
    trace = run.trace
    summary = trace.detail == "summary"
    ends, places = ({}, {}) if summary else (analysis.ends(trace), run.parts.places)
    return {
        "detail": trace.detail,
        "perNode": analysis.per_node(trace),
        "makespan": run.summary.get("makespan", 0),
        "arrays": list(ends),
        "ends": {str(array): end for array, end in ends.items()},
        "last": _last(trace),
        "nodes": _nodes(run.description, trace),
        "spent": dict(analysis.WORDS),
        "parts": {label: place for label, place in places.items() if place < len(COLORS)},
        "n": run.description.get("program", {}).get("n"),
        "stages": [[after, ends_of(trace, key)] for after, (key, _) in enumerate(content.stages)],
    }


def time_axes(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Facts of the time axis that runs have in common: ``span``, its cycles, of the run that takes longest.

    Where clocks differ it is ``timed``: one of time, with ``clock`` cycles in a microsecond.
    """
    clocks = [facts(run).clock or Fraction(1) for run in runs]
    timed = len(set(clocks)) > 1
    scales = clocks if timed else [Fraction(1)] * len(runs)
    longest = max(_last(run.trace) / scale for run, scale in zip(runs, scales, strict=True))
    return [
        {"runs": len(runs), "timed": timed, "clock": float(scale), "span": ceil(longest * scale)}
        for scale in scales
    ]


_CYCLES = {"cycles", "ends at", "dependency\nwait", "exposed\nstall", "occupied", "queueing"}
"""Heads of the columns of tables that count cycles."""


def with_times(section: Section, clock: float) -> Section:
    """The section, in its table the time beside each number of cycles, at so many cycles a microsecond."""
    if section.table is None:
        return section

    def cell(head: str, cycles: Cell) -> Cell:
        if head not in _CYCLES or not isinstance(cycles, int):
            return cycles
        time = cycles / clock
        return f"{cycles:,} ({time:,.1f} µs)" if time >= 100 else f"{cycles:,} ({time:.3g} µs)"

    heads = (*section.table.texts, *section.table.numbers)
    rows = [[cell(head, x) for head, x in zip(heads, row, strict=True)] for row in section.table.rows]
    return replace(section, table=replace(section.table, rows=rows))


def _last(trace: Trace) -> int:
    """The cycle at which the last control unit has ended and the last channel is free, at least 1."""
    ends = analysis.ends(trace).values() if trace.detail != "summary" else ()
    return max(int(trace.hops["end"].to_numpy().max(initial=0)), *map(int, ends), 1)


def _nodes(description: Mapping[str, Any], trace: Trace) -> int:
    """Nodes of each array: those of the schedule, or as many as did anything."""
    return max(analysis.nodes(trace), int(description.get("schedule", {}).get("nodes", 0)))


# What the timeline of a report draws: every busy cycle of every engine and DMA once, in few rectangles.
# Lanes of a SIMD array do the same at once, so neighbouring nodes that do are one bar, from node ``low``
# to ``high``. What several messages do at a node at a time, such as starting up, is there once: of two that
# overlap, the later one is drawn from where the earlier one ends. So the area of all bars is the busy time,
# to the cycle.

COMPUTE, POST, RECEIVE, SEND, STARTUP, QUEUE = range(6)
"""What a bar is: three of an engine, and three of the messages in flight at a node; SEND: header or words."""

_CLASSES = {"compute": COMPUTE, "post": POST, "receive": RECEIVE}
_FLIGHTS = {"queue": QUEUE, "startup": STARTUP, "hop": SEND, "words": SEND}
_LIKE = ("array", "row", "what", "start", "end")


def bars(run: Run) -> pl.DataFrame:
    """Columns array, row (of the instruction that computes, or has sent), what, start, end, low, high."""
    trace = run.trace
    trace.require("hops")
    engines = _with_row(trace, trace.activities, "array").filter(pl.col("end") > pl.col("start"))
    what = pl.col("class").replace_strict(_CLASSES, return_dtype=pl.Int64).alias("what")
    engines = engines.select("array", "row", what, "start", "end", "node")
    senders = analysis.sent(trace).select("message", pl.col("array").alias("sender"), "instruction")
    flights = run.in_flight.join(senders, on="message", how="left")
    # Of messages that are alike at a node at a time the first one is drawn.
    before = pl.col("end").cum_max().shift().over("array", "node", "what").fill_null(0)
    sending = (
        _with_row(trace, flights, "sender")
        .with_columns(pl.col("label").replace_strict(_FLIGHTS, return_dtype=pl.Int64).alias("what"))
        .sort("array", "node", "what", "start", "end")
        .with_columns(pl.max_horizontal("start", before).alias("start"))
        .filter(pl.col("end") > pl.col("start"))
    )
    return pl.concat([_neighbours(engines, _LIKE), _neighbours(sending, _LIKE)])


def waiting(trace: Trace) -> pl.DataFrame:
    """The waits for messages: columns array, row (of the instruction), start, posted, end, low, high.

    In [start, posted) the message was not yet posted, in [posted, end) it was in flight. Where the lanes of
    an array go together, low and high are -1: all of its nodes wait.
    """
    stalls = _with_row(trace, analysis.stalls(trace), "array").with_columns(pl.col("node").fill_null(-1))
    return _neighbours(stalls, ("array", "row", "start", "posted", "end"))


def _with_row(trace: Trace, table: pl.DataFrame, array: str) -> pl.DataFrame:
    """The table with the ``row`` of its ``instruction``, which is one of the array in this column."""
    numbered = analysis.issued(trace).with_columns(row=pl.int_range(pl.len()))
    rows = numbered.select(pl.col("array").alias(array), "instruction", "row")
    return table.pipe(joined, rows, on=[array, "instruction"], how="left")


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


# The program beside its run: lines of the listing as instructions, and what is left of the matrix.


def listing(trace: Trace, lines: Sequence[Line]) -> pl.DataFrame:
    """A row for each line: its text, and the row of its instruction in the table, null if it has none."""
    rows = trace.instructions.select("array", "step", "level", row=pl.int_range(pl.len()))
    schema = {"text": pl.String, "array": pl.Int64, "step": pl.String, "level": pl.Int64}
    keyed = [(text, *(key or (None, None, None))) for text, key in lines]
    table = pl.DataFrame(keyed, schema=schema, orient="row")
    numbered = table.pipe(joined, rows, on=["array", "step", "level"], how="left", nulls=True)
    return numbered.select("text", pl.when(pl.col("step").is_not_null()).then("row").alias("row"))


def blocks(stages: Sequence[Stage]) -> pl.DataFrame:
    """The blocks of every stage: columns stage (its place), row, column."""
    rows = [(place, *block) for place, (_, there) in enumerate(stages) for block in sorted(there)]
    return pl.DataFrame(rows, schema=dict.fromkeys(("stage", "row", "column"), pl.Int64), orient="row")


def ends_of(trace: Trace, key: Key) -> int:
    """The cycle in which an instruction ends, 0 for one that is not there."""
    array, step, level = key
    rows = trace.instructions.filter(pl.col("level").eq_missing(level), array=array, step=step)
    return int(rows["end"].to_numpy().max(initial=0))


# The network as the page draws it: where its nodes stand, its channels, and which of them a hop crossed.

_ROOM = 1000  # the whole picture is so many whole numbers wide and high


def network(trace: Trace, nodes: int) -> dict[str, pl.DataFrame]:
    """``channels``, their kinds and ends, with x and y of the middle of each curve; ``places`` of
    the nodes: array, x, y, in order of array and node; ``crossed``: the channel of every hop, by its place.

    x goes from 0 to 1000 to the right, y from 0 to 1000 downwards.
    """
    channels = analysis.channels(trace)
    arrays = trace.instructions["array"].unique().sort().to_list()
    drawn = layout(channels, nodes, arrays)
    curves = drawn.curves(channels)
    middles = np.array([curve[len(curve) // 2] if len(curve) > 2 else curve.mean(axis=0) for curve in curves])
    places = np.concatenate([drawn.places[array] for array in arrays])
    points = np.concatenate([places, middles.reshape(-1, 2)])
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    scaled = np.rint(_ROOM * (points - low) / size).astype(np.int64)
    scaled[:, 1] = _ROOM - scaled[:, 1]
    at, between = scaled[: len(places)], scaled[len(places) :]
    numbered = channels.select(CHANNEL).with_columns(pl.int_range(pl.len()).alias("channel"))
    return {
        "channels": channels.select("kind", *ENDS).with_columns(
            pl.Series("x", between[:, 0], dtype=pl.Int64), pl.Series("y", between[:, 1], dtype=pl.Int64)
        ),
        "places": pl.DataFrame({"array": np.repeat(arrays, nodes), "x": at[:, 0], "y": at[:, 1]}),
        "crossed": trace.hops.pipe(joined, numbered, on=CHANNEL, how="left").select("channel"),
    }
