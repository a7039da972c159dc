"""Placements that were run: what each gave, the best of them, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from senn.machine.engines.issue_times import NEVER
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program.flow import Flow
from senn.machine.search.bounds import Bound
from senn.traces.record import Detail
from senn.traces.run import Run

FOUND = "found"
"""The name of every placement that no rule gave."""


class Engine(Protocol):
    """`senn.machine.engines.lockstep` or `senn.machine.engines.events`."""

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


# ------------------------------------------------------------
# What a search found: the best, where it began, and what is proved.


class Tried(Protocol):
    """A placement, or an assignment, and what a run with it gave."""

    @property
    def name(self) -> str: ...
    @property
    def makespan(self) -> int: ...
    @property
    def word_hops(self) -> int: ...


One = TypeVar("One", bound=Tried, covariant=True)


@dataclass(frozen=True, eq=False)
class Found(Generic[One]):
    """The best of those that were run, where the search began, and what is proved."""

    best: One
    starts: tuple[One, ...]  # as given and those that go by a rule, before any search
    bounds: tuple[Bound, ...]
    history: tuple[tuple[int, int], ...]  # (runs so far, makespan) of each that was better than all before
    runs: int
    bounded: int  # of which a bound was computed

    @property
    def bound(self) -> Bound:
        """The largest lower bound; the first of equals."""
        return max(self.bounds, key=lambda bound: bound.cycles)

    @property
    def gap(self) -> int:
        """Cycles between the best and what is proved impossible; 0: it is optimal."""
        return self.best.makespan - self.bound.cycles

    @property
    def because(self) -> str:
        """Why the best is optimal, or how far from it it may be."""
        if not self.gap:
            return f'optimal: it meets the bound "{self.bound.name}": {self.bound.because}'
        percent = 100 * self.gap / self.bound.cycles
        return (
            f"at most {self.gap:,} cycles, {percent:.1f} %, above the optimum: below the bound "
            f'"{self.bound.name}" nothing is possible'
        )
