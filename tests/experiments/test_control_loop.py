"""The control loop: the tip follows the linear recursion, offsets and forces known by hand."""

from dataclasses import replace

import numpy as np
import pytest

import senn
from experiments.robot import control_law as law
from experiments.robot.control_loop import Wanted, control
from senn.algorithms import motion
from senn.algorithms.references import articulated

LIMITS = {0.25: law.stability_limit(1.0, 0.25), 0.5: 0.70850, 1.0: 0.42616}
STILL = {"move": 0.0, "rise": 0.0}


def resting():
    """The Space Station arm with its tip on a plane."""
    return senn.problem("ssrms", qd=np.zeros(7), contact="plane")


def along(result):
    """The error of the tip along the way of a step, m."""
    errors = result.tip_error[:, 3:]
    return errors @ errors[0] / np.linalg.norm(errors[0])


@pytest.mark.fast("*-0.5")
@pytest.mark.parametrize("share", LIMITS)
@pytest.mark.parametrize("near", [0.97, 1.03])
def test_tip_follows_the_linear_loop_on_both_sides_of_its_limit(share, near):
    period = 7035 / 20e6 / share
    omega = near * LIMITS[share] / period
    figures = {"sample": period, "bandwidth": omega / (2 * np.pi), "until": 25 * period}
    result = control(resting(), Wanted(move=1e-5, rise=0.0, push=0.0, **figures), judge=0)
    gains = law.Gains(omega, 1.0, 0.0)
    linear = [np.array([1e-5, 0.0, -(omega**2) * 1e-5])]
    for _ in range(25):
        linear.append(law.recursion(gains, period, share * period) @ linear[-1])
    assert along(result) == pytest.approx(np.array(linear)[:, 0], abs=1e-9)
    assert (result.spectral_radius < 1) == (near < 1)


@pytest.mark.exhaustive
def test_push_moves_the_tip_and_its_force_as_the_arm_is():
    """(W'Lambda^-1 W) df = W'Lambda^-1 w without integral, omega^2 e = -Lambda^-1 (w - W df) across W."""
    figures = {"sample": 0.04, "bandwidth": 2.0, "until": 2.4, "press": 20.0}
    result = control(resting(), Wanted(**STILL, integral=0.0, push=50.0, **figures), judge=0)
    start = result.problem
    inverse, W = articulated.lambda_inverse(start.chain, result.q[-1]), start.contact.W
    axes = motion.tip(replace(start, q=result.q[-1])).axes
    push = np.concatenate([np.zeros(3), axes.T @ (50.0 * law.free_way(start))])
    force = np.linalg.solve(W.T @ inverse @ W, W.T @ inverse @ push)
    offset = -(inverse @ (push - W @ force)) / (4 * np.pi) ** 2
    assert np.linalg.norm(offset[3:]) > 1e-3
    assert result.tip_error[-1] == pytest.approx(offset, rel=2e-3, abs=1e-6)
    assert result.force_error[-1] == pytest.approx(force, rel=2e-3)
    assert abs(force[0]) > 1.0
    assert result.force_error[:25] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("integral", "delay", "radius"),
    [(0.0, 0.1, 1.0), (0.25, 0.1, 0.75), (7.0, 0.1, 6.0), (0.0, 1.0, 1.0), (0.25, 1.0, 0.5), (1.0, 1.0, 1.0)],
)
def test_radius_of_the_force_by_hand(integral, delay, radius):
    gains = law.Gains(1.0, 1.0, integral)
    assert law.force_radius(gains, 1.0, delay) == pytest.approx(radius)


def test_each_row_is_a_run_of_the_machine():
    """With torques tau_0; the law makes the next torques of its answers."""
    result = control("ssrms", Wanted(until=0.05), contact="plane")
    gains = law.Gains(2 * np.pi, 1.0, 0.25)
    way, tip = 0.2 * law.free_way(result.problem), motion.tip(result.problem)
    for k in range(5):
        state = law.unpressed(replace(result.problem, q=result.q[k], qd=result.qd[k]), gains)
        run = senn.run(state)
        aim = law.aim(tip, way, 2.0, result.time[k])
        answers = run.result["lambda_inverse"], run.result["acceleration0"]
        tau = law.torque(state, aim, result.commanded[k], gains, *answers)
        assert np.array_equal(tau, result.next_tau[k])
        assert np.array_equal(result.tau[k + 1], tau)
    assert result.ok
    assert result.delay == run.summary["makespan"] / 20e6
