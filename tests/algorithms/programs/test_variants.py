"""The choices of a closed chain's program: what leaves every bit as it was, and what is refused."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.certificate.certify import Certificate, certify
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.programs.variants import FORMS
from senn.algorithms.robots import generators
from senn.algorithms.robots.side_tree import SideTree
from senn.machine.program import Program
from senn.traces.run import Run
from tests.algorithms.robots.states import mild_state

OEE = "oee"


@dataclass(frozen=True)
class Case:
    """One combination of what a program can be."""

    form: str
    refine: int
    strategy: int
    elimination: str
    arrays: int
    ahead: bool

    def __str__(self) -> str:
        kind = "oee" if self.elimination == OEE else "oer"
        ahead = "-ahead" if self.ahead else ""
        return f"{self.form}-{self.refine}-s{self.strategy}-{kind}-{self.arrays}{ahead}"

    def program(self, what: Problem, branches: Sequence[SideTree] = ()) -> Program:
        return variants.closed_chain(
            what.chain.n,
            self.form,
            self.refine,
            what.chain.joints,
            what.contact.constrained,
            strategy=self.strategy,
            elimination=self.elimination,
            arrays=self.arrays,
            ahead=self.ahead,
            branches=branches,
        )


def touching(n: int, constrained: int) -> Problem:
    """An arm of mixed joints and a contact in random directions, with G_C and K_F different from zero."""
    rng = np.random.default_rng(100 * n + constrained)
    chain = generators.generate(f"random:{n}:prismatic=0.3:seed={n}")
    q, qd, tau = mild_state(chain, n, problems.EARTH)
    basis = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    held, free = basis[:, :constrained], basis[:, constrained:]
    directions = contact.type_i(held, free, rng.normal(size=constrained), rng.normal(size=6 - constrained))
    return problems.resolved(chain, problems.EARTH, q, qd, tau, directions)


def solved(case: Case, what: Problem, residency: str) -> tuple[Run, Certificate]:
    """By the lockstep engine."""
    run = senn.solved(case.program(what), memory(what), residency=residency)
    return run, certify(what, numerics.solution(what, run.result))


@pytest.mark.fast("paper")
@pytest.mark.parametrize("form", FORMS)
def test_widths_and_ahead_leave_every_bit_as_it_was(form: str) -> None:
    """They say where and when a process computes, not what."""
    what = touching(5, 4)
    base = solved(Case(form, 1, 2, OEE, 2, False), what, "migrating")[0].result
    for arrays, ahead in ((1, False), (2, True), (3, True), *([(8, True)] if form == "paper" else [])):
        found = solved(Case(form, 1, 2, OEE, arrays, ahead), what, "migrating")[0].result
        assert all(np.array_equal(found[name], base[name]) for name in base), (arrays, ahead)


# ------------------------------------------------------------------------- what is refused
