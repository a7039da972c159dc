"""A value as a hash, and as the text of a JSON file: plain values, arrays, and dataclasses made of them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Any

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
    """The bytes to hash: of every part its kind, its length and its content."""
    if isinstance(entry, np.ndarray) and not entry.dtype.hasobject:
        little = entry.astype(entry.dtype.newbyteorder("<"))
        yield f"array {little.dtype.str} {entry.shape}\n".encode()
        yield little.tobytes()
    elif isinstance(entry, str | bytes):
        content = entry.encode("utf-8", "surrogatepass") if isinstance(entry, str) else entry
        yield f"{'text' if isinstance(entry, str) else 'bytes'} {len(content)}\n".encode()
        yield content
    elif isinstance(entry, Mapping):
        yield f"mapping {len(entry)}\n".encode()
        for key in sorted(entry):
            yield from _parts(key)
            yield from _parts(entry[key])
    elif isinstance(entry, Sequence):
        yield f"row {len(entry)}\n".encode()
        kinds = set(map(type, entry))  # a state has as many numbers and names as the arm has joints
        if kinds == {float}:
            yield "".join([f"float {number.hex()}\n" for number in entry]).encode()
        elif kinds == {str}:
            contents = (text.encode("utf-8", "surrogatepass") for text in entry)
            yield b"".join([b"text %d\n%b" % (len(content), content) for content in contents])
        else:
            for element in entry:
                yield from _parts(element)
    elif is_dataclass(entry):
        yield f"{type(entry).__name__}\n".encode()
        yield from _parts(
            {element.name: getattr(entry, element.name) for element in fields(entry) if element.compare}
        )
    elif isinstance(entry, np.generic):
        yield from _parts(entry.item())
    elif entry is None or isinstance(entry, bool | int | float | Fraction):
        yield f"{type(entry).__name__} {entry.hex() if isinstance(entry, float) else entry}\n".encode()
    elif isinstance(entry, PurePath):
        yield from _parts(str(entry))
    else:
        raise TypeError(f"no digest of {type(entry).__name__}")


def json_text(document: Mapping[str, Any]) -> str:
    """The text of a document, with a line for each entry that is not a row of numbers."""
    return _lines(_plain(document), "\n") + "\n"


def _lines(entry: Any, line: str) -> str:
    """The text of a plain entry; `line` begins a line of what contains it.

    Rows of numbers are on one line: an allocation is a table, not a column.
    """
    into = line + " "
    if isinstance(entry, dict) and entry:
        parts = (f"{_json(name)}: {_lines(value, into)}" for name, value in entry.items())
        return "{" + into + ("," + into).join(parts) + line + "}"
    if isinstance(entry, list) and not {str, list, dict}.isdisjoint(map(type, entry)):
        return "[" + into + ("," + into).join(_lines(element, into) for element in entry) + line + "]"
    return _json(entry)


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _plain(entry: Any) -> Any:
    """The entry in JSON's terms: arrays as lists, what JSON cannot say (nan, a fraction) as text."""
    if isinstance(entry, Mapping):
        return {str(name): _plain(value) for name, value in entry.items()}
    if isinstance(entry, np.ndarray | np.generic):
        return _plain(entry.tolist())
    if isinstance(entry, list | tuple):
        kinds = set(map(type, entry))  # a row of an allocation, or of a state, has tens of thousands
        if kinds <= {int, str} or (kinds == {float} and all(map(math.isfinite, entry))):
            return list(entry)
        return [_plain(value) for value in entry]
    if (
        entry is None
        or isinstance(entry, bool | int | str)
        or (isinstance(entry, float) and math.isfinite(entry))
    ):
        return entry
    return str(entry)
