"""The figures of statements.md are computed again; experiments behind them have independent judges."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from experiments.page import data, plain
from experiments.paper import one_load
from experiments.paper.statements import FIGURES_OF_ROWS, inverted
from senn.algorithms import problems
from senn.algorithms.blocks import full
from senn.algorithms.spatial import pack
from tests.docs.orders import same_orders
from tests.oracles import constraint_force, dense, extended, pivots
from tests.oracles import one_load as oracle

ROWS = data("statements", "statements")[1:]
ERROR = re.compile(r"\b\de-\d\d\b")


def test_every_statement_has_a_verdict_that_the_page_explains() -> None:
    assert {verdict for _, _, verdict, _ in ROWS} == {"confirmed", "refuted", "explained"}


@pytest.mark.rounding
@pytest.mark.parametrize(
    ("row", "decide"),
    list(zip(ROWS, FIGURES_OF_ROWS, strict=True)),
    ids=[f"{row[0]}: {row[1][:30]}" for row in ROWS],
)
def test_the_figure_is_the_one_computed(row: list[str], decide: Callable[[], str]) -> None:
    """Exactly; rounding errors to their order of magnitude."""
    figure, kept = plain(decide()), row[3]
    assert ERROR.sub("", figure) == ERROR.sub("", kept)
    found, printed = ([float(text) for text in ERROR.findall(line)] for line in (figure, kept))
    if found:
        same_orders(found, printed, draws=1)


# ------------------------------------------------------------------- what stands behind figures


@pytest.mark.parametrize("text", ["random:13", "random:64", "snake:9"])
def test_block_ldl_is_that_of_dense_matrices(text: str) -> None:
    """Pivots by recursion, by a scan and, the last, by reduction; solutions serially and by scans."""
    A, B = pivots.blocks_of(text)
    n = len(A)
    whole = np.zeros((n, 5, n, 5))
    for k, block in enumerate(A):
        whole[k, :, k] = block
    for k, block in enumerate(B):
        whole[k, :, k + 1], whole[k + 1, :, k] = block, block.T
    factor = np.linalg.cholesky(whole.reshape(5 * n, 5 * n)).reshape(n, 5, n, 5)
    expected = np.array([factor[k, :, k] @ factor[k, :, k].T for k in range(n)])
    for ways in (pivots.recursion(A, B), pivots.scan(A, B)):
        np.testing.assert_allclose(ways, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(pivots.reduction(A, B), expected[-1], rtol=1e-9, atol=1e-9)
    psi = np.random.default_rng(0).standard_normal((n, 5, 1))
    phi = np.linalg.solve(whole.reshape(5 * n, 5 * n), psi.ravel()).reshape(psi.shape)
    for serial in (True, False):
        np.testing.assert_allclose(pivots.solution(A, B, psi, serial=serial), phi, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("text", ["random:256:seed=3", "snake:256", "rods:256:slenderness=0.1"])
def test_seven_levels_are_as_good_as_all(text: str) -> None:
    """Of eight, against the serial solution, which `test_block_ldl_is_that_of_dense_matrices` tries."""
    A, B = pivots.blocks_of(text)
    psi = np.random.default_rng(0).standard_normal((256, 5, 1))
    phi = pivots.solution(A, B, psi, serial=True)
    errors = [np.linalg.norm(pivots.stopped(A, B, psi, k) - phi) / np.linalg.norm(phi) for k in (4, 7, 8)]
    assert errors[0] > 1e-3
    assert max(errors[1:]) < 1e-12


def test_a_straight_arm_needs_all_levels() -> None:
    A, B = pivots.blocks_of("snake:256", 0.0)
    psi = np.random.default_rng(0).standard_normal((256, 5, 1))
    phi = pivots.solution(A, B, psi, serial=True)
    seven, eight = (np.linalg.norm(pivots.stopped(A, B, psi, k) - phi) / np.linalg.norm(phi) for k in (7, 8))
    assert seven > 0.1
    assert eight < 1e-12


def test_recurrences_lose_digits_in_either_frame() -> None:
    """(86) in frame i, and J Qdd_0 in frame N+1, against the last link's X^5."""
    problem = problems.load("random:256")
    right = extended.solve(problem).acceleration0.astype(float)
    local, printed = (constraint_force.solve(problem, recurrences=x) for x in (False, True))
    chain, q = problem.chain, problem.q
    in_tip = dense.jacobian(chain, q) @ local.qdd0 + dense.jdot_qd(chain, q, problem.qd)
    answers = (local.acceleration0, printed.acceleration0, in_tip)
    lost, *others = (np.linalg.norm(x - right) / np.linalg.norm(right) for x in answers)
    assert lost < 1e-12
    assert min(others) > 1000 * lost


def test_spans_join_in_any_order() -> None:
    """(x y) z = x (y z), for spans with all three blocks."""
    A, B = pivots.blocks_of("random:7")
    first, second, *others = (np.stack([a, b, np.zeros_like(a)]) for a, b in zip(A[1:], B, strict=True))
    x = pivots.joined(first, second)
    y, z = pivots.joined(others[0], others[1]), pivots.joined(others[2], others[3])
    left, right = pivots.joined(pivots.joined(x, y), z), pivots.joined(x, pivots.joined(y, z))
    assert np.abs(x[2]).max() > 0.1
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)


def test_inverse_of_a_block() -> None:
    (A, _) = pivots.blocks_of("random:7")
    np.testing.assert_allclose(full(inverted(pack(A[3]))), np.linalg.inv(A[3]), rtol=1e-10)


@pytest.mark.parametrize("texts", [("ssrms", "random:9:seed=1"), ("random:7", "random:8", "random:9")])
def test_arms_on_one_load_accelerate_as_in_a_dense_system(texts: tuple[str, ...]) -> None:
    """Joints and load; a load twice as heavy does not."""
    arms, grips = one_load.held(*texts)
    joints, load = one_load.solve(arms, grips)
    expected = oracle.solve(arms, grips, one_load.INERTIA)
    np.testing.assert_allclose(joints, expected[0], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(load, expected[1], rtol=1e-9, atol=1e-10)
    heavier, _ = oracle.solve(arms, grips, 2 * one_load.INERTIA)
    assert np.abs(heavier - joints).max() > 1e-4
