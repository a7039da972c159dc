"""Paje: containers with states and links, as ViTE, pj_dump and R (Paje) read them. A cycle is 1.

The format is described in https://paje.sourceforge.net/download/publication/lang-paje.pdf. Containers: the
run, its arrays, in each its control unit, engines and channels. States are intervals; a link goes from the
post of a message at the engine that sends it to when it is read at the engine that does; a variable of
every array counts the messages under way.
"""

from collections.abc import Iterator

import polars as pl

from senn.traces.exports.lines import line, pieces, plain
from senn.traces.exports.tracks import ENGINE, KINDS, Tracks, message_names

_EVENTS = {
    "PajeDefineContainerType": ("Alias string", "Type string", "Name string"),
    "PajeDefineStateType": ("Alias string", "Type string", "Name string"),
    "PajeDefineVariableType": ("Alias string", "Type string", "Name string", "Color color"),
    "PajeDefineLinkType": (
        *(
            "Alias string",
            "Type string",
            "StartContainerType string",
            "EndContainerType string",
            "Name string",
        ),
    ),
    "PajeDefineEntityValue": ("Alias string", "Type string", "Name string", "Color color"),
    "PajeCreateContainer": ("Time date", "Alias string", "Type string", "Container string", "Name string"),
    "PajeDestroyContainer": ("Time date", "Type string", "Name string"),
    "PajeSetVariable": ("Time date", "Type string", "Container string", "Value double"),
    "PajePushState": ("Time date", "Type string", "Container string", "Value string"),
    "PajePopState": ("Time date", "Type string", "Container string"),
    "PajeStartLink": (
        *(
            "Time date",
            "Type string",
            "Container string",
            "StartContainer string",
            "Value string",
            "Key string",
        ),
    ),
    "PajeEndLink": (
        *(
            "Time date",
            "Type string",
            "Container string",
            "EndContainer string",
            "Value string",
            "Key string",
        ),
    ),
}
"""Every event with its fields; its number is its place."""
_NUMBER = {name: str(place) for place, name in enumerate(_EVENTS)}
_TYPES = {kind: kind[:2].upper() for kind in KINDS}
"""Of containers, by kind: CO, EN, CH; of their states S and these."""
_COLORS = (
    "0.0 0.45 0.70",
    "0.90 0.60 0.0",
    "0.0 0.62 0.45",
    "0.80 0.47 0.65",
    "0.35 0.70 0.90",
    "0.84 0.37 0.0",
)


def paje(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece: what there is, then events in order of time, then the end."""
    yield "".join(_definitions()).encode()
    yield "".join(_containers(tracks)).encode()
    yield from pieces(_values(tracks))
    events = pl.concat([_states(tracks), _links(tracks), _flying(tracks)]).sort("time", "rank", "order")
    yield from pieces(events["text"])
    last = events["time"].max() or 0
    yield _event("DestroyContainer", str(last), "RUN", "run").encode()


def _definitions() -> Iterator[str]:
    for name, fields in _EVENTS.items():
        yield f"%EventDef {name} {_NUMBER[name]}\n"
        yield from (f"%   {field}\n" for field in fields)
        yield "%EndEventDef\n"
    yield _event("DefineContainerType", "RUN", "0", '"run"')
    yield _event("DefineContainerType", "AR", "RUN", '"array"')
    yield _event("DefineVariableType", "N", "AR", '"messages under way"', '"0.3 0.3 0.3"')
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


def _named(tracks: Tracks) -> pl.DataFrame:
    """The slices with the type of their states (column type) and the alias of their name (column value)."""
    types = tracks.tracks.select("track", pl.col("kind").replace_strict(_TYPES).alias("type"))
    return tracks.slices.join(types, on="track", maintain_order="left").with_columns(
        pl.col("name").rank("dense").cast(pl.Int64).alias("value")
    )


def _values(tracks: Tracks) -> pl.Series:
    """A line for every name that a type of states has; names of one step have one colour."""
    distinct = _named(tracks).select("type", "value", "name", "step").unique(("type", "value"), keep="first")
    color = (pl.col("step").rank("dense").cast(pl.Int64) % len(_COLORS)).replace_strict(
        dict(enumerate(_COLORS)), return_dtype=pl.String
    )
    text = line(
        f'{_NUMBER["PajeDefineEntityValue"]} v% S% "%" "%"',
        line("%x%", "type", "value"),
        "type",
        plain(pl.col("name")),
        color,
    )
    return distinct.sort("type", "value").select(text.alias("text"))["text"]


def _states(tracks: Tracks) -> pl.DataFrame:
    """Columns time, rank, order, text. What a track does comes in its order, also where it takes no time."""
    named = _named(tracks)
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
    engines = tracks.tracks.filter(kind=ENGINE).select(
        "array", pl.col("title").str.strip_prefix("node ").cast(pl.Int64).alias("node"), "track"
    )
    messages = tracks.trace.messages.join(message_names(tracks.trace), left_on="id", right_on="message")

    def ends(event: str, time: str, side: str, rank: int) -> pl.DataFrame:
        placed = messages.join(engines, left_on=(f"{side}_array", f"{side}_node"), right_on=("array", "node"))
        text = line(f'{_NUMBER[event]} % M run t% "%" %', time, "track", plain(pl.col("name")), "id")
        return placed.select(time=time, rank=pl.lit(rank), order="id", text=text)

    return pl.concat(
        [ends("PajeStartLink", "posted", "source", 1), ends("PajeEndLink", "read_at", "target", 2)]
    )


def _flying(tracks: Tracks) -> pl.DataFrame:
    text = line(f"{_NUMBER['PajeSetVariable']} % N a% %", "cycle", "array", "messages")
    return tracks.flying.select(time="cycle", rank=pl.lit(3), order="array", text=text)
