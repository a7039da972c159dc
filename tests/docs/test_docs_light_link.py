"""light_link.md: its identities and bounds, and what its tables say of each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from experiments.page import data
from experiments.trust import light_link as script
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import star
from tests.oracles import ports, two_ports

pytestmark = pytest.mark.rounding
MASSES = pytest.mark.parametrize("mass", script.MASSES)
CURES = (script.LOANS, "the joint a third port", "waves", "pairs of links", "refined 4 times", script.SERIAL)


def cuts(what: Problem) -> list[ports.Cut]:
    """Behind the middle link, without loans and with them, in 80 bits."""
    whole, rho = two_ports.links(what), star.loans(what.chain).astype(np.longdouble)
    return [ports.Cut.behind(ports.lent(whole, x * rho)[1], what.chain.n // 2) for x in (0.0, 1.0)]


@MASSES
def test_what_rounding_does_is_within_its_bound_and_near_it(mass: float) -> None:
    """With loans and without: at most the bound, at least a thousandth of it."""
    for what in script.of_mass(mass):
        for cut in cuts(what):
            moved, bound = cut.rounded()
            assert bound / 1000 < moved <= bound


@MASSES
def test_spans_with_the_same_words_have_answers_apart(mass: float) -> None:
    """No algorithm has both right to better than half of it. Both are within the bound, so it is at most
    twice the bound; the worst is at least a hundredth of the worst bound. With loans it is small."""
    apart, bounds = [], []
    for what in script.of_mass(mass):
        bare, lent = cuts(what)
        apart.append(bare.ambiguity())
        bounds.append(bare.rounded()[1])
        assert lent.ambiguity() < 1e-12
    assert all(x <= 2 * bound for x, bound in zip(apart, bounds, strict=True))
    assert max(apart) > max(bounds) / 100


def test_a_loan_changes_a_cut_as_the_page_says() -> None:
    """C' = (1 + CZ)^-1 C, b' = (1 + CZ)^-1 b, J' = J - Z, K' = K (1 + CZ), K'C' = KC, and the same a."""
    what = script.of_mass(1.0)[0]
    bare, lent = cuts(what)
    z = star.loans(what.chain)[what.chain.n // 2] * ports.ROTARY
    apart = np.eye(6) + bare.c @ z
    k = lent.k()
    pairs = (
        (apart @ lent.c, bare.c),
        (apart @ lent.b, bare.b),
        (lent.j, bare.j - z),
        (k, bare.k() @ apart),
        (k @ lent.c, bare.k() @ bare.c),
        (lent.motion(), bare.motion()),
    )
    for computed, expected in pairs:
        assert np.abs(computed - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("form", script.FORMS)
def test_every_form_is_right_where_no_link_is_light(form: str) -> None:
    for what in script.of_mass(1.0, 8)[:3]:
        assert script.error(what, script.FORMS[form](what)) < 1e-11


@pytest.mark.parametrize("form", CURES)
def test_cures_cure(form: str) -> None:
    """Mass 1e-6, size 1e-2: 11 digits and more, where star products without loans have three."""
    for what in script.of_mass(1e-6, 8)[:3]:
        assert script.error(what, script.FORMS[form](what)) < 1e-11
        assert script.error(what, script.FORMS[script.STAR](what)) > 1e-5


@pytest.mark.parametrize(
    ("mass", "least", "most"), [(1e-2, 1e-10, 1e-4), (1e-6, 1e-6, 1.0)], ids=["1e-2", "1e-6"]
)
def test_square_roots_do_not(mass: float, least: float, most: float) -> None:
    worst = max(script.error(x, ports_roots(x)) for x in script.of_mass(mass, 8)[:3])
    assert least < worst <= most


ports_roots: Callable[[Problem], ports.Numbers] = script.FORMS["square roots of C and J"]


def test_the_tables_say_what_the_page_says() -> None:
    """Every bound holds, bounds without loans grow with 1/D and those with loans do not."""
    _, *rows = data("light_link", "bounds")
    numbers = np.array([[float(x) for x in row] for row in rows])
    assert (numbers[:, 3] <= numbers[:, 4]).all()
    assert (numbers[:, 5] <= numbers[:, 6]).all()
    assert numbers[-1, 4] > 1e8 * numbers[0, 4]
    assert numbers[-1, 6] < 100 * numbers[0, 6]
    worst = {
        row[0]: [x.strip(")").split("(")[-1] for x in row[1:]] for row in data("light_link", "forms")[1:]
    }
    for form in CURES[:3]:
        assert max(map(float, worst[form])) <= 1e-10
