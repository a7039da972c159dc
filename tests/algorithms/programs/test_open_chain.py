"""The open chain by the constraint force algorithm gives the accelerations of independent solvers."""

from __future__ import annotations

import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.programs import variants
from tests.algorithms.programs.scan_runs import counts, error, quickly
from tests.oracles import dense

pytestmark = pytest.mark.rounding


def test_an_arm_in_contact_is_answered_for_as_if_it_were_not() -> None:
    """qdd0, but not qdd, which would be wrong."""
    what = problems.load("random:5:seed=1")
    assert what.contact.constrained
    found = quickly("open-chain", what)
    assert list(found) == ["qdd0"]
    assert error(found["qdd0"], dense.solve(what).qdd0) < 1e-12


def test_it_is_the_closed_chain_without_what_serves_the_contact() -> None:
    """Every instruction of it is one of form short with n_c = 0, in the same order, but for the message of
    the factor (to array 2 alone) and the wait for v_N; missing are Lambda^-1, Vdot_0, Steps III and IV."""
    open_lines = [str(line) for stream in variants.open_chain(8).streams for line in stream]
    short = variants.closed_chain(8, "short", contact=0)
    closed_lines = iter([str(line) for stream in short.streams for line in stream])
    own = [line for line in open_lines if line not in set(map(str, sum(short.streams, ())))]
    assert own == ["send LDL_i^3 -> PR_{2,i}", "wait for v_i^3"]
    assert all(line in closed_lines for line in open_lines if line not in own)
    missing = {line.step.split(".")[0] for stream in short.streams for line in stream}
    missing -= {line.step.split(".")[0] for stream in variants.open_chain(8).streams for line in stream}
    assert missing == {"III", "IV"}


@pytest.mark.fast("2-*")
@pytest.mark.parametrize(("arrays", "laws"), [(1, [(32, 34), (19, 2)]), (2, [(13, 5), (21, 31), (21, 4)])])
def test_steps_are_linear_in_the_levels(arrays: int, laws: list[tuple[int, int]]) -> None:
    """Issued instructions of each array and network steps: a M + b exactly, from n = 3, whatever the n.

    By hand, array 1: 13 in a level (I.b.1-9, 11, 12, 12' and 10, but 10, 11, 12' not in the last) and I.a.
    """
    for n in (3, 4, 5, 8, 9, 16, 17, 31, 33):
        program = variants.open_chain(n, arrays=arrays)
        assert counts(program) == tuple(a * program.levels + b for a, b in laws)


def test_messages_are_those_of_the_algorithm() -> None:
    """Counted by hand, data at home: h = 2^(j-1) apart there are n - h messages a level and direction."""
    n = 11
    reach = [n - h for h in (1, 2, 4, 8)]
    beyond = [n - 2 * h for h in (1, 2, 4)]
    array_1 = 2 * n + (n - 1) + sum(2 * r for r in reach) + sum(2 * r for r in beyond)
    vertical = sum(2 * r for r in reach)  # C and F
    scans = 5 * sum(reach) + 2 * (n - 1)  # frames, omega, wdot, v, wrench; omega and v of the link before
    sweep = 2 * sum(reach)
    around = 4 * (n - 1)
    schedule = senn.placed(variants.open_chain(n), residency="home")
    assert len(schedule.messages) == array_1 + vertical + scans + sweep + around
