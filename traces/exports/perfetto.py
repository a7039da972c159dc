"""Perfetto's own format: TrackEvents in protocol buffers, as the Perfetto UI and its trace processor read
them.

Numbers of fields are those of https://perfetto.dev/docs/reference/trace-packet-proto. A cycle is a
nanosecond, the unit of the format; arguments say cycles. Names are written once and packets
are deflated, as the format provides.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.analysis import phase
from senn.traces.exports.tracks import ARGUMENTS, KINDS, Tracks
from senn.traces.parts import Parts
from senn.traces.record import Integers

_AT_ONCE = 50_000
"""Slices that are encoded together: what bounds the memory."""
_PACKET, _COMPRESSED = 1, 50
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _TRACK = 8, 10, 11, 12, 13, 60
_CLEARED, _NEEDS_NAMES = 1, 2
_BEGIN, _END, _COUNTER = 1, 2, 4
_EXPLICIT = 3
_CYCLES = ("first cycle", "cycles")
_KINDS = ("compute", "post", "channel")
_HUES = (("I", 208, 332, 208), ("II", 35, 354, 405), ("III", 155, 5, 743), ("IV", 45, 728, 342))
"""The UI takes the colour of a slice from a hash of its correlation, which a file may choose: that of
"Step I, compute 208" is the first colour of parts, the blue of a timeline. The numbers are for `_KINDS`."""
_COUNTERS = 0
"""The place of the counter among the tracks of an array: above its control unit."""
_COUNTED, _TRACKED = 10_000, 20_000
"""Identities of counters and tracks begin here; those of arrays and groups are below."""


def perfetto(tracks: Tracks) -> Iterator[bytes]:
    """The file, piece by piece."""
    yield _deflated(_descriptors(tracks))
    slices = tracks.slices.with_columns(
        _correlation(tracks.run.parts),
        pl.col("start").alias(_CYCLES[0]),
        (pl.col("end") - pl.col("start")).alias(_CYCLES[1]),
    )
    lists = []  # every name once, numbered from 1 in alphabetical order; its packet begins the sequence
    for field, words in (
        (1, slices["category"].unique().sort()),
        (2, slices["name"].unique().sort()),
        (3, pl.Series([*ARGUMENTS, *_CYCLES])),
        (43, slices["correlation"].drop_nulls().unique().sort()),
    ):
        entries = joined(number(1, np.arange(1, len(words) + 1)), message(2, texts(words.to_list())))
        lists.append(message(field, entries).data)
    data = np.concatenate(lists)
    interned = message(_INTERNED, ByteRows(data, np.array([len(data)])))
    yield _deflated(joined(number(_SEQUENCE, np.array([1])), number(_FLAGS, np.array([_CLEARED])), interned))
    slices = slices.with_columns(
        slices[name].rank("dense").cast(pl.Int64) for name in ("name", "category", "correlation")
    )
    arrows = tracks.arrows.sort("slice", "message")
    at = arrows["slice"].to_numpy()
    for first in range(0, slices.height, _AT_ONCE):
        part = slices.slice(first, _AT_ONCE)
        begin, end = np.searchsorted(at, [first, first + part.height])
        yield _deflated(_events(part, arrows.slice(int(begin), int(end - begin)), first))
    cycle, array, count = (tracks.flying[name].to_numpy() for name in ("cycle", "array", "count"))
    kind = number(9, np.full(len(array), _COUNTER))
    event = joined(kind, number(11, array + _COUNTED), number(30, count))
    yield _deflated(_packets(cycle, event))


def _deflated(packets: ByteRows) -> bytes:
    """Packets as one packet of compressed ones, which the reader takes for what is in it."""
    inside = zlib.compress(message(_PACKET, packets).data.tobytes(), 6)
    outside = message(_COMPRESSED, ByteRows(np.frombuffer(inside, np.uint8), np.array([len(inside)])))
    return message(_PACKET, outside).data.tobytes()


def _descriptors(tracks: Tracks) -> ByteRows:
    """The tree: arrays, in each its counter, its control unit, its engines, its channels."""
    tree: list[tuple[int, int, str, int, bool]] = []  # uuid, parent, name, place, whether a counter
    of_array: dict[int, int] = {}
    groups: dict[tuple[int, str], int] = {}
    group = 1
    for track, array, kind, title, _ in tracks.tracks.iter_rows():
        if array not in of_array:
            of_array[array] = group
            tree.append((group, 0, f"array {array} (1 ns is 1 cycle)", array, False))
            tree.append((array + _COUNTED, group, "messages in flight", _COUNTERS, True))
            group += 1
        place = 1 + list(KINDS).index(kind)
        if title == KINDS[kind]:  # alone in its kind
            tree.append((track + _TRACKED, of_array[array], title, place, False))
            continue
        if (array, kind) not in groups:
            groups[array, kind] = group
            tree.append((group, of_array[array], KINDS[kind], place, False))
            group += 1
        tree.append((track + _TRACKED, groups[array, kind], title, track, False))
    uuid, parent, ranks = (np.array([row[column] for row in tree]) for column in (0, 1, 3))
    described = joined(
        number(1, uuid),
        message(2, texts([row[2] for row in tree])),
        number(5, parent).only(parent > 0),
        message(8, texts([""] * len(tree))).only(np.array([row[4] for row in tree])),
        number(11, np.full(len(tree), _EXPLICIT)),
        number(12, ranks),
    )
    return message(_TRACK, described)


def _correlation(parts: Parts) -> pl.Expr:
    """The text whose hash is the colour of a slice; null for stalls, and for parts beyond `_HUES`."""
    numbered = {
        f"{label} {kind}": f"Step {numeral}, {kind} {number}"
        for label, place in parts.places.items()
        for numeral, *numbers in _HUES[place : place + 1]
        for kind, number in zip(_KINDS, numbers, strict=True)
    }
    posts = dict.fromkeys(("post", "receive", "send", "arrange", "wait"), "post")
    kinds = {"compute": "compute", "stall": "stall", **posts}
    kind = pl.col("category").replace_strict(kinds, default="channel")
    key = pl.concat_str(phase(), kind, separator=" ")
    return key.replace_strict(numbered, default=None, return_dtype=pl.String).alias("correlation")


def _events(part: pl.DataFrame, arrows: pl.DataFrame, first: int) -> ByteRows:
    """For each slice a packet that begins it, with all that is said of it, and one that ends it."""
    count, fields = part.height, []
    uuid = part["track"].to_numpy() + _TRACKED
    for place, name in enumerate((*ARGUMENTS, *_CYCLES), 1):  # debug annotations; nothing where there is none
        annotation = joined(number(1, np.full(count, place)), number(4, part[name].fill_null(0).to_numpy()))
        fields.append(message(4, annotation).only(part[name].is_not_null().to_numpy()))
    for field, last in ((47, False), (48, True)):
        ways = arrows.filter(last=last)
        fields.append(
            identities(field, ways["slice"].to_numpy() - first, ways["message"].to_numpy() + 1, count)
        )
    begin = joined(
        number(9, np.full(count, _BEGIN)),
        number(10, part["name"].to_numpy()),
        number(11, uuid),
        number(3, part["category"].to_numpy()),
        number(54, part["correlation"].fill_null(0).to_numpy()).only(
            part["correlation"].is_not_null().to_numpy()
        ),
        *fields,
    )
    end = joined(number(9, np.full(count, _END)), number(11, uuid))
    return alternating(_packets(part["start"].to_numpy(), begin), _packets(part["end"].to_numpy(), end))


def _packets(cycle: Integers, event: ByteRows) -> ByteRows:
    rows = len(event)
    return joined(
        number(_TIMESTAMP, cycle),
        number(_SEQUENCE, np.ones(rows, dtype=np.int64)),
        number(_FLAGS, np.full(rows, _NEEDS_NAMES)),
        message(_EVENT, event),
    )


# Protocol buffers of a million messages at once: rows of bytes of different lengths, joined column by
# column. What is here is the wire format (https://protobuf.dev/programming-guides/encoding): varints,
# fixed 64-bit numbers, and fields with a length. Which number means what is said where a message is put
# together.

_VARINT, _FIXED64, _BYTES = 0, 1, 2


@dataclass(frozen=True, eq=False)
class ByteRows:
    """Rows of bytes, one after the other in ``data``; ``lengths`` of each. A row may be empty."""

    data: NDArray[np.uint8]
    lengths: Integers

    def __len__(self) -> int:
        return len(self.lengths)

    def only(self, wanted: NDArray[np.bool_]) -> ByteRows:
        """Copy with the unwanted rows empty."""
        return ByteRows(self.data[np.repeat(wanted, self.lengths)], np.where(wanted, self.lengths, 0))


def varints(values: Integers) -> ByteRows:
    """Whole numbers of 0 or more."""
    numbers = values.astype(np.uint64)
    lengths = np.ones(len(numbers), dtype=np.int64)
    for place in range(1, 10):
        lengths += numbers >= np.uint64(1) << np.uint64(7 * place)
    places = np.arange(lengths.max(initial=1))
    groups = (numbers[:, None] >> (7 * places).astype(np.uint64)) & np.uint64(127)
    more = np.where(places < lengths[:, None] - 1, 128, 0).astype(np.uint8)
    return ByteRows((groups.astype(np.uint8) | more)[places < lengths[:, None]], lengths)


def texts(words: Sequence[str]) -> ByteRows:
    """Texts in UTF-8."""
    encoded = [word.encode() for word in words]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    return ByteRows(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths)


def joined(*columns: ByteRows) -> ByteRows:
    """Row by row, what the columns have there, one after the other."""
    lengths = np.stack([column.lengths for column in columns]).sum(axis=0)
    data = np.empty(lengths.sum(), dtype=np.uint8)
    at = np.cumsum(lengths) - lengths
    for column in columns:
        begin = np.cumsum(column.lengths) - column.lengths
        data[np.repeat(at - begin, column.lengths) + np.arange(len(column.data))] = column.data
        at = at + column.lengths
    return ByteRows(data, lengths)


def number(field: int, values: Integers) -> ByteRows:
    """A field with a varint in every row."""
    return joined(_tags(field, _VARINT, len(values)), varints(values))


def message(field: int, rows: ByteRows) -> ByteRows:
    """A field with a message, a text or bytes in every row."""
    return joined(_tags(field, _BYTES, len(rows)), varints(rows.lengths), rows)


def identities(field: int, row: Integers, values: Integers, rows: int) -> ByteRows:
    """A field of fixed 64-bit numbers, in each of so many rows as many as ``row`` names it; ``row`` rises."""
    tag = _tag(field, _FIXED64)
    each = np.empty((len(values), len(tag) + 8), dtype=np.uint8)
    each[:, : len(tag)] = np.frombuffer(tag, dtype=np.uint8)
    each[:, len(tag) :] = values.astype("<u8").view(np.uint8).reshape(-1, 8)
    return ByteRows(each.ravel(), np.bincount(row, minlength=rows) * each.shape[1])


def alternating(first: ByteRows, second: ByteRows) -> ByteRows:
    """First row of one, first of the other, second of one, ..."""
    pairs = joined(first, second)
    return ByteRows(pairs.data, np.column_stack([first.lengths, second.lengths]).ravel())


def _tags(field: int, kind: int, rows: int) -> ByteRows:
    tag = np.frombuffer(_tag(field, kind), dtype=np.uint8)
    return ByteRows(np.tile(tag, rows), np.full(rows, len(tag), dtype=np.int64))


def _tag(field: int, kind: int) -> bytes:
    return varints(np.array([field << 3 | kind])).data.tobytes()
