"""Printed errors against true ones: some of the hard problems of `benchmarks/digits.py`, and its rules."""

import math
from dataclasses import replace

import numpy as np
import pytest

import senn
from benchmarks import digits, hard
from senn.algorithms.certificate.certify import certify

pytestmark = pytest.mark.rounding

SEEDS = {
    2: "light tip with friction",
    36: "slender base",
    40: "light tip lying flat",
    45: "light tip free",
    80: "all links light",
    111: "payload on a point",
    140: "light tip of a real robot",
    177: "light tip on a plane",
    179: "all links light in single precision",
    183: "very light tip of 16 links",
    188: "light tip on a line beside wide joints",
    193: "light tip welded",
    204: "payload of a snake",
    231: "two links of a real robot",
}
"""Numbers of problems, and what is hard about each; a certificate by tolerances failed on every one."""


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed}-{SEEDS[seed].replace(' ', '-')}")
def test_a_certificate_prints_the_digits_that_an_answer_has(seed):
    problem = hard.drawn(seed)
    row = digits.judged(problem)
    assert (row.lies, row.far_off, row.unprinted, row.refused) == ([], [], [], False), row


def _row(ok=True, least=8, printed=1e-9, true=1e-9):
    figures = {"printed": printed, "true": true, "blur": 1e-16}
    named = {key: {"qdd_error": value} for key, value in figures.items()}
    return digits.Judged(1, "", {"algorithm": "star"}, ok, least, **named)


def test_two_digits_too_many_are_a_lie_and_one_is_none():
    assert _row(least=8, printed=9e-9, true=9e-8).lies == []
    assert _row(least=8, printed=9e-9, true=2e-6).lies == ["qdd_error"]
    assert _row(least=8, printed=1e-15, true=9e-8).lies == ["qdd_error"]  # one figure, whatever the least is
    assert _row(ok=False, least=8, printed=9e-9, true=2e-6).lies == []
    assert _row(least=6, true=math.inf).lies == ["qdd_error"]  # certified, and the problem is singular


def test_a_printed_error_is_within_ten_of_a_true_one_above_1e_13():
    assert _row(printed=2e-10, true=1e-9).far_off == []
    assert _row(printed=9e-11, true=1e-9).far_off == ["qdd_error"]
    assert _row(printed=2e-8, true=1e-9).far_off == ["qdd_error"]
    assert _row(printed=1e-16, true=9e-14).far_off == []
    assert _row(printed=math.nan, true=1e-9).far_off == ["qdd_error"]


def test_answers_right_to_eight_digits_are_not_to_be_refused():
    assert _row(ok=False, true=9e-9).refused
    assert not _row(ok=False, true=2e-8).refused
    assert not _row(true=9e-9).refused


def test_an_answer_without_a_printed_error_is_named():
    assert _row(printed=1e-9).unprinted == []
    row = _row()
    assert replace(row, true={**row.true, "forces_error": 1e-9}).unprinted == ["forces_error"]


def test_what_the_stored_rotations_leave_open_is_counted_apart():
    assert _row(true=9e-16).blurred(["qdd_error"])
    assert not _row(true=2e-15).blurred(["qdd_error"])


@pytest.mark.parametrize(("error", "count"), [(0.0, 16), (1e-20, 16), (9.9e-9, 8), (1.1e-8, 7), (1.0, 0)])
def test_digits_of_an_error(error, count):
    assert digits.digits(error) == count


def test_digits_of_no_number_are_none():
    assert digits.digits(math.nan) == digits.digits(math.inf) == 0


def test_a_problem_is_drawn_the_same_each_time():
    first, second = hard.drawn(17), hard.drawn(17)
    assert (first.words, first.ways) == (second.words, second.ways)
    assert first.problem.q.tobytes() == second.problem.q.tobytes()
    assert first.problem.chain.mass.tobytes() == second.problem.chain.mass.tobytes()


def test_a_held_main_chain_whose_branches_fall_is_certified():
    """Two joints held in two directions: accelerations of the tip are rounding, those of branches not."""
    drawn = hard.drawn(0)
    assert drawn is not None
    assert drawn.words == "branched n=2 payload links 2..2 I"
    run = senn.run(drawn.problem, algorithm="forward-articulated", machine="ideal")
    assert run.certificate["ok"], run.certificate["message"]
    assert not certify(drawn.problem, {**run.result, "qdd": run.result["qdd"] + 1e-4 * np.eye(7)[0]}).ok
