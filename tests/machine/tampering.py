"""The event engine with messages that are altered or lost in flight."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from senn.machine.engines import events
from senn.machine.engines.memory import Memories
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.traces.run import Run

Tamper = Callable[[int, np.ndarray], np.ndarray | None]
"""From id and payload of a message to the payload that arrives; None for a lost message."""


def tampered(schedule: Schedule, machine: Machine, memory: Any, tamper: Tamper, **options: Any) -> Run:
    deliver = events._Execution._deliver

    def arriving(run: Any, messages: list[int]) -> None:
        deliver(run, [x for x in messages if _arrives(run.memories, x, tamper)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events._Execution, "_deliver", arriving)
        return events.simulate(schedule, machine, memory, **options)


def _arrives(memories: Memories, message: int, tamper: Tamper) -> bool:
    """Whether a message arrives; what was altered gets a batch. Several values are one vector."""
    rows = range(memories.begin[message], memories.begin[message + 1])
    blocks = [memories._written_at(memories.carried[[row]])[0, 0] for row in rows]
    whole = blocks[0] if len(blocks) == 1 else np.concatenate([block.ravel() for block in blocks])
    payload = tamper(message, whole.copy())
    if payload is not None and np.asarray(payload).tobytes() != whole.tobytes():
        parts = np.split(payload.ravel(), np.cumsum([block.size for block in blocks])[:-1])
        for row, part, block in zip(rows, parts, blocks, strict=True):
            memories.carried[row] = len(memories.batch)
            memories.starts = np.append(memories.starts, len(memories.batch))
            memories.batch = np.append(memories.batch, np.int32(len(memories.blocks)))
            memories.blocks.append(part.reshape(1, 1, *block.shape))
    return payload is not None
