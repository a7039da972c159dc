"""The recursions behind rows of statements.md, against Pinocchio, NumPy and Newton's law."""

from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.family.arm import arm_of
from senn.algorithms.family.link import outward
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import Chain
from tests.algorithms.family.test_serial_operational_space import inverse_of
from tests.algorithms.operators import Operators
from tests.algorithms.robots.oracle import oracle, relative
from tests.oracles import pivots, rolling_ball, spans


def arm(n: int) -> Problem:
    return problems.free(problems.load(f"random:{n}:seed=5:prismatic=0.3"))


def first_links(chain: Chain, i: int) -> Chain:
    """The inner part of an arm."""
    names = ("rotation", "position", "centre", "mass", "inertia", "parameters", "limits")
    arrays = {name: getattr(chain, name)[:i] for name in names}
    return replace(chain, joints=chain.joints[:i], joint_names=chain.joint_names[:i], **arrays)


@pytest.mark.parametrize("scan", [spans.doubled, spans.by_tree])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 13, 64])
def test_a_scan_has_all_products_in_their_order(scan: object, n: int) -> None:
    """Words of letters: their product is not commutative."""
    letters = [f"{i} " for i in range(n)]
    products, _, _ = scan(letters, lambda x, y: x + y)  # type: ignore[operator]
    assert products == list(accumulate(letters))


def test_levels_and_products_of_scans_are_the_textbooks() -> None:
    """Blelloch: 2 M - 1 levels and 2 n - 2 - M products, n = 2^M; by doubling M and n M - n + 1."""
    for m in range(1, 8):
        n = 2**m
        assert spans.by_tree(range(n), max)[1:] == (2 * m - 1, 2 * n - 2 - m)
        assert spans.doubled(range(n), max)[1:] == (m, n * m - n + 1)


def test_lambda_inverse_from_the_base_is_that_of_every_inner_part() -> None:
    """Of links 1..i, by Pinocchio's M and J."""
    what = arm(9)
    for i, inverse in enumerate(spans.from_the_base(what), 1):
        assert relative(inverse, inverse_of(oracle(first_links(what.chain, i)), what.q[:i])) < 1e-11


def test_articulated_inertias_outward_are_lambda() -> None:
    what = arm(12)
    expected = np.linalg.inv(inverse_of(oracle(what.chain), what.q))
    assert relative(spans.carried_outward(what), expected) < 1e-10


@pytest.mark.parametrize("n", [2, 5, 9])
def test_the_determinant_is_that_of_the_printed_y(n: int) -> None:
    """By Fijany's operators; the printed Y is minus ours."""
    of, still = Operators(n), np.zeros(n)
    changed = -of.inverse
    changed[:6, :6] = 0.0
    Y = -of.W.T @ of.P_bar.T @ changed @ of.P_bar @ of.W
    what = problems.resolved(of.chain, problems.EARTH, of.q, still, still, contacts.none())
    aim = np.linalg.det(Y) / np.linalg.det(of.A)
    assert np.isclose(spans.determinant_of_y(what), aim, rtol=1e-7, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 8, 11])
def test_elimination_ends_with_the_blocks_of_the_inverse(n: int) -> None:
    """Block i is ((A^-1)_ii)^-1, by NumPy; its eigenvalues are no less than those of A."""
    what = f"random:{n}:seed=5"
    A = next(spans.levels_of(what))[0]
    B = pivots.blocks_of(what)[1]
    *_, (diagonal, upper) = spans.levels_of(what)
    whole = sum(np.kron(np.diag(np.eye(n)[k]), A[k]) for k in range(n))
    for k in range(n - 1):
        coupling = np.kron(np.eye(n)[[k]].T @ np.eye(n)[[k + 1]], B[k])
        whole = whole + coupling + coupling.T
    inverse = np.linalg.inv(whole)
    assert not len(upper)
    for k, block in enumerate(diagonal):
        rows = slice(5 * k, 5 * k + 5)
        assert relative(block, np.linalg.inv(inverse[rows, rows])) < 1e-10
    assert spans.least_eigenvalue(what) >= 1.0
    least = min(np.linalg.eigvalsh(D).min() for D, _ in spans.levels_of(what))
    assert np.isclose(spans.least_eigenvalue(what), least / np.linalg.eigvalsh(whole).min())


def test_an_upper_block_is_singular_where_the_next_axis_feels_no_moment() -> None:
    """B_i is a minor of I_i^-1 P_i, whose inverse has that moment as its complementary entry."""
    for name in ("ssrms", "station25", "ur5", "random:9"):
        what = problems.free(problems.load(name))
        links = arm_of(what).links
        moments = []
        for link, beyond in pairwise(links):
            force = link.inertia.applied(outward(link, link.freedom.columns[:, 0]))
            moments.append(abs(beyond.freedom.columns[:, 0] @ force) < 1e-12 * np.abs(force).max())
        assert spans.singular_blocks(name) == moments


def test_composite_bodies_by_a_scan_give_the_mass_matrix() -> None:
    what = arm(9)
    M, levels = spans.composite(what)
    assert relative(M, oracle(what.chain).mass_matrix(what.q)) < 1e-12
    assert levels == 4


def test_the_mass_matrix_of_two_joints_is_dominant_where_both_entries_are() -> None:
    """M_12 below M_11 and M_22, by Pinocchio; among 20 arms both cases occur."""
    verdicts = []
    for text in (f"random:2:seed={seed}" for seed in range(20)):
        what = problems.load(text)
        M = oracle(what.chain).mass_matrix(what.q)
        assert spans.dominant(text) == (min(M[0, 0], M[1, 1]) >= abs(M[0, 1]))
        verdicts.append(spans.dominant(text))
    assert set(verdicts) == {True, False}


def test_conditional_variances_are_cholesky_pivots() -> None:
    """Of the outputs in reverse, the later ones first."""
    M = oracle(arm(9).chain).mass_matrix(arm(9).q)
    root = np.linalg.cholesky(M[::-1, ::-1])
    assert relative(spans.conditional_variances(M), np.diag(root)[::-1] ** 2) < 1e-10


def test_articulated_inertia_is_the_covariance_of_a_prediction_error() -> None:
    """Of Jain's process with Pinocchio's M as covariance of the outputs, by conditioning: no filter runs."""
    of = Operators(9)
    states = of.phi @ of.M @ of.phi.T
    across, outputs = states @ of.Ht, of.mass_matrix
    for k in range(1, 9):
        rows = slice(6 * k, 6 * k + 6)
        explained = across[rows, :k] @ np.linalg.solve(outputs[:k, :k], across[rows, :k].T)
        assert relative(states[rows, rows] - explained, of.P[rows, rows]) < 1e-9


def test_the_ball_obeys_newton() -> None:
    """m a = f, 2/5 m r^2 alpha = p x f, a + alpha x p = Omega x v; and a ball on a table at rest keeps its
    velocity."""
    what = rolling_ball.problem()
    p, table, m = (
        np.array([0, 0, -rolling_ball.RADIUS]),
        np.array([0, 0, rolling_ball.SPEED]),
        rolling_ball.MASS,
    )
    across = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])  # p x
    moment = 0.4 * m * rolling_ball.RADIUS**2
    a = np.linalg.solve(np.eye(3) - m / moment * across @ across, np.cross(table, what.qd[3:]))
    np.testing.assert_allclose(rolling_ball.acceleration(what)[:2], a[:2], rtol=1e-14)
    np.testing.assert_allclose(
        what.qd[3:] + np.cross(what.qd[:3], p), np.cross(table, what.q[4:]), atol=1e-15
    )
    run = senn.run(what, algorithm="star", machine="raw")
    np.testing.assert_allclose(run.result["qdd"][3:5], a[:2], rtol=1e-12)
    np.testing.assert_allclose(-run.result["force"][3:5], m * a[:2], rtol=1e-12)
