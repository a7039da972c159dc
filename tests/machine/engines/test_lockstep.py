"""The lockstep engine against the event engine: the same trace hash and the same bits, or a refusal."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.engines.memory import Batches
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program.dataflow import Flow, flow
from tests.machine.test_every_program import assert_same


@cache
def arm(n: int, form: str) -> tuple[Flow, Mapping[str, np.ndarray]]:
    """What a program reads and its numbers in memory, which no machine changes: read-only, so none can."""
    what = problems.load(f"random:{n}:prismatic=0.3:seed={n}")
    code = variants.closed_chain(n, form, n % 2, what.chain.joints, what.contact.constrained)
    numbers = memory(what)
    for block in numbers.values():
        block.setflags(write=False)
    return flow(code), MappingProxyType(numbers)


@pytest.mark.fast("mark3", "raw", "fijany", "ideal")
@pytest.mark.parametrize("preset", model.presets())
def test_the_closed_chain(preset: str) -> None:
    """On every preset, at sizes with and without empty nodes, also with a random placement. Numbers, which no
    duration changes, on one preset."""
    on = model.load(preset)
    for k, n in enumerate((1, 2, 5, 13, 16), model.presets().index(preset)):
        placement = {5: "gray", 13: "random:3"}.get(n, "identity")
        code, numbers = arm(n, variants.FORMS[k % 3])
        schedule = place(code, allocation.named(placement, n, allocation.RESIDENCIES[k % 2]), on)
        given = numbers if preset == "mark3" else None
        assert_same(lockstep.simulate(schedule, on, given), events.simulate(schedule, on, given))


def test_a_value_is_forgotten_after_its_last_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """At any time only a part of all blocks is there; where values are kept, all are at the end."""
    code, numbers = arm(16, "paper")
    schedule = place(code, allocation.named("identity", 16, "migrating"), model.load("fijany"))
    right, counts = Batches.write, []

    def write(batches: Batches, *arguments: object) -> None:
        right(batches, *arguments)
        counts.append(sum(block is not None for block in batches.blocks))

    monkeypatch.setattr(Batches, "write", write)
    for keep in (False, True):
        counts.clear()
        lockstep.simulate(schedule, model.load("fijany"), numbers, keep_values=keep)
        assert (max(counts) > 100) == keep  # 60 and 175: of 22 residents and 153 computed
