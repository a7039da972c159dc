"""Elimination from both ends: right at any cut, three messages, and counted as it is executed."""

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.family import outward
from senn.algorithms.family.pages import in_parts
from senn.algorithms.family.parts import both_ends, two_port
from senn.api.programs import placed
from senn.base.errors import InputError
from senn.machine import model
from tests.algorithms.both_engines import agreed
from tests.algorithms.programs.compared import agrees
from tests.algorithms.robots.oracle import relative
from tests.oracles import dense

pytestmark = pytest.mark.rounding

NAMES = ("qdd", "force", "lambda_inverse", "acceleration0")


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        *(("random:9:seed=2", inner) for inner in range(9)),  # 0: the cheapest
        ("random:2:seed=4", 1),
        ("random:13:seed=3:prismatic=0.4", 0),
        ("joints:FRCEUSHXR:seed=1", 4),
        ("ur5_friction", 3),
        ("ur5_free", 2),
        ("ssrms_payload", 3),
    ],
)
def test_any_cut_in_both_engines(text, inner):
    what = problems.load(text)
    chain = what.chain
    program = both_ends.program(chain.n, chain.joints, what.contact.shape, problem=what, inner=inner)
    run = agreed(program, both_ends.memory(what, inner), residency="home")
    assert agrees(both_ends.answers(what, run.result), what, NAMES, 1e-9)


def test_three_messages_of_6_27_and_6_words():
    messages = placed(both_ends.program(12), model.load("mark3"), "home").messages
    assert messages.words.tolist() == [6, 27, 6]


@pytest.mark.parametrize(("n", "inner"), [(1, 0), (4, 4), (4, -1)])
def test_a_node_without_links_is_refused(n, inner):
    with pytest.raises(InputError, match="each node takes at least one link"):
        both_ends.program(n, inner=inner)


def test_the_cheapest_cut_has_the_fewest_operations_in_a_row():
    cuts = {k: both_ends.longest(both_ends.counted(k, 24 - k)) for k in range(6, 24)}
    assert both_ends.least(24, both_ends.counted) == min(cuts, key=cuts.get)


def test_passes_lie_on_a_line():
    for n in (9, 14):
        inner = both_ends.inner_passes
        assert two_port.along_line(inner, n, 6) == in_parts(n, inner)
        assert two_port.counted(n) == in_parts(n, two_port.passes, turning=True)


def test_the_base_is_solved_where_it_is_regular(monkeypatch):
    """A snake whose first six joints are nearly straight: they can do what the base asks, by huge
    accelerations."""
    given = problems.load("snake:12")
    given = given.at(q=np.where(np.arange(12) < 6, 1e-5 * given.q, given.q))
    expected = dense.solve(given).lambda_inverse
    assert relative(outward.solve(given)["lambda_inverse"], expected) < 1e-13
    monkeypatch.setattr(outward, "REGULAR", 0.0)
    assert relative(outward.solve(given)["lambda_inverse"], expected) > 1e-8
