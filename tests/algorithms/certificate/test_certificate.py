"""The certificate: what passes, what fails and with which words, and the cases without a scale."""

import json
import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import senn
from benchmarks.mutation import cases
from senn.algorithms import problems
from senn.algorithms.answers import figures
from senn.algorithms.certificate import certify as certificate
from senn.algorithms.problems import contacts
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.robots import generators
from senn.algorithms.robots.bodies import Body, assemble
from senn.traces.errors import InputError
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
    for solver in (dense, constraint_force):
        found = certificate.certify(given, solver.solve(given))
        assert found.ok, found.message
        assert found.message.startswith("agrees with articulated bodies: error ")


@pytest.fixture
def given():
    return problems.load("random:12:seed=4")


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
    found = certificate.certify(given, wrong)
    model = oracle(given.chain)
    model.set_gravity(given.gravity)
    M, J = model.mass_matrix(given.q), model.jacobian(given.q)
    qdd0 = model.forward_dynamics(given.q, given.qd, given.tau)
    qdd, force = model.welded(given.q, given.qd, given.tau)
    scale = max(np.linalg.norm(qdd), np.linalg.norm(qdd0))
    assert found.figures["qdd_error"] == pytest.approx(np.linalg.norm(off_qdd) / scale, rel=1e-6)
    assert found.figures["contact_force_error"] == pytest.approx(
        np.linalg.norm(off_force) / np.linalg.norm(force), rel=1e-6
    )
    assert found.figures["lambda_inverse_error"] == pytest.approx(1e-3, rel=1e-6)
    carried = model.interbody_forces(given.q, given.qd, qdd, force)
    held = model.interbody_forces(given.q, given.qd, np.zeros(12), np.zeros(6))
    largest = max(np.linalg.norm(carried), np.linalg.norm(held))
    assert found.figures["forces_error"] == pytest.approx(0.5 * np.sqrt(72) / largest, rel=1e-6)
    drive = np.abs(given.tau - model.bias(given.q, given.qd)).max()
    assert found.figures["residual"] == pytest.approx(
        np.abs(M @ off_qdd + J.T @ off_force).max() / drive, rel=1e-6
    )
    start = np.abs(model.acceleration(given.q, given.qd, qdd0)).max()
    assert found.figures["contact_residual"] == pytest.approx(np.abs(J @ off_qdd).max() / start, rel=1e-6)
    each = np.maximum(np.abs(qdd), np.abs(qdd0))
    usual = scale / np.sqrt(12)
    joint = found.places["qdd_joint_error"] - 1
    assert found.figures["qdd_joint_error"] == pytest.approx(1e-3 / max(each[joint], usual), rel=1e-6)
    assert found.error == max(
        found.figures["qdd_error"],
        found.figures["contact_force_error"],
        found.figures["lambda_inverse_error"],
        found.figures["forces_error"],
    )
    assert found.worst_residual == max(found.figures["residual"], found.figures["contact_residual"])


def test_tolerances_are_a_hundred_times_what_rounding_does(given):
    """By numbers perturbed here: the angles of the joints and the torques, in other ways and more often."""
    found = certificate.certify(given, articulated.solve(given))
    assert (found.kappa, found.rho) == pytest.approx(constraint_force.condition(given))
    rng, right = np.random.default_rng(1), articulated.solve(given)
    spread = []
    for _ in range(20):
        q, tau = (x * (1 + found.eps * rng.uniform(-1, 1, 12)) for x in (given.q, given.tau))
        other = certificate.certify(given, constraint_force.solve(replace(given, q=q, tau=tau)))
        spread.append(other.figures)
    assert found.eps == 2.0**-52
    for name, tolerance in found.tolerances.items():
        typical = np.median([one[name] for one in spread])
        assert 10 * typical < tolerance < 5000 * max(typical, found.eps), name
    assert np.isfinite(right.qdd).all()


def test_the_largest_part_of_a_tolerance_decides(given):
    found = certificate.certify(given, constraint_force.solve(given))
    parts = {name: value / found.tolerances[name] for name, value in found.figures.items()}
    most = max(parts, key=parts.get)
    assert (found.used, found.tolerance) == (parts[most], found.tolerances[most])
    assert replace(found, tolerances={**found.tolerances, most: found.figures[most]}).ok
    assert not replace(found, tolerances={**found.tolerances, most: 0.99 * found.figures[most]}).ok


FIGURE = {
    "qdd": "qdd_error",
    "force": "contact_force_error",
    "lambda_inverse": "lambda_inverse_error",
    "forces": "forces_error",
}


@pytest.mark.parametrize("field", FIGURE)
def test_message_of_lost_accuracy_names_the_worst_check_and_the_way_out(given, field):
    right = articulated.solve(given)
    tolerances = certificate.certify(given, right).tolerances
    tolerance = tolerances[FIGURE[field]]
    wrong = replace(right, **{field: getattr(right, field) * (1 + 20 * tolerance)})
    found = certificate.certify(given, wrong)
    assert not found.ok
    for name in tolerances.keys() - found.places.keys():
        assert found.tolerances[name] == tolerances[name]  # they do not depend on the answer
    assert found.verdicts[FIGURE[field]] == "outside"
    outside = [name for name, answer in found.verdicts.items() if answer == "outside"]
    assert found.message.startswith(
        f"certificate failed: {len(outside)} of {len(found.figures)} checks above "
    )
    worst = max(outside, key=lambda name: found.figures[name] / found.tolerances[name])
    ratio = f"{found.figures[worst]:.1e} of {found.tolerances[worst]:.1e}"
    assert re.search(
        rf"worst: {re.escape(figures()[worst].phrase)}( \d+)?, {re.escape(ratio)}", found.message
    )
    assert ". The parallel program lost accuracy that a stable serial solver keeps. " in found.message
    assert found.message.endswith(". Try --elimination oer or --form short")
    nearly = replace(right, **{field: getattr(right, field) * (1 + 0.01 * tolerances[FIGURE[field]])})
    assert certificate.certify(given, nearly).ok


@pytest.mark.fast("rods:256*")
@pytest.mark.parametrize("name", ["snake:1024", "rods:256:slenderness=0.001", "random:1024:seed=2"])
def test_long_and_slender_arms_are_judged_by_what_they_lose(name):
    """Where the formulation loses digits the tolerance is wider, for what loses them and not for the rest."""
    given = problems.load(name)
    found = certificate.certify(given, constraint_force.solve(given))
    assert found.ok
    assert found.tolerances["lambda_inverse_error"] < found.tolerances["residual"] / 100
    assert certificate.certify(given, articulated.solve(given)).ok


def test_recurrences_have_tolerances_of_their_own():
    """(86) multiplies the error of qdd_0 by the length of the arm, and the force of form paper has it."""
    given = problems.load("random:256")
    printed = constraint_force.solve(given, recurrences=True)
    found = certificate.certify(given, printed, recurrences=True)
    assert found.ok, found.message
    local = certificate.certify(given, printed)
    assert not local.ok
    assert "error of the contact force" in local.message
    assert found.tolerances["contact_force_error"] > 100 * local.tolerances["contact_force_error"]


def test_an_error_as_large_as_the_answer_fails_whatever_the_conditioning():
    given = scaled(1e-13)
    found = certificate.certify(given, articulated.solve(given))
    assert found.tolerances["qdd_error"] == 1.0
    right = articulated.solve(given)
    wrong = certificate.certify(given, replace(right, qdd=-2 * right.qdd), ())
    assert not wrong.ok
    assert ". Such a program keeps no digit here in double precision. " in wrong.message
    assert wrong.message.endswith(
        "Nothing is left to try in double precision: make neighbouring links more alike"
    )


@pytest.mark.rounding
def test_single_precision_has_the_tolerance_of_its_own_rounding():
    """A solution rounded to 32 bits passes as one of 32 bits, and not as one of 64. Of an arm whose every
    joint keeps more than a digit then."""
    given = problems.load("random:12:seed=1")
    right = vars(articulated.solve(given))
    narrow = {name: value.astype(np.float32) for name, value in right.items()}
    found = certificate.certify(given, narrow)
    assert found.ok, found.message
    assert found.eps == 2.0**-23
    wide = certificate.certify(given, right).tolerances
    whole = wide.keys() - found.places.keys()
    ratios = [found.tolerances[name] / wide[name] for name in whole if found.tolerances[name] < 1.0]
    # eps is 2^29 times as large, and answers move in proportion.
    assert min(ratios) > 2.0**28
    assert max(ratios) < 2.0**30
    assert not certificate.certify(given, {name: x.astype(float) for name, x in narrow.items()}).ok


@pytest.mark.rounding
def test_a_joint_that_hardly_feels_rounding_is_given_a_part_of_what_others_do(tmp_path):
    """Joint 2 of a tree of ten in form paper: rounding moves it by a tenth of what it moves the others, and
    elimination rounds alike everywhere. A hundredth of a millionth is seen there all the same."""
    (tree,) = (case.spec for case in cases.written(tmp_path) if case.name == "tree")
    what = problems.load(tree)
    run = senn.run(what, engine="lockstep", machine="ideal", detail="summary", values=False)
    assert run.certificate["ok"], run.certificate["message"]
    assert run.certificate["qdd_joint_error"] < 0.4 * run.certificate["tolerances"]["qdd_joint_error"]
    qdd = run.result["qdd"].copy()
    qdd[1] *= 1.0 + 1e-8
    found = certificate.certify(what, {**run.result, "qdd": qdd}, recurrences=True)
    assert found.verdicts["qdd_joint_error"] == "outside"
    assert found.places["qdd_joint_error"] == 2


def test_nan_fails(given):
    right = articulated.solve(given)
    found = certificate.certify(given, replace(right, qdd=right.qdd * np.nan))
    assert not found.ok
    assert "error of qdd, nan of " in found.message


def test_plain_values_for_files(given):
    found = certificate.certify(given, articulated.solve(given))
    values = json.loads(json.dumps(found.as_dict()))
    assert values["ok"] is True
    assert values["message"] == found.message
    assert values["notes"] == []
    assert set(values) == {
        *(
            "qdd_error",
            "acceleration0_error",
            "contact_force_error",
            "lambda_inverse_error",
            "residual",
            "contact_residual",
        ),
        *("kappa", "rho", "tolerance", "notes", "way_out", "error", "worst_residual", "ok", "message"),
        *("forces_error", "eps", "tolerances", "used", "against", "verdicts", "places", "besides"),
        *("qdd_joint_error", "forces_joint_error", "references_error", "reason"),
    }


def test_no_contact_has_no_force_to_scale_with(given):
    free = replace(given, contact_input=contacts.none())
    right = articulated.solve(free)
    found = certificate.certify(free, right)
    assert (found.ok, found.rho) == (True, 1.0)
    assert found.figures["contact_force_error"] == found.figures["contact_residual"] == 0.0
    pushed = certificate.certify(free, replace(right, force=np.array([0, 0, 0, 0, 0, 0.5])))
    assert pushed.figures["contact_force_error"] == 1.0  # where there should be nothing, it is all wrong
    assert not pushed.ok


@pytest.mark.parametrize("contact", [contacts.none(), contacts.welded()], ids=["open", "welded"])
def test_nothing_happens_is_certified(contact):
    """At rest, without gravity or torque, everything is zero."""
    chain, zero = generators.generate("random:9"), np.zeros(9)
    given = problems.resolved(chain, np.zeros(3), np.ones(9), zero, zero, contact)
    found = certificate.certify(given, constraint_force.solve(given))
    assert (
        found.ok,
        found.figures["qdd_error"],
        found.figures["contact_force_error"],
        found.figures["residual"],
    ) == (True, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("contact", [contacts.none(), contacts.welded()], ids=["open", "welded"])
@pytest.mark.parametrize("n", [7, 40])
def test_torques_that_just_carry_the_arm_are_certified(contact, n):
    """tau = b by Pinocchio: what is left is rounding, which no solver gets right; a wrong answer fails."""
    chain = generators.generate(f"random:{n}:seed=6")
    q, _, _ = mild_state(chain, 1, problems.EARTH)
    model = oracle(chain)
    model.set_gravity(np.array(problems.EARTH))
    given = problems.resolved(chain, problems.EARTH, q, np.zeros(n), model.bias(q, np.zeros(n)), contact)
    right = constraint_force.solve(given)
    found = certificate.certify(given, right)
    assert found.ok, found.message
    wrong = certificate.certify(given, replace(right, qdd=right.qdd + 1e-3))
    assert not wrong.ok


def test_a_nearly_singular_contact_is_noted_and_a_singular_one_refused():
    chain, zero = generators.generate("snake:7"), np.zeros(7)
    bend = np.array([1.0, -0.7, 0.9, 1.1, -0.8, 0.6, 1.0])
    near = problems.resolved(chain, problems.EARTH, 1e-4 * bend, zero, zero, contacts.welded())
    found = certificate.certify(near, dense.solve(near))
    assert found.notes[0].startswith("contact is nearly singular: about ")
    straight = problems.resolved(chain, problems.EARTH, zero, zero, zero, contacts.welded())
    with pytest.raises(InputError, match="contact is singular"):
        certificate.certify(straight, articulated.solve(near))


def scaled(factor):
    """A random arm whose fourth link has its mass and inertia multiplied by `factor`."""
    chain = generators.generate("random:8")
    part = np.where(np.arange(8) == 3, factor, 1.0)
    return problems.draw(replace(chain, mass=chain.mass * part, inertia=chain.inertia * part[:, None, None]))


def test_a_tolerance_that_vouches_for_no_digit_says_nothing():
    given = scaled(1e-12)
    found = certificate.certify(given, constraint_force.solve(given))
    assert set(found.verdicts.values()) == {"within", "says nothing"}
    for name, verdict in found.verdicts.items():
        assert (verdict == "within") == (found.tolerances[name] < 0.1), name
    assert not found.ok
    assert found.message.startswith("certificate failed: 7 of 10 checks say nothing, worst: error of qdd ")


def test_a_tolerance_stops_short_of_saying_nothing():
    """A hundred units are more than 0.1 here, and twenty are not: what is stable is within the tenth that is
    left, and an answer that is off by more is not."""
    given = scaled(5e-12)
    right = constraint_force.solve(given)
    found = certificate.certify(given, right)
    assert found.ok
    assert 0.09 < found.tolerances["qdd_error"] < 0.1
    wrong = certificate.certify(given, replace(right, qdd=1.2 * right.qdd))
    assert wrong.verdicts["qdd_error"] == "outside"


def test_a_link_too_small_for_double_precision_is_refused_by_number():
    with pytest.raises(
        InputError, match=r"link [345]: its mass and inertia .* fix a tiny link to its neighbour"
    ):
        constraint_force.solve(scaled(1e-17))


def test_what_is_not_answered_is_not_compared():
    what = problems.load("ur5")
    solution = vars(articulated.solve(what))
    found = certificate.certify(what, {"qdd": solution["qdd"]})
    assert set(found.figures) == {"qdd_error", "qdd_joint_error", "residual", "references_error"}
    assert found.ok
    off = certificate.certify(what, {"qdd": solution["qdd"] * (1 + 1e-3)})
    assert not off.ok
    assert off.figures["qdd_error"] > off.tolerance


def test_other_questions_have_references_of_their_own():
    """M by composite bodies, of Pinocchio; what is compared with it here is made of the links' Jacobians."""
    chain, pinocchio = arm("ur5")
    what = problems.draw(chain, 3)
    pinocchio.set_gravity(what.gravity)
    mass = pinocchio.mass_matrix(what.q)
    given = {
        "tau": pinocchio.inverse_dynamics(what.q, what.qd, what.qdd),
        "mass_matrix": mass,
        "inverse_mass_matrix": np.linalg.inv(mass),
    }
    found = certificate.certify(what, given)
    assert found.against == "Newton-Euler, the Jacobians of the links, articulated bodies"
    alone = certificate.certify(what, {"tau": given["tau"]})
    assert alone.message.startswith("agrees with Newton-Euler: error ")
    assert set(found.figures) == {
        *("tau_error", "mass_matrix_error", "inverse_mass_matrix_error", "references_error"),
        *("tau_joint_error", "mass_matrix_joint_error", "inverse_mass_matrix_joint_error"),
    }
    assert found.ok
    assert 0.0 < found.error < 1e-11
    for name, value in given.items():
        wrong = certificate.certify(what, {**given, name: value * (1 + 1e-4)})
        assert wrong.as_dict()[f"{name}_error"] == pytest.approx(1e-4, rel=1e-2)
        assert not wrong.ok
        assert figures()[f"{name}_error"].phrase in wrong.message
    assert what.tau == pytest.approx(given["tau"], rel=1e-12)  # the torque of a drawn problem is that of qdd


def test_a_tip_that_cannot_move_everywhere_widens_no_tolerance():
    """Three parallel joints, straight: Lambda^-1 has rows of exact zeros, and no inverse."""
    flat = straight_arm(3)
    what = problems.resolved(flat, problems.EARTH, np.zeros(3), np.ones(3), np.ones(3), contacts.none())
    right = vars(dense.solve(what))
    right["tip_acceleration"] = right["lambda_inverse"] @ what.tip_vector
    assert not right["lambda_inverse"][0].any()
    found = certificate.certify(what, right)
    assert found.ok, found.message
    assert max(found.tolerances.values()) < 1e-9


def straight_arm(n):
    """Links of 1 m along x, which turn about z."""
    z, ahead, inertia = np.array([0, 0, 1.0]), np.array([1.0, 0, 0]), np.diag([0.1, 0.2, 0.25])
    bodies = [
        Body(f"joint {i}", "revolute", z, np.eye(3), ahead, 1.0, ahead / 2, inertia) for i in range(1, n + 1)
    ]
    return assemble("straight", bodies, np.eye(3), ahead)


@pytest.mark.parametrize(
    ("name", "figure"), [("qdd0", "qdd_error"), ("acceleration0", "acceleration0_error")]
)
def test_what_the_open_chain_would_do_is_compared_too(given, name, figure):
    """Also where the contact keeps it from doing so: qdd_0 and Vdot_0 are answers like others."""
    right = vars(articulated.solve(given))
    assert certificate.certify(given, right).ok
    wrong = certificate.certify(given, {**right, name: right[name] * 1.001})
    assert not wrong.ok
    assert figures()[figure].phrase in wrong.message
    scale = max(np.linalg.norm(right["qdd"]), np.linalg.norm(right["qdd0"]))
    expected = 1e-3 * np.linalg.norm(right[name]) / (scale if name == "qdd0" else np.linalg.norm(right[name]))
    assert wrong.figures[figure] == pytest.approx(expected, rel=1e-6)


def test_joint_wrenches_may_be_off_by_what_sums_over_all_links_round() -> None:
    what = problems.load("snake:1024")
    tolerances = certificate.certify(what, constraint_force.solve(what)).tolerances
    assert tolerances["forces_joint_error"] == pytest.approx(100 * 2**-52 * 32, abs=0.0)


def test_memory_of_a_long_arm_is_far_from_the_square_of_its_length() -> None:
    what = problems.load("random:2048")
    right = articulated.solve(what)
    tracemalloc.start()
    try:
        assert certificate.certify(what, right, recursive=True).ok
        assert tracemalloc.get_traced_memory()[1] < 2048**2 * 8
    finally:
        tracemalloc.stop()
