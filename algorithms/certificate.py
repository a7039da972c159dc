"""The certificate: the answer of a run compared with an independent serial solver, in the same run.

The tolerance is what a backward-stable method reaches on this problem. A run above it has lost accuracy in
its schedule, not in its data; unless the serial algorithm on the same matrix A, which is asked then, is above
it too: on arms of thousands of links the formulation itself loses more.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from senn.algorithms import answers
from senn.algorithms import contact as contacts
from senn.algorithms.chain import tip_inverse_inertia
from senn.algorithms.problem import Problem
from senn.algorithms.serial import articulated, constraint_force, dense, newton_euler
from senn.algorithms.solution import Solution
from senn.algorithms.spatial import Array

_FACTOR = 1000.0
# Where tau and b nearly cancel, what is left of tau - b carries the rounding of tau and b themselves: no
# scale is taken below this part of what the torque alone would do (the factor of the tolerance makes up for
# it).
_CANCELLATION = 1.0 / _FACTOR
# From here on a passed certificate says little, and it says so.
_WIDE = 1e-3


TITLES = {
    "qdd_error": "error of qdd",
    "contact_force_error": "error of the contact force",
    "lambda_inverse_error": "error of Lambda^-1",
    "tau_error": "error of tau",
    "mass_matrix_error": "error of M",
    "inverse_mass_matrix_error": "error of M^-1",
    "operational_mass_error": "error of Lambda",
    "tip_acceleration_error": "error of Lambda^-1 x",
    "tip_wrench_error": "error of Lambda x",
    "forces_error": "error of the interbody forces",
    "residual": "residual of the equations of motion",
    "contact_residual": "residual of the contact",
}
"""What a certificate can hold, and how its message calls that."""
RESIDUALS = ("residual", "contact_residual")

_NEED_MASS = {"operational_mass", "tip_wrench"}
"""Answers that lose the digits that a tip held in all directions would lose."""


@dataclass(frozen=True)
class Certificate:
    """How far answers agree with independent serial solvers, and satisfy the equations of motion.

    What an algorithm does not answer is not compared: None.
    """

    kappa: float
    """Condition number of A scaled to unit diagonal (`constraint_force.condition`)."""
    rho: float
    """Pivot ratio of the contact (`contact.pivot_ratio`)."""
    tolerance: float
    """1000 n eps max(kappa, 1/rho)."""
    qdd_error: float | None = None
    """|qdd - reference| / max(|qdd|, |qdd_0|) of the reference, 2-norms. Here and for the force and the first
    residual, no scale is taken below 1/1000 of what the torque alone would give (see _CANCELLATION)."""
    contact_force_error: float | None = None
    """|F - reference| / |reference|; the difference itself where the reference is zero."""
    lambda_inverse_error: float | None = None
    """|Lambda^-1 - reference| / |reference|, Frobenius norms."""
    forces_error: float | None = None
    """|forces - reference| / max(|reference|, |those of the arm at qdd = 0 without contact|), Frobenius norms
    over all joints: the interbody forces are the latter plus what accelerations and contact add, and where
    these nearly undo it, as in an arm that falls freely, its rounding is left."""
    residual: float | None = None
    """max |tau - J'F - ID(q, qd, qdd)| / max |tau - b|."""
    contact_residual: float | None = None
    """max |W'Vdot - G_C| / max(|W'Vdot_0|, 1); 0 when nothing is constrained."""
    tau_error: float | None = None
    """|tau - Newton-Euler's| over the largest of |tau|, |b|, 2-norms."""
    mass_matrix_error: float | None = None
    """|M - reference| / |reference|, Frobenius norms; the reference is made of the links' Jacobians."""
    inverse_mass_matrix_error: float | None = None
    """|M^-1 - reference| / |reference|, Frobenius norms; the reference is by articulated bodies."""
    operational_mass_error: float | None = None
    """|Lambda - reference| / |reference|, Frobenius norms; the inverse of the reference of Lambda^-1."""
    tip_acceleration_error: float | None = None
    """|Lambda^-1 x - reference| / |reference|, x the problem's tip_vector."""
    tip_wrench_error: float | None = None
    """|Lambda x - reference| / |reference|."""
    notes: tuple[str, ...] = ()
    """Warnings for the summary, one sentence each."""
    way_out: str = "Try --refine 1 or --form short"
    """What to do if it fails."""
    serial: tuple[float, float] | None = None
    """Error and worst residual of `constraint_force.solve`, where that is not within the tolerance either; it
    is made only when the certificate fails."""

    @property
    def error(self) -> float:
        """The largest of the errors."""
        return _largest(*(value for name, value in self.figures.items() if name not in RESIDUALS))

    @property
    def worst_residual(self) -> float:
        """The largest of the residuals; 0 where there is none."""
        return _largest(0.0, *(value for name, value in self.figures.items() if name in RESIDUALS))

    @property
    def figures(self) -> dict[str, float]:
        """The errors and residuals there are, by name."""
        return {name: value for name in TITLES if (value := getattr(self, name)) is not None}

    @property
    def ok(self) -> bool:
        """Whether errors and residuals are all within the tolerance; NaN is not."""
        return self.error <= self.tolerance and self.worst_residual <= self.tolerance

    @property
    def message(self) -> str:
        """One sentence for people; when the certificate fails, with the way out."""
        if self.ok:
            wide = self.tolerance >= _WIDE
            verdict = (
                "is within a tolerance too wide to say much" if wide else "agrees with articulated bodies"
            )
            return (
                f"{verdict}: error {self.error:.1e}, residual {self.worst_residual:.1e}, "
                f"tolerance {self.tolerance:.1e}"
            )
        bad = ", ".join(
            f"{TITLES[name]} {value:.1e}"
            for name, value in self.figures.items()
            if not value <= self.tolerance
        )
        lost = "double precision is not enough here" if self.serial else "accuracy was lost in the schedule"
        also = ""
        if self.serial:
            also = (
                " It is not the schedule: the serial algorithm on the same matrix A has error "
                f"{self.serial[0]:.1e} and residual {self.serial[1]:.1e}."
            )
        return f"{lost}: {bad}; the tolerance is {self.tolerance:.1e}.{also} {self.way_out}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: all that there is, and `error`, `worst_residual`, `ok`, `message`."""
        derived = {key: getattr(self, key) for key in ("error", "worst_residual", "ok", "message")}
        fields = {name: value for name, value in asdict(self).items() if name not in TITLES}
        return {**self.figures, **fields, "notes": list(self.notes), **derived}


def certify(
    problem: Problem,
    found: Solution | Mapping[str, Array],
    untried: tuple[str, ...] = ("--refine 1", "--form short"),
) -> Certificate:
    """Compare answers, by their standard names, with O(n) serial references (M and M^-1 with O(n^3) ones).

    `untried` are the options that may mend what has failed. `InputError` when the contact is singular.
    """
    if not problem.contact.settled:
        raise ValueError("the contact is not settled (G_C, axes): make the problem with problem.resolved")
    given = answers.named(found) if isinstance(found, Solution) else found
    standard = _standard(problem)
    first = replace(_compared(problem, given, standard), way_out=_way_out(untried))
    if first.ok or "qdd" not in given:
        return first
    solution = answers.named(constraint_force.solve(problem))
    serial = _compared(problem, {name: solution[name] for name in solution if name in given}, standard)
    if serial.ok:
        return first
    refinable = "--refine 1" in untried
    shorter = "Try --refine 1, or take a shorter arm" if refinable else "Take a shorter arm"
    return replace(first, serial=(serial.error, serial.worst_residual), way_out=shorter)


@dataclass(frozen=True, eq=False)
class _Standard:
    """What solutions of one problem are measured with."""

    reference: Solution
    qdd: float  # scales of the differences
    force: float
    forces: float
    load: float
    kappa: float
    rho: float


def _standard(problem: Problem) -> _Standard:
    chain = problem.chain
    arm = articulated.factor(chain, problem.q)
    reference = articulated.solve(problem, arm)
    kappa, rho = constraint_force.condition(problem)
    at_rest = (chain, problem.q, problem.qd, np.zeros(chain.degrees), problem.gravity)
    bias = newton_euler.inverse_dynamics(*at_rest)
    qdd_alone, force_alone = _torque_alone(problem, arm, reference)
    return _Standard(
        reference=reference,
        qdd=max(_norm(reference.qdd), _norm(reference.qdd0), _CANCELLATION * _norm(qdd_alone)),
        force=max(_norm(reference.force), _CANCELLATION * _norm(force_alone)),
        forces=max(_norm(reference.forces), _norm(newton_euler.interbody_forces(*at_rest))),
        load=max(_size(problem.tau - bias), _CANCELLATION * max(_size(problem.tau), _size(bias))),
        kappa=kappa,
        rho=rho,
    )


def _compared(problem: Problem, given: Mapping[str, Array], standard: _Standard) -> Certificate:
    reference = standard.reference
    eps = float(np.finfo(np.float64).eps)
    rho = standard.rho
    if not _NEED_MASS.isdisjoint(given):
        held = contacts.welded()
        rho = contacts.pivot_ratio(held, reference.lambda_inverse, tip_inverse_inertia(problem.chain))
    tolerance = _FACTOR * problem.chain.n * eps * max(standard.kappa, 1.0 / rho)
    notes = [text for text in (contacts.warning(rho), _too_wide(tolerance)) if text]
    figures: dict[str, Any] = {}
    if "qdd" in given:
        figures["qdd_error"] = _relative(given["qdd"] - reference.qdd, standard.qdd)
        figures |= _residuals(problem, given, standard)
    if "force" in given:
        figures["contact_force_error"] = _relative(given["force"] - reference.force, standard.force)
    if "forces" in given:
        figures["forces_error"] = _relative(given["forces"] - reference.forces, standard.forces)
    if "tau" in given:
        figures["tau_error"] = _torque_error(problem, given["tau"])
    for name, matrix in _matrices(problem, reference).items():
        if name in given:
            figures[f"{name}_error"] = _relative(given[name] - matrix(), _norm(matrix()))
    return Certificate(standard.kappa, rho, tolerance, notes=tuple(notes), **figures)


def _residuals(problem: Problem, given: Mapping[str, Array], standard: _Standard) -> dict[str, float]:
    """How far qdd and force miss the equations of motion and, where a force is an answer, the contact's."""
    chain, contact, qdd = problem.chain, problem.contact, given["qdd"]
    load = newton_euler.inverse_dynamics(
        chain, problem.q, problem.qd, qdd, problem.gravity, given.get("force", standard.reference.force)
    )
    found = {"residual": _relative(problem.tau - load, standard.load, _size)}
    if "force" in given:
        _, acceleration = newton_euler.end_effector(chain, problem.q, problem.qd, qdd)
        found["contact_residual"] = contacts.residual(
            contact, acceleration, given["force"], standard.reference.acceleration0, standard.force
        )
    return found


def _torque_error(problem: Problem, tau: Array) -> float:
    chain, state = problem.chain, (problem.q, problem.qd)
    reference, bias = (
        newton_euler.inverse_dynamics(chain, *state, motion, problem.gravity)
        for motion in (problem.qdd, np.zeros_like(problem.qdd))
    )
    return _relative(tau - reference, max(_norm(reference), _norm(bias)))


def _matrices(problem: Problem, reference: Solution) -> dict[str, Callable[[], Array]]:
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


def _way_out(untried: tuple[str, ...]) -> str:
    if not untried:
        return "Nothing is left to try in double precision: make neighbouring links more alike"
    return f"Try {' or '.join(untried)}"


def _too_wide(tolerance: float) -> str | None:
    if tolerance < _WIDE:
        return None
    return (
        f"the problem is so ill-conditioned that the tolerance is {tolerance:.0e}: agreement within it says "
        "little; neighbouring links differ too much in mass or thickness"
    )


def _torque_alone(problem: Problem, arm: articulated.Factored, reference: Solution) -> tuple[Array, Array]:
    """Joint accelerations and contact force if tau acted without b and what the contact prescribes."""
    acceleration, tip = articulated.respond(arm, problem.tau[:, None], np.zeros((6, 1)))
    return acceleration[:, 0], contacts.force(
        contacts.unloaded(problem.contact), reference.lambda_inverse, tip[:, 0]
    )


def _norm(array: Array) -> float:
    return float(np.linalg.norm(array))


def _size(array: Array) -> float:
    """Largest magnitude; 0 for an empty array."""
    return float(np.max(np.abs(array), initial=0.0))


def _relative(difference: Array, scale: float, measure: Callable[[Array], float] = _norm) -> float:
    """The difference over its scale; the difference itself where the scale is zero."""
    return measure(difference) / scale if scale > 0.0 else measure(difference)


def _largest(*values: float) -> float:
    return float(np.max(values))  # NaN if any is NaN, unlike max()
