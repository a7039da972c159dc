"""The serial references on arms with joints of several degrees of freedom, against Pinocchio's own joints.

The arms are those of the words below; Pinocchio has a model of each type by itself (Spherical, Planar,
FreeFlyer, HZ, Universal, composites of RZ and PZ or a second axis), `tests/algorithms/robots/oracle.py` says
how its q and velocities are ours. Another check, by finite differences, knows neither.
"""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.certificate.certify import certify
from senn.algorithms.problems import contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import chain as chains
from senn.algorithms.robots import generators, newton_euler
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS
from tests.algorithms.robots.oracle import oracle, relative
from tests.algorithms.rounded_inputs import limit_of_section_v
from tests.oracles import constraint_force, dense

pytestmark = pytest.mark.rounding

GRAVITY = np.array([1.3, -2.1, -9.1])
SOLVERS = {"dense": dense, "articulated": articulated, "constraint_force": constraint_force}
WORDS = (
    *("RSRPRRU", "RSPRRU", "SSSSSSSS", "FRRRRRR", "RRCRESRRPSRURRFRR", "RFRRXRSRR", "XHCEUS", "EEE"),
    *("RRRRRRRF", "CHUCHUX"),
    *"PHCUESF",
)
FAST = ("RSRPRRU", "CHUCHUX", "XHCEUS", "FRRRRRR", "SSSSSSSS")


def case(word):
    chain = generators.generate(f"joints:{word}:seed={len(word)}")
    model = oracle(chain)
    model.set_gravity(GRAVITY)
    return problems.draw(chain, 3, GRAVITY), model


def moved(chain: Chain, q: np.ndarray, qd: np.ndarray, t: float) -> np.ndarray:
    """q after a time t of steady qd; a quaternion turns by omega, counted in frame i (its first order)."""
    out = np.empty_like(q)
    for i, name in enumerate(chain.joints, 1):
        own, rate = q[chain.q_shares.of(i)], qd[chain.qd_shares.of(i)]
        if JOINTS[name].quaternion:
            w, v, omega = own[0], own[1:4], rate[:3]
            turned = own[:4] + t / 2 * np.r_[-v @ omega, w * omega + np.cross(omega, v)]
            out[chain.q_shares.of(i)] = np.r_[turned / np.linalg.norm(turned), own[4:] + t * rate[3:]]
        else:
            out[chain.q_shares.of(i)] = own + t * rate
    return out


@pytest.mark.fast(*FAST)
@pytest.mark.parametrize("word", WORDS)
def test_the_tip_accelerates_as_its_jacobian_changes(word):
    """Jdot qd by a central difference of J qd, in end-effector axes: these turn with omega, so that the
    classical acceleration is the rate of [omega; v] plus [0; omega x v]."""
    given, _ = case(word)
    chain, q = given.chain, given.q
    qd = np.random.default_rng(1).standard_normal(chain.degrees)
    step = 1e-5
    ahead, behind = (dense.jacobian(chain, moved(chain, q, qd, t)) @ qd for t in (step, -step))
    velocity = dense.jacobian(chain, q) @ qd
    expected = (ahead - behind) / (2 * step) + np.r_[0, 0, 0, np.cross(velocity[:3], velocity[3:])]
    assert relative(dense.jdot_qd(chain, q, qd), expected) < 1e-7


@pytest.mark.fast(*FAST)
@pytest.mark.parametrize("word", WORDS)
def test_kappa_is_the_condition_number_of_the_blocks_that_are_not_filled_up(word):
    """A from its definition, W'R'I^-1 R W with W of 6 - n_i columns, dense."""
    given, _ = case(word)
    chain, q = given.chain, given.q
    pose = chains.configuration(chain, q)
    R, inverse = np.eye(6 * chain.n), np.zeros((6 * chain.n, 6 * chain.n))
    W = np.zeros((6 * chain.n, 6 * chain.n - chain.degrees))
    at = 0
    for i, name in enumerate(chain.joints):
        joint, rows = JOINTS[name], slice(6 * i, 6 * i + 6)
        C, own = pose.rotation[i], q[chain.q_shares.of(i + 1)]
        arm, mass = C @ pose.centre[i], chain.mass[i]
        cross = np.cross(arm, np.eye(3)).T  # cross @ x = arm x x
        central = C @ chain.inertia[i] @ C.T
        I = np.block([[central - mass * cross @ cross, mass * cross], [-mass * cross, mass * np.eye(3)]])
        inverse[rows, rows] = np.linalg.inv(I)
        W[rows, at : at + 6 - joint.degrees] = joint.complement(own, chain.parameters[i])
        at += 6 - joint.degrees
        if i < chain.n - 1:
            P = C @ pose.position[i]
            over = np.eye(6)
            over[:3, 3:] = np.cross(P, np.eye(3)).T
            R[rows, 6 * i + 6 : 6 * i + 12] = -over @ np.kron(np.eye(2), C)
    A = W.T @ R.T @ inverse @ R @ W
    kappa, _ = constraint_force.condition(given)
    if not A.size:
        assert kappa == 1.0
        return
    scale = 1.0 / np.sqrt(np.diag(A))
    assert 0.2 * np.linalg.cond(scale[:, None] * A * scale) < kappa
    assert kappa <= 1.001 * np.linalg.cond(scale[:, None] * A * scale)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_free_base_moves_with_its_arm_as_one_when_nothing_drives_it(solver):
    """By hand: without torque or velocity all of a free chain falls with gravity, and no joint moves."""
    chain = generators.generate("joints:FRSR:seed=2")
    q = np.r_[1.0, np.zeros(6), 0.4, 1.0, 0.0, 0.0, 0.0, -0.7]
    still = np.zeros(chain.degrees)
    given = problems.resolved(chain, GRAVITY, q, still, still, contacts.none())
    found = SOLVERS[solver].solve(given)
    expected = np.r_[np.zeros(3), GRAVITY, np.zeros(chain.degrees - 6)]
    assert np.abs(found.qdd - expected).max() < limit_of_section_v(given, "qdd")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_helical_joint_of_no_pitch_is_a_revolute_one(solver):
    given = problems.draw(generators.generate("joints:RHHR:seed=4"), 1)
    given = replace(given, chain=replace(given.chain, parameters=np.zeros(4)))
    other = replace(given, chain=replace(given.chain, joints=("revolute",) * 4))
    found, expected = (SOLVERS[solver].solve(one) for one in (given, other))
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=1e-10)
    np.testing.assert_allclose(found.force, expected.force, rtol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cardan_joint_is_pinocchios_universal_joint(solver):
    """Axes at right angles, where Pinocchio has a joint of its own and no composite."""
    chain = generators.generate("joints:RUUR:seed=3")
    chain = replace(chain, parameters=[0.0, np.pi / 2, np.pi / 2, 0.0])
    given, model = problems.draw(chain, 2, GRAVITY), oracle(chain)
    model.set_gravity(GRAVITY)
    assert [joint.shortname() for joint in model.model.joints].count("JointModelUniversal") == 2
    expected = model.forward_dynamics(given.q, given.qd, given.tau)
    assert relative(SOLVERS[solver].solve(given).qdd0, expected) < 1e-12


def test_the_certificate_compares_arms_of_many_degrees():
    """Answers of Section V against articulated bodies; M by Pinocchio, and NumPy's inverse of it."""
    given, model = case("FRSXUR")
    solution = constraint_force.solve(given)
    M = model.mass_matrix(given.q)
    answers = {"qdd": solution.qdd, "force": solution.force, "mass_matrix": M}
    found = certify(given, {**answers, "inverse_mass_matrix": np.linalg.inv(M)})
    assert found.ok
    wrong = certify(given, {**answers, "inverse_mass_matrix": np.linalg.inv(M) * 1.001})
    assert not wrong.ok


def test_a_long_arm_of_mixed_joints_satisfies_newton_euler():
    """320 joints of 420 degrees: articulated bodies and Section V agree, and the torque comes back."""
    given = problems.load(f"joints:{'RSRPCRURXERRHRRR' * 20}:seed=1")
    assert (given.chain.n, given.chain.degrees) == (320, 420)
    first, second = articulated.solve(given), constraint_force.solve(given)
    assert np.abs(first.qdd - second.qdd).max() < limit_of_section_v(given, "qdd")
    assert relative(second.lambda_inverse, first.lambda_inverse) < 1e-12
    state = (given.chain, given.q, given.qd)
    load = newton_euler.inverse_dynamics(*state, first.qdd, given.gravity, first.force)
    assert relative(load, given.tau) < 1e-11
