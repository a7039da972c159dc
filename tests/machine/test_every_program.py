"""What is true of every program, allocation and machine: any are drawn, and the smallest that fails is shown.

The trace obeys the invariants, every value is that of an interpreter that knows no node and no message, and
both engines leave the same run, at any detail.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from senn.base.errors import InputError
from senn.machine.engines import events, lockstep
from senn.machine.engines.lockstep import is_exact
from senn.machine.invariants import check, check_free_network
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.traces import analysis
from senn.traces.record import NULL
from senn.traces.run import Run
from tests.machine.random_programs import Case, case, cases, interpret

ANY = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def assert_same(one: Run, other: Run) -> None:
    """To the cycle and the bit, values and payloads too, if they are kept."""
    assert one.trace.hash == other.trace.hash
    assert one.summary == other.summary
    assert one.result.keys() == other.result.keys()
    assert all(np.array_equal(one.result[name], other.result[name]) for name in one.result)
    assert (one.values is None) == (other.values is None)
    if one.values is not None and other.values is not None:
        assert all(map(np.array_equal, one.values.numbers, other.values.numbers))
        assert one.values.payloads.keys() == other.values.payloads.keys()
        assert all(
            np.array_equal(one.values.payloads[m], other.values.payloads[m]) for m in one.values.payloads
        )


def assert_computes(program: Program, memory: dict[str, np.ndarray], run: Run) -> None:
    """What every process wrote is what it writes where there are neither nodes nor messages."""
    assert run.values is not None
    written = {
        (one.letter, one.level, process): x for (one, process), x in interpret(program, memory).items()
    }
    columns = (run.values.value, run.values.level, run.values.process)
    computed = {
        (letter, None if level == NULL else level, process): numbers
        for letter, level, process, numbers in zip(
            *(column.tolist() for column in columns), run.values.numbers, strict=True
        )
        if letter not in memory
    }
    assert computed.keys() == written.keys()
    for key, numbers in computed.items():
        assert np.array_equal(numbers, written[key]), key


def is_sound(whole: Case) -> None:
    """All of it, for one case."""
    program, table, on, memory = whole
    schedule = place(program, table, on)
    run = events.simulate(schedule, on, memory, check=True, keep_values=True)
    check(schedule, on, run.trace)
    assert_computes(program, memory, run)
    other = lockstep.simulate if is_exact(on) else events.simulate
    less = other(schedule, on, memory, detail="instructions")
    assert less.trace.hash == run.trace.at_detail("instructions").hash
    assert less.summary == analysis.summary(run.trace, dma=on.dma)
    check_free_network(schedule, on, other)
    if is_exact(on):
        assert_same(lockstep.simulate(schedule, on, memory, keep_values=True), run)
    else:
        with pytest.raises(InputError, match="use the events engine"):
            lockstep.simulate(schedule, on, memory)


@settings(ANY, max_examples=12)
@given(cases())
def test_a_few_programs(drawn: Case) -> None:
    """Enough to pass through all of the code."""
    is_sound(drawn)


@pytest.mark.exhaustive
@settings(ANY, max_examples=60)
@given(cases())
def test_any_program(drawn: Case) -> None:
    """1-3 arrays, 1-12 processes, any sends, waits and arrangements, any allocation, any machine."""
    is_sound(drawn)


@pytest.mark.fast("0")
@pytest.mark.parametrize("block", range(10))
def test_the_same_programs_every_time(block: int) -> None:
    """12 programs a block, by their seeds; those that are drawn are smaller, and others here and there."""
    for seed in range(12 * block, 12 * (block + 1)):
        is_sound(case(seed))
