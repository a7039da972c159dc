"""How far answers are from those of plain sums, and how well they obey the equations of motion so written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from senn.algorithms.plain_sums.contact import Equations, equations
from senn.algorithms.plain_sums.model import Model, State
from senn.algorithms.plain_sums.solved import Matrices, divided, further, matrices, rounded, solved
from senn.algorithms.plain_sums.turns import Array

MOST = 256
"""Degrees of freedom up to which M is made; beyond, answers are asked only what those of an arm of any length
can be: whether they obey the equations of motion and the contact."""

# Where what drives the arm nearly cancels, no scale is below this part of what the torque alone would do,
_CANCELLED = 1e-3
# and this part of what all that the joints carry would do.
_CARRIED = 1e-6
_MOVED = "moved"
"""The scale of accelerations that the contact prescribes, beside those of answers."""
_EPS = 2.0**-52
_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class Judged:
    """By the names of `senn.algorithms.answers`, and "residual" and "contact_residual"."""

    figures: Mapping[str, float]
    """Errors in norms over their scales, and residuals."""
    rounding: Mapping[str, float]
    """How far rounding moves what the errors are measured from, in the same measure."""
    dense: bool
    """Whether answers were compared; else there are residuals only."""


def judged(model: Model, state: State, given: Mapping[str, Array]) -> Judged:
    """Of answers in the frames of `senn.algorithms.problems.solution`."""
    prescribed = equations(state.contact, model.tip_axes, model.velocity)
    given = {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}
    apart = Judged(_residuals(model, state, prescribed, given), {}, dense=False)
    if len(state.qd) > MOST:
        return apart
    made = matrices(model, len(state.qd))
    try:
        right = _answers(model, state, prescribed, made, given)
    except np.linalg.LinAlgError:  # M has no factors left in this precision, or the contact is singular
        return apart
    scales = _scales(model, state, prescribed, made, right)
    names = [name for name in given if name in right]
    figures = {name: _over(_norm(given[name] - right[name]), scales[name]) for name in names}
    units = dict.fromkeys(figures, 0.0)
    for sample in range(_SAMPLES):
        try:
            again = _answers(model, state, prescribed, rounded(made, _EPS, sample), given)
        except np.linalg.LinAlgError:
            return apart
        for name in names:
            units[name] = max(units[name], _over(_norm(again[name] - right[name]), scales[name]))
    residuals = _residuals(model, state, prescribed, given, right, scales)
    return Judged(figures | residuals, units, dense=True)


def _answers(
    model: Model, state: State, prescribed: Equations, made: Matrices, names: Iterable[str]
) -> dict[str, Array]:
    """What is asked, and what scales are made of."""
    found = solved(made, state.tau, prescribed)
    for name in names:
        if name == "forces":
            forces = model.carried(found["qdd"], found["force"]).forces
            if forces is not None:
                found[name] = forces
        elif name not in found:
            other = further(name, made, found["lambda_inverse"], state.x, state.qdd)
            if other is not None:
                found[name] = other
    return found


def _scales(
    model: Model, state: State, prescribed: Equations, made: Matrices, right: Mapping[str, Array]
) -> dict[str, float]:
    """What errors are taken over."""
    alone = divided(made.M, np.column_stack([state.tau, np.abs(state.tau) + made.size]))
    inverse, bare = right["lambda_inverse"], prescribed.bare()
    driven, moved, pushed = (
        max(_CANCELLED * _norm(torque), _CARRIED * _norm(carried))
        for torque, carried in (
            alone.T,
            [made.J @ column for column in alone.T],
            [bare.force(inverse, made.J @ column) for column in alone.T],
        )
    )
    found = {name: _norm(value) for name, value in right.items()}
    found["qdd"] = found["qdd0"] = max(found["qdd"], found["qdd0"], driven)
    found[_MOVED] = moved
    found["force"] = max(found["force"], pushed)
    found["acceleration0"] = max(found["acceleration0"], moved)
    if "forces" in found:
        held = model.carried(np.zeros(len(state.qd)), np.zeros(6)).forces
        found["forces"] = max(found["forces"], 0.0 if held is None else _norm(held))
    if "tau" in found:
        found["tau"] = max(found["tau"], _norm(made.bias), _CARRIED * _norm(made.size))
    if "tip_acceleration" in found:
        least = _CANCELLED * _norm(inverse) * _norm(state.x)
        found["tip_acceleration"] = max(found["tip_acceleration"], least)
    return found


def _residuals(
    model: Model,
    state: State,
    prescribed: Equations,
    given: Mapping[str, Array],
    right: Mapping[str, Array] | None = None,
    scales: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Of tau = M qdd + b + J'F, and of what the contact prescribes."""
    force = given.get("force", right["force"] if right else None)
    if "qdd" not in given or force is None:
        return {}
    carried = model.carried(given["qdd"], force)
    bias = model.carried(np.zeros(len(state.qd)), np.zeros(6))
    load = max(
        _size(state.tau - bias.torque),
        _CANCELLED * max(_size(state.tau), _size(bias.torque)),
        _CARRIED * max(_size(bias.size), _size(state.tau)),
    )
    found = {"residual": _over(_size(state.tau - carried.torque), load)}
    if "force" in given:
        acceleration = model.acceleration(given["qdd"])
        start = right["acceleration0"] if right else given.get("acceleration0", acceleration)
        # Of an arm too long for M: what its weight would do, were it free to fall.
        least = scales or {_MOVED: _CARRIED * _norm(state.gravity)}
        moved = max(prescribed.moved(start), _CANCELLED * _size(acceleration), least.get(_MOVED, 0.0))
        pressed = max(_norm(force), least.get("force", 0.0))
        found["contact_residual"] = prescribed.missed(acceleration, force, moved or 1.0, pressed or 1.0)
    return found


def _over(difference: float, scale: float) -> float:
    """The part of the scale; of a scale of nothing, all or nothing."""
    if scale > 0.0:
        return difference / scale
    return 0.0 if difference == 0.0 else 1.0


def _norm(array: Array) -> float:
    """Of 1e200 and of 1e-200 as of 1; NaN if an entry is."""
    largest = _size(array)
    if not 0.0 < largest < np.inf:
        return largest
    return largest * float(np.sqrt(((array / largest) ** 2).sum()))


def _size(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))
