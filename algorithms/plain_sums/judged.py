"""How far answers are from those of plain sums, and how well they obey the equations of motion so written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from senn.algorithms.plain_sums.links import Array, unit, x_and_z
from senn.algorithms.plain_sums.response import Carried, Model, State

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

    figures: Mapping[str, float]  # Errors in norms over their scales, and residuals
    rounding: Mapping[str, float]
    """How far rounding moves what the errors are measured from, in the same measure."""
    dense: bool  # Whether answers were compared; else there are residuals only


def judged(model: Model, state: State, answers: Mapping[str, Array]) -> Judged:
    """Figures of answers, which are in the frames of `senn.algorithms.problems.problem.Solution`."""
    prescribed = equations(state.contact, model.tip_axes, model.velocity)
    still = model.carried(np.zeros(len(state.qd)), np.zeros(6))
    answers = {name: np.asarray(value, dtype=np.float64) for name, value in answers.items()}
    try:
        dense, *rounded = matrices(model, state.tau, still, _SAMPLES, whole="inverse_mass_matrix" in answers)
        right, *moved = (_answers(model, state, prescribed, system, answers) for system in (dense, *rounded))
    except np.linalg.LinAlgError:  # M has no factors left in this precision, or the contact is singular
        return Judged(_residuals(model, state, prescribed, still, answers), {}, dense=False)
    scales = _scales(state, prescribed, still, dense, right)
    names = [name for name in answers if name in right]
    figures = {name: _over(_norm(answers[name] - right[name]), scales[name]) for name in names}
    units = {
        name: max(_over(_norm(other[name] - right[name]), scales[name]) for other in moved) for name in names
    }
    residuals = _residuals(model, state, prescribed, still, answers, right, scales)
    return Judged(figures | residuals, units, dense=True)


def _answers(
    model: Model, state: State, prescribed: Equations, system: Matrices, names: Iterable[str]
) -> dict[str, Array]:
    """The answers of these names, and those that scales are made of."""
    answers = solved(system, prescribed)
    for name in names:
        if name == "forces":
            forces = model.carried(answers["qdd"], answers["force"]).forces
            if forces is not None:
                answers[name] = forces
        elif name not in answers:
            other = further(name, system, answers["lambda_inverse"], state.x, state.qdd)
            if other is not None:
                answers[name] = other
    return answers


def _scales(
    state: State, prescribed: Equations, still: Carried, system: Matrices, right: Mapping[str, Array]
) -> dict[str, float]:
    """Scales of the errors, by name."""
    alone = system.alone
    inverse, bare = right["lambda_inverse"], prescribed.bare()
    driven, moved, pushed = (
        max(_CANCELLED * _norm(torque), _CARRIED * _norm(carried))
        for torque, carried in (
            alone.T,
            [system.J @ column for column in alone.T],
            [bare.force(inverse, system.J @ column) for column in alone.T],
        )
    )
    scales = {name: _norm(value) for name, value in right.items()}
    scales["qdd"] = scales["qdd0"] = max(scales["qdd"], scales["qdd0"], driven)
    scales[_MOVED] = moved
    scales["force"] = max(scales["force"], pushed)
    scales["acceleration0"] = max(scales["acceleration0"], moved)
    if "forces" in scales:
        scales["forces"] = max(scales["forces"], 0.0 if still.forces is None else _norm(still.forces))
    if "tau" in scales:
        scales["tau"] = max(scales["tau"], _norm(system.bias), _CARRIED * _norm(system.size))
    if "tip_acceleration" in scales:
        least = _CANCELLED * _norm(inverse) * _norm(state.x)
        scales["tip_acceleration"] = max(scales["tip_acceleration"], least)
    return scales


def _residuals(
    model: Model,
    state: State,
    prescribed: Equations,
    still: Carried,
    given: Mapping[str, Array],
    right: Mapping[str, Array] | None = None,
    scales: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Residuals of tau = M qdd + b + J'F, and of the contact."""
    force = given.get("force", right["force"] if right else None)
    if "qdd" not in given or force is None:
        return {}
    carried = model.carried(given["qdd"], force)
    load = max(
        _size(state.tau - still.torque),
        _CANCELLED * max(_size(state.tau), _size(still.torque)),
        _CARRIED * max(_size(still.size), _size(state.tau)),
    )
    residuals = {"residual": _over(_size(state.tau - carried.torque), load)}
    if "force" in given:
        acceleration = model.acceleration(given["qdd"])
        start = right["acceleration0"] if right else given.get("acceleration0", acceleration)
        # Of an arm too long for M: what its weight would do, were it free to fall.
        least = scales or {_MOVED: _CARRIED * _norm(state.gravity)}
        moved = max(prescribed.moved(start), _CANCELLED * _size(acceleration), least.get(_MOVED, 0.0))
        pressed = max(_norm(force), least.get("force", 0.0))
        residuals["contact_residual"] = prescribed.missed(acceleration, force, moved or 1.0, pressed or 1.0)
    return residuals


def _over(difference: float, scale: float) -> float:
    """The part of the scale; of a scale of nothing, all or nothing."""
    if scale > 0.0:
        return difference / scale
    return 0.0 if difference == 0.0 else 1.0


def _norm(array: Array) -> float:
    """The 2-norm, without overflow or underflow; NaN if an entry is."""
    largest = _size(array)
    if not 0.0 < largest < np.inf:
        return largest
    return largest * float(np.sqrt(((array / largest) ** 2).sum()))


def _size(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))


# -------- contacts: linear equations in force and acceleration
# Unknown are the force F of the end effector on the environment and its acceleration Vdot = Vdot_0 -
# Lambda^-1 F, [angular; linear] in its own axes, classical: of the point.


@dataclass(frozen=True, eq=False)
class Equations:
    """Vdot = M Omega + k and F = N Omega + l with unknown Omega; or, of the other kinds, what is prescribed
    along the columns of W alone: W'Vdot = G and F = B K + l."""

    W: Array  # (6, c)
    G: Array  # (c,)
    B: Array  # (6, c)
    l: Array  # (6,)
    M: Array | None = None
    k: Array | None = None

    def force(self, inverse: Array, free: Array) -> Array:
        """F, with Lambda^-1 (6, 6) and Vdot_0 (6,)."""
        if self.M is not None and self.k is not None:
            unknown = np.linalg.solve(self.M + inverse @ self.B, free - self.k - inverse @ self.l)
        else:
            left = self.W.T @ inverse @ self.B
            unknown = np.linalg.solve(left, self.W.T @ (free - inverse @ self.l) - self.G)
        return np.asarray(self.B @ unknown + self.l)

    def bare(self) -> Equations:
        """Equations in the same directions, with zero prescribed in all of them."""
        nothing = None if self.k is None else np.zeros(6)
        return Equations(self.W, np.zeros_like(self.G), self.B, np.zeros(6), self.M, nothing)

    def moved(self, start: Array) -> float:
        """The largest acceleration that is prescribed, or that `start` (6,) is where something is."""
        if self.k is not None:
            return max(_size(start), _size(self.k))
        return max(_size(self.W.T @ start), _size(self.G))

    def missed(self, acceleration: Array, force: Array, moved: float, pressed: float) -> float:
        """The largest part of what is prescribed that these do not obey: of accelerations over `moved`, of
        forces over `pressed`."""
        if self.M is not None and self.k is not None:
            maps = np.vstack([self.M / moved, self.B / pressed])
            left = np.concatenate([(acceleration - self.k) / moved, (force - self.l) / pressed])
            return _size(_unexplained(maps, left))
        off = _size(self.W.T @ acceleration - self.G) / moved
        return max(off, _size(_unexplained(self.B, force - self.l)) / pressed)


def equations(contact: Mapping[str, Any], tip_axes: Array, velocity: Array) -> Equations:
    """The equations of a contact under the keys of a problem file, with the end effector's axes (3, 3) and
    velocity (6,) in axes of the base."""
    inside: Array = np.asarray(np.kron(np.eye(2), tip_axes.T), dtype=np.float64)
    turned: Array = inside if contact.get("fixed_in") == "world" else np.eye(6)
    # A constraint is kept where W'Vdot is this: what is constant in the end effector's axes turns with it.
    carried = inside @ np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])
    added = carried if contact.get("acceleration") == "spatial" else np.zeros(6)
    if contact["kind"] in ("point", "line", "plane", "face"):
        return _in_words(contact, inside, tip_axes.T @ velocity[:3])
    if contact["kind"] == "general":
        M1, k1, M2, k2 = (turned @ _array(contact[key]) for key in ("M1", "k1", "M2", "k2"))
        return Equations(np.zeros((6, 0)), np.zeros(0), M2, k2, M1, k1 + added)
    W, H = _columns(contact.get("W"), turned), _columns(contact.get("H"), turned)
    if contact["kind"] in ("none", "free"):
        W = np.zeros((6, 0))
    if contact["kind"] == "weld":
        W = np.eye(6)
    prescribed = contact.get("G_C")
    if prescribed is None:
        kept = np.zeros(6) if contact.get("fixed_in") == "world" else carried
        G = W.T @ kept
    else:
        G = _array(prescribed) + W.T @ added
    constant = contact.get("d" if contact["kind"] == "II" else "K_F")
    pushed = np.zeros(6) if constant is None or not H.size else H @ _array(constant)
    B = W + H @ _array(contact["phi"]).reshape(H.shape[1], W.shape[1]) if contact["kind"] == "II" else W
    return Equations(W, G, B, pushed)


def _in_words(contact: Mapping[str, Any], inside: Array, spin: Array) -> Equations:
    """A point P of the end effector stays on a point, line or plane of the world, without friction; or a face
    of it on a plane. Along what is held P has no acceleration, about what is held the end effector has none.
    """
    place = _array(contact.get("position") if contact.get("position") is not None else (0.0, 0.0, 0.0))
    direction = next(
        (contact[key] for key in ("normal", "direction") if contact.get(key) is not None), (0.0, 0.0, 1.0)
    )
    along = unit(direction)
    if contact.get("axes") == "world":
        along = inside[:3, :3] @ along
    frame = x_and_z(np.eye(3)[int(np.abs(along).argmin())], along)
    kept = {"point": np.eye(3), "line": frame[:, :2]}.get(contact["kind"], frame[:, 2:]).T
    W = [np.concatenate([np.cross(place, row), row]) for row in kept]
    G = [-float(row @ np.cross(spin, np.cross(spin, place))) for row in kept]
    if contact["kind"] == "face":
        W += [np.concatenate([row, np.zeros(3)]) for row in frame[:, :2].T]
        G += [0.0, 0.0]
    columns = np.column_stack(W)
    return Equations(columns, np.array(G), columns, np.zeros(6))


def _array(numbers: Any) -> Array:
    return np.array(numbers, dtype=np.float64)


def _columns(matrix: Any, turned: Array) -> Array:
    if matrix is None or not np.size(matrix):
        return np.zeros((6, 0))
    return turned @ _array(matrix).reshape(6, -1)


def _unexplained(columns: Array, vector: Array) -> Array:
    """The part of a vector that is no combination of the columns."""
    if not columns.shape[1]:
        return vector
    return vector - columns @ np.linalg.lstsq(columns, vector, rcond=None)[0]


# -------- answers from b, J and what torques do, and the effect of rounding on them


@dataclass(frozen=True, eq=False)
class Matrices:
    """The arm at one state, as equations: tau = M qdd + bias, and J qdd + drift."""

    model: Model
    bias: Array  # (degrees,): the torques of qdd = 0
    size: Array  # (degrees,): how large what they are components of is
    J: Array
    drift: Array  # (6,): acceleration of the end effector at qdd = 0, in its axes
    eps: float  # By which its numbers are off
    seed: int
    response: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """M^-1 times columns, (degrees, c): of tau - b, of J' (6), of tau and |tau| with what is carried, and of
    unit torques where M^-1 is asked for."""

    @property
    def alone(self) -> Array:
        """(degrees, 2): what tau would do without b, and tau with all that the joints carry."""
        return self.response[:, 7:9]


def matrices(
    model: Model, tau: Array, still: Carried, samples: int = 0, *, whole: bool = False
) -> list[Matrices]:
    """The arm at its state, `still` being what its joints carry at qdd = 0, and as often as there are
    `samples` with every number off by a part of up to eps; `whole`: with all of M^-1.
    `numpy.linalg.LinAlgError` where M is singular."""
    drift = model.acceleration(np.zeros(len(tau)))
    exact = Matrices(model, still.torque, still.size, model.jacobian(), drift, 0.0, 0)
    copies = [exact, *(_rounded(exact, _EPS, seed) for seed in range(samples))]
    units = np.eye(len(tau), len(tau) if whole else 0)
    columns = np.empty((len(copies), len(tau), 9 + units.shape[1]))
    for of, rows in zip(copies, columns, strict=True):
        rows[:] = np.column_stack([tau - of.bias, of.J.T, tau, np.abs(tau) + of.size, units])
    responses = model.response(columns, _EPS)
    return [replace(of, response=response) for of, response in zip(copies, responses, strict=True)]


def _rounded(of: Matrices, eps: float, seed: int) -> Matrices:
    rng = np.random.default_rng([seed, 5])
    return replace(
        of,
        eps=eps,
        seed=seed,
        bias=of.bias + eps * rng.uniform(-1.0, 1.0, of.bias.shape) * of.size,
        J=of.J * (1.0 + eps * rng.uniform(-1.0, 1.0, of.J.shape)),
        drift=of.drift * (1.0 + eps * rng.uniform(-1.0, 1.0, 6)),
    )


def solved(of: Matrices, contact: Equations) -> dict[str, Array]:
    """By their names in `senn.algorithms.answers`; `numpy.linalg.LinAlgError` where the contact is
    singular."""
    qdd0, pushed = of.response[:, 0], of.response[:, 1:7]
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


def rounded_mass(M: Array, eps: float, seed: int) -> Array:
    """M with every entry off by a part of up to eps of what its diagonal allows."""
    if not eps:
        return M
    part = np.tril(np.random.default_rng([seed, 7]).uniform(-1.0, 1.0, M.shape))
    part, diagonal = part + np.tril(part, -1).T, np.sqrt(np.diag(M))
    return np.asarray(M + eps * part * np.outer(diagonal, diagonal) * (M != 0.0))


def divided(M: Array, columns: Array) -> Array:
    """M^-1 columns, by Cholesky's factors of M with a unit diagonal."""
    scale = 1.0 / np.sqrt(np.diag(M))
    root = np.linalg.cholesky(M * np.outer(scale, scale))
    return _array(scale[:, None] * np.linalg.solve(root.T, np.linalg.solve(root, scale[:, None] * columns)))


def further(name: str, of: Matrices, inverse: Array, x: Array, qdd: Array) -> Array | None:
    """A further answer, by its name: M, Lambda (its `inverse` given), both inverted, both with
    the vector x (6,), and the torques of the motion qdd. None of a name that is not known here."""
    if name == "mass_matrix":
        return rounded_mass(of.model.mass_matrix(), of.eps, of.seed)
    if name == "inverse_mass_matrix":
        return of.response[:, 9:]
    if name == "tip_acceleration":
        return inverse @ x
    if name == "operational_mass":
        return _array(np.linalg.inv(inverse))
    if name == "tip_wrench":
        return _array(np.linalg.solve(inverse, x))
    if name == "tau":
        torque = of.model.carried(qdd, np.zeros(6))
        rng = np.random.default_rng([of.seed, 8])
        return torque.torque + of.eps * rng.uniform(-1.0, 1.0, len(qdd)) * torque.size
    return None
