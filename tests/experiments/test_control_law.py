"""The law of control against the closed chain it drives, and the linear loop against limits known by hand."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.robot import control_law as control
from senn.algorithms import motion, problems
from senn.algorithms.references import articulated
from senn.algorithms.robots import newton_euler

GAINS = control.Gains(omega=3.0, zeta=0.8, integral=0.0)


@pytest.mark.parametrize("zeta", [0.3, 0.5, 1.0, 2.0])
def test_stability_limit_without_delay(zeta):
    """z^2 + (a + b - 2) z + 1 + a - b, a = (omega T)^2/2 and b = 2 zeta omega T: conditions of Jury."""
    assert control.stability_limit(zeta, 0.0) == pytest.approx(min(4 * zeta, 1 / zeta), rel=1e-9)


def test_stability_limit_with_the_delay_of_a_period():
    """z^3 - 2 z^2 + (1 + a + b) z + a - b at zeta = 1: the least root of s^3 - 8 s^2 + 22 s - 8."""
    roots = np.roots([1, -8, 22, -8])
    (real,) = roots[np.abs(roots.imag) < 1e-9].real
    assert control.stability_limit(1.0, 1.0) == pytest.approx(real, rel=1e-9)
    assert real == pytest.approx(0.42616, abs=5e-6)


def test_aim_is_a_quintic_at_rest_at_both_ends():
    start, way = motion.tip(problems.load("ssrms")), np.array([0.1, 0.0, -0.2])

    def place(time):
        return control.aim(start, way, 2.0, time).pose.place - start.place

    h = 1e-4
    for time in (0.3, 1.0, 1.7):
        now = control.aim(start, way, 2.0, time)
        assert now.velocity == pytest.approx((place(time + h) - place(time - h)) / (2 * h), abs=1e-8)
        second = (place(time + h) - 2 * place(time) + place(time - h)) / h**2
        assert now.acceleration == pytest.approx(second, abs=1e-6)
    for time, part in ((0.0, 0.0), (1.0, 0.5), (2.0, 1.0), (9.0, 1.0)):
        assert place(time) == pytest.approx(part * way, abs=1e-15)
    for time in (0.0, 2.0, 9.0):
        now = control.aim(start, way, 2.0, time)
        assert np.abs([now.velocity, now.acceleration]).max() == 0.0
    assert control.aim(start, way, 0.0, 0.0).pose.place == pytest.approx(start.place + way)


@pytest.mark.parametrize(
    ("problem", "contact"),
    [
        ("ssrms", "plane"),
        ("ssrms", "line"),
        ("ssrms", "face"),
        ("ssrms", {"kind": "plane", "position": [0.1, 0.2, 0.3]}),
        ("ur5", "plane"),
        ("ur5_friction", None),
    ],
    ids=str,
)
def test_closed_chain_does_what_the_law_asks(problem, contact):
    """The acceleration along free directions and the force along the others, in a moving arm."""
    state = motion.frozen(problems.load(problem).at(contact=contact))
    state = replace(state, qd=0.1 * np.cos(np.arange(state.chain.degrees)))
    state = replace(state, gravity=np.array([0.5, -1.0, -9.81]))
    way = control.free_way(state)
    pose = motion.tip(state)
    aim = control.aim(replace(pose, place=pose.place + 0.01 * way), 0.2 * way, 1.0, 0.3)
    press = np.arange(1.0, state.contact.constrained + 1)
    unpressed = control.unpressed(state, GAINS)
    free = articulated.solve(unpressed)
    tau = control.torque(unpressed, aim, press, GAINS, free.lambda_inverse, free.acceleration0)
    solution = articulated.solve(replace(state, tau=tau))
    assert control.pressed(state.contact, solution.force) == pytest.approx(press, rel=1e-8)
    _, acceleration = newton_euler.end_effector(state.chain, state.q, state.qd, solution.qdd)
    W, e = state.contact.W, control.errors(state, aim)
    wanted = np.concatenate([np.zeros(3), pose.axes.T @ aim.acceleration])
    wanted += GAINS.omega**2 * e[0] + 2 * GAINS.zeta * GAINS.omega * e[1]
    across = acceleration - wanted
    assert across - W @ (W.T @ across) == pytest.approx(np.zeros(6), abs=1e-9)


def test_errors_are_those_of_the_free_directions():
    state = motion.frozen(problems.load("ssrms").at(contact="plane", qd=np.zeros(7)))
    pose = motion.tip(state)
    shifted = replace(pose, place=pose.place + pose.axes @ [0.01, 0.02, 0.03])
    e, rate = control.errors(state, control.aim(shifted, np.zeros(3), 1.0, 0.0))
    assert e == pytest.approx([0, 0, 0, 0.01, 0.02, 0], abs=1e-15)
    assert not rate.any()
    turned = replace(pose, axes=pose.axes @ [[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    e, _ = control.errors(state, control.aim(turned, np.zeros(3), 1.0, 0.0))
    assert e == pytest.approx([0.6, 0, 0, 0, 0, 0], abs=1e-15)
