"""What the processes of links with branches hold of them: constants and state, a row per joint.

Rows and frames are those of `senn.algorithms.robots.side_tree`; a process whose link has fewer joints than
the widest has rows of zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

from senn.machine.program import Value, value

LINK_INERTIA = value("I_{i,i+1}.b", 21)  # of the link alone, about O_{i+1} in frame i+1


@dataclass(frozen=True)
class Held:
    """The values, for lanes of `width` joints."""

    width: int

    def _rows(self, letter: str, *shape: int) -> Value:
        return value(f"{letter}.b", self.width, *shape)

    @property
    def q(self) -> Value:
        return self._rows("q")

    @property
    def qd(self) -> Value:
        return self._rows("qd")

    @property
    def tau(self) -> Value:
        return self._rows("tau")

    @property
    def qdd(self) -> Value:
        """Given, of inverse dynamics."""
        return self._rows("qdd")

    @property
    def rotation(self) -> Value:
        return self._rows("R", 3, 3)

    @property
    def position(self) -> Value:
        return self._rows("P_0", 3)

    @property
    def inertia(self) -> Value:
        """About the body's origin, packed."""
        return self._rows("I", 21)

    @property
    def mass(self) -> Value:
        return self._rows("m")

    @property
    def centre(self) -> Value:
        return self._rows("S", 3)

    @property
    def central(self) -> Value:
        """J, about the centre of mass, packed."""
        return self._rows("J", 6)

    @property
    def all(self) -> tuple[Value, ...]:
        return (
            *(self.q, self.qd, self.tau, self.qdd, self.rotation, self.position),
            *(self.inertia, self.mass, self.centre, self.central),
        )
