"""The program of Fijany VI.D: refinement against dense Table I, steps, messages and makespans over n."""

from functools import cache

import numpy as np
import pytest

import senn
from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.engines import makespan
from senn.machine.program.dataflow import Flow, flow

SIZES = (2, 3, 4, 5, 7, 8, 9, 16, 17, 33)


@cache
def flowing(n: int, form: str, refine: int = 0) -> Flow:
    """What a program reads is the same wherever its processes live."""
    return flow(variants.closed_chain(n, form, refine))


@pytest.mark.fast("paper-1")
@pytest.mark.parametrize(("form", "refine"), [*((form, 1) for form in variants.FORMS), ("short", 2)])
def test_steps_of_refined_programs_are_linear_in_the_levels(form: str, refine: int) -> None:
    """Exactly a M + b from n = 3 (migrating), the same for every n of the same M."""
    seen: dict[int, set[tuple[int, int, int]]] = {}
    for n in SIZES[1:]:
        schedule = senn.placed(flowing(n, form, refine), "ideal")
        counts = (*(len(tasks) for tasks in schedule.tasks), schedule.network_steps())
        seen.setdefault(schedule.program.levels, set()).add(counts)
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
@pytest.mark.parametrize("sizes", [range(4, 18), range(4, 68)], ids=["short", "long"])
def test_the_makespan_is_linear_except_one_above_a_power_of_two(sizes: range, machine: str) -> None:
    """Every n of a range on three machines, message by message: only n = 2^k + 1 end earlier."""
    on, last = model.load(machine), sizes[-1]
    cycles = {}
    for n in sizes:
        cycles[n] = makespan(senn.placed(variants.closed_chain(n), on), on)
    slope = cycles[8] - cycles[4]
    off = [n for n in cycles if cycles[n] != cycles[4] + slope * ((n - 1).bit_length() - 2)]
    assert off == [n for n in cycles if n - 1 in (4, 8, 16, 32, 64)]
    assert all(cycles[n] < cycles[n + 1] for n in off if n < last)
