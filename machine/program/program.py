"""A program: one stream of instructions per array, and what is in memory at the start; no node and no
cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from senn.machine.program.instructions import Instruction
from senn.machine.program.values import Value, Where, levels
from senn.traces.shown.html import folded, table, text


@dataclass(frozen=True)
class Resident:
    """A value that is in memory before the first cycle, at processes `where` of the given arrays."""

    value: Value
    arrays: tuple[int, ...] = (1, 2)
    where: Where | None = None


@dataclass(frozen=True)
class Program:
    """One stream of instructions per array, and what is in memory at the start; no node and no cycle.

    ``results`` names what a run returns: key -> (array, value). ``titles`` maps a step prefix ("I.b") to
    the heading that listings print above it; `{arrays}` in it stands for the arrays that do it, `{last}` for
    the last process of the array.
    """

    name: str
    n: int
    streams: tuple[tuple[Instruction, ...], ...]
    resident: tuple[Resident, ...]
    results: Mapping[str, tuple[int, Value]]
    titles: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    """What else a listing and a run say of the program, in their order: whatever its author thinks it takes
    to know which program it is."""

    @property
    def levels(self) -> int:
        """M = ceil(log2 n)."""
        return levels(self.n)

    @property
    def arrays(self) -> int:
        """The number of processor arrays the program runs on."""
        return len(self.streams)

    def _repr_html_(self) -> str:
        """How many instructions each step has in each array, and the listing folded."""
        counts = Counter(
            (line.step, array) for array, stream in enumerate(self.streams) for line in stream if line.issued
        )
        steps = dict.fromkeys(step for step, _ in counts)
        rows = [(step, *(counts[step, array] for array in range(self.arrays))) for step in steps]
        header = ("step", *(f"instructions of array {array + 1}" for array in range(self.arrays)))
        caption = f"program {self.name}, n = {self.n}, M = {self.levels}"
        return folded(caption, table(rows, header)) + folded("listing", text(str(self)))

    def __str__(self) -> str:
        from senn.machine.program.listing import (
            listing,  # the listing needs the masks, which need the program
        )

        return listing(self)
