"""How far the answers of a run are from those of articulated bodies, a serial solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated


def errors(found: Mapping[str, np.ndarray], what: Problem, names: Sequence[str]) -> dict[str, float]:
    """Of every answer, in the 2-norm, over that of the reference or, for what hardly moves, of Qdd_0."""
    expected = articulated.solve(what)
    scale = {name: np.linalg.norm(getattr(expected, name)) for name in names}
    scale["qdd"] = max(scale["qdd"], np.linalg.norm(expected.qdd0))
    return {
        name: float(np.linalg.norm(found[name] - getattr(expected, name)) / (scale[name] or 1.0))
        for name in names
    }


def agrees(
    found: Mapping[str, np.ndarray], what: Problem, names: Sequence[str], bound: float = 1e-10
) -> bool:
    """Whether all of these answers are there, with an error below a bound."""
    return all(error < bound for error in errors(found, what, names).values())
