"""A value as the text of a JSON file: plain entries, a row of numbers on one line."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def json_text(document: Mapping[str, Any]) -> str:
    """The text of a document, with a line for each entry that is not a row of numbers."""
    return _lines(_plain(document), "\n") + "\n"


def _lines(entry: Any, line: str) -> str:
    """The text of a plain entry; `line` begins a line of what contains it.

    Rows of numbers are on one line: an allocation is a table, not a column.
    """
    into = line + " "
    if isinstance(entry, dict) and entry:
        parts = (f"{_text(name)}: {_lines(value, into)}" for name, value in entry.items())
        return "{" + into + ("," + into).join(parts) + line + "}"
    if isinstance(entry, list) and not {str, list, dict}.isdisjoint(map(type, entry)):
        return "[" + into + ("," + into).join(_lines(one, into) for one in entry) + line + "]"
    return _text(entry)


def _text(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)


def _plain(entry: Any) -> Any:
    """The entry in JSON's terms: arrays as lists, what JSON cannot say (nan, a fraction) as text."""
    if isinstance(entry, Mapping):
        return {str(name): _plain(value) for name, value in entry.items()}
    if isinstance(entry, np.ndarray | np.generic):
        return _plain(entry.tolist())
    if isinstance(entry, list | tuple):
        if set(map(type, entry)) <= {int, str}:  # a row of an allocation has tens of thousands
            return list(entry)
        return [_plain(value) for value in entry]
    if (
        entry is None
        or isinstance(entry, bool | int | str)
        or (isinstance(entry, float) and math.isfinite(entry))
    ):
        return entry
    return str(entry)
