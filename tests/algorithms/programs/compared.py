"""How far the answers of a run are from those of articulated bodies, a serial solver, and arms in contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from tests.algorithms.robots.states import mild_state


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


def touching(n: int, constrained: int) -> Problem:
    """An arm of mixed joints and a contact in random directions, with G_C and K_F different from zero."""
    rng = np.random.default_rng(100 * n + constrained)
    chain = generators.generate(f"random:{n}:prismatic=0.3:seed={n}")
    q, qd, tau = mild_state(chain, n, problems.EARTH)
    basis = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    held, free = basis[:, :constrained], basis[:, constrained:]
    directions = contact.type_i(held, free, rng.normal(size=constrained), rng.normal(size=6 - constrained))
    return problems.Problem("arm", chain, problems.EARTH, q, qd, tau, directions)
