"""The certificate: errors by hand, digits, what fails and with which words, and cases without a scale."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.answers import figures
from senn.algorithms.certificate.certificate import Certificate, digits
from senn.algorithms.certificate.certify import certify
from senn.algorithms.problems import contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.robots.bodies import Body, assemble
from tests.algorithms.certificate.test_refined import light
from tests.algorithms.robots.oracle import arm, oracle
from tests.algorithms.robots.states import mild_state
from tests.oracles import dense

MILD = [
    *("random:1", "random:2:seed=3", "random:5:prismatic=0.3", "random:6", "random:7", "random:16:seed=2"),
    *("random:100:prismatic=0.3", "snake:16", "rods:8:slenderness=0.01", "rods:33", *problems.bundled()),
]


@pytest.mark.parametrize("name", MILD)
def test_independent_solvers_pass(name):
    given = problems.load(name)
    found = certify(given, dense.solve(given))
    assert found.ok, found.message
    assert found.message.startswith("agrees with the refined solution: ")


@pytest.fixture
def given():
    return problems.load("random:12:seed=4")


@pytest.mark.parametrize(
    ("error", "expected"),
    [(4e-13, 12), (1.0, 0), (3.0, 0), (0.11, 0), (0.09, 1), (np.nan, 0), (np.inf, 0), (0.0, 16), (1e-30, 16)],
)
def test_digits_are_counted_down_from_the_error(error, expected):
    assert digits(error) == expected


def test_errors_and_residuals_are_the_documented_ratios(given):
    """A solution that is off by known amounts, judged by Pinocchio's mass matrix, Jacobian and ABA."""
    reference = articulated.solve(given)
    off_qdd, off_force = np.full(12, 1e-3), np.full(6, 2e-3)
    wrong = replace(
        reference,
        qdd=reference.qdd + off_qdd,
        force=reference.force + off_force,
        lambda_inverse=reference.lambda_inverse * 1.001,
        forces=reference.forces + 0.5,
    )
    found = certify(given, wrong)
    model = oracle(given.chain)
    model.set_gravity(given.gravity)
    J = model.jacobian(given.q)
    qdd, force = model.welded(given.q, given.qd, given.tau)
    size = np.linalg.norm(qdd)
    assert found.figures["qdd_error"] == pytest.approx(np.linalg.norm(off_qdd) / size, rel=1e-6)
    by_force = np.linalg.norm(off_force) / np.linalg.norm(force)
    assert found.figures["contact_force_error"] == pytest.approx(by_force, rel=1e-6)
    assert found.figures["lambda_inverse_error"] == pytest.approx(1e-3, rel=1e-6)
    carried = model.interbody_forces(given.q, given.qd, qdd, force)
    by_forces = 0.5 * np.sqrt(72) / np.linalg.norm(carried)
    assert found.figures["forces_error"] == pytest.approx(by_forces, rel=1e-6)
    each = 1e-3 / np.maximum(np.abs(qdd), 0.1 * size / np.sqrt(12))
    assert found.figures["qdd_joint_error"] == pytest.approx(each.max(), rel=1e-6)
    assert found.places["qdd_joint_error"] == each.argmax() + 1
    drift = model.acceleration(given.q, given.qd, np.zeros(12))
    terms = np.linalg.norm((J * (qdd + off_qdd)).reshape(2, 3, 12), axis=1).sum(axis=1)
    sizes = (terms + np.linalg.norm(drift.reshape(2, 3), axis=1)).repeat(3) + np.abs(given.contact.G_C)
    missed = np.abs(given.contact.G_C - J @ (qdd + off_qdd) - drift)
    assert found.figures["contact_residual"] == pytest.approx((missed / sizes).max(), rel=1e-4)
    whole = ("qdd_error", "contact_force_error", "lambda_inverse_error", "forces_error")
    assert found.error == max(found.figures[name] for name in whole)
    assert found.worst_residual == max(found.figures["residual"], found.figures["contact_residual"])
    assert 1e-6 < found.figures["residual"] < 1e-2
    assert found.digits == min(map(digits, found.figures.values()))


@pytest.mark.parametrize("at", ["qdd", "force", "lambda_inverse", "forces", "qdd0", "acceleration0"])
def test_an_answer_with_five_digits_fails_and_with_seven_holds(given, at):
    right = articulated.solve(given)
    wrong = certify(given, replace(right, **{at: getattr(right, at) * (1 + 3e-6)}))
    assert not wrong.ok
    assert wrong.digits <= 5
    name = next(name for name, count in wrong.digits_of.items() if count == 5)
    assert figures()[name].phrase in wrong.message or figures()[f"{name[:-6]}_joint_error"]
    nearly = certify(given, replace(right, **{at: getattr(right, at) * (1 + 3e-9)}))
    assert nearly.ok, nearly.message
    assert certify(given, replace(right, **{at: getattr(right, at) * (1 + 3e-7)}), digits=5).ok


def test_the_message_names_the_worst_figure_and_the_way_out(given):
    right = articulated.solve(given)
    found = certify(given, replace(right, qdd=right.qdd * np.nan), way_out="Try --refine 1")
    few = [name for name, count in found.digits_of.items() if count < 6]
    head = f"certificate failed: {len(few)} of {len(found.figures)} figures have fewer than 6 digits, worst: "
    assert found.message.startswith(head)
    assert "nan" in found.message
    assert found.message.endswith(". Try --refine 1")


@pytest.mark.parametrize("mass", [1e-6, 1e-2])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_light_last_link_is_certified_with_the_digits_that_it_keeps(mass, seed):
    """Form short loses up to 13 digits; what it prints, it has."""
    from tests.oracles import extended

    what = light(8, mass, 1e-2, seed)
    right = np.vectorize(lambda ball: float(ball.mid()))(extended.enclosed(what).qdd)
    for way in ({"form": "short", "elimination": "oer"}, {"algorithm": "star"}):
        run = senn.run(what, detail="summary", machine="ideal", **way)
        true = np.linalg.norm(run.qdd - right) / np.linalg.norm(right)
        assert run.certificate["qdd_error"] == pytest.approx(true, rel=0.01)
        assert run.certificate["ok"] == (run.certificate["digits"] >= 6)
        assert not run.certificate["ok"] or true < 1e-6


@pytest.mark.parametrize("seed", [0, 5])
def test_a_free_body_that_is_welded_is_certified(seed):
    """Its angular acceleration is zero, its linear one centripetal: rounding is not held to rounding."""
    what = problems.load("joints:F", seed=seed, contact="weld")
    found = certify(what, dense.solve(what))
    assert found.digits >= 11, found.message


def test_an_answer_that_nearly_vanishes_is_judged_by_its_terms():
    """tau holds the arm but for 1e-12 of it. Printed errors are the answer's own; twelve digits of the terms
    decide."""
    chain = generators.generate("random:7:seed=6")
    q, _, _ = mild_state(chain, 1, problems.EARTH)
    model = oracle(chain)
    model.set_gravity(np.array(problems.EARTH))
    tau = model.bias(q, np.zeros(7)) * (1 + 1e-12)
    what = problems.Problem("arm", chain, problems.EARTH, q, np.zeros(7), tau, contacts.none())
    found = certify(what, dense.solve(what))
    assert found.ok, found.message
    assert "digits or more, but for what vanishes beside its terms, 6 required" in found.message
    right, wrong = dense.solve(what), dense.solve(what.at(tau=tau * (1 + 1e-13)))
    assert found.vanishing.keys() >= {"qdd_error", "qdd0_error"}
    assert found.vanishing["qdd_error"] < 1e-14 < found.figures["qdd_error"] < 1.0
    own = np.linalg.norm(wrong.qdd - right.qdd) / np.linalg.norm(right.qdd)
    assert certify(what, wrong).figures["qdd_error"] == pytest.approx(own, rel=0.1)
    assert not certify(what, dense.solve(what.at(tau=tau * (1 + 1e-10)))).ok
    double = what.at(tau=2 * tau)
    assert certify(double, dense.solve(double)).vanishing == {}


@pytest.mark.rounding
def test_single_precision_is_asked_for_three_digits(given):
    right = vars(articulated.solve(given))
    narrow = {name: value.astype(np.float32) for name, value in right.items()}
    found = certify(given, narrow)
    assert found.ok, found.message
    assert (found.required, certify(given, right).required) == (3, 6)
    assert certify(given, narrow, digits=9).ok is False


def test_plain_values_for_files(given):
    found = certify(given, articulated.solve(given))
    values = json.loads(json.dumps(found.as_dict()))
    assert values["ok"] is True
    assert values["message"] == found.message
    assert values["digits"] == min(values["digits_of"].values())
    errors = ("qdd_error", "acceleration0_error", "contact_force_error", "lambda_inverse_error")
    assert set(values) == {
        *errors,
        *("residual", "contact_residual", "forces_error", "qdd_joint_error", "forces_joint_error"),
        *("required", "rho", "doubt", "against", "digits", "digits_of", "error", "worst_residual", "ok"),
        *("message", "places", "vanishing", "notes", "besides", "qdd0_error", "qdd0_joint_error"),
    }


def test_without_figures_nothing_is_certified():
    assert not Certificate({}, 6).ok


def test_no_contact_has_no_force_to_scale_with(given):
    free = replace(given, contact_input=contacts.none())
    right = articulated.solve(free)
    found = certify(free, right)
    assert (found.ok, found.rho) == (True, 1.0)
    assert found.figures["contact_force_error"] == found.figures["contact_residual"] == 0.0
    pushed = certify(free, replace(right, force=np.array([0, 0, 0, 0, 0, 0.5])))
    assert pushed.figures["contact_force_error"] == 1.0  # where there should be nothing, it is all wrong
    assert not pushed.ok


@pytest.mark.parametrize("contact", [contacts.none(), contacts.welded()], ids=["open", "welded"])
def test_nothing_happens_is_certified(contact):
    """At rest, without gravity or torque, everything is zero."""
    chain, zero = generators.generate("random:9"), np.zeros(9)
    given = problems.Problem("arm", chain, np.zeros(3), np.ones(9), zero, zero, contact)
    found = certify(given, articulated.solve(given))
    names = ("qdd_error", "contact_force_error", "residual")
    assert (found.ok, *(found.figures[name] for name in names)) == (True, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("contact", [contacts.none(), contacts.welded()], ids=["open", "welded"])
@pytest.mark.parametrize("n", [7, 40])
def test_torques_that_just_carry_the_arm_are_certified(contact, n):
    """tau = b by Pinocchio: what is left is rounding, which no solver gets right; a wrong answer fails."""
    chain = generators.generate(f"random:{n}:seed=6")
    q, _, _ = mild_state(chain, 1, problems.EARTH)
    model = oracle(chain)
    model.set_gravity(np.array(problems.EARTH))
    given = problems.Problem(
        "arm", chain, problems.EARTH, q, np.zeros(n), model.bias(q, np.zeros(n)), contact
    )
    right = articulated.solve(given)
    found = certify(given, right)
    assert found.ok, found.message
    assert not certify(given, replace(right, qdd=right.qdd + 1e-3)).ok


def test_a_nearly_singular_contact_is_noted():
    chain, zero = generators.generate("snake:7"), np.zeros(7)
    bend = np.array([1.0, -0.7, 0.9, 1.1, -0.8, 0.6, 1.0])
    near = problems.Problem("arm", chain, problems.EARTH, 1e-4 * bend, zero, zero, contacts.welded())
    found = certify(near, articulated.solve(near))
    assert found.notes[0].startswith("contact is nearly singular: about ")
    assert found.singular


def test_an_answer_that_is_not_given_is_not_compared():
    what = problems.load("ur5")
    qdd = articulated.solve(what).qdd
    found = certify(what, {"qdd": qdd})
    assert set(found.figures) == {"qdd_error", "qdd_joint_error", "residual"}
    assert found.ok
    assert not certify(what, {"qdd": qdd * (1 + 1e-3)}).ok
    assert not certify(what, {"qdd": qdd}, quantities=("qdd", "force")).ok


def test_every_answer_of_an_arm_by_pinocchio_agrees():
    """M by composite bodies and tau, and Lambda, of Pinocchio; each off by 1e-4 fails by its name."""
    chain, pinocchio = arm("ur5")
    what = problems.draw(chain, 3)
    pinocchio.set_gravity(what.gravity)
    mass, J = pinocchio.mass_matrix(what.q), pinocchio.jacobian(what.q)
    inverse = J @ np.linalg.solve(mass, J.T)
    given = {
        "operational_mass": np.linalg.inv(inverse),
        "tip_acceleration": inverse @ what.tip_vector,
        "tip_wrench": np.linalg.solve(inverse, what.tip_vector),
        "tau": pinocchio.inverse_dynamics(what.q, what.qd, what.qdd),
        "mass_matrix": mass,
        "inverse_mass_matrix": np.linalg.inv(mass),
    }
    found = certify(what, given)
    assert found.ok, found.message
    assert 0.0 < found.error < 1e-10
    for name, value in given.items():
        wrong = certify(what, {**given, name: value * (1 + 1e-4)})
        assert wrong.figures[f"{name}_error"] == pytest.approx(1e-4, rel=1e-2)
        assert not wrong.ok
        if value.ndim > 1 or name == "tau":
            assert f"{figures()[f'{name}_error'].phrase}" in wrong.message


def test_a_long_arm_has_every_answer():
    """150 joints, more than are computed at once: dense matrices beside the refined ones."""
    what = problems.load("random:150:seed=1")
    mass = dense.mass_matrix(what.chain, what.q)
    found = certify(what, {"mass_matrix": mass, "inverse_mass_matrix": np.linalg.inv(mass)})
    assert found.ok, found.message


def straight_arm(n):
    """Links of 1 m along x, which turn about z."""
    z, ahead, inertia = np.array([0, 0, 1.0]), np.array([1.0, 0, 0]), np.diag([0.1, 0.2, 0.25])
    bodies = [
        Body(f"joint {i}", "revolute", z, np.eye(3), ahead, 1.0, ahead / 2, inertia) for i in range(1, n + 1)
    ]
    return assemble("straight", bodies, np.eye(3), ahead)


def test_a_tip_that_cannot_move_everywhere_has_digits():
    """Three parallel joints, straight: Lambda^-1 has rows of exact zeros, and no inverse."""
    what = problems.Problem(
        "arm", straight_arm(3), problems.EARTH, np.zeros(3), np.ones(3), np.ones(3), contacts.none()
    )
    right = vars(dense.solve(what))
    right["tip_acceleration"] = right["lambda_inverse"] @ what.tip_vector
    assert not right["lambda_inverse"][0].any()
    found = certify(what, right)
    assert found.ok, found.message
    assert found.digits > 9


@pytest.mark.fast("ssrms")
@pytest.mark.parametrize("name", ["random:32:seed=1", "snake:16", "rods:8:slenderness=0.1", "ssrms"])
def test_one_joint_alone_is_found(name):
    """A thousandth of the acceleration of any one joint, however slow; and it is named."""
    what = problems.load(name)
    right = vars(articulated.solve(what))
    for joint in range(what.chain.n):
        qdd = right["qdd"].copy()
        qdd[joint] *= 1.001
        found = certify(what, {**right, "qdd": qdd})
        assert not found.ok, joint
        assert found.places["qdd_joint_error"] == joint + 1


def test_joints_of_several_degrees_of_freedom_are_named():
    what = problems.load("joints:RSRP:seed=2")
    mass = dense.mass_matrix(what.chain, what.q)
    wrong = mass.copy()
    wrong[3] *= 1.0 + 1e-3  # the last of the three of joint 2
    found = certify(what, {"mass_matrix": wrong})
    assert found.places["mass_matrix_joint_error"] == 2
    assert not found.ok


@pytest.mark.fast("1e+200", "1e-200")
@pytest.mark.parametrize("size", [1e156, 1e200, 1.0, 1e-100, 1e-163, 1e-200])
def test_no_size_is_too_large_or_too_small_to_be_compared(size):
    """The squares of these overflow or underflow in double precision."""
    chain, rest = generators.generate("random:7"), np.zeros(7)
    qdd = size * np.array([1.0, -0.5, 0.25, 1.0, 0.5, -1.0, 0.75])
    what = problems.Problem("arm", chain, np.zeros(3), np.ones(7), rest, rest, contacts.none(), qdd=qdd)
    right = senn.run(what, algorithm="inverse-dynamics", machine="ideal", engine="lockstep").result["tau"]
    found = certify(what, {"tau": right})
    assert found.ok, found.message
    for wrong in (1.001, 3.0, -1.0):
        found = certify(what, {"tau": wrong * right})
        assert found.figures["tau_error"] == pytest.approx(abs(wrong - 1.0), rel=1e-6)
        assert not found.ok


@pytest.mark.parametrize("contact", [contacts.none(), contacts.type_i(np.eye(6)[:, [2]], None, [0.0])])
def test_an_arm_that_hangs_still_is_certified(contact):
    """No torque, nothing moves, and the joints carry the arm. An acceleration of a millionth of g fails."""
    what = problems.Problem(
        "arm", straight_arm(3), [9.81, 0, 0], np.zeros(3), np.zeros(3), np.zeros(3), contact
    )
    right = articulated.solve(what)
    found = certify(what, right)
    assert found.ok, found.message
    assert not certify(what, replace(right, qdd=right.qdd + 1e-5)).ok


def test_memory_of_a_long_arm_is_far_from_the_square_of_its_length():
    what = problems.load("random:1024")
    right = articulated.solve(what)
    tracemalloc.start()
    try:
        certify(what, right)
        assert tracemalloc.get_traced_memory()[1] < 1024**2 * 8
    finally:
        tracemalloc.stop()
