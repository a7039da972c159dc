"""Fewer start-ups: the messages of a program that go together, chosen by the makespan on a machine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from senn.base.errors import InputError
from senn.machine import engines
from senn.machine.engines.control import Deadlock
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.rewrite.combine import Way, alongs, neighbours, pairs


def combined(schedule: Schedule, machine: Machine) -> Schedule:
    """The schedule with those messages together that make it no slower on this machine and allocation.

    Loops side by side and what goes along with another are kept where the makespan is less, pairs of messages
    where it is not more. Each is tried in the order of the text, on what was kept before, by a run of the
    timing alone; so the same schedule and machine give the same program.
    """
    least = _makespan(schedule, machine)
    assert least is not None
    tried: set[Way] = set()
    while way := _untried(chain(neighbours(schedule.program), alongs(schedule.program)), tried):
        larger = _placed(way(schedule.program), schedule, machine)
        if larger is not None:
            larger = _with_pairs(larger, {*pairs(schedule.program)}, machine)
            cycles = _makespan(larger, machine)
            if cycles is not None and cycles < least:
                schedule, least = larger, cycles
    while way := _untried(pairs(schedule.program), tried):
        paired = _placed(way(schedule.program), schedule, machine)
        cycles = None if paired is None else _makespan(paired, machine)
        if paired is not None and cycles is not None and cycles <= least:
            schedule, least = paired, cycles
    return schedule


def _with_pairs(schedule: Schedule, tried: set[Way], machine: Machine) -> Schedule:
    """The schedule with all pairs of messages together that were not tried, as far as they can be placed."""
    while way := _untried(pairs(schedule.program), tried):
        schedule = _placed(way(schedule.program), schedule, machine) or schedule
    return schedule


def _untried(ways: Iterable[Way], tried: set[Way]) -> Way | None:
    """The first way that was not tried, which is tried from now on."""
    way = next((x for x in ways if x not in tried), None)
    if way is not None:
        tried.add(way)
    return way


def _placed(program: Program, schedule: Schedule, machine: Machine) -> Schedule | None:
    """A program on the allocation of a schedule; None if it cannot be placed."""
    try:
        return place(program, schedule.allocation, machine)
    except InputError:
        return None


def _makespan(schedule: Schedule, machine: Machine) -> int | None:
    """The makespan of a schedule; None if it cannot run."""
    try:
        return engines.makespan(schedule, machine)
    except (InputError, Deadlock):
        return None
