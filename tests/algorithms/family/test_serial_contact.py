"""The serial family in contact: against dense matrices, and what it executes."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import ancestors, arm_of, from_link
from senn.algorithms.family.pages import PAGES, Page, executed
from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.base.errors import InputError
from tests.algorithms.references.test_tree import case
from tests.algorithms.robots.oracle import relative
from tests.oracles import dense

pytestmark = pytest.mark.rounding

HELD = [pytest.param(page, id=page.name) for page in PAGES.values() if page.in_contact]
PV = [PAGES["forward_pv"], PAGES["forward_pv_early"]]


# ------------------------------------------------------------------------------ kinds of contact


def held_in(directions: int, text: str = "random:9:seed=4:prismatic=0.2") -> Problem:
    """Oblique directions, prescribed accelerations, and a force along the others."""
    rng = np.random.default_rng(directions)
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    W, H = basis[:, :directions], basis[:, directions:]
    contact = contacts.type_i(W, H, rng.standard_normal(directions), rng.standard_normal(6 - directions))
    return replace(problems.load(text), contact_input=contact)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("page", HELD)
@pytest.mark.parametrize("directions", range(7))
def test_any_number_of_directions_is_held(directions: int, page: Page) -> None:
    """From none, where a given force presses, to all six."""
    given = held_in(directions)
    expected, found = dense.solve(given), page.solve(given)
    assert relative(found["qdd"], expected.qdd) < 1e-10
    assert relative(found["force"], expected.force) < 1e-10


@pytest.mark.parametrize("page", HELD)
def test_a_contact_that_cannot_be_is_refused(page: Page) -> None:
    given = replace(
        problems.load("random:5:seed=1"), contact_input=replace(contacts.welded(), G_C=np.zeros(6))
    )
    with pytest.raises(InputError, match="contact is singular"):
        page.solve(given)


def test_pv_early_waits_until_the_contact_is_regular(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snake whose last six joints are nearly straight: they can do what is asked, by huge accelerations."""
    given = problems.load("snake:12")
    given = given.at(q=np.concatenate([given.q[:6], given.q[6:] * 1e-5]))
    expected, made, links = dense.solve(given).qdd, pv.Solved, []

    def noted(link: int, *parts: Any) -> pv.Solved:
        links.append(link)
        return made(link, *parts)

    monkeypatch.setattr(pv, "Solved", noted)
    assert relative(pv.solve_early(given)["qdd"], expected) < 1e-12
    monkeypatch.setattr(pv, "REGULAR", 0.0)
    assert relative(pv.solve_early(given)["qdd"], expected) > 1e-9
    assert links == [3, 6]  # behind nine joints, behind six


def test_the_null_space_keeps_its_digits_with_a_light_last_link() -> None:
    """Solutions over Lambda^-1 lose them: it is a difference from what the last link would do alone."""
    given = problems.load("random:9:seed=4")
    mass, inertia = given.chain.mass.copy(), given.chain.inertia.copy()
    mass[-1], inertia[-1] = 1e-9 * mass[-1], 1e-9 * inertia[-1]
    light = replace(given, chain=replace(given.chain, mass=mass, inertia=inertia))
    runs = {
        name: senn.run(light, algorithm=name, machine="raw") for name in ("forward-null-space", "forward-pv")
    }
    assert {name: run.certificate["ok"] for name, run in runs.items()} == {
        "forward-null-space": True,
        "forward-pv": False,
    }


def test_the_null_space_takes_the_joints_with_the_largest_pivots() -> None:
    """A snake whose last six joints are straight: they cannot carry the contact, others can."""
    given = problems.load("snake:12")
    given = given.at(q=np.concatenate([given.q[:6], np.zeros(6)]))
    expected, found = dense.solve(given), PAGES["forward_null_space"].solve(given)
    assert relative(found["qdd"], expected.qdd) < 1e-9
    assert relative(found["force"], expected.force) < 1e-9


# ------------------------------------------------------------------------------------------ trees


@cache
def tree(name: str) -> tuple[Problem, Any]:
    given, model = case(name)
    return replace(given, qdd=np.cos(np.arange(given.chain.degrees))), model


def test_what_hangs_on_what() -> None:
    """By hand: two main links, a branch of one joint on the first (behind its mount), one on the last."""
    chain = case("one finger")[0].chain
    arm = arm_of(problems.draw(replace(chain, branches=(*chain.branches, *chain.branches)), 1))
    assert arm.parents == (-1, 0, 1, 0, 3)
    assert (arm.last, ancestors(arm, 4)) == (0, [3, 0])
    own, entries = from_link(arm, 3)
    assert (own.parents, own.degrees, entries) == ((-1, 0), 1, [3, 4])


# -------------------------------------------------------------------------------------- the machine


@pytest.mark.fast("forward-pv", "mass-matrix-symmetry")
@pytest.mark.parametrize(
    "name", ["forward-by-mass-matrix", "forward-pv", "forward-pv-early", "mass-matrix-symmetry"]
)
def test_a_tree_in_contact_runs_on_one_node(name: str) -> None:
    given, _ = tree("nested")
    run = senn.run(given, algorithm=name, machine="raw")
    assert run.certificate["ok"], run.certificate["message"]
    assert ("force" in run.result) == name.startswith("forward")
    notes = " ".join(run.description["problem"]["notes"])
    assert "those of a chain of as many revolute joints" in notes
    assert ("solved after n_c joints" in notes) == (name == "forward-pv-early")


def test_a_given_force_alone_is_answered_with_it() -> None:
    run = senn.run(held_in(0), algorithm="forward-articulated", machine="raw")
    assert run.certificate["ok"]
    assert tuple(run.result) == ("qdd", "force")


# ------------------------------------------------------------------------------------------- counts


@pytest.mark.fast("forward_by_mass_matrix", "forward_articulated", "forward_pv_early")
@pytest.mark.parametrize("page", HELD)
def test_operations_in_contact_are_executed_at_other_n_than_they_are_made_from(page: Page) -> None:
    for directions in range(1, 7):
        shape = ContactShape("I", directions)
        for n in (7, 10):
            counted = executed(page, n, shape) + page.apart(shape)
            assert counted == page.operations(n, shape), (n, directions)


@pytest.mark.parametrize("page", PV, ids=lambda page: page.name)
def test_what_is_counted_in_contact_is_what_is_solved(page: Page) -> None:
    given = problems.load("random:9:seed=4")
    contact = given.contact
    assert page.on_contact is not None
    found = page.on_contact(arm_of(given), given.tau, contact.W, contact.G_C, contact.shape)
    np.testing.assert_allclose(found, page.solve(given)["qdd"], rtol=1e-8)


def test_six_directions_by_hand() -> None:
    """PV adds to a link of articulated bodies: six unit forces inward 144 m 108 a, H'K being a row of them,
    D^-1 H'K 6 m, K'a and (H'K)'nu 42 m 36 a with their sums 12 a, L 21 m 21 a, K - G H'K 36 m 36 a,
    the share 6 m 6 a, and weight in the tip's axes 9 m 6 a."""
    page = PAGES["forward_pv"]
    one = [page.operations(n, ContactShape()) for n in (8, 9)]
    bare = [page.operations(n) for n in (8, 9)]
    more = [(one[1].multiply - one[0].multiply) - (bare[1].multiply - bare[0].multiply)]
    more.append((one[1].add - one[0].add) - (bare[1].add - bare[0].add))
    assert more == [144 + 6 + 42 + 21 + 36 + 6 + 9, 108 + 30 + 12 + 21 + 36 + 6 + 6]
