"""The SimPy engine: control units issue, DMA units carry, and numbers really travel in messages.

A control unit issues its instructions in order, each when the messages it waits for have arrived. A
receiving node computes with what the message carried, never with a copy taken from elsewhere: every node
has a memory of its own, filled by what was resident, what the node wrote, and what arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from senn.machine.durations import durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.engines.deadlock import Deadlock, who_waits
from senn.machine.engines.evaluate import Block, evaluate
from senn.machine.engines.events.channels import Channels
from senn.machine.engines.memory import Memories
from senn.machine.engines.outcome import run_of
from senn.machine.engines.provenance import check_provenance
from senn.machine.engines.times import Times
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute
from senn.traces.errors import InputError
from senn.traces.record.trace import Detail
from senn.traces.run import Run

Tamper = Callable[[int, Block], Block | None]
"""Called with id and payload of every message in flight: what arrives instead, or None for a lost message."""

_NOT_YET = -1


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None,
    *,
    detail: Detail = "full",
    check: bool = False,
    keep_values: bool = False,
    tamper: Tamper | None = None,
) -> Run:
    """Execute a schedule message by message.

    ``memory`` gives the resident values, each an array over the processes 1..n, (n, *shape). Its key is the
    letter, "x", or "x[0]" for a value with a superscript (here 0). None runs the timing alone (durations
    never depend on data). The run's ``result`` holds the program's results, one
    row per process that has one. ``check`` asserts at the end that every node holds exactly what was resident
    there, what it wrote, and what arrived. ``tamper`` alters or drops messages in flight, for experiments.

    Raises Deadlock when no event is left and a control unit still waits, InputError for a memory that does
    not fit the program.
    """
    execution = _Execution(schedule, machine, memory, tamper, detail)
    execution.run()
    times, memories = execution.times(), execution.memories
    if check and memories is not None:
        check_provenance(schedule, memories)
    return run_of(
        schedule, machine, execution.durations, times, memories, detail=detail, keep_values=keep_values
    )


class _Execution:
    """The state of a run in progress."""

    def __init__(
        self,
        schedule: Schedule,
        machine: Machine,
        memory: Mapping[str, NDArray[Any]] | None,
        tamper: Tamper | None,
        detail: Detail,
    ) -> None:
        self.schedule, self.tamper = schedule, tamper
        self.durations = durations(schedule, machine, detail=detail)
        self.units = control_units(schedule, machine, self.durations)
        self.env = simpy.Environment()
        self.channels = Channels(self.env, schedule, machine, self.durations, self._deliver)
        if tamper is not None and memory is None:
            raise InputError("tamper alters the numbers in messages, but this run has none: give it a memory")
        self.memories = None if memory is None else Memories(schedule, memory)
        self.payloads: dict[int, Block] = {}
        self.arrived = np.full(len(schedule.messages), _NOT_YET)  # in which cycle, as seen here
        self.issues = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        self.ends = [np.zeros(len(unit), dtype=np.int64) for unit in self.units]
        # What a control unit waits for: its instruction, the messages missing, and the event.
        self.waiting: dict[int, tuple[Issue, set[int], simpy.Event]] = {}
        self.awaited: dict[int, list[int]] = {}  # the control units that wait for a message

    def run(self) -> None:
        for unit, stream in enumerate(self.units):
            self.env.process(self._control_unit(unit, stream))
        self.env.run()
        if self.waiting:
            waiting = [(one, missing) for one, missing, _ in self.waiting.values()]
            raise Deadlock(who_waits(self.schedule, waiting, int(self.env.now)))

    def times(self) -> Times:
        return Times(self.units, tuple(self.issues), tuple(self.ends), self.channels.travel(self.arrived))

    def _control_unit(self, unit: int, stream: tuple[Issue, ...]) -> Generator[simpy.Event, None, None]:
        for position, one in enumerate(stream):
            missing = set(one.waits[self.arrived[one.waits] == _NOT_YET].tolist())
            if missing:
                event = self.env.event()
                self.waiting[unit] = (one, missing, event)
                for message in missing:
                    self.awaited.setdefault(message, []).append(unit)
                yield event
            self.issues[unit][position] = self.env.now
            self._execute(one)
            if one.busy:
                yield self.env.timeout(one.busy)
            self.ends[unit][position] = self.env.now
            self._post(one)

    def _execute(self, one: Issue) -> None:
        if self.memories is not None and isinstance(one.task.line.instruction, Compute):
            for lanes, blocks in evaluate(one.task, self.memories.reader(one.task.array), one.own):
                self.memories.write(one.task, lanes, blocks)

    def _post(self, one: Issue) -> None:
        posts = one.posts if isinstance(one.posts, range) else one.posts.tolist()
        if self.memories is not None:
            for message in posts:
                self.payloads[message] = self.memories.payload(message)
        self.channels.post(posts)

    def _deliver(self, message: int) -> None:
        if self.memories is not None:
            sent = self.payloads.pop(message)
            carried = sent if self.tamper is None else self.tamper(message, sent)
            if carried is None:
                return
            self.memories.receive(message, carried)
        self.arrived[message] = self.env.now
        for unit in self.awaited.pop(message, ()):
            _, missing, event = self.waiting[unit]
            missing.discard(message)
            if not missing:
                del self.waiting[unit]
                event.succeed()
