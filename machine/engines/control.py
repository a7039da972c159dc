"""Control units: what each of them issues, in order, and what it has to wait for first.

With `control = "simd"` an array has one control unit, and all lanes of an instruction go together: they
start when the last message of any of them is there, and take as long as the longest. With "mimd" every
node has its own: it issues its share of an instruction when its own messages are there, and takes the
cycles of the operations that it executes itself. A wait is passed by the nodes of its mask and by those
where the values it names arrive, each for itself.

With `dma = false` a send returns on delivery: the next instruction of the control unit waits for all
messages of the send as well. The time is a stall of that instruction, ended by the last message delivered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.evaluate import lanes
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Compute, Wait


@dataclass(frozen=True, eq=False, slots=True)
class Issue:
    """An instruction as one control unit issues it: all of it, or the share of one node."""

    task: Task
    receive: int  # cycles before its operation, for taking messages
    cycles: int  # of its operation
    takes: Integers  # ids of the messages that it takes, ascending
    waits: Integers  # ids of the messages that must have arrived, ascending
    posts: range | Integers  # ids of the messages that it posts at its end, ascending
    node: int | None = None  # whose share; None: of the whole array
    own: Integers | None = None  # the node's processes, as positions in the task's columns; None: all

    @property
    def busy(self) -> int:
        """From its issue to its end."""
        return self.receive + self.cycles


def control_units(
    schedule: Schedule, machine: Machine, durations: Durations
) -> tuple[tuple[Issue, ...], ...]:
    """What every control unit issues: per array, or (mimd) per node, arrays one after the other."""
    if machine.control == "simd":
        streams = [[_whole(task, durations) for task in tasks] for tasks in schedule.tasks]
    else:
        streams = [[] for _ in range(schedule.wiring.arrays * schedule.wiring.nodes)]
        for task in (task for tasks in schedule.tasks for task in tasks):
            for share in _shares(task, schedule, machine):
                assert share.node is not None
                streams[(task.array - 1) * schedule.wiring.nodes + share.node].append(share)
    return tuple(tuple(stream if machine.dma else _returning_on_delivery(stream)) for stream in streams)


def _returning_on_delivery(stream: list[Issue]) -> Iterator[Issue]:
    posted: range | Integers = range(0)
    for one in stream:
        yield replace(one, waits=np.union1d(one.waits, posted).astype(np.int64)) if len(posted) else one
        posted = one.posts


def _whole(task: Task, durations: Durations) -> Issue:
    k = task.array - 1
    return Issue(
        task=task,
        receive=int(durations.receive[k][task.serial]),
        cycles=int(durations.cycles[k][task.serial]),
        takes=task.needs,
        waits=task.needs,
        posts=task.posts,
    )


def _shares(task: Task, schedule: Schedule, machine: Machine) -> Iterator[Issue]:
    """One instruction node by node, ascending."""
    messages = schedule.messages
    target = messages.target_node[task.needs]
    posts = np.arange(task.posts.start, task.posts.stop)
    source = messages.source_node[posts]
    each = process_cycles(task, machine)
    for node in np.unique(np.concatenate([task.nodes, target])).tolist():
        own = np.flatnonzero(task.nodes == node)
        takes = task.needs[target == node]
        yield Issue(
            task=task,
            receive=machine.timing.receive * len(takes),
            cycles=int(each[own].sum()),
            takes=takes,
            waits=takes,
            posts=posts[source == node],
            node=node,
            own=own,
        )


def process_cycles(task: Task, machine: Machine) -> Integers:
    """Cycles of the operations executed for each process; `post` for a send, nothing for a wait."""
    cycles = np.zeros(len(task.nodes), dtype=np.int64)
    instruction = task.line.instruction
    if isinstance(instruction, Compute):
        for kernel, present, group in lanes(task.line):
            count = instruction.expression.operations(kernel, present)
            cycles[group] = machine.compute_cycles(count.multiply, count.add, count.divide, count.trig)
    elif not isinstance(instruction, Wait):
        cycles[:] = machine.timing.post
    return cycles
