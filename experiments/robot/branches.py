"""The tables of branches.md; a test compares some rows with the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

import senn
from experiments.page import Tables, head, row
from senn.algorithms.programs import variants
from senn.algorithms.robots.side_tree import SideTree
from senn.machine import model
from senn.machine.engines.memory import flops
from senn.machine.placing.schedule import Schedule
from senn.traces.run import Run

N, AT = 16, 8
LENGTHS = (0, 1, 2, 3, 4, 8)


def branch(at: int, size: int) -> SideTree:
    """One revolute joint on another."""
    return SideTree(at, ("revolute",) * size, tuple(range(size)))


def placed(branches: Sequence[SideTree]) -> Schedule:
    """16 links on a SENN, form short, data migrating."""
    program = variants.closed_chain(N, "short", branches=branches)
    return senn.placed(program)


def of_length(size: int) -> Schedule:
    """One branch, at link 8."""
    return placed((branch(AT, size),) if size else ())


# ------------------------------------------------------------------------------------ operations


def work(schedule: Schedule) -> np.ndarray:
    """Operations executed by every process of both arrays, (2, n)."""
    total = np.zeros((2, N), dtype=np.int64)
    for task in (task for tasks in schedule.tasks for task in tasks):
        np.add.at(total[task.array - 1], task.line.processes - 1, flops(task))
    return total


def operations(lengths: Iterable[int] = LENGTHS) -> Iterator[str]:
    """What the process with the branch executes, and what it sends more than without."""
    yield from head(
        "joints of the branch", "array 1", "array 2", "more, array 1", "more, array 2", "messages", "words"
    )
    plain = of_length(0)
    without, words = work(plain)[:, AT - 1], int(plain.messages.words.sum())
    yield row(0, *without, "", "", "", "")
    for schedule, size in ((of_length(size), size) for size in lengths if size):
        own, sent = work(schedule)[:, AT - 1], len(schedule.messages) - len(plain.messages)
        carried = int(schedule.messages.words.sum()) - words
        yield row(size, *own, *(own - without), f"{sent:+d}", f"{carried:+d}")


# ------------------------------------------------------------------------------------------ time


def added(schedule: Schedule) -> set[str]:
    """The labels that a program with branches has and one without has not."""
    plain = {line.step for stream in of_length(0).program.streams for line in stream}
    return {line.step for stream in schedule.program.streams for line in stream} - plain


def cycles_of(run: Run, array: int, labels: set[str]) -> int:
    """For which an array computes lines of these labels, by the trace."""
    lines = run.trace.instructions.filter(
        (pl.col("array") == array) & (pl.col("operation") == "compute") & pl.col("step").is_in(list(labels))
    )
    return int((lines["end"] - lines["issue"]).sum())


def times(name: str, schedule: Schedule) -> str:
    """Cycles of both arrays in the lines of branches; makespans, control units in arrays and in nodes."""
    mark3, plain = model.load("mark3"), of_length(0)
    run = senn.timed(schedule, mark3, detail="full")
    cells = [f"{cycles_of(run, array, added(schedule)):,}" for array in (1, 2)]
    for machine in (mark3, mark3.with_settings({"machine.control": "mimd"})):
        without, makespan = (int(senn.timed(x, machine).summary["makespan"]) for x in (plain, schedule))
        cells += [f"{makespan:,}", f"{makespan - without:+,}"]
    return row(name, *cells)


COLUMNS = ("array 1", "array 2", "makespan", "more", "control in nodes", "more, control in nodes")


def lengths(chosen: Iterable[int] = LENGTHS) -> Iterator[str]:
    """One branch at link 8."""
    yield from head("joints of the branch", *COLUMNS)
    for size in chosen:
        yield times(str(size), of_length(size))


PLACES = {
    "one joint at link 8": (8,),
    "one joint at link 1": (1,),
    "one joint at link 16": (16,),
    "one joint at links 4, 8, 12, 16": (4, 8, 12, 16),
    "one joint at every link": tuple(range(1, N + 1)),
}


def places(chosen: Iterable[str] = tuple(PLACES)) -> Iterator[str]:
    """Where branches are, and how many."""
    yield from head("branches", *COLUMNS)
    for name in chosen:
        yield times(name, placed([branch(at, 1) for at in PLACES[name]]))


DATA: Tables = {
    "operations": operations,
    "lengths": lengths,
    "places": places,
}
