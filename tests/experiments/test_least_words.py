"""Ranks of what must cross a cut, against derivatives in floating point and the data of frontier.md."""

from dataclasses import replace

import numpy as np
import pytest
from flint import ctx

from experiments.page import data
from experiments.paper import least_words
from experiments.paper.least_words import jacobian, modular, part, rank, wide, words
from senn.algorithms import problems
from senn.algorithms.problems.contacts import type_i
from senn.algorithms.references import articulated
from senn.machine.network.measures import measures
from senn.machine.network.named import senn as network


@pytest.mark.parametrize(("first", "stop"), [(0, 2), (0, 4), (2, 4), (5, 6), (6, 8)])
def test_ranks_of_an_arm_in_floating_point(first: int, stop: int) -> None:
    """Central differences of a reference solver, of another arm: singular values fall by 1e4 at the rank."""
    what = problems.load("random:8:seed=1")
    what = replace(what, contact_input=type_i(np.eye(6), G_C=np.zeros(6)))
    x = np.stack([what.q, what.qd, what.tau], axis=1)

    def answers(state: np.ndarray) -> np.ndarray:
        q, qd, tau = state.T
        solution = articulated.solve(replace(what, q=q, qd=qd, tau=tau))
        return np.concatenate([solution.qdd, solution.lambda_inverse[np.tril_indices(6)]])

    steps = 1e-5 * np.eye(24).reshape(24, 8, 3)
    slopes = np.stack([(answers(x + h) - answers(x - h)) / 2e-5 for h in steps], axis=1)
    inside = np.isin(np.arange(8), range(first, stop))
    inner = np.append(inside, [stop == 8] * 21)
    for rows, columns, least in zip((~inner, inner), (inside, ~inside), words(8, first, stop), strict=True):
        block = slopes[rows][:, np.repeat(columns, 3)]
        block = block / np.abs(block).max(axis=1, keepdims=True)
        values = np.append(np.linalg.svd(block, compute_uv=False), 0.0)
        assert values[least - 1] > 1e4 * values[least]


def test_what_a_cut_must_carry_by_hand() -> None:
    """Outward for the accelerations: angular velocity, direction of the weight, acceleration of the cut:
    3 + 2 + 6. Inward: the wrench, 6. Lambda^-1 needs C of the inner links, seen across a joint: 5 x 5."""
    slopes = jacobian(32, 0, modular)
    assert rank(slopes[16:32, :48]) == 3 + 2 + 6
    assert rank(slopes[:16, 48:]) == 6
    assert rank(slopes[32:, :48]) == 15


def test_singular_values_in_many_bits_fall_at_the_exact_rank() -> None:
    """Two fields, one arm: what is zero modulo the prime is noise of 1,200 bits. With doubles alone, the
    values above 1e-9 are the same."""
    with ctx.workprec(least_words.BITS):
        outward, _ = part(16, 0, 8, 0, wide)
        values = least_words.singular_values(outward)
    exact = rank(part(16, 0, 8, 0, modular)[0])
    assert values[exact - 1] > 1e-9
    assert values[exact] < 1e-150
    doubles = np.linalg.svd(np.array([[float(x) for x in line] for line in outward]), compute_uv=False)
    assert values[:exact] == pytest.approx(doubles[:exact] / doubles[0], rel=1e-5)


@pytest.mark.parametrize("n", [8, 16])
def test_bounds_of_the_frontier(n: int) -> None:
    """Words on the longest path, of any program on two nodes and on n."""
    bounds = {row[2]: row[4] for row in data("frontier", "programs") if row[:2] == ["any program", f"{n}"]}
    found = {p: max(least_words.least_words(n, network(p)), measures(network(p)).diameter) for p in (2, n)}
    assert bounds == {str(p): str(words) for p, words in found.items()}


def test_words_over_the_middle_of_the_frontier() -> None:
    bounds = [row[2:] for row in data("frontier", "across") if row[0] == "any program"]
    assert bounds == [list(map(str, words(64, 0, 32)))] * 2


def test_ranks_are_those_of_the_file() -> None:
    _, *rows = data("least_words", "ranks")
    values = least_words.outward_values(16, 3)
    (row,) = (row for row in rows if row[:2] == ["16", "3"])
    assert row[5:10] == [str(sum(x > 10.0**-d for x in values)) for d in least_words.DIGITS]
