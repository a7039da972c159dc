"""FST: waveforms, as GTKWave and Surfer show them; written by GTKWave's own library, the package pylibfst.

A cycle is shown as a nanosecond. Of each array: `step`, what its control unit issues, and `under_way`, the
messages that it sent and that have not arrived. Of each node: `engine`, what it does, and `dma`, whether a
message leaves it. A signal has one value at a cycle, so what takes no time is not there.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from senn.traces.exports.tracks import CONTROL, ENGINE, Tracks

_NANOSECONDS = -9
_NOW = b"a run of senn"
"""In place of a date, so that the file of a run is always the same."""


def fst(tracks: Tracks) -> Iterator[bytes]:
    """The file."""
    from pylibfst import ffi, lib

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.fst"
        writer = lib.fstWriterCreate(str(path).encode(), 1)
        if writer == ffi.NULL:
            raise OSError(None, "the temporary file of an FST cannot be made", str(path))
        lib.fstWriterSetTimescale(writer, _NANOSECONDS)
        lib.fstWriterSetPackType(writer, lib.FST_WR_PT_LZ4)
        lib.fstWriterSetDate(writer, _NOW)
        handles = _declared(writer, tracks)
        _emit(writer, _changes(tracks), handles)
        lib.fstWriterClose(writer)
        yield path.read_bytes()


def _declared(writer: object, tracks: Tracks) -> dict[str, int]:
    """Handles of the signals by "array 1 step" and the like: arrays with what is theirs, nodes below them."""
    from pylibfst import ffi, lib

    kinds = {
        "under_way": (lib.FST_VT_VCD_INTEGER, 32),
        "dma": (lib.FST_VT_VCD_WIRE, 1),
        "step": (lib.FST_VT_GEN_STRING, 0),
        "engine": (lib.FST_VT_GEN_STRING, 0),
    }
    handles: dict[str, int] = {}

    def below(scope: str, *names: str) -> None:
        lib.fstWriterSetScope(writer, lib.FST_ST_VCD_MODULE, scope.replace(" ", "_").encode(), ffi.NULL)
        for name in names:
            kind, bits = kinds[name]
            handles[f"{place} {name}"] = lib.fstWriterCreateVar(
                writer, kind, lib.FST_VD_IMPLICIT, bits, name.encode(), 0
            )

    for (array,), of_array in tracks.tracks.group_by("array", maintain_order=True):
        place = f"array {array}"
        below(place, *(["step"] if CONTROL in of_array["kind"] else []), "under_way")
        for name, title in of_array.filter(kind=ENGINE).select("name", "title").iter_rows():
            place = name
            below(title, "engine", "dma")
            lib.fstWriterSetUpscope(writer)
        lib.fstWriterSetUpscope(writer)
    return handles


def _changes(tracks: Tracks) -> pl.DataFrame:
    """Columns cycle, signal, value (a text): every change of every signal, in order of time."""
    named = tracks.slices.join(tracks.tracks.rename({"name": "place"}), on="track", maintain_order="left")
    return pl.concat(
        [
            _doing(named.filter(pl.col("kind") == CONTROL).with_columns(place=_of("array {} step", "array"))),
            _doing(named.filter(pl.col("kind") == ENGINE).with_columns(place=_of("{} engine", "place"))),
            _leaving(tracks),
            tracks.flying.select(
                "cycle",
                _of("array {} under_way", "array").alias("signal"),
                _of("{}", "messages").alias("value"),
            ),
        ]
    ).sort("cycle", maintain_order=True)


def _doing(slices: pl.DataFrame) -> pl.DataFrame:
    """The name of what is done, from its start; nothing, from its end if nothing follows at once."""
    idle = slices.select(cycle=pl.lit(0, pl.Int64), signal="place", value=pl.lit("")).unique()
    slices = slices.filter(pl.col("end") > pl.col("start"))
    follows = pl.col("start").shift(-1).over("place") == pl.col("end")
    begins = slices.select(cycle="start", signal="place", value="name")
    ends = slices.filter(~follows.fill_null(False)).select(cycle="end", signal="place", value=pl.lit(""))
    first = idle.join(begins, on=("cycle", "signal"), how="anti")
    return pl.concat([first.sort("signal"), begins, ends])


def _leaving(tracks: Tracks) -> pl.DataFrame:
    """1 while any channel from a node carries something, else 0; nodes are those that have an engine."""
    hops = tracks.trace.hops.select(
        _of("array {} node {} dma", "source_array", "source_node").alias("signal"), "start", "end"
    )
    nodes = tracks.tracks.filter(kind=ENGINE).select(_of("{} dma", "name").alias("signal"))
    changes = pl.concat(
        [
            nodes.with_columns(cycle=pl.lit(0, pl.Int64), change=0),
            hops.select("signal", pl.col("start").alias("cycle"), change=1),
            hops.select("signal", pl.col("end").alias("cycle"), change=-1),
        ]
    ).join(nodes, on="signal", how="semi")
    busy = pl.col("change").cum_sum().over("signal") > 0
    return (
        changes.group_by("signal", "cycle")
        .agg(pl.col("change").sum())
        .sort("signal", "cycle")
        .with_columns(busy.cast(pl.Int8).alias("busy"))
        .filter((pl.col("busy") != pl.col("busy").shift().over("signal")).fill_null(True))
        .select("cycle", "signal", _of("{}", "busy").alias("value"))
    )


def _of(pattern: str, *columns: str) -> pl.Expr:
    return pl.format(pattern, *columns)


def _emit(writer: object, changes: pl.DataFrame, handles: dict[str, int]) -> None:
    from pylibfst import lib

    numbers = {name: handle for name, handle in handles.items() if name.endswith(" under_way")}
    bits = {name: handle for name, handle in handles.items() if name.endswith(" dma")}
    texts = {word: word.encode() for word in changes["value"].unique()}
    now = -1
    for cycle, signal, value in changes.iter_rows():
        if cycle != now:
            lib.fstWriterEmitTimeChange(writer, cycle)
            now = cycle
        if signal in bits:
            lib.fstWriterEmitValueChange(writer, bits[signal], texts[value])
        elif signal in numbers:
            lib.fstWriterEmitValueChange32(writer, numbers[signal], 32, int(value))
        else:
            text = texts[value]
            lib.fstWriterEmitVariableLengthValueChange(writer, handles[signal], text, len(text))
