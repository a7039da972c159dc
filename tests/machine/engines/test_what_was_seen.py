"""The trace says what happened, not what should have: an engine that does something late is found out.

By hand, on the round machine of `small_programs`: x is posted in cycle 1 and occupies its only channel for 10
cycles, so it is read in cycle 11, by a compute of 7 cycles.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from senn.machine.engines import events, lockstep
from senn.machine.engines.control import Issue
from senn.machine.engines.events import _Execution, simulate
from senn.machine.invariants import Violation, check
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, Compute, Send, Value, i
from senn.traces.run import Run
from tests.machine.small_programs import home, machine, program, total

LATE = 3
ON = machine()


def one_message() -> Schedule:
    x, y = (Value(name, None, (1,)) for name in "xy")
    streams = [Send("I.1", x, PR1[i + 1]), Compute("I.2", y, total(7)(x[i - 1]))]
    return place(program(2, streams, resident=[(x, 1)]), home(2), ON)


def cells(run: Run) -> dict[str, int]:
    """Of the one message, its one hop, and the two instructions."""
    trace = run.trace
    message, hop = trace.messages.row(0, named=True), trace.hops.row(0, named=True)
    found = {name: message[name] for name in ("posted", "granted", "arrived", "read_at")}
    found |= {name: hop[name] for name in ("queued", "start", "end")}
    return found | {"sent": trace.instructions["end"][0], "over": trace.instructions["end"][1]}


RIGHT = {
    "posted": 1,
    "queued": 1,
    "start": 1,
    "granted": 1,
    "end": 11,
    "arrived": 11,
    "read_at": 11,
    "sent": 1,
    "over": 18,
}


@pytest.mark.parametrize("engine", [simulate, lockstep.simulate])
def test_what_a_message_does_by_hand(engine: Callable[..., Run]) -> None:
    schedule = one_message()
    run = engine(schedule, ON, None)
    assert cells(run) == RIGHT
    check(schedule, ON, run.trace)


def later(method: Callable[..., None]) -> Callable[..., None]:
    """The same method, LATE cycles after it was called."""

    def mutant(self: object, *given: object) -> None:
        events.Tick(self.env, LATE, events.ARRIVE, lambda: method(self, *given))  # type: ignore[attr-defined]

    return mutant


def dawdling(self: _Execution, unit: int, stream: tuple[Issue, ...]) -> object:
    """A control unit that takes LATE cycles more for a compute."""
    slow = (
        replace(one, cycles=one.cycles + LATE) if isinstance(one.task.line.instruction, Compute) else one
        for one in stream
    )
    return CONTROL_UNIT(self, unit, tuple(slow))


CONTROL_UNIT = _Execution._control_unit
MUTANTS = {
    # what is done late: (class, method, mutant, what is 3 cycles later in the trace, what objects)
    "a delivery": (
        _Execution,
        "_deliver",
        later(_Execution._deliver),
        ("arrived", "read_at", "over"),
        "I1: .* is there in cycle 11, not in 14",
    ),
    "a post": (
        events.QueuedChannels,
        "post",
        later(events.QueuedChannels.post),
        ("posted", "queued", "start", "granted", "end", "arrived", "read_at", "over"),
        "I4: .* is posted in cycle 4, but I.1 .* ends in 1",
    ),
    "a request": (
        events.QueuedChannels,
        "_go_on",
        later(events.QueuedChannels._go_on),
        ("queued", "start", "granted", "end", "arrived", "read_at", "over"),
        "I4: .* queued in cycle 4 and started in 4, but it was there in 1",
    ),
    "a grant": (
        events.QueuedChannels,
        "_grant",
        later(events.QueuedChannels._grant),
        ("start", "granted", "end", "arrived", "read_at", "over"),
        "I5: .* idle until cycle 4, but a message waits since 1",
    ),
    "a release": (
        events.QueuedChannels,
        "_begin_cycle",
        later(events.QueuedChannels._begin_cycle),
        ("end", "arrived", "read_at", "over"),
        "I3: .* occupied 13 cycles, not 10",
    ),
    "the end of an instruction": (
        _Execution,
        "_control_unit",
        dawdling,
        ("over",),
        "I10: I.2 .* said to go from cycle 11 to 21, but its nodes go from 11 to 18",
    ),
}


@pytest.mark.parametrize("what", MUTANTS)
def test_what_the_engine_does_late_is_late_in_its_trace(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just those cells move that lie behind it; the trace is no longer that of the other engine, and an
    invariant objects in its own words."""
    schedule = one_message()
    other = lockstep.simulate(schedule, ON, None)
    of, name, mutant, moved, text = MUTANTS[what]
    monkeypatch.setattr(of, name, mutant)
    if name == "_begin_cycle":  # which reads what is due by the cycle it was called in
        monkeypatch.setattr(events.QueuedChannels, "_at", _at_the_late_cycle)
    run = simulate(schedule, ON, None)
    assert cells(run) == {cell: cycle + LATE * (cell in moved) for cell, cycle in RIGHT.items()}
    assert run.trace.hash != other.trace.hash
    with pytest.raises(Violation, match=text):
        check(schedule, ON, run.trace)


def _at_the_late_cycle(self: events.QueuedChannels, cycle: int, what: tuple[int, int, bool]) -> None:
    self.due.setdefault(cycle + LATE, []).append(what)
    events.Tick(self.env, cycle - int(self.env.now), events.ARRIVE, self._begin_cycle)
