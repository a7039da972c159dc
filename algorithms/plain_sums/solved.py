"""The answers from M, b and J: a dense solution, O(n^3), of arms of up to some hundred joints.

And what rounding alone does to it: the same once more, with every entry of M, b and J off by what a sum over
the links rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from senn.algorithms.plain_sums.contact import Equations
from senn.algorithms.plain_sums.model import Model
from senn.algorithms.plain_sums.turns import Array


@dataclass(frozen=True, eq=False)
class Matrices:
    """The arm at one state, as dense equations."""

    M: Array
    bias: Array
    """(degrees,): the torques of qdd = 0."""
    size: Array
    """(degrees,): how large what they are components of is."""
    J: Array
    drift: Array
    """(6,): acceleration of the end effector at qdd = 0, in its axes."""


def matrices(model: Model, degrees: int) -> Matrices:
    """M, b and J of the arm."""
    still = model.carried(np.zeros(degrees), np.zeros(6))
    drift = model.acceleration(np.zeros(degrees))
    return Matrices(model.mass_matrix(), still.torque, still.size, model.jacobian(), drift)


def rounded(of: Matrices, eps: float, seed: int) -> Matrices:
    """The same with every entry off by a part of up to eps: of M of what it can be beside its diagonal."""
    rng = np.random.default_rng([seed, 5])
    part = np.tril(rng.uniform(-1.0, 1.0, of.M.shape))
    part = part + np.tril(part, -1).T
    diagonal = np.sqrt(np.diag(of.M))
    return replace(
        of,
        M=of.M + eps * part * np.outer(diagonal, diagonal) * (of.M != 0.0),
        bias=of.bias + eps * rng.uniform(-1.0, 1.0, of.bias.shape) * of.size,
        J=of.J * (1.0 + eps * rng.uniform(-1.0, 1.0, of.J.shape)),
        drift=of.drift * (1.0 + eps * rng.uniform(-1.0, 1.0, 6)),
    )


def solved(of: Matrices, tau: Array, contact: Equations) -> dict[str, Array]:
    """By their names in `senn.algorithms.answers`; `numpy.linalg.LinAlgError` where M or the contact is
    singular."""
    answers = divided(of.M, np.column_stack([tau - of.bias, of.J.T]))
    qdd0, pushed = answers[:, 0], answers[:, 1:]
    inverse = of.J @ pushed
    inverse = (inverse + inverse.T) / 2.0
    acceleration0 = of.J @ qdd0 + of.drift
    force = contact.force(inverse, acceleration0)
    return {
        "qdd": qdd0 - pushed @ force,
        "qdd0": qdd0,
        "force": force,
        "lambda_inverse": inverse,
        "acceleration0": acceleration0,
    }


def divided(M: Array, columns: Array) -> Array:
    """M^-1 columns, by Cholesky's factors of M with a unit diagonal."""
    scale = 1.0 / np.sqrt(np.diag(M))
    root = np.linalg.cholesky(M * np.outer(scale, scale))
    return _array(scale[:, None] * np.linalg.solve(root.T, np.linalg.solve(root, scale[:, None] * columns)))


def further(name: str, of: Matrices, inverse: Array, x: Array, qdd: Array) -> Array | None:
    """What else is asked of an arm, by its name: M, Lambda (its `inverse` given), both inverted, both with
    the vector x (6,), and the torques of the motion qdd. None of a name that is not known here."""
    if name == "mass_matrix":
        return of.M
    if name == "inverse_mass_matrix":
        return _array(np.linalg.inv(of.M))
    if name == "tip_acceleration":
        return inverse @ x
    if name == "operational_mass":
        return _array(np.linalg.inv(inverse))
    if name == "tip_wrench":
        return _array(np.linalg.solve(inverse, x))
    if name == "tau":
        return of.M @ qdd + of.bias
    return None


def _array(numbers: Any) -> Array:
    return np.asarray(numbers, dtype=np.float64)
