"""Sweeps of several pages: velocities outward, composite inertias inward, and how a joint gives way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from senn.algorithms.blocks import Blocks, cross, factor, substitute, symmetric_product, transposed
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, Vectors, inwards, zeros
from senn.algorithms.family.link import *  # the pieces of a link

# --------------------------------------------------------------------------- velocities


@dataclass(frozen=True, eq=False)
class Velocity:
    """Accelerations and forces that velocities cause: Jain's a(k), Coriolis, and b(k), gyroscopic."""

    acceleration: Vectors
    """a_i (6,), frame i at O_i: alpha_i = phi' alpha_{i-1} + H_i qdd_i + a_i (Jain Eqs. (13)-(14))."""
    force: Vectors  # b_i (6,), frame i+1 at O_{i+1}: the force besides M alpha_i of Jain Eq. (15)
    tip: Blocks  # a of the end effector (6,), frame n+1: that of O_{n+1} against O_n
    spin: Blocks  # Angular velocity of the end effector (3,), frame n+1


@lru_cache(maxsize=1)  # a recursion needs it, and again the solution of its contact
def velocity(arm: SerialArm) -> Velocity:
    """One outward pass. Only angular velocities go along: Luh, Walker and Paul (1980)."""
    at_base = zeros(arm, 3) if arm.turning is None else arm.turning
    omega, across = {BASE: at_base}, {BASE: zeros(arm, 3)}
    accelerations, forces = [], []
    for i, (link, before) in enumerate(zip(arm.links, arm.parents, strict=True)):
        accelerations.append(_coriolis(link, omega[before], across[before]))
        moved = np.concatenate([omega[before], across[before]])
        omega[i] = outward_axes(link, link.freedom.added(moved, link.rate)[:3])
        across[i] = cross(omega[i], cross(omega[i], link.position))
        forces.append(link.inertia.gyroscopic(omega[i], across[i]))
    at_tip = np.concatenate([zeros(arm, 3), across[arm.last]])
    return Velocity(accelerations, forces, at_tip, omega[arm.last])


def _coriolis(link: SerialLink, omega: Blocks, across: Blocks) -> Blocks:
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


def tip_acceleration(arm: SerialArm, qdd: Vectors) -> Blocks:
    """J qdd + Jdot qd (6,) of the end effector, frame n+1 at O_{n+1}, without gravity (Fijany III.C)."""
    terms, alpha = velocity(arm), zeros(arm, 6)
    for i in arm.main:
        link = arm.links[i]
        alpha = outward(link, link.freedom.added(alpha + terms.acceleration[i], qdd[i]))
    return alpha + terms.tip


def fall(arm: SerialArm) -> Blocks:
    """[0; g] (6,) in frame n+1: the acceleration of a base at rest where -g stands for weight."""
    g = arm.gravity
    for i in arm.main:
        g = outward_axes(arm.links[i], g)
    return np.concatenate([zeros(arm, 3), g])


# --------------------------------------------------------------------- composite rigid bodies


def composite_inertias(arm: SerialArm) -> list[Rigid]:
    """R_i of all links, frame i at O_i: the inertia of link i with all links beyond it, joints locked.

    R(k) = phi R(k-1) phi' + M(k) (Jain Eqs. (24)-(25)); Walker and Orin (1982), method 3.
    """
    beyond, inertias = ChildSums(arm, Rigid(0, zeros(arm, 3), zeros(arm, 6))), []
    for i in inwards(arm):
        link = arm.links[i]
        inertias.append(composite_inward(link, beyond[i] + link.inertia))
        beyond.add(i, inertias[-1])
    return inertias[::-1]


# ------------------------------------------------------------------------ articulated bodies
#
# The inertia P of a link with all links beyond it, joints giving way (Jain Eq. (45)):
# P(k) = phi P+(k-1) phi' + M(k), D = H P H', G = P H' D^-1, P+ = (U - G H) P: Riccati's equation of the
# filter.


@dataclass(frozen=True, eq=False)
class Hinge:
    """The articulated inertia at joint i, and how the joint gives way."""

    inertia: Blocks  # P_i (21,), packed, frame i at O_i
    reach: Blocks  # P_i H_i (6, n_i)
    factor: Blocks  # LDL' of D_i = H_i' P_i H_i, packed
    gain: Blocks  # G_i = P_i H_i D_i^-1 (6, n_i)

    def projected(self) -> Blocks:
        """P+ (21,), packed: the inertia that the joint, giving way, transmits to the link before it."""
        return self.inertia - symmetric_product(transposed(self.reach), transposed(self.gain))

    def alone(self, effort: Blocks) -> Blocks:
        """nu = D^-1 epsilon for (n_i,) or (n_i, r)."""
        return divided(self.factor, effort)


def hinge(link: SerialLink, beyond: Blocks) -> Hinge:
    """The hinge of one link; `beyond`: the inertia transmitted to it (21,), about O_{i+1} in frame i+1."""
    return hinge_at(link, inertia_inward(link, beyond + link.inertia.packed()))


def hinge_at(link: SerialLink, inertia: Blocks) -> Hinge:
    """The hinge of a joint between the base or a tip and this inertia (21,), packed, frame i at O_i."""
    reach, ldl = link.freedom.reach(inertia), factor(link.freedom.seen(inertia))
    return Hinge(inertia, reach, ldl, transposed(substitute(ldl, transposed(reach))))
