"""What the messages of a small run carried, to four digits: enough to be read, and a third of the bytes."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.report.packing import Integers

if TYPE_CHECKING:
    from senn.traces.run import Run

MOST = 50_000
"""Numbers that a page has room for: runs of up to 32 processes have fewer."""
NO_NUMBER = 999
"""The power of what is no finite number; its digits are then -1, 0 or 1: minus infinity, none, infinity."""
_DIGITS = 4


def payloads(run: "Run") -> dict[str, pl.DataFrame]:
    """``carried``: of every message the place of its first number, and how many stand in a row; ``numbers``:
    digits and power, each number being digits times ten to this power. Nothing where values were not kept.
    """
    kept = run.values.payloads if run.values is not None else {}
    arrays = [np.asarray(kept[number]) for number in run.trace.messages["id"] if number in kept]
    sizes = [one.size for one in arrays]
    if len(arrays) != run.trace.messages.height or not 0 < sum(sizes) <= MOST:
        return {}
    digits, power = _decimal(np.concatenate([one.ravel().astype(np.float64) for one in arrays]))
    first = np.concatenate([[0], np.cumsum(sizes)])
    row = [one.shape[-1] if one.ndim > 1 else max(one.size, 1) for one in arrays]
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
