"""The fine reference: balls and 80 bits of one text, beside which `test_balls.py` has another formulation."""

from collections.abc import Sequence

import numpy as np
import pytest

from senn.algorithms import problems
from tests.algorithms.programs.compared import touching
from tests.algorithms.robots.oracle import oracle
from tests.algorithms.rounded_inputs import answers, limits, scales_of
from tests.oracles import extended

pytestmark = pytest.mark.rounding

NARROWER = 2.0**-63 / 2.0**-52
"""eps of 80 bits over that of 64."""
CASES: Sequence[tuple[int, int]] = [(1, 1), (2, 0), (4, 2), (7, 6)]


@pytest.mark.parametrize(("n", "constrained"), CASES)
def test_the_reference_has_80_bits(n: int, constrained: int) -> None:
    """All six answers, mixed joints, up to six directions held: as near to balls as one more rounding to 80
    bits lets two answers be, which is a 2048th of what rounding to 64 does."""
    what, model = touching(n, constrained), oracle(touching(n, constrained).chain)
    model.set_gravity(what.gravity)
    found, right = extended.solve(what), extended.enclosed(what)
    allowed, scale = limits(what, model, "dense"), scales_of(answers(what, model))
    part = {name: allowed[name] / scale[name] for name in allowed}
    part["forces"] = max(part["qdd"], part["force"])  # they are made of these
    for name, most in part.items():
        value, balls = getattr(found, name), getattr(right, name)
        assert value.dtype == np.longdouble
        near = np.float64(value)  # and the rest: the difference to balls is small, and loses no digit
        missed = (extended.balls(near) - balls) + extended.balls(value - near)
        off = max(float(x.abs_upper()) for x in missed.ravel())
        largest = scale.get(name) or max(float(abs(x)) for x in balls.ravel())
        assert off < most * NARROWER * largest, name


def test_radii_of_slender_rods_are_those_of_compact_arms() -> None:
    """Where double precision loses seven digits balls lose none: more bits, not another answer."""
    right = extended.enclosed(problems.load("rods:12:slenderness=0.001"))
    assert max(float(x.rad()) for x in right.qdd) < extended.NARROW * max(abs(float(x)) for x in right.qdd)


def test_a_singular_contact_has_no_balls() -> None:
    """Two revolute joints of eight cannot turn a welded tip: rounding hides that, balls do not."""
    what = problems.load("random:8:prismatic=0.3:seed=10")
    assert what.chain.joints.count("revolute") == 2
    with pytest.raises(ArithmeticError, match="no bounded answer: the problem is singular"):
        extended.enclosed(what)
    assert np.isfinite(np.float64(extended.solve(what).qdd)).all()


def test_an_error_is_bounded_from_above() -> None:
    """What is off by a millionth has an error of a millionth, by balls and by 80 bits."""
    what = problems.load("random:8")
    for right in (extended.enclosed(what).qdd, extended.solve(what).qdd):
        nearest = np.float64(right)
        assert extended.error(nearest, right) < 1e-15
        assert extended.error(nearest * (1.0 + 1e-6), right) == pytest.approx(1e-6, rel=1e-6)
