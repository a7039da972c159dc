"""A part of a URDF, read once more: another base, locked joints. Against Pinocchio, which holds the base."""

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.plain_sums import second_reading
from senn.algorithms.plain_sums.judged import equations, matrices, solved
from senn.algorithms.plain_sums.response import State, Sums
from senn.algorithms.robots import urdf
from senn.algorithms.robots.urdf import Part
from tests.algorithms.robots.held import Held
from tests.algorithms.robots.oracle import relative
from tests.algorithms.robots.urdf.test_part import NAMES, STANDS, WALKER

pytestmark = pytest.mark.rounding


def answers(given):
    """By plain sums."""
    held, numbers = given.contact, (given.gravity, given.q, given.qd, given.tau, given.qdd, given.tip_vector)
    said = {"kind": held.kind, "W": held.W, "H": held.H, "G_C": held.G_C, "K_F": held.K_F}
    state = State(*numbers, said)
    model = Sums(second_reading.arm_of(given.chain), state)
    made = matrices(model, given.tau, model.carried(0.0 * given.tau, np.zeros(6)))[0]
    return solved(made, equations(said, model.tip_axes, model.velocity))


@pytest.mark.parametrize("case", STANDS)
def test_a_robot_that_stands_on_any_link(case):
    base, tip, lock, *_ = STANDS[case]
    part = Part.of(tip, base, lock, {"arm_2": 0.05, "waist": 0.4} if lock else None)
    locked = {name: part.at.get(name, (0.0,))[0] for name in NAMES if part.locks(name)}
    given = problems.draw(urdf.read(WALKER, part), 1, (1.0, -2.0, -9.0))
    expected = Held.of(WALKER, base, tip, locked).solve(given)
    found = answers(given)
    assert relative(found["qdd"], expected[0]) < 1e-9
    assert relative(found["force"], expected[1]) < 1e-9


def test_joints_stand_where_they_are_told_or_follow_or_at_the_nearest_limit():
    lock = ("waist", "arm_[01]", "neck")
    given = problems.draw(urdf.read(WALKER, Part.of("hand", lock=lock, at={"arm_0": 0.3})), 1)
    stands = {"waist": 0.0, "arm_0": 0.3, "neck": -0.5, "arm_1": 0.2}
    expected = Held.of(WALKER, "root", "hand", stands).solve(given)
    assert relative(answers(given)["qdd"], expected[0]) < 1e-9


def test_a_robot_without_the_joints_of_the_chain_is_no_reading_of_it():
    chain = urdf.read(WALKER, "hand")
    object.__setattr__(chain, "joints", ("prismatic", *chain.joints[1:]))
    with pytest.raises(ValueError, match=r"'toy' was read as .*, and once more as"):
        second_reading.arm_of(chain)
