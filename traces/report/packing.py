"""Columns of whole numbers in few bytes, as a browser can unpack them by itself.

A column is coded as it is, as the differences of its neighbours, or as the differences of those, whichever
comes out shortest; then as varints (seven bits a byte, the sign in the lowest bit), and all of them together
as raw deflate in base64. Lanes of a SIMD array do the same at the same time, so that a million rows take
little more than what they do differently.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.errors import InputError
from senn.traces.run import Run

Integers = NDArray[np.int64]

MOST = 2**50 - 1
"""Browsers count to 2^53; two differences in a row and a bit for the sign make up to eight times as much."""
_CODINGS = 3
_NO_WORDS: Mapping[str, Sequence[str]] = MappingProxyType({})


def pack(columns: Mapping[str, Integers], words: Mapping[str, Sequence[str]] = _NO_WORDS) -> dict[str, Any]:
    """The columns by name as what JSON can say: `rows` of [name, length, coding, bytes, wide], and `text`.
    What stands behind the columns in the text is JSON: the words of those that are places in a list.

    A coding of k means that differences were taken k times; wide is 1 where 32 bits do not hold a number.
    InputError where a number is beyond `MOST`.
    """
    rows, parts = [], []
    for name, column in columns.items():
        values = np.asarray(column, dtype=np.int64)
        largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
        if largest > MOST:
            raise InputError(
                f"report: {name} has numbers beyond 2^50, which a browser cannot count; give the machine "
                "shorter times, or look at this run with senn show"
            )
        coding, content = _shortest(values)
        rows.append([name, values.size, coding, len(content), int(largest >= 2**31)])
        parts.append(content)
    parts.append(json.dumps(dict(words), separators=(",", ":")).encode())
    return {"rows": rows, "text": base64.b64encode(_deflated(b"".join(parts), 9)).decode()}


def packs(columns: Mapping[str, Integers], words: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Two packs: the columns of a page's first picture, and the rest, ten times as long to unpack."""
    packed = []
    for first in (True, False):
        part = {name: column for name, column in columns.items() if _is_first(name) == first}
        packed.append(pack(part, {name: texts for name, texts in words.items() if _is_first(name) == first}))
    return packed


def _is_first(name: str) -> bool:
    return name.split(".")[0] in ("instructions", "bars", "waits")


def _shortest(values: Integers) -> tuple[int, bytes]:
    codings = []
    for coding in range(_CODINGS):
        content = _varints(values)
        codings.append((len(_deflated(content, 1)), coding, content))
        values = np.diff(values, prepend=0)
    _, coding, content = min(codings)
    return coding, content


def _deflated(content: bytes, level: int) -> bytes:
    deflate = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return deflate.compress(content) + deflate.flush()


def _varints(values: Integers) -> bytes:
    """Little-endian groups of seven bits, all but the last of a number with the eighth bit set."""
    rest = (values << 1 ^ values >> 63).astype(np.uint64)
    groups = []
    begun = np.ones(rest.shape, dtype=np.bool_)
    while begun.any():
        more = rest > 127
        groups.append(np.where(begun, rest & 127 | more.astype(np.uint64) << 7, 256))
        begun, rest = more, rest >> np.uint64(7)
    if not groups:
        return b""
    table = np.stack(groups, axis=1).astype(np.int16)
    return table[table < 256].astype(np.uint8).tobytes()


# What the messages of a small run carried, to four digits: enough to be read, and a third of the bytes.

MOST_NUMBERS = 50_000
"""Numbers that a page has room for: runs of up to 32 processes have fewer."""
NO_NUMBER = 999
"""The power of what is no finite number; its digits are then -1, 0 or 1: minus infinity, none, infinity."""
_DIGITS = 4


def payloads(run: Run) -> dict[str, pl.DataFrame]:
    """``carried``: of every message the place of its first number, and how many stand in a row; ``numbers``:
    digits and power, each number being digits times ten to this power. Nothing where values were not kept.
    """
    kept = run.values.payloads if run.values is not None else {}
    arrays = [np.asarray(kept[number]) for number in run.trace.messages["id"] if number in kept]
    sizes = [array.size for array in arrays]
    if len(arrays) != run.trace.messages.height or not 0 < sum(sizes) <= MOST_NUMBERS:
        return {}
    digits, power = _decimal(np.concatenate([array.ravel().astype(np.float64) for array in arrays]))
    first = np.concatenate([[0], np.cumsum(sizes)])
    row = [array.shape[-1] if array.ndim > 1 else max(array.size, 1) for array in arrays]
    return {
        "carried": pl.DataFrame(
            {"first": first.astype(np.int64), "row": np.array([*row, 1], dtype=np.int64)}
        ),
        "numbers": pl.DataFrame({"digits": digits, "power": power}),
    }


def _decimal(numbers: NDArray[np.float64]) -> tuple[Integers, Integers]:
    """Digits and power of each number, rounded to `_DIGITS`."""
    finite = np.isfinite(numbers)
    there = np.where(finite & (numbers != 0.0), np.abs(numbers), 1.0)
    power = np.floor(np.log10(there)).astype(np.int64) - (_DIGITS - 1)
    # In two steps: ten to a power of more than 308 is infinite.
    half = power // 2
    scaled = np.where(finite, numbers, 0.0) / 10.0**half / 10.0 ** (power - half)
    digits = np.rint(scaled).astype(np.int64)
    power[digits == 0] = 0
    digits[~finite] = np.nan_to_num(np.sign(numbers[~finite])).astype(np.int64)
    power[~finite] = NO_NUMBER
    return digits, power
