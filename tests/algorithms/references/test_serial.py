"""The serial references against Pinocchio: on real arms, random chains, joints of all types, and trees.

Pinocchio has a model of each type by itself (Spherical, Planar, FreeFlyer, HZ, Universal, composites of RZ
and PZ or a second axis); `tests/algorithms/robots/oracle.py` says how its q and velocities are ours.
"""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contact_force, contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators, newton_euler
from senn.base.errors import InputError
from tests.algorithms.references import test_tree
from tests.algorithms.robots.oracle import ARMS, arm, oracle, relative
from tests.algorithms.rounded_inputs import answers, limit_of_section_v, limits
from tests.oracles import constraint_force, dense

pytestmark = pytest.mark.rounding

GRAVITY = np.array([1.3, -2.1, -9.1])  # not along an axis, so that a wrong frame shows
LENGTHS = (1, 2, 3, 5, 6, 7, 8, 13, 32)
SOLVERS = {"dense": dense, "articulated": articulated, "constraint_force": constraint_force}


def case(name):
    if name in ARMS:
        chain, model = arm(name)
        seed = 1
    else:
        seed = int(name)
        chain = generators.generate(f"random:{seed}:prismatic=0.3:seed={seed}")
        model = oracle(chain)
    model.set_gravity(GRAVITY)
    return problems.draw(chain, seed, {"gravity": GRAVITY}), model


WORDS = (
    *("RSRPRRU", "RSPRRU", "SSSSSSSS", "FRRRRRR", "RRCRESRRPSRURRFRR", "RFRRXRSRR", "XHCEUS", "EEE"),
    *("RRRRRRRF", "CHUCHUX"),
    *"PHCUESF",
)
FAST_WORDS = ("RSRPRRU", "CHUCHUX", "XHCEUS", "FRRRRRR", "SSSSSSSS")


def of_word(word):
    chain = generators.generate(f"joints:{word}:seed={len(word)}")
    model = oracle(chain)
    model.set_gravity(GRAVITY)
    return problems.draw(chain, 3, {"gravity": GRAVITY}), model


CASES = [*ARMS, *map(str, LENGTHS)]
JOINTS = WORDS
ARMS_AND_JOINTS = dict.fromkeys(CASES, case) | dict.fromkeys(JOINTS, of_word)
FAST = ("ur5", "panda", "so101", "1", "5", "8", "32", *FAST_WORDS)


@pytest.mark.fast(*FAST)
@pytest.mark.parametrize("name", ARMS_AND_JOINTS)
def test_mass_matrix_bias_jacobian_and_jdot_qd_are_pinocchios(name):
    given, model = ARMS_AND_JOINTS[name](name)
    chain, q, qd = given.chain, given.q, given.qd
    assert relative(dense.mass_matrix(chain, q), model.mass_matrix(q)) < 1e-14
    assert relative(dense.bias(chain, q, qd, GRAVITY), model.bias(q, qd)) < 2e-14
    assert relative(dense.jacobian(chain, q), model.jacobian(q)) < 1e-14
    expected = model.acceleration(q, qd, np.zeros(chain.degrees))
    assert np.abs(dense.jdot_qd(chain, q, qd) - expected).max() < 2e-14 * max(1.0, np.abs(expected).max())


@pytest.mark.fast(*FAST, *test_tree.CASES)
@pytest.mark.parametrize("name", [*ARMS_AND_JOINTS, *test_tree.CASES])
def test_newton_euler_is_pinocchios_rnea_with_the_contact_force_by_the_end_effector(name):
    """With any accelerations; arms, joints of all types, and trees."""
    given, model = (ARMS_AND_JOINTS.get(name) or test_tree.case)(name)
    chain, q, qd = given.chain, given.q, given.qd
    rng = np.random.default_rng(5)
    qdd, force = rng.standard_normal(chain.degrees), rng.standard_normal(6)
    expected = model.inverse_dynamics(q, qd, qdd) + model.jacobian(q).T @ force
    assert relative(newton_euler.dynamics(chain, q, qd, qdd, GRAVITY, force).torque, expected) < 2e-14
    velocity, acceleration = newton_euler.end_effector(chain, q, qd, qdd)
    assert relative(velocity, model.velocity(q, qd)) < 1e-14
    assert relative(acceleration, model.acceleration(q, qd, qdd)) < 2e-14
    if name not in ARMS and "welded" not in chain.all_joints:  # the joints' frames are Pinocchio's
        found = newton_euler.dynamics(chain, q, qd, qdd, GRAVITY, force).wrenches
        expected = model.interbody_forces(q, qd, qdd, force)[: chain.n]
        assert max(map(relative, found, expected)) < 1e-12


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", [*ARMS_AND_JOINTS, *test_tree.CASES])
def test_open_and_closed_chain_are_pinocchios(name, solver):
    """qdd_0 by ABA, Vdot_0 from it, Lambda^-1 from M and J, the contact by Pinocchio's solver; each as near
    as one more rounding of the problem lets two answers be. Articulated bodies alone take trees."""
    given, model = (ARMS_AND_JOINTS.get(name) or test_tree.case)(name)
    if given.chain.branches and solver != "articulated":
        with pytest.raises(InputError, match="has side branches, which this solver does not take; use artic"):
            SOLVERS[solver].solve(given)
        return
    found, allowed = SOLVERS[solver].solve(given), limits(given, model, solver)
    for answer, expected in answers(given, model).items():
        assert np.abs(getattr(found, answer) - expected).max() < allowed[answer], answer
    load = newton_euler.dynamics(given.chain, given.q, given.qd, found.qdd, GRAVITY, found.force).wrenches
    assert relative(found.forces, load) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_prescribed_acceleration_and_free_force_are_obeyed(solver):
    """With G_C and K_F given, W'Vdot = G_C and H'F = K_F, measured by Pinocchio."""
    given, model = case("13")
    rng = np.random.default_rng(2)
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    contact = contacts.type_i(basis[:, :4], basis[:, 4:], rng.standard_normal(4), rng.standard_normal(2))
    found = SOLVERS[solver].solve(replace(given, contact_input=contact))
    acceleration = model.acceleration(given.q, given.qd, found.qdd)
    np.testing.assert_allclose(contact.W.T @ acceleration, contact.G_C, atol=1e-11)
    np.testing.assert_allclose(contact.H.T @ found.force, contact.K_F, atol=1e-12)
    expected = model.inverse_dynamics(given.q, given.qd, found.qdd) + model.jacobian(given.q).T @ found.force
    assert relative(expected, given.tau) < 1e-11


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_contact_is_the_open_chain(solver):
    given, _ = case("5")
    found = SOLVERS[solver].solve(replace(given, contact_input=contacts.none()))
    np.testing.assert_array_equal(found.force, np.zeros(6))
    np.testing.assert_allclose(found.qdd, found.qdd0, atol=1e-15)


@pytest.mark.parametrize("solver", SOLVERS)
def test_gravity_leaves_no_trace_in_the_tip_acceleration(solver):
    """An arm that its torque holds still has Vdot_0 = 0, whatever the gravity."""
    chain = generators.generate("random:8:seed=4")
    q, still = np.linspace(-1, 1, 8), np.zeros(8)
    model = oracle(chain)
    model.set_gravity(GRAVITY)
    given = problems.Problem("arm", chain, GRAVITY, q, still, model.bias(q, still), contacts.none())
    assert np.abs(SOLVERS[solver].solve(given).acceleration0).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("rods:8:slenderness=0.1", 1e-11),
        ("rods:8:slenderness=0.01", 1e-9),
        ("rods:64:slenderness=0.001", 1e-4),
    ],
)
def test_slender_rods_cost_section_v_digits_and_articulated_bodies_none(name, tolerance):
    """The loss grows with the inverse of the axial inertia; Newton-Euler's residual is the judge."""
    given = problems.load(name)

    def error(found):
        load = newton_euler.dynamics(
            given.chain, given.q, given.qd, found.qdd, given.gravity, found.force
        ).torque
        return relative(load, given.tau)

    assert error(articulated.solve(given)) < 1e-12
    assert error(constraint_force.solve(given)) < tolerance


def test_a_thousand_joints():
    """n = 1024: articulated bodies and Section V agree, and both satisfy Newton-Euler."""
    given = problems.load("random:1024:prismatic=0.2")
    first, second = articulated.solve(given), constraint_force.solve(given)
    assert np.linalg.norm(first.qdd - second.qdd) < 1e-7 * np.linalg.norm(first.qdd0)
    assert relative(second.force, first.force) < 1e-11
    assert relative(second.lambda_inverse, first.lambda_inverse) < 1e-12
    load = newton_euler.dynamics(given.chain, given.q, given.qd, first.qdd, given.gravity, first.force).torque
    assert relative(load, given.tau) < 1e-11


def test_many_lost_digits_are_said():
    assert contact_force.warning(1e-7) is None
    assert contact_force.warning(2e-9) == (
        "contact is nearly singular: about 9 of 16 digits of the contact force are lost (pivot ratio 2.0e-09)"
    )


def test_pivot_ratio_by_hand():
    """Pivots of [[4, 2], [2, 2]] are 4 and 1; against the diagonal (8, 10) of D the smaller ratio is 0.1."""
    left = np.zeros((6, 6))
    left[:2, :2] = [[4, 2], [2, 2]]
    contact = contacts.type_i(np.eye(6)[:, :2])
    assert contact_force.pivot_ratio(contact, left, np.diag([8.0, 10, 1, 1, 1, 1])) == 0.1
    assert contact_force.pivot_ratio(contacts.none(), left, np.eye(6)) == 1.0


def test_check_regular_counts_the_digits():
    with pytest.raises(InputError, match=r"13 of 16 digits are lost, pivot ratio 1.0e-13"):
        contact_force.check_regular(1e-13)
    with pytest.raises(InputError, match="all 16 digits are lost"):
        contact_force.check_regular(-1e-15)
    contact_force.check_regular(1e-11)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_free_base_moves_with_its_arm_as_one_when_nothing_drives_it(solver):
    """By hand: without torque or velocity all of a free chain falls with gravity, and no joint moves."""
    chain = generators.generate("joints:FRSR:seed=2")
    q = np.r_[1.0, np.zeros(6), 0.4, 1.0, 0.0, 0.0, 0.0, -0.7]
    still = np.zeros(chain.degrees)
    given = problems.Problem("arm", chain, GRAVITY, q, still, still, contacts.none())
    found = SOLVERS[solver].solve(given)
    expected = np.r_[np.zeros(3), GRAVITY, np.zeros(chain.degrees - 6)]
    assert np.abs(found.qdd - expected).max() < limit_of_section_v(given, "qdd")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cardan_joint_is_pinocchios_universal_joint(solver):
    """Axes at right angles, where Pinocchio has a joint of its own and no composite."""
    chain = generators.generate("joints:RUUR:seed=3")
    chain = replace(chain, parameters=[0.0, np.pi / 2, np.pi / 2, 0.0])
    given, model = problems.draw(chain, 2, {"gravity": GRAVITY}), oracle(chain)
    model.set_gravity(GRAVITY)
    assert [joint.shortname() for joint in model.model.joints].count("JointModelUniversal") == 2
    expected = model.forward_dynamics(given.q, given.qd, given.tau)
    assert relative(SOLVERS[solver].solve(given).qdd0, expected) < 1e-12


def test_a_long_arm_of_mixed_joints_satisfies_newton_euler():
    """320 joints of 420 degrees: articulated bodies and Section V agree, and the torque comes back."""
    given = problems.load(f"joints:{'RSRPCRURXERRHRRR' * 20}:seed=1")
    assert (given.chain.n, given.chain.degrees) == (320, 420)
    first, second = articulated.solve(given), constraint_force.solve(given)
    assert np.abs(first.qdd - second.qdd).max() < limit_of_section_v(given, "qdd")
    assert relative(second.lambda_inverse, first.lambda_inverse) < 1e-12
    state = (given.chain, given.q, given.qd)
    load = newton_euler.dynamics(*state, first.qdd, given.gravity, first.force).torque
    assert relative(load, given.tau) < 1e-11
