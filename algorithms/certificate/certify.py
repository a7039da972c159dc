"""The certificate: the answer of a run compared with an independent serial solver, in the same run.

The tolerance of each quantity is a thousand times what rounding alone does to it: how far the answers of a
serial block LDL' of the same matrix A move when the numbers it starts from are rounded once more
(`senn.algorithms.certificate.rounding`). A run above it has lost accuracy in its schedule, not in its data.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from senn.algorithms import answers
from senn.algorithms.certificate import rounding
from senn.algorithms.certificate.residuals import compared, standard_of
from senn.algorithms.problems.contact.force import pivot_ratio, warning, welded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
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
    figures: Mapping[str, float]
    """The errors and residuals there are, by name (`senn.algorithms.answers.figures`); docs/certificate.md
    says over which scale each is taken."""
    notes: tuple[str, ...] = ()
    """Warnings for the summary, one sentence each."""
    way_out: str = "Try --refine 1 or --form short"
    """What to do if it fails."""

    @property
    def error(self) -> float:
        """The largest of the errors."""
        return _largest(*(value for name, value in self.figures.items() if name not in answers.RESIDUALS))

    @property
    def worst_residual(self) -> float:
        """The largest of the residuals; 0 where there is none."""
        return _largest(0.0, *(value for name, value in self.figures.items() if name in answers.RESIDUALS))

    @property
    def against(self) -> str:
        """What the answers are compared with."""
        return answers.against(self.figures)

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
        said = answers.figures()
        each = (f"{said[x].said} {bad[x]:.1e} (tolerance {self.tolerances[x]:.1e})" for x in bad)
        return f"{lost}: {', '.join(each)}. {self.way_out}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: all that there is, and what follows from it."""
        names = ("against", "error", "worst_residual", "tolerance", "used", "ok", "message")
        derived = {key: getattr(self, key) for key in names}
        fields = asdict(self)
        return {**fields.pop("figures"), **fields, "notes": list(self.notes), **derived}


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
    given = vars(found) if isinstance(found, Solution) else found
    standard = standard_of(problem)
    figures = compared(problem, given, standard)
    eps = max(float(np.finfo(one.dtype).eps) for one in given.values())
    tolerances = dict.fromkeys(figures, _FACTOR * eps)
    for sample in range(_SAMPLES):
        moved = rounding.moved(problem, given, standard, eps, sample, recurrences=recurrences)
        for name in figures:
            tolerances[name] = min(_LARGEST, max(tolerances[name], _FACTOR * moved[name]))
    rho, words = standard.rho, tuple[str, ...]()
    if any(one.of_mass and one.name in given for one in answers.ANSWERS.values()):
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
        figures={name: figures[name] for name in answers.figures() if name in figures},
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
