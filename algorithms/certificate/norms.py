"""Norms and parts of them that neither overflow nor underflow: of 1e200 and of 1e-200 as of 1."""

import numpy as np

from senn.algorithms.spatial import Numbers


def norm(array: Numbers) -> float:
    """The 2-norm, or Frobenius norm; NaN if an entry is, infinite if one is."""
    largest = size(array)
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.linalg.norm(np.asarray(array, dtype=np.float64) / largest))


def rows(array: Numbers) -> Numbers:
    """The norm of each row (k,); the magnitudes of a vector (k,)."""
    wide = np.abs(np.asarray(array, dtype=np.float64)).reshape(len(array), -1)
    largest = wide.max(axis=1, initial=0.0)
    usable = np.where(np.isfinite(largest) & (largest > 0.0), largest, 1.0)
    return np.asarray(usable * np.linalg.norm(wide / usable[:, None], axis=1))


def size(array: Numbers) -> float:
    """The largest magnitude; 0 for an empty array, NaN if an entry is."""
    return float(np.max(np.abs(array), initial=0.0))


def relative(difference: Numbers | float, scale: Numbers | float) -> Numbers:
    """Magnitudes of differences over their scales, entry by entry.

    Where the scale is zero nothing may be left: 0 where the difference is zero too, else 1, an error as
    large as the answer. NaN where the scale is not finite.
    """
    difference, scale = np.broadcast_arrays(np.float64(difference), np.float64(scale))
    usable = np.where(scale > 0.0, scale, 1.0)
    with np.errstate(over="ignore"):
        parts = np.where(scale > 0.0, difference / usable, np.where(difference == 0.0, 0.0, 1.0))
    unknown = ~np.isfinite(scale) | np.isnan(difference)
    return np.asarray(np.where(unknown, np.nan, parts))
