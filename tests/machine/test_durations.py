"""Sums of times are right or refused: what takes k times as long sums up to k times as much, in 64 bits."""

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.durations import durations
from senn.machine.engines import events, lockstep
from senn.machine.invariants import check, free_network
from senn.machine.model import Machine, Timing
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.search.bounds import bounds
from senn.traces import analysis
from senn.traces.record import Detail
from senn.traces.run import Run

KINDS = {
    "plain": {},
    "cut": {"machine.switching": "cut-through", "timing.hop": 2},
    "priority": {"machine.discipline": "priority"},
    "blocking, half": {"machine.dma": False, "machine.duplex": "half"},
    "one port": {"machine.ports": "one"},
    "mimd": {"machine.control": "mimd"},
}
UNIT = dict.fromkeys(("flop", "trig", "startup", "word", "post", "receive"), 2)


def slow(kind: str, factor: int) -> Machine:
    """A machine of this kind on which everything takes so many times two cycles; no time is rounded."""
    on = model.load("mark3").with_settings(
        {**{f"timing.{name}": one for name, one in UNIT.items()}, **KINDS[kind]}
    )
    names = [one.name for one in fields(Timing) if one.default is not None]
    times = {f"timing.{name}": str(getattr(on.timing, name) * factor) for name in names}
    return on.with_settings(times)


def placed(kind: str) -> Schedule:
    return place(variants.closed_chain(7), allocation.named("gray", 7, "home"), slow(kind, 1))


def accepts(schedule: Schedule, on: Machine, detail: Detail) -> bool:
    try:
        durations(schedule, on, detail=detail)
    except InputError:
        return False
    return True


def longest(schedule: Schedule, kind: str, detail: Detail) -> int:
    """The largest power of two by which times may be multiplied, each alone being at most 10^12."""
    factor = 1
    while factor < 2**38 and accepts(schedule, slow(kind, 2 * factor), detail):
        factor *= 2
    assert factor >= 2**32
    return factor


@pytest.mark.fast("plain", "mimd")
@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_times_that_are_taken_sum_up_exactly(kind: str) -> None:
    """Whole tables, their sums and the invariants; what takes twice as long is refused."""
    schedule = placed(kind)
    factor = longest(schedule, kind, "full")
    engines: list[Callable[..., Run]] = [events.simulate]
    engines += [lockstep.simulate] if kind != "one port" else []
    unit = events.simulate(schedule, slow(kind, 1), None)
    for engine in engines:
        run = engine(schedule, slow(kind, factor), None)
        check(schedule, slow(kind, factor), run.trace)
        for name, columns in {
            "instructions": ("issue", "end"),
            "activities": ("start", "end"),
            "messages": ("posted", "granted", "arrived", "read_at"),
            "hops": ("queued", "start", "end"),
        }.items():
            short, long = unit.trace.table(name), run.trace.table(name)
            for column in columns:
                assert (long[column] == factor * short[column]).all(), (name, column)
        for name in (
            "makespan",
            "stall",
            "exposed_stall",
            "exposed",
            "hidden",
            "overlapped",
            "node_exposed_stall",
        ):
            if unit.summary.get(name) is not None:
                assert run.summary[name] == factor * unit.summary[name]
        counted = {
            analysis.channels: ("busy", "queueing", "longest"),
            analysis.overlap: ("dma", "compute", "masked", "stall", "drain"),
            lambda trace: analysis.node_accounts(trace, 16): ("compute", "masked", "stall", "drain"),
            analysis.exposures: ("cycles", "exposed", "overlapped", "beside"),
        }
        for count, columns in counted.items():
            short, long = count(unit.trace), count(run.trace)
            for column in columns:
                assert (long[column] == factor * short[column]).all(), column
        with pytest.raises(InputError, match=r"and sums over [\d,]+ rows of its record to more than 64 bits"):
            engine(schedule, slow(kind, 2 * factor), None)


@pytest.mark.parametrize("kind", ["plain", "cut", "priority"])
def test_less_detail_takes_longer_times_and_says_the_same(kind: str) -> None:
    """Sums that only the whole trace has are not asked for; those of messages are right."""
    schedule = placed(kind)
    factor = longest(schedule, kind, "instructions")
    unit = events.simulate(schedule, slow(kind, 1), None).summary
    for engine in (events.simulate, lockstep.simulate):
        summary = engine(schedule, slow(kind, factor), None, detail="instructions").summary
        for name in ("makespan", "stall", "exposed_stall", "exposed", "hidden", "overlapped"):
            assert summary[name] == factor * unit[name]
        with pytest.raises(
            InputError, match=r"rows of its record to more than 64 bits hold: give .*, or take less detail"
        ):
            engine(schedule, slow(kind, factor), None)


def test_times_that_are_too_long_at_any_detail_are_refused_in_words() -> None:
    """10^12 cycles for everything, which a file may say, 512 processes on one node: no run begins."""
    all_day = {f"timing.{name}": 10**12 for name in UNIT} | {"machine.nodes": 1}
    on = model.load("mark3").with_settings(all_day)
    schedule = place(variants.closed_chain(512), np.zeros((10, 512), dtype=np.int64), on)
    refusal = (
        r"machine mark3: the times of closed chain, n = 512, come to \d\.\de\+1\d cycles, "
        r"more than 64 bits hold: give the machine shorter times$"
    )
    for engine in (events.simulate, lockstep.simulate):
        with pytest.raises(InputError, match=refusal):
            engine(schedule, on, None, detail="summary")
    for other in (free_network, bounds):
        with pytest.raises(InputError, match=refusal):
            other(schedule, on)


@pytest.mark.parametrize("kind", KINDS)
def test_no_run_takes_longer_than_what_is_looked_at(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the limit what a run takes, it would be refused; so what is longer than the limit always is."""
    schedule, on = placed(kind), slow(kind, 1)
    run = events.simulate(schedule, on, None)
    end = max(run.summary["makespan"], int(run.trace.messages["arrived"].max()))  # type: ignore[type-var]
    monkeypatch.setattr("senn.machine.durations.LONGEST", end)
    assert not accepts(schedule, on, "summary")
