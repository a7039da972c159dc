"""Times of this computer, measured and fitted: a machine file whose cycles are nanoseconds.

Two processes of MPI play ping-pong (`exchange`), and kernels of a program work for one process and for blocks
of several (`calls`). A figure is the median of its rounds, its interval from the least to the largest; the
interval of an operation holds the middle half of the kernels.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from senn.api.building import program_of
from senn.api.processes import launch
from senn.choices import MachineChoices, usual
from senn.machine.model.figures import TRIG_IN_FLOPS, WHOLE
from senn.machine.program import Compute, Program
from senn.traces.errors import InputError

SIZES = (1, 6, 12, 18, 36, 72, 144, 256)
"""Words of the messages: those of programs, up to some blocks of 6 x 6 in one."""
BLOCKS = (1, 4, 16, 64, 256)
"""Processes that a call of a kernel works for."""
ROUNDS, TRIES = 9, 100
"""Rounds of measurements, and messages of each size in one."""


@dataclass(frozen=True)
class Line:
    """Times as `start + slope x`, in ns; the part of their variance explained; the largest relative error."""

    start: float
    slope: float
    r2: float
    worst: float


def line(x: ArrayLike, times: ArrayLike) -> Line:
    """The line of least relative squares through positive times; neither start nor slope is negative."""
    at, t = np.asarray(x, dtype=float), np.asarray(times, dtype=float)
    if len(at) != len(t) or len(set(at)) < 2 or not (np.isfinite(t).all() and (t > 0).all()):
        raise InputError("a fit needs two positive times or more, at different sizes; measure again")
    terms = np.stack([at**0, at])
    fits = [  # a line, a constant, a multiple
        np.linalg.lstsq((terms * mask / t).T, np.ones(len(t)), rcond=None)[0]
        for mask in ([[1], [1]], [[1], [0]], [[0], [1]])
    ]
    allowed = (fit for fit in fits if (fit >= 0).all())
    start, slope = min(allowed, key=lambda fit: float(((fit @ terms / t - 1) ** 2).sum())).tolist()
    errors = start + slope * at - t
    spread = float(((t - t.mean()) ** 2).sum())
    r2 = 1 - float((errors**2).sum()) / spread if spread else 1.0
    return Line(start, slope, r2, float(abs(errors / t).max()))


def measured(processes: int) -> dict[str, Figure]:
    """Figures of this computer for nodes that work for so many processes; InputError where they cannot be
    measured."""
    usable = getattr(os, "sched_getaffinity", lambda process: range(os.cpu_count() or 1))
    if len(usable(0)) < 2:
        raise InputError("this process may use one core: ping-pong needs a core for each of two processes")
    trips = ping_pong()
    return figures(trips, *calls(program_of(usual(MachineChoices), 7)), processes)


# ------------------------------------------------------------ messages


def ping_pong() -> dict[str, list[list[float]]]:
    """Medians in ns, a row a round and a column a size: of a message there and back, halved; of posting one;
    of receiving one that has arrived."""
    with TemporaryDirectory(prefix="senn-calibrate-") as folder:
        file = Path(folder) / "times.json"
        launch(2, exchange, str(file))
        times: dict[str, list[list[float]]] = json.loads(file.read_text())
    return times


def exchange(file: str) -> None:
    """What each of two processes does, with the calls of `senn mpi`; the first writes the times to a file."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    first, other = world.rank == 0, 1 - world.rank
    times: dict[str, list[list[float]]] = {"trip": [], "post": [], "receive": []}

    def take(numbers: Any) -> int:
        """Receive a message; the time at which it was there."""
        while (message := world.Improbe(other)) is None:
            pass
        noticed = perf_counter_ns()
        message.Recv(numbers)
        return noticed

    for _ in range(ROUNDS):
        rows = []
        for words in SIZES:
            sent, numbers = np.zeros(words), np.zeros(words)
            tries = []
            for _ in range(TRIES):
                world.Barrier()
                begin = perf_counter_ns()
                if not first:
                    take(numbers)
                request = world.Isend(sent, other)
                posted = perf_counter_ns()
                if first:
                    noticed = take(numbers)
                    end = perf_counter_ns()
                    tries.append(((end - begin) / 2, posted - begin, end - noticed))
                request.Wait()
            rows.append([median(column) for column in zip(*tries, strict=True)] if first else [])
        for name, row in zip(times, zip(*rows, strict=True), strict=False):
            times[name].append(list(row))
    if first:
        Path(file).write_text(json.dumps(times))


# ------------------------------------------------------------ operations


def calls(program: Program) -> tuple[list[int], list[list[list[float]]]]:
    """Operations of each kernel of a program, and ns of a call: by round, by BLOCKS, by kernel; each time the
    least of some."""
    kernels = {
        (kernel, tuple(operand.value.shape for operand in compute.expression.operands))
        for stream in program.streams
        for compute in stream
        if isinstance(compute, Compute)
        for kernel in compute.expression.kernels
    }
    random = np.random.default_rng(0)
    costs = (kernel.cost(*shapes) for kernel, shapes in kernels)
    operations = [cost.flops + (TRIG_IN_FLOPS - 1) * cost.trig for cost in costs]

    def least(kernel: Any, operands: Sequence[Any]) -> int:
        times = []
        for _ in range(TRIES // 10):
            begin = perf_counter_ns()
            kernel.evaluate(*operands)
            times.append(perf_counter_ns() - begin)
        return min(times)

    def block(rows: int, shape: tuple[int, ...]) -> Any:
        square = len(shape) == 2 and shape[0] == shape[1]  # some are factored
        return random.random((rows, *shape)) + (9 * np.eye(shape[0]) if square else 0)

    rounds = [
        [[float(least(k, [block(c, x) for x in shapes])) for k, shapes in kernels] for c in BLOCKS]
        for _ in range(ROUNDS)
    ]
    return operations, rounds


# ------------------------------------------------------------ figures


@dataclass(frozen=True)
class Figure:
    """A figure in ns with its interval, and how it was measured."""

    low: float
    value: float
    high: float
    source: str


def figures(
    trips: Mapping[str, Sequence[Sequence[float]]],
    operations: Sequence[int],
    rounds: Sequence[Sequence[Sequence[float]]],
    processes: int,
) -> dict[str, Figure]:
    """Figures of [timing] of a machine whose nodes work for so many `processes`, from what `ping_pong` and
    `calls` measured."""
    fits = {name: [line(SIZES, row) for row in rows] for name, rows in trips.items()}
    starts = {name: [fit.start for fit in of_name] for name, of_name in fits.items()}
    network = [
        max(trip - post - receive, 0.0)
        for trip, post, receive in zip(starts["trip"], starts["post"], starts["receive"], strict=True)
    ]
    sizes = f"messages of {SIZES[0]} to {SIZES[-1]} words between 2 processes"
    trip = f"ping-pong, {sizes}: a line{_quality(fits['trip'])}"
    most = [[fit.start + fit.slope * SIZES[-1] for fit in fits[name]] for name in ("post", "receive")]
    return {
        "flop": _operation(operations, rounds, processes),
        "startup": _figure(network, f"{trip}; its start less post and receive"),
        "word": _figure([fit.slope for fit in fits["trip"]], trip),
        "post": _figure(starts["post"], f"{sizes}: MPI_Isend{_quality(fits['post'])}", most[0]),
        "receive": _figure(starts["receive"], f"{sizes}: MPI_Mrecv{_quality(fits['receive'])}", most[1]),
    }


def _figure(rounds: Iterable[float], source: str, others: Iterable[float] = ()) -> Figure:
    values = list(rounds)
    return Figure(min(values), median(values), max(*values, *others), source)


def _quality(fits: Sequence[Line]) -> str:
    """Of the median round."""
    r2, worst = median(fit.r2 for fit in fits), median(fit.worst for fit in fits)
    return f", R^2 {r2:.2f}, largest error {100 * worst:.0f} %"


def _operation(
    operations: Sequence[int], rounds: Sequence[Sequence[Sequence[float]]], processes: int
) -> Figure:
    """Time of an operation: that of all calls over their operations, which share the cost of a call."""
    times = np.median(np.asarray(rounds), axis=0)
    calls, kernels, total = line(BLOCKS, times.sum(axis=1)), len(operations), sum(operations)
    value = (calls.start / processes + calls.slope) / total
    shares = [
        (fit.start / processes + fit.slope) / count
        for fit, count in zip((line(BLOCKS, column) for column in times.T), operations, strict=True)
        if count
    ]
    low, _, high = quantiles(shares, n=4)
    each = f"{calls.start / kernels / 1000:.3g} us and {calls.slope / total:.3g} ns an operation of a process"
    source = f"{kernels} kernels for {BLOCKS[0]} to {BLOCKS[-1]} processes a call: a call takes {each}"
    shared = f"the share of {processes} a call; middle half of the kernels"
    return Figure(min(low, value), value, max(high, value), f"{source}{_quality([calls])}; {shared}")


MACHINE = {
    "clock_mhz": (1000, "defined here: a cycle is a nanosecond"),
    "network": ("full", "defined here: any rank reaches any other, whatever is between them"),
    "control": ("mimd", "defined here: a process issues by itself"),
    "dma": (True, "unverified: assumed, what is posted is delivered while the process computes"),
}


def machine_file(timing: Mapping[str, Figure], day: date) -> str:
    """The text of the file of a machine with these figures, measured on a day."""
    machine = [f"{name} = {json.dumps(value)}" for name, (value, _) in MACHINE.items()]
    times = []
    for name, figure in timing.items():
        digits = 0 if name in WHOLE else 3
        parts = {part: f"{getattr(figure, part):.{digits}f}" for part in ("value", "low", "high")}
        texts = (f"{part} = {text if name in WHOLE else json.dumps(text)}" for part, text in parts.items())
        times.append(f"{name} = {{{', '.join(texts)}}}")
    sources = {"name": f"this computer, measured on {day}: senn calibrate"}
    sources |= {name: source for name, (_, source) in MACHINE.items()}
    sources |= {name: figure.source for name, figure in timing.items()}
    return "\n".join(
        (
            f"# Times of one computer, measured on {day}. A cycle is a nanosecond.",
            f'\n[machine]\nname = "calibrated {day}"',
            *machine,
            "\n[timing]",
            *times,
            "\n[source]",
            *(f"{name} = {json.dumps(source)}" for name, source in sources.items()),
            "",
        )
    )
