"""What velocities do: Jain's a(k), Coriolis and centrifugal accelerations, and b(k), gyroscopic forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from senn.algorithms.blocks import Blocks, cross
from senn.algorithms.family.arm import BASE, Arm, Link, Vectors, zeros
from senn.algorithms.family.transport import outward, outward_axes


@dataclass(frozen=True, eq=False)
class Velocity:
    """The terms of all links."""

    acceleration: Vectors
    """a_i (6,), frame i at O_i: alpha_i = phi' alpha_{i-1} + H_i qdd_i + a_i (Jain Eqs. (13)-(14))."""
    force: Vectors
    """b_i (6,), counted in frame i+1 at O_{i+1}: what M alpha_i of Jain Eq. (15) leaves out."""
    tip: Blocks
    """a of the end effector (6,), frame n+1: that of O_{n+1} against O_n."""


@lru_cache(maxsize=1)  # asked for by a recursion, and again where its contact is solved
def velocity(arm: Arm) -> Velocity:
    """One outward pass. Only angular velocities go along: Luh, Walker and Paul (1980)."""
    omega, across = {BASE: zeros(arm, 3)}, {BASE: zeros(arm, 3)}
    accelerations, forces = [], []
    for i, (link, before) in enumerate(zip(arm.links, arm.parents, strict=True)):
        accelerations.append(_coriolis(link, omega[before], across[before]))
        moved = np.concatenate([omega[before], across[before]])
        omega[i] = outward_axes(link, link.freedom.added(moved, link.rate)[:3])
        across[i] = cross(omega[i], cross(omega[i], link.position))
        forces.append(link.inertia.gyroscopic(omega[i], across[i]))
    return Velocity(accelerations, forces, np.concatenate([zeros(arm, 3), across[arm.last]]))


def _coriolis(link: Link, omega: Blocks, across: Blocks) -> Blocks:
    """a_i; omega (3,) is that of link i-1 in frame i, `across` the centripetal acceleration over link i-1.

    The point of link i at O_i moves by v against link i-1, which gives 2 omega x v and, as the point is
    carried away from O_i and replaced, also omega_relative x v.
    """
    relative = link.freedom.spread(link.rate)
    turn, slide = relative[:3], relative[3:]
    angular, linear = np.zeros_like(omega), across
    if link.freedom.turns:
        angular = cross(omega, turn)
    if link.freedom.slides:
        twice = omega + omega
        linear = linear + cross(twice + turn if link.freedom.turns else twice, slide)
    a = np.concatenate([angular, linear])
    return a if link.drift is None else a + link.drift


def tip_acceleration(arm: Arm, qdd: Vectors) -> Blocks:
    """Of the end effector (6,), frame n+1 at O_{n+1}: J qdd + Jdot qd, without gravity (Fijany III.C)."""
    terms, alpha = velocity(arm), zeros(arm, 6)
    for i in arm.main:
        link = arm.links[i]
        alpha = outward(link, link.freedom.added(alpha + terms.acceleration[i], qdd[i]))
    return alpha + terms.tip


def fall(arm: Arm) -> Blocks:
    """[0; g] (6,) in frame n+1: what a tip does not do of the acceleration that stands for its weight."""
    g = arm.gravity
    for i in arm.main:
        g = outward_axes(arm.links[i], g)
    return np.concatenate([zeros(arm, 3), g])
