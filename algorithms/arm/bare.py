"""What side branches add to the programs of an arm; of an arm without any it is nothing.

`senn.algorithms.arm.sides` has them.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm.letters import TIP
from senn.machine.program import (
    Instruction,
    ProcessSet,
    Value,
    i,
)

Lines = Iterator[Instruction]


class Bare:
    """Nothing beside the main chain."""

    @property
    def plain(self) -> ProcessSet:
        """The processes whose link has no side branches."""
        return i > 0

    def beyond_link(self, step: str) -> Lines:
        """(I_{i,i+1})^-1 of every link, where it is not constant."""
        yield from ()

    @property
    def link_inertia(self) -> Value:
        """It, about O_{i+1} in frame i+1."""
        return TIP

    @property
    def at_tip(self) -> bool:
        """Whether the last link has branches."""
        return False

    def tip_mass(self, step: str, target: Value) -> Lines:
        """I_{N,N+1} of the last link with its branches, if it has any."""
        yield from ()

    def loads(self, gravity: Value, *, moving: bool = False) -> Lines:
        """II.b.1.v': what else acts on a link, of its side branches; `moving` with the given accelerations of
        their joints."""
        yield from ()

    @property
    def load(self) -> Value | None:
        """It, [n; f] about O_{i+1} in the common frame."""
        return None

    def as_one(self, step: str) -> Lines:
        """Inertias of links with their side branches, without any Step I."""
        yield from ()

    @property
    def together(self) -> tuple[Value, ...]:
        """These, if a link has any: I_{i,i+1} in frame i+1."""
        return ()

    @property
    def held_wrench(self) -> tuple[Value, ...]:
        """The wrench of `holds`, about O_{i+1} in frame i+1."""
        return ()

    def holds(self, step: str) -> Lines:
        """What the torques of side branches do to their joints, and p, the wrench with which their link at
        rest holds them."""
        yield from ()

    def drives(self, step: str) -> Lines:
        """The same, and what it does to their link."""
        yield from ()

    @property
    def driven_back(self) -> Value | None:
        """Of that, the acceleration at O_i with the other sign, I_i^-1 p."""
        return None

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        """Joint accelerations of side branches from that of their link at O_i, frame i."""
        yield from ()

    def branch_rows(self) -> Lines:
        """I.c.3'' of form omega: the rows of M^-1 J' of side branches."""
        yield from ()

    def difference(self) -> Lines:
        """IV.b.2': Qdd = Qdd_0 - Qdd_C of side branches."""
        yield from ()

    def results(self) -> dict[str, tuple[int, Value]]:
        """What side branches leave."""
        return {}

    def borne(self) -> dict[str, Value]:
        """What `loads` leaves: what the joints of side branches bear."""
        return {}
