"""One run of the machine, timing only, reduced to what claims ask for; equal runs are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal, TypeVar

import polars as pl

from senn.api.building import program_of, schedule_of
from senn.choices import MachineChoices, Residency, usual
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.model import Machine
from senn.machine.model.figures import corners, plain
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute, Operations, Program, Send
from senn.machine.retiming import Retiming
from senn.words import timed

RESIDENCIES: tuple[Residency, ...] = ("home", "migrating")
"""The two of the paper; "ahead" is a variant of the second."""

ELIMINATION, REDUCTION = "oee", "oer"

Found = TypeVar("Found")


@dataclass(frozen=True)
class Trial:
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


def at(name: str, corner: Mapping[str, Fraction]) -> str:
    """The name of a machine some of whose figures are moved: "mark3 at startup = 250, word = 32"."""
    return name + _AT + ", ".join(f"{figure} = {plain(value)}" for figure, value in corner.items())


_AT = " at "


@cache
def machine(name: str) -> Machine:
    """A preset, or the machine of a file, or one of `at`."""
    base, _, varied = name.rpartition(_AT)
    if " = " not in varied:
        return model.load(name)
    figures = (part.split(" = ") for part in varied.split(", "))
    return model.load(base).varied({figure: Fraction(value) for figure, value in figures})


def machine_of(trial: Trial) -> Machine:
    """The machine of a trial, with its settings."""
    on = machine(trial.machine).with_settings(dict(trial.settings))
    if not trial.free:
        return on
    return on.with_free_network().with_settings({"timing.post": 0, "timing.receive": 0})


def placed(trial: Trial) -> Schedule:
    """The schedule of a trial; schedules of many short arms are remembered."""
    remembered = _short if trial.n <= _SHORT else _long
    return remembered(replace(trial, machine="", settings=(), free=False), timeless(machine_of(trial)))


def timeless(on: Machine) -> Machine:
    """A machine without its times: placing takes no notice of them, so that all such share a schedule."""
    none = dict.fromkeys(("multiply", "add", "divide", "trig", "startup", "word", "hop"), Fraction(0))
    timing = replace(on.timing, **none, post=0, receive=0)
    switching: Literal["store-and-forward"] = "store-and-forward"  # the one that has times of zero
    return replace(on, name="any", clock_mhz=Fraction(1), switching=switching, timing=timing)


def program(trial: Trial) -> Program:
    """The program of a trial."""
    return program_of(_choices(trial), trial.n)


def _choices(trial: Trial) -> MachineChoices:
    """But for the machine, which has more to it."""
    named = ("form", "strategy", "elimination", "arrays", "residency", "allocation")
    return usual(MachineChoices, **{name: getattr(trial, name) for name in named})


def _placed(trial: Trial, on: Machine) -> Schedule:
    return schedule_of(_choices(trial), program(trial), on)


_SHORT = 64
_short, _long = lru_cache(maxsize=128)(_placed), lru_cache(maxsize=2)(_placed)


@cache
def measured(trial: Trial) -> Measured:
    """Run a trial, or remember it."""
    run = timed(placed(trial), machine_of(trial), detail="full")
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


@cache
def makespan(trial: Trial) -> int:
    """How long a trial takes: all that many claims ask for, and quicker than all that can be measured."""
    base, moved, _ = trial.machine.rpartition(_AT)
    on = machine_of(trial)
    if moved and on.control == "simd":  # in which the order of service can be kept to
        return _at_corners(replace(trial, machine=base))[trial.machine]
    if lockstep.is_exact(on):
        return lockstep.makespan(placed(trial), on)
    return int(timed(placed(trial), on).summary["makespan"])


@cache
def _at_corners(trial: Trial) -> dict[str, int]:
    """The makespans at all corners of the machine's intervals, together."""
    names = [at(trial.machine, corner) for corner in corners(machine(trial.machine).intervals)]
    moved = [machine_of(replace(trial, machine=name)) for name in names]
    found = Retiming(placed(trial), machine_of(trial)).makespans(moved)
    return dict(zip(names, found.cycles.tolist(), strict=True))


def survey(trials: Iterable[Trial]) -> dict[Trial, Measured]:
    """Many runs; those of one schedule one after the other, so that it is placed once."""
    return _together(trials, measured)


def makespans(trials: Iterable[Trial]) -> dict[Trial, int]:
    """As `survey`, of the makespans alone."""
    return _together(trials, makespan)


def _together(trials: Iterable[Trial], one: Callable[[Trial], Found]) -> dict[Trial, Found]:
    wanted = list(trials)
    for trial in sorted(wanted, key=lambda trial: repr(replace(trial, machine=""))):
        one(trial)  # remembered
    return {trial: one(trial) for trial in wanted}


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
        for line in _sends(program, array, starts)
    )


def sends(program: Program, array: int, *starts: str) -> int:
    """As `words`, the messages."""
    return sum(len(line.cargo) * len(line.destinations) for line in _sends(program, array, starts))


def _sends(program: Program, array: int, starts: tuple[str, ...]) -> list[Send]:
    stream = program.streams[array - 1]
    return [line for line in stream if isinstance(line, Send) and line.step.startswith(starts)]


def cycles(operations: Operations, on: Machine) -> int:
    """On one node."""
    return on.compute_cycles(operations.multiply, operations.add, operations.divide, operations.trig)


def ratio(x: int | Fraction, y: int | Fraction) -> float:
    """x / y to three digits, as tables show it."""
    return float(f"{float(Fraction(x) / Fraction(y)):.3g}")
