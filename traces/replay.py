"""Looking at a recorded run again, cycle by cycle; nothing is simulated.

A cycle t shows the state in [t, t+1): an instruction is under way from its issue up to, not including, its
end, a message in flight from its post to its arrival.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.traces.analysis import NAMES
from senn.traces.naming import counted, step_text, value_text
from senn.traces.record import NULL, Trace, Values


@dataclass(frozen=True)
class Instruction:
    """A row of the instructions table."""

    array: int
    serial: int
    step: str
    level: int | None
    operation: str
    issue: int
    end: int
    active: int
    stall: int | None
    dependency_wait: int | None
    exposed: int | None
    released_by: int | None

    @classmethod
    def rows(cls, table: pl.DataFrame) -> Iterator[Instruction]:
        """The rows of an instructions table."""
        return (cls(*row) for row in table.select(*cls.__dataclass_fields__).iter_rows())

    def __str__(self) -> str:
        step, active = step_text(self.step, self.level), counted(self.active, "node")
        return f"{step} {self.operation} on {active} [{self.issue}, {self.end})"


@dataclass(frozen=True)
class ArrayState:
    """State of an array at a cycle: it ``computes``, ``posts``, ``stalls`` or ``has ended``.

    ``instruction`` is executed or, in a stall, next to be issued; None after the end. Where every node issues
    by itself, it ``issues node by node``; the instruction is the first not over.
    """

    array: int
    doing: str
    instruction: Instruction | None

    def __str__(self) -> str:
        if self.instruction is None:
            return f"array {self.array} has ended"
        if self.doing != "stalls":
            return f"array {self.array} {self.doing}: {self.instruction}"
        return (
            f"array {self.array} stalls until {self.instruction.issue}, waiting for message "
            f"{self.instruction.released_by}: {self.instruction}"
        )


@dataclass(frozen=True)
class Flight:
    """A message in flight. Nodes are (array, node).

    ``where`` names the cycle: "queue", "start-up", "header" or "words" (`senn.traces.analysis.in_flight`);
    ``wire`` is the wire of its hop number ``hop`` (from 0) of ``hops``.
    """

    message: int
    value: str
    level: int | None
    process: int
    source: tuple[int, int]
    target: tuple[int, int]
    words: int
    posted: int
    arrived: int
    where: str
    wire: str
    hop: int
    hops: int
    numbers: NDArray[np.floating[Any]] | None

    def __str__(self) -> str:
        name = value_text(self.value, self.level, self.process)
        return (
            f"message {self.message} {name} {self.source} -> {self.target}: {self.where}, {self.wire}, "
            f"hop {self.hop + 1} of {self.hops}, arrives {self.arrived}"
        )


@dataclass(frozen=True)
class Held:
    """A value that exists, in the array that holds it."""

    array: int
    value: str
    level: int | None
    process: int
    born: int
    numbers: NDArray[np.floating[Any]]

    def __str__(self) -> str:
        return f"{value_text(self.value, self.level, self.process)} in array {self.array} since {self.born}"


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """The machine at a cycle. ``values`` is None where the run kept no values."""

    cycle: int
    arrays: tuple[ArrayState, ...]
    messages: tuple[Flight, ...]
    values: tuple[Held, ...] | None

    def __repr__(self) -> str:
        lines = [
            f"cycle {self.cycle}",
            *map(str, self.arrays),
            f"{counted(len(self.messages), 'message')} in flight",
        ]
        lines += [f"  {message}" for message in self.messages[:_SHOWN]]
        if len(self.messages) > _SHOWN:
            lines.append(f"  ... and {len(self.messages) - _SHOWN} more")
        lines.append("values were not kept" if self.values is None else f"{len(self.values)} values exist")
        return "\n".join(lines)


_SHOWN = 20


def at(trace: Trace, flights: pl.DataFrame, values: Values | None, cycle: int) -> State:
    """The state of the machine at ``cycle``; from the makespan on all has ended, but messages may drain.

    ``flights`` are the messages `analysis.in_flight`, ``values`` those that the run kept. InputError for a
    cycle after the last, in which the last instruction or message ends.
    """
    ends = [trace.instructions["end"].max(), trace.messages["arrived"].max()]
    last = max(end for end in (0, *ends) if isinstance(end, int))
    if not 0 <= cycle <= last:
        raise InputError(f"replay: this run has cycles 0 to {last:,}; there is no cycle {cycle:,}")
    memory = None
    if values is not None:
        columns = (values.array, values.value, values.level, values.process, values.born)
        each = zip(*(column.tolist() for column in columns), values.numbers, strict=True)
        memory = tuple(
            Held(array, value, None if level == NULL else level, process, born, numbers)
            for array, value, level, process, born, numbers in each
            if born <= cycle
        )
    # The first instruction that is not over is under way or waited for.
    pending = trace.instructions.filter(pl.col("end") > cycle).unique(
        "array", keep="first", maintain_order=True
    )
    rows = {row.array: row for row in Instruction.rows(pending)}
    states = []
    for array in trace.instructions["array"].unique().sort():
        instruction = rows.get(array)
        if instruction is None:
            doing = "has ended"
        elif instruction.stall is None:
            doing = "issues node by node"
        elif instruction.issue > cycle:
            doing = "stalls"
        else:
            doing = "computes" if instruction.operation == "compute" else "posts"
        states.append(ArrayState(array, doing, instruction))
    return State(cycle, tuple(states), _flights(trace, flights, values, cycle), memory)


def _flights(trace: Trace, flights: pl.DataFrame, values: Values | None, cycle: int) -> tuple[Flight, ...]:
    payloads = values.payloads if values is not None else {}
    now = flights.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    hops = trace.hops.join(now.select("message"), on="message", how="semi")
    count = hops.group_by("message").len("hops")
    table = (
        now.join(hops.select("message", "hop", "wire"), on=["message", "hop"])
        .join(count, on="message")
        .join(trace.messages, left_on="message", right_on="id")
        .sort("message")
    )
    names = ("message", "value", "level", "process", "words", "posted", "arrived", "wire", "hop", "hops")
    return tuple(
        Flight(
            **{name: row[name] for name in names},
            source=(row["source_array"], row["source_node"]),
            target=(row["target_array"], row["target_node"]),
            where=NAMES[row["label"]],
            numbers=payloads.get(row["message"]),
        )
        for row in table.iter_rows(named=True)
    )
