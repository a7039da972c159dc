"""Placements that were run: what each gave, the best of them, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from senn.machine.engines.lockstep.queueing import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program.flow import Flow
from senn.traces.record.trace import Detail
from senn.traces.run import Run

FOUND = "found"
"""The name of every placement that no rule gave."""


class Engine(Protocol):
    """`senn.machine.engines.lockstep.simulate` or `senn.machine.engines.events.simulate`."""

    def __call__(self, schedule: Schedule, machine: Machine, memory: None, *, detail: Detail) -> Run: ...


@dataclass(frozen=True, eq=False)
class Placement:
    """A table and what a run with it gave; equal makespans are told apart by words x hops."""

    name: str
    table: Integers
    makespan: int
    word_hops: int

    @property
    def score(self) -> tuple[int, int]:
        return self.makespan, self.word_hops


class Done(Exception):
    """The budget is spent, or the bound is met."""


class Runs:
    """Runs of renamings of one table, no more than the budget; Done when there is nothing left to gain."""

    def __init__(
        self,
        flow: Flow,
        start: Integers,
        machine: Machine,
        simulate: Engine,
        *,
        budget: int,
        target: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.flow, self.start, self.machine, self.simulate = flow, start, machine, simulate
        self.budget, self.target, self.progress = budget, target, progress
        self.known: dict[bytes, Placement] = {}
        self.history: list[tuple[int, int]] = []
        self.best: Placement | None = None

    def __len__(self) -> int:
        return len(self.known)

    @property
    def least(self) -> int:
        """The least makespan of all runs so far."""
        return NEVER if self.best is None else self.best.makespan

    def placed(self, renaming: Integers, name: str = FOUND) -> Placement:
        """The placement of a renaming, from a run unless it is known."""
        table = renaming[self.start]
        key = table.tobytes()
        if key not in self.known:
            if len(self.known) == self.budget:
                raise Done
            schedule = place(self.flow, table, self.machine)
            run = self.simulate(schedule, self.machine, None, detail="summary")
            word_hops = int(schedule.messages.paths.hops.astype(np.int64) @ schedule.messages.words)
            found = Placement(name, table, int(run.summary["makespan"]), word_hops)
            self.known[key] = found
            self._note(found)
        return self.known[key]

    def _note(self, found: Placement) -> None:
        if found.makespan < self.least:
            self.history.append((len(self.known), found.makespan))
        if self.best is None or found.score < self.best.score:
            self.best = found
        self.progress(len(self.known), self.best.makespan)
        if self.best.makespan == self.target:
            raise Done
