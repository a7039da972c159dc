"""Formats of text: Trace Event JSON, CSV, Paje and Kanata.

Trace Event JSON is read by the Perfetto UI and chrome://tracing. Its times are microseconds: a cycle is shown
as one. An array is a process, a track a thread. An arrow goes only through slices that take time, because
readers look for the slice that is open where it begins and ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import polars as pl

from senn.traces import analysis
from senn.traces.analysis.joins import joined
from senn.traces.exports.tracks import (
    ARGUMENTS,
    ENGINE,
    KINDS,
    Tracks,
    line,
    message_names,
    pieces,
    plain,
    quoted,
)
from senn.traces.record import Trace
from senn.traces.run import Run


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
    table = tracks.slices.with_columns(quoted(tracks.slices[name]) for name in ("name", "category"))
    text = line(
        '{"ph":"X","pid":%,"tid":%,"ts":%,"dur":%,"name":%,"cat":%,"args":{%}}',
        *("array", pl.col("track") + 1, "start", pl.col("end") - pl.col("start"), "name", "category"),
        pl.concat_str(arguments, separator=",", ignore_nulls=True),
    )
    return _placed(tracks, table).select(ts="start", rank=pl.lit(0), row="slice", text=text)


def _arrows(tracks: Tracks) -> pl.DataFrame:
    """Each message: s in its first slice, t in those between, f in its last; where it has two or more."""
    ends = tracks.slices.filter(pl.col("end") > pl.col("start")).select("slice", "track", "start")
    ways = tracks.arrows.pipe(joined, ends, on="slice").with_columns(
        pl.len().over("message").alias("parts"), pl.int_range(pl.len()).over("message").alias("place")
    )
    first, last = pl.col("place") == 0, pl.col("place") == pl.col("parts") - 1
    phase = pl.when(first).then(pl.lit("s")).when(last).then(pl.lit("f")).otherwise(pl.lit("t"))
    text = line(
        '{"ph":"%","bp":"e","id":%,"pid":%,"tid":%,"ts":%,"name":"message","cat":"message"}',
        *(phase, pl.col("message") + 1, "array", pl.col("track") + 1, "start"),
    )
    placed = _placed(tracks, ways.filter(pl.col("parts") > 1))
    return placed.select(ts="start", rank=pl.lit(1), row="message", text=text)


def _flying(tracks: Tracks) -> pl.DataFrame:
    event = '{"ph":"C","pid":%,"ts":%,"name":"messages","args":{"in flight":%}}'
    text = line(event, "array", "cycle", "count")
    return tracks.flying.select(ts="cycle", rank=pl.lit(2), row="array", text=text)


def _placed(tracks: Tracks, table: pl.DataFrame) -> pl.DataFrame:
    """With the array of every track."""
    return table.pipe(joined, tracks.tracks.select("track", "array"), on="track")


# CSV: one row an interval.

_AT_ONCE = 50_000


def csv(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece: a line of names, then a line an interval. Times are cycles."""
    placed = tracks.slices.pipe(joined, tracks.tracks.drop("name"), on="track")
    table = placed.select(
        *("array", "kind", pl.col("title").alias("track"), "name", "category", "step", "start", "end"),
        *((pl.col("end") - pl.col("start")).alias("duration"), *ARGUMENTS),
    )
    yield table.clear().write_csv().encode()
    for first in range(0, table.height, _AT_ONCE):
        yield table.slice(first, _AT_ONCE).write_csv(include_header=False).encode()


# Paje: containers with states and links, as ViTE, pj_dump and R (Paje) read them. A cycle is 1. The
# format is described in https://paje.sourceforge.net/download/publication/lang-paje.pdf. Containers:
# the run, its arrays, in each its control unit, engines and channels. States are intervals; a link
# goes from the post of a message at the engine that sends it to when it is read at the engine that
# does; a variable of every array counts the messages in flight.

_EVENTS = {
    "PajeDefineContainerType": "Alias string, Type string, Name string",
    "PajeDefineStateType": "Alias string, Type string, Name string",
    "PajeDefineVariableType": "Alias string, Type string, Name string, Color color",
    "PajeDefineLinkType": (
        "Alias string, Type string, StartContainerType string, EndContainerType string, Name string"
    ),
    "PajeDefineEntityValue": "Alias string, Type string, Name string, Color color",
    "PajeCreateContainer": "Time date, Alias string, Type string, Container string, Name string",
    "PajeDestroyContainer": "Time date, Type string, Name string",
    "PajeSetVariable": "Time date, Type string, Container string, Value double",
    "PajePushState": "Time date, Type string, Container string, Value string",
    "PajePopState": "Time date, Type string, Container string",
    "PajeStartLink": (
        "Time date, Type string, Container string, StartContainer string, Value string, Key string"
    ),
    "PajeEndLink": "Time date, Type string, Container string, EndContainer string, Value string, Key string",
}
"""Every event with its fields; its number is its place."""
_NUMBER = {name: str(place) for place, name in enumerate(_EVENTS)}
_TYPES = {kind: kind[:2].upper() for kind in KINDS}
"""Of containers, by kind: CO, EN, CH; of their states S and these."""
_COLORS = (
    *("0.0 0.45 0.70", "0.90 0.60 0.0", "0.0 0.62 0.45"),
    *("0.80 0.47 0.65", "0.35 0.70 0.90", "0.84 0.37 0.0"),
)


def paje(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece: what there is, then events in order of time, then the end."""
    yield "".join(_definitions()).encode()
    yield "".join(_containers(tracks)).encode()
    yield from pieces(_values(tracks))
    events = pl.concat([_states(tracks), _links(tracks), _paje_flying(tracks)]).sort("time", "rank", "order")
    yield from pieces(events["text"])
    last = events["time"].max() or 0
    yield _event("DestroyContainer", str(last), "RUN", "run").encode()


def _definitions() -> Iterator[str]:
    for name, fields in _EVENTS.items():
        yield f"%EventDef {name} {_NUMBER[name]}\n"
        yield from (f"%   {field}\n" for field in fields.split(", "))
        yield "%EndEventDef\n"
    yield _event("DefineContainerType", "RUN", "0", '"run"')
    yield _event("DefineContainerType", "AR", "RUN", '"array"')
    yield _event("DefineVariableType", "N", "AR", '"messages in flight"', '"0.3 0.3 0.3"')
    for kind, alias in _TYPES.items():
        yield _event("DefineContainerType", alias, "AR", f'"{kind}"')
        yield _event("DefineStateType", f"S{alias}", alias, f'"{kind}"')
    engine = _TYPES[ENGINE]
    yield _event("DefineLinkType", "M", "RUN", engine, engine, '"message"')


def _event(name: str, *fields: str) -> str:
    return f"{_NUMBER[f'Paje{name}']} {' '.join(fields)}\n"


def _containers(tracks: Tracks) -> Iterator[str]:
    yield _event("CreateContainer", "0", "run", "RUN", "0", '"run"')
    for array in tracks.tracks["array"].unique().sort():
        yield _event("CreateContainer", "0", f"a{array}", "AR", "run", f'"array {array}"')
    for track, array, kind, _, name in tracks.tracks.iter_rows():
        yield _event("CreateContainer", "0", f"t{track}", _TYPES[kind], f"a{array}", f'"{name}"')


def _paje_named(tracks: Tracks) -> pl.DataFrame:
    """The slices with the type of their states (column type) and the alias of their name (column value)."""
    types = tracks.tracks.select("track", pl.col("kind").replace_strict(_TYPES).alias("type"))
    return tracks.slices.pipe(joined, types, on="track").with_columns(
        pl.col("name").rank("dense").cast(pl.Int64).alias("value")
    )


def _values(tracks: Tracks) -> pl.Series:
    """A line for every name that a type of states has; names of one step have one colour."""
    distinct = (
        _paje_named(tracks).select("type", "value", "name", "step").unique(("type", "value"), keep="first")
    )
    color = (pl.col("step").rank("dense").cast(pl.Int64) % len(_COLORS)).replace_strict(
        dict(enumerate(_COLORS)), return_dtype=pl.String
    )
    value, pattern = line("%x%", "type", "value"), f'{_NUMBER["PajeDefineEntityValue"]} v% S% "%" "%"'
    text = line(pattern, value, "type", plain(pl.col("name")), color)
    return distinct.sort("type", "value").select(text=text)["text"]


def _states(tracks: Tracks) -> pl.DataFrame:
    """Columns time, rank, order, text. What a track does comes in its order, also where it takes no time."""
    named = _paje_named(tracks)
    push = line(
        f"{_NUMBER['PajePushState']} % S% t% v%", "start", "type", "track", line("%x%", "type", "value")
    )
    pop = line(f"{_NUMBER['PajePopState']} % S% t%", "end", "type", "track")
    rank = pl.lit(0).alias("rank")
    return pl.concat(
        [
            named.select(time="start", rank=rank, order=2 * pl.col("slice"), text=push),
            named.select(time="end", rank=rank, order=2 * pl.col("slice") + 1, text=pop),
        ]
    )


def _links(tracks: Tracks) -> pl.DataFrame:
    messages = tracks.run.trace.messages.join(
        message_names(tracks.run.trace), left_on="id", right_on="message"
    )

    def ends(event: str, time: str, side: str, rank: int) -> pl.DataFrame:
        placed = messages.join(
            tracks.engines, left_on=(f"{side}_array", f"{side}_node"), right_on=("array", "node")
        )
        text = line(f'{_NUMBER[event]} % M run t% "%" %', time, "track", plain(pl.col("name")), "id")
        return placed.select(time=time, rank=pl.lit(rank), order="id", text=text)

    return pl.concat(
        [ends("PajeStartLink", "posted", "source", 1), ends("PajeEndLink", "read_at", "target", 2)]
    )


def _paje_flying(tracks: Tracks) -> pl.DataFrame:
    text = line(f"{_NUMBER['PajeSetVariable']} % N a% %", "cycle", "array", "count")
    return tracks.flying.select(time="cycle", rank=pl.lit(3), order="array", text=text)


# Kanata: a row a message, with its stages, as the pipeline viewer Konata shows them. The format is described
# in https://github.com/shioyadan/Konata/blob/master/docs/kanata-log-format.md. Stages: Q waits for a channel,
# S starts up, H is a header and X words on a channel (from the second channel on Q2, X2, ...), B has arrived
# and is not read yet, R is read. A stage with an X in its name is one that arrows of this viewer begin and
# end in. Stages of no duration are left out.

_END, _BEGIN, _ARROW, _START, _RETIRE = range(5)
"""What comes first at one cycle."""


def kanata(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece, in order of time."""
    yield b"Kanata\t0004\nC=\t0\n"
    commands = _commands(tracks.run).sort("cycle", "rank", "row", "place")
    later = pl.col("cycle") - pl.col("cycle").shift(fill_value=0)
    passed = pl.when(later > 0).then(line("C\t%\n", later)).otherwise(pl.lit(""))
    yield from pieces(commands.select(pl.concat_str(passed, "text").alias("text"))["text"])


def _commands(run: Run) -> pl.DataFrame:
    """Columns cycle, rank, row, place (of the stage in its row) and text."""
    trace = run.trace
    rows = _rows(trace)
    stages = _stages(run, rows)
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
    return table.select("row", cycle=cycle, rank=pl.lit(rank), place=place, text=text)


def _rows(trace: Trace) -> pl.DataFrame:
    """The messages with their names, in order of their posts; column row counts them."""
    return (
        trace.messages.rename({"id": "message"})
        .join(message_names(trace), on="message")
        .sort("posted", "message")
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64), plain(pl.col("name")), plain(pl.col("step")))
    )


_STAGES = {"queue": "Q", "startup": "S", "hop": "H", "words": "X"}


def _stages(run: Run, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns row, place, stage, start, end: in order for every row, each longer than nothing."""
    flights = run.in_flight.pipe(joined, rows.select("message", "row"), on="message")
    number = pl.when(pl.col("hop") == 0).then(pl.lit("")).otherwise((pl.col("hop") + 1).cast(pl.String))
    key, reader = ("array", "instruction", "node"), ("target_array", "read_by", "target_node")
    ends = run.trace.activities.group_by(key).agg(pl.col("end").max())
    read = ends.join(rows, left_on=key, right_on=reader)
    late = flights.height

    def stages(table: pl.DataFrame, place: pl.Expr, name: pl.Expr, start: str, end: str) -> pl.DataFrame:
        return table.select("row", place=place, stage=name, start=start, end=end)

    named = pl.col("label").replace_strict(_STAGES) + number
    return pl.concat(
        [
            stages(flights, pl.int_range(pl.len()), named, "start", "end"),
            stages(rows, pl.lit(late, pl.Int64), pl.lit("B"), "arrived", "read_at"),
            stages(read, pl.lit(late + 1, pl.Int64), pl.lit("R"), "read_at", "end"),
        ]
    ).filter(pl.col("end") > pl.col("start"))


def _followed(trace: Trace) -> pl.DataFrame:
    """Columns message, before: the message that the sender of one had read last when it sent that one.

    Of those that one instruction reads, the one that came last.
    """
    # Reads by node and then by time, as one number each; a send looks for the last of its node up to its own.
    messages, nodes = trace.messages, analysis.nodes(trace)
    serials = 1 + int(trace.instructions["serial"].to_numpy().max(initial=0))

    def moment(array: str, node: str, instruction: str) -> pl.Expr:
        return ((pl.col(array) * nodes + pl.col(node)) * serials + pl.col(instruction)).alias("moment")

    read = messages.select(moment("target_array", "target_node", "read_by"), "arrived", before="id")
    read = read.sort("moment", "arrived", "before")
    sent = messages.select(moment("source_array", "source_node", "instruction"), message="id")
    last = np.searchsorted(read["moment"].to_numpy(), sent["moment"].to_numpy(), side="right") - 1
    pairs = sent.filter(last >= 0).hstack(read.rename({"moment": "read"})[last[last >= 0]])
    return pairs.filter(pl.col("read") // serials == pl.col("moment") // serials).select("message", "before")
