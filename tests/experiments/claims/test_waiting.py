"""Who waits for whom, on machines of one's own and in the trace of the other engine; Newton-Euler given."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import senn
from experiments.claims.hiding import without_newton_euler
from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from tests.experiments.claims.own_machines import FAST, SLOW, row, tried


def test_array_2_waits_for_the_diagonal_where_messages_are_cheap(tmp_path: Path) -> None:
    """By hand, n = 8: 3 levels of 1,030 operations, no K in the last (225), and the factor of A^M (55);
    words: C, D, F, G, K both ways but in the last, and the factor."""
    finding = tried("diagonalisation-dearer", tmp_path, FAST, SLOW)
    assert [*finding.verdict.cases.values()] == [True, False]
    assert row(finding, n=8)["operations I.b"] == 3 * 1030 - 225 + 55
    assert row(finding, n=8)["words I.b"] == 3 * (25 + 15 + 25 + 15) + 2 * 2 * 25 + 15
    trace = senn.timed(
        variants.closed_chain(8), str(tmp_path / "1.toml"), engine="events", detail="full"
    ).trace
    late = row(finding, 1, machine=str(tmp_path / "1.toml"), n=8)
    assert late["A^M arrives"] == trace.messages.filter(value="LDL", target_array=2)["arrived"].max()
    assert late["X^2 ready"] == trace.instructions.filter(step="II.b.5.iii")["end"].item()


def test_newton_euler_is_hidden_where_messages_are_cheap(tmp_path: Path) -> None:
    """What is not hidden is what array 2 takes longer than array 1."""
    finding = tried("newton-euler-hidden", tmp_path, FAST, SLOW)
    assert [*finding.verdict.cases.values()] == [True, False]


@pytest.mark.parametrize("form", ["paper", "short"])
def test_the_program_without_newton_euler_solves_the_arm_at_rest(form: str) -> None:
    """Where nothing moves and nothing is heavy, b' and Jdot Qdot are zero; so given, no bit is another."""
    still = replace(problems.load("random:5:seed=3"), qd=np.zeros(5), gravity=np.zeros(3))
    whole = variants.closed_chain(5, form, contact=still.contact.shape)
    spared = without_newton_euler(whole)
    assert not [line.step for stream in spared.streams for line in stream if line.step.startswith("II.b.1.")]
    zeros = {"b": np.zeros(5), "wdot[3]": np.zeros((5, 3)), "v[3]": np.zeros((5, 3))}
    held = memory(still) | zeros
    found, given = senn.solved(whole, memory(still)), senn.solved(spared, held)
    assert (found.result["qdd"] == given.result["qdd"]).all()
