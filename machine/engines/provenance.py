"""A node holds exactly what was resident there, what it wrote, and what arrived there."""

from __future__ import annotations

from collections import defaultdict

from senn.machine.engines.memory import Memories
from senn.machine.engines.reading import Violation
from senn.machine.placing.schedule import Schedule


def check_provenance(schedule: Schedule, memories: Memories) -> None:
    """Raise a Violation that names the node and a value that is there without a cause, or lost."""
    expected = _expected(schedule)
    for array, nodes in enumerate(memories.nodes, 1):
        for node, memory in enumerate(nodes):
            strange = set(memory) ^ expected[array, node]
            if strange:
                name = schedule.flow.slot_text(min(strange))
                raise Violation(f"node {node} of array {array}: {name} is there without a cause, or lost")


def _expected(schedule: Schedule) -> dict[tuple[int, int], set[int]]:
    """The slots that each node of each array holds at the end."""
    expected: dict[tuple[int, int], set[int]] = defaultdict(set)
    for array, _, _, resident in schedule.flow.resident:
        for slot, node in zip(resident.tolist(), schedule.slot_node[resident].tolist(), strict=True):
            expected[array, node].add(slot)
    for task in (task for tasks in schedule.tasks for task in tasks):
        if task.line.writes is not None:
            for node, slot in zip(task.nodes.tolist(), task.line.writes.tolist(), strict=True):
                expected[task.array, node].add(slot)
    m = schedule.messages
    places = m.target_array[m.carrier].tolist(), m.target_node[m.carrier].tolist()
    received = zip(*places, m.slot.tolist(), strict=True)
    for array, node, slot in received:
        expected[array, node].add(slot)
    return expected
