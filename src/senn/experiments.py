"""One run of the machine, timing only, reduced to what claims ask for; equal runs are made once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal

import polars as pl

from senn.machine import model
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Operations, Program, Send
from senn.setup import Residency, Setup
from senn.words import timed

RESIDENCIES: tuple[Residency, ...] = ("home", "migrating")
"""The two of the paper; "ahead" is a variant of the second."""

ELIMINATION, REDUCTION = "oee", "oer"


@dataclass(frozen=True)
class Case:
    """What runs where; revolute joints, a welded tip. The fields named as options of `senn run` are these."""

    n: int
    machine: str = "mark3"
    form: str = "paper"
    residency: Residency = "migrating"
    free: bool = False
    """As if messages took no time: on a free network, and nothing for posting and receiving."""
    strategy: int = 2
    elimination: str = ELIMINATION
    arrays: int = 2
    allocation: str = "identity"
    settings: tuple[tuple[str, str], ...] = ()
    """Fields of the machine set otherwise: (("machine.network", "hypercube"),)."""


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


def machine_of(case: Case) -> Machine:
    """The machine of a case, with its settings."""
    on = machine(case.machine).with_settings(dict(case.settings))
    if not case.free:
        return on
    return on.with_free_network().with_settings({"timing.post": 0, "timing.receive": 0})


def placed(case: Case) -> Schedule:
    """The schedule of a case; schedules of many short arms are remembered."""
    on = machine_of(case)
    # Placing takes no notice of times, so runs that differ in them alone share a schedule.
    none = dict.fromkeys(("multiply", "add", "divide", "trig", "startup", "word", "hop"), Fraction(0))
    timing = replace(on.timing, **none, post=0, receive=0)
    switching: Literal["store-and-forward"] = "store-and-forward"  # the one that has times of zero
    structure = replace(on, name="any", clock_mhz=Fraction(1), switching=switching, timing=timing)
    remembered = _short if case.n <= _SHORT else _long
    return remembered(replace(case, machine="", settings=(), free=False), structure)


def program(case: Case) -> Program:
    """The program of a case."""
    return _setup(case).program(case.n)


def _setup(case: Case) -> Setup:
    """But for the machine."""
    return Setup(
        form=case.form,
        strategy=case.strategy,
        elimination=case.elimination,
        arrays=case.arrays,
        residency=case.residency,
        allocation=case.allocation,
    )


def _placed(case: Case, on: Machine) -> Schedule:
    return _setup(case).placed(program(case), on)


_SHORT = 64
_short, _long = lru_cache(maxsize=128)(_placed), lru_cache(maxsize=2)(_placed)


@cache
def measured(case: Case) -> Measured:
    """Run a case, or remember it."""
    run = timed(placed(case), machine_of(case), detail="full")
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
    for case in sorted(wanted, key=lambda case: repr(replace(case, machine=""))):
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
