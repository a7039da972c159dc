"""Errors and residuals of answers: what they are compared with, and on which standard.

A certificate is made of them (`senn.algorithms.certificate.certify`), which also says what they mean.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from senn.algorithms.problems.contact.force import contact_force, residual, unloaded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
from senn.algorithms.references import articulated, constraint_force, dense
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers

# Where tau and b nearly cancel, what is left of tau - b carries the rounding of tau and b themselves: no
# scale is taken below this part of what the torque alone would do.
_CANCELLATION = 1e-3

NEED_MASS = frozenset({"operational_mass", "tip_wrench"})
"""Answers made of Lambda: they lose the digits that a tip held in all directions would lose."""


@dataclass(frozen=True, eq=False)
class Standard:
    """What solutions of one problem are measured with."""

    reference: Solution
    qdd: float  # scales of the differences
    force: float
    forces: float
    acceleration: float
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
    return Standard(
        reference=reference,
        qdd=max(norm(reference.qdd), norm(reference.qdd0), _CANCELLATION * norm(qdd_alone)),
        force=max(norm(reference.force), _CANCELLATION * norm(force_alone)),
        forces=max(norm(reference.forces), norm(newton_euler.interbody_forces(*at_rest))),
        acceleration=max(norm(reference.acceleration0), _CANCELLATION * norm(acceleration_alone)),
        load=max(_size(problem.tau - bias), _CANCELLATION * max(_size(problem.tau), _size(bias))),
        kappa=kappa,
        rho=rho,
    )


def compared(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> dict[str, float]:
    """The errors and residuals of answers, by the names that `Certificate` has for them."""
    reference = standard.reference
    found: dict[str, float] = {}
    if "qdd" in given:
        off = relative(given["qdd"] - reference.qdd, standard.qdd)
        off_open = relative(given["qdd0"] - reference.qdd0, standard.qdd) if "qdd0" in given else 0.0
        found["qdd_error"] = float(np.max((off, off_open)))  # NaN if one is
        found |= _residuals(problem, given, standard)
    if "acceleration0" in given:
        found["acceleration0_error"] = relative(
            given["acceleration0"] - reference.acceleration0, standard.acceleration
        )
    if "force" in given:
        found["contact_force_error"] = relative(given["force"] - reference.force, standard.force)
    if "forces" in given:
        found["forces_error"] = relative(given["forces"] - reference.forces, standard.forces)
    if "tau" in given:
        found["tau_error"] = _torque_error(problem, given["tau"])
    for name, matrix in _matrices(problem, reference).items():
        if name in given:
            right = matrix()
            found[f"{name}_error"] = relative(given[name] - right, norm(right))
    return found


def _residuals(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> dict[str, float]:
    """How far qdd and force miss the equations of motion and, where a force is an answer, the contact's."""
    chain, contact, qdd = problem.chain, problem.contact, given["qdd"]
    load = newton_euler.inverse_dynamics(
        chain, problem.q, problem.qd, qdd, problem.gravity, given.get("force", standard.reference.force)
    )
    found = {"residual": relative(problem.tau - load, standard.load, _size)}
    if "force" in given:
        _, acceleration = newton_euler.end_effector(chain, problem.q, problem.qd, qdd)
        found["contact_residual"] = residual(
            contact, acceleration, given["force"], standard.reference.acceleration0, standard.force
        )
    return found


def _torque_error(problem: Problem, tau: Numbers) -> float:
    reference = newton_euler.inverse_dynamics(
        problem.chain, problem.q, problem.qd, problem.qdd, problem.gravity
    )
    return relative(tau - reference, torque_scale(problem))


def torque_scale(problem: Problem) -> float:
    """The larger of |tau| and |b| of inverse dynamics."""
    return max(
        norm(newton_euler.inverse_dynamics(problem.chain, problem.q, problem.qd, motion, problem.gravity))
        for motion in (problem.qdd, np.zeros_like(problem.qdd))
    )


def _matrices(problem: Problem, reference: Solution) -> dict[str, Callable[[], Numbers]]:
    """The references of the answers that are matrices, each made when it is asked for."""
    chain = problem.chain
    return {
        "lambda_inverse": lambda: reference.lambda_inverse,
        "operational_mass": lambda: np.asarray(np.linalg.inv(reference.lambda_inverse), dtype=np.float64),
        "tip_acceleration": lambda: reference.lambda_inverse @ problem.tip_vector,
        "tip_wrench": lambda: np.asarray(
            np.linalg.solve(reference.lambda_inverse, problem.tip_vector), dtype=np.float64
        ),
        "mass_matrix": lambda: dense.mass_matrix(chain, problem.q),
        "inverse_mass_matrix": lambda: articulated.respond(
            articulated.factor(chain, problem.q), np.eye(chain.degrees), np.zeros((6, chain.degrees))
        )[0],
    }


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
