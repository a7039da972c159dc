"""Slopes are what small differences of fresh runs show; the value that costs so much is where they step."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import senn
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.choices import Residency
from senn.machine.engines import events
from senn.machine.model import Machine, load
from senn.machine.placing.schedule import Schedule, place
from senn.machine.timing import Makespans, Retiming, sensitivities
from senn.machine.timing.sensitivity import dearest, simplest, times
from tests.machine.random_programs import case

FINE = 10**6  # cycles of a finer clock in one of the machine's: one more of them is a small difference
WHOLE = ("multiply", "add", "divide", "trig", "startup", "word", "post", "receive")


def _finer(machine: Machine) -> Machine:
    """The same machine on a clock so fine that nothing is rounded."""
    t = machine.timing
    names = (*WHOLE, "hop")
    return replace(machine, timing=replace(t, **{name: int(getattr(t, name) * FINE) for name in names}))


def _more(machine: Machine, name: str, more: int) -> Machine:
    """With one time a little more, or less; `flop` is that of all operations in their proportion."""
    t = machine.timing
    by = (
        {name: getattr(t, name) + more}
        if name != "flop"
        else {
            one: getattr(t, one) + more * getattr(t, one) // t.add
            for one in ("multiply", "add", "divide", "trig")
        }
    )
    return replace(machine, timing=replace(t, **by))


def _makespan(schedule: Schedule, machine: Machine) -> int:
    return int(events.simulate(schedule, machine, None, detail="summary").summary["makespan"])


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("preset", ["mark3", "fijany", "cut"])
@pytest.mark.parametrize("residency", ["migrating", "home"])
def test_slopes_are_differences_of_fresh_runs(preset: str, residency: Residency) -> None:
    machine = load("fijany" if preset == "cut" else preset)
    if preset == "cut":
        machine = machine.with_settings({"machine.switching": "cut-through", "timing.hop": 2})
    machine = _finer(machine.with_settings({"timing.receive": 1}))
    schedule = senn.placed(variants.closed_chain(6), machine, residency)
    retiming = Retiming(schedule, machine)
    now = _makespan(schedule, machine)
    rows = {row.name: row for row in sensitivities(retiming, machine, ())}
    assert set(rows) == {*WHOLE, "flop", *(["hop"] if preset == "cut" else [])}
    for name, row in rows.items():
        assert _makespan(schedule, _more(machine, name, 1)) - now == row.more, name
        assert now - _makespan(schedule, _more(machine, name, -1)) == row.less, name
        assert row.share == row.value * row.more / now
    paths = [row for name, row in rows.items() if name != "flop"]
    assert sum(row.value * row.less for row in paths) <= now <= sum(row.value * row.more for row in paths), (
        "a longest path consists of these; where several are longest they differ"
    )


def test_slopes_of_random_programs() -> None:
    """Also where several paths are longest, so that more and less of a time differ; and where two messages
    come to a queue at once, so that the least change may let one overtake, no slope is given."""
    differ, compared, none = 0, 0, 0
    for seed in range(12):
        program, table, drawn, _ = case(seed)
        machine = replace(drawn, control="simd", ports="all", discipline="fifo")
        machine = _finer(replace(machine, timing=load("fijany").timing, switching="store-and-forward"))
        schedule = place(program, table, machine)
        now = _makespan(schedule, machine)
        for row in sensitivities(Retiming(schedule, machine), machine, ()):
            for slope, more in ((row.more, 1), (row.less, -1)):
                if slope is None:
                    none += 1
                elif row.value or more > 0:
                    compared += 1
                    found = more * (_makespan(schedule, _more(machine, row.name, more)) - now)
                    assert found == slope, (seed, row)
            differ += row.more != row.less
    assert compared > 60
    assert differ > 0
    assert none > 0


@pytest.mark.fast("7-fijany-home", "4-t800-migrating")
@pytest.mark.parametrize(
    ("n", "preset", "residency"),
    [(8, "mark3", "migrating"), (7, "fijany", "home"), (4, "t800", "migrating"), (2, "ipsc860", "home")],
)
def test_the_value_that_costs_so_much_more(n: int, preset: str, residency: Residency) -> None:
    """At it a fresh run takes at most so much more, and just above it more: it is exact."""
    machine = load(preset)
    schedule = senn.placed(variants.closed_chain(n), machine, residency)
    now = _makespan(schedule, machine)
    rows = {row.name: row for row in sensitivities(Retiming(schedule, machine), machine)}
    cut = {"hop"} if machine.switching == "cut-through" else set()
    assert {name for name, row in rows.items() if row.dearer} == {"startup", "word", "flop"} | cut
    for time in times(machine, Retiming(schedule, machine).work):
        for percent, value in rows[time.name].dearer.items():
            assert value is not None
            most = now * Fraction(100 + percent, 100)
            assert _makespan(schedule, time.at(value)) <= most
            assert _makespan(schedule, time.at(value + Fraction(1, 10**6))) > most, (time.name, percent)


def test_a_time_that_never_costs_as_much() -> None:
    schedule, machine = senn.placed(variants.closed_chain(1)), load("mark3")
    (startup, *_) = times(load("mark3"), Retiming(senn.placed(variants.closed_chain(2)), machine).work)
    retiming = Retiming(schedule, machine)
    assert (
        dearest(
            startup,
            Fraction(10**30),
            lambda tried: Makespans(np.zeros(len(tried), dtype=int), np.ones(len(tried), dtype=bool)),
        )
        is None
    )
    assert {row.name for row in sensitivities(retiming, machine)} <= {*WHOLE, "flop"}


def test_where_the_order_changes_on_the_way() -> None:
    """Home, n = 16: with another start-up messages overtake each other; the runs are found by events."""
    machine = load("fijany")
    schedule = senn.placed(variants.closed_chain(16), machine, "home")
    retiming = Retiming(schedule, machine)
    now = retiming.timing(machine).makespan
    startup = times(machine, retiming.work)[0]
    value = dearest(startup, Fraction(3 * now), retiming.makespans)
    assert value is not None
    assert len(retiming.orders) > 1
    assert _makespan(schedule, startup.at(value)) <= 3 * now
    assert _makespan(schedule, startup.at(value + Fraction(1, 1000))) > 3 * now


def test_no_slopes_without_an_order() -> None:
    schedule, mark3 = senn.placed(variants.closed_chain(4)), load("mark3")
    for machine, why in (
        (mark3.with_settings({"machine.control": "mimd"}), "every node issues by itself"),
        (load("ideal"), "messages take no time, and are served in no order"),
    ):
        with pytest.raises(InputError, match=f"what its makespan depends on cannot be told; .*{why}"):
            sensitivities(Retiming(schedule, mark3), machine)


def test_the_simplest_fraction() -> None:
    """Against all fractions of small denominators."""
    for low, high in (
        (Fraction(1, 3), Fraction(2, 5)),
        (Fraction(7, 9), Fraction(8, 9)),
        (Fraction(5), Fraction(6)),
    ):
        found = simplest(low, high)
        least = next(q for q in range(1, 100) if any(low <= Fraction(p, q) <= high for p in range(7 * q)))
        assert found.denominator == least
        assert low <= found <= high
