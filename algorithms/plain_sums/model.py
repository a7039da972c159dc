"""What answers are judged by: an arm at a state, that knows its dynamics; `Sums` by sums over its links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from senn.algorithms.plain_sums import sums
from senn.algorithms.plain_sums.links import Arm
from senn.algorithms.plain_sums.motion import motion, pose
from senn.algorithms.plain_sums.turns import Array


@dataclass(frozen=True, eq=False)
class State:
    """The numbers of a problem beside those of the arm."""

    gravity: Array
    q: Array
    qd: Array
    tau: Array
    qdd: Array
    """Of inverse dynamics."""
    x: Array
    """(6,): what Lambda and its inverse are applied to."""
    contact: Mapping[str, Any]
    """As it was written: the keys of a problem file."""


@dataclass(frozen=True, eq=False)
class Carried:
    """What the joints carry in some motion."""

    torque: Array
    """(degrees,) N m or N: tau = M qdd + b + J'F."""
    size: Array
    """(degrees,): how large the wrenches are that these are components of."""
    forces: Array | None
    """(n, 6): through the joints of the main chain, as `forces` of a solution; None: not known."""


class Model(Protocol):
    """An arm at q and qd under gravity, whoever computes it."""

    @property
    def tip_axes(self) -> Array:
        """(3, 3): those of the end effector, in axes of the base."""

    @property
    def velocity(self) -> Array:
        """(6,) [angular; linear] of the end effector, in axes of the base."""

    def carried(self, qdd: Array, force: Array) -> Carried:
        """With qdd (degrees,) and the force (6,) of the end effector on the environment."""

    def acceleration(self, qdd: Array) -> Array:
        """(6,) of the end effector, in its own axes; classical."""

    def mass_matrix(self) -> Array:
        """(degrees, degrees)."""

    def jacobian(self) -> Array:
        """(6, degrees), in the end effector's axes."""


class Sums:
    """The arm of plain sums."""

    def __init__(self, arm: Arm, state: State) -> None:
        self.state, self.pose = state, pose(arm, state.q, state.qd)
        still = motion(self.pose, state.qd, np.zeros(len(state.qd)))
        self.tip_axes = self.pose.tip_axes
        self.velocity = np.concatenate([still.tip_spin, still.tip_speed])

    def carried(self, qdd: Array, force: Array) -> Carried:
        at = self.pose
        loads = sums.loads(at, motion(at, self.state.qd, qdd), self.state.gravity, force)
        size = _lengths(loads.moment[at.of]) * _lengths(at.spin)
        size = size + _lengths(loads.force[at.of]) * _lengths(at.slide)
        return Carried(loads.torque, size, sums.wrenches(at, loads))

    def acceleration(self, qdd: Array) -> Array:
        moving = motion(self.pose, self.state.qd, qdd)
        inside = self.tip_axes.T
        return np.concatenate([inside @ moving.tip_turning, inside @ moving.tip])

    def mass_matrix(self) -> Array:
        return sums.mass_matrix(self.pose)

    def jacobian(self) -> Array:
        return sums.jacobian(self.pose)


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt((rows * rows).sum(axis=1)))
