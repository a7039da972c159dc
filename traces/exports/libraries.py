"""FST: waveforms, as GTKWave and Surfer show them; written by GTKWave's own library, the package pylibfst.

A cycle is shown as a nanosecond. Of each array: `step`, what its control unit issues, and `under_way`, the
messages that it sent and that have not arrived. Of each node: `engine`, what it does, `dma`, whether a
channel from it is occupied, and `message_1`, `message_2`, ..., the messages in flight there. A signal has one
value at a cycle, so what takes no time is not there.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from senn.traces.analysis import at_once
from senn.traces.exports.tracks import CONTROL, ENGINE, FLIGHT, NONE_YET, Tracks
from senn.traces.record import joined

_NANOSECONDS = -9
_LEAST = 2**16
_NAMES = (4, 6, 7)
"""Kinds of the block of names: compressed in three ways."""
_NOW = b"a run of senn"
"""In place of a date, so that the file of a run is always the same."""


def fst(tracks: Tracks) -> Iterator[bytes]:
    """The file."""
    from pylibfst import ffi, lib

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.fst"
        path.write_bytes(bytes(_LEAST))  # the library ends the process where not even this has room
        writer = lib.fstWriterCreate(str(path).encode(), 1)
        if writer == ffi.NULL:
            raise OSError(None, "the temporary file of an FST cannot be made", str(path))
        lib.fstWriterSetTimescale(writer, _NANOSECONDS)
        lib.fstWriterSetPackType(writer, lib.FST_WR_PT_LZ4)
        lib.fstWriterSetDate(writer, _NOW)
        handles, changes, now = _declared(writer, tracks), _changes(tracks), -1
        texts = {word: word.encode() for word in changes["value"].unique()}
        for cycle, signal, value in changes.iter_rows():
            if cycle != now:
                lib.fstWriterEmitTimeChange(writer, cycle)
                now = cycle
            if signal.endswith(" dma"):
                lib.fstWriterEmitValueChange(writer, handles[signal], texts[value])
            elif signal.endswith(" under_way"):
                lib.fstWriterEmitValueChange32(writer, handles[signal], 32, int(value))
            else:
                text = texts[value]
                lib.fstWriterEmitVariableLengthValueChange(writer, handles[signal], text, len(text))
        lib.fstWriterClose(writer)
        written = path.read_bytes()
        if not _is_whole(written):  # the library ignores errors of writing
            raise OSError(errno.ENOSPC, "no space left for its temporary file")
        yield written


def _is_whole(content: bytes) -> bool:
    """Whether blocks fill the file, each with its kind and its length, and the last has the names."""
    at, kind = 0, 0
    while at < len(content) and (length := int.from_bytes(content[at + 1 : at + 9])):
        kind, at = content[at], at + 1 + length
    return at == len(content) and kind in _NAMES


def _declared(writer: object, tracks: Tracks) -> dict[str, int]:
    """Handles of the signals by "array 1 step" and the like: arrays with what is theirs, nodes below them."""
    from pylibfst import ffi, lib

    kinds = {"under_way": (lib.FST_VT_VCD_INTEGER, 32), "dma": (lib.FST_VT_VCD_WIRE, 1)}
    text = (lib.FST_VT_GEN_STRING, 0)
    handles: dict[str, int] = {}

    def below(scope: str, *names: str) -> None:
        lib.fstWriterSetScope(writer, lib.FST_ST_VCD_MODULE, scope.replace(" ", "_").encode(), ffi.NULL)
        for name in names:
            kind, bits = kinds.get(name, text)
            handles[f"{place} {name}"] = lib.fstWriterCreateVar(
                writer, kind, lib.FST_VD_IMPLICIT, bits, name.replace(" ", "_").encode(), 0
            )

    for (array,), of_array in tracks.tracks.group_by("array", maintain_order=True):
        place = f"array {array}"
        below(place, *(["step"] if CONTROL in of_array["kind"] else []), "under_way")
        nodes: dict[str, list[str]] = {}
        for kind, title in of_array.select("kind", "title").iter_rows():
            node, _, message = title.partition(" message ")
            if kind in (ENGINE, FLIGHT):
                nodes.setdefault(node, []).extend([f"message {message}"] if message else ["engine", "dma"])
        for node, signals in nodes.items():
            place = f"array {array} {node}"
            below(node, *signals)
            lib.fstWriterSetUpscope(writer)
        lib.fstWriterSetUpscope(writer)
    return handles


def _changes(tracks: Tracks) -> pl.DataFrame:
    """Columns cycle, signal, value (a text): every change of every signal, in order of time."""
    named = tracks.slices.pipe(joined, tracks.tracks.rename({"name": "place"}), on="track")
    under_way = pl.format("array {} under_way", "array")
    # A DMA is busy while any channel from its node carries something; nodes are those that have an engine.
    busy = pl.col("count").clip(0, 1)
    signal = pl.format("array {} node {} dma", "source_array", "source_node").alias("signal")
    nodes = tracks.tracks.filter(kind=ENGINE).select(signal=pl.format("{} dma", "name"))
    hops = tracks.run.trace.hops.select(signal, "start", "end", count=1)
    hops = hops.join(nodes, on="signal", how="semi")
    leaving = at_once(pl.concat([hops, nodes.select("signal", **NONE_YET)]), "signal")
    leaving = leaving.filter((busy != busy.shift().over("signal")).fill_null(True))
    return pl.concat(
        [
            _doing(named.filter(kind=CONTROL).with_columns(place=pl.format("array {} step", "array"))),
            _doing(named.filter(kind=ENGINE).with_columns(place=pl.format("{} engine", "place"))),
            _doing(named.filter(kind=FLIGHT)),
            leaving.select("cycle", "signal", value=pl.format("{}", busy)),
            tracks.flying.select("cycle", signal=under_way, value=pl.format("{}", "count")),
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


# OTF2: a folder as Vampir and the tools of Score-P read it; written by their own library, the package
# otf2. A cycle is one tick of a clock with 10^9 of them a second. Every track is a location, and the
# engines are the ranks of one communicator, in the order of the tracks: a message is sent when it is
# posted and received when it is read. Its tag is the serial of the instruction that sends it, its length
# is in bytes. Regions are the names of intervals.

_TICKS = 10**9
_WORD = 8
_STEPS = 3
"""Of an interval: it is entered, messages are sent or received in it, it is left."""
_CHUNK = 1 << 18
"""The least that the library keeps for a location; there may be thousands."""
_END = b"\2\1"
"""End of each file: the end of its last part, and of the file."""


def otf2(tracks: Tracks, folder: Path) -> None:
    """Write the archive into a folder that is there and empty; `traces.otf2` in it is what a tool opens."""
    import otf2 as library
    from _otf2 import Error

    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise OSError(errno.EILSEQ, "its library takes names in UTF-8") from None
    archive = library.writer.Writer(str(folder), timer_resolution=_TICKS, chunk_size_events=_CHUNK)
    try:
        _write(tracks, archive)
        archive.close()
        is_whole = all(file.read_bytes().rstrip(b"\0")[-2:] == _END for file in folder.rglob("*.*"))
    except Error:
        archive._handle, is_whole = None, False  # it would be closed once more
    if not is_whole:  # the library ignores most errors of writing
        raise OSError(errno.ENOSPC, "no space left for its files")


def _write(tracks: Tracks, archive: Any) -> None:
    from otf2 import GroupType, Paradigm

    definitions, mpi = archive.definitions, Paradigm.MPI
    root = definitions.system_tree_node("senn", class_name="machine")
    arrays = {
        array: definitions.system_tree_node(f"array {array}", class_name="array", parent=root)
        for array in tracks.tracks["array"].unique().sort()
    }
    locations = {
        track: definitions.location(
            name, group=definitions.location_group(name, system_tree_parent=arrays[array])
        )
        for track, array, _, _, name in tracks.tracks.iter_rows()
    }
    engines = [locations[track] for track in tracks.engines["track"]]
    definitions.group("engines", group_type=GroupType.COMM_LOCATIONS, paradigm=mpi, members=engines)
    ranks = {"group_type": GroupType.COMM_GROUP, "members": list(range(len(engines)))}
    communicator = definitions.comm("messages", group=definitions.group("ranks", paradigm=mpi, **ranks))
    regions = {name: definitions.region(name) for name in tracks.slices["name"].unique().sort()}
    events = _events(tracks).sort("track", "time", "order")
    for (track,), rows in events.group_by("track", maintain_order=True):
        writer = archive.event_writer_from_location(locations[track])
        about = rows.select("time", "event", "name", "peer", "tag", "length")
        for time, event, name, peer, tag, length in about.iter_rows():
            write = getattr(writer, event)
            if name is not None:
                write(time, regions[name])
            else:
                write(time, peer, communicator, tag, length)


def _events(tracks: Tracks) -> pl.DataFrame:
    """Columns track, name, peer, tag, length, time, order, event (the library's name of it): every slice is
    entered and left, a message sent in its post, and received in what its reader does first or, where that
    waits, between two slices; a message has no name."""
    none = [pl.lit(None, pl.Int64).alias(column) for column in ("peer", "tag", "length")]
    step = _STEPS * pl.col("slice")
    events = [
        tracks.slices.select("track", "name", *none, time=time, order=step + add, event=pl.lit(event))
        for event, time, add in (("enter", "start", 0), ("leave", "end", 2))
    ]
    engines = tracks.engines.with_columns(rank=pl.int_range(pl.len()))
    messages = tracks.run.trace.messages
    for side in ("source", "target"):
        placed = engines.rename({"track": f"{side}_track", "rank": f"{side}_rank"})
        messages = messages.join(
            placed, left_on=(f"{side}_array", f"{side}_node"), right_on=("array", "node")
        )
    ways = tracks.arrows.join(tracks.slices.select("slice", "track"), on="slice")
    for event, side, other, time, first_or_last in (
        ("mpi_send", "source", "target", "posted", pl.col("slice").min()),
        ("mpi_recv", "target", "source", "read_at", pl.col("slice").max()),
    ):
        within = ways.group_by("message", "track").agg(first_or_last)
        placed = messages.join(
            within, left_on=("id", f"{side}_track"), right_on=("message", "track"), how="left"
        )
        events.append(
            placed.select(
                track=f"{side}_track",
                name=pl.lit(None, pl.String),
                peer=f"{other}_rank",
                tag="instruction",
                length=_WORD * pl.col("words"),
                time=time,
                order=(step + 1).fill_null(-1),
                event=pl.lit(event),
            )
        )
    return pl.concat(events)
