"""M^-1 times torques, from link to link: articulated bodies in axes of the base.

Inward, each link with all that it carries resists like one body of 6x6 inertia, less what its joints give way
to; outward, the accelerations follow. Wrenches and accelerations [angular; linear] are about the origin of
each link. Links as far from the first one are taken at once, and a long chain is cut into pieces that are
taken at once. Free ends and six unit wrenches at each give the inertias beyond them; with these in place the
wrenches and accelerations at the ends follow from what neighbours miss of each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from senn.algorithms.plain_sums.links import BASE, Arm, Array, Whole
from senn.algorithms.plain_sums.motion import (
    Pose,
    is_chain,
    jacobian,
    loads,
    mass_matrix,
    motion,
    of_carrier,
    outward,
    pose,
    wrenches,
)

_WHOLE = 256
"""Links of the longest chain in one piece; a longer one has about as many pieces as each has links."""


def response(arms: Sequence[Pose], torque: Array) -> Array:
    """M^-1 torque, (s, degrees, c) each: what joint torques do, at rest without weight, to s arms that differ
    in numbers alone. `numpy.linalg.LinAlgError` where nothing resists a joint."""
    on, sets, columns = arms[0].on, len(arms), torque.shape[2]
    length = math.isqrt(len(on)) if is_chain(on) and len(on) > _WHOLE else len(on)
    piece = np.arange(len(on)) // length
    rows, place = _rows(on, length)
    dofs = _dofs(arms[0])
    idle = (dofs == torque.shape[1])[:, None, :, None] * np.eye(dofs.shape[1])
    axes = np.zeros((torque.shape[1] + 1, sets, 6))
    axes[:-1] = np.stack([np.hstack([at.spin, at.slide]) for at in arms], axis=1)

    def inward(beyond: Array, torque: Array) -> tuple[Array, Array, Array]:
        felt = np.empty((len(on), sets, dofs.shape[1], beyond.shape[3]))
        inverse_roots = np.empty((*felt.shape[:3], dofs.shape[1]))
        passed: Array = np.zeros(0)
        carriers = first = np.zeros(0, dtype=np.int64)
        for row in reversed(rows):
            carried = np.zeros((len(row), sets, 6, beyond.shape[3]))
            carried[..., :6] = _bodies(arms, row)
            ends = (row + 1) % length == 0
            carried[ends] += beyond[piece[row[ends]]]
            if len(carriers):
                carried[place[carriers]] += np.add.reduceat(passed, first)
            along, pushes = axes[dofs[row]].swapaxes(1, 2), torque.take(dofs[row], axis=1, mode="clip")
            felt[row], inverse_roots[row] = _yielding(carried, along, idle[row], pushes.swapaxes(0, 1))
            passed = _shifted(_shifts(arms, row), carried)
            carriers, first = np.unique(on[row], return_index=True)
        return passed, felt, inverse_roots

    def outward(moved: Array) -> tuple[Array, Array]:
        rates, ends, before = np.empty((len(axes), sets, columns)), np.empty_like(moved), piece
        for row in rows:
            moved = _shifts(arms, row).swapaxes(2, 3) @ moved[before[row]]
            rate = inverse_roots[row].swapaxes(2, 3) @ (felt[row, :, :, :6] @ moved + felt[row, :, :, 6:])
            rates[dofs[row]] = -rate.swapaxes(1, 2)
            moved -= axes[dofs[row]].transpose(0, 2, 3, 1) @ rate
            last = (row + 1) % length == 0
            ends[piece[row[last]]] = moved[last]
            before = place[on]
        return rates[:-1].swapaxes(0, 1), ends

    moved = np.zeros((piece[-1] + 1, sets, 6, columns))
    beyond = np.zeros((len(moved), sets, 6, 6 + columns))
    if len(moved) == 1:
        _, felt, inverse_roots = inward(beyond, torque)
        return outward(moved)[0]
    units = np.zeros((len(moved), sets, 6, 12))
    units[:-1, :, :, 6:] = np.eye(6)
    beyond[:-1, :, :, :6], through = _between(*inward(units, torque[..., :0])[:2], length)
    missed = inward(beyond, torque)[0][1:] - beyond[:-1]
    for k in reversed(range(len(missed) - 1)):
        missed[k] += _shifted(through[k + 1], missed[k + 1])
    beyond[:-1] += missed
    _, felt, inverse_roots = inward(beyond, torque)
    missed = outward(moved)[1][:-1] - moved[1:]
    for k in range(1, len(missed)):
        missed[k] += through[k].swapaxes(1, 2) @ missed[k - 1]
    moved[1:] += missed
    return outward(moved)[0]


def _yielding(carried: Array, along: Array, stiff: Array, pushes: Array) -> tuple[Array, Array]:
    """Inertia and wrenches `carried` (..., 6, 6 + c) less what joints give way to, in their place.

    The joints have axes `along` (..., d, 6), torques `pushes` (..., d, c) and an inertia `stiff` (..., d, d)
    of their own. L^-1 (H' carried - pushes) and L^-1, L L' being the inertia that they see.
    """
    pushed = along @ carried
    pushed[..., carried.shape[-1] - pushes.shape[-1] :] -= pushes
    inverse_root = np.linalg.inv(np.linalg.cholesky(pushed[..., :6] @ along.swapaxes(-1, -2) + stiff))
    pushed = inverse_root @ pushed
    carried -= pushed[..., :6].swapaxes(-1, -2) @ pushed
    return pushed, inverse_root


def _shifted(shift: Array, carried: Array) -> Array:
    """Inertias and wrenches (..., 6, 6 + c) as they are felt elsewhere."""
    shifted = shift @ carried
    shifted[..., :6] = shifted[..., :6] @ shift.swapaxes(-1, -2)
    return shifted


def _between(passed: Array, felt: Array, length: int) -> tuple[Array, Array]:
    """Inertias beyond the ends of all pieces of a chain but the last, and the parts of wrenches there that
    pass through each piece.

    `passed`: each piece as felt by the link that it hangs on, with its end free; `felt`: by its joints. The
    end gives way to what is beyond as six joints do, the rows of a triangle: light links and heavy ones
    stay apart in these, as they would not in the compliance of the end.
    """
    beyond, through = passed[1:, :, :, :6].copy(), passed[:-1, :, :, 6:].copy()
    for k in reversed(range(len(through))):
        joints = felt[k * length : (k + 1) * length, :, :, 6:].swapaxes(0, 1).reshape(felt.shape[1], -1, 6)
        along = np.asarray(np.linalg.qr(joints[:, ::-1], mode="r"))
        carried = beyond[k].copy()
        pushed, inverse_root = _yielding(carried, along, np.eye(6), along[..., :0])
        if k:
            beyond[k - 1] += _shifted(through[k], carried)
        through[k] -= through[k] @ pushed.swapaxes(1, 2) @ inverse_root @ along
    return beyond, through


def _rows(on: Whole, length: int) -> tuple[list[Whole], Whole]:
    """Links as far from the first of their piece, sorted by what they hang on; and their places there."""
    depth = np.arange(len(on)) % length
    if not is_chain(on):
        for k, before in enumerate(on.tolist()):
            depth[k] = 0 if before == BASE else depth[before] + 1
    order, sizes = np.lexsort((on, depth)), np.bincount(depth)
    place = np.empty_like(order)
    place[order] = np.arange(len(on)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.split(order, np.cumsum(sizes)[:-1]), place


def _dofs(at: Pose) -> Whole:
    """(k, d): the degrees of freedom of each link, d the most of one; where it has fewer, a number beyond."""
    links, first, counts = np.unique(at.of, return_index=True, return_counts=True)
    dofs = np.full((len(at.on), counts.max()), len(at.of))
    for number in range(counts.max()):
        dofs[links[counts > number], number] = first[counts > number] + number
    return dofs


def _bodies(arms: Sequence[Pose], row: Whole) -> Array:
    """(k, s, 6, 6): the inertias of links about their origins."""
    lever = _crossing(np.stack([at.centre[row] - at.origin[row] for at in arms], axis=1))
    mass = np.stack([at.mass[row] for at in arms], axis=1)[:, :, None, None]
    bodies = np.zeros((*mass.shape[:2], 6, 6))
    bodies[..., :3, :3] = np.stack([at.inertia[row] for at in arms], axis=1) - mass * lever @ lever
    bodies[..., :3, 3:] = mass * lever
    bodies[..., 3:, :3] = -mass * lever
    bodies[..., 3:, 3:] = mass * np.eye(3)
    return bodies


def _shifts(arms: Sequence[Pose], row: Whole) -> Array:
    """(k, s, 6, 6): wrenches, from the origins of links to those of what they hang on."""
    on = arms[0].on[row]
    steps = [at.origin[row] - np.where(on[:, None] == BASE, 0.0, at.origin[on]) for at in arms]
    shifts = np.zeros((len(row), len(arms), 6, 6))
    shifts[...] = np.eye(6)
    shifts[..., :3, 3:] = _crossing(np.stack(steps, axis=1))
    return shifts


def _crossing(vectors: Array) -> Array:
    """(..., 3, 3): matrices of the cross products with vectors (..., 3) on the left."""
    return np.asarray(np.cross(vectors[..., None, :], np.eye(3)).swapaxes(-1, -2))


# -------- arms at a state that know their dynamics


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
