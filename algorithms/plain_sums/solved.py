"""The answers, from M, b and J by plain sums: a dense solution, O(n^3), of arms of up to some hundred joints.

And what rounding alone does to it: the same once more, with every entry of M, b and J off by what a sum over
the links rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from senn.algorithms.plain_sums import sums
from senn.algorithms.plain_sums.contact import Equations
from senn.algorithms.plain_sums.motion import Pose, motion
from senn.algorithms.plain_sums.turns import Array


@dataclass(frozen=True, eq=False)
class Matrices:
    """The arm at one state, as dense equations."""

    M: Array
    bias: Array
    """(degrees,): the torques of qdd = 0."""
    size: Array
    """(degrees,): how large what they are sums of is."""
    J: Array
    drift: Array
    """(6,): acceleration of the end effector at qdd = 0, in its axes."""


def matrices(at: Pose, qd: Array, gravity: Array) -> Matrices:
    """M, b and J of the arm."""
    still = motion(at, qd, np.zeros_like(qd))
    carried = sums.loads(at, still, gravity, np.zeros(6))
    spin, slide = np.abs(at.spin), np.abs(at.slide)
    moment = np.linalg.norm(carried.moment[at.of], axis=1) * np.linalg.norm(spin, axis=1)
    force = np.linalg.norm(carried.force[at.of], axis=1) * np.linalg.norm(slide, axis=1)
    drift = np.concatenate([at.tip_axes.T @ still.tip_turning, at.tip_axes.T @ still.tip])
    return Matrices(sums.mass_matrix(at), carried.torque, moment + force, sums.jacobian(at), drift)


def rounded(of: Matrices, eps: float, seed: int) -> Matrices:
    """The same with every entry off by a part of up to eps of what it is a sum of."""
    rng = np.random.default_rng([seed, 5])
    part = np.tril(rng.uniform(-1.0, 1.0, of.M.shape))
    part = part + np.tril(part, -1).T
    diagonal = np.sqrt(np.diag(of.M))
    return replace(
        of,
        M=of.M + eps * part * np.minimum(np.outer(diagonal, diagonal), np.abs(of.M) * len(of.M)),
        bias=of.bias + eps * rng.uniform(-1.0, 1.0, of.bias.shape) * of.size,
        J=of.J * (1.0 + eps * rng.uniform(-1.0, 1.0, of.J.shape)),
        drift=of.drift * (1.0 + eps * rng.uniform(-1.0, 1.0, 6)),
    )


def solved(of: Matrices, tau: Array, contact: Equations) -> dict[str, Array]:
    """By their names in `senn.algorithms.answers`; `numpy.linalg.LinAlgError` where M or the contact is
    singular."""
    scale = 1.0 / np.sqrt(np.diag(of.M))
    root = np.linalg.cholesky(of.M * np.outer(scale, scale))

    def divided(columns: Array) -> Array:
        inside = np.linalg.solve(root, scale[:, None] * columns)
        return scale[:, None] * np.linalg.solve(root.T, inside)

    answers = divided(np.column_stack([tau - of.bias, of.J.T]))
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
        "alone": divided(tau[:, None])[:, 0],
    }


def further(of: Matrices, found: Mapping[str, Array], x: Array) -> dict[str, Array]:
    """What else is asked of an arm: M, its inverse, Lambda, and both with the vector x (6,)."""
    inverse = found["lambda_inverse"]
    return {
        "mass_matrix": of.M,
        "inverse_mass_matrix": _as_array(np.linalg.inv(of.M)),
        "tip_acceleration": inverse @ x,
        "operational_mass": _as_array(np.linalg.inv(inverse)),
        "tip_wrench": _as_array(np.linalg.solve(inverse, x)),
    }


def _as_array(numbers: Any) -> Array:
    return np.asarray(numbers, dtype=np.float64)
