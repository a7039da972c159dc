"""Refinement of the whole solution (Steps V and VI), against balls that hold the exact answers.

The arms are such that every program loses half of its digits or more: a last link that is light and small, or
thin rods.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, variants
from senn.algorithms.robots import newton_euler as ne
from senn.machine.program import Compute, Program
from tests.algorithms.references.test_tree import case as branched
from tests.oracles import extended

pytestmark = pytest.mark.rounding

ANSWERS = ("qdd", "force", "qdd0", "acceleration0", "forces")


def with_light_tip(what: Problem, mass: float = 1e-3, size: float = 1e-2) -> Problem:
    """The last link of the main chain with a part of its mass and size, and its inertia accordingly."""
    chain, at = what.chain, what.chain.n - 1
    parts = {name: np.array(getattr(chain, name)) for name in ("mass", "centre", "position", "inertia")}
    for name, factor in zip(parts, (mass, size, size, mass * size**2), strict=True):
        parts[name][at] *= factor
    return replace(what, chain=replace(chain, **parts))


def errors(what: Problem, refine: int, algorithm: str = "closed-chain", **choices: Any) -> dict[str, float]:
    right = extended.enclosed(what)
    run = senn.run(what, algorithm=algorithm, refine=refine, machine="ideal", detail="summary", **choices)
    names = ("qdd0",) if algorithm == "open-chain" else ANSWERS
    return {name: extended.error(run.result[name], getattr(right, name)) for name in names}


# ---------------------------------------------------------------------------- what it restores

FORMS = (
    {"form": "paper"},
    {"form": "paper", "arrays": 8, "residency": "home"},
    {"form": "short", "elimination": "oer", "strategy": 1},
    {"form": "short", "motion": "jets", "arrays": 3},
    {"form": "omega", "motion": "outward", "elimination": "oer"},
    {"form": "omega", "arrays": 1, "residency": "ahead"},
)


@pytest.mark.fast("paper", "short-jets-3", "omega-outward-oer")
@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, form.values())))
def test_two_steps_give_all_answers_of_an_arm_with_a_light_last_link(form: dict[str, Any]) -> None:
    what = with_light_tip(problems.load("random:8:seed=1:prismatic=0.3"))
    assert max(errors(what, 0, **form).values()) > 1e-9
    assert max(errors(what, 2, **form).values()) < 2e-12


def drawn_contact(kind: str) -> Contact:
    rng = np.random.default_rng(5)
    basis = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    if kind == "general":
        return contacts.general(*(rng.normal(size=shape) for shape in ((6, 6), 6, (6, 6), 6)))
    held = {"I": 2, "II": 2, "given": 0, "all": 6}[kind]
    w, h, g, f = basis[:, :held], basis[:, held:], rng.normal(size=held), rng.normal(size=6 - held)
    if kind == "II":
        return contacts.type_ii(w, h, 0.3 * rng.normal(size=(6 - held, held)), f, g)
    return contacts.type_i(w, h, g, f)


@pytest.mark.fast("I-omega", "II-paper", "general-short", "given-short")
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("kind", ["I", "II", "general", "given", "all"])
def test_every_kind_of_contact_is_refined(kind: str, form: str) -> None:
    """With directions held, forces and couplings that are not zero, which no correction has again."""
    what = replace(problems.load("rods:8:slenderness=0.005"), contact_input=drawn_contact(kind))
    assert max(errors(what, 0, form=form).values()) > 1e-8
    assert max(errors(what, 2, form=form).values()) < 2e-12


@pytest.mark.fast("RSRPRRU")
@pytest.mark.parametrize("arm", ["RSRPRRU", "HCEUS", "FRRRRRR", "RFRRXRSRR"])
def test_joints_of_any_type_are_refined(arm: str) -> None:
    what = with_light_tip(problems.load(f"joints:{arm}:seed=3"))
    for form in variants.FORMS:
        assert max(errors(what, 2, form=form).values()) < 1e-11, form
    assert errors(what, 2, algorithm="open-chain")["qdd0"] < 1e-11


@pytest.mark.fast("two fingers at the tip-short")
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("arm", ["everywhere", "two fingers at the tip", "nested", "all types"])
def test_side_branches_are_refined(arm: str, form: str) -> None:
    """What Newton-Euler leaves of all torques, those of branches too, relative to the largest."""
    what = with_light_tip(branched(arm)[0])
    coarse, fine = (max(torque_left(what, refine, form)) for refine in (0, 2))
    assert fine < 3e-15
    assert fine < coarse / 5


def torque_left(what: Problem, refine: int, form: str) -> Iterator[float]:
    """Of the motion in contact, and of the open chain."""
    result = senn.run(what, form=form, refine=refine, machine="ideal", detail="summary").result
    for qdd, force in ((result["qdd"], result["force"]), (result["qdd0"], None)):
        torque = ne.dynamics(what.chain, what.q, what.qd, qdd, what.gravity, force).torque
        inertial = ne.dynamics(what.chain, what.q, 0 * what.qd, qdd, np.zeros(3)).torque
        yield np.abs(what.tau - torque).max() / max(np.abs(what.tau).max(), np.abs(inertial).max())


def test_one_step_leaves_the_square_of_the_error() -> None:
    """Thin rods by form paper: 1e-6, and after a step 1e-11."""
    what = problems.load("rods:8:slenderness=0.01")
    before, after = (max(errors(what, refine).values()) for refine in (0, 1))
    assert before > 1e-8
    assert after < 100 * before**2 + 1e-13


@pytest.mark.parametrize("form", variants.FORMS)
def test_the_torque_left_is_what_newton_euler_leaves(form: str) -> None:
    """tau - (M qdd + b + J'F) of the motion found, and of the open chain without F, by plain sums."""
    what = problems.load("rods:8:slenderness=0.001")
    program = variants.closed_chain(8, form, 1, contact=what.contact.shape)
    letters = {"qdd": "Qdd", "force": "Force", "left": "F_T.VI1", "qdd0": "Qdd_0", "left0": "F_T.V1"}
    found = values_of(what, program, letters)
    for qdd, force, left in (("qdd", found["force"][-1], "left"), ("qdd0", None, "left0")):
        torque = ne.dynamics(what.chain, what.q, what.qd, found[qdd], what.gravity, force).torque
        scale = (np.abs(what.tau) + np.abs(torque)).max()
        assert np.abs(found[left] - (what.tau - torque)).max() < 1e-12 * scale
        assert np.abs(found[left]).max() > 1e-10 * scale  # not rounding alone


def values_of(what: Problem, program: Program, letters: dict[str, str]) -> dict[str, np.ndarray]:
    """Values of a program by letter, each of the array that computes it."""
    made = {
        line.target.letter: (array, line.target)
        for array, stream in enumerate(program.streams, 1)
        for line in stream
        if isinstance(line, Compute) and line.target.level in (None, 0)
    }
    results = {name: made[letter] for name, letter in letters.items()}
    return senn.solved(replace(program, results=results), numerics.memory(what)).result


# ------------------------------------------------------------------------------ what it costs


def computed(program: Program) -> list[Compute]:
    return [line for stream in program.streams for line in stream if isinstance(line, Compute)]


@pytest.mark.parametrize("elimination", variants.ELIMINATIONS)
@pytest.mark.parametrize("form", variants.FORMS)
def test_nothing_is_factored_twice(form: str, elimination: str) -> None:
    """Steps V and VI have no line of Step I, and no rotation (II.a) or velocity (II.b.1.i)."""
    plain, refined = (computed(variants.closed_chain(8, form, k, elimination=elimination)) for k in (0, 2))
    before = {line.step for line in plain}
    repeated = {line.step.split(".", 3)[3] for line in refined if re.match(r"VI?\.[ab]\.", line.step)}
    assert len(repeated & before) > 20
    assert not [step for step in repeated if re.match(r"I\.|II\.a|II\.b\.1\.i(\.|$)", step)]
    factors = [sum(line.expression.kernels[0].name == "ldl" for line in lines) for lines in (plain, refined)]
    assert factors[0] == factors[1] > 0


def test_array_1_may_refine_the_open_chain_meanwhile() -> None:
    """As a run's `arrays`; with the answers of two arrays, and sooner."""
    what = problems.load("rods:8:slenderness=0.01")
    both, apart = (senn.run(what, form="short", refine=1, arrays=arrays) for arrays in (2, "V=1"))
    assert all(np.array_equal(both.result[name], apart.result[name]) for name in ANSWERS)
    assert apart.summary["makespan"] < both.summary["makespan"]


@pytest.mark.parametrize("form", variants.FORMS)
def test_all_engines_time_a_refined_program_alike(form: str) -> None:
    """The engine of classes too, which times a million links."""
    choices = {"form": form, "refine": 2, "numbers": False, "detail": "summary"}
    runs = [senn.run("random:9", engine=engine, **choices) for engine in ("auto", "lockstep", "events")]
    assert [run.description["engine"] for run in runs] == ["classes", "lockstep", "events"]
    assert len({run.summary["makespan"] for run in runs}) == 1


def test_every_further_step_costs_as_much() -> None:
    makespans = [senn.timed(variants.closed_chain(9, "short", k)).summary["makespan"] for k in range(1, 5)]
    assert len(set(np.diff(makespans).tolist())) == 1
