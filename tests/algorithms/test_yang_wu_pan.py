"""Equations of Yang, Wu and Pan as they are printed, against dense solutions: (2c), (12), (17) and (19)."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
N = 7
RNG = np.random.default_rng(4)


def skew(v: Matrix) -> Matrix:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation() -> Matrix:
    return np.linalg.qr(RNG.normal(size=(3, 3)))[0]


def arm() -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """I - Gamma, J, S and W of a random arm of revolute joints; twists are [omega; v], S'S = I and W'S =
    0."""
    gap, inertia = np.eye(6 * N), np.zeros((6 * N, 6 * N))
    axes, free = np.zeros((6 * N, N)), np.zeros((6 * N, 5 * N))
    for k in range(N):
        here = slice(6 * k, 6 * k + 6)
        if k:
            turn = rotation()
            move = np.block([[turn, np.zeros((3, 3))], [skew(RNG.normal(size=3)) @ turn, turn]])
            gap[here, 6 * k - 6 : 6 * k] = -move
        root = RNG.normal(size=(6, 6))
        inertia[here, here] = root @ root.T + np.eye(6)
        basis = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
        axes[here, k], free[here, 5 * k : 5 * k + 5] = basis[:, 0], basis[:, 1:]
    return gap, inertia, axes, free


def test_the_right_side_of_12_has_zeros_above_the_torques() -> None:
    """H is 6n x 6n and tau n long: (12) cannot hold as printed. With W'S qdd = 0 above, as (11) says, its
    F is the force, and (13) gives the accelerations of M qdd = tau; so does (17)."""
    gap, inertia, axes, free = arm()
    tau = RNG.normal(size=N)
    middle = gap @ np.linalg.inv(inertia) @ gap.T
    h = np.vstack([free.T @ middle, axes.T])
    assert h.shape == (6 * N, 6 * N)
    force = np.linalg.solve(h, np.concatenate([np.zeros(5 * N), tau]))
    back = np.linalg.inv(gap)
    mass = axes.T @ back.T @ inertia @ back @ axes
    expected = np.linalg.solve(mass, tau)
    np.testing.assert_allclose(axes.T @ middle @ force, expected, rtol=1e-9, atol=1e-9)
    a, b, c = free.T @ middle @ free, free.T @ middle @ axes, axes.T @ middle @ axes
    np.testing.assert_allclose((c - b.T @ np.linalg.solve(a, b)) @ tau, expected, rtol=1e-9, atol=1e-9)


def eliminated(diagonal: list[Matrix], upper: list[Matrix], right: list[Matrix], *, all_rows: bool) -> Matrix:
    """(19) with R for the X that it prints; `all_rows`: D and R of the last rows are updated too."""
    size, h = len(diagonal), 1
    while h < size:
        e = {i: upper[i] @ np.linalg.inv(diagonal[i + h]) for i in range(size - h)}
        k = {i: upper[i - h].T @ np.linalg.inv(diagonal[i - h]) for i in range(h, size)}
        rows = range(size if all_rows else size - h)
        new_d, new_r = list(diagonal), list(right)
        for i in rows:
            if i in e:
                new_d[i] = new_d[i] - e[i] @ upper[i].T
                new_r[i] = new_r[i] - e[i] @ right[i + h]
            if i in k:
                new_d[i] = new_d[i] - k[i] @ upper[i - h]
                new_r[i] = new_r[i] - k[i] @ right[i - h]
        upper = [-e[i] @ upper[i + h] for i in range(size - 2 * h)]
        diagonal, right, h = new_d, new_r, 2 * h
    return np.concatenate([np.linalg.solve(d, r) for d, r in zip(diagonal, right, strict=True)])


@pytest.mark.parametrize("all_rows", [True, False])
def test_19_eliminates_with_r_in_every_row_from_minus_b_tau(all_rows: bool) -> None:
    """X in the third line of (19) is R. The text says that D_i is updated for i = 1..n - h only; the last
    h rows are updated by K too, or the answer is wrong. R^0 is -B tau as in (15), not B tau as the
    text has it."""
    gap, inertia, axes, free = arm()
    tau = RNG.normal(size=N)
    middle = gap @ np.linalg.inv(inertia) @ gap.T
    a, b_tau = free.T @ middle @ free, free.T @ middle @ axes @ tau
    block = [slice(5 * k, 5 * k + 5) for k in range(N)]
    found = eliminated(
        [a[one, one] for one in block],
        [a[one, other] for one, other in pairwise(block)],
        [-b_tau[one] for one in block],
        all_rows=all_rows,
    )
    force = axes @ tau + free @ found
    same = np.allclose(free.T @ middle @ force, 0, atol=1e-8)
    assert same == all_rows


def test_the_velocity_terms_of_1_and_2c_have_different_signs() -> None:
    """A body of mass m that turns with omega about its centre: the moment is I domega + omega x I omega,
    which is (1), with - ad' J V; (2c) has + ad' J V."""
    turning, inertia, mass = RNG.normal(size=3), np.diag([1.0, 2.0, 3.0]), 4.0
    ad = np.block([[skew(turning), np.zeros((3, 3))], [np.zeros((3, 3)), skew(turning)]])
    momentum = np.concatenate([inertia @ turning, mass * np.zeros(3)])
    moment = (-ad.T @ momentum)[:3]
    np.testing.assert_allclose(moment, np.cross(turning, inertia @ turning))
    assert not np.allclose((ad.T @ momentum)[:3], np.cross(turning, inertia @ turning))
