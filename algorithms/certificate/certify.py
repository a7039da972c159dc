"""The certificate: answers of a run held against the refined solution, in the same run.

The error of an answer is its distance to the refined answer, relative to that answer: in 2-norms or Frobenius
norms, and joint by joint. A residual is the defect of the answers in an equation of motion or of the contact,
relative to the sum of the sizes of its terms; residuals need no reference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from senn.algorithms import answers
from senn.algorithms.certificate.certificate import CANCELLED, DOUBLE, SINGLE, Certificate
from senn.algorithms.certificate.pinocchio import Pinocchio
from senn.algorithms.certificate.plain_sums import Array, Sums
from senn.algorithms.certificate.refined import Refined, Terms, norm, norms, relative
from senn.algorithms.problems.contact_force import lightness, warning
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.spatial import Numbers

JOINT = 0.1
"""The answer of one joint is measured over its own size, but not over less than this part of what is usual
for all joints; so are the terms that its acceleration has in the condition of the contact."""


def certify(
    problem: Problem,
    computed: Solution | Mapping[str, Numbers],
    *,
    quantities: Collection[str] = (),
    digits: int | None = None,
    against: str = "sums",
    way_out: str = "",
) -> Certificate:
    """Certificate of answers by their standard names, which asks for `digits`: six, or three of answers in
    single precision.

    An answer of `quantities` that is missing counts as one that is not a number. `against` "pinocchio" holds
    the answers against Pinocchio's equations too. InputError when the contact is singular.
    """
    computed = vars(computed) if isinstance(computed, Solution) else computed
    sizes = {name: answers.ANSWERS[name].sizes(problem.chain.degrees, problem.chain.n) for name in quantities}
    computed = {name: np.full(size, np.nan) for name, size in sizes.items()} | {**computed}
    if digits is None:
        digits = DOUBLE if all(entry.dtype == np.float64 for entry in computed.values()) else SINGLE
    certificate = Judge(problem).certificate(computed, digits)
    if against == "pinocchio":
        other = Pinocchio(problem)
        beside = replace(Judge(problem, other).certificate(computed, digits), against=other.title)
        certificate = replace(certificate, besides=(beside,))
    return replace(certificate, way_out=way_out)


class Judge:
    """The refined solution of one problem, for many answers to it.

    `model`: equations of motion in place of those of the plain sums.
    """

    def __init__(self, problem: Problem, model: Pinocchio | None = None) -> None:
        self.problem = problem
        self._sums = Sums(problem.chain, problem.q, problem.qd, problem.gravity)
        self._model = model
        still = self._sums.sizes(np.zeros(problem.chain.degrees), np.zeros(6))
        self.refined = Refined(problem, model or self._sums, np.abs(problem.tau) + still.torque)
        self._right: dict[str, tuple[Array, Terms]] = {}

    def certificate(self, computed: Mapping[str, Numbers], digits: int = DOUBLE) -> Certificate:
        """Certificate of answers by name."""
        figures: dict[str, float] = {}
        places: dict[str, int] = {}
        vanishing: dict[str, float] = {}
        joints: dict[str, Numbers] = {}
        for name, answer in answers.ANSWERS.items():
            if name not in computed or (self._model and name == "forces"):
                continue
            right, terms = self._right_of(name)
            off, size, count = computed[name] - right, norm(right), max(1, len(right))
            figures[answer.error] = relative(norm(off), size)
            cancelled = terms.cancelled(size)
            if cancelled:
                vanishing[answer.error] = relative(norm(off), cancelled)
            if answer.by_joint:
                sizes = np.maximum(norms(right), JOINT * size / np.sqrt(count))
                errors = np.array([*map(relative, norms(off).tolist(), sizes.tolist())])
                worst = int(np.nan_to_num(errors, nan=np.inf).argmax())
                figures[answer.joint_error] = float(errors[worst])
                degrees = self.problem.chain.all_qd_shares.counts
                if answer.shape[0] == answers.DEGREES:  # from a row to its joint
                    worst = int(np.repeat(np.arange(len(degrees)), degrees)[worst])
                places[answer.joint_error] = worst + 1
                if cancelled:
                    usual = cancelled / np.sqrt(count)
                    vanishing[answer.joint_error] = relative(norm(off), usual)
                    errors = np.fmin(errors, norms(off) / usual / CANCELLED)
                joints[name] = errors
        if "qdd" in computed and not self._model:
            figures |= self._residuals(computed["qdd"], computed.get("force"))
        rho = self.refined.rho
        singular = warning(rho, lightness=lightness(self.problem.chain))
        return Certificate(
            figures={name: figures[name] for name in answers.figures() if name in figures},
            required=digits,
            places=places,
            vanishing=vanishing,
            joints=joints,
            rho=rho,
            doubt=self.refined.doubt,
            notes=(singular,) if singular else (),
            singular=singular is not None,
        )

    def _right_of(self, name: str) -> tuple[Array, Terms]:
        """The refined answer of this name, and its terms; kept."""
        if name not in self._right:
            refined, row = self.refined, answers.ANSWERS[name]
            if name == "forces":  # none of another library, whose bodies are other ones
                right = self._sums.wrenches(refined.qdd, refined.force)
            else:
                right = row.right(refined) if row.right else getattr(refined, name)
            self._right[name] = right, self._terms_of(name)
        return self._right[name]

    def _terms_of(self, name: str) -> Terms:
        refined, tip = self.refined, norm(self.problem.tip_vector)
        match name:
            case "forces":
                return Terms(norm(self._sums.sizes(refined.qdd, refined.force).wrench))
            case "tau":
                return Terms(norm(self._sums.sizes(self.problem.qdd, np.zeros(6)).torque))
            case "tip_acceleration":
                return Terms(norm(refined.lambda_inverse) * tip)
            case "tip_wrench":
                return Terms(norm(refined.operational_mass) * tip)
        return refined.terms.get(name, Terms(0.0))

    def _residuals(self, qdd: Numbers, force: Numbers | None) -> dict[str, float]:
        """Residuals of motion and contact: the largest parts of the sums of their terms."""
        refined, touch, problem = self.refined, self.refined.touch, self.problem
        pressed = refined.force if force is None else force
        sizes = self._sums.sizes(qdd, pressed)
        missed = problem.tau - refined.model.bias - refined.model.torque(qdd, pressed)
        residuals = {"residual": _worst(missed, np.abs(problem.tau) + sizes.torque)}
        if force is not None:
            moved = refined.model.acceleration(qdd) + refined.model.drift
            omega = refined.omega  # its part in the equations, where there is one, is judged by the force
            lacks = touch.prescribed - touch.along @ moved + touch.move @ omega
            main = refined.qdd[: problem.chain.qd_shares.total]  # moves the tip; branches may fall freely
            least = max(JOINT * norm(main), CANCELLED * refined.terms["qdd"].cancelled(norm(main)))
            sizes = self._sums.sizes(np.maximum(np.abs(qdd), least / np.sqrt(len(qdd))), pressed)
            terms = np.abs(touch.prescribed) + np.abs(touch.along) @ sizes.acceleration
            residuals["contact_residual"] = _worst(lacks, terms + np.abs(touch.move) @ np.abs(omega))
        return residuals

    def wrenches(self, computed: Mapping[str, Numbers]) -> float:
        """Error of the interbody forces beside those of the motion and contact force computed: a sum over the
        links, which needs no solution."""
        right, terms = self._right_of("forces")
        moved = self._sums.wrenches(computed["qdd"], computed.get("force", np.zeros(6)))
        return relative(norm(computed["forces"] - moved), max(norm(right), CANCELLED * terms.response))


def _worst(missed: Array, terms: Array) -> float:
    parts = [relative(abs(float(a)), float(b)) for a, b in zip(missed, terms, strict=True)]
    return float(np.max(parts, initial=0.0))
