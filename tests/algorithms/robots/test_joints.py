"""The table of joints: what a joint allows, forbids and how it moves, checked by differences of poses.

A pose of the moving link is (E, d) in frame i. Its velocity is found by moving q a little along qd: that is
independent of H, W and the drift, which are written down separately.
"""

import numpy as np
import pytest

from senn.algorithms.robots.joints import JOINTS, Joint

PARAMETER = {"helical": 0.07, "universal": 1.2}


def state(joint: Joint, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.0, 1.0, joint.coordinates)
    if joint.name in ("spherical", "free"):
        q[:4] /= np.linalg.norm(q[:4])
    return q, rng.standard_normal(joint.degrees), np.array(PARAMETER.get(joint.name, 0.0))


def moved(joint: Joint, q: np.ndarray, qd: np.ndarray, t: float) -> np.ndarray:
    """q after a time t of steady qd; a quaternion turns about the axis of omega, counted in frame i."""
    if joint.name not in ("spherical", "free"):
        return q + t * qd
    rate = np.linalg.norm(qd[:3])
    half = 0.5 * rate * t
    w, v = np.cos(half), np.sin(half) * qd[:3] / rate
    turned = np.r_[w * q[0] - v @ q[1:4], w * q[1:4] + q[0] * v + np.cross(v, q[1:4])]
    return np.r_[turned, q[4:] + t * qd[3:]]


def velocity(joint: Joint, q: np.ndarray, qd: np.ndarray, parameter: np.ndarray) -> np.ndarray:
    """[omega; v of the point of the link at O_i] by central differences of E and d."""
    step = 1e-5
    ahead, behind = (moved(joint, q, qd, t) for t in (step, -step))
    turn = joint.turn(q, parameter)
    rate = (joint.turn(ahead, parameter) - joint.turn(behind, parameter)) / (2 * step) @ turn.T
    omega = np.array([rate[2, 1], rate[0, 2], rate[1, 0]])
    slide = (joint.shift(ahead, parameter) - joint.shift(behind, parameter)) / (2 * step)
    return np.r_[omega, slide - np.cross(omega, joint.shift(q, parameter))]


@pytest.mark.parametrize("name", JOINTS)
def test_the_subspace_is_the_velocity_of_the_link(name: str) -> None:
    joint = JOINTS[name]
    q, qd, parameter = state(joint, 1)
    expected = velocity(joint, q, qd, parameter)
    assert joint.subspace(q, parameter) @ qd == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", JOINTS)
def test_the_complement_is_orthonormal_and_all_that_is_left(name: str) -> None:
    joint = JOINTS[name]
    q, _, parameter = state(joint, 2)
    allowed, forbidden = joint.subspace(q, parameter), joint.complement(q, parameter)
    assert forbidden.shape == (6, 6 - joint.degrees)
    assert forbidden.T @ forbidden == pytest.approx(np.eye(6 - joint.degrees), abs=1e-15)
    assert np.abs(forbidden.T @ allowed).max(initial=0.0) < 1e-15
    assert np.linalg.matrix_rank(np.hstack([allowed, forbidden])) == 6


@pytest.mark.parametrize("name", JOINTS)
def test_the_drift_is_the_rate_of_the_subspace(name: str) -> None:
    joint = JOINTS[name]
    q, qd, parameter = state(joint, 3)
    step = 1e-5
    ahead, behind = (joint.subspace(moved(joint, q, qd, t), parameter) @ qd for t in (step, -step))
    assert joint.drift(q, qd, parameter) == pytest.approx((ahead - behind) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("name", JOINTS)
def test_the_turn_is_a_rotation(name: str) -> None:
    joint = JOINTS[name]
    q, _, parameter = state(joint, 4)
    turn = joint.turn(q, parameter)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(turn) == pytest.approx(1.0)


@pytest.mark.parametrize("name", JOINTS)
def test_one_call_serves_many_links(name: str) -> None:
    joint = JOINTS[name]
    states = [state(joint, seed) for seed in range(3)]
    q, qd, parameter = (np.stack(x) for x in zip(*states, strict=True))
    for function in (joint.turn, joint.shift, joint.subspace, joint.complement):
        for row, (one, _, own) in zip(function(q, parameter), states, strict=True):
            assert row == pytest.approx(function(one, own), abs=0.0)
    for row, (one, rate, own) in zip(joint.drift(q, qd, parameter), states, strict=True):
        assert row == pytest.approx(joint.drift(one, rate, own), abs=0.0)


@pytest.mark.parametrize("name", JOINTS)
def test_rows_halves_and_duals_of_a_joint_follow_from_H_and_W(name: str) -> None:
    joint = JOINTS[name]
    assert joint.mixed == {"helical": (2, 5), "universal": (0, 1)}.get(name, ())
    assert joint.straight() == (name not in ("helical", "universal", "planar", "free"))
    assert joint.drifts == (name == "universal", name in ("planar", "free"))
    for seed in range(3):
        q, qd, parameter = state(joint, seed)
        h, unit = joint.subspace(q, parameter), np.eye(6)
        assert joint.dual(q, parameter).T @ h == pytest.approx(np.eye(joint.degrees), abs=1e-14)
        assert not h[~joint.halves].any()
        if joint.straight():
            assert h.tolist() == unit[:, joint.allowed].tolist()
            assert joint.complement(q, parameter).tolist() == unit[:, joint.held].tolist()
        drift = joint.drift(q, qd, parameter)
        assert (bool(drift[:3].any()), bool(drift[3:].any())) == joint.drifts
