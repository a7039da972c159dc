"""An arm as a list of links, each with the joint that carries it, in the frames of whoever wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from senn.algorithms.plain_sums.turns import Array

BASE = -1
"""What carries the first link."""

COORDINATES = {
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 4,
    "free": 7,
    "welded": 0,
}
"""Numbers of q, by type of joint."""
RATES = {**COORDINATES, "spherical": 3, "free": 6}
"""Numbers of qd."""


@dataclass(frozen=True, eq=False)
class Link:
    """A body, and the joint that carries it. Its frame is the joint's frame, moved by the joint."""

    on: int
    """The number of the link that it hangs on, which comes before it; or BASE."""
    kind: str
    """The type of its joint; "welded" also where a file says fixed."""
    turn: Array
    """(3, 3): axes of the joint's frame in the frame of the link that it hangs on."""
    place: Array
    """(3,) m: its origin there."""
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """(3,) of unit length, in the joint's frame."""
    second: Array | None = None
    """(3,) of unit length, in the joint's frame at q = 0: of a universal joint."""
    pitch: float = 0.0
    """m/rad."""
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) m: of mass, in the link's frame."""
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3) kg m^2 about the centre of mass, in the axes of the link's frame."""
    frame: Array | None = None
    """(3, 3): axes of the paper's frame of this joint in the joint's frame; None: from axis and second."""


@dataclass(frozen=True, eq=False)
class Arm:
    """Links, a link after the one that it hangs on; and what the answers are counted in."""

    links: Sequence[Link]
    order: Sequence[int]
    """The links in the order of q: those that a joint of the robot moves, welded ones of it too."""
    main: int
    """How many of these are the main chain's; they come first."""
    last: int
    """The link that carries the end effector."""
    tip_turn: Array
    """(3, 3): axes of the end effector's frame in that link's frame."""
    tip_place: Array
    """(3,) m: its origin there."""

    def shares(self, counts: dict[str, int]) -> dict[int, slice]:
        """By link, which numbers of q (COORDINATES) or of qd (RATES) are its joint's."""
        found, start = {}, 0
        for number in self.order:
            count = counts[self.links[number].kind]
            found[number] = slice(start, start + count)
            start += count
        return found
