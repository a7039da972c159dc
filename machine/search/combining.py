"""Fewer start-ups: the messages of a program that go together, chosen by the makespan on a machine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from senn.base.errors import InputError
from senn.machine import engines
from senn.machine.engines.control import Deadlock
from senn.machine.engines.queues import NEVER
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
    least = engines.makespan(schedule, machine)
    tried: set[Way] = set()
    while way := _untried(chain(neighbours(schedule.program), alongs(schedule.program)), tried):
        larger = _placed(way(schedule.program), schedule, machine)
        tried_pairs = set[Way](pairs(schedule.program))
        while larger is not None and (pair := _untried(pairs(larger.program), tried_pairs)):
            larger = _placed(pair(larger.program), larger, machine) or larger
        if larger is not None and (cycles := _makespan(larger, machine)) < least:
            schedule, least = larger, cycles
    while way := _untried(pairs(schedule.program), tried):
        paired = _placed(way(schedule.program), schedule, machine)
        if paired is not None and (cycles := _makespan(paired, machine)) <= least:
            schedule, least = paired, cycles
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


def _makespan(schedule: Schedule, machine: Machine) -> int:
    """The makespan of a schedule; NEVER if it cannot run."""
    try:
        return engines.makespan(schedule, machine)
    except (InputError, Deadlock):
        return NEVER
