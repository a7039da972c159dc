"""A run of less detail makes no row per message, and says the same as the whole trace, to the integer."""

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, Compute, Operand, Send, Value, i
from senn.traces import analysis
from senn.traces.record import Detail
from senn.traces.run import Run
from tests.machine.small_programs import home, machine, program, total


def assert_same(less: Run, full: Run) -> None:
    """The trace as if the full one were cut down, and the summary that only the full one can give."""
    assert less.trace.hash == full.trace.at_detail(less.trace.detail).hash
    assert less.summary == analysis.summary(full.trace)
    assert less.result.keys() == full.result.keys()
    assert all(np.array_equal(less.result[name], full.result[name]) for name in full.result)


@pytest.mark.parametrize("residency", allocation.RESIDENCIES)
@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_the_closed_chain(detail: Detail, residency: allocation.Residency) -> None:
    """Both engines, with numbers; every hash that both levels of detail have is the same."""
    what, on = problems.load("random:13:seed=1"), model.load("t800").with_settings({"timing.receive": 3})
    schedule = place(variants.closed_chain(13), allocation.named("identity", 13, residency), on)
    full = lockstep.simulate(schedule, on, memory(what))
    for engine in (events, lockstep):
        less = engine.simulate(schedule, on, memory(what), detail=detail)
        assert_same(less, full)
        if detail == "instructions":
            assert less.trace.instructions_hash == full.trace.instructions_hash


def test_long_times_are_counted_exactly() -> None:
    """Of 64 nodes two send 1.1 10^6 words of 10^12 cycles each, and compute for 7 cycles meanwhile. Nodes
    times cycles do not fit 64 bits; 2 x 7 cycles are hidden all the same."""
    x, y = Value("x", None, (1_100_000,)), Value("y", None, (1,))
    own = Value("z", None, (1,))
    streams = [
        Send("send", (x,), PR1[i + 1]),
        Compute("work", y, total(7)(Operand(own))),
        Compute("take", Value("w", None, (1,)), total(0)(Operand(x, -1))),
    ]
    code = program(16, streams, resident=[(x, 1, i < 3), (own, 1)])
    on = machine(word=10**12, startup=0, nodes=64)
    schedule = place(code, home(16), on)
    for engine in (events, lockstep):
        summary = engine.simulate(schedule, on, None, detail="summary").summary
        assert summary["hidden"] == 2 * 7
        assert summary["makespan"] == 1 + 1_100_000 * 10**12


def test_values_go_with_the_messages_that_carry_them() -> None:
    """At less detail than full no values are kept, although they are asked for."""
    what, on = problems.load("random:3:seed=1"), model.load("ideal")
    schedule = place(variants.closed_chain(3, contact=2), allocation.named("identity", 3, "home"), on)
    run = events.simulate(schedule, on, memory(what), detail="instructions", keep_values=True)
    assert run.values is None
