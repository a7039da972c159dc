"""Kanata: a row a message, with its stages, as the pipeline viewer Konata shows them.

The format is described in https://github.com/shioyadan/Konata/blob/master/docs/kanata-log-format.md.
Stages: Q waits for a channel, X crosses it (from the second channel on Q2, X2, ...), B has arrived and is
not read yet, R is read. A stage with an X in its name is one that arrows of this viewer begin and end in.
Stages of no duration are left out.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from senn.traces.exports.lines import line, pieces, plain
from senn.traces.exports.tracks import Tracks, message_names
from senn.traces.record.trace import Trace

_END, _BEGIN, _ARROW, _START, _RETIRE = range(5)
"""What comes first at one cycle."""


def kanata(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece, in order of time."""
    yield b"Kanata\t0004\nC=\t0\n"
    commands = _commands(tracks.trace).sort("cycle", "rank", "row", "place")
    later = pl.col("cycle") - pl.col("cycle").shift(fill_value=0)
    passed = pl.when(later > 0).then(line("C\t%\n", later)).otherwise(pl.lit(""))
    yield from pieces(commands.select(pl.concat_str(passed, "text").alias("text"))["text"])


def _commands(trace: Trace) -> pl.DataFrame:
    """Columns cycle, rank, row, place (of the stage in its row) and text."""
    rows = _rows(trace)
    stages = _stages(trace, rows)
    last = stages.group_by("row").agg(pl.col("end").max())
    retired = rows.join(last, on="row", how="left").with_columns(
        pl.max_horizontal("posted", "end").alias("end")
    )
    retired = retired.sort("end", "row").with_row_index("retired")
    begun = line(
        "I\t%\t%\t%\nL\t%\t0\t% %\nL\t%\t1\tmessage %: % words from array % node % to array % node %",
        *("row", "message", "source_array", "row", "name", "step", "row", "message", "words"),
        *("source_array", "source_node", "target_array", "target_node"),
    )
    follows = (
        _followed(trace)
        .join(rows.select("message", "row", "posted"), on="message")
        .join(rows.select(pl.col("message").alias("before"), pl.col("row").alias("producer")), on="before")
    )
    return pl.concat(
        [
            _command(rows, "posted", _BEGIN, begun),
            _command(follows, "posted", _ARROW, line("W\t%\t%\t0", "row", "producer")),
            _command(stages, "start", _START, line("S\t%\t0\t%", "row", "stage")),
            _command(stages, "end", _END, line("E\t%\t0\t%", "row", "stage")),
            _command(retired, "end", _RETIRE, line("R\t%\t%\t0", "row", "retired")),
        ]
    )


def _command(table: pl.DataFrame, cycle: str, rank: int, text: pl.Expr) -> pl.DataFrame:
    place = pl.col("place") if "place" in table.columns else pl.lit(0, pl.Int64)
    return table.select(
        pl.col(cycle).alias("cycle"),
        pl.lit(rank).alias("rank"),
        "row",
        place.alias("place"),
        text.alias("text"),
    )


def _rows(trace: Trace) -> pl.DataFrame:
    """The messages with their names, in order of their posts; column row counts them."""
    return (
        trace.messages.rename({"id": "message"})
        .join(message_names(trace), on="message")
        .sort("posted", "message")
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64), plain(pl.col("name")), plain(pl.col("step")))
    )


def _stages(trace: Trace, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns row, place, stage, start, end: in order for every row, each longer than nothing."""
    hops = trace.hops.join(rows.select("message", "row"), on="message")
    number = pl.when(pl.col("hop") == 0).then(pl.lit("")).otherwise((pl.col("hop") + 1).cast(pl.String))
    read = (
        trace.activities.group_by("array", "instruction", "node")
        .agg(pl.col("end").max())
        .join(
            rows,
            left_on=("array", "instruction", "node"),
            right_on=("target_array", "read_by", "target_node"),
        )
    )
    late = 2 + 2 * int(trace.hops["hop"].to_numpy().max(initial=0))

    def stages(table: pl.DataFrame, place: pl.Expr, name: pl.Expr, start: str, end: str) -> pl.DataFrame:
        return table.select(
            "row",
            place.alias("place"),
            name.alias("stage"),
            pl.col(start).alias("start"),
            pl.col(end).alias("end"),
        )

    return pl.concat(
        [
            stages(hops, 2 * pl.col("hop"), pl.lit("Q") + number, "queued", "start"),
            stages(hops, 2 * pl.col("hop") + 1, pl.lit("X") + number, "start", "end"),
            stages(rows, pl.lit(late, pl.Int64), pl.lit("B"), "arrived", "read_at"),
            stages(read, pl.lit(late + 1, pl.Int64), pl.lit("R"), "read_at", "end"),
        ]
    ).filter(pl.col("end") > pl.col("start"))


def _followed(trace: Trace) -> pl.DataFrame:
    """Columns message, before: the message that the sender of one had read last when it sent that one.

    Of those that one instruction reads, the one that came last.
    """
    # Reads by node and then by time, as one number each; a send looks for the last of its node up to its own.
    messages = trace.messages
    nodes = 1 + max(
        int(messages[column].to_numpy().max(initial=0)) for column in ("source_node", "target_node")
    )
    serials = 1 + int(trace.instructions["serial"].to_numpy().max(initial=0))

    def moment(array: str, node: str, instruction: str) -> pl.Expr:
        return ((pl.col(array) * nodes + pl.col(node)) * serials + pl.col(instruction)).alias("moment")

    read = messages.select(moment("target_array", "target_node", "read_by"), "arrived", before="id")
    read = read.sort("moment", "arrived", "before")
    sent = messages.select(moment("source_array", "source_node", "instruction"), message="id")
    last = np.searchsorted(read["moment"].to_numpy(), sent["moment"].to_numpy(), side="right") - 1
    found = sent.filter(last >= 0).hstack(read.rename({"moment": "read"})[last[last >= 0]])
    return found.filter(pl.col("read") // serials == pl.col("moment") // serials).select("message", "before")
