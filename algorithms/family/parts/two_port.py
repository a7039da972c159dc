"""A chain of links as a two-port, serially: the passes of PV over links with two open ends.

Inside is the acceleration a of the point O_1 of the link before the chain, outside the wrench f that the
chain exerts on what follows (`senn.algorithms.kernels.two_ports`):

    f_1 = J a + A' f + eta          a_N+1 = A a - C f + b

The unit forces of PV are those along all six axes of the outer end, so its K is A', and its L is C. Weight is
an acceleration of the inner end, as in the other pages, and taken out of b and eta at last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, symmetric_product, times, transposed
from senn.algorithms.family.arm import SerialArm, Vectors, at_state, inwards, joined, zeros
from senn.algorithms.family.link import inward, outward, outward_axes, product
from senn.algorithms.family.pages import counted_links
from senn.algorithms.family.sweeps import Hinge, fall, hinge, velocity
from senn.machine.program import Operations
from senn.machine.program.counting import Tally


class JointResponse(NamedTuple):
    """How a joint gives way to the unit forces."""

    hinge: Hinge
    forces: Blocks
    """K (6, 6) before it gave way, frame i at O_i."""
    felt: Blocks
    """H'K (n_i, 6)."""
    share: Blocks
    """D^-1 H'K."""


class Port(NamedTuple):
    """Response of a chain at its ends, which depends neither on velocities nor on torques."""

    across: Blocks
    """A (6, 6)."""
    inertia: Blocks
    """J (21,), packed."""
    compliance: Blocks
    """C (21,), packed."""
    joints: list[JointResponse]


def motion(arm: SerialArm) -> Blocks:
    """[C; omega] (4, 3): from the outer axes to the inner ones, and the outer end's angular velocity in its
    axes, where the inner one rests."""
    c, omega = arm.links[0].rotation, zeros(arm, 3)
    for k, link in enumerate(arm.links):
        moved = np.concatenate([omega, zeros(arm, 3)])
        omega = outward_axes(link, link.freedom.added(moved, link.rate)[:3])
        c = times(c, link.rotation) if k else c
    return np.concatenate([c, omega[None]])


def port(arm: SerialArm) -> Port:
    """One pass inward, of the inertias and the unit forces."""
    forces, compliance, beyond = np.eye(6, dtype=arm.gravity.dtype), zeros(arm, 21), zeros(arm, 21)
    joints = []
    for k in inwards(arm):
        link = arm.links[k]
        joint, forces = hinge(link, beyond), inward(link, forces)
        felt = link.freedom.along(forces)
        joints.append(JointResponse(joint, forces, felt, joint.alone(felt)))
        compliance = compliance + symmetric_product(felt, joints[-1].share)
        forces, beyond = forces - product(joint.gain, felt), joint.projected()
    return Port(transposed(forces), beyond, compliance, joints[::-1])


def bias(arm: SerialArm, tau: Blocks, of: Port) -> tuple[Blocks, Vectors]:
    """(b, eta) (12,), and what each joint does alone; `arm.turning` is the inner angular velocity."""
    terms, torque = velocity(arm), arm.split(tau)
    z, b, alone = zeros(arm, 6), terms.tip + fall(arm), []
    for k in inwards(arm):
        link, joint, drift = arm.links[k], of.joints[k], terms.acceleration[k]
        z = inward(link, z + terms.force[k]) + apply(full(joint.hinge.inertia), drift)
        alone.append(joint.hinge.alone(torque[k] - link.freedom.along(z)))
        b = b + apply(transposed(joint.forces), drift) + apply(transposed(joint.felt), alone[-1])
        z = z + apply(joint.hinge.reach, alone[-1])
    both = b + apply(of.across, arm.weight), z + apply(full(of.inertia), arm.weight)
    return np.concatenate(both), alone[::-1]


def accelerations(arm: SerialArm, of: Port, alone: Vectors, before: Blocks, force: Blocks) -> Blocks:
    """qdd (N,), where the point before the chain has the acceleration `before` and it exerts `force`."""
    alpha, qdd = before + arm.weight, []
    for link, joint, nu, drift in zip(arm.links, of.joints, alone, velocity(arm).acceleration, strict=True):
        qdd.append(nu - apply(joint.share, force) - apply(transposed(joint.hinge.gain), alpha))
        alpha = outward(link, link.freedom.added(alpha, qdd[-1]) + drift)
    return joined(qdd)


def response(arm: SerialArm) -> Blocks:
    """A, J and C (78,), one after the other."""
    of = port(arm)
    return np.concatenate([of.across.ravel(), of.inertia, of.compliance])


def ends(arm: SerialArm, tau: Blocks) -> Blocks:
    """(b, eta) (12,)."""
    return bias(arm, tau, port(arm))[0]


def rates(arm: SerialArm, tau: Blocks, before: Blocks, force: Blocks) -> Blocks:
    """`accelerations` of an arm under its torques."""
    of = port(arm)
    return accelerations(arm, of, bias(arm, tau, of)[1], before, force)


def counted(n: int) -> tuple[Operations, ...]:
    """Operations for n revolute joints, as they are executed: of sines, cosines and rotations; of the four
    passes."""
    return along_line(executed, n, 3)


def along_line(count: Callable[[int], tuple[Operations, ...]], n: int, first: int) -> tuple[Operations, ...]:
    """Operations of passes for n links, from `first` on by the line through `first` and one more."""
    if n <= first:
        return count(n)
    pairs = zip(count(first), count(first + 1), strict=True)
    return tuple(Operations(*(a + (n - first) * (b - a) for a, b in zip(*x, strict=True))) for x in pairs)


def between(totals: Sequence[Operations]) -> tuple[Operations, ...]:
    """Operations of passes, from the totals before and after each."""
    pairs = pairwise(totals)
    return tuple(Operations(*(b - a for a, b in zip(*x, strict=True))) for x in pairs)


@cache
def executed(n: int) -> tuple[Operations, ...]:
    tally = Tally()
    some, totals = tally.scalars, [Operations()]
    arm = at_state(counted_links(tally, n), some(n), some(n), some(3), turning=some(3))
    totals.append(tally.operations)
    motion(arm)
    totals.append(tally.operations)
    block = port(arm)
    totals.append(tally.operations)
    alone = bias(arm, some(n), block)[1]
    totals.append(tally.operations)
    accelerations(arm, block, alone, some(6), some(6))
    return between([*totals, tally.operations])
