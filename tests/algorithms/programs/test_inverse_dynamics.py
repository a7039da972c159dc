"""Inverse dynamics by scans: the weight, steps and messages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms.programs.free import inverse_dynamics
from senn.algorithms.robots import newton_euler
from tests.algorithms.programs.scan_runs import counts, error, mixed, quickly

pytestmark = pytest.mark.rounding

# Sums of n terms in another order: rounding of a few units times n, and what cancels in them.
LIMIT = 1e-13


def test_at_rest_it_is_the_weight() -> None:
    """qd = qdd = 0: tau holds the arm against gravity; without gravity it is exactly nothing."""
    still = replace(mixed(5), qd=np.zeros(5), qdd=np.zeros(5))
    weight = quickly("inverse-dynamics", still)["tau"]
    assert (
        error(weight, newton_euler.dynamics(still.chain, still.q, [0] * 5, [0] * 5, still.gravity).torque)
        < LIMIT
    )
    assert not quickly("inverse-dynamics", replace(still, gravity=np.zeros(3)))["tau"].any()


def test_steps_are_linear_in_the_levels() -> None:
    """Counted by hand on the listing: five recurrences of send, combine and arrange, and 18 lines between
    them, with the wait of process n; on the network the sends and arranges, and two sends to a link."""
    for n in (3, 4, 5, 8, 9, 16, 17, 31, 33):
        program = inverse_dynamics.program(n)
        m = program.levels
        instructions, network = counts(program)
        assert instructions == 15 * m + 18
        assert network == 10 * m + 2


def test_messages_at_home_are_those_of_five_recurrences() -> None:
    n = 11
    schedule = senn.placed(inverse_dynamics.program(n), residency="home")
    assert len(schedule.messages) == 5 * sum(n - h for h in (1, 2, 4, 8)) + 2 * (n - 1)
