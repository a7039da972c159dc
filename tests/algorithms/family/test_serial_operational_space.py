"""Lambda^-1 and Lambda by the serial family, and their products, against Pinocchio's J and M."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.answers import END
from senn.algorithms.family.arm import arm_of
from senn.algorithms.family.link import inward, outward_force
from senn.algorithms.family.pages import PAGES
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.base.errors import InputError
from tests.algorithms.robots.mixed_joints import mixed_chain, state
from tests.algorithms.robots.oracle import ARMS, arm, oracle, relative

pytestmark = pytest.mark.rounding

VECTOR = np.array([0.7, -1.1, 0.4, 2.0, 0.3, -1.6])
INVERSE = ("lambda_inverse_constraint_force", "lambda_inverse_articulated")
MASS = "lambda_constraint_force"


def answer(name: str, given: Problem) -> np.ndarray:
    return PAGES[name].solve(given)[PAGES[name].answer]


@cache
def case(text: str) -> tuple[Problem, np.ndarray]:
    """A problem with VECTOR at its tip, and J M^-1 J' of Pinocchio's matrices."""
    if text in ARMS:
        chain, model = arm(text)
        given = problems.draw(chain, 1)
    else:
        given = problems.load(text)
        model = oracle(given.chain)
    return replace(given, tip_vector=VECTOR), inverse_of(model, given.q)


def inverse_of(model: Any, q: np.ndarray) -> np.ndarray:
    J = model.jacobian(q)
    return J @ np.linalg.solve(model.mass_matrix(q), J.T)


RANDOM = [f"random:{n}:seed={n}:prismatic=0.3" for n in (*range(1, 18), 24, 31, 64)]


@pytest.mark.fast("ur5-*", "random:1:*", "random:8:*")
@pytest.mark.parametrize("name", INVERSE)
@pytest.mark.parametrize("text", [*ARMS, *RANDOM])
def test_lambda_inverse_is_pinocchios(text: str, name: str) -> None:
    """Also for n < 6, where it is singular."""
    given, expected = case(text)
    assert relative(answer(name, given), expected) < 1e-12


@pytest.mark.fast("random:1:*", "random:5:*", "random:8:*")
@pytest.mark.parametrize("text", RANDOM)
def test_lambda_inverse_times_a_wrench_is_pinocchios(text: str) -> None:
    given, expected = case(text)
    found = answer("lambda_inverse_times_constraint_force", given)
    assert np.abs(found - expected @ VECTOR).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.fast("ur5", "random:6:*", "random:8:*")
@pytest.mark.parametrize("text", ["ur5", "panda", "xarm7", *RANDOM[5:]])
def test_lambda_is_the_inverse_of_pinocchios(text: str) -> None:
    """Matrix and product; the inverse of Lambda^-1 loses as many digits as its condition number has."""
    given, inverse = case(text)
    mass, allowed = np.linalg.inv(inverse), 1e-14 * np.linalg.cond(inverse)
    assert relative(answer(MASS, given), mass) < allowed
    found = answer("lambda_times_constraint_force", given)
    assert np.abs(found - mass @ VECTOR).max() < allowed * np.abs(mass).max()


MIXED = (
    ("spherical",),
    ("free",),
    ("planar", "universal", "helical"),
    ("revolute", "cylindrical", "spherical", "welded"),
    ("universal", "helical", "planar", "free"),
    ("free", "revolute", "prismatic", "universal"),
    ("revolute", "welded", "cylindrical", "helical", "spherical", "revolute", "universal", "planar"),
)


@pytest.mark.parametrize("types", MIXED, ids="-".join)
def test_joints_of_every_type(types: tuple[str, ...]) -> None:
    """All five pages; Lambda wherever six directions are free: one free joint is enough."""
    chain, (q, qd, qdd, tau) = mixed_chain(types, 3), state(types, 4)
    given = problems.resolved(chain, problems.EARTH, q, qd, tau, contacts.none(), qdd=qdd, tip_vector=VECTOR)
    inverse = inverse_of(oracle(chain), q)
    expected = {"lambda_inverse": inverse, "tip_acceleration": inverse @ VECTOR}
    if chain.degrees >= 6:
        expected |= {"operational_mass": np.linalg.inv(inverse)}
        expected |= {"tip_wrench": expected["operational_mass"] @ VECTOR}
    for page in (page for page in PAGES.values() if page.question == END):
        if page.answer in expected:
            aim = expected[page.answer]
            scale = np.abs(aim).max() or 1.0
            assert np.abs(page.solve(given)[page.answer] - aim).max() < 1e-10 * scale, page.name
        else:
            with pytest.raises(InputError, match=f"with {chain.degrees} degrees of freedom it never can"):
                page.solve(given)


def test_forces_come_back() -> None:
    """`outward_force` undoes `inward`."""
    (link, *_) = arm_of(case("random:6:seed=6:prismatic=0.3")[0]).links
    np.testing.assert_allclose(outward_force(link, inward(link, VECTOR)), VECTOR, rtol=1e-14)


# ------------------------------------------------------------------------------ conditions


@pytest.mark.parametrize("name", [MASS, "lambda_times_constraint_force"])
def test_lambda_is_refused_where_it_does_not_exist(name: str) -> None:
    """By the page and through the front door; Lambda^-1 of the same arm is given."""
    short = problems.load("random:5:seed=1")
    with pytest.raises(InputError, match=r"Lambda does not exist: .* with 5 degrees of freedom it never can"):
        PAGES[name].solve(short)
    with pytest.raises(InputError, match="Lambda does not exist"):
        senn.run(short, algorithm=name.replace("_", "-"), machine="raw")
    run = senn.run(short, algorithm="lambda-inverse-constraint-force", machine="raw")
    assert run.certificate["ok"]


def test_lambda_of_a_straight_arm_is_refused() -> None:
    chain, zero = problems.load("snake:9").chain, np.zeros(9)
    straight = problems.resolved(chain, problems.EARTH, zero, zero, zero, contacts.none())
    with pytest.raises(InputError, match="or leave the singular configuration"):
        PAGES[MASS].solve(straight)


# ----------------------------------------------------------------------------- the machine


@pytest.mark.parametrize(
    ("serial", "parallel"),
    [
        ("lambda_inverse_constraint_force", "lambda-inverse"),
        ("lambda_inverse_times_constraint_force", "lambda-inverse-times"),
        ("lambda_constraint_force", "lambda"),
        ("lambda_times_constraint_force", "lambda-times"),
    ],
)
def test_pages_and_programs_agree(serial: str, parallel: str) -> None:
    """The same factorisation eliminated in another order: to rounding."""
    given, _ = case("random:12:seed=12:prismatic=0.3")
    run = senn.run(given, algorithm=parallel, machine="raw")
    assert relative(run.result[PAGES[serial].answer], answer(serial, given)) < 1e-10


def test_a_product_makes_no_matrix() -> None:
    """The product costs less than the matrix, whatever n."""
    for matrix in ("lambda_inverse", "lambda"):
        whole, product = (PAGES[f"{matrix}{x}_constraint_force"] for x in ("", "_times"))
        assert whole.operations(9).flops - product.operations(9).flops > 6 * 11
