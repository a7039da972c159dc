"""A hash of what went into something: of plain values, arrays, and dataclasses made of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import PurePath

import numpy as np


def digest(entry: object) -> str:
    """SHA-256 of a value: equal of equal values in any process and on any machine, and of no others.

    Numbers count to the last bit, and by type: 1, 1.0 and True are three. Of a mapping the order is left
    out, of a dataclass what a comparison of two leaves out.

    >>> digest({"a": 1, "b": [0.5]}) == digest({"b": [0.5], "a": 1}) != digest({"a": 1, "b": [0.25]})
    True
    """
    sha = hashlib.sha256()
    for part in _parts(entry):
        sha.update(part)
    return sha.hexdigest()


def _parts(entry: object) -> Iterator[bytes]:
    """What is hashed: of every part its kind, its length, and what it holds."""
    if isinstance(entry, np.ndarray) and not entry.dtype.hasobject:
        little = entry.astype(entry.dtype.newbyteorder("<"))
        yield from _text(f"array {little.dtype.str} {entry.shape}")
        yield little.tobytes()
    elif isinstance(entry, str | bytes):
        content = entry.encode("utf-8", "surrogatepass") if isinstance(entry, str) else entry
        yield from _text(f"{'text' if isinstance(entry, str) else 'bytes'} {len(content)}")
        yield content
    elif isinstance(entry, Mapping):
        yield from _text(f"mapping {len(entry)}")
        for key in sorted(entry):
            yield from _parts(key)
            yield from _parts(entry[key])
    elif isinstance(entry, Sequence):
        yield from _text(f"row {len(entry)}")
        for one in entry:
            yield from _parts(one)
    elif is_dataclass(entry):
        yield from _text(type(entry).__name__)
        yield from _parts({one.name: getattr(entry, one.name) for one in fields(entry) if one.compare})
    elif isinstance(entry, np.generic):
        yield from _parts(entry.item())
    elif entry is None or isinstance(entry, bool | int | float | Fraction):
        yield from _text(f"{type(entry).__name__} {entry.hex() if isinstance(entry, float) else entry}")
    elif isinstance(entry, PurePath):
        yield from _parts(str(entry))
    else:
        raise TypeError(f"no digest of {type(entry).__name__}")


def _text(text: str) -> Iterator[bytes]:
    yield f"{text}\n".encode()
