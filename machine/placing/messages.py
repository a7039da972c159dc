"""All messages of a schedule, by id: the order is (array, serial, source node, source process, values,
destinations as written)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from senn.machine.network.paths import Paths
from senn.machine.network.topology import Integers

if TYPE_CHECKING:
    from senn.machine.program import Value
    from senn.machine.program.flow import Line


@dataclass(frozen=True, eq=False)
class Common:
    """What all messages of a transfer have in common: a row per transfer, in the order of the streams."""

    array: Integers
    serial: Integers
    value: Integers  # index into Flow.values
    words: Integers
    target_array: Integers
    offset: Integers  # from the sending process to the receiving one

    @classmethod
    def of(cls, posting: Iterable[tuple[int, Line]], values: tuple[Value, ...]) -> Common:
        """Of the lines that post, each with its serial."""
        index = {value: k for k, value in enumerate(values)}
        rows = [
            (line.array, serial, index[t.value], t.value.words, t.destination.array, t.destination.offset)
            for serial, line in posting
            for t in line.transfers
        ]
        return cls(*np.array(rows, dtype=np.int32).reshape(-1, 6).T)


@dataclass(frozen=True, eq=False)
class Messages:
    """Columns by id. What a transfer says of all its messages becomes a column when it is asked for."""

    paths: Paths  # channels of the wiring
    common: Common
    transfer: Integers  # row of `common`
    source_process: Integers
    source_node: Integers
    target_node: Integers
    source_slot: Integers
    slot: Integers
    read_by: Integers  # serial of the first reader in the target array

    def __len__(self) -> int:
        return len(self.slot)

    @property
    def process(self) -> Integers:
        """Who wrote what it carries: a Send takes what is the sender's own."""
        return self.source_process

    @cached_property
    def target_process(self) -> Integers:
        return self.source_process + self.common.offset[self.transfer]

    @cached_property
    def source_array(self) -> Integers:
        return self.common.array[self.transfer]

    @cached_property
    def serial(self) -> Integers:
        """Of the instruction that posts it, in its array."""
        return self.common.serial[self.transfer]

    @cached_property
    def value(self) -> Integers:
        """Index into Flow.values."""
        return self.common.value[self.transfer]

    @cached_property
    def words(self) -> Integers:
        return self.common.words[self.transfer]

    @cached_property
    def target_array(self) -> Integers:
        return self.common.target_array[self.transfer]
