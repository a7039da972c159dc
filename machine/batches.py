"""Values as batches over processes: the memories of all nodes, seen by the lockstep engine.

A message carries what was written where it came from, and nothing can change it on the way; so a slot that
a message fills has the content of the slot it was sent from, and a batch is stored once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from senn.machine.evaluate import Block
from senn.machine.memory import resident_blocks
from senn.machine.schedule import Schedule, Task
from senn.machine.topology import Integers


class Batches:
    """Blocks by slot. The slots that a compute writes are consecutive, so a batch is found by its first."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[np.float64]]) -> None:
        self.origin = _origins(schedule)
        resident = schedule.flow.resident
        written = (t.line.writes for tasks in schedule.tasks for t in tasks if t.line.writes is not None)
        self.starts = np.sort([int(slots[0]) for slots in (*written, *(one[3] for one in resident))])
        self.blocks: list[Block | None] = [None] * len(self.starts)
        for _, value, processes, slots in resident:
            self._put(slots, resident_blocks(memory, value, schedule.program.n)[processes - 1])

    def _put(self, slots: Integers, blocks: Block) -> None:
        self.blocks[int(np.searchsorted(self.starts, slots[0]))] = blocks

    def ready(self, task: Task) -> bool:
        """Whether everything that a task reads has been computed."""
        found = (self._batch(read[read >= 0]) for read in task.reads)
        return all(self.blocks[k] is not None for batch in found for k in np.unique(batch).tolist())

    def _batch(self, slots: Integers) -> Integers:
        return np.searchsorted(self.starts, self.origin[slots], side="right") - 1

    def gather(self, nodes: Integers, slots: Integers) -> Block:
        """The blocks of some slots, stacked; the nodes are where the schedule put them."""
        origin, batch = self.origin[slots], self._batch(slots)
        first = self._blocks(int(batch[0]))
        gathered: Block = np.empty((len(slots), *first.shape[1:]))
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
            whole = np.empty((len(task.nodes), *blocks.shape[1:]))
            self.blocks[k] = whole
        whole[lanes] = blocks

    def content(self, slot: int) -> Block:
        """What is in a slot."""
        batch = int(self._batch(np.array([slot]))[0])
        block: Block = self._blocks(batch)[int(self.origin[slot]) - int(self.starts[batch])]
        return block


def _origins(schedule: Schedule) -> Integers:
    """For every slot, the slot where its content was written: back along the messages to the writer."""
    origin = np.arange(len(schedule.slot_node))
    origin[schedule.messages.slot] = schedule.messages.source_slot
    while not np.array_equal(further := origin[origin], origin):
        origin = further
    return origin
