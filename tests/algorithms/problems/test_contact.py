"""Every kind of contact against Pinocchio's M, b, J and Jdot Q in one dense system of equations.

The system is that of Fijany (9), (26) and of the contact as it was written, in the unknowns qdd, F and the
contact's own; nothing of Lambda^-1, orthonormal bases or Eqs. (29) and (39) is in it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.certificate import certify as certificate
from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.base.errors import InputError
from senn.machine.program import Program
from tests.algorithms.robots.oracle import Oracle, oracle, relative
from tests.oracles import constraint_force, dense

pytestmark = pytest.mark.rounding

SOLVERS = {"dense": dense, "articulated": articulated, "constraint_force": constraint_force}
GRAVITY = np.array([1.3, -2.1, -9.1])
# kind, n_c; "oblique" is Type I with bases that are not orthonormal, H'W not zero
CASES = [(kind, c) for kind in ("I", "oblique", "II") for c in range(7)] + [("general", 6)]
# Type I has the same program whatever its basis, and tests/algorithms/programs/test_closed_chain.py has it
ON_THE_MACHINE = [("oblique", 3), *(case for case in CASES if case[0] in ("II", "general"))]
Written = dict[str, np.ndarray]


@cache
def arm(n: int) -> tuple[Problem, Oracle]:
    """A moving arm of mixed joints, without a contact."""
    chain = generators.generate(f"random:{n}:prismatic=0.3:seed={n}")
    given = problems.draw(chain, n, {"gravity": GRAVITY})
    found = oracle(chain)
    found.set_gravity(GRAVITY)
    return replace(given, contact_input=contacts.none()), found


def written(kind: str, c: int) -> Written:
    """The numbers of a contact as a user writes them, all different from zero."""
    rng = np.random.default_rng([c, len(kind)])
    if kind == "general":
        blocks = {"M1": (6, 6), "k1": (6,), "M2": (6, 6), "k2": (6,)}
        return {name: rng.standard_normal(shape) for name, shape in blocks.items()}
    basis = rng.standard_normal((6, 6))
    if kind == "I":
        basis = np.linalg.qr(basis)[0]
    numbers = {"W": basis[:, :c], "H": basis[:, c:], "G_C": rng.standard_normal(c)}
    if kind == "II":
        return {**numbers, "phi": 0.3 * rng.standard_normal((6 - c, c)), "d": rng.standard_normal(6 - c)}
    return {**numbers, "K_F": rng.standard_normal(6 - c)}


def made(kind: str, numbers: Written) -> contacts.Contact:
    make: dict[str, Any] = {"general": contacts.general, "II": contacts.type_ii}
    return make.get(kind, contacts.type_i)(**numbers)


def expected(given: Problem, found: Oracle, numbers: Written) -> tuple[np.ndarray, np.ndarray]:
    """qdd and F: M qdd + J'F = tau - b with
    W'(J qdd + Jdot Q) = G_C, F = H K_F + W K_C (and K_F = phi K_C + d); or (37) and (38)."""
    q, qd, n = given.q, given.qd, given.chain.degrees
    M, J = found.mass_matrix(q), found.jacobian(q)
    drift = found.acceleration(q, qd, np.zeros(n))
    top = given.tau - found.bias(q, qd)
    if "M1" in numbers:
        moved = np.hstack([J, np.zeros((6, 6)), -numbers["M1"]])
        pressed = np.hstack([np.zeros((6, n)), np.eye(6), -numbers["M2"]])
        right = np.concatenate([top, numbers["k1"] - drift, numbers["k2"]])
    else:
        W, H = numbers["W"], numbers["H"]
        c = W.shape[1]
        bearing = W + H @ numbers["phi"] if "phi" in numbers else W
        moved = np.hstack([W.T @ J, np.zeros((c, 6 + c))])
        pressed = np.hstack([np.zeros((6, n)), np.eye(6), -bearing])
        given_force = H @ numbers["d" if "d" in numbers else "K_F"]
        right = np.concatenate([top, numbers["G_C"] - W.T @ drift, given_force])
    own = pressed.shape[1] - n - 6
    whole = np.vstack([np.hstack([M, J.T, np.zeros((n, own))]), moved, pressed])
    solved = np.linalg.solve(whole, right)
    return solved[:n], solved[n : n + 6]


def touching(n: int, kind: str, c: int) -> tuple[Problem, np.ndarray, np.ndarray]:
    given, found = arm(n)
    numbers = written(kind, c)
    qdd, force = expected(given, found, numbers)
    return replace(given, contact_input=made(kind, numbers)), qdd, force


def run(what: Problem, form: str, **choices: Any) -> Solution:
    return Solution(
        **numerics.answers(what, senn.solved(program(what, form, **choices), memory(what)).result)
    )


def program(what: Problem, form: str, **choices: Any) -> Program:
    return variants.closed_chain(
        what.chain.n, form, joints=what.chain.joints, contact=what.contact.shape, **choices
    )


def agrees(found: Solution, qdd: np.ndarray, force: np.ndarray) -> None:
    assert relative(found.qdd, qdd) < 1e-10
    assert relative(found.force, force) < 1e-10


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kind", "c"), CASES)
def test_every_kind_by_every_serial_solver(kind: str, c: int, solver: str) -> None:
    what, qdd, force = touching(9, kind, c)
    agrees(SOLVERS[solver].solve(what), qdd, force)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize(("kind", "c"), ON_THE_MACHINE)
def test_every_kind_on_the_machine_in_every_form(kind: str, c: int, form: str) -> None:
    """And its certificate, which compares with a serial solver, passes."""
    what, qdd, force = touching(9, kind, c)
    found = run(what, form)
    agrees(found, qdd, force)
    assert certificate.certify(what, found).ok


def test_directions_a_hundred_thousandth_apart_are_as_good_as_any() -> None:
    """The columns of W nearly parallel: the ratio stays that of the directions, and the force is lost to the
    rounding of W only, 1e-16 / 1e-5."""
    given, _ = arm(9)
    numbers = written("I", 2)
    T = np.array([[1.0, 1.0], [0.0, 1e-5]])
    leaning = {**numbers, "W": numbers["W"] @ T, "G_C": T.T @ numbers["G_C"]}
    one, two = (replace(given, contact_input=made("I", x)) for x in (numbers, leaning))
    found, other = dense.solve(one), dense.solve(two)
    np.testing.assert_allclose(other.force, found.force, atol=1e-9 * np.abs(found.force).max())
    assert certificate.certify(two, other).rho == pytest.approx(certificate.certify(one, found).rho, rel=1e-8)


def test_a_payload_as_a_contact_is_a_heavier_last_link() -> None:
    """F = I Vdot + gyroscopic terms, in the bundled example: the open chain with the payload merged."""
    given = problems.load("ssrms_payload")
    chain, n = given.chain, given.chain.n
    mass, centre = 1000.0, np.array([1.5, 0.0, 0.0]) + chain.position[-1]  # from O_n, frame n+1
    both = chain.mass[-1] + mass
    middle = (chain.mass[-1] * chain.centre[-1] + mass * centre) / both
    arms = (chain.centre[-1] - middle, centre - middle)
    inertia = chain.inertia[-1] + np.diag([400.0, 900.0, 900.0])
    for weight, r in zip((chain.mass[-1], mass), arms, strict=True):
        inertia = inertia + weight * (r @ r * np.eye(3) - np.outer(r, r))
    last = {"mass": both, "centre": middle, "inertia": inertia}
    changed = {name: np.concatenate([getattr(chain, name)[:-1], [new]]) for name, new in last.items()}
    heavier = oracle(replace(chain, **changed))
    heavier.set_gravity(given.gravity)
    qdd = heavier.forward_dynamics(given.q, given.qd, given.tau)
    assert n == 7
    assert relative(articulated.solve(given).qdd, qdd) < 1e-7  # k2 has nine decimals


def test_friction_pulls_with_the_pressure() -> None:
    """The bundled Type II example: f_x = 0.3 f_z, and the tool stays on the table."""
    given = problems.load("ur5_friction")
    found = articulated.solve(given)
    assert found.force[5] > 1.0
    assert found.force[3] == pytest.approx(0.3 * found.force[5], rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("III", 3), 'contact of kind "III": a program is made for I, II and general'),
        (("I", 7), "contact = 7: the number of constrained directions is 0..6"),
        (("II", 0), "contact of kind II, 0 constrained directions: phi is empty; take kind I"),
        (("II", 6), "contact of kind II, 6 constrained directions: phi is empty; take kind I"),
        (("general", 3), "contact of kind general: it has 6 unknowns, not 3"),
    ],
)
def test_shapes_that_no_program_has(arguments: tuple[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ContactShape(*arguments)


def test_listings_and_descriptions_say_the_kind() -> None:
    what, _, _ = touching(5, "II", 2)
    code = program(what, "short")
    assert "n_c = 2 of Type II" in str(code).splitlines()[0]
    described = senn.placed(code).describe()["program"]
    assert (described["contact"], described["contact_kind"]) == (2, "II")
    assert "general contact" in str(variants.closed_chain(2, contact=ContactShape("general"))).splitlines()[0]
    lines = [line.split() for line in str(code).splitlines() if line.strip().startswith("III.")]
    assert [line[0] for line in lines] == ["III.2.i", "III.2.i'", "III.2.ii"]
    assert set(what.contact.described()) == {"kind", "W", "H", "G_C", "phi", "d"}
    assert set(problems.load("ssrms_payload").contact.described()) == {"kind", "M1", "k1", "M2", "k2"}
    assert set(problems.load("ur5").contact.described()) == {"kind", "W", "H", "G_C", "K_F"}
