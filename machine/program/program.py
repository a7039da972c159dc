"""A program: one stream of instructions per array, and what is in memory at the start; no node and no
cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from senn.machine.program.instructions import Instruction
from senn.machine.program.values import Value, Where, levels


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
    the heading that listings print above it. The fields from `form` on say which variant of a robot program
    this is, for listings and run.json; a program about something else leaves them out.
    """

    name: str
    n: int
    streams: tuple[tuple[Instruction, ...], ...]
    resident: tuple[Resident, ...]
    results: Mapping[str, tuple[int, Value]]
    titles: Mapping[str, str] = field(default_factory=dict)
    form: str = ""
    refine: int = 0
    joints: tuple[str, ...] = ()
    contact: int = 0
    contact_kind: str = "I"
    strategy: int = 0
    elimination: str = ""
    ahead: bool = False
    branches: tuple[tuple[int, tuple[str, ...], tuple[int, ...]], ...] = ()
    """(link, joint types, what each hangs on) of side branches."""

    @property
    def levels(self) -> int:
        """M = ceil(log2 n)."""
        return levels(self.n)

    @property
    def arrays(self) -> int:
        """The number of processor arrays the program runs on."""
        return len(self.streams)

    def __str__(self) -> str:
        from senn.machine.program.listing import (
            listing,  # the listing needs the masks, which need the program
        )

        return listing(self)
