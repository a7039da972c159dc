"""A schedule timed on other machines: by an order of service that was seen before, or message by message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.durations import Numbers, Work, durations
from senn.machine.engines import events, issue_times, lockstep
from senn.machine.engines.control import control_units
from senn.machine.engines.record import run_of
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.timing.graph import TOO_LARGE, Filled, Order, kind_of, order_of, times_of
from senn.traces.record import Detail, Trace
from senn.traces.run import Run


@dataclass(frozen=True, eq=False)
class Timing:
    """Makespan of a schedule on a machine, to the cycle, and its run without numbers.

    `by` is "order" where the times follow from the order in which another run served its messages, and
    "events" where they had to be computed message by message; `why` says why.
    """

    machine: Machine
    makespan: int
    by: Literal["order", "events"]
    why: str
    make_run: Callable[[Detail], Run] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """With its run in full, for other processes."""
        return Timing, (self.machine, self.makespan, self.by, self.why, self.run().at_detail)

    def run(self, detail: Detail = "full") -> Run:
        """The run without numbers: trace, summary and description; pictures and analyses take it."""
        return self.make_run(detail)

    @cached_property
    def trace(self) -> Trace:
        """The trace of a run on this machine."""
        return self.make_run("full").trace

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Makespan, stall, exposed, hidden, and those of each array."""
        return dict(self.make_run("summary").summary)


@dataclass(frozen=True, eq=False)
class Makespans:
    """Makespans of many machines, and whether each followed from an order that was known."""

    cycles: Integers
    by_order: NDArray[np.bool_]


class Retiming:
    """A schedule, and the orders of service in which it has been seen.

    `queued` are the cycles in which its hops were requested on `machine`, as a full trace has them; without
    them an engine computes them. Every order is kept: it may be that of the next machine too.
    """

    def __init__(self, schedule: Schedule, machine: Machine, queued: Integers | None = None) -> None:
        self.schedule = schedule
        self.work = Work.of(schedule)
        self.orders: list[Order] = []
        self._recorded, self._queued = machine, queued
        self._begun: set[tuple[str, str, bool]] = set()
        self._none: dict[tuple[str, str, bool], str] = {}  # why no order could be made

    def timing(self, machine: Machine) -> Timing:
        """Timing on a machine.

        InputError where the machine would place the program otherwise, or counts beyond 64 bits.
        """
        self.schedule.refuse(machine)
        filled = without_order(machine) or self._in_order(machine)
        if isinstance(filled, str):
            return self._by_events(machine, filled)

        def make_run(detail: Detail) -> Run:
            cycles = durations(self.schedule, machine, detail=detail)
            units = control_units(self.schedule, machine, cycles)
            times = times_of(self.schedule, cycles, units, filled)
            return run_of(self.schedule, machine, cycles, times, detail=detail)

        number = filled.order.meet.shape[1]
        places = "1 place in a queue" if number == 1 else f"{number:,} places in queues"
        why = f"at {places} messages might overtake each other on another machine; on this one none does"
        if _is_free(machine):
            why = "messages take no time, so none waits for another"
        elif not number:
            why = "no message can overtake another in a queue, whatever the times"
        return Timing(machine, int(filled.makespan[0]), "order", why, make_run)

    def makespans(self, machines: Sequence[Machine]) -> Makespans:
        """Makespans of `timing`, many machines at once."""
        alike: dict[tuple[object, ...], list[int]] = {}  # of one kind, and no more than are timed at once
        for k, machine in enumerate(machines):
            self.schedule.refuse(machine)
            kind = kind_of(machine), _is_free(machine)
            alike.setdefault((without_order(machine), kind, k // _TOGETHER), []).append(k)
        cycles = np.zeros(len(machines), dtype=np.int64)
        by_order = np.zeros(len(machines), dtype=bool)
        for (unordered, *_), rows in alike.items():
            left, tried = np.array(rows), 0
            self._begin(machines[rows[0]])
            # By the known orders, one after the other, and then by events of the first machine that is left,
            # whose order may be that of others.
            while len(left):
                if tried < len(self.orders) and not unordered:
                    filled, holds = self._filled(self.orders[tried], [machines[k] for k in left.tolist()])
                    cycles[left[holds]], by_order[left[holds]] = filled.makespan[holds], True
                    left, tried = left[~holds], tried + 1
                else:
                    cycles[left[0]] = self._by_events(machines[left[0]], "").makespan
                    left = left[1:]
        return Makespans(cycles, by_order)

    def order(self, machine: Machine) -> Filled:
        """The order in which a machine serves, with its times; by events if it has not been seen.

        InputError where no order can be kept to, and where messages take no time and so have none.
        """
        self.schedule.refuse(machine)
        why = without_order(machine)
        if why is None and _is_free(machine):
            why = "messages take no time, and are served in no order"
        for again in (False, True) if why is None else ():
            if again:
                self._by_events(machine, "")
            if isinstance(filled := self._in_order(machine), Filled):
                return filled
        why = why or self._none.get(kind_of(machine), "its numbers are too large")
        raise InputError(f"machine {machine.name}: what its makespan depends on cannot be told; {why}")

    def _begin(self, machine: Machine) -> None:
        """Take the order of the record for this kind of machine, with its queues or as they would be."""
        kind, recorded = kind_of(machine), self._recorded
        if kind in self._begun or without_order(machine):
            return
        self._begun.add(kind)
        if self._queued is None and without_order(recorded) is None:
            cycles = durations(self.schedule, recorded)
            self._queued = issue_times.times(self.schedule, recorded, cycles).travel.queued
        if self._queued is not None and not _is_free(recorded):
            self._keep(machine, self._queued)

    def _keep(self, machine: Machine, queued: Integers) -> None:
        if self._none.get(kind_of(machine)) == TOO_LARGE:
            return
        order = order_of(self.schedule, machine, queued)
        if isinstance(order, Order):
            self.orders.append(order)
        else:
            self._none[kind_of(machine)] = order

    def _filled(self, order: Order, machines: Sequence[Machine]) -> tuple[Filled, NDArray[np.bool_]]:
        """Times by an order, and for which machines they hold."""
        numbers = Numbers.of(machines)
        filled = Filled.of(order, self.work.cycles(numbers))
        fits = self.work.fits(numbers, len(self.schedule.tasks))
        fits &= np.array([kind_of(machine) == order.kind for machine in machines])
        return filled, fits & (filled.overtaken < 0)

    def _in_order(self, machine: Machine) -> Filled | str:
        """Times by a known order, or the reason why there is none."""
        self._begin(machine)
        why = self._none.get(kind_of(machine), _UNKNOWN)
        for order in self.orders:
            filled, holds = self._filled(order, [machine])
            if holds[0]:
                return filled
            if order.kind == kind_of(machine) and filled.overtaken[0] >= 0:
                m, hops = self.schedule.messages, order.example[:, filled.overtaken[0]]
                first, second = (np.searchsorted(m.paths.offsets, hops, side="right") - 1).tolist()
                wire = self.schedule.wiring.columns()["wire"][int(m.paths.channels[hops[1]])]
                why = (
                    f"message {second} ({m.text(second)}) would come to {wire} before message {first} "
                    f"({m.text(first)}), which went first in the record"
                )
        return why

    def _by_events(self, machine: Machine, why: str) -> Timing:
        """Timing by an engine, every message by itself; the order is kept for other machines."""
        schedule = self.schedule
        if not lockstep.is_exact(machine):
            run = events.simulate(schedule, machine, None)
            return Timing(machine, run.summary["makespan"], "events", why, run.at_detail)
        times = issue_times.times(schedule, machine, durations(schedule, machine))
        if without_order(machine) is None and not _is_free(machine):
            self._keep(machine, times.travel.queued)

        def make_run(detail: Detail) -> Run:
            cycles = durations(schedule, machine, detail=detail)
            return run_of(schedule, machine, cycles, times, detail=detail)

        return Timing(machine, times.makespan, "events", why, make_run)


_TOGETHER = 1024
"""Machines that are timed at once: every node of the graph has a time for each."""
_UNKNOWN = "the record has no order of messages: on its machine they took no time"


def without_order(machine: Machine) -> str | None:
    """Reason why an order of service cannot be kept to on a machine; None where it can."""
    if machine.control == "mimd":
        return 'control = "mimd": every node issues by itself'
    if machine.ports == "one":
        return 'ports = "one": which channel may serve depends on all others in every cycle'
    if machine.discipline != "fifo":
        return f'discipline = "{machine.discipline}": who is served next depends on who waits'
    return None


def _is_free(machine: Machine) -> bool:
    """Whether messages take no time."""
    return machine.timing.startup == 0 and machine.timing.word == 0
