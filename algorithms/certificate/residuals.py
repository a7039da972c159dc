"""Errors and residuals of answers: what they are compared with, and on which standard.

A certificate is made of them (`senn.algorithms.certificate.certify`), which also says what they mean.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from senn.algorithms.answers import ANSWERS
from senn.algorithms.problems.contact.force import contact_force, residual, unloaded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers

# Where tau and b nearly cancel, what is left of tau - b carries the rounding of tau and b themselves: no
# scale is taken below this part of what the torque alone would do.
_CANCELLATION = 1e-3


@dataclass(frozen=True, eq=False)
class Standard:
    """What solutions of one problem are measured with."""

    reference: Solution
    scales: Mapping[str, float]
    """Of the differences, by the name of the answer; of others it is the size of what is right."""
    load: float
    kappa: float
    rho: float


def standard_of(problem: Problem) -> Standard:
    """Articulated bodies' solution, and the scales; `InputError` for a singular contact."""
    chain = problem.chain
    arm = articulated.factor(chain, problem.q)
    reference = articulated.solve(problem, arm)
    kappa, rho = constraint_force.condition(problem)
    at_rest = (chain, problem.q, problem.qd, np.zeros(chain.degrees), problem.gravity)
    bias = newton_euler.inverse_dynamics(*at_rest)
    qdd_alone, acceleration_alone, force_alone = _torque_alone(problem, arm, reference)
    qdd = max(norm(reference.qdd), norm(reference.qdd0), _CANCELLATION * norm(qdd_alone))
    return Standard(
        reference=reference,
        scales={
            "qdd": qdd,
            "qdd0": qdd,
            "force": max(norm(reference.force), _CANCELLATION * norm(force_alone)),
            # The interbody forces are those of the arm at qdd = 0 without contact plus what accelerations and
            # contact add; where these nearly undo it, as in an arm that falls freely, its rounding is left.
            "forces": max(norm(reference.forces), norm(newton_euler.interbody_forces(*at_rest))),
            "acceleration0": max(norm(reference.acceleration0), _CANCELLATION * norm(acceleration_alone)),
        },
        load=max(_size(problem.tau - bias), _CANCELLATION * max(_size(problem.tau), _size(bias))),
        kappa=kappa,
        rho=rho,
    )


def compared(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> dict[str, float]:
    """The errors and residuals of answers, by the names that certificates have for them.

    An error is |answer - reference| over a scale, in 2-norms or Frobenius norms; the largest, where several
    answers have one error.
    """
    found: dict[str, float] = {}
    for name, one in ANSWERS.items():
        if name in given:
            right = one.reference(problem, standard.reference)
            off = relative(given[name] - right, _scale(name, problem, standard, right))
            found[one.error] = float(np.max((off, found.get(one.error, 0.0))))  # NaN if one is
    return found | _residuals(problem, given, standard) if "qdd" in given else found


def _scale(name: str, problem: Problem, standard: Standard, right: Numbers) -> float:
    if name == "tau":
        return torque_scale(problem)
    return standard.scales[name] if name in standard.scales else norm(right)


def _residuals(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> dict[str, float]:
    """How far qdd and force miss the equations of motion: max |tau - J'F - ID(q, qd, qdd)| / max |tau - b|.

    Where a force is an answer, the contact's too: max |W'Vdot - G_C| / max(|W'Vdot_0|, 1); 0 where nothing is
    constrained.
    """
    chain, contact, qdd = problem.chain, problem.contact, given["qdd"]
    load = newton_euler.inverse_dynamics(
        chain, problem.q, problem.qd, qdd, problem.gravity, given.get("force", standard.reference.force)
    )
    found = {"residual": relative(problem.tau - load, standard.load, _size)}
    if "force" in given:
        _, acceleration = newton_euler.end_effector(chain, problem.q, problem.qd, qdd)
        found["contact_residual"] = residual(
            contact, acceleration, given["force"], standard.reference.acceleration0, standard.scales["force"]
        )
    return found


def torque_scale(problem: Problem) -> float:
    """The larger of |tau| and |b| of inverse dynamics."""
    return max(
        norm(newton_euler.inverse_dynamics(problem.chain, problem.q, problem.qd, motion, problem.gravity))
        for motion in (problem.qdd, np.zeros_like(problem.qdd))
    )


def _torque_alone(
    problem: Problem, arm: articulated.Factored, reference: Solution
) -> tuple[Numbers, Numbers, Numbers]:
    """Accelerations of the joints and of the end effector, and contact force, if tau acted without b and what
    the contact prescribes."""
    acceleration, tip = articulated.respond(arm, problem.tau[:, None], np.zeros((6, 1)))
    force = contact_force(unloaded(problem.contact), reference.lambda_inverse, tip[:, 0])
    return acceleration[:, 0], tip[:, 0], force


def norm(array: Numbers) -> float:
    return float(np.linalg.norm(array))


def _size(array: Numbers) -> float:
    """Largest magnitude; 0 for an empty array."""
    return float(np.max(np.abs(array), initial=0.0))


def relative(difference: Numbers, scale: float, measure: Callable[[Numbers], float] = norm) -> float:
    """The difference over its scale; the difference itself where the scale is zero."""
    return measure(difference) / scale if scale > 0.0 else measure(difference)
