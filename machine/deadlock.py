"""A program that cannot finish says who waits for what."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from senn.machine.schedule import Schedule, Task


class Deadlock(RuntimeError):
    """The run cannot go on; the text says who waits for which value from whom."""


def who_waits(schedule: Schedule, waiting: Mapping[int, tuple[Task, Collection[int]]], now: int) -> str:
    """One sentence per waiting array: who, at which step, for which value, from whom, and why not.

    `waiting` gives, by array, the task that cannot issue and the messages it lacks.
    """
    m = schedule.messages
    lines = [f"deadlock at cycle {now}: no message is under way and not every array has ended"]
    for array, (task, missing) in sorted(waiting.items()):
        first = min(missing)
        source = int(m.source_array[first])
        sender = schedule.tasks[source - 1][int(m.serial[first])]
        stopped = waiting.get(source)
        if stopped is not None and stopped[0].serial <= sender.serial:
            why = f"which it sends at {_at(sender)}, but array {source} waits at {_at(stopped[0])}"
        else:
            why = f"sent at {_at(sender)}: message {first} was posted and never arrived"
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        lines.append(
            f"  PR_{{{array},{m.target_process[first]}}} waits at {_at(task)} for "
            f"{schedule.flow.values[m.value[first]].text(process=int(m.process[first]))}{more} from "
            f"PR_{{{source},{m.source_process[first]}}}, {why}"
        )
    return "\n".join(lines)


def _at(task: Task) -> str:
    level = task.line.instruction.level
    return task.step + ("" if level is None else f" (level {level})")
