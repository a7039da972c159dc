"""OTF2: a folder as Vampir and the tools of Score-P read it; written by their own library, the package otf2.

A cycle is one tick of a clock with 10^9 of them a second. Every track is a location, and the engines are the
ranks of one communicator, in the order of the tracks: a message is sent when it is posted and received when
it is read. Its tag is the serial of the instruction that sends it, its length is in bytes. Regions are the
names of intervals.
"""

from pathlib import Path
from typing import Any

import polars as pl

from senn.traces.exports.tracks import ENGINE, Tracks

_TICKS = 10**9
_WORD = 8
_ENTER, _MESSAGE, _LEAVE = range(3)
_STEPS = 3
"""Of an interval: it is entered, messages are sent or received in it, it is left."""
_CHUNK = 1 << 18
"""The least that the library keeps for a location; there may be thousands."""


def otf2(tracks: Tracks, folder: Path) -> None:
    """Write the archive into a folder that is there and empty; `traces.otf2` in it is what a tool opens."""
    import otf2 as library

    with library.writer.open(str(folder), timer_resolution=_TICKS, chunk_size_events=_CHUNK) as archive:
        definitions = archive.definitions
        locations = _locations(tracks, definitions)
        engines = tracks.tracks.filter(kind=ENGINE)["track"].to_list()
        communicator = _communicator(definitions, [locations[track] for track in engines])
        regions = {name: definitions.region(name) for name in tracks.slices["name"].unique().sort()}
        events = pl.concat([_states(tracks), _messages(tracks)]).sort("track", "time", "order")
        for (track,), rows in events.group_by("track", maintain_order=True):
            writer = archive.event_writer_from_location(locations[track])
            about = rows.select("time", "event", "name", "peer", "tag", "length")
            for time, event, name, peer, tag, length in about.iter_rows():
                if event == "enter":
                    writer.enter(time, regions[name])
                elif event == "leave":
                    writer.leave(time, regions[name])
                elif event == "send":
                    writer.mpi_send(time, peer, communicator, tag, length)
                else:
                    writer.mpi_recv(time, peer, communicator, tag, length)


def _locations(tracks: Tracks, definitions: Any) -> dict[int, Any]:
    """Of every track: in a group of its own (a process, as the readers have it), below its array."""
    root = definitions.system_tree_node("senn", class_name="machine")
    arrays = {
        array: definitions.system_tree_node(f"array {array}", class_name="array", parent=root)
        for array in tracks.tracks["array"].unique().sort()
    }
    return {
        track: definitions.location(
            name, group=definitions.location_group(name, system_tree_parent=arrays[array])
        )
        for track, array, _, _, name in tracks.tracks.iter_rows()
    }


def _communicator(definitions: Any, engines: list[Any]) -> Any:
    """One of all engines, in this order."""
    from otf2 import GroupType, Paradigm

    mpi = Paradigm.MPI
    definitions.group("engines", group_type=GroupType.COMM_LOCATIONS, paradigm=mpi, members=engines)
    ranks = definitions.group(
        "ranks", group_type=GroupType.COMM_GROUP, paradigm=mpi, members=list(range(len(engines)))
    )
    return definitions.comm("messages", group=ranks)


def _states(tracks: Tracks) -> pl.DataFrame:
    """Columns track, time, order, event, name, peer, tag, length: every slice is entered and left."""
    none = [pl.lit(None, pl.Int64).alias(column) for column in ("peer", "tag", "length")]

    def events(event: str, time: str, step: int) -> pl.DataFrame:
        order = _STEPS * pl.col("slice") + step
        return tracks.slices.select("track", "name", *none, time=time, order=order, event=pl.lit(event))

    return pl.concat([events("enter", "start", _ENTER), events("leave", "end", _LEAVE)])


def _messages(tracks: Tracks) -> pl.DataFrame:
    """Columns as those of `_states`: sent in its post, and received in what its reader does first.

    Where the reader waits, it is received between what its engine does.
    """
    engines = tracks.tracks.filter(kind=ENGINE).select(
        "array",
        "track",
        node=pl.col("title").str.strip_prefix("node ").cast(pl.Int64),
        rank=pl.int_range(pl.len()),
    )
    messages = tracks.trace.messages
    for side in ("source", "target"):
        placed = engines.rename({"track": f"{side}_track", "rank": f"{side}_rank"})
        messages = messages.join(
            placed, left_on=(f"{side}_array", f"{side}_node"), right_on=("array", "node")
        )
    ways = tracks.arrows.join(tracks.slices.select("slice", "track"), on="slice")

    def events(event: str, side: str, other: str, time: str) -> pl.DataFrame:
        track = f"{side}_track"
        mine = ways.select(pl.col("message").alias("id"), pl.col("track").alias(track), "slice")
        within = mine.group_by("id", track).agg(
            pl.col("slice").min() if event == "send" else pl.col("slice").max()
        )
        return messages.join(within, on=("id", track), how="left").select(
            track=track,
            name=pl.lit(None, pl.String),
            peer=f"{other}_rank",
            tag="instruction",
            length=_WORD * pl.col("words"),
            time=time,
            order=(_STEPS * pl.col("slice") + _MESSAGE).fill_null(-1),
            event=pl.lit(event),
        )

    return pl.concat(
        [events("send", "source", "target", "posted"), events("receive", "target", "source", "read_at")]
    )
