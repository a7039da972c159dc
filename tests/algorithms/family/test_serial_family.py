"""The serial family: what each page executes against its formula, conjugate gradients, refusals.

That its answers are Pinocchio's: `tests/algorithms/test_answers.py`.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.answers import END, FORWARD, INVERSE
from senn.algorithms.family import forward as gradients
from senn.algorithms.family import link as pieces_of_link
from senn.algorithms.family.arm import NOTHING_HELD, arm_of, at_state, constants
from senn.algorithms.family.pages import PAGES, Page, counted_links, executed
from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import ContactShape
from senn.base.errors import InputError
from senn.machine.program.counting import Tally
from tests.algorithms.references.test_serial import case as drawn
from tests.algorithms.robots.oracle import relative
from tests.oracles import dense

pytestmark = pytest.mark.rounding

case = cache(drawn)


def asking(question: str) -> list[Any]:
    return [pytest.param(page, id=page.name) for page in PAGES.values() if page.question == question]


# ---------------------------------------------------------------------- answers


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("page", asking(FORWARD))
@pytest.mark.parametrize("name", ["ur5_friction", "ssrms_payload"])
def test_contacts_of_other_kinds_are_those_of_the_dense_reference(name: str, page: Page) -> None:
    """Type II and general: by Table I, and by PV with all six directions; two pages refuse them."""
    given = problems.load(name)
    if who := {"forward_pv_early": "PV-early", "forward_null_space": "the null space"}.get(page.name):
        with pytest.raises(InputError, match=f"contact of kind {given.contact.kind}: {who} takes kind I"):
            page.solve(given)
        return
    expected, found = dense.solve(given), page.solve(given)
    for key in ("qdd", "force"):
        assert relative(found[key], getattr(expected, key)) < 1e-9


# ---------------------------------------------------------- conjugate gradients


def test_conjugate_gradients_end_after_as_many_steps_as_there_are_joints() -> None:
    """In exact arithmetic; on a small well-conditioned arm in double precision all but."""
    given, model = case("5")
    arm, expected = arm_of(given), model.forward_dynamics(given.q, given.qd, given.tau)
    for precondition in (gradients.plain(arm), gradients.diagonal(arm)):
        after = [gradients.by_gradients(arm, given.tau, precondition, k).qdd for k in range(6)]
        assert relative(after[4], expected) > 1e-6
        assert relative(after[5], expected) < 1e-11


def test_the_printed_gamma_does_not_converge_with_a_preconditioner() -> None:
    """Jain (30) has gamma_k = z'z / r'r, which is right for Lambda = U only."""
    given, model = case("8")
    M, drive = model.mass_matrix(given.q), given.tau - model.bias(given.q, given.qd)
    expected = np.linalg.solve(M, drive)

    def after(iterations: int, weight: Any) -> float:
        x, r, p, before = np.zeros(8), drive, np.zeros(8), np.inf
        for _ in range(iterations):
            z = r / np.diag(M)
            p, before = z + weight(z, r) / before * p, weight(z, r) if weight is _right else r @ r
            s = z @ r / (p @ M @ p)
            x, r = x + s * p, r - s * (M @ p)
        return relative(x, expected)

    assert after(12, _right) < 1e-11
    assert after(12, lambda z, r: z @ z) > 1e-3


def _right(z: np.ndarray, r: np.ndarray) -> float:
    return float(z @ r)


def test_conjugate_gradients_that_do_not_converge_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    given, _ = case("8")
    monkeypatch.setattr(gradients, "PATIENCE", 0)
    with pytest.raises(
        InputError,
        match=r"problem 'random:8.*': conjugate gradients have not converged after 0 iterations, .* "
        "take forward-articulated",
    ):
        gradients.solve_by_gradients(given, gradients.diagonal)


# ----------------------------------------------------------------------- counts


GOLDEN = Path(__file__).with_name("operation_counts.txt")
SHAPES = {"free": NOTHING_HELD, "II 4": ContactShape("II", 4), "general": ContactShape("general")} | {
    f"I {directions}": ContactShape("I", directions) for directions in range(7)
}


@pytest.mark.fast("free", "I 6", "general")
@pytest.mark.parametrize("contact", SHAPES)
def test_operations_of_all_pages_are_the_frozen_ones(contact: str) -> None:
    """For n = 1, 2, 7, 25 and 100: multiplications, additions, divisions, sines and cosines."""
    lines = [line for line in GOLDEN.read_text().splitlines() if f", {contact}: " in line]
    assert lines
    for line in lines:
        name, _, frozen = re.split(r", |: ", line, maxsplit=2)
        page, shape = PAGES[name], SHAPES[contact]
        if frozen == "refused":
            with pytest.raises(InputError):
                page.operations(7, shape)
            continue
        counts = (list(page.operations(n, shape))[:4] for n in (1, 2, 7, 25, 100))
        assert "; ".join(" ".join(map(str, count)) for count in counts) == frozen, line


@pytest.mark.parametrize("page", [pytest.param(page, id=name) for name, page in PAGES.items()])
def test_operations_are_executed_at_other_n_than_they_are_made_from(page: Page) -> None:
    """Also for one joint, but for Lambda, of which there is none."""
    first = 2 if page.answer in ("operational_mass", "tip_wrench") else 1
    for n in (first, 3, 4, 8, 20):
        assert executed(page, n) == page.operations(n), n
    assert page.in_contact or page.operations(first, ContactShape()) == page.operations(first)


@pytest.mark.parametrize("page", [pytest.param(page, id=name) for name, page in PAGES.items()])
def test_what_is_counted_is_what_is_solved(page: Page) -> None:
    """`on_arm`, which the counts are about, gives the answer of `solve`."""
    given, _ = case("8" if page.question == END else "5")  # Lambda exists
    given = replace(given, contact_input=contacts.none(), tip_vector=np.arange(1.0, 7.0))
    arm = at_state(constants(given.chain), given.q, given.qd, given.chain.base_rotation.T @ given.gravity)
    found = page.on_arm(arm, {INVERSE: given.qdd, END: given.tip_vector}.get(page.question, given.tau))
    expected = page.solve(given)[page.answer]
    np.testing.assert_allclose(np.reshape(found, expected.shape), expected, rtol=1e-9)


# ------------------------------------------------- joints with several degrees of freedom


def test_docstrings_of_the_pieces_say_what_is_executed() -> None:
    """ "24 m 18 a" and the like, of one link's arithmetic."""
    tally = Tally()
    (held,) = counted_links(tally, 1)
    (link,) = at_state([held], tally.scalars(1), tally.scalars(1), tally.scalars(3)).links
    rigid, six, three = link.inertia, tally.scalars(6), tally.scalars(3)
    pieces = {
        pieces_of_link.inward: lambda: pieces_of_link.inward(link, six),
        pieces_of_link.outward: lambda: pieces_of_link.outward(link, six),
        pieces_of_link.outward_axes: lambda: pieces_of_link.outward_axes(link, three),
        pieces_of_link.inward_motion: lambda: pieces_of_link.inward_motion(link, tally.scalars(6, 1)),
        pieces_of_link.outward_force: lambda: pieces_of_link.outward_force(link, six),
        pieces_of_link.composite_inward: lambda: pieces_of_link.composite_inward(link, rigid),
        pieces_of_link.inertia_inward: lambda: pieces_of_link.inertia_inward(link, tally.scalars(21)),
        type(rigid).applied: lambda: rigid.applied(six),
        type(rigid).gyroscopic: lambda: rigid.gyroscopic(three, three),
    }
    for function, run in pieces.items():
        before = tally.operations
        run()
        counts = tally.operations.multiply - before.multiply, tally.operations.add - before.add
        said = re.search(r"(\d+) m (\d+) a", function.__doc__ or "")
        assert said is not None, function
        assert tuple(map(int, said.groups())) == counts, function


# ------------------------------------------------------------------------------ operational space


@pytest.mark.parametrize("name", ["lambda_constraint_force", "lambda_times_constraint_force"])
def test_lambda_is_refused_where_it_does_not_exist(name: str) -> None:
    """By the page and through the front door; Lambda^-1 of the same arm is given."""
    short = problems.load("random:5:seed=1")
    with pytest.raises(InputError, match=r"Lambda does not exist: .* with 5 degrees of freedom it never can"):
        PAGES[name].solve(short)
    with pytest.raises(InputError, match="Lambda does not exist"):
        senn.run(short, algorithm=name.replace("_", "-"), machine="raw")
    run = senn.run(short, algorithm="lambda-inverse-constraint-force", machine="raw")
    assert run.certificate["ok"]


def test_lambda_of_a_straight_arm_is_refused() -> None:
    chain, zero = problems.load("snake:9").chain, np.zeros(9)
    straight = problems.Problem("arm", chain, problems.EARTH, zero, zero, zero, contacts.none())
    with pytest.raises(InputError, match="or leave the singular configuration"):
        PAGES["lambda_constraint_force"].solve(straight)
