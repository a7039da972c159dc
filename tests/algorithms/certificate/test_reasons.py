"""Why a certificate fails, and what helps: the problem, the way it is solved, or one link."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import catalogue, problems
from senn.algorithms.certificate.certify import WITHIN, certify
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.api import solving
from senn.traces.errors import InputError
from tests.oracles import extended


def light(at: int, mass: float, size: float) -> Problem:
    """Eight links, of which link `at` has this part of its mass and of its lengths."""
    chain = generators.generate("random:8")
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


def judged(what: Problem, **choices: Any) -> dict[str, Any]:
    cheap = {"engine": "lockstep", "machine": "ideal", "detail": "summary", "values": False}
    found = senn.run(what, **cheap, **choices).certificate
    assert found is not None
    return dict(found)


def test_one_light_link_is_no_ill_conditioned_problem() -> None:
    """Articulated bodies agree with themselves in 80 bits; constraint forces lose eleven digits, elimination
    all of them: the reason names the elimination. Odd-even reduction passes, which is said after it was run;
    what constraint forces lose in one elimination is said of reduction."""
    what = light(5, 1e-5, 1e-2)
    right, wide = vars(articulated.solve(what)), vars(extended.solve(what))
    off = np.linalg.norm(right["qdd"] - np.float64(wide["qdd"])) / np.linalg.norm(right["qdd"])
    assert off < 1e-12
    found = judged(what)
    assert not found["ok"]
    assert found["reason"].startswith("Odd-even elimination without refinement loses what one elimination ")
    assert found["message"].endswith(f"{found['reason']}. Try --elimination oer: it passes on this problem")
    assert judged(what, elimination="oer")["ok"]
    reason = certify(what, replace(articulated.solve(what), qdd=right["qdd"] + 1.0)).reason
    assert "The problem is well-conditioned (rounding moves articulated bodies' answers by " in reason
    assert "and constraint forces lose it" in reason


def test_elimination_of_each_row_apart_is_named_where_it_loses_what_one_elimination_keeps() -> None:
    """Thin rods: odd-even elimination loses all digits; refined, or in a serial elimination, it has four."""
    what = problems.load("rods:32:slenderness=0.001")
    found = judged(what)
    assert not found["ok"]
    assert found["reason"].startswith("Odd-even elimination without refinement loses what one elimination ")
    assert found["tolerances"]["qdd_error"] > 0.1 > 1e-3 > judged(what, refine=1)["tolerances"]["qdd_error"]


def test_a_tolerance_of_few_digits_is_noted() -> None:
    found = judged(problems.load("rods:8:slenderness=0.003"))
    (note,) = found["notes"]
    assert note.startswith("an error of ")
    assert note.endswith("rounding moves this program's answers so far")
    assert 1e-6 < max(found["tolerances"].values()) < 0.1
    assert judged(problems.load("random:8"))["notes"] == []


@pytest.mark.exhaustive
def test_where_no_constraint_force_helps_another_way_is_found() -> None:
    """A link of a millionth, a thousandth of the size: no way over constraint forces has a digit of it."""
    what = light(5, 1e-6, 1e-3)
    assert judged(what)["way_out"] == "Try --algorithm forward-by-mass-matrix: it passes on this problem"
    for choices in ({"elimination": "oer"}, {"form": "short"}, {"refine": 1}, {"algorithm": "star"}):
        assert not judged(what, **choices)["ok"]
    assert judged(what, algorithm="forward-by-mass-matrix")["ok"]


def test_where_nothing_helps_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_passes", lambda problem, chosen: False)
    said = judged(light(5, 1e-6, 1e-3))["way_out"]
    assert said.startswith("Tried here, and none passes: --elimination oer, --form short, ")
    assert "--refine 1, --algorithm divide-and-conquer, --algorithm star, " in said
    assert said.endswith(
        "; make neighbouring links more alike in mass and size, or fix a tiny link to its neighbour"
    )


def test_another_algorithm_helps_where_the_tip_is_free() -> None:
    found = judged(problems.free(light(5, 1e-6, 1e-3)), algorithm="open-chain")
    assert found["way_out"] == "Try --algorithm hybrid: it passes on this problem"
    assert judged(problems.free(light(5, 1e-6, 1e-3)), algorithm="hybrid")["ok"]


def test_what_goes_without_constraint_forces_is_judged_without_them() -> None:
    """A way that loses nothing has no tolerance of one that loses all: a billionth too much is found."""
    what = problems.free(light(5, 1e-5, 1e-2))
    right = {"qdd": articulated.solve(what).qdd}
    over, without = certify(what, right), certify(what, right, recursive=True)
    assert without.tolerances["qdd_error"] < 1e-9 < over.tolerances["qdd_error"]
    assert without.verdicts == {"qdd_error": WITHIN, "qdd_joint_error": WITHIN, "residual": WITHIN}
    wrong = {"qdd": right["qdd"] * (1.0 + 1e-9)}
    assert not certify(what, wrong, recursive=True).ok


@pytest.mark.parametrize("name", [name for name, one in catalogue.ALGORITHMS.items() if not one.constrained])
def test_they_all_pass_where_constraint_forces_lose_all(name: str) -> None:
    """Articulated bodies, M and Newton-Euler on the machine or on one node: none has digits to lose here."""
    assert judged(light(3, 1e-6, 1e-3), algorithm=name)["ok"]


def test_single_precision_is_sent_to_double() -> None:
    assert (
        judged(problems.load("random:40"), precision="single")["way_out"]
        == "Try --precision double: it passes on this problem"
    )


def test_an_ill_conditioned_problem_is_said_to_be_one() -> None:
    """Nearly straight, and welded: what the contact does to it no solver knows."""
    chain, zero = generators.generate("snake:7"), np.zeros(7)
    bend = 3e-6 * np.array([1.0, -0.7, 0.9, 1.1, -0.8, 0.6, 1.0])
    what = problems.resolved(chain, problems.EARTH, bend, zero, np.ones(7), contacts.welded())
    found = certify(what, articulated.solve(what))
    assert not found.ok
    assert found.reason.startswith("The problem is ill-conditioned: rounding moves its answers by ")


@pytest.mark.parametrize("bend", [1e-4, 3e-5])
def test_a_nearly_singular_contact_is_not_the_fault_of_links(bend: float) -> None:
    """Nearly straight, and welded: without the contact constraint forces lose nothing."""
    what = problems.load("snake:7").at(q=bend * np.cos(1.3 * np.arange(7)), contact="weld")
    right = articulated.solve(what)
    found = certify(what, replace(right, qdd=right.qdd + 1.0))
    assert "and constraint forces lose it" in found.reason
    assert found.reason.endswith(": contact is nearly singular")
    free = problems.free(light(5, 1e-6, 1e-3))
    assert certify(free, {"qdd": np.ones(8)}).reason.endswith(": links differ too much in mass or thickness")


@pytest.mark.parametrize(("mass", "refused"), [(1e-6, False), (1e-9, True)])
def test_a_last_link_of_nothing_is_not_an_arm_that_cannot_move(mass: float, refused: bool) -> None:
    what = light(8, mass, 1e-2)
    if refused:
        with pytest.raises(InputError) as caught:
            articulated.solve(what)
        said = str(caught.value)
        assert said.startswith("the last link is too light: it has ")
        assert said.endswith(
            "give it the mass of the tool or the load that it carries, or fix it to its neighbour"
        )
    else:
        said = certify(what, articulated.solve(what)).notes[0]
        assert said.startswith("the last link is very light (it has ")
    assert "cannot move" not in said
    assert "nearly singular" not in said
