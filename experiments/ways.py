"""The ways to the answers that accuracy.md compares, and their errors.

An error is norm(computed - right) / norm(right), in 2-norms or Frobenius norms. The right answers are
enclosed in balls up to ENCLOSED links, so that an error is bounded from above; those of longer arms are of
80-bit arithmetic. Residuals are those of the certificate. The cheapest machine is used: the numbers of
a run do not depend on its timing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import senn
from senn.algorithms import catalogue, problems
from senn.algorithms.answers import ANSWERS, RESIDUALS
from senn.algorithms.certificate.certify import Judge
from senn.algorithms.family import null_space
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.references import articulated
from senn.machine.engines.memory import rounded
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from tests.oracles import constraint_force, extended

MACHINE = "ideal"
OEE, OER = "oee", "oer"
ENCLOSED = 512
"""Links of the longest arms with a proven reference."""
Numbers = Mapping[str, Any]
DATA = ("mass", "inertia", "position", "centre")


@dataclass(frozen=True)
class Way:
    """One way to the answers: a program on the machine, or a serial solution."""

    label: str
    form: str = "short"
    refine: int = 0
    elimination: str = OEE
    strategy: int = 2
    serial: bool = False

    def solve(self, what: Problem, precision: str) -> Numbers:
        if self.serial:
            return SERIAL[self.label](what)
        schedule = placed(self, what.chain.joints, what.contact.constrained)
        other = OTHERS.get(self.form)
        resident = (other.memory if other else memory)(what)
        run = senn.solved(schedule, rounded(resident, precision), MACHINE, detail="summary")
        return (other.answers if other else numerics.answers)(what, run.result)

    def program(self, joints: tuple[str, ...], contact: int) -> Program:
        n = len(joints)
        if self.form in OTHERS:
            return OTHERS[self.form].program(n, joints=joints, contact=contact)
        kind: dict[str, Any] = {"strategy": self.strategy, "elimination": self.elimination}
        return variants.closed_chain(n, self.form, self.refine, joints, contact, **kind)


OTHERS = {"joined": catalogue.algorithm("divide-and-conquer"), "star": catalogue.algorithm("star")}
SERIAL: dict[str, Callable[[Problem], Numbers]] = {
    "articulated bodies, serial": lambda what: vars(articulated.solve(what)),
    "block LDL' of A, serial": lambda what: vars(constraint_force.solve(what)),
    "null space, serial": null_space.solve,
}
PAPER = Way("paper", "paper")
SHORT = Way("short")
FIRST = Way("short, strategy 1", strategy=1)
REDUCED, REDUCED_1 = Way("short, oer", elimination=OER), Way("short, oer, refined", "short", 1, OER)
JOINED, STAR = Way("divide and conquer", "joined"), Way("star products", "star")
*REFERENCES, NULL_SPACE = (Way(label, serial=True) for label in SERIAL)
ARTICULATED = REFERENCES[0]
MAPPED = (PAPER, REDUCED, STAR, ARTICULATED, NULL_SPACE)
WAYS = (PAPER, SHORT, FIRST, REDUCED, JOINED, STAR, *REFERENCES)


@cache
def placed(way: Way, joints: tuple[str, ...], contact: int) -> Schedule:
    """Arms with the same joints have the same schedule."""
    return senn.placed(way.program(joints, contact), MACHINE, "home")


@dataclass(frozen=True)
class Arm:
    """Words of a generator; or that arm with one link of this part of its mass and lengths."""

    text: str
    odd: tuple[float, float] | None = None
    place: str = "middle"

    @property
    def n(self) -> int:
        return int(self.text.split(":")[1])

    def __str__(self) -> str:
        return self.text


@cache
def problem_of(arm: Arm, seed: int) -> Problem:
    drawn = problems.load(f"{arm.text}:seed={seed}")
    if arm.odd is None:
        return drawn
    here = np.arange(arm.n) == {"middle": arm.n // 2, "last": arm.n - 1}[arm.place]
    mass, size = (np.where(here, part, 1.0) for part in arm.odd)
    parts = {"mass": mass, "inertia": (mass * size**2)[:, None, None]}
    parts |= {"position": size[:, None], "centre": size[:, None]}
    changed = {name: getattr(drawn.chain, name) * part for name, part in parts.items()}
    return problems.draw(replace(drawn.chain, **changed), seed)


def moved(arm: Arm, seed: int) -> float:
    """What one rounding of all data moves the right qdd or contact force by, the larger."""
    what, rng = problem_of(arm, seed), np.random.default_rng(seed)
    half = np.tril(rng.uniform(-1, 1, (arm.n, 3, 3)))
    symmetric = half + np.tril(half, -1).swapaxes(1, 2)

    def rounded_once(values: np.ndarray) -> np.ndarray:
        by = symmetric if values.shape == symmetric.shape else rng.uniform(-1, 1, values.shape)
        return np.asarray(values * (1 + by * np.finfo(float).eps / 2))

    parts = {name: rounded_once(getattr(what.chain, name)) for name in DATA}
    state = {name: rounded_once(getattr(what, name)) for name in ("q", "qd", "tau")}
    near = extended.enclosed(replace(what, chain=replace(what.chain, **parts), **state))
    pairs = ((getattr(near, name), right(arm, seed)[0][name]) for name in ("qdd", "force"))
    return max(extended.error(np.vectorize(float)(value), known) for value, known in pairs)


@cache
def right(arm: Arm, seed: int) -> tuple[Numbers, Judge]:
    return right_of(problem_of(arm, seed))


def right_of(what: Problem) -> tuple[Numbers, Judge]:
    """The right answers, in balls or of 80 bits; and what measures residuals."""
    truth = vars((extended.enclosed if what.chain.n <= ENCLOSED else extended.solve)(what))
    return truth, Judge(what)


def figures(computed: Numbers, truth: Numbers, judge: Judge) -> dict[str, float]:
    """Errors and residuals by the names of the certificate."""
    answers = {name: value for name, value in computed.items() if name in truth}
    errors = {ANSWERS[name].error: extended.error(value, truth[name]) for name, value in answers.items()}
    measured = judge.certificate(answers).figures
    return errors | {name: measured[name] for name in RESIDUALS if name in measured}


@cache
def measured(arm: Arm, way: Way, seed: int, precision: str = "double") -> Mapping[str, float]:
    """Errors and residuals of one run; none where the problem is singular."""
    what = problem_of(arm, seed)
    try:
        truth, judge = right(arm, seed)
    except ArithmeticError:
        return {}
    return figures(way.solve(what, precision), truth, judge)
