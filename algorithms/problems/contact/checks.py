"""What is wrong with the numbers of a contact, in the words of its author."""

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

ORTHONORMAL = 1e-9
INDEPENDENT = 1e-8
SIX_ROWS = "omega x y z, v x y z"


def matrix(value: ArrayLike, where: str, rows: int = 6, meaning: str = SIX_ROWS) -> Numbers:
    """A finite matrix with so many rows and at most six columns, (rows, columns).

    Also from nested lists; an empty list has no columns. `meaning` says what the rows are.
    """
    found = [np.asarray(row, dtype=np.float64) for row in np.array(value, dtype=object)]
    if not found:
        return np.zeros((rows, 0))
    if len(found) != rows:
        raise InputError(f"{where} has {len(found)} rows, expected {rows}: {meaning}")
    for number, row in enumerate(found, 1):
        if row.shape != found[0].shape:
            raise InputError(
                f"{where}: row {number} has {row.size} numbers, row 1 has {found[0].size}; "
                "all rows need as many"
            )
    result = np.array(found).reshape(rows, -1)
    if not np.isfinite(result).all():
        raise InputError(f"{where} holds a number that is not finite")
    if result.shape[1] > 6:
        raise InputError(f"{where} has {result.shape[1]} columns, at most 6 are possible")
    return result


def vector(value: ArrayLike | None, length: int, where: str, meaning: str) -> Numbers:
    """A finite vector (length,); None means zero. `meaning` says what the numbers are."""
    if value is None:
        return np.zeros(length)
    found = np.array(value, dtype=np.float64)
    if found.shape != (length,):
        raise InputError(f"{where} has {found.size} numbers, expected {length} ({meaning})")
    if not np.isfinite(found).all():
        raise InputError(f"{where} holds a number that is not finite")
    return found


def refuse_columns(value: Numbers, columns: int, where: str, meaning: str) -> None:
    """`InputError` unless there are so many columns; `meaning` says why."""
    if value.shape[1] != columns:
        raise InputError(f"{where} has {value.shape[1]} columns, expected {columns}: {meaning}")


def refuse_dependent(columns: Numbers, where: str, way_out: str) -> None:
    """`InputError` unless the columns are independent beyond rounding, each measured in its own length."""
    lengths = np.linalg.norm(columns, axis=0)
    if not lengths.all():
        raise InputError(f"{where}: column {int(lengths.argmin()) + 1} is zero; {way_out}")
    smallest = float(np.linalg.svd(columns / lengths, compute_uv=False).min(initial=1.0))
    if smallest < INDEPENDENT:
        raise InputError(
            f"{where}: the columns are not independent (of unit length, their smallest singular value is "
            f"{smallest:.1g}, at least {INDEPENDENT:.0e} is needed); {way_out}"
        )


def choice(value: str, allowed: tuple[str, str], where: str) -> str:
    """One of two words."""
    if value not in allowed:
        raise InputError(f'{where} is "{value}"; write "{allowed[0]}" or "{allowed[1]}"')
    return value
