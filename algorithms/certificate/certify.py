"""The certificate: the answer of a run compared with an independent serial solver, in the same run.

The tolerance of each quantity is FACTOR times what rounding alone does to it: how far the answers of a serial
block LDL' of the same matrix A move when the numbers it starts from are rounded once more
(`senn.algorithms.certificate.rounding`). A run above it has lost accuracy in its schedule, not in its data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from senn.algorithms import answers
from senn.algorithms.certificate.certificate import NOTHING_FROM, WITHIN, Certificate, precision, verdict
from senn.algorithms.certificate.other_references import by_pinocchio, by_sums
from senn.algorithms.certificate.rounding import sampled
from senn.algorithms.certificate.standard import Measured, apart, compared, standard_of
from senn.algorithms.problems.contact_force import lightness, pivot_ratio, warning
from senn.algorithms.problems.contacts import welded
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.references import constraint_force
from senn.algorithms.references.articulated import tip_inverse_inertia
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import IntArray, Numbers
from senn.traces.errors import InputError

FACTOR = 100.0
"""Healthy runs use at most a third of this many units: benchmarks/tolerances.py."""
# Ways as stable as a serial solution use at most 11: where FACTOR would vouch for no digit, and this would, a
# tolerance stops short of that.
_AT_LEAST, _SHORT = 20.0, 0.99 * NOTHING_FROM
# An error as large as the answer is an error, however badly the problem is conditioned.
_LARGEST = 1.0


def certify(
    problem: Problem,
    computed: Solution | Mapping[str, Numbers],
    untried: tuple[str, ...] = ("--elimination oer", "--form short"),
    *,
    quantities: Collection[str] = (),
    recurrences: bool = False,
    separate: bool = False,
    recursive: bool = False,
    against: str = "sums",
) -> Certificate:
    """Compare answers, by their standard names, with O(n) serial references (M and M^-1 with O(n^3) ones).

    An answer of `quantities` that is missing counts as one that is not a number.
    `untried` are the options that may mend what has failed. `recurrences`: the answers were found by the
    recurrences (86)-(88) of form paper, which multiply errors along the arm; the tolerance is that of a
    serial algorithm with them. `separate`: every row of the system was eliminated apart, as odd-even
    elimination does, and not refined; what one elimination of all rows rounds alike is then rounded in each
    row in its own way. `recursive`: they were found without constraint forces, and what rounding does
    is asked of articulated bodies. Every answer is compared with plain sums too, and `against` "pinocchio"
    with Pinocchio. `InputError` when the contact is singular.
    """
    if not problem.contact.settled:
        raise ValueError("the contact is not settled (G_C, axes): make the problem with problem.resolved")
    computed = vars(computed) if isinstance(computed, Solution) else computed
    sizes = {name: answers.ANSWERS[name].sizes(problem.chain.degrees, problem.chain.n) for name in quantities}
    computed = {name: np.full(size, np.nan) for name, size in sizes.items()} | {**computed}
    standard = standard_of(problem, computed)
    try:
        kappa = constraint_force.condition(problem)[0]
    except InputError:
        kappa = np.inf  # A has no factors in double precision
    eps = max(float(np.finfo(entry.dtype).eps) for entry in computed.values())
    ways = {"recurrences": recurrences, "separate": separate, "recursive": recursive}
    rounding = sampled(problem, list(computed), standard, eps, kappa, **ways)
    figures = _worst(problem, compared(problem, computed, standard), rounding.units, eps)
    references = _worst(problem, rounding.references, rounding.units, eps)
    if references:
        worst = max(references.values(), key=lambda entry: _badness(*np.array(entry[:2])))
        figures["references_error"] = worst._replace(joint=0)
    inverse, tip = standard.reference.lambda_inverse, tip_inverse_inertia(problem.chain, problem.q)
    rho, what, lost = pivot_ratio(problem.contact, inverse, tip), *_OF_CONTACT
    if any(entry.of_mass and entry.name in computed for entry in answers.ANSWERS.values()):
        rho = pivot_ratio(welded(), inverse, tip)
        what, lost = _OF_MASS
    in_order = {name: figures[name] for name in answers.figures() if name in figures}
    tolerances = {name: entry.tolerance for name, entry in in_order.items()}
    notes = (warning(rho, what, lost, lightness(problem.chain)), _few_digits(tolerances))
    units = _units(computed, rounding.units)
    # The tolerance of a figure is that of the answer that is the worst off; others are judged by their own.
    allowed = {name: allowances(np.array([unit]), 1, eps).item() for name, unit in units.items()}
    allowed |= {name: tolerances[name] for name in answers.RESIDUALS if name in tolerances}
    judges = (by_sums, by_pinocchio) if against == "pinocchio" else (by_sums,)
    passed = all(verdict(entry.value, entry.tolerance) == WITHIN for entry in in_order.values())
    way_out = f"Try {' or '.join(untried)}"
    if not untried:
        way_out = f"Nothing is left to try in {precision(eps)} precision: make neighbouring links more alike"
    reason, singular = "", False
    if not passed:

        def moved_by(**way: bool) -> dict[str, float]:
            moved = sampled(problem, list(computed), standard, eps, kappa, cursory=True, **way)
            return _units(computed, moved.units)

        itself = units if recursive else moved_by(recursive=True)
        together = moved_by(recurrences=recurrences) if separate else units
        reason, singular = _reason(problem, units, together, itself, eps)
    return Certificate(
        kappa=kappa,
        rho=rho,
        eps=eps,
        tolerances=tolerances,
        figures={name: entry.value for name, entry in in_order.items()},
        places={name: entry.joint for name, entry in in_order.items() if entry.joint},
        notes=tuple(note for note in notes if note),
        reason=reason,
        singular=singular,
        way_out=way_out,
        besides=tuple(judge(problem, computed, allowed) for judge in judges),
    )


def _few_digits(tolerances: Mapping[str, float]) -> str:
    """A note for tolerances that vouch for fewer than six digits; empty if there is none."""
    of_answers = {answer.error for answer in answers.ANSWERS.values()} & tolerances.keys()
    worst = max(sorted(of_answers), key=lambda name: tolerances[name], default="")
    if not worst or not _DOUBTFUL < tolerances[worst] < NOTHING_FROM:
        return ""
    figure = answers.figures()[worst].phrase
    return f"an {figure} of {tolerances[worst]:.0e} would pass: rounding moves this program's answers so far"


_DOUBTFUL = 1e-6


def _reason(
    problem: Problem,
    units: Mapping[str, float],
    together: Mapping[str, float],
    itself: Mapping[str, float],
    eps: float,
) -> tuple[str, bool]:
    """The cause of lost digits, the problem or its formulation, and whether that is a singular contact.

    From how far rounding moves answers of constraint forces as they were solved for (`units`) and by one
    elimination of all links (`together`), and of articulated bodies (`itself`).
    """
    moved, at_once, least = (_most(each.values()) for each in (units, together, itself))
    if least > _ILL * eps:
        return f"The problem is ill-conditioned: rounding moves its answers by {least:.0e}", False
    if moved <= _MORE * least:
        return "", False
    if _MORE * at_once <= moved:
        return f"{_SEPARATE} (rounding moves answers by {moved:.0e}, and by {at_once:.0e})", False
    in_contact = _HELD if problem.contact.kind != "none" else ()
    apart = [unit for name, unit in together.items() if name not in in_contact]
    singular = bool(apart) and _most(apart) <= _MORE * least
    cause = _SINGULAR if singular else "links differ too much in mass or thickness"
    text = f"The problem is well-conditioned (rounding moves articulated bodies' answers by {least:.0e})"
    return f"{text} and constraint forces lose it (by {moved:.0e}): {cause}", singular


_SEPARATE = "Odd-even elimination without refinement loses what one elimination of all links keeps"
# So many times as much, and digits are lost that need not be; so many times eps, and the problem loses them.
_MORE, _ILL = 1e3, 1e6
_HELD = ("qdd", "force", "forces")
"""The answers that a contact has a part in."""


def _most(units: Iterable[float]) -> float:
    return min(_LARGEST, max(units, default=0.0))


_SINGULAR = "contact is nearly singular"
_OF_CONTACT = _SINGULAR, "the contact force"
_OF_MASS = "the end effector can hardly move in one direction", "Lambda"


class _Entry(NamedTuple):
    """The worst of what a figure is about."""

    value: float
    tolerance: float
    joint: int  # From 1; 0 where it is of none


def _worst(problem: Problem, found: Measured, units: Measured, eps: float) -> dict[str, _Entry]:
    """The entry of each figure with the largest ratio to its tolerance."""
    worst, joints = {}, _joints(problem)
    for name, entries in found.items():
        tolerances = allowances(units[name], len(entries), eps)
        rank, ratio = _badness(entries, tolerances)
        k = int(np.argmax(np.where(rank == rank.max(), ratio, -1.0)))
        of = joints.get(name, np.zeros(1, dtype=np.int64))
        worst[name] = _Entry(float(entries[k]), float(tolerances[k]), int(of[k % len(of)]))
    return worst


def allowances(units: Numbers, entries: int, eps: float) -> Numbers:
    """Tolerances (entries,) of the entries of a figure."""
    units = units * np.ones(entries)
    allowed = np.minimum(FACTOR * units, np.maximum(_AT_LEAST * units, _SHORT))
    return np.asarray(np.clip(allowed, FACTOR * eps, _LARGEST))


def _units(names: Collection[str], units: Measured) -> dict[str, float]:
    """Units by the names of answers, also where two answers share a figure."""
    entries: dict[str, list[str]] = {}
    for name, answer in answers.ANSWERS.items():
        if name in names:
            entries.setdefault(answer.error, []).append(name)
    return {
        name: float(unit)
        for figure, its in entries.items()
        for name, unit in zip(its, units[figure] * np.ones(len(its)), strict=True)
    }


def _joints(problem: Problem) -> dict[str, IntArray]:
    """The joint, from 1, of each row of the answers that have one for every joint; by their figure."""
    every = [JOINTS[joint].degrees for joint in problem.chain.all_joints]
    joints = np.arange(len(every)) + 1
    rows: dict[int | str, IntArray] = {
        answers.DEGREES: np.repeat(joints, every),
        answers.LINKS: joints[: problem.chain.n],
    }
    return {
        answer.joint_error: rows[answer.shape[0]] for answer in answers.ANSWERS.values() if answer.by_joint
    }


def _badness(values: Numbers, tolerances: Numbers) -> tuple[Numbers, Numbers]:
    """Ranks of values by their `verdict`: within, silent, outside, no number; and parts of the tolerances."""
    outside, unknown = ~(values <= tolerances), np.isnan(values)
    rank = np.where(outside, 2.0 + unknown, tolerances >= NOTHING_FROM)
    return rank, np.where(unknown, 0.0, values / tolerances)


# -------- many answers to one problem


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
