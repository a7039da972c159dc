"""A program that cannot finish says who waits for what."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from senn.machine.engines.control import Issue
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task


class Deadlock(RuntimeError):
    """The run cannot go on; the text says who waits for which value from whom."""


_SHOWN = 8  # control units, of those that wait


def who_waits(schedule: Schedule, waiting: Sequence[tuple[Issue, Collection[int]]], now: int) -> str:
    """One sentence per waiting control unit: who, at which step, for which value, from whom, and why not.

    `waiting` gives the instructions that cannot be issued, each with the messages it lacks.
    """
    order = sorted(waiting, key=lambda one: (one[0].task.array, one[0].node or 0))
    lines = [f"deadlock at cycle {now}: no message is under way and not every array has ended"]
    lines += [
        f"  {_waits(schedule, order, one, min(missing), len(missing))}" for one, missing in order[:_SHOWN]
    ]
    if len(order) > _SHOWN:
        lines.append(f"  (and {len(order) - _SHOWN} more nodes)")
    return "\n".join(lines)


def _waits(
    schedule: Schedule, waiting: Sequence[tuple[Issue, object]], one: Issue, message: int, missing: int
) -> str:
    m = schedule.messages
    source, node = int(m.source_array[message]), int(m.source_node[message])
    sender = schedule.tasks[source - 1][int(m.serial[message])]
    stopped = next((x for x, _ in waiting if x.task.array == source and x.node in (None, node)), None)
    if stopped is not None and stopped.task.serial <= sender.serial:
        unit = f"array {source}" if stopped.node is None else f"node {node} of array {source}"
        why = f"which it sends at {_at(sender)}, but {unit} waits at {_at(stopped.task)}"
    else:
        why = f"sent at {_at(sender)}: message {message} was posted and never arrived"
    value = m.text(message)
    more = f" (and {missing - 1} more)" if missing > 1 else ""
    target = f"PR_{{{m.target_array[message]},{m.target_process[message]}}}"
    if message in one.takes:
        sent_by = f"PR_{{{source},{m.source_process[message]}}}"
        return f"{target} waits at {_at(one.task)} for {value}{more} from {sent_by}, {why}"
    return f"array {source} waits at {_at(one.task)} until {value}{more} is delivered to {target}, {why}"


def _at(task: Task) -> str:
    level = task.line.instruction.level
    return task.step + ("" if level is None else f" (level {level})")
