"""Many answers to one problem, judged as `certify` judges each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from senn.algorithms.certificate.certify import allowances
from senn.algorithms.certificate.rounding import sampled
from senn.algorithms.certificate.standard import Measured, apart, compared, standard_of
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import constraint_force
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers


class Judge:
    """Figures of answers as parts of their tolerances: above 1 the certificate fails.

    Rounding is measured once, for answers of these names in double precision; `ways` are those of `certify`.
    """

    def __init__(self, problem: Problem, names: Sequence[str], **ways: bool) -> None:
        self.problem, self.standard = problem, standard_of(problem, names)
        self.eps = float(np.finfo(np.float64).eps)
        kappa = constraint_force.condition(problem)[0]
        self.units = sampled(problem, names, self.standard, self.eps, kappa, **ways).units

    def used(self, answers: Mapping[str, Numbers]) -> dict[str, float]:
        """Every error and residual of the certificate, of the worst joint where it has joints."""
        return self._largest(compared(self.problem, answers, self.standard))

    def wrenches(self, answers: Mapping[str, Numbers]) -> float:
        """Error of the joint wrenches beside those of Newton-Euler with the other answers, a scan over the
        links: a check that needs no reference."""
        problem, force = self.problem, answers.get("force", np.zeros(6))
        state = problem.chain, problem.q, problem.qd
        expected = newton_euler.dynamics(*state, answers["qdd"], problem.gravity, force).wrenches
        off = apart({"forces": answers["forces"]}, {"forces": expected}, self.standard)
        return max(self._largest(off).values())

    def parts(self, figures: Measured) -> Measured:
        """Entries of figures as parts of their tolerances; infinite where they are no numbers."""
        each = {x: y / allowances(self.units[x], np.size(y), self.eps) for x, y in figures.items()}
        return {name: np.nan_to_num(part, nan=np.inf) for name, part in each.items()}

    def _largest(self, figures: Measured) -> dict[str, float]:
        return {name: float(part.max()) for name, part in self.parts(figures).items()}
