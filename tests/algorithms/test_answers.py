"""Every algorithm, with any of its choices, has Pinocchio's answers, by both engines.

The cases are a covering array: any two values of two choices meet in one of them. Fast are the first ones of
every algorithm with lean joints, with joints of other types and with side branches, of every algorithm in
every form and elimination, and of contacts of every kind in every form.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.api.building import Shared
from tests.algorithms.problems import test_contact
from tests.algorithms.references.test_tree import CASES, GRAVITY
from tests.algorithms.references.test_tree import case as branched
from tests.algorithms.robots.oracle import Oracle
from tests.algorithms.robots.trees import tree_oracle

CHOICES: dict[str, tuple[Any, ...]] = {
    "algorithm": tuple(ALGORITHMS),
    "arm": (
        *("1", "2", "3", "6", "8", "13", "16", "31", "FRRRRRR", "RSRPRRU", "HCEUS", "everywhere", "nested"),
        "all types",
    ),
    "contact": ("drawn", "free", "pressed", "weld", "plane", "point", "line", "face", "II", "general"),
    "form": ("paper", "short", "omega"),
    "refine": (0, 1, 2),
    "strategy": (1, 2),
    "elimination": ("oee", "oer"),
    "motion": ("recurrences", "jets", "outward"),
    "arrays": (1, 2, 3, 8),
    "residency": ("migrating", "home", "ahead"),
    "allocation": ("identity", "gray", "random:3"),
    "machine": ("mark3", "raw", "fijany"),
}
"""An arm is a number of links, 30 % of them prismatic, the types of its joints, or the name of a tree."""
FEW = ("1", "2", "3", "everywhere")
"""The arms of less than six degrees of freedom."""
TYPE_I = ("forward-null-space", "forward-pv-early")
"""Algorithms that take contacts of no other kind."""
ANY = ("algorithm", "arm", "contact", "residency", "allocation", "machine")
"""What every program can be given; an algorithm of one node has no place to choose."""
SERIAL = ("algorithm", "arm", "contact", "machine")

SOLVED = ("qdd", "qdd0", "acceleration0", "force", "forces")
WITHIN = {
    **dict.fromkeys(SOLVED, 1e-10),
    **dict.fromkeys(("operational_mass", "tip_wrench"), 1e-11),
    **dict.fromkeys(("lambda_inverse", "tip_acceleration"), 1e-12),
    **dict.fromkeys(("tau", "mass_matrix"), 1e-13),
}
"""Largest relative error of each answer. Those of `SOLVED` lose the digits of the mass matrix: the bound is
that of a condition number of 2,000, and grows with it beyond."""

Case = dict[str, Any]


def normal(case: Case) -> Case | None:
    """The case without the choices that its algorithm has not; None where it is refused."""
    algorithm = ALGORITHMS[case["algorithm"]]
    given = SERIAL if algorithm.serial else ANY
    case = {name: value for name, value in case.items() if name in given or name in algorithm.choices}
    if case["arm"] in CASES and not algorithm.branched:
        return None
    if not algorithm.closed:
        case["contact"] = "free"
    at_end = algorithm.question == "operational space"
    refused = (
        case["arm"] in FEW and case["contact"] not in ("drawn", "free"),
        at_end and case["arm"] in FEW,
        at_end and case.get("form") == "omega",
        at_end and (case.get("strategy"), case.get("elimination")) == (1, "oer"),
        case.get("residency") == "ahead" and "ahead" not in algorithm.choices,
        case.get("arrays", 1) > 2 and algorithm.name != "closed-chain",
        case.get("arrays") == 8 and case.get("form", "paper") != "paper",
        case.get("form") == "paper" and case.get("motion", "recurrences") != "recurrences",
        case.get("motion") == "outward" and algorithm.name == "inverse-dynamics",
        algorithm.name == "both-ends" and case["arm"] == "1",
        algorithm.name in TYPE_I and case["contact"] in ("II", "general"),
    )
    return None if any(refused) else case


def covering_array(seed: int = 0, tries: int = 12) -> list[Case]:
    """Cases in which any two values of two choices meet, each the best of some that are drawn."""
    rng = random.Random(seed)
    missing = {
        frozenset({(one, x), (other, y)})
        for one, other in combinations(CHOICES, 2)
        for x in CHOICES[one]
        for y in CHOICES[other]
    }
    cases = []
    for pair in sorted(missing, key=lambda pair: sorted(map(str, pair))):
        if pair not in missing:
            continue
        drawn = (
            {name: rng.choice(values) for name, values in CHOICES.items()} | dict(pair) for _ in range(tries)
        )
        possible = [case for case in map(normal, drawn) if case and pair <= case.items()]
        if possible:
            best = max(possible, key=lambda case: len(_pairs(case) & missing))
            missing -= _pairs(best)
            cases.append(best)
    return cases


def _pairs(case: Case) -> set[frozenset[tuple[str, Any]]]:
    return set(map(frozenset, combinations(case.items(), 2)))


def kind(arm: str) -> str:
    """What is common to arms."""
    return "tree" if arm in CASES else "lean" if arm.isdigit() else "wide"


def marked(cases: list[Case]) -> list[Any]:
    """The cases, all but the fast ones marked as exhaustive."""
    seen: set[tuple[str | None, ...]] = set()
    marked = []
    for case in cases:
        name = case["algorithm"]
        shown = {(name, kind(case["arm"])), (name, case.get("form"), case.get("elimination"))}
        if case["contact"] in ("II", "general"):
            shown.add((case["contact"], case.get("form"), case.get("motion")))
        marks = [pytest.mark.exhaustive] if shown <= seen else []
        seen |= shown
        marked.append(pytest.param(case, marks=marks, id="-".join(map(str, case.values()))))
    return marked


def in_contact(problem: Problem, word: str) -> Problem:
    """In the contact of a word; pressed: four directions of no order are held, with an acceleration and a
    force that are not zero; II: three, with friction."""
    if word == "drawn":
        return problem
    if word in OF_NUMBERS:
        return replace(problem, contact_input=test_contact.made(*OF_NUMBERS[word]))
    return problem.at(contact=word)


OF_NUMBERS = {
    word: (kind, test_contact.written(kind, held))
    for word, kind, held in (("pressed", "I", 4), ("II", "II", 3), ("general", "general", 6))
}


@cache
def arm(name: str) -> tuple[Problem, Oracle]:
    """The arm with a state, torques, accelerations and a contact drawn from a seed, and Pinocchio's model."""
    if name in CASES:
        problem, model = branched(name)
    else:
        text = f"random:{name}:prismatic=0.3:seed={name}" if name.isdigit() else f"joints:{name}:seed=2"
        chain = problems.load(text).chain
        problem, model = problems.draw(chain, 3, {"gravity": GRAVITY}), tree_oracle(chain)
        model.set_gravity(GRAVITY)
    rng = np.random.default_rng(7)
    return replace(
        problem, qdd=rng.standard_normal(problem.chain.degrees), tip_vector=np.arange(1.0, 7.0)
    ), model


def expected(problem: Problem, model: Oracle, word: str) -> dict[str, np.ndarray]:
    """Pinocchio's answers by their names in a run; the forces are those of articulated bodies."""
    q, qd, tau = problem.q, problem.qd, problem.tau
    M, J = model.mass_matrix(q), model.jacobian(q)
    inverse = J @ np.linalg.solve(M, J.T)
    free = model.forward_dynamics(q, qd, tau)
    answers = {
        "qdd": free,
        "qdd0": free,
        "acceleration0": model.acceleration(q, qd, free),
        "lambda_inverse": inverse,
        "mass_matrix": M,
        "tau": model.inverse_dynamics(q, qd, problem.qdd),
        "tip_acceleration": inverse @ problem.tip_vector,
        "force": np.zeros(6),
        "forces": articulated.solve(problem).forces,
    }
    if word in OF_NUMBERS and problem.contact.constrained:
        answers["qdd"], answers["force"] = test_contact.expected(problem, model, OF_NUMBERS[word][1])
    elif problem.contact.constrained:
        answers["qdd"], answers["force"] = model.constrained(q, qd, tau, problem.contact)
    if len(qd) >= 6:
        answers["operational_mass"] = np.linalg.inv(inverse)
        answers["tip_wrench"] = np.linalg.solve(inverse, problem.tip_vector)
    return answers


def placed_otherwise(choices: Case) -> Case:
    """Choices with data kept elsewhere and other arrays: the place of a computation changes no bit of it."""
    moved = {"residency": "migrating" if choices["residency"] == "home" else "home"}
    arrays = {"arrays": 2 if choices["arrays"] == 1 else 1} if "arrays" in choices else {}
    return choices | moved | arrays


@pytest.mark.rounding
@pytest.mark.parametrize("case", marked(covering_array()))
def test_algorithm_of_any_choices_has_pinocchios_answers(case: Case) -> None:
    problem, model = arm(case["arm"])
    problem = in_contact(problem, case["contact"])
    choices = {name: value for name, value in case.items() if name not in ("arm", "contact")}
    shared = Shared()  # the program is made once, and placed once a residency
    by_events, by_arrays = (
        senn.run(problem, engine=engine, check=engine == "events", shared=shared, **choices)
        for engine in ("events", "lockstep")
    )
    assert by_events.trace.hash == by_arrays.trace.hash
    serial = ALGORITHMS[case["algorithm"]].serial
    elsewhere = by_arrays
    if not serial:
        elsewhere = senn.run(problem, engine="lockstep", shared=shared, **placed_otherwise(choices))
    assert by_events.certificate["ok"], by_events.certificate["message"]
    answers = expected(problem, model, case["contact"])
    condition = np.linalg.cond(model.mass_matrix(problem.q))
    for name, value in by_events.result.items():
        assert np.array_equal(value, by_arrays.result[name]), name
        assert np.array_equal(value, elsewhere.result[name]), name
        size = np.linalg.norm(answers["qdd0" if name == "qdd" else name])
        allowed = WITHIN[name] * max(size, np.linalg.norm(answers[name]))
        allowed *= max(1.0, condition / 2000) if name in SOLVED else 1.0
        assert np.linalg.norm(value - answers[name]) <= allowed, name
