"""Every parallel program on trees and joints of any type against Pinocchio, a model of the whole arm."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.free import hybrid, mass_matrix_inversion
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.traces.errors import InputError
from tests.algorithms.both_engines import agreed
from tests.algorithms.programs.scan_runs import Algorithm
from tests.algorithms.references.test_tree import CASES, GRAVITY, case, panda
from tests.algorithms.robots.oracle import relative
from tests.algorithms.robots.trees import TreeOracle, tree_oracle

pytestmark = pytest.mark.rounding

WORDS = ("FRRRRRR", "RSRPRRU", "HCEUS", "EUHF", "SSSS")
"""Arms without branches, of joints of several degrees of freedom."""
ARMS = (*CASES, "panda", *WORDS)


@cache
def given(name: str) -> tuple[Problem, TreeOracle]:
    """The arm with a state, a torque and a contact drawn from a seed."""
    if name in CASES:
        return case(name)
    chain, model = panda() if name == "panda" else _word(name)
    model.set_gravity(GRAVITY)
    return problems.draw(chain, 2, GRAVITY), model


def _word(name: str) -> tuple[Chain, TreeOracle]:
    chain = problems.load(f"joints:{name}:seed=2").chain
    return chain, tree_oracle(chain)


def solved(what: Problem, algorithm: str, **how: Any) -> dict[str, np.ndarray]:
    """The answers of a run whose certificate holds."""
    run = senn.run(what, algorithm=algorithm, machine="raw", **how)
    assert run.certificate is not None
    assert run.certificate["ok"], run.certificate["message"]
    return dict(run.result)


@pytest.mark.fast("nested", "HCEUS", "panda")
@pytest.mark.parametrize("name", ARMS)
def test_divide_and_conquer_in_contact(name: str) -> None:
    what, model = given(name)
    found = solved(what, "divide-and-conquer")
    state = what.q, what.qd, what.tau
    qdd, force = model.constrained(*state, what.contact)
    free, J = model.forward_dynamics(*state), model.jacobian(what.q)
    assert np.abs(found["qdd"] - qdd).max() < 1e-10 * max(np.abs(qdd).max(), np.abs(free).max())
    assert relative(found["force"], force) < 1e-10
    assert relative(found["lambda_inverse"], J @ np.linalg.solve(model.mass_matrix(what.q), J.T)) < 1e-11
    assert relative(found["acceleration0"], model.acceleration(what.q, what.qd, free)) < 1e-10


@pytest.mark.fast("nested", "HCEUS", "panda")
@pytest.mark.parametrize("name", ARMS)
def test_inverse_dynamics(name: str) -> None:
    what, model = given(name)
    found = solved(problems.free(what), "inverse-dynamics")
    assert relative(found["tau"], model.inverse_dynamics(what.q, what.qd, what.qdd)) < 1e-13


@pytest.mark.fast("nested", "HCEUS", "panda")
@pytest.mark.parametrize("name", ARMS)
def test_the_hybrid(name: str) -> None:
    what, model = given(name)
    found = solved(problems.free(what), "hybrid")
    assert relative(found["qdd"], model.forward_dynamics(what.q, what.qd, what.tau)) < 1e-11


@pytest.mark.parametrize("algorithm", [hybrid, mass_matrix_inversion], ids=["hybrid", "inversion"])
def test_both_engines_agree(algorithm: Algorithm) -> None:
    """At home and migrating, on a tree with joints of all types: the same trace and bits."""
    what, _ = given("all types")
    chain = what.chain
    program = algorithm.program(chain.n, chain.joints, branches=side_tree.structure(chain))
    for residency in ("home", "migrating"):
        agreed(program, algorithm.memory(what), residency=residency)


@pytest.mark.fast("nested", "HCEUS", "panda")
@pytest.mark.parametrize("name", ARMS)
def test_the_inversion_of_the_mass_matrix(name: str) -> None:
    """M itself too, where there are no branches."""
    what, model = given(name)
    found = solved(problems.free(what), "mass-matrix-inversion")
    assert relative(found["qdd"], model.forward_dynamics(what.q, what.qd, what.tau)) < 1e-10
    assert ("mass_matrix" in found) == (not what.chain.branches)
    if not what.chain.branches:
        assert relative(found["mass_matrix"], model.mass_matrix(what.q)) < 1e-13


SPACE = ("lambda-inverse", "lambda-inverse-times", "lambda", "lambda-times", "lambda-both")
SOLVERS = ({"form": "paper"}, {"form": "short", "elimination": "oer"}, {"form": "short", "strategy": 1})


@pytest.mark.fast("nested", "HCEUS", "panda")
@pytest.mark.parametrize("name", ARMS)
def test_the_operational_space(name: str) -> None:
    """Lambda^-1 = J M^-1 J' and its inverse, as matrices and applied to a vector; by sweeps, by local forms,
    by reduction, and by both strategies: every other program on every other arm."""
    what, model = given(name)
    J = model.jacobian(what.q)
    inverse, x = J @ np.linalg.solve(model.mass_matrix(what.q), J.T), np.arange(1.0, 7.0)
    asked = replace(problems.free(what), tip_vector=x)
    exists = np.linalg.cond(inverse) < 1e9
    right = {"lambda_inverse": inverse, "tip_acceleration": inverse @ x}
    if exists:
        right |= {"operational_mass": np.linalg.inv(inverse), "tip_wrench": np.linalg.solve(inverse, x)}
    place = ARMS.index(name)
    for algorithm in SPACE[place % 2 :: 2] if exists else SPACE[:2]:
        how = {} if algorithm == "lambda-both" else SOLVERS[place % 3]
        for answer, found in solved(asked, algorithm, **how).items():
            assert relative(found, right[answer]) < 1e-9, (algorithm, answer)


def test_lambda_of_a_short_arm_with_many_branches_is_refused() -> None:
    """Branches move the end effector in no new direction."""
    what, _ = given("everywhere")
    with pytest.raises(InputError, match="with 5 degrees of freedom it never can; ask for Lambda"):
        senn.run(problems.free(what), algorithm="lambda")
