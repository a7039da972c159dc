"""Contacts that the state settles: directions in base axes, spatial accelerations, G_C left out.

Pinocchio's contacts say what either acceleration means; simulated motions say what keeps a constraint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from senn.algorithms import motion, problems
from senn.algorithms.problems import contact_force, contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from tests.algorithms.robots.oracle import Oracle, arm, oracle, relative
from tests.algorithms.robots.states import mild_state

pytestmark = pytest.mark.rounding

GRAVITY = np.array([1.3, -2.1, -9.1])
U, ZERO = np.eye(6), np.zeros((3, 3))


def moving(name: str) -> tuple[Chain, Oracle, np.ndarray, np.ndarray, np.ndarray]:
    chain, model = arm(name)
    model.set_gravity(GRAVITY)
    return chain, model, *mild_state(chain, 1, GRAVITY)


@pytest.mark.parametrize("name", ["panda", "xarm7", "talos_left_arm"])
def test_a_spatial_acceleration_of_zero_is_pinocchios_six_dimensional_contact(name: str) -> None:
    """The classical one is not: the end effector moves."""
    chain, model, q, qd, tau = moving(name)
    qdd, force = model.welded(q, qd, tau)

    def solved(acceleration: str) -> Any:
        held = contacts.type_i(U, G_C=np.zeros(6), acceleration=acceleration)
        return articulated.solve(problems.Problem("arm", chain, GRAVITY, q, qd, tau, held))

    spatial = solved("spatial")
    assert relative(spatial.qdd, qdd) < 1e-10
    assert relative(spatial.force, force) < 1e-11
    assert relative(solved("classical").qdd, qdd) > 1e-4


@pytest.mark.parametrize("name", ["ur5", "panda", "xarm7"])
def test_a_classical_acceleration_of_zero_is_pinocchios_three_dimensional_contact(name: str) -> None:
    """The spatial one is not."""
    chain, model, q, qd, tau = moving(name)
    qdd, _ = model.welded(q, qd, tau, "CONTACT_3D")

    def solved(acceleration: str) -> Any:
        held = contacts.type_i(U[:, 3:], G_C=np.zeros(3), acceleration=acceleration)
        return articulated.solve(problems.Problem("arm", chain, GRAVITY, q, qd, tau, held))

    assert relative(solved("classical").qdd, qdd) < 1e-10
    assert relative(solved("spatial").qdd, qdd) > 1e-4


def test_a_spatial_k1_of_a_general_contact_is_pinocchios_too() -> None:
    """Vdot = k1, F = Omega: the welded tip as a general contact."""
    chain, model, q, qd, tau = moving("panda")
    law = contacts.general(np.zeros((6, 6)), np.zeros(6), U, np.zeros(6), acceleration="spatial")
    given = problems.Problem("arm", chain, GRAVITY, q, qd, tau, law)
    assert given.notes == ("k1 was given as a spatial acceleration: [0; omega x v] was added",)
    qdd, force = model.welded(q, qd, tau)
    assert relative(articulated.solve(given).qdd, qdd) < 1e-10
    assert relative(articulated.solve(given).force, force) < 1e-11


def in_base_axes(model: Oracle, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The end effector's velocity [omega; of O_{n+1}] in base axes."""
    turn = model.tip_rotation(q)
    return np.block([[turn, ZERO], [ZERO, turn]]) @ model.velocity(q, qd)


# On an oblique plane: no turning about one of its lines, no motion along its normal
DIRECTIONS = np.array([[0, 0], [0.6, 0], [0.8, 0], [0, 0.48], [0, 0.64], [0, 0.6]])


@pytest.mark.parametrize("fixed_in", ["world", "end_effector"])
def test_g_c_left_out_keeps_the_constraint_along_a_simulated_motion(fixed_in: str) -> None:
    """Half a second of fourth-order Runge-Kutta from W'V = 0: in the axes in which W is constant W'V stays
    zero to the error of the method; taken for constant in the other axes it does not."""
    chain = generators.generate("random:8:seed=1")
    model = oracle(chain)
    model.set_gravity(GRAVITY)
    q, qd, tau = mild_state(chain, 1, GRAVITY)

    def speeds(q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        return {
            "world": DIRECTIONS.T @ in_base_axes(model, q, qd),
            "end_effector": DIRECTIONS.T @ model.velocity(q, qd),
        }

    jacobian = np.column_stack([speeds(q, unit)[fixed_in] for unit in np.eye(8)])
    qd = 5 * (qd - np.linalg.pinv(jacobian) @ jacobian @ qd)
    held = contacts.type_i(DIRECTIONS, fixed_in=fixed_in)

    def accelerated(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return articulated.solve(problems.Problem("arm", chain, GRAVITY, q, qd, tau, held)).qdd

    state = q, qd
    for _ in range(40):
        state = motion.runge_kutta(chain, accelerated, 0.0, 0.0125, state, accelerated(0.0, *state))
    left = {axes: np.abs(speed).max() for axes, speed in speeds(*state).items()}
    assert np.abs(state[0] - q).max() > 0.3
    assert left.pop(fixed_in) < 1e-6
    assert left.popitem()[1] > 1e-2


@pytest.mark.parametrize("kind", ["I", "II", "general"])
def test_base_axes_are_end_effector_axes_turned(kind: str) -> None:
    """The same contact in either axes, turned by Pinocchio's rotation, has the same force."""
    chain, model, q, qd, tau = moving("panda")
    rng = np.random.default_rng(8)
    turn = np.kron(np.eye(2), model.tip_rotation(q))
    basis, six, three = rng.standard_normal((6, 6)), rng.standard_normal((4, 6)), rng.standard_normal((2, 3))
    matrix = rng.standard_normal((6, 6))

    def made(turn: np.ndarray, **choices: str) -> contacts.Contact:
        W, H = turn @ basis[:, :3], turn @ basis[:, 3:]
        if kind == "general":
            return contacts.general(turn @ matrix, turn @ six[0], turn @ basis, turn @ six[1], **choices)
        if kind == "II":
            return contacts.type_ii(W, H, 0.2 * matrix[:3, :3], three[0], three[1], **choices)
        return contacts.type_i(W, H, three[0], three[1], **choices)

    given = [
        problems.Problem("arm", chain, GRAVITY, q, qd, tau, one)
        for one in (made(np.eye(6)), made(turn, fixed_in="world"))
    ]
    here, there = (articulated.solve(one).force for one in given)
    np.testing.assert_allclose(there, here, atol=1e-11 * np.abs(here).max())
    assert given[0].notes == ()
    assert given[1].notes == (
        "the contact was given in base axes: its directions were turned to end-effector axes at q",
    )


def test_notes_say_what_was_taken() -> None:
    chain, _, q, qd, tau = moving("panda")

    def notes(**choices: Any) -> tuple[str, ...]:
        return problems.Problem("arm", chain, GRAVITY, q, qd, tau, contacts.type_i(U[:, 3:], **choices)).notes

    assert notes(fixed_in="world")[1] == (
        "G_C was left out: taken as 0 (the constraint, fixed in the world, stays satisfied)"
    )
    assert notes(G_C=[1, 2, 3], acceleration="spatial") == (
        "G_C was given as a spatial acceleration: W'[0; omega x v] was added",
    )
    assert notes(acceleration="spatial") == notes()  # what is left out has no meaning to change


def test_a_settled_contact_is_settled_once() -> None:
    """So a problem may be made from another's contact."""
    chain, _, q, qd, tau = moving("panda")
    held = contacts.type_i(U[:, 3:], fixed_in="world", acceleration="spatial", G_C=[1, 2, 3])
    once = problems.Problem("arm", chain, GRAVITY, q, qd, tau, held)
    twice = problems.Problem("arm", chain, GRAVITY, q, qd, tau, once.contact)
    np.testing.assert_array_equal(twice.contact.W, once.contact.W)
    np.testing.assert_array_equal(twice.contact.G_C, once.contact.G_C)
    with pytest.raises(ValueError, match="the contact is not settled"):
        contact_force.contact_force(held, np.eye(6), np.zeros(6))
