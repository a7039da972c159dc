"""The certificate: the answer of a run compared with an independent serial solver, in the same run.

The tolerance of each quantity is a thousand times what rounding alone does to it: how far the answers of a
serial block LDL' of the same matrix A move when the numbers it starts from are rounded once more
(`senn.algorithms.certificate.rounding`). A run above it has lost accuracy in its schedule, not in its data.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from senn.algorithms.certificate import rounding
from senn.algorithms.certificate.residuals import NEED_MASS, compared, standard_of
from senn.algorithms.problems.contact.force import pivot_ratio, warning, welded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
from senn.algorithms.programs import answers
from senn.algorithms.robots.chain import tip_inverse_inertia
from senn.algorithms.spatial import Numbers

# Measured errors of correct runs are at most this part of the tolerance: docs/accuracy.md.
_FACTOR = 1000.0
# So often is rounding sampled; the worst counts.
_SAMPLES = 2
# An error as large as the answer is an error, however badly the problem is conditioned.
_LARGEST = 1.0
# From here on a passed certificate says little, and it says so.
_WIDE = 1e-3


TITLES = {
    "qdd_error": "error of qdd",
    "acceleration0_error": "error of Vdot_0",
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
_AGAINST = {
    "tau_error": "Newton-Euler",
    "mass_matrix_error": "the Jacobians of the links",
}
"""What a quantity is compared with, where not with articulated bodies."""


@dataclass(frozen=True)
class Certificate:
    """How far answers agree with independent serial solvers, and satisfy the equations of motion.

    What an algorithm does not answer is not compared: None.
    """

    kappa: float
    """Condition number of A scaled to unit diagonal (`constraint_force.condition`)."""
    rho: float
    """Pivot ratio of the contact (`contact.pivot_ratio`)."""
    eps: float
    """Of the floating point of the answers."""
    tolerances: Mapping[str, float]
    """Of every error and residual there is, by its name."""
    qdd_error: float | None = None
    """|qdd - reference| / max(|qdd|, |qdd_0|) of the reference, 2-norms; that of qdd_0 if it is larger. Here,
    for Vdot_0, the force and the first residual, no scale is taken below 1/1000 of what the torque alone
    would give (`senn.algorithms.certificate.residuals`)."""
    acceleration0_error: float | None = None
    """|Vdot_0 - reference| / |reference|: of the end effector, were it free."""
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
    def against(self) -> str:
        """What the answers are compared with."""
        compared_with = (_AGAINST.get(name, "articulated bodies") for name in self.figures)
        return ", ".join(dict.fromkeys(compared_with))

    @property
    def used(self) -> float:
        """The largest of errors and residuals as parts of their tolerances; NaN if one is."""
        return _largest(*(value / self.tolerances[name] for name, value in self.figures.items()))

    @property
    def tolerance(self) -> float:
        """Of what uses most of it (the first that is not a number, if there is one)."""
        parts = {name: value / self.tolerances[name] for name, value in self.figures.items()}
        bad = (name for name, part in parts.items() if part != part)
        return self.tolerances[next(bad, max(parts, key=parts.__getitem__))]

    @property
    def ok(self) -> bool:
        """Whether errors and residuals are all within their tolerances; NaN is not."""
        return self.used <= 1.0

    @property
    def message(self) -> str:
        """One sentence for people; when the certificate fails, with the way out."""
        if self.ok:
            wide = max(self.tolerances.values()) >= _WIDE
            verdict = "is within tolerances too wide to say much" if wide else f"agrees with {self.against}"
            return (
                f"{verdict}: error {self.error:.1e}, residual {self.worst_residual:.1e}, "
                f"at most {self.used:.1%} of a tolerance"
            )
        bad = {name: value for name, value in self.figures.items() if not value <= self.tolerances[name]}
        hopeless = all(self.tolerances[name] >= _LARGEST for name in bad)
        lost = f"{_name(self.eps)} precision is not enough here" if hopeless else _LOST
        each = (f"{TITLES[name]} {bad[name]:.1e} (tolerance {self.tolerances[name]:.1e})" for name in bad)
        return f"{lost}: {', '.join(each)}. {self.way_out}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: all that there is, and what follows from it."""
        names = ("against", "error", "worst_residual", "tolerance", "used", "ok", "message")
        derived = {key: getattr(self, key) for key in names}
        fields = {name: value for name, value in asdict(self).items() if name not in TITLES}
        return {**self.figures, **fields, "notes": list(self.notes), **derived}


def certify(
    problem: Problem,
    found: Solution | Mapping[str, Numbers],
    untried: tuple[str, ...] = ("--refine 1", "--form short"),
    *,
    recurrences: bool = False,
) -> Certificate:
    """Compare answers, by their standard names, with O(n) serial references (M and M^-1 with O(n^3) ones).

    `untried` are the options that may mend what has failed. `recurrences`: the answers were found by the
    recurrences (86)-(88) of form paper, which multiply errors along the arm; the tolerance is that of a
    serial algorithm with them. `InputError` when the contact is singular.
    """
    if not problem.contact.settled:
        raise ValueError("the contact is not settled (G_C, axes): make the problem with problem.resolved")
    given = answers.named(found) if isinstance(found, Solution) else found
    standard = standard_of(problem)
    figures = compared(problem, given, standard)
    eps = max(float(np.finfo(one.dtype).eps) for one in given.values())
    tolerances = dict.fromkeys(figures, _FACTOR * eps)
    for sample in range(_SAMPLES):
        moved = rounding.moved(problem, given, standard, eps, sample, recurrences=recurrences)
        for name in figures:
            tolerances[name] = min(_LARGEST, max(tolerances[name], _FACTOR * moved[name]))
    rho, words = standard.rho, tuple[str, ...]()
    if not NEED_MASS.isdisjoint(given):
        inverse, held = standard.reference.lambda_inverse, welded()
        rho = pivot_ratio(held, inverse, tip_inverse_inertia(problem.chain))
        words = ("the end effector can hardly move in one direction", "Lambda")
    notes = (warning(rho, *words), _too_wide(max(tolerances.values())))
    return Certificate(
        kappa=standard.kappa,
        rho=rho,
        eps=eps,
        tolerances=tolerances,
        notes=tuple(note for note in notes if note),
        way_out=_way_out(untried, eps),
        **figures,
    )


_LOST = "accuracy was lost in the schedule"


def _name(eps: float) -> str:
    return "double" if eps < 1e-10 else "single"


def _way_out(untried: tuple[str, ...], eps: float) -> str:
    if not untried:
        return f"Nothing is left to try in {_name(eps)} precision: make neighbouring links more alike"
    return f"Try {' or '.join(untried)}"


def _too_wide(tolerance: float) -> str | None:
    if tolerance < _WIDE:
        return None
    return (
        f"the problem is so ill-conditioned that a tolerance is {tolerance:.0e}: agreement within it says "
        "little; the arm is very long, the contact nearly singular, or neighbouring links differ too much in "
        "mass or thickness"
    )


def _largest(*values: float) -> float:
    return float(np.max(values))  # NaN if any is NaN, unlike max()
