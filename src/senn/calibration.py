"""Times of this computer, measured and fitted: a machine file whose cycles are nanoseconds.

Two processes of MPI play ping-pong (`exchange`), and kernels of a program work for one process and for blocks
of several (`calls`). A figure is the median of the jobs, its interval from the least to the largest; the
interval of an operation holds the middle half of the kernels.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import product
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.api.building import program_of
from senn.api.processes import launch
from senn.base.errors import InputError
from senn.choices import MachineChoices, usual
from senn.machine.model.figures import TRIG_IN_FLOPS, WHOLE
from senn.machine.program import Compute, Program

Times: TypeAlias = NDArray[np.float64]
SIZES = (1, 6, 12, 18, 36, 72, 144, 256)
"""Words of the messages: those of programs, up to some blocks of 6 x 6 in one."""
BLOCKS = (1, 4, 16, 64, 256)
"""Processes that a call of a kernel works for."""
JOBS, TRIES = 5, 60
"""Jobs of MPI, which differ more than what is measured in one; messages of a size, and calls of a kernel."""


@dataclass(frozen=True)
class Fit:
    """Times as `start + slope x`, in ns; the part of their variance explained; the largest relative error."""

    start: float
    slope: float
    r2: float
    worst: float


def line(x: ArrayLike, times: ArrayLike) -> Fit:
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
    return Fit(start, slope, r2, float(abs(errors / t).max()))


def measured(processes: int) -> dict[str, Figure]:
    """Figures of this computer for nodes that work for so many processes; InputError where they cannot be
    measured."""
    usable = getattr(os, "sched_getaffinity", lambda process: range(os.cpu_count() or 1))
    if len(usable(0)) < 2:
        raise InputError("this process may use one core: ping-pong needs a core for each of two processes")
    return figures(ping_pong(), *calls(program_of(usual(MachineChoices), 7)), processes)


def ping_pong() -> Times:
    """Medians in ns by job and size: of a message there and back, halved; of posting one; of receiving one
    that has arrived."""
    with TemporaryDirectory(prefix="senn-calibrate-") as folder:
        files = [Path(folder, f"{job}.npy") for job in range(JOBS)]
        for file in files:
            launch(2, exchange, file)
        return np.stack([np.load(file) for file in files])


def exchange(file: str) -> None:
    """Work of each of two processes, with the calls of `senn mpi`; the first writes the times to a file."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    other, times = 1 - world.rank, np.zeros((len(SIZES), TRIES, 3))
    for each in np.ndindex(times.shape[:-1]):
        sent, numbers = np.zeros((2, SIZES[each[0]]))
        world.Barrier()
        begin = perf_counter_ns()
        if world.rank:
            world.Mprobe(other).Recv(numbers)
        request = world.Isend(sent, other)
        posted = perf_counter_ns()
        if not world.rank:
            while (message := world.Improbe(other)) is None:
                pass
            noticed = perf_counter_ns()
            message.Recv(numbers)
            end = perf_counter_ns()
            times[each] = (end - begin) / 2, posted - begin, end - noticed
        request.Wait()
    if not world.rank:
        np.save(file, np.median(times, axis=1))


def calls(program: Program) -> tuple[list[int], Times]:
    """Operations of each kernel of a program, and the least ns of a call, by BLOCKS and kernel."""
    kernels = {
        (kernel, tuple(operand.value.shape for operand in compute.expression.operands))
        for stream in program.streams
        for compute in stream
        if isinstance(compute, Compute)
        for kernel in compute.expression.kernels
    }
    costs = (kernel.cost(*shapes) for kernel, shapes in kernels)
    operations = [cost.flops + (TRIG_IN_FLOPS - 1) * cost.trig for cost in costs]
    times = np.full((len(BLOCKS), len(kernels)), np.inf)
    every = product(range(TRIES), enumerate(BLOCKS), enumerate(kernels))
    for _, (row, rows), (column, (kernel, shapes)) in every:
        blocks = [_block(rows, shape) for shape in shapes]
        begin = perf_counter_ns()
        kernel.evaluate(*blocks)
        times[row, column] = min(times[row, column], perf_counter_ns() - begin)
    return operations, times


@cache
def _block(rows: int, shape: tuple[int, ...]) -> Times:
    """Numbers for a kernel; square ones can be factored."""
    unit = 9 * np.eye(shape[0]) if len(shape) == 2 and shape[0] == shape[1] else 0
    return np.random.default_rng(0).random((rows, *shape)) + unit


@dataclass(frozen=True)
class Figure:
    """A figure in ns with its interval, and how it was measured."""

    low: float
    value: float
    high: float
    source: str


def figures(trips: Times, operations: Sequence[int], times: Times, processes: int) -> dict[str, Figure]:
    """Figures of [timing] of a machine with so many `processes` on a node, from the measurements of
    `ping_pong` and `calls`."""
    fits = [[line(SIZES, row[:, k]) for row in trips] for k in range(3)]
    starts = np.array([[fit.start for fit in of_kind] for of_kind in fits])
    sizes = f"messages of {SIZES[0]} to {SIZES[-1]} words between 2 processes"
    trip, post, receive = (
        f"{kind}, {sizes}{_quality(of_kind)}"
        for kind, of_kind in zip(("ping-pong", "MPI_Isend", "MPI_Mrecv"), fits, strict=True)
    )
    longest = [[fit.start + fit.slope * SIZES[-1] for fit in of_kind] for of_kind in fits]
    network = np.maximum(starts[0] - starts[1] - starts[2], 0)
    return {
        "flop": _operation(operations, times, processes),
        "startup": _figure(network, f"{trip}; its start less post and receive"),
        "word": _figure([fit.slope for fit in fits[0]], trip),
        "post": _figure(starts[1], post, longest[1]),
        "receive": _figure(starts[2], receive, longest[2]),
    }


def _figure(jobs: Iterable[float], source: str, others: Iterable[float] = ()) -> Figure:
    values = [float(x) for x in jobs]
    return Figure(min(values), median(values), max(*values, *others), source)


def _quality(fits: Sequence[Fit]) -> str:
    r2, worst = median(fit.r2 for fit in fits), median(fit.worst for fit in fits)
    return f", R^2 {r2:.2f}, largest error {100 * worst:.0f} %"


def call(operations: Sequence[int], times: Times) -> Fit:
    """ns of a call of a kernel, on average, and as slope of an operation of each process that shares it."""
    fit = line(BLOCKS, times.sum(axis=1))
    return replace(fit, start=fit.start / len(operations), slope=fit.slope / sum(operations))


def _operation(operations: Sequence[int], times: Times, processes: int) -> Figure:
    """Time of an operation: that of all calls over their operations; the interval is by kernel."""

    def shared(counts: Sequence[int], columns: Times) -> float:
        cost = call(counts, columns)
        return cost.slope + cost.start * len(counts) / sum(counts) / processes

    value, cost = shared(operations, times), call(operations, times)
    each = (shared([count], times[:, [k]]) for k, count in enumerate(operations) if count)
    low, _, high = quantiles(each, n=4)
    source = (
        f"{len(operations)} kernels for {BLOCKS[0]} to {BLOCKS[-1]} processes a call: a call takes "
        f"{cost.start / 1000:.3g} us and {cost.slope:.3g} ns an operation of a process{_quality([cost])}; "
        f"the share of {processes} a call; middle half of the kernels"
    )
    return Figure(min(low, value), value, max(high, value), source)


def machine_file(timing: Mapping[str, Figure], day: date) -> str:
    """The text of the file of a machine with these figures, measured on a day."""
    times = {}
    for name, figure in timing.items():
        values = figure.value, figure.low, figure.high
        texts = (f"{x:.0f}" if name in WHOLE else f'"{x:.3f}"' for x in values)
        times[name] = "{{value = {}, low = {}, high = {}}}".format(*texts)
    sources = _SOURCES | {name: figure.source for name, figure in timing.items()}
    tables = {
        "machine": {"name": f'"calibrated {day}"', **_MACHINE},
        "timing": times,
        "source": {name: json.dumps(source) for name, source in sources.items()},
    }
    lines = [f"# Times of one computer, measured on {day} by senn new --calibrate. A cycle is a nanosecond."]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{name} = {entry}" for name, entry in entries.items())]
    return "\n".join([*lines, ""])


_MACHINE = {"clock_mhz": "1000", "network": '"full"', "control": '"mimd"', "dma": "true"}
_SOURCES = {
    "clock_mhz": "defined here: a cycle is a nanosecond",
    "network": "defined here: any rank reaches any other, whatever is between them",
    "control": "defined here: a process issues by itself",
    "dma": "unverified: assumed, what is posted is delivered while the process computes",
}
