"""`senn.control`: the tip follows the linear loop, offsets and forces known by hand, and the folder."""

from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import control, motion
from senn.algorithms.references import articulated
from senn.base.errors import InputError
from senn.motion import read

LIMITS = {0.25: control.stability_limit(1.0, 0.25), 0.5: 0.70850, 1.0: 0.42616}
STILL = {"judge": 0, "move": 0.0, "rise": 0.0}
SLOW = {"set": {"machine.clock_mhz": "0.1407"}}
"""7,035 cycles are 50 ms."""


def resting():
    """The Space Station arm with its tip on a plane."""
    return senn.problem("ssrms", qd=np.zeros(7), contact="plane")


def along(result):
    """The error of the tip along the way of a step, m."""
    errors = result.tip_error[:, 3:]
    return errors @ errors[0] / np.linalg.norm(errors[0])


@pytest.mark.parametrize("share", LIMITS)
@pytest.mark.parametrize("near", [0.97, 1.03])
def test_tip_follows_the_linear_loop_on_both_sides_of_its_limit(share, near):
    period = 7035 / 20e6 / share
    omega = near * LIMITS[share] / period
    figures = {"sample": period, "bandwidth": omega / (2 * np.pi), "until": 25 * period}
    result = senn.control(resting(), **{**STILL, "move": 1e-5}, push=0.0, **figures)
    gains = control.Gains(omega, 1.0, 0.0)
    linear = [np.array([1e-5, 0.0, -(omega**2) * 1e-5])]
    for _ in range(25):
        linear.append(control.recursion(gains, period, share * period) @ linear[-1])
    assert along(result) == pytest.approx(np.array(linear)[:, 0], abs=1e-9)
    assert (result.summary["spectral_radius"] < 1) == (near < 1)


def test_push_moves_the_tip_and_its_force_as_the_arm_is():
    """(W'Lambda^-1 W) df = W'Lambda^-1 w without integral, omega^2 e = -Lambda^-1 (w - W df) across W."""
    figures = {"sample": 0.04, "bandwidth": 2.0, "until": 2.4, "press": 20.0}
    result = senn.control(resting(), **STILL, integral=0.0, push=50.0, **figures)
    start = result.problem
    inverse, W = articulated.lambda_inverse(start.chain, result.q[-1]), start.contact.W
    axes = motion.tip(replace(start, q=result.q[-1])).axes
    push = np.concatenate([np.zeros(3), axes.T @ (50.0 * control.free_way(start))])
    force = np.linalg.solve(W.T @ inverse @ W, W.T @ inverse @ push)
    offset = -(inverse @ (push - W @ force)) / (4 * np.pi) ** 2
    assert np.linalg.norm(offset[3:]) > 1e-3
    assert result.tip_error[-1] == pytest.approx(offset, rel=2e-3, abs=1e-6)
    assert result.force_error[-1] == pytest.approx(force, rel=2e-3)
    assert abs(force[0]) > 1.0
    assert result.force_error[:25] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("sample", "integral", "stable"),
    [(0.1, 1.8, True), (0.1, 2.2, False), (0.05, 0.9, True), (0.05, 1.1, False)],
)
def test_integral_of_the_force_is_stable_below_its_limit(sample, integral, stable):
    """A factor of 1 - g each sample; where the delay is a whole period, z^2 - z + g."""
    figures = {"sample": sample, "until": 1.0 + 30 * sample, "bandwidth": 1.0}
    result = senn.control(resting(), **STILL, **SLOW, integral=integral, **figures)
    first, last = (np.abs(result.force_error[k : k + 5]).max() for k in (-30, -6))
    assert (last < first / 2) if stable else (last > 2 * first)
    assert result.summary["spectral_radius"] < 1
    assert (result.summary["force_radius"] < 1) == stable
    assert dict(result.facts())["loop"].startswith("stable: " if stable else "unstable: ")
    assert (", of the force 1." in dict(result.facts())["loop"]) != stable


@pytest.mark.parametrize(
    ("integral", "delay", "radius"),
    [(0.0, 0.1, 1.0), (0.25, 0.1, 0.75), (7.0, 0.1, 6.0), (0.0, 1.0, 1.0), (0.25, 1.0, 0.5), (1.0, 1.0, 1.0)],
)
def test_radius_of_the_force_by_hand(integral, delay, radius):
    gains = control.Gains(1.0, 1.0, integral)
    assert control.force_radius(gains, 1.0, delay) == pytest.approx(radius)


def test_a_loop_without_integral_is_stable():
    result = senn.control(resting(), **STILL, integral=0.0, until=0.02)
    assert dict(result.facts())["loop"].startswith("stable: ")


def test_each_row_is_a_run_of_the_machine():
    """With torques tau_0; the law makes the next torques of its answers."""
    result = senn.control("ssrms", contact="plane", until=0.05)
    gains = control.Gains(2 * np.pi, 1.0, 0.25)
    way, tip = 0.2 * control.free_way(result.problem), motion.tip(result.problem)
    for k in range(5):
        state = control.unpressed(replace(result.problem, q=result.q[k], qd=result.qd[k]), gains)
        run = senn.run(state)
        aim = control.aim(tip, way, 2.0, result.time[k])
        answers = run.result["lambda_inverse"], run.result["acceleration0"]
        tau = control.torque(state, aim, result.commanded[k], gains, *answers)
        assert np.array_equal(tau, result.next_tau[k])
        assert np.array_equal(result.tau[k + 1], tau)
    assert result.ok
    assert result.summary["delay"] == run.summary["makespan"] / 20e6


def test_torques_wait_a_sample_more_where_the_delay_is_a_period():
    result = senn.control(resting(), **{**STILL, **SLOW, "move": 0.01}, push=0.0, until=0.25)
    assert np.array_equal(result.tau[2:], result.next_tau[:-2])
    assert np.array_equal(result.tau[:2], result.next_tau[[0, 0]])


def test_sample_is_as_long_as_the_machine_needs():
    result = senn.control(resting(), **STILL, **SLOW, sample=0.001, until=0.15)
    assert result.description["step"] == pytest.approx(0.05)
    assert result.time == pytest.approx([0.0, 0.05, 0.1, 0.15])


def test_an_interrupted_loop_goes_on_to_the_same_numbers(tmp_path):
    options = {"contact": "plane", "press": 5.0, "folder": tmp_path / "kept"}
    whole = senn.control("ssrms", until=0.08, contact="plane", press=5.0)
    senn.control("ssrms", until=0.04, **options)
    later = senn.control("ssrms", until=0.08, **options)
    again = read(tmp_path / "kept")
    for name in ("q", "qd", "tau", "next_tau", "commanded", "force_error", "tip_error"):
        assert np.array_equal(getattr(later, name), getattr(whole, name))
        assert np.array_equal(getattr(again, name), getattr(whole, name))
    assert again.summary == whole.summary
    with pytest.raises(InputError, match="holds another motion"):
        senn.control("ssrms", until=0.08, **{**options, "press": 6.0})


def test_a_plane_that_would_have_to_pull_is_reported():
    figures = {"push": -100.0, "sample": 0.05, "until": 1.05}
    assert senn.control(resting(), **STILL, press=5.0, **figures).summary["pulls_from"] == 1.05
    assert senn.control(resting(), **STILL, press=50.0, **figures).summary["pulls_from"] is None


@pytest.mark.parametrize(
    ("problem", "options", "text"),
    [
        ("ssrms", {"sample": 0}, "sample is 0; it is a finite number, above 0"),
        ("ssrms", {"sample": float("nan")}, "sample is nan; it is a finite number, above 0"),
        ("ssrms", {"until": "1"}, "until is '1'; it is a finite number, above 0"),
        (
            "ssrms",
            {"contact": "plane", "sample": 5.0, "until": 0.1},
            r"until is 0\.1 s, which a sample period of 5 s exceeds; change it",
        ),
        ("ssrms", {"contact": "plane", "sample": 1e308}, r"a sample period of 1e\+308 s exceeds"),
        (
            "ssrms",
            {"contact": "plane", "sample": 1e308, "until": 1e308},
            r"1e\+308 s in steps of 0\.02 s are more than",
        ),
        ("ssrms", {"impact": "x"}, "impact is 'x'; give True or False"),
        ("ssrms", {"rise": -1.0}, "rise is -1.0; it is a finite number, 0 or more"),
        ("ssrms", {"push": float("inf")}, "push is inf; it is a finite number"),
        ("ssrms", {"judge": -1}, "judge is -1; it is a whole number, 0 or more"),
        (
            "ssrms",
            {"until": 1e9},
            "1e\\+09 s in steps of 0.01 s are more than 10,000,000 steps; take larger ones",
        ),
        (
            "ssrms",
            {},
            "the contact lets the tip move along nothing: take a plane, .* such as --contact plane",
        ),
        ("ssrms", {"contact": "point"}, "the contact lets the tip move along nothing: take a plane"),
        ("ssrms_payload", {}, "the contact is a law between force and acceleration: take a plane"),
        ("ur5_free", {}, "the contact holds nothing: take a plane, a line or a face"),
        (
            "ssrms",
            {"contact": "plane", "algorithm": "forward-pv"},
            "the algorithm forward-pv gives no lambda_inverse, which control needs; closed-chain does",
        ),
        (
            "random:5:seed=1",
            {"contact": "plane", "impact": True},
            "at t = 0 s: Lambda\\^-1 is singular: the tip cannot",
        ),
        (
            "ssrms",
            {"contact": "plane", "machine": "maspar", "judge": 0},
            "the motion diverges: .* the loop has spectral radius 1.84; take a lower bandwidth",
        ),
        (
            "ssrms",
            {"contact": "plane", "integral": 1e60, "judge": 0},
            "the motion diverges: .* an error of the force grows 1e\\+60 times each sample; take a smaller",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_controlled_is_one_clear_line(problem, options, text):
    with pytest.raises(InputError, match=text):
        senn.control(problem, **options)


def test_the_last_sample_is_not_after_the_end():
    """Whatever part of a period is left over; an end that is a sample is reached."""
    for sample, until, last in ((0.15, 0.25, 0.15), (0.1, 0.3, 0.3), (0.01, 0.07, 0.07)):
        moved = senn.control("ssrms", contact="plane", sample=sample, until=until, judge=0)
        assert moved.time[-1] == pytest.approx(last)
