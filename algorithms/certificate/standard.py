"""What answers of one problem are measured with: what is right, and the scales of errors and residuals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from senn.algorithms.answers import ANSWERS, Answer
from senn.algorithms.certificate.norms import norm, rows, size
from senn.algorithms.problems.contact.force import contact_force, unloaded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
from senn.algorithms.references import articulated
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers

# Where what drives the arm nearly cancels, what is left carries the rounding of what cancelled: no scale is
# taken below this part of what the torque alone would do,
_CANCELLATION = 1e-3
# this part of what all that the joints carry would do, were it their torque,
_CARRIED = 1e-6
# and that of one joint not below what is usual for all joints.


@dataclass(frozen=True, eq=False)
class Scale:
    """Of one answer."""

    whole: float
    """Of its norm."""
    each: Numbers | None = None
    """(k,) of the norm of each of its rows, where a row belongs to a joint."""


@dataclass(frozen=True, eq=False)
class Standard:
    """What solutions of one problem are measured with."""

    reference: Solution
    """Articulated bodies', if nothing else is said."""
    right: Mapping[str, Numbers]
    """The answers that were asked for, as they should be."""
    scales: Mapping[str, Scale]
    """Of their errors, by the name of the answer."""
    load: float
    """Of the residual of the equations of motion."""
    moved: float
    """Of the end effector's acceleration in what the contact prescribes."""
    pressed: float
    """Of its force there."""


def standard_of(problem: Problem, names: Iterable[str], reference: Solution | None = None) -> Standard:
    """For the answers of these names; `InputError` for a singular contact.

    `reference` in place of articulated bodies' solution, which is then only what scales are made of.
    """
    arm = articulated.factor(problem.chain, problem.q)
    solved = articulated.solve(problem, arm)
    taken = reference or solved
    asked = [one for name, one in ANSWERS.items() if name in set(names)]
    floors, load = _floors(problem, arm, solved)
    contact, start = problem.contact, solved.acceleration0
    if contact.law:
        moved = max(size(start), size(contact.law.k1), floors.moved)
    else:
        assert contact.G_C is not None  # it is settled
        moved = max(size(contact.W.T @ start), size(contact.G_C), floors.moved)
    right = {one.name: one.reference(problem, taken) for one in asked}
    return Standard(
        reference=taken,
        right=right,
        scales={one.name: _scale(one, problem, solved, right[one.name], floors) for one in asked},
        load=load,
        moved=moved,
        pressed=max(norm(solved.force), floors.force),
    )


@dataclass(frozen=True)
class _Floors:
    """What no scale is below."""

    rates: float
    acceleration: float
    moved: float
    """Of the acceleration in constrained directions, the largest."""
    force: float


def _floors(problem: Problem, arm: articulated.Factored, reference: Solution) -> tuple[_Floors, float]:
    """And the scale of the residual of motion."""
    bias = newton_euler.inverse_dynamics(*_still(problem))
    effort = carried(problem)
    push = np.column_stack([problem.tau, effort])
    rates, tip = articulated.respond(arm, push, np.zeros((6, 2)))
    law, W = problem.contact.law, problem.contact.W
    bare = unloaded(problem.contact)
    alone = [contact_force(bare, reference.lambda_inverse, column) for column in tip.T]
    constrained = tip if law else W.T @ tip
    parts = (_CANCELLATION, _CARRIED)

    def floor(columns: Iterable[float]) -> float:
        return max(part * one for part, one in zip(parts, columns, strict=True))

    load = max(
        size(problem.tau - bias),
        _CANCELLATION * max(size(problem.tau), size(bias)),
        _CARRIED * size(effort),
    )
    floors = _Floors(
        rates=floor(map(norm, rates.T)),
        acceleration=floor(map(norm, tip.T)),
        moved=floor(map(size, constrained.T)),
        force=floor(map(norm, alone)),
    )
    return floors, load


def carried(problem: Problem, qdd: Numbers | None = None) -> Numbers:
    """(degrees,) the torque of every joint and the wrench that it carries at qdd (else 0), added up in
    magnitude: what b is a component of."""
    chain = problem.chain
    motion = np.zeros(chain.degrees) if qdd is None else qdd
    held = newton_euler.interbody_forces(chain, problem.q, problem.qd, motion, problem.gravity)
    part = np.abs(problem.tau)
    part[: chain.qd_shares.total] += np.repeat(rows(held), chain.qd_shares.counts)
    return part


def _scale(one: Answer, problem: Problem, solved: Solution, right: Numbers, floors: _Floors) -> Scale:
    """Of qdd and qdd_0 the larger of the two, as a contact may nearly stop the arm; of the interbody forces
    theirs or those at qdd = 0 without contact, which motion and contact may nearly undo; of tau it or b."""
    least, other = 0.0, np.zeros_like(right)
    if one.name in ("qdd", "qdd0"):
        least, other = floors.rates, solved.qdd0 if one.name == "qdd" else solved.qdd
    elif one.name == "acceleration0":
        least = floors.acceleration
    elif one.name == "force":
        least = floors.force
    elif one.name == "forces":
        other = newton_euler.interbody_forces(*_still(problem))
    elif one.name == "tau":
        other = newton_euler.inverse_dynamics(*_still(problem))
        least = _CARRIED * norm(carried(replace(problem, tau=right)))
    elif one.name == "tip_acceleration":
        least = _CANCELLATION * norm(solved.lambda_inverse) * norm(problem.tip_vector)
    whole = max(norm(right), norm(other), least)
    if not one.by_joint:
        return Scale(whole)
    usual = whole / np.sqrt(len(right))
    return Scale(whole, np.maximum(np.maximum(rows(right), rows(other)), usual))


def _still(problem: Problem) -> tuple[Chain, Numbers, Numbers, Numbers, Numbers]:
    """What Newton-Euler is asked of at qdd = 0."""
    return problem.chain, problem.q, problem.qd, np.zeros(problem.chain.degrees), problem.gravity
