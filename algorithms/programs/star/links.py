"""Step I of the star program: links as two-ports, and the scan that gives them their velocities; here of
revolute and prismatic joints, whose links have constants (others: `senn.algorithms.programs.star.joints`)."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import C_NEXT, GRAVITY, P_LINK, QD, QDD, RZ, TAU, Z_LINK, J, M, Q, last
from senn.algorithms.kernels import link as lean
from senn.algorithms.kernels.two_ports import link
from senn.algorithms.programs.recurrence import scan
from senn.algorithms.programs.star.letters import *
from senn.machine.program import Array, Compute, Instruction, Resident, Value, by_process

Lines = Iterator[Instruction]

_HELD = (GRAVITY, S_OUTER, AXIS, BORNE, INVERSE_D, AXIS_D, B_HELD, C_HELD, A_HELD, J_HELD, W_HELD)


def held(arm: Arm) -> Iterator[Resident]:
    """What the processes hold beside what every arm does."""
    return map(Resident, _HELD)


def motions(arm: Arm, array: Array) -> Lines:
    """I.b and I.c: what depends on velocities."""
    yield from velocities(arm, array)
    yield from biases(arm)


def positions(arm: Arm) -> Lines:
    """I.a: what does not depend on velocities."""
    each = arm.joints
    yield from arm.frames("I.a.1", P_LINK)
    yield Compute("I.a.2", RZ, by_process(lean.PLANAR[x] for x in each)(Q))
    yield Compute("I.a.3", A_LINK, by_process(link.ACROSS[x] for x in each)(RZ, Q, A_HELD))
    yield Compute("I.a.4", J_LINK, by_process(link.INERTIA[x] for x in each)(RZ, Q, J_HELD))


def velocities(arm: Arm, array: Array) -> Lines:
    """I.b: rotation and angular velocity, from the base on."""
    own = by_process(link.MOTION[x] for x in arm.joints)
    yield Compute("I.b.1", MOTION[0], own(C_NEXT, Z_LINK, QD))
    yield from scan("I.b.2", MOTION, link.moved_on, arm.n, array, outward=True)


def biases(arm: Arm) -> Lines:
    """I.c: b and eta of the link."""
    moved = last(MOTION, arm.n)
    swerve = by_process(link.SWERVE[x] for x in arm.joints)
    yield Compute("I.c.1", SWERVE, swerve(moved, Z_LINK, QD, P_LINK))
    yield Compute("I.c.2", LOAD, link.wrench(SWERVE, moved, GRAVITY, S_OUTER, M, J))
    yield Compute("I.c.3", DRIVE, link.drive(LOAD, TAU, AXIS, INVERSE_D))
    yield Compute("I.c.4", B_LINK, link.gained(SWERVE, AXIS, DRIVE))
    yield Compute("I.c.5", BORNE_WRENCH, link.gained(LOAD, BORNE, DRIVE))
    yield Compute("I.c.6", ETA, link.to_joint(C_NEXT, P_LINK, BORNE_WRENCH))
    yield Compute("I.c.7", BIAS_LINK, link.joined(B_LINK, ETA))


def accelerations(arm: Arm) -> Lines:
    """IV.4: the joints'."""
    rate = by_process(link.ACCELERATION[x] for x in arm.joints)
    yield Compute("IV.4", QDD, rate(DRIVE, RZ, Q, W_HELD, AXIS_D, A_BEFORE, FORCE_BEYOND))


def results(arm: Arm) -> dict[str, Value]:
    """What it leaves beside what every arm does."""
    return {}
