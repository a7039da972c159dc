"""Arms at a state that know their dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from senn.algorithms.plain_sums.links import Arm, Array
from senn.algorithms.plain_sums.motion import (
    Pose,
    jacobian,
    loads,
    mass_matrix,
    motion,
    of_carrier,
    outward,
    pose,
    wrenches,
)
from senn.algorithms.plain_sums.response import response


@dataclass(frozen=True, eq=False)
class State:
    """The numbers of a problem beside those of the arm."""

    gravity: Array
    q: Array
    qd: Array
    tau: Array
    qdd: Array  # Of inverse dynamics
    x: Array  # (6,): what Lambda and its inverse are applied to
    contact: Mapping[str, Any]  # As it was written: the keys of a problem file


@dataclass(frozen=True, eq=False)
class Carried:
    """Loads of the joints in some motion."""

    torque: Array  # (degrees,) N m or N: tau = M qdd + b + J'F
    size: Array  # (degrees,): how large the wrenches are that these are components of
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

    def response(self, torque: Array, eps: float = 0.0) -> Array:
        """M^-1 torque, (s, degrees, c) each; after the first, of numbers that are off by a part of up to eps,
        each time others. `numpy.linalg.LinAlgError` where M is singular."""

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
        through = loads(at, motion(at, self.state.qd, qdd), self.state.gravity, force)
        size = _lengths(through.moment[at.of]) * _lengths(at.spin)
        size = size + _lengths(through.force[at.of]) * _lengths(at.slide)
        return Carried(through.torque, size, wrenches(at, through))

    def acceleration(self, qdd: Array) -> Array:
        moving = motion(self.pose, self.state.qd, qdd)
        inside = self.tip_axes.T
        return np.concatenate([inside @ moving.tip_turning, inside @ moving.tip])

    def mass_matrix(self) -> Array:
        return mass_matrix(self.pose)

    def response(self, torque: Array, eps: float = 0.0) -> Array:
        return response([self.pose, *(self._off(eps, seed) for seed in range(len(torque) - 1))], torque)

    def _off(self, eps: float, seed: int) -> Pose:
        rng, at = np.random.default_rng([seed, 6]), self.pose

        def anew(numbers: Array) -> Array:
            return np.asarray(numbers * (1.0 + eps * rng.uniform(-1.0, 1.0, numbers.shape)))

        inertia = at.inertia * anew(np.ones((len(at.on), 1, 1)))
        lever = anew(at.centre - at.origin)
        origin = outward(at.on, anew(at.origin - of_carrier(at.on, at.origin)))
        at = replace(at, mass=anew(at.mass), inertia=inertia, origin=origin, centre=origin + lever)
        return replace(at, spin=anew(at.spin), slide=anew(at.slide))

    def jacobian(self) -> Array:
        return jacobian(self.pose)


def _lengths(rows: Array) -> Array:
    """Without overflow or underflow of squares."""
    return np.asarray(np.hypot(np.hypot(rows[:, 0], rows[:, 1]), rows[:, 2]))
