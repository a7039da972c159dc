"""Step I of the star program for joints of any type, and for links with side branches: of a link only its
inertia is constant, to which the branches add what they transmit (Featherstone 1983).

The functions are those of `senn.algorithms.programs.star.links`, for arms that are wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from senn.algorithms.arm.branch_values import LINK_INERTIA
from senn.algorithms.arm.branched import BranchedWide
from senn.algorithms.arm.letters import (
    C_NEXT,
    GRAVITY,
    P_LINK,
    PRECESSION,
    QD,
    QDD,
    TAU,
    TURN_BEFORE,
    TURNED,
    V_REL,
    H,
    J,
    M,
    last,
)
from senn.algorithms.arm.letters import SWERVE as DRIFT
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import triangle
from senn.algorithms.kernels import joint, sums
from senn.algorithms.kernels import wide as wk
from senn.algorithms.kernels.branches import bias, inertia, response
from senn.algorithms.kernels.two_ports import joints as link
from senn.algorithms.kernels.two_ports import link as any_link
from senn.algorithms.programs.recurrence import scan
from senn.algorithms.programs.star.letters import *
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD
from senn.machine.program import (
    Array,
    Compute,
    Expression,
    Instruction,
    Kernel,
    Name,
    Resident,
    Value,
    by_process,
    value,
)

Lines = Iterator[Instruction]

BODY = value("I_i", 21)  # of link i about O_{i+1} in frame i+1, packed; constant
FOLDED, WHOLE = value("I_i.b", 21), value("I'_i", 21)  # with its branches; what there is of both
X_LINK, LINK_LOAD = value("X_i", 6, 6), value("I c + p.r", 6)
AT_LINK, SIDE_LOAD, SIDE_HELD = value("e.b", 6), value("nf.b", 6), value("p.b", 6)


class _Own:
    """The values of a joint with k columns."""

    def __init__(self, k: int) -> None:
        self.axes, self.borne = value("S", 6, k), value("I S", 6, k)
        self.ldl = value("LDL(D)", triangle(k))
        self.gain, self.held, self.inside = value("G", k, 6), value("K", k, 6), value("w", k, 6)
        self.drive = value("r", k)


def held(arm: Wide) -> Iterator[Resident]:
    """What the processes hold beside what every arm does."""
    sided = arm.plain if isinstance(arm, BranchedWide) else None
    for x in (GRAVITY, S_OUTER, M, J):
        yield Resident(x)
    yield Resident(BODY, where=sided)


def motions(arm: Wide, array: Array) -> Lines:
    """I.b and I.c: what depends on velocities."""
    yield from velocities(arm, array)
    yield from biases(arm)


def _by_degrees(arm: Wide, kernel: Callable[..., Kernel], *more: int) -> Callable[..., Expression]:
    return by_process(kernel(JOINTS[x].degrees, *more) for x in arm.joints)


def positions(arm: Wide) -> Lines:
    """I.a: what does not depend on velocities."""
    k, own = arm.freedom, _Own(arm.freedom)
    at = (C_NEXT, P_LINK)
    yield from arm.frames("I.a.1", P_LINK)
    yield from arm.own_axes("I.a.2", H)
    yield Compute("I.a.3", X_LINK, link.transform(*at))
    yield Compute("I.a.4", own.axes, _by_degrees(arm, link.axes, k)(*at, H))
    yield from _whole(arm)
    whole = WHOLE if isinstance(arm, BranchedWide) else BODY
    yield Compute("I.a.6", own.borne, _by_degrees(arm, link.borne, k)(whole, own.axes))
    yield Compute("I.a.7", own.ldl, _by_degrees(arm, link.factored, k)(own.axes, own.borne))
    yield Compute("I.a.8", own.gain, _by_degrees(arm, link.gain, k)(own.ldl, own.axes))
    yield Compute("I.a.9", own.held, _by_degrees(arm, link.gain, k)(own.ldl, own.borne))
    yield Compute("I.a.10", own.inside, _by_degrees(arm, link.inside, k)(own.held, X_LINK))
    yield Compute("I.a.11", A_LINK, _by_degrees(arm, link.across)(X_LINK, own.axes, own.inside))
    yield Compute("I.a.12", C_HELD, _by_degrees(arm, link.compliance)(own.axes, own.gain))
    yield Compute("I.a.13", J_LINK, _by_degrees(arm, link.inertia)(*at, whole, own.borne, own.held))


def _whole(arm: Wide) -> Lines:
    """The inertia of links with branches."""
    if not isinstance(arm, BranchedWide):
        return
    side = arm.own
    yield from arm.side_frames("I.a.5")
    whole = arm.lanes(inertia.articulated)(side.c, side.p, arm.held.inertia)
    yield Compute("I.a.5.iii", side.articulated, whole)
    both = arm.narrow(inertia.folded)(side.articulated, side.c, side.p, LINK_INERTIA)
    yield Compute("I.a.5.iv", FOLDED, both)
    yield Name("I.a.5", WHOLE, BODY, FOLDED)
    yield Compute("I.a.5.v", side.factor, arm.lanes(inertia.side_factor)(side.articulated))


def velocities(arm: Wide, array: Array) -> Lines:
    """I.b: rotation and angular velocity, from the base on."""
    yield Compute("I.b.1.i", TURN_BEFORE, link.turned_back(C_NEXT))
    yield Compute("I.b.1.ii", TURNED, arm.turning(QD))
    yield Compute("I.b.1.iii", MOTION[0], link.motion(C_NEXT, TURNED))
    yield from scan("I.b.2", MOTION, any_link.moved_on, arm.n, array, outward=True)


def biases(arm: Wide) -> Lines:
    """I.c: b and eta of the link."""
    k, own = arm.freedom, _Own(arm.freedom)
    parts = {
        "sliding": (V_REL, arm.those(*joint.SLIDING)),
        "precessing": (PRECESSION, arm.those(*joint.PRECESSION)),
        "drifting": (DRIFT, arm.those(*joint.SWERVE)),
    }
    there = {part: x.or_zero for part, (x, where) in parts.items() if where.intervals}
    if "sliding" in there:
        yield Compute("I.c.1.i", V_REL, wk.linear(H, QD, TURN_BEFORE), parts["sliding"][1])
    if "precessing" in there:
        yield arm.drift("I.c.1.ii", PRECESSION, joint.PRECESSION)
    if "drifting" in there:
        yield arm.drift("I.c.1.iii", DRIFT, joint.SWERVE)
    moved = last(MOTION, arm.n)
    yield Compute("I.c.1", SWERVE, link.swerve(*there)(moved, TURNED, P_LINK, *there.values()))
    yield from _loads(arm)
    yield Compute("I.c.3", own.drive, _by_degrees(arm, link.drive, k)(own.ldl, TAU, own.axes, LOAD))
    gained = _by_degrees(arm, link.gained)
    yield Compute("I.c.4", B_LINK, gained(SWERVE, own.axes, own.drive))
    yield Compute("I.c.5", BORNE_WRENCH, gained(LOAD, own.borne, own.drive))
    yield Compute("I.c.6", ETA, any_link.to_joint(C_NEXT, P_LINK, BORNE_WRENCH))
    yield Compute("I.c.7", BIAS_LINK, any_link.joined(B_LINK, ETA))


def _loads(arm: Wide) -> Lines:
    """What it takes to move the link so, and its branches, which their torques drive."""
    moved = last(MOTION, arm.n)
    load = any_link.wrench(SWERVE, moved, GRAVITY, S_OUTER, M, J)
    if not isinstance(arm, BranchedWide):
        yield Compute("I.c.2", LOAD, load)
        return
    side, of = arm.own, arm.held
    yield Compute("I.c.2.i", LINK_LOAD, load)
    bodies = (of.qd, side.c, side.p, of.mass, of.centre, of.central)
    yield Compute("I.c.2.ii", side.wrenches, arm.lanes(bias.wrenches_beside)(moved, SWERVE, GRAVITY, *bodies))
    yield Compute("I.c.2.iii", SIDE_LOAD, arm.narrow(bias.load_beside)(side.wrenches, side.c, side.p))
    yield Compute("I.c.2.iv", side.bias, arm.lanes(bias.side_bias)(side.wrenches))
    drive = arm.lanes(response.side_drive)(side.factor, of.tau, side.bias, side.c, side.p)
    yield Compute("I.c.2.v", side.drive, drive)
    yield Compute("I.c.2.vi", side.drives, response.drives(side.drive))
    yield Compute("I.c.2.vii", SIDE_HELD, response.held_wrench(side.drive))
    yield Compute("I.c.2", LOAD, sums.plus(LINK_LOAD, SIDE_LOAD.or_zero, SIDE_HELD.or_zero))


def accelerations(arm: Wide) -> Lines:
    """IV.4: the joints', and those of branches."""
    k, own = arm.freedom, _Own(arm.freedom)
    rate = _by_degrees(arm, link.acceleration, k)
    yield Compute("IV.4", QDD, rate(own.drive, own.inside, own.gain, A_BEFORE, FORCE_BEYOND))
    if isinstance(arm, BranchedWide):
        side = arm.own
        at = _by_degrees(arm, link.driven)(C_NEXT, P_LINK, own.axes, A_BEFORE, QDD)
        yield Compute("IV.5.i", AT_LINK, at, arm.where)
        respond = arm.lanes(response.side_accelerations)
        yield Compute("IV.5.ii", side.qdd, respond(side.factor, side.c, side.p, AT_LINK, side.drives))


def results(arm: Wide) -> dict[str, Value]:
    """What side branches leave."""
    return {BRANCH_QDD: arm.own.qdd} if isinstance(arm, BranchedWide) else {}
