"""The refined solution: beside balls, from any solver, and where there is none."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.certificate.certify import Judge
from senn.algorithms.certificate.plain_sums import Sums
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.base.errors import InputError
from tests.algorithms.robots.trees import random_tree
from tests.oracles import balls, extended

ANSWERS = ("qdd", "force", "lambda_inverse", "qdd0", "acceleration0", "forces")


def light(at: int, mass: float, size: float, seed: int = 0) -> Problem:
    """Eight welded links, of which link `at` has this part of its mass and of its lengths."""
    chain = generators.generate(f"random:8:seed={seed}")
    here = np.arange(1, 9) == at
    m, s = np.where(here, mass, 1.0), np.where(here, size, 1.0)
    return problems.draw(
        replace(
            chain,
            mass=chain.mass * m,
            inertia=chain.inertia * (m * s**2)[:, None, None],
            position=chain.position * s[:, None],
            centre=chain.centre * s[:, None],
        )
    )


def exact(balls: Any) -> np.ndarray:
    return np.vectorize(lambda ball: float(ball.mid()))(balls)


HARD = [light(8, 1e-6, 1e-2, seed) for seed in (1, 3)] + [light(5, 1e-6, 1e-3), light(8, 1e-2, 1e-2)]
EASY = ("ssrms", "random:7", "random:33:seed=1", "rods:32:slenderness=0.001", "joints:RPSUHCEF:seed=1")


@pytest.mark.parametrize("what", [*HARD, *map(problems.load, EASY)], ids=lambda what: what.name)
def test_answers_are_those_of_balls(what: Problem) -> None:
    """To 14 digits where the format is wider than double, in norms, of answers that programs miss by 1e-3."""
    right, refined = extended.enclosed(what), Judge(what).refined
    found = {
        **{name: getattr(refined, name) for name in ANSWERS[:-1]},
        "forces": refined.model.wrenches(refined.qdd, refined.force),
    }
    for name in ANSWERS:
        expected = exact(getattr(right, name))
        off = np.linalg.norm(np.float64(found[name]) - expected)
        assert off <= 1e-14 * np.linalg.norm(expected), name
    assert refined.doubt < 1e-12


def test_the_operational_mass_behind_a_light_last_link_is_that_of_balls() -> None:
    """An inverse of Lambda^-1, right to 19 digits, kept 10."""
    what = light(8, 1e-6, 1e-2)
    true = balls.answers(what, ["operational_mass"])["operational_mass"]
    assert balls.error(np.float64(Judge(what).refined.operational_mass), true) < 1e-15


@pytest.mark.parametrize("kind", ["point", "plane", "II", "general", "free", "tree"])
def test_every_contact_obeys_its_equations(kind: str) -> None:
    """Beside a dense solution in 80 bits of tau = M qdd + b + J'F with F and Vdot of the contact."""
    rng = np.random.default_rng(3)
    W, H = rng.standard_normal((6, 2)), rng.standard_normal((6, 4))
    made: Any = {
        "II": lambda: contacts.type_ii(W, H, 0.1 * rng.standard_normal((4, 2)), np.ones(4), np.ones(2)),
        "general": lambda: contacts.general(*(rng.standard_normal(s) for s in ((6, 6), 6, (6, 6), 6))),
    }.get(kind, lambda: {"tree": "weld"}.get(kind, kind))
    what = problems.load("random:9:seed=2").at(contact=made())
    if kind == "tree":
        what = problems.draw(random_tree(7, [(2, 3), (7, 2)], 2), 1)
    right, refined = articulated.solve(what), Judge(what).refined
    np.testing.assert_allclose(np.float64(refined.qdd), right.qdd, rtol=1e-9)
    np.testing.assert_allclose(np.float64(refined.force), right.force, rtol=1e-9, atol=1e-12)


def test_any_solver_leads_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Articulated bodies that are a thousandth wrong; the truth is the equations' alone."""
    what = problems.load("random:8:seed=3")
    healthy, respond = Judge(what).refined, articulated.respond
    monkeypatch.setattr(articulated, "respond", lambda *given: tuple(1.001 * x for x in respond(*given)))
    found = Judge(what).refined
    for name in ("qdd", "force", "lambda_inverse"):
        np.testing.assert_allclose(
            np.float64(getattr(found, name)), np.float64(getattr(healthy, name)), 1e-14
        )


def test_equations_that_are_wrong_lead_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the Coriolis forces: programs and serial solvers, which have all of them, then disagree."""
    what = problems.load("random:8:seed=3")
    tip = Sums._motion
    monkeypatch.setattr(Sums, "_motion", lambda self, qdd, moving: tip(self, qdd, False))
    assert not Judge(what).certificate(vars(articulated.solve(what))).ok


def test_a_singular_problem_is_said_to_be_one() -> None:
    straight = problems.load("snake:7").at(q=np.zeros(7), contact="weld")
    with pytest.raises(InputError, match="contact is singular"):
        Judge(straight)


@pytest.mark.parametrize(("mass", "refused"), [(1e-6, False), (1e-9, True)])
def test_a_last_link_of_nothing_is_not_an_arm_that_cannot_move(mass: float, refused: bool) -> None:
    what = light(8, mass, 1e-2)
    if refused:
        with pytest.raises(InputError, match=r"^the last link is too light: .* or fix it to its neighbour$"):
            Judge(what)
    else:
        (note,) = Judge(what).certificate({}).notes
        assert note.startswith("the last link is very light (it has ")


def test_corrections_that_do_not_shrink_are_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver without a right digit: the certificate says so, and certifies nothing."""
    what = problems.load("random:8:seed=3")
    right, respond = vars(articulated.solve(what)), articulated.respond
    monkeypatch.setattr(articulated, "respond", lambda *given: tuple(3.0 * x for x in respond(*given)))
    monkeypatch.setattr("senn.algorithms.certificate.refined.check_regular", lambda *given: None)
    found = Judge(what).certificate(right)
    assert not found.ok
    assert "singular to working precision" in found.message
