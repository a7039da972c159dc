"""CSV: one row an interval."""

from collections.abc import Iterator

import polars as pl

from senn.traces.exports.tracks import ARGUMENTS, Tracks

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
