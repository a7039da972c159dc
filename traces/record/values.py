"""What the program computed and what each message carried: kept for replays of small runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from senn.traces.errors import InputError
from senn.traces.record.trace import NULL

Integers = NDArray[np.int64]
Numbers = NDArray[np.floating[Any]]
_COLUMNS = ("array", "value", "level", "process", "born")


@dataclass(frozen=True, eq=False)
class Values:
    """Every value of a program, one entry per value and process.

    ``value`` is the letter, ``level`` the superscript (``NULL`` where there is none), ``process`` the
    subscript, ``array`` the array that holds it, ``born`` the cycle in which it came to be (0 = resident
    from the start), ``numbers`` its numbers. ``payloads`` has, by message id, the numbers that the message
    carried.
    """

    array: Integers
    value: NDArray[np.str_]
    level: Integers
    process: Integers
    born: Integers
    numbers: tuple[Numbers, ...]
    payloads: Mapping[int, Numbers]

    def __post_init__(self) -> None:
        lengths = {name: len(getattr(self, name)) for name in (*_COLUMNS, "numbers")}
        if len(set(lengths.values())) > 1:
            raise InputError(f"values: the columns differ in length: {lengths}")

    def get(self, array: int, value: str, level: int | None, process: int) -> Numbers:
        """The numbers of one value: ``get(1, "A", 0, 3)`` is A_3^0 of array 1; KeyError without it."""
        key = (array, value, NULL if level is None else level, process)
        if key not in self._index:
            superscript = "" if level is None else f"^{level}"
            raise KeyError(f"no value {value}_{process}{superscript} in array {array}")
        return self.numbers[self._index[key]]

    @cached_property
    def _index(self) -> dict[tuple[int, str, int, int], int]:
        rows = zip(*(getattr(self, name).tolist() for name in _COLUMNS[:4]), strict=True)
        return {key: index for index, key in enumerate(rows)}

    def save(self, file: IO[bytes]) -> None:
        """Write one npz file."""
        entries: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in _COLUMNS}
        entries |= _packed("numbers", self.numbers)
        entries |= {"message": np.array(list(self.payloads), dtype=np.int64)}
        entries |= _packed("payload", tuple(self.payloads.values()))
        np.savez_compressed(file, **entries)

    @classmethod
    def load(cls, file: IO[bytes]) -> Self:
        """Read what ``save`` wrote; of another file whatever NumPy makes of it is raised."""
        with np.load(file, allow_pickle=False) as found:
            entries = dict(found)
        columns = {name: entries[name] for name in _COLUMNS}
        payloads = dict(zip(entries["message"].tolist(), _unpacked("payload", entries), strict=True))
        return cls(**columns, numbers=_unpacked("numbers", entries), payloads=payloads)


def _packed(name: str, arrays: tuple[Numbers, ...]) -> dict[str, NDArray[np.generic]]:
    """Arrays of different shapes as three arrays: an npz entry each would be slow beyond a few thousand."""
    return {
        f"{name}_ndim": np.array([array.ndim for array in arrays], dtype=np.int64),
        f"{name}_shape": np.array([length for array in arrays for length in array.shape], dtype=np.int64),
        f"{name}_flat": np.concatenate([array.ravel() for array in arrays]) if arrays else np.zeros(0),
    }


def _unpacked(name: str, entries: Mapping[str, NDArray[np.generic]]) -> tuple[Numbers, ...]:
    lengths, flat = entries[f"{name}_shape"], entries[f"{name}_flat"]
    arrays, at, begin = [], 0, 0
    for ndim in entries[f"{name}_ndim"].tolist():
        shape = tuple(lengths[at : at + ndim].tolist())
        size = int(np.prod(shape))
        arrays.append(flat[begin : begin + size].reshape(shape))
        at, begin = at + ndim, begin + size
    return tuple(arrays)
