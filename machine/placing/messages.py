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
from senn.machine.program.values import cargo_text

if TYPE_CHECKING:
    from senn.machine.program import Value
    from senn.machine.program.flow import Line


@dataclass(frozen=True, eq=False)
class Common:
    """What all messages of a transfer have in common: a row per transfer, in the order of the streams."""

    cargos: tuple[tuple[Value, ...], ...]  # the values that some message carries, each kind once
    array: Integers
    serial: Integers
    cargo: Integers  # index into `cargos`
    words: Integers
    target_array: Integers
    offset: Integers  # from the sending process to the receiving one

    @classmethod
    def of(cls, posting: Iterable[tuple[int, Line]]) -> Common:
        """Of the lines that post, each with its serial."""
        index: dict[tuple[Value, ...], int] = {}
        rows = [
            (
                line.array,
                serial,
                index.setdefault(t.values, len(index)),
                t.words,
                t.destination.array,
                t.destination.offset,
            )
            for serial, line in posting
            for t in line.transfers
        ]
        columns = np.array(rows, dtype=np.int32).reshape(-1, 6).T
        return cls(tuple(index), *columns)

    @cached_property
    def carried(self) -> Integers:
        """How many values a message carries."""
        return np.array([len(one) for one in self.cargos], dtype=np.int32)[self.cargo]


@dataclass(frozen=True, eq=False)
class Messages:
    """Columns by id. What a transfer says of all its messages becomes a column when it is asked for.

    `source_slot` and `slot` have a row for every value that a message carries; `carrier` says which does.
    """

    paths: Paths  # channels of the wiring
    common: Common
    transfer: Integers  # row of `common`
    source_process: Integers
    source_node: Integers
    target_node: Integers
    read_by: Integers  # serial of the first reader in the target array
    source_slot: Integers
    slot: Integers

    def __len__(self) -> int:
        return len(self.transfer)

    @cached_property
    def carrier(self) -> Integers:
        """The messages, each as often as it carries values: aligned with `slot`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.common.carried[self.transfer])

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
    def cargo(self) -> Integers:
        """Index into the cargos of `common`."""
        return self.common.cargo[self.transfer]

    def values(self, message: int) -> tuple[Value, ...]:
        """What a message carries."""
        return self.common.cargos[int(self.common.cargo[self.transfer[message]])]

    def text(self, message: int) -> str:
        """The same as printed, by the process that wrote it."""
        return cargo_text(self.values(message), int(self.process[message]))

    @cached_property
    def words(self) -> Integers:
        return self.common.words[self.transfer]

    @cached_property
    def target_array(self) -> Integers:
        return self.common.target_array[self.transfer]
