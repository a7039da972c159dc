"""The serial references on arms with joints of several degrees of freedom, against Pinocchio's own joints.

The arms are those of the words below; Pinocchio has a model of each type by itself (Spherical, Planar,
FreeFlyer, HZ, Universal, composites of RZ and PZ or a second axis), `tests/algorithms/robots/oracle.py` says
how its q and velocities are ours. Another check, by finite differences, knows neither.
"""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators, newton_euler
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
