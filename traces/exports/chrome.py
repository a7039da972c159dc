"""Trace Event JSON, as the Perfetto UI and chrome://tracing read it.

Times of the format are microseconds: a cycle is shown as one. An array is a process, a track a thread. An
arrow goes only through slices that take time, because readers look for the slice that is open where it
begins and ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import polars as pl

from senn.traces.exports.tracks import ARGUMENTS, Tracks, line, pieces, quoted


def chrome(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece: names first, then everything in order of time."""
    yield b'{"displayTimeUnit":"ns","otherData":{"time":"1 us shown is 1 cycle"},"traceEvents":[\n'
    yield from (f"{entry},\n".encode() for entry in _metadata(tracks))
    events = pl.concat([_slices(tracks), _arrows(tracks), _flying(tracks)])
    # At one cycle a slice comes before the arrow that binds to it, and slices of one track in their order.
    yield from pieces(events.sort("ts", "rank", "row")["text"], ",\n")
    yield b'{"ph":"M","name":"end of trace","pid":0,"tid":0,"args":{}}\n]}\n'


def _metadata(tracks: Tracks) -> Iterator[str]:
    digits = len(str(tracks.tracks.height))
    for array in tracks.tracks["array"].unique().sort():
        yield _named("process_name", array, 0, name=f"array {array} (1 us is 1 cycle)")
        yield _named("process_sort_index", array, 0, sort_index=array)
    for track, array, _, title, _ in tracks.tracks.iter_rows():
        # Readers that know no sort index go by the name.
        yield _named("thread_name", array, track + 1, name=f"{track + 1:0{digits}} {title}")
        yield _named("thread_sort_index", array, track + 1, sort_index=track + 1)


def _named(what: str, array: int, thread: int, **args: object) -> str:
    return json.dumps({"ph": "M", "name": what, "pid": array, "tid": thread, "args": args})


def _slices(tracks: Tracks) -> pl.DataFrame:
    arguments = [line(f'"{name}":%', name) for name in ARGUMENTS]
    table = tracks.slices.with_columns(quoted(tracks.slices["name"]))
    return _placed(tracks, table).select(
        pl.col("start").alias("ts"),
        pl.lit(0).alias("rank"),
        pl.col("slice").alias("row"),
        line(
            '{"ph":"X","pid":%,"tid":%,"ts":%,"dur":%,"name":%,"cat":"%","args":{%}}',
            "array",
            pl.col("track") + 1,
            "start",
            pl.col("end") - pl.col("start"),
            "name",
            "category",
            pl.concat_str(arguments, separator=",", ignore_nulls=True),
        ).alias("text"),
    )


def _arrows(tracks: Tracks) -> pl.DataFrame:
    """Each message: s in its first slice, t in those between, f in its last; where it has two or more."""
    ends = tracks.slices.filter(pl.col("end") > pl.col("start")).select("slice", "track", "start")
    ways = tracks.arrows.join(ends, on="slice", maintain_order="left").with_columns(
        pl.len().over("message").alias("parts"), pl.int_range(pl.len()).over("message").alias("place")
    )
    first, last = pl.col("place") == 0, pl.col("place") == pl.col("parts") - 1
    phase = pl.when(first).then(pl.lit("s")).when(last).then(pl.lit("f")).otherwise(pl.lit("t"))
    return _placed(tracks, ways.filter(pl.col("parts") > 1)).select(
        pl.col("start").alias("ts"),
        pl.lit(1).alias("rank"),
        pl.col("message").alias("row"),
        line(
            '{"ph":"%","bp":"e","id":%,"pid":%,"tid":%,"ts":%,"name":"message","cat":"message"}',
            phase,
            pl.col("message") + 1,
            "array",
            pl.col("track") + 1,
            "start",
        ).alias("text"),
    )


def _flying(tracks: Tracks) -> pl.DataFrame:
    return tracks.flying.select(
        pl.col("cycle").alias("ts"),
        pl.lit(2).alias("rank"),
        pl.col("array").alias("row"),
        line(
            '{"ph":"C","pid":%,"ts":%,"name":"messages","args":{"under way":%}}', "array", "cycle", "messages"
        ).alias("text"),
    )


def _placed(tracks: Tracks, table: pl.DataFrame) -> pl.DataFrame:
    """With the array of every track."""
    return table.join(tracks.tracks.select("track", "array"), on="track", maintain_order="left")


# CSV: one row an interval.

_AT_ONCE = 50_000


def csv(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece: a line of names, then a line an interval. Times are cycles."""
    placed = tracks.slices.join(tracks.tracks.drop("name"), on="track", maintain_order="left")
    table = placed.select(
        "array",
        "kind",
        pl.col("title").alias("track"),
        "name",
        "category",
        "step",
        "start",
        "end",
        (pl.col("end") - pl.col("start")).alias("duration"),
        *ARGUMENTS,
    )
    yield table.clear().write_csv().encode()
    for first in range(0, table.height, _AT_ONCE):
        yield table.slice(first, _AT_ONCE).write_csv(include_header=False).encode()
