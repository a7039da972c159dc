"""The memories of the nodes: what was resident, what the node wrote, what arrived."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.evaluate import Block
from senn.machine.engines.reading import Violation
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.placing.tasks import Task
from senn.machine.program import Value
from senn.traces.errors import InputError


class Memories:
    """One memory per node, (array, node) -> slot -> block. A slot is written once."""

    def __init__(self, schedule: Schedule, memory: Mapping[str, NDArray[Any]]) -> None:
        self.schedule = schedule
        nodes = schedule.wiring.nodes
        self.nodes: list[list[dict[int, Block]]] = [
            [{} for _ in range(nodes)] for _ in range(schedule.wiring.arrays)
        ]
        messages = schedule.messages
        # Where the values of each message begin in the columns of slots.
        self._begin = np.searchsorted(messages.carrier, np.arange(len(messages) + 1)).tolist()
        self._source = messages.source_slot.tolist()
        self._sender = list(zip(messages.source_array.tolist(), messages.source_node.tolist(), strict=True))
        self._slot = messages.slot.tolist()
        self._receiver = list(zip(messages.target_array.tolist(), messages.target_node.tolist(), strict=True))
        self._fill(memory)

    def _fill(self, memory: Mapping[str, NDArray[Any]]) -> None:
        for array, slots, blocks in residents(self.schedule, memory):
            for slot, block in zip(slots.tolist(), blocks, strict=True):
                self._put(array, int(self.schedule.slot_node[slot]), slot, block)

    def _put(self, array: int, node: int, slot: int, block: Block) -> None:
        memory = self.nodes[array - 1][node]
        if slot in memory:
            raise Violation(f"{self.schedule.flow.slot_text(slot)} was written twice at node {node}")
        memory[slot] = block

    def reader(self, array: int) -> Callable[[Integers, Integers], Block]:
        """`gather(nodes, slots)` for one array: each node's own memory and nothing else."""
        memories = self.nodes[array - 1]

        def gather(nodes: Integers, slots: Integers) -> Block:
            return np.array([memories[p][s] for p, s in zip(nodes.tolist(), slots.tolist(), strict=True)])

        return gather

    def write(self, task: Task, lanes: Integers, blocks: Block) -> None:
        """What some lanes of a compute wrote."""
        assert task.line.writes is not None
        nodes, slots = task.nodes[lanes].tolist(), task.line.writes[lanes].tolist()
        for node, slot, block in zip(nodes, slots, blocks, strict=True):
            self._put(task.array, node, slot, block)

    def payload(self, message: int) -> Block:
        """The copy that a message takes along: of several values, their words one after the other."""
        array, node = self._sender[message]
        slots = self._source[self._begin[message] : self._begin[message + 1]]
        taken = [self.nodes[array - 1][node][slot] for slot in slots]
        carried: Block = taken[0].copy() if len(taken) == 1 else np.concatenate([x.ravel() for x in taken])
        return carried

    def receive(self, message: int, block: Block) -> None:
        """A message arrived: its payload goes to the memory of the receiving node."""
        array, node = self._receiver[message]
        slots = self._slot[self._begin[message] : self._begin[message + 1]]
        if len(slots) == 1:
            self._put(array, node, slots[0], block)
            return
        shapes = [value.shape for value in self.schedule.messages.values(message)]
        ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        for slot, part, shape in zip(slots, np.split(block, ends), shapes, strict=True):
            self._put(array, node, slot, part.reshape(shape))

    def contents(self, slots: Integers) -> Block:
        """What is in some slots, stacked."""
        node, found = self.schedule.slot_node, self.schedule.flow.slots
        return np.array([self.nodes[found.fill(s).array - 1][int(node[s])][s] for s in slots.tolist()])


PRECISIONS = {"single": np.float32, "double": np.float64}
"""The floating point of a run's numbers by name."""


def rounded(memory: Mapping[str, NDArray[Any]], precision: str) -> dict[str, Block]:
    """Resident values, worked out in double precision, as the memories of a run in this one hold them."""
    if precision not in PRECISIONS:
        raise InputError(f'precision "{precision}" is not one of {", ".join(PRECISIONS)}')
    return {name: np.asarray(numbers, dtype=PRECISIONS[precision]) for name, numbers in memory.items()}


def residents(
    schedule: Schedule, memory: Mapping[str, NDArray[Any]]
) -> Iterator[tuple[int, Integers, Block]]:
    """What is in the memories before the first cycle: (array, slots, their blocks stacked), value by value.

    All of one kind of floating point, in which the whole run then computes: kernels keep it.
    """
    kinds: dict[np.dtype[Any], str] = {}
    for array, value, processes, slots in schedule.flow.resident:
        blocks = _blocks(memory, value, schedule.program.n)
        kinds.setdefault(blocks.dtype, value.letter)
        if len(kinds) > 1:
            (one, first), (other, second) = kinds.items()
            raise InputError(
                f'memory "{first}" is {one} and "{second}" {other}: a run computes in one kind of floating '
                "point; convert them"
            )
        yield array, slots, blocks[processes - 1]


def _blocks(memory: Mapping[str, NDArray[Any]], value: Value, n: int) -> Block:
    """A row for each process 1..n, in the floating point they have, or float64."""
    name = value.letter if value.level is None else f"{value.letter}[{value.level}]"
    if name not in memory:
        raise InputError(f'memory lacks "{name}": give an array of shape {(n, *value.shape)}')
    given = np.asarray(memory[name])
    blocks = np.array(given, dtype=given.dtype if given.dtype.kind == "f" else np.float64)
    if blocks.shape != (n, *value.shape):
        raise InputError(
            f'memory "{name}" has shape {blocks.shape}, but the program needs {(n, *value.shape)}, '
            "a row per process"
        )
    blocks.flags.writeable = False
    return blocks
