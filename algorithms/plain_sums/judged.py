"""How far answers are from those of plain sums, and how well they obey the equations of motion so written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.algorithms.plain_sums import contact, sums
from senn.algorithms.plain_sums.links import Arm
from senn.algorithms.plain_sums.motion import Pose, motion, pose
from senn.algorithms.plain_sums.solved import Matrices, further, matrices, rounded, solved
from senn.algorithms.plain_sums.turns import Array

MOST = 256
"""Degrees of freedom up to which M is made; beyond, only what an arm of any length can be asked is: the
equations of motion and the contact's."""

# Where what drives the arm nearly cancels, no scale is below this part of what the torque alone would do,
_CANCELLED = 1e-3
# and this part of what all that the joints carry would do.
_CARRIED = 1e-6
_EPS = 2.0**-52
_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class State:
    """The numbers of a problem beside those of the arm."""

    gravity: Array
    q: Array
    qd: Array
    tau: Array
    qdd: Array
    """Of inverse dynamics."""
    x: Array
    """(6,): what Lambda and its inverse are applied to."""
    contact: Mapping[str, Any]
    """As it was written: the keys of docs/conventions.md."""


@dataclass(frozen=True, eq=False)
class Judged:
    """By the names of `senn.algorithms.answers`, and "residual" and "contact_residual"."""

    figures: Mapping[str, float]
    """Errors in norms over their scales, and residuals."""
    rounding: Mapping[str, float]
    """How far rounding moves what they are compared with, in the same measure."""
    dense: bool
    """Whether answers were compared; else there are residuals only."""


def judged(arm: Arm, state: State, given: Mapping[str, Array]) -> Judged:
    """Of answers in the frames of `senn.algorithms.problems.solution`."""
    at = pose(arm, state.q, state.qd)
    still = motion(at, state.qd, np.zeros(len(state.qd)))
    prescribed = contact.equations(state.contact, at, still)
    given = {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}
    if len(state.qd) > MOST:
        return Judged(_residuals(at, state, prescribed, given, None), {}, dense=False)
    made = matrices(at, state.qd, state.gravity)
    try:
        right = _answers(at, state, prescribed, made)
    except np.linalg.LinAlgError:  # M has no factors left in this precision
        return Judged(_residuals(at, state, prescribed, given, None), {}, dense=False)
    scales = _scales(at, state, prescribed, made, right)
    figures = {name: _over(_norm(given[name] - right[name]), scales[name]) for name in given}
    units = dict.fromkeys(figures, 0.0)
    for sample in range(_SAMPLES):
        try:
            again = _answers(at, state, prescribed, rounded(made, _EPS, sample))
        except np.linalg.LinAlgError:
            again = {name: np.full_like(right[name], np.inf) for name in right}
        for name in units:
            units[name] = max(units[name], _over(_norm(again[name] - right[name]), scales[name]))
    return Judged(figures | _residuals(at, state, prescribed, given, right), units, dense=True)


def _answers(at: Pose, state: State, prescribed: contact.Equations, made: Matrices) -> dict[str, Array]:
    """All that can be asked."""
    found = solved(made, state.tau, prescribed)
    found |= further(made, found, state.x)
    moving = motion(at, state.qd, found["qdd"])
    found["forces"] = sums.wrenches(at, sums.loads(at, moving, state.gravity, found["force"]))
    found["tau"] = made.M @ state.qdd + made.bias
    return found


def _scales(
    at: Pose, state: State, prescribed: contact.Equations, made: Matrices, right: Mapping[str, Array]
) -> dict[str, float]:
    """What errors are taken over (docs/certificate.md)."""
    still = motion(at, state.qd, np.zeros(len(state.qd)))
    held = sums.wrenches(at, sums.loads(at, still, state.gravity, np.zeros(6)))
    alone = np.linalg.solve(made.M, np.column_stack([state.tau, np.abs(state.tau) + made.size]))
    inverse, bare = right["lambda_inverse"], prescribed.bare()
    pushed = [_norm(bare.force(inverse, made.J @ column)) for column in alone.T]
    moved = [_norm(made.J @ column) for column in alone.T]
    driven = [_norm(column) for column in alone.T]
    rates = max(_norm(right["qdd"]), _norm(right["qdd0"]), _least(driven))
    found = {name: _norm(value) for name, value in right.items()}
    return found | {
        "qdd": rates,
        "qdd0": rates,
        "force": max(found["force"], _least(pushed)),
        "acceleration0": max(found["acceleration0"], _least(moved)),
        "forces": max(found["forces"], _norm(held)),
        "tau": max(found["tau"], _norm(made.bias), _CARRIED * _norm(made.size)),
        "tip_acceleration": max(found["tip_acceleration"], _CANCELLED * _norm(inverse) * _norm(state.x)),
    }


def _least(alone: list[float]) -> float:
    return max(_CANCELLED * alone[0], _CARRIED * alone[1])


def _residuals(
    at: Pose,
    state: State,
    prescribed: contact.Equations,
    given: Mapping[str, Array],
    right: Mapping[str, Array] | None,
) -> dict[str, float]:
    """Of tau = M qdd + b + J'F, and of what the contact prescribes."""
    force = given.get("force", right["force"] if right else None)
    if "qdd" not in given or force is None:
        return {}
    moving = motion(at, state.qd, given["qdd"])
    still = motion(at, state.qd, np.zeros(len(state.qd)))
    bias = sums.loads(at, still, state.gravity, np.zeros(6)).torque
    carried = sums.loads(at, moving, state.gravity, force)
    load = max(
        _size(state.tau - bias),
        _CANCELLED * max(_size(state.tau), _size(bias)),
        _CARRIED * max(_size(carried.moment), _size(carried.force)),
    )
    found = {"residual": _over(_size(state.tau - carried.torque), load)}
    if "force" in given:
        acceleration = _at_tip(at, moving.tip_turning, moving.tip)
        start = right["acceleration0"] if right else given.get("acceleration0", acceleration)
        scale = max(_size(prescribed.W.T @ start), _size(prescribed.G))
        if prescribed.M is not None:
            scale = max(_size(start), _size(prescribed.k))
        scale = max(scale, _CANCELLED * _size(acceleration))
        pressed = max(_norm(force), _norm(right["force"]) if right else 0.0)
        found["contact_residual"] = prescribed.missed(acceleration, force, scale or 1.0, pressed or 1.0)
    return found


def _at_tip(at: Pose, turning: Array, acceleration: Array) -> Array:
    return np.concatenate([at.tip_axes.T @ turning, at.tip_axes.T @ acceleration])


def _over(difference: float, scale: float) -> float:
    """The part of the scale; of a scale of nothing, all or nothing."""
    if scale > 0.0:
        return difference / scale
    return 0.0 if difference == 0.0 else 1.0


def _norm(array: Array) -> float:
    """Of 1e200 and of 1e-200 as of 1."""
    largest = _size(array)
    if not 0.0 < largest < np.inf:
        return largest
    return largest * float(np.sqrt(((array / largest) ** 2).sum()))


def _size(array: Array | None) -> float:
    return 0.0 if array is None else float(np.abs(array).max(initial=0.0))
