"""Control units: what each of them issues, in order, and which messages it awaits first.

With `control = "simd"` an array has one control unit, and all lanes of an instruction go together: they
start when the last message of any of them has arrived, and take as long as the longest. With "mimd" every
node has its own: it issues its share of an instruction when its own messages have arrived, and takes the
cycles of the operations that it executes itself. A wait is passed by the nodes of its mask and by those
where the values it names arrive, each for itself.

With `dma = false` a send returns on delivery: the next instruction of the control unit awaits all messages of
the send as well. The time is a stall of that instruction, ended by the last message delivered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.memory import operations
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task


@dataclass(frozen=True, eq=False, slots=True)
class Issue:
    """An instruction as one control unit issues it: all of it, or the share of one node."""

    task: Task
    receive: int  # cycles before its operation, for receiving messages
    cycles: int  # of its operation
    received: Integers  # ids of the messages that it receives, ascending
    awaited: Integers  # ids of the messages that must have arrived, ascending
    posts: range | Integers  # ids of the messages that it posts at its end, ascending
    node: int | None = None  # whose share; None: of the whole array
    positions: Integers | None = None  # of the node's processes in the task's columns; None: all

    @property
    def busy(self) -> int:
        """Cycles from its issue to its end."""
        return self.receive + self.cycles


def control_units(
    schedule: Schedule, machine: Machine, durations: Durations
) -> tuple[tuple[Issue, ...], ...]:
    """Streams of all control units: per array, or (mimd) per node, arrays one after the other."""
    streams: list[list[Issue]]
    if machine.control == "simd":
        columns = zip(schedule.tasks, durations.receive, durations.cycles, strict=True)
        streams = [
            [
                Issue(task, receive, cycles, task.needs, task.needs, task.posts)
                for task, receive, cycles in zip(tasks, received.tolist(), busy.tolist(), strict=True)
            ]
            for tasks, received, busy in columns
        ]
    else:
        m, nodes = schedule.messages, schedule.wiring.nodes
        streams = [[] for _ in range(schedule.wiring.arrays * nodes)]
        for task in schedule.every_task:
            if task.line.instruction.operation in ("send", "arrange"):
                cycles = np.full(len(task.nodes), machine.timing.post)
            else:
                kinds, which = operations(task)
                each = [machine.compute_cycles(*counts) for counts in kinds]
                cycles = np.array(each, dtype=np.int64)[which]
            posts, target = np.arange(task.posts.start, task.posts.stop), m.target_node[task.needs]
            for node in np.unique(np.concatenate([task.nodes, target])).tolist():
                positions, received = np.flatnonzero(task.nodes == node), task.needs[target == node]
                receive, work = machine.timing.receive * len(received), int(cycles[positions].sum())
                own_posts = posts[m.source_node[posts] == node]
                share = Issue(task, receive, work, received, received, own_posts, node, positions)
                streams[(task.array - 1) * nodes + node].append(share)
    if not machine.dma:  # an instruction also awaits the messages that its predecessor posted
        for stream in streams:
            for k, (before, issue) in enumerate(pairwise(stream), 1):
                if len(before.posts):
                    awaited = np.union1d(issue.awaited, before.posts).astype(np.int64)
                    stream[k] = replace(issue, awaited=awaited)
    return tuple(map(tuple, streams))


class Deadlock(RuntimeError):
    """A run that cannot go on; the text names the stalled control units and the messages that each awaits."""


_SHOWN = 8  # control units, of those that are stalled


def deadlock(schedule: Schedule, stalled: Sequence[tuple[Issue, Collection[int]]], now: int) -> Deadlock:
    """A sentence per stalled control unit: its step, the value it awaits, the sender, why it is missing.

    `stalled` gives the instructions that cannot be issued, each with the messages it lacks.
    """

    def at(task: Task) -> str:
        level = task.line.instruction.level
        return task.step + ("" if level is None else f" (level {level})")

    m, order = schedule.messages, sorted(stalled, key=lambda entry: (entry[0].task.array, entry[0].node or 0))
    lines = [f"deadlock at cycle {now}: no message is under way and not every array has ended"]
    for issue, missing in order[:_SHOWN]:
        message = min(missing)
        source, node = int(m.source_array[message]), int(m.source_node[message])
        sender = schedule.every_task[schedule.senders[message]]
        blocked = next((x for x, _ in order if x.task.array == source and x.node in (None, node)), None)
        if blocked is not None and blocked.task.serial <= sender.serial:
            unit = f"array {source}" if blocked.node is None else f"node {node} of array {source}"
            why = f"which it sends at {at(sender)}, but {unit} waits at {at(blocked.task)}"
        else:
            why = f"sent at {at(sender)}: message {message} was posted and never arrived"
        value = m.text(message) + (f" (and {len(missing) - 1} more)" if len(missing) > 1 else "")
        target, waits = f"PR_{{{m.target_array[message]},{m.target_process[message]}}}", at(issue.task)
        if message in issue.received:
            sent_by = f"PR_{{{source},{m.source_process[message]}}}"
            lines.append(f"  {target} waits at {waits} for {value} from {sent_by}, {why}")
        else:
            lines.append(f"  array {source} waits at {waits} until {value} is delivered to {target}, {why}")
    if len(order) > _SHOWN:
        lines.append(f"  (and {len(order) - _SHOWN} more nodes)")
    return Deadlock("\n".join(lines))
