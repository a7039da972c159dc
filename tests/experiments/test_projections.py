"""The blocks of A in other frames: the same up to the basis of W_i, by dense matrices; and what they cost."""

import numpy as np
import pytest

from experiments.claims import QUICK, chosen
from experiments.claims.factors import PROJECTIONS
from senn.algorithms import blocks, spatial
from senn.machine.program import Operations

RNG = np.random.default_rng(7)
W = np.eye(6)[:, [0, 1, 3, 4, 5]]


def packed(x: np.ndarray) -> np.ndarray:
    return x[np.tril_indices(len(x))]


def spd(size: int) -> np.ndarray:
    x = RNG.normal(size=(size, size))
    return x @ x.T + size * np.eye(size)


def turning(q: float) -> np.ndarray:
    c, s = np.cos(q), np.sin(q)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def six(rotation: np.ndarray) -> np.ndarray:
    return np.kron(np.eye(2), rotation)


def inverse_inertia(s: np.ndarray, inverse_j: np.ndarray, inverse_mass: float) -> np.ndarray:
    """(S^ I_c S^')^-1, Eq. (2) inverted as it stands."""
    central = np.zeros((6, 6))
    central[:3, :3], central[3:, 3:] = np.linalg.inv(inverse_j), np.eye(3) / inverse_mass
    return np.linalg.inv(spatial.hat(s) @ central @ spatial.hat(s).T)


def test_turned_with_the_joint_it_is_the_papers_in_another_basis() -> None:
    q, s, j, w, before, psi = 0.7, RNG.normal(size=3), spd(3), 0.3, spd(6), RNG.normal(size=(6, 5))
    inner = W.T @ before @ W
    A, B = PROJECTIONS["frame i"].blocks(q * np.ones(()), s, packed(j), np.array(w), packed(inner), psi)
    expected = W.T @ six(turning(q)) @ inverse_inertia(s, j, w) @ six(turning(q)).T @ W + inner
    assert blocks.full(A) == pytest.approx(expected)
    assert pytest.approx(W.T @ six(turning(q)) @ psi) == B
    own = packed(W.T @ inverse_inertia(s, j, w) @ W)
    turned, B_before = PROJECTIONS["frame i turned with its joint"].blocks(
        q * np.ones(()), own, packed(inner), W.T @ psi
    )
    Q = W.T @ six(turning(q)) @ W
    assert blocks.full(turned) == pytest.approx(Q.T @ expected @ Q)
    assert pytest.approx(W.T @ psi @ Q) == B_before


def test_another_frame_is_as_cheap() -> None:
    """By hand: 42 m 28 a, 40 m 20 a and 15 a, as in the program; turned, 4 + 20 + 8 m in place of the 42."""
    counts = {name: projection.operations() for name, projection in PROJECTIONS.items()}
    assert counts["frame i"] == Operations(42 + 40, 28 + 20 + 15, 0, 2)
    assert counts["frame i turned with its joint"] == Operations(32 + 40, 24 + 20 + 15, 0, 2)
    (claim,) = chosen(("other-projections",))
    verdict = claim.examine(QUICK).verdict
    assert (verdict.word, verdict.effect) == (
        "fails",
        "133 operations for A_i and B_i of a link, in frame i 147",
    )
