"""The ways to the answers that accuracy.md compares, and their errors.

Errors are those of the answers against articulated bodies in 80-bit arithmetic, in the scales of the
certificate. The cheapest machine is used: the numbers of a run do not depend on its timing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import senn
from senn.algorithms import catalogue, problems
from senn.algorithms.answers import ANSWERS
from senn.algorithms.certificate.standard import Standard, compared, standard_of
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.references import articulated, constraint_force
from senn.machine.engines.memory import rounded
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from tests.oracles import extended

MACHINE = "ideal"
OEE, OER = "oee", "oer"
Numbers = Mapping[str, Any]


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
            return numerics.named(SERIAL[self.label](what))
        schedule = placed(self, what.chain.joints, what.contact.constrained)
        other = OTHERS.get(self.form)
        held = (other.memory if other else memory)(what)
        run = senn.solved(schedule, rounded(held, precision), MACHINE, detail="summary")
        if other:
            return other.answers(what, run.result)
        return numerics.named(numerics.solution(what, run.result))

    def program(self, joints: tuple[str, ...], contact: int) -> Program:
        if self.form in OTHERS:
            return OTHERS[self.form].program(len(joints), joints=joints, contact=contact)
        return variants.closed_chain(
            len(joints),
            self.form,
            self.refine,
            joints,
            contact,
            strategy=self.strategy,
            elimination=self.elimination,
        )


OTHERS = {"joined": catalogue.algorithm("divide-and-conquer"), "star": catalogue.algorithm("star")}
SERIAL: dict[str, Callable[[Problem], Solution]] = {
    "articulated bodies, serial": articulated.solve,
    "block LDL' of A, serial": constraint_force.solve,
}
PAPER = Way("paper", "paper")
PAPER_1 = Way("paper, refined", "paper", 1)
SHORT = Way("short")
SHORT_1, SHORT_2 = Way("short, refined", refine=1), Way("short, refined twice", refine=2)
OMEGA_1 = Way("omega, refined", "omega", 1)
FIRST = Way("short, strategy 1", strategy=1)
REDUCED, REDUCED_1 = Way("short, oer", elimination=OER), Way("short, oer, refined", "short", 1, OER)
JOINED, STAR = Way("divide and conquer", "joined"), Way("star products", "star")
REFERENCES = tuple(Way(label, serial=True) for label in SERIAL)
WAYS = (
    PAPER,
    PAPER_1,
    SHORT,
    SHORT_1,
    SHORT_2,
    OMEGA_1,
    FIRST,
    REDUCED,
    REDUCED_1,
    JOINED,
    STAR,
    *REFERENCES,
)


@cache
def placed(way: Way, joints: tuple[str, ...], contact: int) -> Schedule:
    """Arms with the same joints have the same schedule."""
    return senn.placed(way.program(joints, contact), MACHINE, "home")


@cache
def problem_of(text: str, seed: int) -> Problem:
    return problems.load(f"{text}:seed={seed}")


@cache
def exact(text: str, seed: int) -> Standard:
    """The scales of the certificate, with the 80-bit reference."""
    return exactly(problem_of(text, seed))


def exactly(what: Problem) -> Standard:
    """The same of any problem."""
    wide = numerics.named(extended.solve(what))
    reference = Solution(**{name: np.asarray(value, dtype=np.float64) for name, value in wide.items()})
    standard = standard_of(what, wide)
    right = {name: ANSWERS[name].reference(what, reference) for name in standard.right}
    return replace(standard, reference=reference, right=right)


@cache
def measured(text: str, way: Way, seed: int, precision: str) -> Mapping[str, float]:
    """Errors and residuals of one run."""
    what = problem_of(text, seed)
    found = way.solve(what, precision)
    every = compared(what, found, exact(text, seed))
    return {name: float(entries.max()) for name, entries in every.items()}
