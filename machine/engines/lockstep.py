"""The lockstep engine: the run of the event engine, to the cycle and byte, on whole arrays at once.

Nothing is simulated message by message. A stalled control unit posts nothing until the messages it awaits
have arrived, so one solution of all queues gives its release exactly (`senn.machine.engines.issue_times`).
Values are batches over processes. Nothing can change a message on its way, so a slot that a message fills has
the content of the slot it was sent from, and a batch is stored once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.issue_times import times
from senn.machine.engines.memory import Batches, Block, evaluate
from senn.machine.engines.record import run_of
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program.flow import NONE
from senn.traces.record import Detail
from senn.traces.run import Run


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[Any]] | None,
    *,
    detail: Detail = "full",
    keep_values: bool = False,
) -> Run:
    """Execute a schedule on whole arrays: the run of `senn.machine.engines.events`.

    Raises Deadlock where that does, and InputError where this engine cannot be exact: one port per node.
    """
    if not is_exact(machine):
        raise InputError(
            f'ports = "{machine.ports}": which channels may serve then depends on all others in every cycle; '
            "use the events engine"
        )
    cycles = durations(schedule, machine, detail=detail)
    measured = times(schedule, machine, cycles)
    batches = None if memory is None else computed(schedule, [memory], keep_values)
    return run_of(schedule, machine, cycles, measured, batches, detail=detail, keep_values=keep_values)


def is_exact(machine: Machine) -> bool:
    """Whether this engine can time a machine exactly; `simulate` refuses any other."""
    return machine.ports == "all"


def results(schedule: Schedule, memories: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, Block]:
    """Results of a program from each of many memories, by name: (memories, rows, *shape).

    Each equals, to the bit, `simulate` of this memory alone; all have the times of one run.
    """
    batches = computed(schedule, memories)
    return {
        name: batches.of_all(slots).copy().swapaxes(0, 1) if len(slots) else np.zeros((len(memories), 0))
        for name, slots in schedule.results.items()
    }


def computed(
    schedule: Schedule, memories: Sequence[Mapping[str, NDArray[Any]]], keep_values: bool = False
) -> Batches:
    """All values, each after its operands: in the order of the slots that they fill. At the end only the
    results are left, if not all values are kept."""
    origin = np.arange(len(schedule.flow.slots), dtype=np.int32)  # by slot, where its content was written
    transfers = (t for stream in schedule.flow.lines for line in stream for t in line.transfers)
    for transfer in sorted(transfers, key=lambda t: t.first):  # slots come after those they are filled from
        source = transfer.source_slots.ravel()
        origin[transfer.first : transfer.first + len(source)] = origin[source]
    batches = Batches(schedule, memories, origin)
    computes = ((task.line.writes, task) for task in schedule.every_task)
    by_slot = [(int(writes[0]), task) for writes, task in computes if writes is not None]
    order = [task for _, task in sorted(by_slot, key=lambda entry: entry[0])]
    last, batch = np.full(len(batches.blocks), NONE), batches.batch[batches.origin]
    for at, read in ((at, read) for at, task in enumerate(order) for read in task.reads):
        last[batch[read[read != NONE]]] = at
    for slots in schedule.results.values():
        last[batch[slots]] = NONE
    unread: dict[int, list[int]] = {}
    for k, at in enumerate(() if keep_values else last.tolist()):
        unread.setdefault(at, []).append(k)
    for at, task in enumerate(order):
        for positions, blocks in evaluate(task, batches.gather, copies=len(memories)):
            batches.write(task, positions, blocks)
        for k in unread.get(at, ()):
            batches.blocks[k] = None
    return batches
