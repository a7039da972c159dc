"""Contacts that determine no force, or hardly: refused with the digits lost, or right to what is left."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contact_force, contacts
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import tip_inverse_inertia
from senn.base.errors import InputError
from tests.oracles import constraint_force, dense

pytestmark = pytest.mark.rounding

SOLVERS = {"dense": dense, "articulated": articulated, "constraint_force": constraint_force}
U = np.eye(6)
EPS = 2.0**-52


def snake(angle: float, held: Contact) -> Problem:
    """Seven joints, axes vertical and horizontal in turn, all but straight: bent by `angle` rad at each."""
    chain = generators.generate("snake:7")
    q = angle * np.array([1.0, -0.7, 0.9, 1.1, -0.8, 0.6, 1.0])
    return problems.Problem("arm", chain, problems.EARTH, q, np.zeros(7), np.zeros(7), held)


def rubbing() -> Contact:
    """Five directions held, the sixth, across the arm, dragged with the pressure along it."""
    return contacts.type_ii(np.delete(U, 4, axis=1), U[:, [4]], [[0.1, 0, 0.2, 0.3, 0]])


def welded() -> Contact:
    """As a general contact: Vdot = 0, F = Omega."""
    return contacts.general(np.zeros((6, 6)), np.zeros(6), U, np.zeros(6))


def ratio(given: Problem) -> tuple[float, np.ndarray]:
    """The pivot ratio, and Lambda^-1."""
    inverse = dense.solve(replace(given, contact_input=contacts.none())).lambda_inverse
    return contact_force.pivot_ratio(given.contact, inverse, tip_inverse_inertia(given.chain)), inverse


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("held", "message"),
    [
        (
            rubbing(),
            r"contact is singular: the arm cannot move in a direction that W constrains, or phi jams it",
        ),
        (welded(), r"contact is singular: Lambda\^-1 M2 \+ M1 has no inverse, .* change M1 or M2, or leave"),
        (contacts.welded(), r"contact is singular: .* pivot ratio .*constrain fewer directions"),
    ],
    ids=["II", "general", "I"],
)
def test_a_straight_arm_is_refused(held: Contact, message: str, solver: str) -> None:
    """It cannot move its tip along itself. The diagonal entry itself vanishes, which no ordinary pivot test
    would notice."""
    with pytest.raises(InputError, match=message) as caught:
        SOLVERS[solver].solve(snake(0.0, held))
    assert "digits are lost, pivot ratio" in str(caught.value)


@pytest.mark.parametrize("held", [rubbing(), welded()], ids=["II", "general"])
def test_the_pivot_ratio_follows_the_singular_values(held: Contact) -> None:
    """It is sigma_min/sigma_max of the matrix scaled by D, within a factor of 3 (NumPy); and
    straightening takes it down as it does that of the matrix as it is."""
    ratios, plain = [], []
    for angle in (1.0, 1e-1, 1e-2, 1e-3, 1e-4):
        given = snake(angle, held)
        found, inverse = ratio(given)
        D = tip_inverse_inertia(given.chain)
        W, bearing = (U, U) if held.law else (held.W, held.bearing)
        matrix = W.T @ inverse @ bearing
        scale = np.sqrt(np.outer(np.diag(W.T @ D @ W), np.diag(bearing.T @ D @ bearing)))
        scaled, values = (np.linalg.svd(x, compute_uv=False) for x in (matrix / scale, matrix))
        assert 1 / 3 < found / (scaled[-1] / scaled[0]) < 3
        ratios.append(found)
        plain.append(values[-1] / values[0])
    assert ratios[4] / ratios[3] == pytest.approx(plain[4] / plain[3], rel=0.1)
    assert ratios[4] < 1e-6 * ratios[0]


def test_the_ratio_by_hand() -> None:
    """Type II, D = diag(4, 1, ...), Lambda^-1 = U, W = e_1, H the others, phi = (3, 0, ...): the matrix is 1,
    W'DW = 4, (W + H phi)'D(W + H phi) = 4 + 9, so 1 / sqrt(4 * 13)."""
    D = np.diag([4.0, 1, 1, 1, 1, 1])
    held = contacts.type_ii(U[:, :1], U[:, 1:], [[3], [0], [0], [0], [0]])
    assert contact_force.pivot_ratio(held, np.eye(6), D) == pytest.approx(52**-0.5, rel=1e-15)
    # general, M1 = 0, M2 = U: the first entry is 1 over sqrt(4) and sqrt(4), the others are 1
    assert contact_force.pivot_ratio(welded(), np.eye(6), D) == pytest.approx(0.25, rel=1e-15)
    assert contact_force.pivot_ratio(welded(), np.diag([1.0, 1, 1, 1, 1, 0]), D) == 0.0
    # M1 = M2 = U, Lambda^-1 = 0: M1 over what it is, plus what D would add, in rows of sqrt(D)
    both = contacts.general(U, np.zeros(6), U, np.zeros(6))
    assert contact_force.pivot_ratio(both, np.zeros((6, 6)), D) == pytest.approx(0.2, rel=1e-15)


def jammed(given: Problem) -> float:
    """The friction coefficient at which W' Lambda^-1 (W + mu H_y) vanishes, for a point on a plane."""
    inverse = dense.solve(replace(given, contact_input=contacts.none())).lambda_inverse
    return float(-inverse[5, 5] / inverse[5, 3])


def point(mu: float) -> Contact:
    """A point on a plane: v_z held, f_x = mu f_z."""
    return contacts.type_ii(U[:, [5]], U[:, :5], [[0], [0], [0], [mu], [0]], G_C=[0])


def exact(inverse: np.ndarray, acceleration0: np.ndarray, mu: float) -> float:
    """f_z with the numbers as they are, in rational arithmetic."""
    a, b, v, m = (Fraction(float(x)) for x in (inverse[5, 5], inverse[5, 3], acceleration0[5], mu))
    return float(v / (a + m * b))


def test_scanning_friction_through_jamming_gives_no_wrong_answer() -> None:
    """At the coefficient where the determinant changes sign the force is refused; on either side it is right
    to the digits that the pivot ratio leaves, and its sign changes."""
    given = problems.load("ur5_free")
    found = dense.solve(given)
    inverse, start, D = found.lambda_inverse, found.acceleration0, tip_inverse_inertia(given.chain)
    critical, signs, refused = jammed(given), set(), 0
    for k in range(1, 18):
        for side in (-1.0, 1.0):
            mu = critical * (1 + side * 10.0**-k)
            held = point(mu)
            left = contact_force.pivot_ratio(held, inverse, D)
            if left <= contact_force.SINGULAR:
                refused += 1
                with pytest.raises(InputError, match="phi jams it"):
                    contact_force.check_regular(left, kind="II")
                continue
            force = contact_force.contact_force(held, inverse, start)
            right = exact(inverse, start, mu)
            assert abs(force[5] / right - 1) < 20 * EPS / left
            assert force[3] == pytest.approx(mu * force[5], rel=1e-12)
            signs.add((side, np.sign(force[5])))
    assert len(signs) == 2
    assert refused >= 8


@pytest.mark.parametrize("solver", SOLVERS)
def test_jamming_is_refused_by_every_solver(solver: str) -> None:
    given = problems.load("ur5_free")
    with pytest.raises(InputError, match=r"phi jams it \(W' Lambda\^-1 \(H phi \+ W\) has no inverse\)"):
        SOLVERS[solver].solve(replace(given, contact_input=point(jammed(given))))


BAD: list[tuple[Any, str]] = [
    (
        lambda: contacts.type_ii(U[:, :2], None, np.zeros((4, 2))),
        "contact.H is missing; phi and d are counted",
    ),
    (
        lambda: contacts.type_ii(U[:, :2], U[:, 2:], np.zeros((3, 2))),
        "contact.phi has 3 rows, expected 4: n_f",
    ),
    (
        lambda: contacts.type_ii(U[:, :2], U[:, 2:], np.zeros((4, 3))),
        "contact.phi has 3 columns, expected 2: n_c",
    ),
    (
        lambda: contacts.type_ii(U[:, :2], U[:, 2:], np.zeros((4, 2)), [1.0]),
        r"contact.d has 1 numbers, expected 4",
    ),
    (
        lambda: contacts.type_ii(U[:, :2], U[:, 2:], [[0, np.nan], [0, 0], [0, 0], [0, 0]]),
        "contact.phi holds a number that is not finite",
    ),
    (lambda: contacts.general(U[:, :5], U[0], U, U[0]), "contact.M1 has 5 columns, expected 6: one for each"),
    (lambda: contacts.type_i([["a"]] * 6), "contact.W holds what is no number: "),
    (lambda: contacts.general(U, U[0], U[:5], U[0]), "contact.M2 has 5 rows, expected 6: omega x y z"),
    (lambda: contacts.general(U, U[0, :5], U, U[0]), "contact.k1 has 5 numbers, expected 6"),
    (lambda: contacts.general(U, U[0], U, U[0, :3]), r"contact.k2 has 3 numbers, expected 6 \(moment x y z"),
    (
        lambda: contacts.general(np.zeros((6, 6)), U[0], np.diag([1.0, 1, 1, 1, 1, 0]), U[0]),
        "contact: M1 above M2: column 6 is zero; each unknown of Omega must move or press",
    ),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_numbers_that_make_no_contact(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("engine", ["events", "lockstep"])
@pytest.mark.parametrize(
    "held", [contacts.type_i(U[:, 3:4]), rubbing(), welded()], ids=["I", "II", "general"]
)
def test_a_pivot_of_exactly_zero_on_the_machine_ends_in_the_same_refusal(held: Contact, engine: Any) -> None:
    """A straight arm in Step III: the machine divides by zero and goes on, without a warning of Python's; the
    certificate refuses."""
    with pytest.raises(InputError, match="contact is singular"):
        senn.run(snake(0.0, held), engine=engine)
