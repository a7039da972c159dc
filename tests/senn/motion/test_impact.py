"""The impact that a motion in contact begins with: velocity, energy and refusal, beside other projections.

The oracle: v+ = v- - M^-1 J'(J M^-1 J')^-1 J v- with M and J of links' Jacobians, and Pinocchio's impulses.
"""

import numpy as np
import pytest

import senn
from senn.algorithms import motion, problems
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import arm as arm_and_model
from tests.oracles import dense

CASES = (
    ("ur5_free", "weld"),
    ("ur5_free", "point"),
    ("ur5_free", "line"),
    ("ur5_free", "face"),
    ("ssrms", "plane"),
    ("random:9:seed=5", "weld"),
    ("joints:FRSPRRU:seed=3", "point"),
    ("random:17:prismatic=0.5:seed=2", "plane"),
)
SHORT = {"until": 0.01, "judge": 0, "impact": True}


def projected(problem):
    """The velocity after the impact, and the kinetic energies before and after."""
    chain, v = problem.chain, problem.qd
    M, J = dense.mass_matrix(chain, problem.q), problem.contact.W.T @ dense.jacobian(chain, problem.q)
    K = np.linalg.solve(M, J.T)
    after = v - K @ np.linalg.solve(J @ K, J @ v)
    assert np.abs(J @ after).max() < 1e-12
    return after, v @ M @ v / 2, after @ M @ after / 2


@pytest.mark.parametrize(("name", "word"), CASES)
def test_the_first_row_is_after_the_impact_that_a_dense_projection_gives(name, word):
    arm = motion.frozen(senn.problem(name, contact=word))
    arm = arm.at(qd=np.cos(np.arange(arm.chain.degrees)))
    moved = senn.simulate(arm, **SHORT)
    after, before_J, after_J = projected(arm)
    hit = moved.summary["impact"]
    assert np.array_equal(hit["before"], arm.qd)
    assert np.array_equal(hit["after"], moved.qd[0])
    assert np.abs(moved.qd[0] - after).max() < 1e-9
    assert hit["kinetic"] == pytest.approx([before_J, after_J], rel=1e-9, abs=1e-20)
    assert hit["energy_lost"] == pytest.approx(before_J - after_J, rel=1e-8)
    assert hit["energy_lost"] > 0
    change = arm.qd - after
    assert hit["energy_lost"] == pytest.approx(change @ dense.mass_matrix(arm.chain, arm.q) @ change / 2)
    assert f"{hit['kinetic'][1]:.6g} J after" in dict(moved.facts())["impact"]
    with pytest.raises(InputError, match="the contact forbids the velocity at the start: an impact changes"):
        senn.simulate(arm, until=0.01, judge=0)


@pytest.mark.parametrize("name", ["panda", "xarm7", "talos_left_arm"])
def test_an_impact_of_a_welded_tip_is_pinocchios(name):
    pin = pytest.importorskip("pinocchio")
    chain, oracle = arm_and_model(name)
    drawn = problems.draw(chain, 4)
    moved = senn.simulate(drawn, **SHORT)
    jacobian = oracle.jacobian(drawn.q)
    after = pin.impulseDynamics(oracle.model, oracle.model.createData(), drawn.q, drawn.qd, jacobian)
    assert np.abs(moved.qd[0] - after).max() < 1e-9 * np.abs(drawn.qd).max()
    assert np.abs(after).max() > 1e-3


def test_without_a_forbidden_velocity_there_is_no_impact():
    """At rest, after an impact, free, not projected, and where the contact moves as the tip does."""
    arm = senn.problem("ur5_free", contact="point")
    quiet = {"until": 0.01, "judge": 0}
    resting = senn.simulate(arm.at(qd=np.zeros(6)), **quiet)
    after = senn.simulate(arm.at(qd=senn.simulate(arm, **SHORT).qd[0]), **quiet)
    W = np.eye(6)[:, 3:]
    moving = senn.problem("ur5_free", contact={"kind": "I", "W": W, "G_C": [0, 0, 0.7], "fixed_in": "world"})
    still = (resting, after, senn.simulate("ur5_free", **quiet), senn.simulate(arm, project=False, **quiet))
    for moved in (*still, senn.simulate(moving, **quiet)):
        assert moved.summary["impact"] is None
        assert "impact" not in dict(moved.facts())
    prescribed = senn.simulate(moving, **quiet)
    assert np.array_equal(prescribed.qd[0], moving.qd)
    assert prescribed.summary["drift_velocity"] < 1e-12


def test_digits_lost_in_a_file_are_a_small_impact_that_is_recorded():
    """A velocity given to six digits: no refusal, and what changes is printed."""
    moved = senn.simulate("ssrms", until=0.01, judge=0)
    assert 0 < moved.summary["impact"]["share"] < 1e-4
    change = np.abs(moved.qd[0] - senn.problem("ssrms").qd).max()
    assert f"qd changes by at most {change:.2g} rad/s" in dict(moved.facts())["impact"]


def test_a_light_last_link_is_not_lost_in_the_energy_of_a_heavy_arm():
    """Its velocity changes by 5 % of the largest one, the kinetic energy by less than 0.01 %."""
    arm = senn.problem("ssrms", contact="weld").at(qd=np.cos(np.arange(7)))
    sound = arm.at(qd=projected(arm)[0])
    odd = sound.at(qd=sound.qd + np.array([0, 0, 0, 0, 0, 0, 0.05]) * np.abs(sound.qd).max())
    _, before_J, after_J = projected(odd)
    assert 0 < 1 - after_J / before_J < 1e-4
    with pytest.raises(InputError, match="an impact changes qd of"):
        senn.simulate(odd, until=0.01, judge=0)
    senn.simulate(sound, until=0.01, judge=0)
