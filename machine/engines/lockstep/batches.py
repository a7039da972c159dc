"""Values as batches over processes: the memories of all nodes, seen by the lockstep engine.

A message carries what was written where it came from, and nothing can change it on the way; so a slot that
a message fills has the content of the slot it was sent from, and a batch is stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.evaluate import Block
from senn.machine.engines.memory import residents
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program.flow import Flow, Ints


class Batches:
    """Blocks by slot. The slots that a compute writes are consecutive, so a batch is found by its first."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> None:
        self.origin = _origins(schedule.flow)
        written = (t.line.writes for tasks in schedule.tasks for t in tasks if t.line.writes is not None)
        self.starts = np.sort(
            [int(slots[0]) for slots in (*written, *(one[3] for one in schedule.flow.resident))]
        )
        self.blocks: list[Block | None] = [None] * len(self.starts)
        for _, slots, blocks in residents(schedule, memory):
            self._put(slots, blocks)

    def _put(self, slots: Integers, blocks: Block) -> None:
        self.blocks[int(np.searchsorted(self.starts, slots[0]))] = blocks

    def gather(self, nodes: Integers, slots: Integers) -> Block:
        """The blocks of some slots, stacked; the nodes are where the schedule put them."""
        return self.contents(slots)

    def contents(self, slots: Integers) -> Block:
        """What is in some slots, stacked."""
        origin = self.origin[slots]
        first, last = np.searchsorted(self.starts, [origin.min(), origin.max()], side="right") - 1
        if first == last:  # by far most reads
            blocks: Block = self._blocks(int(first))[origin - self.starts[first]]
            return blocks
        batch = np.searchsorted(self.starts, origin, side="right") - 1
        one = self._blocks(int(first))
        gathered: Block = np.empty((len(slots), *one.shape[1:]), dtype=one.dtype)
        for k in np.unique(batch).tolist():
            chosen = batch == k
            gathered[chosen] = self._blocks(k)[origin[chosen] - self.starts[k]]
        return gathered

    def _blocks(self, batch: int) -> Block:
        blocks = self.blocks[batch]
        assert blocks is not None
        return blocks

    def write(self, task: Task, lanes: Integers, blocks: Block) -> None:
        """What some lanes of a compute wrote."""
        assert task.line.writes is not None
        k = int(np.searchsorted(self.starts, task.line.writes[0]))
        if len(lanes) == len(task.nodes):
            self.blocks[k] = blocks
            return
        whole = self.blocks[k]
        if whole is None:
            whole = np.empty((len(task.nodes), *blocks.shape[1:]), dtype=blocks.dtype)
            self.blocks[k] = whole
        whole[lanes] = blocks


def _origins(flow: Flow) -> Ints:
    """For every slot, the slot where its content was written: back along the messages to the writer.

    Slots are numbered after those they are filled from, so one pass in their order finds the writer.
    """
    origin = np.arange(len(flow.slots), dtype=np.int32)
    transfers = (t for stream in flow.lines for line in stream for t in line.transfers)
    for transfer in sorted(transfers, key=lambda t: t.first):
        origin[transfer.slots] = origin[transfer.source_slots]
    return origin
