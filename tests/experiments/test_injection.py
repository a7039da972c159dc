"""Faults: every outcome is that of the event engine, its answers with a certificate of their own."""

from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import senn
from experiments.trust.injection import faults
from senn.algorithms import catalogue, problems
from senn.algorithms.certificate.certify import certify
from senn.api.building import program_of
from senn.api.programs import loaded, placed
from senn.choices import RunChoices, usual
from senn.machine.engines import events
from tests.experiments.test_flips import Flip, inverted
from tests.machine.tampering import tampered

ARM = problems.load("random:3:seed=3")
BITS = (63, 8, 3)
CASES = {
    "paper": {"algorithm": "closed-chain", "form": "paper"},
    "short": {"algorithm": "closed-chain", "form": "short"},
    "star": {"algorithm": "star"},
    "gather-solve-scatter": {"algorithm": "gather-solve-scatter"},
    "hybrid": {"algorithm": "hybrid"},
}


@pytest.mark.fast("gather*", "hybrid")
@pytest.mark.parametrize("name", CASES)
def test_outcomes_are_those_of_certified_runs_of_the_event_engine(name: str) -> None:
    """Faults drawn from every outcome, and those whose error is the nearest to its tolerance."""
    table = faults(ARM, bits=BITS, **CASES[name])
    options = usual(RunChoices, **CASES[name])
    algorithm = catalogue.algorithm(options["algorithm"])
    arm = ARM if algorithm.closed else problems.free(ARM)
    machine = loaded(options["machine"], options["set"])
    program = program_of(options, 3, arm.chain.joints, arm.contact.shape, arm)
    schedule, memory = (
        placed(program, machine, options["residency"], options["allocation"]),
        algorithm.memory(arm),
    )
    assert len(table) == len(BITS) * schedule.messages.words.sum()
    healthy = events.simulate(schedule, machine, memory, detail="summary").result
    edge = table.filter(pl.col("error") > 0.0).sort((pl.col("error").log()).abs()).head(4)
    drawn = [rows.sample(min(4, len(rows)), seed=1) for _, rows in table.group_by("outcome", "check")]
    outcomes = set()
    for row in pl.concat([edge, *drawn]).iter_rows(named=True):
        flip = Flip(row["message"], row["word"], row["bit"])
        assert schedule.messages.text(flip.message) == row["value"]

        def tamper(message: int, payload: np.ndarray, flip: Flip = flip) -> np.ndarray:
            return inverted(payload, flip) if message == flip.message else payload

        result = tampered(schedule, machine, memory, tamper, detail="summary").result
        same = all(result[x].tobytes() == healthy[x].tobytes() for x in healthy)
        answers = algorithm.answers(arm, result)
        certificate = certify(arm, answers, quantities=list(answers))
        expected = "masked" if same else "certified" if certificate.agrees else "refused"
        assert row["outcome"].replace("silent", "certified") == expected, row
        if not same and row["check"] not in ("number", "copies"):
            residuals = {x: certificate.figures.get(x, 0.0) for x in ("residual", "contact_residual")}
            failed = [x for x, value in residuals.items() if value > 1e-6]
            assert (row["check"] in ("motion", "contact")) == bool(failed), row
        outcomes.add(row["outcome"])
    assert {"refused", "certified"} <= outcomes


def test_a_wrong_copy_of_the_contact_force_is_silent() -> None:
    """The certificate reads the force at one process. The others get theirs in messages of Step III; a sign
    of one leaves a copy that is wrong by as much as the number itself."""
    table = faults(ARM, bits=(63,), algorithm="gather-solve-scatter")
    silent = table.filter(outcome="silent")
    assert set(silent["step"]) == {"III.1.i", "III.1.iii"}
    assert set(silent["check"]) == {"copies"}
    assert silent["error"].min() > 1e-3
    assert not table.filter(pl.col("outcome") != "silent", check="copies").height


def test_a_wrong_joint_wrench_passes_the_residuals() -> None:
    """It is in no acceleration, so that the equations of motion do not show it."""
    table = faults(ARM, bits=(63,), algorithm="star")
    assert table.filter(check="wrenches", outcome="refused").height > 0
    assert not table.filter(pl.col("error") > 1e-6, check="").height


def test_an_algorithm_without_accelerations_is_refused() -> None:
    with pytest.raises(senn.InputError, match="the algorithm lambda-inverse has no accelerations"):
        faults(ARM, algorithm="lambda-inverse")


@pytest.mark.parametrize("bits", [(), "x", (1.5,), (True,), 63, (-1,), (64,)])
def test_bits_that_a_word_has_not_are_one_clear_line(bits: object) -> None:
    with pytest.raises(senn.InputError, match=r"bits? .*0 to 63") as caught:
        faults("random:2", bits=cast(Any, bits))
    assert "\n" not in str(caught.value)


def test_zeros_that_fill_up_narrower_joints_are_no_copies_of_an_answer() -> None:
    """In joints:RUP every process has the zero columns of its padded torques; of copies only `forces.tip`."""
    table = faults("joints:RUP:seed=3", bits=(8,))
    assert not table.filter(outcome="silent").height
    assert table.filter(outcome="certified").height > 100
    assert np.isfinite(table.filter(outcome="certified")["error"].to_numpy()).all()
