"""Faults of messages: a bit inverted on its way, a message that is late.

Two faults need no function. A lost message is a `Deadlock`: `place` refuses a message that nothing reads, and
its reader awaits it for ever. A second copy is a `Violation` in `Memories`; in a memory that overwrites it
writes the same numbers again.

An inverted bit changes no duration. So its run is evaluated in numbers alone, and of these only what depends
on the bit: many faults at once, each apart from the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines import lockstep
from senn.machine.engines.issue_times import times
from senn.machine.engines.memory import Block, evaluated, kernel_groups
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Compute


@dataclass(frozen=True)
class Flip:
    """One bit of a message, inverted between the memories of its sender and its receiver."""

    message: int
    word: int  # of the payload, from 0
    bit: int  # from 0, the last of the mantissa; in double precision 52 to 62 are the exponent, 63 the sign


def delayed(schedule: Schedule, machine: Machine, message: int, cycles: int) -> int:
    """Makespan where a message occupies each channel of its route for so many cycles more."""
    healthy = durations(schedule, machine)
    occupied = healthy.messages.copy()
    occupied[message] += cycles
    return times(schedule, machine, replace(healthy, messages=occupied)).makespan


def results(
    schedule: Schedule, memory: Mapping[str, NDArray[Any]], flips: Sequence[Flip]
) -> dict[str, Block]:
    """Results of a program by name, with each of the faults alone: (faults, rows, *shape).

    Bit for bit those of the event engine with the payload of the message changed.
    """
    replay = _Replay(schedule, memory, flips)
    tasks = [task for tasks in schedule.tasks for task in tasks]
    computes = {int(task.line.writes[0]): task for task in tasks if task.line.writes is not None}
    sources = dict(zip(schedule.messages.slot.tolist(), schedule.messages.source_slot.tolist(), strict=True))
    for slot in sorted([*computes, *sources]):  # slots are numbered after those they are made from
        if slot in computes:
            replay.compute(computes[slot])
        else:
            replay.deliver(sources[slot], slot)
    return {name: replay.contents(slots, len(flips)) for name, slots in schedule.results.items()}


class _Replay:
    """Blocks that faults change: by slot the faults, ascending, and the block with each of them."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]], flips: Sequence[Flip]) -> None:
        self.batches = lockstep.computed(schedule, [memory], keep_values=True)
        self.changed: dict[int, tuple[Integers, Block]] = {}
        self.flips = _by_slot(schedule, flips)

    def healthy(self, slots: Integers | Sequence[int]) -> Block:
        """Blocks of some slots without a fault, stacked."""
        block: Block = self.batches.of_all(np.asarray(slots))[:, 0]
        return block

    def contents(self, slots: Integers, faults: int) -> Block:
        """Blocks of some slots with each fault: (faults, slots, *shape)."""
        blocks = np.repeat((self.healthy(slots) if len(slots) else np.zeros(0))[None], faults, axis=0)
        for row, slot in enumerate(slots.tolist()):
            if slot in self.changed:
                those, wrong = self.changed[slot]
                blocks[those, row] = wrong
        return blocks

    def deliver(self, source: int, target: int) -> None:
        """A message brings the sender's value, wrong or not, with bits of its own inverted."""
        parts = [self.changed[source]] if source in self.changed else []
        if target in self.flips:
            faults, words, bits = np.array(self.flips[target]).T
            blocks = np.repeat(self.healthy([source]), len(faults), axis=0)
            if (bits >= 8 * blocks.itemsize).any() or (bits < 0).any():
                last = 8 * blocks.itemsize - 1
                raise InputError(f"bit {bits.max()}: a word of these numbers has bits 0 to {last}")
            in_bits = _bits(blocks)
            flipped = np.left_shift(1, bits, dtype=in_bits.dtype, casting="unsafe")
            in_bits[np.arange(len(faults)), words] ^= flipped
            parts.append((faults, blocks))
        if parts:
            faults, blocks = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            order = np.argsort(faults)
            self.changed[target] = faults[order], blocks[order]

    def compute(self, task: Task) -> None:
        """Each process that reads something wrong computes, once for each fault of what it reads."""
        instruction, writes = task.line.instruction, task.line.writes
        assert isinstance(instruction, Compute)
        assert writes is not None
        for kernel, present, group in kernel_groups(task.line):
            pairs = zip(task.reads, present, strict=True)
            reads = [read[group] if exists else None for read, exists in pairs]
            of_process = zip(*(read.tolist() for read in reads if read is not None), strict=True)
            faults = [self._faults(slots) for slots in of_process]
            starts = np.cumsum([0, *map(len, faults)])
            if not starts[-1]:
                continue
            rows = np.repeat(np.arange(len(group)), np.diff(starts))
            operands = [None if read is None else self._operand(read, rows, starts, faults) for read in reads]
            blocks = evaluated(instruction, kernel, operands, len(rows))
            wrong = (_bits(blocks) != _bits(self.healthy(writes[group])[rows])).any(axis=1)
            for k, slot in enumerate(writes[group].tolist()):
                part = slice(starts[k], starts[k + 1])
                if (some := wrong[part]).any():
                    self.changed[slot] = faults[k][some], blocks[part][some]

    def _faults(self, slots: Sequence[int]) -> Integers:
        parts = [self.changed[slot][0] for slot in slots if slot in self.changed]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)

    def _operand(self, read: Integers, rows: Integers, starts: Integers, faults: list[Integers]) -> Block:
        """Blocks of an operand, of each process for each of its faults."""
        blocks: Block = self.healthy(read)[rows]
        for k, slot in enumerate(read.tolist()):
            if slot in self.changed:
                those, wrong = self.changed[slot]
                blocks[starts[k] + np.searchsorted(faults[k], those)] = wrong
        return blocks


def _by_slot(schedule: Schedule, flips: Sequence[Flip]) -> dict[int, list[tuple[int, int, int]]]:
    """By slot that a message fills: the number of each fault, its word in the block, its bit."""
    m, places = schedule.messages, defaultdict(list)
    begins = np.searchsorted(m.carrier, np.arange(len(m)))
    for number, flip in enumerate(flips):
        if not 0 <= flip.message < len(m):
            raise InputError(f"{flip}: the schedule has messages 0 to {len(m) - 1}")
        sizes = [value.words for value in m.values(flip.message)]
        if not 0 <= flip.word < sum(sizes):
            raise InputError(f"{flip}: {m.text(flip.message)} has words 0 to {sum(sizes) - 1}")
        part = int(np.searchsorted(np.cumsum(sizes), flip.word, side="right"))
        slot = int(m.slot[begins[flip.message] + part])
        places[slot].append((number, flip.word - sum(sizes[:part]), flip.bit))
    return places


def _bits(blocks: Block) -> NDArray[Any]:
    """Words of blocks as whole numbers of the same bits: (rows, words); a view of contiguous blocks."""
    return np.ascontiguousarray(blocks).reshape(len(blocks), -1).view(f"u{blocks.itemsize}")
