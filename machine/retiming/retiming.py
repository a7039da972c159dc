"""A schedule on other machines, timed without running it: from an order of service where the machine has it,
message by message where it has not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import durations
from senn.machine.engines import events, lockstep
from senn.machine.engines.control import control_units
from senn.machine.engines.issue_times import times as solved
from senn.machine.engines.outcome import run_of
from senn.machine.model import Machine
from senn.machine.model.figures import in_file
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.retiming.cycles import Cycles, Numbers, Work
from senn.machine.retiming.order import TOO_LARGE, Filled, Order, fill_in, kind_of, order_of, times_of
from senn.traces.errors import InputError
from senn.traces.record import Detail, Trace
from senn.traces.run import Run


@dataclass(frozen=True, eq=False)
class Timing:
    """How long a schedule takes on a machine, to the cycle, and everything that its run without numbers says.

    `by` is "order" where the times follow from the order in which another run served its messages, and
    "events" where they had to be found message by message; `why` says why.
    """

    machine: Machine
    makespan: int
    by: Literal["order", "events"]
    why: str
    made: Callable[[Detail], Run] = field(repr=False)

    def run(self, detail: Detail = "full") -> Run:
        """The run without numbers: trace, summary, and what ran; pictures and analyses take it."""
        return self.made(detail)

    @cached_property
    def trace(self) -> Trace:
        """Every span of every engine and channel: equal to the trace of a run on this machine."""
        return self.made("full").trace

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Makespan, stall, exposed, hidden, and those of each array."""
        return dict(self.made("summary").summary)


@dataclass(frozen=True, eq=False)
class Makespans:
    """Of many machines: the cycles, and whether each followed from an order that was known."""

    cycles: Integers
    by_order: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Graph:
    """The order in which a machine serves, its durations, and its times."""

    order: Order
    cycles: Cycles
    filled: Filled


class Retiming:
    """A schedule, and the orders of service in which it has been seen.

    `queued` are the cycles in which its hops were requested on `machine`, as a full trace has them; without
    them an engine finds them out. An order that was found by events is kept: it may be that of the next
    machine too.
    """

    def __init__(self, schedule: Schedule, machine: Machine, queued: Integers | None = None) -> None:
        self.schedule = schedule
        self.work = Work.of(schedule)
        self.orders: list[Order] = []
        self._recorded, self._queued = machine, queued
        self._begun: set[tuple[str, str, bool]] = set()
        self._none: dict[tuple[str, str, bool], str] = {}  # why no order could be made

    def timing(self, machine: Machine) -> Timing:
        """InputError where the machine would place the program otherwise, or counts beyond 64 bits."""
        self.refuse(machine)
        why = without_order(machine)
        if why is None:
            found = self._in_order(machine)
            if isinstance(found, Timing):
                return found
            why = found
        return self._by_events(machine, why)

    def makespans(self, machines: Sequence[Machine]) -> Makespans:
        """What `timing` says of each, many at once."""
        for one in machines:
            self.refuse(one)
        cycles = np.zeros(len(machines), dtype=np.int64)
        by_order = np.zeros(len(machines), dtype=bool)
        able = np.array([without_order(one) is None for one in machines], dtype=bool)
        for k in np.flatnonzero(~able).tolist():
            cycles[k] = self._by_events(machines[k], "").makespan
        kinds: dict[tuple[object, ...], list[int]] = {}
        for k in np.flatnonzero(able).tolist():
            kinds.setdefault((kind_of(machines[k]), _is_free(machines[k])), []).append(k)
        for of_kind in kinds.values():
            for begin in range(0, len(of_kind), _TOGETHER):
                some = of_kind[begin : begin + _TOGETHER]
                cycles[some], by_order[some] = self._of_kind([machines[k] for k in some])
        return Makespans(cycles, by_order)

    def _of_kind(self, machines: Sequence[Machine]) -> tuple[Integers, NDArray[np.bool_]]:
        """Makespans of machines of one kind: by the orders that are known, one after the other, and then by
        events of the first that is left, whose order may be that of others."""
        self._begin(machines[0])
        cycles, by_order = np.zeros(len(machines), dtype=np.int64), np.zeros(len(machines), dtype=bool)
        left, tried = np.arange(len(machines)), 0
        while len(left):
            if tried < len(self.orders):
                filled, holds = self._filled(self.orders[tried], [machines[k] for k in left.tolist()])
                cycles[left[holds]], by_order[left[holds]] = filled.makespan[holds], True
                left, tried = left[~holds], tried + 1
            else:
                cycles[left[0]] = self._by_events(machines[left[0]], "").makespan
                left = left[1:]
        return cycles, by_order

    def refuse(self, machine: Machine) -> None:
        """Refuse a machine on which another schedule would run."""
        for name, value in machine.network_fields().items():
            if self.schedule.placed_on[name] != value:
                raise InputError(
                    f"machine {machine.name} has {name} = {in_file(value)}, but this schedule was placed "
                    f"with {name} = {in_file(self.schedule.placed_on[name])}: messages would go other ways, "
                    "and its times do not follow from this run; make a run on that machine"
                )
        arrays = self.schedule.program.arrays
        if machine.arrays_at_once and arrays > machine.arrays_at_once:
            raise InputError(
                f"machine {machine.name} has room for {machine.arrays_at_once} arrays at once, but this "
                f"schedule is one of {arrays}: make a run with fewer arrays, or set machine.arrays_at_once"
            )

    def graph(self, machine: Machine) -> Graph:
        """The order in which a machine serves, and its times; found by events if it has not been seen.

        InputError where no order can be kept to, and where messages take no time and are in none.
        """
        self.refuse(machine)
        why = without_order(machine)
        if why is None and _is_free(machine):
            why = "messages take no time, and are served in no order"
        for again in (False, True) if why is None else ():
            if again:
                self._by_events(machine, "")
            self._begin(machine)
            for order in self.orders:
                filled, holds = self._filled(order, [machine])
                if holds[0]:
                    return Graph(order, self.work.cycles(Numbers.of([machine])), filled)
            why = self._none.get(kind_of(machine), "its numbers are too large")
        raise InputError(f"machine {machine.name}: what its makespan depends on cannot be told; {why}")

    def _begin(self, machine: Machine) -> None:
        """With the order of the record, where its queues are those of the machine, or as they would be."""
        kind, recorded = kind_of(machine), self._recorded
        if kind in self._begun:
            return
        self._begun.add(kind)
        if self._queued is None and without_order(recorded) is None:
            self._queued = solved(self.schedule, recorded, durations(self.schedule, recorded)).travel.queued
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
        """Times by an order, and of which machines they are."""
        numbers = Numbers.of(machines)
        filled = fill_in(order, self.work.cycles(numbers))
        fits = self.work.fits(numbers, len(self.schedule.tasks))
        fits &= np.array([kind_of(one) == order.kind for one in machines])
        return filled, filled.holds & fits

    def _in_order(self, machine: Machine) -> Timing | str:
        """By an order that is known, or why not."""
        self._begin(machine)
        why = self._none.get(kind_of(machine), _UNKNOWN)
        for order in self.orders:
            filled, holds = self._filled(order, [machine])
            if holds[0]:
                return self._timing_of(machine, order, filled)
            if order.kind == kind_of(machine) and not filled.holds[0]:
                why = self._overtaken(order, int(filled.overtaken[0]))
        return why

    def _timing_of(self, machine: Machine, order: Order, filled: Filled) -> Timing:
        def made(detail: Detail) -> Run:
            time = durations(self.schedule, machine, detail=detail)
            units = control_units(self.schedule, machine, time)
            found = times_of(self.schedule, time, units, order, filled)
            return run_of(self.schedule, machine, time, found, None, detail=detail, keep_values=False)

        number = order.meet.shape[1]
        places = "1 place in a queue" if number == 1 else f"{number:,} places in queues"
        why = f"at {places} messages might overtake each other on another machine; on this one none does"
        if _is_free(machine):
            why = "messages take no time, so none waits for another"
        elif not number:
            why = "no message can overtake another in a queue, whatever the times"
        return Timing(machine, int(filled.makespan[0]), "order", why, made)

    def _overtaken(self, order: Order, pair: int) -> str:
        m = self.schedule.messages
        hops = order.example[:, pair]
        first, second = (int(np.searchsorted(m.paths.offsets, hop, side="right")) - 1 for hop in hops)
        wire = self.schedule.wiring.columns()["wire"][int(m.paths.channels[hops[1]])]
        return (
            f"message {second} ({self._said(second)}) would come to {wire} before message {first} "
            f"({self._said(first)}), which went first in the record"
        )

    def _said(self, message: int) -> str:
        return self.schedule.messages.text(message)

    def _by_events(self, machine: Machine, why: str) -> Timing:
        """As an engine finds it, every message by itself; the order is kept for others."""
        schedule = self.schedule
        if not lockstep.is_exact(machine):
            run = events.simulate(schedule, machine, None)
            return Timing(machine, run.summary["makespan"], "events", why, run.at_detail)
        time = durations(schedule, machine)
        found = solved(schedule, machine, time)
        if without_order(machine) is None and not _is_free(machine):
            self._keep(machine, found.travel.queued)

        def made(detail: Detail) -> Run:
            time = durations(schedule, machine, detail=detail)
            return run_of(schedule, machine, time, found, None, detail=detail, keep_values=False)

        makespan = max((int(ends[-1]) for ends in found.ends if len(ends)), default=0)
        return Timing(machine, makespan, "events", why, made)


_TOGETHER = 1024
"""Machines that are timed at once: the graph has so many times of each node."""
_UNKNOWN = "the record has no order of messages: on its machine they took no time"


def without_order(machine: Machine) -> str | None:
    """Why an order of service cannot be kept to on a machine, None where it can."""
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
