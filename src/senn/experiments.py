"""One run of the machine, timing only, reduced to what claims ask for; equal runs are made once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import get_args

import polars as pl

from senn.algorithms import closed_chain
from senn.machine import allocation, lockstep, model
from senn.machine.allocation import Residency
from senn.machine.model import Machine
from senn.machine.program import Compute, Operations, Program, Send
from senn.machine.schedule import Schedule, place

RESIDENCIES: tuple[Residency, ...] = get_args(Residency)


@dataclass(frozen=True)
class Case:
    """What runs where; revolute joints, a welded tip."""

    n: int
    machine: str = "mark3"
    form: str = "paper"
    residency: Residency = "migrating"
    free: bool = False
    """As if messages took no time: startup, word, post and receive are zero."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What a run left behind."""

    instructions: pl.DataFrame
    """As in the trace, with `part`: the label up to the second dot, "I.b"."""
    deliveries: pl.DataFrame
    """By value and arrays: messages, words, last arrival, least time from an arrival to its reading."""
    makespan: int
    hops: int
    flops: int
    """Operations executed by all lanes."""

    def exposed(self, *parts: str) -> int:
        """Cycles for which array 1 or 2 stood still for messages on their way, in these parts."""
        return int(self.instructions.filter(pl.col("part").is_in(parts))["exposed"].sum())

    def end(self, steps: str) -> int:
        """When the last instruction of these steps ("II", "II.b") ended.

        A wait is not counted: at the end of a step it belongs to what it waits for.
        """
        label = pl.col("step").str.split(".").list.head(steps.count(".") + 1).list.join(".")
        own = self.instructions.filter((label == steps) & (pl.col("operation") != "wait"))
        return int(max(own["end"]))

    def delivery(self, value: str) -> dict[str, int]:
        """The messages from array 1 to array 2 that carry a value."""
        crossing = (pl.col("source_array") == 1) & (pl.col("target_array") == 2)
        return self.deliveries.filter((pl.col("value") == value) & crossing).row(0, named=True)


@cache
def machine(name: str) -> Machine:
    """A preset, or the machine of a file."""
    return model.load(name)


def placed(case: Case) -> Schedule:
    """The schedule of a case; schedules of many short arms are remembered."""
    remembered = _short if case.n <= _SHORT else _long
    return remembered(case.n, case.form, case.residency, _structure(machine(case.machine)))


def _structure(on: Machine) -> Machine:
    """The machine without its times, of which placing takes no notice: equal for equal schedules."""
    none = dict.fromkeys(("multiply", "add", "divide", "trig", "startup", "word"), Fraction(0))
    return replace(
        on, name="any", clock_mhz=Fraction(1), timing=replace(on.timing, **none, post=0, receive=0)
    )


def _placed(n: int, form: str, residency: Residency, on: Machine) -> Schedule:
    return place(closed_chain.program(n, form), allocation.named("identity", n, residency), on)


_SHORT = 64
_short, _long = lru_cache(maxsize=128)(_placed), lru_cache(maxsize=2)(_placed)


@cache
def measured(case: Case) -> Measured:
    """Run a case, or remember it."""
    on = machine(case.machine)
    if case.free:
        on = on.with_settings(
            dict.fromkeys(("timing.startup", "timing.word", "timing.post", "timing.receive"), 0)
        )
    run = lockstep.simulate(placed(case), on, None)
    trace = run.trace
    label = pl.col("step").str.split(".").list
    return Measured(
        instructions=trace.instructions.with_columns(part=label.head(2).list.join(".")),
        deliveries=trace.messages.group_by("value", "source_array", "target_array").agg(
            pl.len().alias("messages"),
            pl.col("words").sum(),
            pl.col("arrived").max(),
            (pl.col("read_at") - pl.col("arrived")).min().alias("lead"),
        ),
        makespan=run.summary["makespan"],
        hops=run.summary["hops"],
        flops=int(trace.activities["flops"].sum()),
    )


def survey(cases: Iterable[Case]) -> dict[Case, Measured]:
    """Many runs; those of one schedule one after the other, so that it is placed once."""
    wanted = list(cases)
    for case in sorted(wanted, key=lambda case: (case.n, case.form, case.residency)):
        measured(case)
    return {case: measured(case) for case in wanted}


def work(program: Program, array: int, *starts: str) -> Operations:
    """What an interior process of an array computes in the steps that begin so, in all levels."""
    found = Operations()
    for line in program.streams[array - 1]:
        if isinstance(line, Compute) and line.step.startswith(starts):
            found += line.expression.operations(line.expression.kernels[0])
    return found


def words(program: Program, array: int, *starts: str) -> int:
    """What an interior process of an array sends in the steps that begin so, in all levels."""
    return sum(
        sum(value.words for value in line.values) * len(line.destinations)
        for line in program.streams[array - 1]
        if isinstance(line, Send) and line.step.startswith(starts)
    )


def cycles(operations: Operations, on: Machine) -> int:
    """On one node."""
    return on.compute_cycles(operations.multiply, operations.add, operations.divide, operations.trig)


def ratio(x: int | Fraction, y: int | Fraction) -> float:
    """x / y to three digits, as tables show it."""
    return float(f"{float(Fraction(x) / Fraction(y)):.3g}")
