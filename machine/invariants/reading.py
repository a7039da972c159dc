"""A trace beside the schedule and the machine it must fit, as columns, for the invariants.

Nothing here calls an engine. The schedule says what was to be sent and read, the machine how long it takes,
the trace what happened; where they disagree, a `Violation` names the invariant, the place and the cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from senn.machine.durations import Durations, durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.engines.memory import Violation
from senn.machine.model import Machine
from senn.machine.network.topology import Integers, Truth
from senn.machine.placing.schedule import Schedule
from senn.machine.program.flow import NONE
from senn.traces.analysis.overlap import Cycles
from senn.traces.record import NULL, Trace

NEVER = np.iinfo(np.int64).max


def require(holds: Truth, text: str, *columns: Any) -> None:
    """Raise a Violation for the first row where an invariant does not hold.

    Its text has a place for the entry of each column in this row, or for the result of a function of the row.
    """
    if not holds.all():
        row = int(holds.argmin())
        raise Violation(text.format(*(x(row) if callable(x) else x[row] for x in columns)))


def column(table: pl.DataFrame, name: str) -> Integers:
    """A column of whole numbers; null is NULL."""
    return table[name].fill_null(NULL).to_numpy()


def channel(hops: pl.DataFrame, k: int) -> str:
    """Description of a channel in an error."""
    row = hops.row(k, named=True)
    return (
        f"channel {row['wire']} from node {row['source_node']} of array {row['source_array']} to node "
        f"{row['target_node']} of array {row['target_array']}"
    )


@dataclass(frozen=True, eq=False)
class Reading:
    """A full trace beside the schedule and the machine that it must fit."""

    schedule: Schedule
    machine: Machine
    trace: Trace

    def instruction(self, name: str) -> Integers:
        return column(self.trace.instructions, name)

    def message(self, name: str) -> Integers:
        return column(self.trace.messages, name)

    def hop(self, name: str) -> Integers:
        return column(self.trace.hops, name)

    @cached_property
    def ends(self) -> Integers:
        """T_k, the end of the program of each array (index array - 1)."""
        ends = np.zeros(self.schedule.wiring.arrays, dtype=np.int64)
        np.maximum.at(ends, self.instruction("array") - 1, self.instruction("end"))
        return ends

    @cached_property
    def durations(self) -> Durations:
        return durations(self.schedule, self.machine, detail="full")

    @cached_property
    def issues(self) -> tuple[Integers, ...]:
        """Issues of all control units, aligned with `units`.

        A wait of a single node leaves no trace but what it takes: it is over when its messages are there.
        """
        if self.machine.control == "simd":
            issue = self.instruction("issue")
            return tuple(np.split(issue, self.schedule.first[1:-1]))
        starts = {
            (array, serial, node): start
            for array, serial, node, start in self.trace.activities.group_by("array", "instruction", "node")
            .agg(pl.col("start").min())
            .iter_rows()
        }
        arrived = self.message("arrived")
        issues = []
        for unit in self.units:
            ended, times = 0, []
            for issued in unit:
                released = max(ended, int(arrived[issued.awaited].max(initial=0)))
                times.append(starts.get((issued.task.array, issued.task.serial, issued.node), released))
                ended = times[-1] + issued.busy
            issues.append(np.array(times, dtype=np.int64))
        return tuple(issues)

    @cached_property
    def units(self) -> tuple[tuple[Issue, ...], ...]:
        """Streams of the control units."""
        return control_units(self.schedule, self.machine, self.durations)

    def lane_issue(self, row: Integers, node: Integers) -> Integers:
        """Cycles in which nodes issue instructions (by row); NEVER for a node that has no part in one."""
        if self.machine.control == "simd":
            return self.instruction("issue")[row]
        issue = {
            (self.schedule.row(issued.task.array, issued.task.serial), issued.node): cycle
            for unit, issues in zip(self.units, self.issues, strict=True)
            for issued, cycle in zip(unit, issues.tolist(), strict=True)
        }
        keys = zip(row.tolist(), node.tolist(), strict=True)
        return np.array([issue.get(key, NEVER) for key in keys], dtype=np.int64)

    @cached_property
    def horizon(self) -> np.int64:
        """A cycle beyond all others: the node with the number `owner` has its cycle t at owner * horizon + t.

        Of 64 bits, and so are the products with numbers of nodes, which have 32.
        """
        return np.int64(1 + max(int(self.hop("end").max(initial=0)), int(self.ends.max(initial=0))))

    @cached_property
    def dma(self) -> Cycles:
        """Cycles of occupied outgoing channels of every node; its number is (array - 1) * nodes + node."""
        origin = (self.hop("source_array") - 1) * self.schedule.wiring.nodes + self.hop("source_node")
        origin *= self.horizon
        return Cycles.union(origin + self.hop("start"), origin + self.hop("end"))

    @cached_property
    def dma_intervals(self) -> tuple[Integers, Integers, Integers]:
        """(owner, start, end) of the intervals of `dma`."""
        owner, start = np.divmod(self.dma.start, self.horizon)
        return owner, start, start + self.dma.end - self.dma.start

    @cached_property
    def drain(self) -> Integers:
        """(arrays, nodes) cycles in which a node's DMA is busy after the end of its array's program."""
        owner, start, end = self.dma_intervals
        drain = np.zeros((self.schedule.wiring.arrays, self.schedule.wiring.nodes), dtype=np.int64)
        last = self.ends[owner // self.schedule.wiring.nodes]
        np.add.at(drain.reshape(-1), owner, np.maximum(end - np.maximum(start, last), 0))
        return drain

    @cached_property
    def reads(self) -> tuple[Integers, Integers]:
        """(message, row of the instruction) of every read of a slot that a message fills, by any lane."""
        message_of = np.full(len(self.schedule.flow.slots), NONE)
        message_of[self.schedule.messages.slot] = self.schedule.messages.carrier
        parts = [np.zeros((2, 0), dtype=np.int64)]
        for row, task in enumerate(self.schedule.every_task):
            for read in task.reads:
                messages = message_of[read[read != NONE]]
                messages = messages[messages != NONE]
                parts.append(np.stack([messages, np.full(len(messages), row)]))
        messages, rows = np.concatenate(parts, axis=1)
        return messages, rows

    def at(self, row: int) -> str:
        """Description of an instruction in an error."""
        task = self.schedule.every_task[row]
        return f"{task.step} (array {task.array}, instruction {task.serial})"

    def hop_text(self, row: int) -> str:
        """Description of a hop in an error: its message and its channel."""
        hops = self.trace.hops
        return f"{self.text_of(hops['message'][row])}, {channel(hops, row)}"

    def text_of(self, message: int) -> str:
        """Description of a message in an error: its value, sender and receiver."""
        m = self.schedule.messages
        return (
            f"message {message}, {m.text(message)} "
            f"from PR_{{{m.source_array[message]},{m.source_process[message]}}} "
            f"to PR_{{{m.target_array[message]},{m.target_process[message]}}}"
        )
