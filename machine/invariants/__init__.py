"""Invariants I1-I14 of every trace: an independent check that calls no engine.

`check` applies them by name; I12 and I13 compare several runs. It knows the schedule (who reads what), the
machine (how long it takes) and the tables. `nodes`: control units and compute engines; `messages`: messages
and channels. `reading`: a trace beside its schedule. `placement`: a trace beside the `text` of its program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.control import control_units
from senn.machine.engines.memory import Violation as Violation
from senn.machine.invariants.messages import (
    CHANNEL,
    causes_precede,
    channels_are_fair,
    channels_never_idle,
    channels_serve_one_at_a_time,
    delivered_and_read,
)
from senn.machine.invariants.nodes import (
    communication_splits,
    engines_do_one_thing,
    lanes_go_together,
    nodes_account_for_all_cycles,
)
from senn.machine.invariants.placement import placed_as_written
from senn.machine.invariants.reading import NEVER, channel, column, require
from senn.machine.invariants.reading import Reading as Reading
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.traces.analysis import critical_path
from senn.traces.record import Trace
from senn.traces.run import Run


def check(schedule: Schedule, machine: Machine, trace: Trace) -> None:
    """Raise Violation unless a run of `schedule` on `machine` can have left this full `trace`."""
    trace.require("hops")
    reading = Reading(schedule, machine, trace)
    for invariant in INVARIANTS.values():
        invariant(reading)


Simulate = Callable[[Schedule, Machine, None], Run]
"""An engine, without numbers."""


def check_free_network(schedule: Schedule, machine: Machine, simulate: Simulate) -> None:
    """I12: T0, worked out without an engine, is the makespan of a run on a free network."""
    run = simulate(schedule, machine.with_free_network(), None)
    if run.summary["makespan"] != (t0 := free_network(schedule, machine)):
        raise Violation(f"I12: a free network takes {run.summary['makespan']} cycles, but T0 is {t0}")


def check_repeats(schedule: Schedule, machine: Machine, simulate: Simulate) -> None:
    """I13: running twice leaves the same trace."""
    first, second = (simulate(schedule, machine, None).trace for _ in range(2))
    if first.hash != second.hash:
        raise Violation(f"I13: two runs leave different traces, {first.hash[:12]} and {second.hash[:12]}")


def free_network(schedule: Schedule, machine: Machine) -> int:
    """T0: the makespan if every message arrived in the cycle in which it is posted.

    From durations, program order and needs alone: an instruction starts at the end of its predecessor, or
    when the last of the messages that it waits for is posted.
    """
    units = control_units(schedule, machine, durations(schedule, machine))
    posted = np.full(len(schedule.messages), NEVER)
    clock, position = [0] * len(units), [0] * len(units)
    waiting = set(range(len(units)))
    moving = True
    while moving:
        moving = False
        for k in sorted(waiting):
            for issue in units[k][position[k] :]:
                if np.any(posted[issue.awaited] == NEVER):
                    break
                clock[k] = max(clock[k], int(posted[issue.awaited].max(initial=0))) + issue.busy
                posted[issue.posts] = clock[k]
                position[k] += 1
                moving = True
            else:
                waiting.discard(k)
    for k in sorted(waiting):
        task = units[k][position[k]].task
        raise Violation(f"I12: array {task.array} waits at {task.step} for a message that is never posted")
    return max(clock, default=0)


def issued(r: Reading) -> None:
    """The instructions are the schedule's, in order (every other invariant counts on it)."""
    table = r.trace.instructions
    listed = list(zip(table["array"], table["serial"], table["step"], strict=True))
    wanted = [(task.array, task.serial, task.step) for task in r.schedule.every_task]
    if listed != wanted:
        raise Violation(
            f"I1: the trace has {len(listed)} instructions, which are not the {len(wanted)} issued"
        )


def critical_path_is_whole(r: Reading) -> None:
    """I9: the pieces of the critical path join and sum to the makespan."""
    try:
        pieces = critical_path(r.trace, r.machine.describe())
    except InputError as error:
        raise Violation(f"I9: {error}") from None
    makespan = int(r.instruction("end").max(initial=0))
    joints = [0, *(piece.end for piece in pieces)]
    starts = [*(piece.start for piece in pieces), makespan]
    for k, (ended, started) in enumerate(zip(joints, starts, strict=True)):
        if ended != started:
            where = f"before {pieces[k].step}" if k < len(pieces) else "at the end"
            raise Violation(f"I9: the critical path breaks {where}: cycle {ended} is followed by {started}")


def bounds_hold(r: Reading) -> None:
    """I11: T_k >= cycles of its instructions; T_k + drain >= busy time of a channel."""
    work = np.zeros_like(r.ends)
    if r.machine.control == "simd":
        np.add.at(work, r.instruction("array") - 1, r.instruction("end") - r.instruction("issue"))
    else:
        spent = r.trace.activities.group_by("array", "node").agg((pl.col("end") - pl.col("start")).sum())
        for array, cycles in spent.select("array", "end").iter_rows():
            work[array - 1] = max(work[array - 1], cycles)
    array = np.arange(1, len(work) + 1)
    text = "I11: array {} ends in cycle {}, but its instructions take {}"
    require(r.ends >= work, text, array, r.ends, work)
    busy = r.trace.hops.group_by(CHANNEL, maintain_order=True).agg((pl.col("end") - pl.col("start")).sum())
    until = (r.ends + r.drain.max(axis=1, initial=0)).max(initial=0)
    text = f"I11: {{}} is busy {{}} cycles, but all is over in cycle {until}"
    require(column(busy, "end") <= until, text, partial(channel, busy), busy["end"])


def free_network_is_a_bound(r: Reading) -> None:
    """I12: with every arrival in the cycle of its posting, the run would not take longer."""
    t0, makespan = free_network(r.schedule, r.machine), int(r.instruction("end").max(initial=0))
    if t0 > makespan:
        raise Violation(f"I12: the run ends in cycle {makespan}, but a free network takes {t0}")


INVARIANTS: dict[str, Callable[[Reading], None]] = {
    "issued": issued,
    "I14": placed_as_written,  # first: the others count on the messages that the schedule has
    "I1": delivered_and_read,
    "I2": engines_do_one_thing,
    "I3": channels_serve_one_at_a_time,
    "I4": causes_precede,
    "I5": channels_never_idle,
    "I6": channels_are_fair,
    "I7": nodes_account_for_all_cycles,
    "I8": communication_splits,
    "I9": critical_path_is_whole,
    "I10": lanes_go_together,
    "I11": bounds_hold,
    "I12": free_network_is_a_bound,
}
