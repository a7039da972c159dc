"""The dense truth on balls: against proven enclosures by articulated bodies, and against Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest
from flint import ctx

from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from tests.algorithms.references.test_tree import CASES, case
from tests.algorithms.robots.oracle import relative
from tests.oracles import balls, extended

ENCLOSED = ("qdd", "force", "lambda_inverse", "qdd0", "acceleration0", "forces")
ARMS = (
    "random:3",
    "random:9:prismatic=0.5",
    "rods:7:slenderness=0.001",
    "joints:RHUCEXPR:seed=1",
    "snake:17",
)


def _at_exact_quaternions(text: str) -> Problem:
    """The problem with its first four numbers of q, a quaternion, of unit length to the last digit."""
    problem = problems.load(text)
    return problem.at(q=np.r_[0.5, -0.5, 0.5, 0.5, problem.q[4:]])


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("text", [*ARMS, "joints:FRRUPR:seed=2", "joints:SRRRPE:seed=3"])
@pytest.mark.parametrize("kind", ["I", "II", "general", "face"])
def test_two_formulations_agree_to_28_digits(text, kind):
    """Articulated bodies in link axes, and one dense system in base axes with joints of its own."""
    problem = _at_exact_quaternions(text) if text[7] in "FS" else problems.load(text)
    problem = _touching(problem, kind)
    right, found = extended.enclosed(problem), balls.answers(problem, ENCLOSED)
    with ctx.workprec(200):
        for name in ENCLOSED:
            parts = extended.balls(found[name].high) + extended.balls(found[name].low)
            off = max(float(x.abs_upper()) for x in (parts - getattr(right, name)).ravel())
            assert off <= 1e-28 * np.abs(found[name].high).max(), name


def _touching(problem: Problem, kind: str) -> Problem:
    rng = np.random.default_rng(7)
    if kind == "face":
        return problem.at(contact={"kind": "face", "normal": [1.0, 2.0, -1.0], "position": [0.1, 0.0, 0.2]})
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    W, H, numbers = basis[:, :2], basis[:, 2:], rng.standard_normal(4)
    match kind:
        case "I":
            contact = contacts.type_i(W, H, None, numbers)
        case "II":  # W + H phi is exact: articulated bodies take it in double precision
            W, H, phi = np.eye(6)[:, [5, 2]], np.eye(6)[:, [0, 1, 3, 4]], np.arange(8.0).reshape(4, 2) / 8
            contact = contacts.type_ii(W, H, phi, numbers, [0.3, -0.7])
        case _:
            contact = contacts.general(*(rng.standard_normal(shape) for shape in ((6, 6), 6, (6, 6), 6)))
    return replace(problem, contact_input=contact)


@pytest.mark.parametrize("name", CASES)
def test_answers_on_trees_are_pinocchios(name):
    problem, model = case(name)
    chain, q, qd, contact = problem.chain, problem.q, problem.qd, problem.contact
    names = (*ENCLOSED, "mass_matrix", "inverse_mass_matrix", "tau")
    found = {key: answer.high for key, answer in balls.answers(problem, names).items()}
    qdd, force = model.constrained(q, qd, problem.tau, contact)
    M, J = model.mass_matrix(q), model.jacobian(q)
    qdd0 = model.forward_dynamics(q, qd, problem.tau)
    expected = {
        "qdd": qdd,
        "force": force,
        "lambda_inverse": J @ np.linalg.solve(M, J.T),
        "qdd0": qdd0,
        "acceleration0": model.acceleration(q, qd, qdd0),
        "forces": model.interbody_forces(q, qd, found["qdd"], found["force"])[: chain.n],
        "mass_matrix": M,
        "inverse_mass_matrix": np.linalg.inv(M),
        "tau": model.inverse_dynamics(q, qd, problem.qdd),
    }
    for key, right in expected.items():
        assert relative(found[key], right) < 1e-8, key


def test_answers_at_the_end_effector_are_those_of_lambda_inverse():
    problem = problems.load("random:8:seed=5").at(tip_vector=[1.0, -2.0, 0.5, 0.3, 4.0, -1.0])
    names = ("lambda_inverse", "operational_mass", "tip_acceleration", "tip_wrench")
    inverse, mass, acceleration, wrench = (answer.high for answer in balls.answers(problem, names).values())
    x = problem.tip_vector
    assert relative(inverse @ mass, np.eye(6)) < 1e-12
    assert relative(inverse @ x, acceleration) < 1e-14
    assert relative(inverse @ wrench, x) < 1e-12


def test_a_contact_that_the_arm_cannot_obey_has_no_answer():
    problem = problems.load("random:4:seed=1").at(contact="weld")
    with pytest.raises(ArithmeticError, match="singular"):
        balls.answers(problem, ["qdd"])


def test_an_error_is_relative_to_the_true_answer_beyond_double_precision():
    true = balls.Double(np.array([3.0, 4.0]), np.array([0.0, 5e-17]))
    assert balls.error([3.0, 4.0], true) == pytest.approx(1e-17)
    assert balls.error([3.0, 4.5], true) == pytest.approx(0.1)
    zero = balls.Double(np.zeros(2), np.zeros(2))
    assert balls.error([0.0, 0.0], zero) == 0.0
    assert balls.error([0.0, 1e-300], zero) == np.inf
