"""Inverting the mass matrix gives the accelerations of independent solvers, and M that of the Jacobians."""

from __future__ import annotations

import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.programs.free import mass_matrix_inversion as inversion
from senn.base.errors import InputError
from senn.machine.engines.memory import executed
from senn.machine.program import Operations, levels
from senn.machine.program.dataflow import flow
from tests.algorithms.programs.scan_runs import bias_operations, counts, scanned

pytestmark = pytest.mark.rounding


def test_instructions_at_home_grow_with_n_log_n() -> None:
    """By hand: 10 M + 19 of Newton-Euler and F_T, 6 M + 9 of the rows of M; each step of the elimination a
    pivot, a message to the neighbours, an update, and the rounds to the n - k after and the k - 1 before."""
    for n in (2, 3, 5, 8, 16, 21):
        rounds = sum(levels(n - k) for k in range(1, n)) + sum(levels(k - 1) for k in range(2, n + 1))
        (instructions, _) = counts(inversion.program(n), "home")
        assert instructions == 16 * levels(n) + 28 + 3 * n + rounds


def test_a_pivot_row_is_sent_once_to_each_other_process() -> None:
    n = 11
    schedule = senn.placed(inversion.program(n), residency="home")
    sent = dict.fromkeys(range(1, n + 1), 0)
    for task in schedule.tasks[0]:
        if task.step.startswith("IV.3"):
            sent[int(task.line.transfers[0].values[0].letter.strip("own.<>"))] += len(task.posts)
    assert set(sent.values()) == {n - 1}


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 9, 17])
def test_all_operations_of_all_processes(n: int) -> None:
    """By hand, revolute joints: for n columns 33 n multiplications and 20 n additions a link, and 45 and 30
    to turn its inertia; the scans of n columns; and the elimination, where step k costs the pivot n - k + 1
    multiplications and a division, and each other process as many multiplications and additions."""
    pairs, words = scanned(n), n * (n + 1) // 2
    columns = Operations(n * (33 * n + 45), n * (20 * n + 30) + 3 * n * (n - 1))
    scans = Operations(6 * n * pairs, (6 * n + 12 * n + 3) * pairs)
    elimination = Operations(words + (n - 1) * words, (n - 1) * words, n)
    assert executed(flow(inversion.program(n))) == bias_operations(n) + columns + scans + elimination


def test_arms_too_long_for_their_columns_are_refused() -> None:
    what = problems.free(problems.load("snake:257"))
    with pytest.raises(InputError) as refusal:
        inversion.memory(what)
    assert str(refusal.value) == (
        "257 links: to invert the mass matrix, every process holds 257 columns of each value, and a run with "
        "numbers is made for at most 256; leave the numbers out (--no-numbers), or take the algorithm "
        "open-chain or hybrid"
    )
    assert inversion.memory(problems.free(problems.load("snake:256")))["q"].shape == (256,)
