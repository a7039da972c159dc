"""One run, made by both engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import senn
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.traces.run import Run


def agreed(
    program: Program | Schedule,
    memory: Mapping[str, NDArray[Any]],
    machine: str | Machine = "mark3",
    residency: Literal["home", "migrating"] = "migrating",
) -> Run:
    """Message by message, every memory checked at the end; on whole arrays trace and bits are the same."""
    one = senn.solved(program, memory, machine, residency, engine="events", check=True)
    other = senn.solved(program, memory, machine, residency, engine="lockstep")
    assert one.trace.hash == other.trace.hash
    assert one.result.keys() == other.result.keys()
    assert all(np.array_equal(one.result[name], other.result[name]) for name in one.result)
    return one
