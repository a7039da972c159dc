"""Runs of the machine without numbers, reduced to the figures of claims; equal runs are simulated once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Literal, TypeAlias, TypeVar

import polars as pl

from senn.api.building import program_of
from senn.api.programs import placed as place
from senn.api.programs import timed
from senn.choices import DEFAULT_MACHINE, MachineChoices, Residency, usual
from senn.machine import engines, model
from senn.machine.model import Interval, Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Operations, Program, Send, interior
from senn.machine.timing import Retiming
from senn.traces.analysis import line

MACHINES = tuple(x for x in model.presets() if model.load(x).network == "senn" and x != "cmos45")
"""Presets whose arrays are a SENN, each with cycles of its own: cmos45 has those of fijany."""
RESIDENCIES: tuple[Residency, ...] = ("home", "migrating")
"""Residencies of the paper; "ahead" is a variant of the second."""

ELIMINATION, REDUCTION = "oee", "oer"

Result = TypeVar("Result")


@dataclass(frozen=True)
class VariedMachine:
    """A machine with some unverified fields at bounds of their intervals; it prints as the machine's name."""

    base: str
    figures: tuple[tuple[str, Fraction], ...]

    def __str__(self) -> str:
        return self.base


MachineName: TypeAlias = str | VariedMachine
"""A preset or a TOML file, or one of them varied."""


@dataclass(frozen=True)
class Trial:
    """A program and a machine, for revolute joints and a welded tip; fields are options of `senn run`."""

    n: int
    machine: MachineName = DEFAULT_MACHINE
    form: str = "paper"
    residency: Residency = "migrating"
    free: bool = False
    """Whether messages take no time: a free network, and no cycles for posting and receiving."""
    strategy: int = 2
    elimination: str = ELIMINATION
    arrays: int = 2
    allocation: str = "identity"
    settings: tuple[tuple[str, str], ...] = ()
    """Fields of the machine to change: (("machine.network", "hypercube"),)."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Figures of a run."""

    instructions: pl.DataFrame
    """Instructions of the trace, with `part`: the label up to the second dot, "I.b"."""
    deliveries: pl.DataFrame
    """By value and arrays: messages, words, last arrival, least time from an arrival to its reading."""
    makespan: int
    flops: int
    """Operations executed by all lanes."""

    def exposed(self, *parts: str) -> int:
        """Exposed stall of these parts: stalls for messages in flight."""
        return int(self.instructions.filter(pl.col("part").is_in(parts))["exposed"].sum())

    def end(self, steps: str) -> int:
        """Cycle in which the last instruction of these steps ("II", "II.b") ended.

        Waits do not count: a wait at the end of a step belongs to the step of the awaited value.
        """
        of_steps = self.instructions.filter(
            (line(steps.count(".") + 1) == steps) & (pl.col("operation") != "wait")
        )
        return int(max(of_steps["end"]))

    def delivery(self, value: str) -> dict[str, int]:
        """Messages from array 1 to array 2 that carry a value, in sum."""
        crossing = (pl.col("source_array") == 1) & (pl.col("target_array") == 2)
        return self.deliveries.filter((pl.col("value") == value) & crossing).row(0, named=True)


@cache
def machine(name: MachineName) -> Machine:
    """Machine of a preset, a file or a variation."""
    if isinstance(name, VariedMachine):
        return model.load(name.base).varied(dict(name.figures))
    return model.load(name)


def machine_of(trial: Trial) -> Machine:
    """Machine of a trial, with its settings."""
    configured = machine(trial.machine).with_settings(dict(trial.settings))
    if not trial.free:
        return configured
    return configured.with_free_network().with_settings({"timing.post": 0, "timing.receive": 0})


def placed(trial: Trial) -> Schedule:
    """Schedule of a trial; schedules of many short arms are kept."""
    cached = _short if trial.n <= _SHORT else _long
    return cached(replace(trial, machine="", settings=(), free=False), timeless(machine_of(trial)))


def timeless(machine: Machine) -> Machine:
    """The machine with all times zero: placing does not depend on them, so equal results share a schedule."""
    none = dict.fromkeys(("multiply", "add", "divide", "trig", "startup", "word", "hop"), Fraction(0))
    timing = replace(machine.timing, **none, post=0, receive=0)
    switching: Literal["store-and-forward"] = "store-and-forward"  # the switching that allows zero times
    return replace(machine, name="any", clock_mhz=Fraction(1), switching=switching, timing=timing)


def program(trial: Trial) -> Program:
    """Program of a trial; its machine, which may be free or varied, plays no role."""
    names = ("form", "strategy", "elimination", "arrays", "residency", "allocation")
    return program_of(usual(MachineChoices, **{name: getattr(trial, name) for name in names}), trial.n)


def _placed(trial: Trial, machine: Machine) -> Schedule:
    return place(program(trial), machine, trial.residency, trial.allocation)


_SHORT = 64
_short, _long = lru_cache(maxsize=128)(_placed), lru_cache(maxsize=2)(_placed)


@cache
def measured(trial: Trial) -> Measured:
    """Figures of a trial; kept, so that an equal trial is not simulated again."""
    run = timed(placed(trial), machine_of(trial), detail="full")
    trace = run.trace
    waited = (pl.col("read_at") - pl.col("arrived")).min().alias("lead")
    sums = (pl.len().alias("messages"), pl.col("words").sum(), pl.col("arrived").max(), waited)
    deliveries = trace.messages.group_by("value", "source_array", "target_array").agg(*sums)
    flops = int(trace.activities["flops"].sum())
    instructions = trace.instructions.with_columns(part=line(2))
    return Measured(instructions, deliveries, run.summary["makespan"], flops)


@cache
def makespan(trial: Trial) -> int:
    """Cycles of a trial: sooner than `measured`, and enough for many claims."""
    machine = machine_of(trial)
    if isinstance(trial.machine, VariedMachine) and machine.control == "simd":  # keeps the order of service
        return _at_corners(replace(trial, machine=trial.machine.base))[trial.machine]
    return engines.makespan(placed(trial), machine)


@cache
def _at_corners(trial: Trial) -> dict[VariedMachine, int]:
    """Makespans at all corners of the intervals of a trial's machine, timed together."""
    base = str(trial.machine)
    names = [VariedMachine(base, tuple(corner.items())) for corner in corners(machine(base).intervals)]
    varied = [machine_of(replace(trial, machine=name)) for name in names]
    makespans = Retiming(placed(trial), machine_of(trial)).makespans(varied)
    return dict(zip(names, makespans.cycles.tolist(), strict=True))


@cache
def makespan_of(
    write: Callable[..., Program],
    arguments: tuple[Hashable, ...],
    name: MachineName,
    residency: Residency = "migrating",
) -> int:
    """Cycles on a machine of a program that is no trial: `write` of the arguments."""
    schedule = _schedule(write, arguments, timeless(machine(name)), residency)
    return int(timed(schedule, machine(name)).summary["makespan"])


@cache
def _schedule(
    write: Callable[..., Program], arguments: tuple[Hashable, ...], machine: Machine, residency: Residency
) -> Schedule:
    return place(write(*arguments), machine, residency)


def fastest(
    program: Program, machines: Mapping[MachineName, Machine], allocation: str = "identity"
) -> dict[MachineName, tuple[int, Residency]]:
    """Cycles on each of these machines, timed anew from one placing, and the residency that is faster."""
    first, best = next(iter(machines.values())), dict[MachineName, tuple[int, Residency]]()
    for residency in RESIDENCIES:
        retiming = Retiming(place(program, first, residency, allocation), first)
        times = retiming.makespans([*machines.values()]).cycles.tolist()
        for name, cycles in zip(machines, times, strict=True):
            if name not in best or cycles < best[name][0]:
                best[name] = cycles, residency
    return best


def survey(trials: Iterable[Trial], measure: Callable[[Trial], Result] = measured) -> dict[Trial, Result]:
    """Figures of many trials; those of one schedule are run together, so that it is placed once."""
    several = list(trials)
    for trial in sorted(several, key=lambda trial: repr(replace(trial, machine=""))):
        measure(trial)  # which keeps the result
    return {trial: measure(trial) for trial in several}


makespans = partial(survey, measure=makespan)
"""Makespans of many trials, in the order of `survey`."""


def work(program: Program, array: int, *starts: str) -> Operations:
    """Operations of an interior process of an array in the steps that begin so, in all levels."""
    return interior(program.streams[array - 1], *starts)


def words(program: Program, array: int, *starts: str) -> int:
    """Words sent by an interior process of an array in the steps that begin so, in all levels."""
    stream = program.streams[array - 1]
    sends = (line for line in stream if isinstance(line, Send) and line.step.startswith(starts))
    return sum(sum(value.words for value in line.values) * len(line.destinations) for line in sends)


def ratio(x: int | Fraction, y: int | Fraction) -> float:
    """The ratio x / y to three digits, for tables."""
    return float(f"{float(Fraction(x) / Fraction(y)):.3g}")


_COMPUTING = ("multiply", "add", "divide", "trig", "flop")


def corners(intervals: Mapping[str, Interval]) -> list[dict[str, Fraction]]:
    """Figures moved to their bounds, by name; the others keep their values. Each mapping is another machine.

    First all that can be moved: all high, all low, operations expensive and communication cheap, and the
    other way round; then one figure at a time. The clock, which only turns cycles into seconds, stays.
    """
    figures = {name: interval for name, interval in intervals.items() if name != "clock_mhz"}
    low, high = ({name: getattr(x, end) for name, x in figures.items()} for end in ("low", "high"))
    expensive, cheap = (x | {k: y[k] for k in x if k in _COMPUTING} for x, y in ((low, high), (high, low)))
    single = ({name: to} for name, interval in figures.items() for to in (interval.low, interval.high))
    found: list[dict[str, Fraction]] = []
    for corner in (high, low, expensive, cheap, *single):
        moved = {name: to for name, to in corner.items() if to != figures[name].value}
        if moved and moved not in found:
            found.append(moved)
    return found
