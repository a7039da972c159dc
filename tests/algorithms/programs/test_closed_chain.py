"""The program of Fijany VI.D: refinement against dense Table I, steps, messages and makespans over n."""

from functools import cache

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.programs import numerics, variants
from senn.algorithms.programs.numerics import memory
from senn.algorithms.programs.variants import ELIMINATIONS
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.program.dataflow import Flow, flow
from tests.oracles import dense

SIZES = (2, 3, 4, 5, 7, 8, 9, 16, 17, 33)


def solved(what: Problem, form: str, refine: int = 0, residency: str = "migrating") -> Solution:
    chain = what.chain
    program = variants.closed_chain(chain.n, form, refine, chain.joints, what.contact.constrained)
    return numerics.solution(what, senn.solved(program, memory(what), residency=residency, check=True).result)


@cache
def flowing(n: int, form: str, refine: int = 0) -> Flow:
    """What a program reads is the same wherever its processes live."""
    return flow(variants.closed_chain(n, form, refine))


def error(found: np.ndarray, expected: np.ndarray, stopped: np.ndarray | float = 0.0) -> float:
    """In the norm of `expected`, or of what a contact has `stopped` if that is larger: qdd is the difference
    of qdd_0 and of what the contact undoes of it, and where it undoes all, their rounding is left."""
    scale = max(np.linalg.norm(expected), np.linalg.norm(stopped))
    return float(np.linalg.norm(found - expected) / (scale if scale > 0 else 1.0))


@pytest.mark.rounding
@pytest.mark.parametrize("form", variants.FORMS)
def test_refinement_restores_slender_rods(form: str) -> None:
    """One step takes Qdd_0 of rods of radius/length 0.01 from about 1e-7 to 1e-11 (two digits of margin)."""
    what = problems.load("rods:8:slenderness=0.01")
    expected = dense.solve(what).qdd0
    coarse, fine = (error(solved(what, form, refine).qdd0, expected) for refine in (0, 1))
    assert coarse > 1e-9
    assert fine < 1e-9
    assert fine < coarse / 50


@pytest.mark.fast("oee-short", "oer-paper")
@pytest.mark.rounding
@pytest.mark.parametrize("form", variants.FORMS)
@pytest.mark.parametrize("elimination", ELIMINATIONS)
def test_a_second_step_of_refinement_is_another_of_the_same(form: str, elimination: str) -> None:
    """It issues what the first one issues, but for the blocks of level 0, and gains nothing worth it."""
    what = problems.load("rods:8:slenderness=0.01")
    expected, errors, counts = dense.solve(what).qdd0, [], []
    for refine in (0, 1, 2):
        program = variants.closed_chain(8, form, refine, elimination=elimination)
        found = numerics.solution(what, senn.solved(program, memory(what)).result)
        errors.append(error(found.qdd0, expected))
        counts.append(len(program.streams[1]))
    assert counts[2] - counts[1] == counts[1] - counts[0] > 0
    assert errors[1] / 30 < errors[2] < 30 * errors[1]


@pytest.mark.fast("paper-0")
@pytest.mark.parametrize(
    ("form", "refine"), [*((f, r) for f in variants.FORMS for r in (0, 1)), ("short", 2)]
)
def test_issued_instructions_and_network_steps_are_linear_in_the_levels(form: str, refine: int) -> None:
    """The step law: exactly a M + b from n = 3 (migrating), the same for every n of the same M."""
    seen: dict[int, set[tuple[int, int, int]]] = {}
    for n in SIZES[1:]:
        schedule = senn.placed(flowing(n, form, refine), "ideal")
        counts = (*(len(tasks) for tasks in schedule.tasks), schedule.network_steps())
        seen.setdefault(schedule.program.levels, set()).add(counts)
    assert all(len(found) == 1 for found in seen.values())
    per_level = np.array([seen[m].pop() for m in sorted(seen)])
    assert len(np.unique(np.diff(per_level, axis=0), axis=0)) == 1


@pytest.mark.fast("short")
@pytest.mark.parametrize("form", variants.FORMS)
def test_issued_instructions_at_home_are_linear_from_two(form: str) -> None:
    seen: dict[int, set[tuple[int, ...]]] = {}
    for n in SIZES:
        schedule = senn.placed(flowing(n, form), "ideal", "home")
        seen.setdefault(schedule.program.levels, set()).add(tuple(len(tasks) for tasks in schedule.tasks))
    assert all(len(found) == 1 for found in seen.values())
    per_level = np.array([seen[m].pop() for m in sorted(seen)])
    assert len(np.unique(np.diff(per_level, axis=0), axis=0)) == 1


def test_network_steps_at_home_are_not_linear() -> None:
    """Logarithmic steps are not logarithmic time: with data at home the distances are routed."""
    steps = [senn.placed(variants.closed_chain(n), "ideal", "home").network_steps() for n in (8, 16, 32, 64)]
    assert len(set(np.diff(steps).tolist())) > 1


def test_the_tip_form_sends_one_message_to_every_other_process() -> None:
    """Form short, Step IV: n - 1 messages in all where the sweep of form paper needs two per level."""
    for n in (5, 8, 21):
        schedule = senn.placed(variants.closed_chain(n, "short"), "ideal", "home")
        tips = [t for t in schedule.tasks[1] if t.step == "IV.b.1.c.3.iv"]
        assert sum(len(t.posts) for t in tips) == n - 1


@pytest.mark.fast("short-mark3")
@pytest.mark.parametrize("machine", ["fijany", "mark3", "t800"])
@pytest.mark.parametrize("sizes", [range(4, 18), range(4, 131)], ids=["short", "long"])
def test_the_makespan_is_linear_except_one_above_a_power_of_two(sizes: range, machine: str) -> None:
    """Every n of a range on three machines, message by message: only n = 2^k + 1 end earlier."""
    on, last = model.load(machine), sizes[-1]
    cycles = {}
    for n in sizes:
        cycles[n] = lockstep.makespan(senn.placed(variants.closed_chain(n), on), on)
    slope = cycles[8] - cycles[4]
    off = [n for n in cycles if cycles[n] != cycles[4] + slope * ((n - 1).bit_length() - 2)]
    assert off == [n for n in cycles if n - 1 in (4, 8, 16, 32, 64, 128)]
    assert all(cycles[n] < cycles[n + 1] for n in off if n < last)
