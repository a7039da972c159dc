"""Protocol buffers of a million messages at once: rows of bytes of different lengths, joined column by
column.

What is here is the wire format (https://protobuf.dev/programming-guides/encoding): varints, fixed 64-bit
numbers, and fields with a length. Which number means what is said where a message is put together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_VARINT, _FIXED64, _BYTES = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of bytes, one after the other in ``data``; ``lengths`` of each. A row may be empty."""

    data: NDArray[np.uint8]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def only(self, wanted: NDArray[np.bool_]) -> "Rows":
        """These rows, empty where they are not wanted."""
        return Rows(self.data[np.repeat(wanted, self.lengths)], np.where(wanted, self.lengths, 0))


def varints(values: NDArray[np.int64]) -> Rows:
    """Whole numbers of 0 or more."""
    numbers = values.astype(np.uint64)
    lengths = np.ones(len(numbers), dtype=np.int64)
    for place in range(1, 10):
        lengths += numbers >= np.uint64(1) << np.uint64(7 * place)
    places = np.arange(lengths.max(initial=1))
    groups = (numbers[:, None] >> (7 * places).astype(np.uint64)) & np.uint64(127)
    more = np.where(places < lengths[:, None] - 1, 128, 0).astype(np.uint8)
    return Rows((groups.astype(np.uint8) | more)[places < lengths[:, None]], lengths)


def texts(words: Sequence[str]) -> Rows:
    """Texts in UTF-8."""
    encoded = [word.encode() for word in words]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    return Rows(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths)


def joined(*columns: Rows) -> Rows:
    """Row by row, what the columns have there, one after the other."""
    lengths = np.stack([column.lengths for column in columns]).sum(axis=0)
    data = np.empty(lengths.sum(), dtype=np.uint8)
    at = np.cumsum(lengths) - lengths
    for column in columns:
        begin = np.cumsum(column.lengths) - column.lengths
        data[np.repeat(at - begin, column.lengths) + np.arange(len(column.data))] = column.data
        at = at + column.lengths
    return Rows(data, lengths)


def number(field: int, values: NDArray[np.int64]) -> Rows:
    """A field with a varint in every row."""
    return joined(_tags(field, _VARINT, len(values)), varints(values))


def message(field: int, rows: Rows) -> Rows:
    """A field with a message, a text or bytes in every row."""
    return joined(_tags(field, _BYTES, len(rows)), varints(rows.lengths), rows)


def identities(field: int, row: NDArray[np.int64], values: NDArray[np.int64], rows: int) -> Rows:
    """A field of fixed 64-bit numbers, in each of so many rows as many as ``row`` names it; ``row`` rises."""
    tag = _tag(field, _FIXED64)
    each = np.empty((len(values), len(tag) + 8), dtype=np.uint8)
    each[:, : len(tag)] = np.frombuffer(tag, dtype=np.uint8)
    each[:, len(tag) :] = values.astype("<u8").view(np.uint8).reshape(-1, 8)
    return Rows(each.ravel(), np.bincount(row, minlength=rows) * each.shape[1])


def alternating(first: Rows, second: Rows) -> Rows:
    """First row of one, first of the other, second of one, ..."""
    pairs = joined(first, second)
    return Rows(pairs.data, np.column_stack([first.lengths, second.lengths]).ravel())


def _tags(field: int, kind: int, rows: int) -> Rows:
    tag = np.frombuffer(_tag(field, kind), dtype=np.uint8)
    return Rows(np.tile(tag, rows), np.full(rows, len(tag), dtype=np.int64))


def _tag(field: int, kind: int) -> bytes:
    return varints(np.array([field << 3 | kind])).data.tobytes()
