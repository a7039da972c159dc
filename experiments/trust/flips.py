"""Faults of messages: a bit inverted on its way, a message that is late.

Two faults need no function. A lost message is a `Deadlock`: `place` refuses a message that nothing reads, and
its reader awaits it for ever. A second copy is a `Violation` in `Memories`; in a memory that overwrites it
writes the same numbers again.

An inverted bit changes no duration. So its run is evaluated in numbers alone: many faults side by side, each
apart from the others.
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
from senn.machine.engines.issue_times import times
from senn.machine.engines.memory import Batches, Block, evaluate
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule


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
    batches = _Flipped(schedule, memory, flips)
    computes = {int(x.line.writes[0]): x for x in schedule.every_task if x.line.writes is not None}
    for _, task in sorted(computes.items()):  # slots are numbered after those they are made from
        for positions, blocks in evaluate(task, batches.gather, copies=len(flips)):
            batches.write(task, positions, blocks)
    return {
        name: batches.of_all(slots).swapaxes(0, 1) if len(slots) else np.zeros((len(flips), 0))
        for name, slots in schedule.results.items()
    }


class _Flipped(Batches):
    """Blocks with each of the faults, side by side."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]], flips: Sequence[Flip]) -> None:
        m, origin = schedule.messages, np.arange(len(schedule.flow.slots), dtype=np.int32)
        self.inverted = _by_slot(schedule, flips)
        for slot, source in sorted(zip(m.slot.tolist(), m.source_slot.tolist(), strict=True)):
            origin[slot] = origin[source]
            self.inverted[slot] += self.inverted[source]  # a value is sent on as it arrived
        super().__init__(schedule, [memory] * len(flips), origin)

    def of_all(self, slots: Integers) -> Block:
        """Blocks of some slots as written, with the bits that were inverted on the way there."""
        blocks = super().of_all(slots)
        several = [(row, *bit) for row, slot in enumerate(slots.tolist()) for bit in self.inverted[slot]]
        if not several:
            return blocks
        rows, faults, words, bits = np.array(several).T
        if (bits >= 8 * blocks.itemsize).any() or (bits < 0).any():
            last = 8 * blocks.itemsize - 1
            raise InputError(f"bit {bits.max()}: a word of these numbers has bits 0 to {last}")
        whole = blocks.copy()
        in_bits = whole.reshape(*whole.shape[:2], -1).view(f"u{whole.itemsize}")
        in_bits[rows, faults, words] ^= np.left_shift(1, bits, dtype=in_bits.dtype, casting="unsafe")
        return whole


def _by_slot(schedule: Schedule, flips: Sequence[Flip]) -> defaultdict[int, list[tuple[int, int, int]]]:
    """By slot that a message fills: the number of each fault, its word in the block, its bit."""
    m, places = schedule.messages, defaultdict[int, list[tuple[int, int, int]]](list)
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
