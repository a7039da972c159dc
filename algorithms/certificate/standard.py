"""Errors and residuals of answers: the right values, the scales, and both measured in these scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from senn.algorithms.answers import ANSWERS, Answer
from senn.algorithms.problems.contact_force import contact_force, residual, size, unloaded
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.references import articulated
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.newton_euler import Dynamics
from senn.algorithms.spatial import Numbers

# Where what drives the arm nearly cancels, what is left carries the rounding of what cancelled: no scale is
# taken below this part of what the torque alone would do,
_CANCELLATION = 1e-3
# this part of what all that the joints carry would do, were it their torque,
_CARRIED = 1e-6
# and that of one joint not below what is usual for all joints.


@dataclass(frozen=True, eq=False)
class Scale:
    """Scales of the error of one answer."""

    whole: float  # Of its norm
    each: Numbers | None = None  # (k,) of the norm of each of its rows, where a row belongs to a joint


@dataclass(frozen=True, eq=False)
class Standard:
    """Right values of one problem, and the scales of errors and residuals."""

    reference: Solution  # Articulated bodies'
    right: Mapping[str, Numbers]  # The answers that were asked for, as they should be
    scales: Mapping[str, Scale]  # Of their errors, by the name of the answer
    load: float  # Of the residual of the equations of motion
    moved: float  # Of the end effector's acceleration in what the contact prescribes
    pressed: float  # Of its force there


def standard_of(problem: Problem, names: Iterable[str]) -> Standard:
    """For the answers of these names; `InputError` for a singular contact."""
    start = newton_euler.unaccelerated(problem.chain, problem.q, problem.qd, problem.gravity)
    effort = carried(problem.chain, problem.tau, start.wrenches)
    solved, *alone = articulated.solved(problem, start, np.column_stack([problem.tau, effort]))
    rows_of = [row for name, row in ANSWERS.items() if name in set(names)]
    floors = _floors(problem, solved, *alone)
    load = max(
        size(problem.tau - start.torque),
        _CANCELLATION * max(size(problem.tau), size(start.torque)),
        _CARRIED * size(effort),
    )
    contact, free = problem.contact, solved.acceleration0
    if contact.law:
        moved = max(size(free), size(contact.law.k1), floors.moved)
    else:
        assert contact.G_C is not None  # it is settled
        moved = max(size(contact.W.T @ free), size(contact.G_C), floors.moved)
    right = {row.name: row.reference(problem, solved) for row in rows_of}
    return Standard(
        reference=solved,
        right=right,
        scales={
            answer.name: _scale(answer, problem, solved, start, right[answer.name], floors)
            for answer in rows_of
        },
        load=load,
        moved=moved,
        pressed=max(norm(solved.force), floors.force),
    )


@dataclass(frozen=True)
class _Floors:
    """Lower bounds of the scales."""

    rates: float
    acceleration: float
    moved: float  # Of the acceleration in constrained directions, the largest
    force: float


def _floors(problem: Problem, reference: Solution, rates: Numbers, tip: Numbers) -> _Floors:
    """Lower bounds of the scales of answers, from what tau and the effort would do alone."""
    law, W = problem.contact.law, problem.contact.W
    bare = unloaded(problem.contact)
    alone = [contact_force(bare, reference.lambda_inverse, column) for column in tip.T]
    constrained = tip if law else W.T @ tip
    parts = (_CANCELLATION, _CARRIED)

    def floor(columns: Iterable[float]) -> float:
        return max(part * size_of for part, size_of in zip(parts, columns, strict=True))

    return _Floors(
        rates=floor(map(norm, rates.T)),
        acceleration=floor(map(norm, tip.T)),
        moved=floor(map(size, constrained.T)),
        force=floor(map(norm, alone)),
    )


def carried(chain: Chain, tau: Numbers, wrenches: Numbers) -> Numbers:
    """(degrees,) the torque of every joint and the wrench (n, 6) that it carries, added up in magnitude: of
    the motion at qdd = 0, what b is a component of."""
    part = np.abs(tau)
    part[: chain.qd_shares.total] += np.repeat(rows(wrenches), chain.qd_shares.counts)
    return part


def _scale(
    answer: Answer, problem: Problem, solved: Solution, start: Dynamics, right: Numbers, floors: _Floors
) -> Scale:
    """Scales of the error of an answer.

    Of qdd and qdd_0 the larger of the two, as a contact may nearly stop the arm; of the interbody forces
    theirs or those at qdd = 0 without contact, which motion and contact may nearly undo; of tau it or b."""
    least, other = 0.0, np.zeros_like(right)
    match answer.name:
        case "qdd":
            least, other = floors.rates, solved.qdd0
        case "qdd0":
            least, other = floors.rates, solved.qdd
        case "acceleration0":
            least = floors.acceleration
        case "force":
            least = floors.force
        case "forces":
            other = start.wrenches
        case "tau":
            other = start.torque
            least = _CARRIED * norm(carried(problem.chain, right, start.wrenches))
        case "tip_acceleration":
            least = _CANCELLATION * norm(solved.lambda_inverse) * norm(problem.tip_vector)
    whole = max(norm(right), norm(other), least)
    if not answer.by_joint:
        return Scale(whole)
    usual = whole / np.sqrt(len(right))
    return Scale(whole, np.maximum(np.maximum(rows(right), rows(other)), usual))


# -------- norms that neither overflow nor underflow


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


# -------- errors and residuals

Measured: TypeAlias = dict[str, Numbers]
"""By the name of a figure: an entry for each answer that it is about, or for each joint of each of these."""


def compared(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> Measured:
    """The errors and residuals of answers, by the names that certificates have for them."""
    errors = apart(given, standard.right, standard)
    if "qdd" not in given:
        return errors
    force = given.get("force", standard.reference.force)
    motion = newton_euler.dynamics(problem.chain, problem.q, problem.qd, given["qdd"], problem.gravity, force)
    torque, pressed = problem.tau - motion.torque, given.get("force")
    return errors | _residuals(problem.contact, torque, motion.acceleration, pressed, standard)


def moved(
    problem: Problem, given: Mapping[str, Numbers], before: Mapping[str, Numbers], standard: Standard
) -> Measured:
    """Changes of errors and residuals between two sets of answers, `before` and `given`."""
    errors = apart(given, before, standard)
    if "qdd" not in given:
        return errors
    still, qdd = np.zeros(problem.chain.degrees), given["qdd"] - before["qdd"]
    force = given["force"] - before["force"] if "force" in given else None
    motion = newton_euler.dynamics(problem.chain, problem.q, still, qdd, np.zeros(3), force)
    contact = unloaded(problem.contact)
    return errors | _residuals(contact, motion.torque, motion.acceleration, force, standard)


def apart(given: Mapping[str, Numbers], other: Mapping[str, Numbers], standard: Standard) -> Measured:
    """|given - other| over its scale, in 2-norms or Frobenius norms; and joint by joint, where an answer has
    a row for each."""
    errors: dict[str, list[Numbers]] = {}
    for name, answer in ANSWERS.items():
        if name not in given:
            continue
        off, scale = np.float64(given[name]) - other[name], standard.scales[name]
        errors.setdefault(answer.error, []).append(relative(norm(off), scale.whole))
        if scale.each is not None:
            errors.setdefault(answer.joint_error, []).append(relative(rows(off), scale.each))
    return {name: np.hstack(parts) for name, parts in errors.items()}


def _residuals(
    contact: Contact, torque: Numbers, acceleration: Numbers, force: Numbers | None, standard: Standard
) -> Measured:
    """max |tau - J'F - ID(q, qd, qdd)| / max |tau - b|, of what the numerator has; and of the contact, where
    its force is known."""
    residuals = {"residual": relative(np.array([size(torque)]), standard.load)}
    if force is not None:
        missed = residual(contact, acceleration, force, standard.moved, standard.pressed)
        residuals["contact_residual"] = np.array([missed])
    return residuals
