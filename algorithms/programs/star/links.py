"""Step I of the star program: the letters, links as two-ports, and the scan that gives them their velocities.

Revolute and prismatic joints move links with constants (`LeanLinks`). With joints of any type, and with side
branches, only the inertia of a link is constant, to which the branches add what they transmit (Featherstone
1983; `WideLinks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.letters import SWERVE as DRIFT
from senn.algorithms.arm.sides import HELD
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import triangle
from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import link
from senn.algorithms.kernels import two_port_links as port
from senn.algorithms.programs.recurrence import scan
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD
from senn.machine.program import *  # the words of a program

# Constants of link i about O_{i+1} in frame i+1 (`star.memory`); A, J and w at q_i = 0
S_OUTER, AXIS, BORNE = value("S", 3), value("H_i", 6), value("IH", 6)
INVERSE_D, AXIS_D = value("1/D"), value("H/D", 6)
B_HELD, C_HELD = value("H, D", 7, 1), value("C'", 21)
A_HELD, J_HELD, W_HELD = value("A'", 6, 6), value("J'", 21), value("w'", 6)
# The link as a two-port, and what velocity and torque do to it
MOTION = Letter("C, omega", (4, 3))
A_LINK, J_LINK, BIAS_LINK = value("A", 6, 6), value("J^a", 21), value("b, eta", 12)
SWERVE, LOAD, DRIVE = value("c", 6), value("I c + p", 6), value("r")
B_LINK, BORNE_WRENCH, ETA = value("b", 6), value("I b + p", 6), value("eta", 6)
# At the cut before link i
A_BEFORE, FORCE_BEYOND, JOINT_WRENCH = value("a_{i-1}", 6), value("F_{i+1}", 6), value("F", 6)
LOAN, AFTER_LOAN = value("rho_{i-1}"), value("F - rho E a", 6)
# Of joints of any type: the link about O_{i+1} in frame i+1, packed and constant; with its branches; as it is
BODY, FOLDED, WHOLE = value("I_i", 21), value("I_i.b", 21), value("I'_i", 21)
X_LINK, LINK_LOAD = value("X_i", 6, 6), value("I c + p.r", 6)
AT_LINK, SIDE_LOAD = value("e.b", 6), value("nf.b", 6)


class LeanLinks:
    """The steps for links with constants."""

    qdd = QDD

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    def residents(self) -> Iterator[Resident]:
        """Resident values beside the constants of every arm."""
        lean_values = (S_OUTER, AXIS, BORNE, INVERSE_D, AXIS_D, B_HELD, C_HELD, A_HELD, J_HELD, W_HELD, LOAN)
        return map(Resident, (GRAVITY, *lean_values))

    def positions(self) -> Lines:
        """I.a: what does not depend on velocities."""
        arm = self.arm
        yield from arm.frames("I.a.1", P_LINK)
        yield Compute("I.a.2", RZ, arm.each(link.planar, Q))
        yield Compute("I.a.3", A_LINK, arm.each(port.across, RZ, Q, A_HELD))
        yield Compute("I.a.4", J_LINK, arm.each(port.inertia, RZ, Q, J_HELD))

    def motions(self, array: Array) -> Lines:
        """I.b: rotation and angular velocity, from the base on. I.c: b and eta of the link."""
        each = self.arm.each
        yield Compute("I.b.1", MOTION[0], each(port.motion, C_NEXT, Z_LINK, QD))
        yield from scan("I.b.2", MOTION, port.moved_on, self.arm.n, array, outward=True)
        moved = last(MOTION, self.arm.n)
        yield Compute("I.c.1", SWERVE, each(port.lean_velocity_product, moved, Z_LINK, QD, P_LINK))
        yield Compute("I.c.2", LOAD, port.wrench_of_link(SWERVE, moved, GRAVITY, S_OUTER, M, J))
        yield Compute("I.c.3", DRIVE, port.drive_of_link(LOAD, TAU, AXIS, INVERSE_D))
        yield Compute("I.c.4", B_LINK, port.gained(SWERVE, AXIS, DRIVE))
        yield Compute("I.c.5", BORNE_WRENCH, port.gained(LOAD, BORNE, DRIVE))
        yield from self._ends()

    def _ends(self) -> Lines:
        yield Compute("I.c.6", ETA, port.to_joint(C_NEXT, P_LINK, BORNE_WRENCH))
        yield Compute("I.c.7", BIAS_LINK, link.stacked(B_LINK, ETA))

    def accelerations(self) -> Lines:
        """IV.4: those of the joints, and the wrenches there, with the loan repaid."""
        yield Compute("IV.4.i", JOINT_WRENCH, port.repaid(AFTER_LOAN, LOAN, A_BEFORE))
        of_link = (DRIVE, RZ, Q, W_HELD, AXIS_D, A_BEFORE, FORCE_BEYOND)
        yield Compute("IV.4", QDD, self.arm.each(port.acceleration, *of_link))

    def results(self) -> dict[str, Value]:
        """Results beside those of every arm."""
        return {"forces": JOINT_WRENCH}


class WideLinks(LeanLinks):
    """The steps for joints of any type, and for links with side branches; k columns a joint."""

    arm: Wide

    def __init__(self, arm: Wide) -> None:
        super().__init__(arm)
        k = arm.freedom
        self.axes, self.borne = value("H_i", 6, k), value("IH", 6, k)
        self.ldl = value("LDL(D)", triangle(k))
        self.gain, self.held, self.inside = value("G'", k, 6), value("K'", k, 6), value("w", k, 6)
        self.drive = value("r", k)

    def residents(self) -> Iterator[Resident]:
        for x in (GRAVITY, S_OUTER, M, J, LOAN):
            yield Resident(x)
        yield Resident(BODY, where=self.arm.plain if self.arm.branches else None)

    def _by_degrees(self, kernel: Callable[..., Kernel]) -> Callable[..., Expression]:
        return by_process(kernel(JOINTS[x].degrees) for x in self.arm.joints)

    def positions(self) -> Lines:
        at, arm = (C_NEXT, P_LINK), self.arm
        yield from arm.frames("I.a.1", P_LINK)
        yield from arm.own_axes("I.a.2", H)
        yield Compute("I.a.3", X_LINK, port.transform(*at))
        yield Compute("I.a.4", self.axes, self._by_degrees(port.axes)(*at, H))
        if arm.branches:  # I.a.5: their inertia
            yield from arm.side_frames("I.a.5")
            yield from arm.whole_bodies("I.a.5.iii")
            yield Compute("I.a.5.iv", FOLDED, arm.with_link(branch.folded))
            yield Name("I.a.5", WHOLE, BODY, FOLDED)
            yield from arm.factored("I.a.5.v")
        whole = WHOLE if arm.branches else BODY
        yield Compute("I.a.6", self.borne, self._by_degrees(port.borne)(whole, self.axes))
        yield Compute("I.a.7", self.ldl, self._by_degrees(port.factored)(self.axes, self.borne))
        yield Compute("I.a.8", self.gain, self._by_degrees(port.gain)(self.ldl, self.axes))
        yield Compute("I.a.9", self.held, self._by_degrees(port.gain)(self.ldl, self.borne))
        yield Compute("I.a.10", self.inside, self._by_degrees(port.inside)(self.held, X_LINK))
        across = self._by_degrees(port.across_of)
        yield Compute("I.a.11", A_LINK, across(X_LINK, self.axes, self.inside))
        yield Compute("I.a.12", C_HELD, self._by_degrees(port.compliance)(self.axes, self.gain))
        inertia_within = self._by_degrees(port.inertia_of)
        yield Compute("I.a.13", J_LINK, inertia_within(*at, whole, self.borne, self.held, LOAN))

    def motions(self, array: Array) -> Lines:
        yield Compute("I.b.1.i", TURN_BEFORE, link.transpose(C_NEXT))
        yield self.arm.turned_axes("I.b.1.i'")
        yield Compute("I.b.1.ii", TURNED, self.arm.each(link.turning, self.arm.axes, QD))
        yield Compute("I.b.1.iii", MOTION[0], port.motion_of_link(C_NEXT, TURNED))
        yield from scan("I.b.2", MOTION, port.moved_on, self.arm.n, array, outward=True)
        yield from self._swerve()
        yield from self._loads()
        drive = self._by_degrees(port.drive_of)
        yield Compute("I.c.3", self.drive, drive(self.ldl, TAU, self.axes, LOAD))
        gained = self._by_degrees(port.gained_of)
        yield Compute("I.c.4", B_LINK, gained(SWERVE, self.axes, self.drive))
        yield Compute("I.c.5", BORNE_WRENCH, gained(LOAD, self.borne, self.drive))
        yield from self._ends()

    def _swerve(self) -> Lines:
        """I.c.1: c, of the terms that the joints of this arm have."""
        parts = {
            "sliding": (V_REL, self.arm.those(lambda x: x.shifts)),
            "precessing": (PRECESSION, self.arm.those(lambda x: x.drifts[0])),
            "drifting": (DRIFT, self.arm.those(lambda x: x.drifts[1])),
        }
        terms = {part: x.or_zero for part, (x, where) in parts.items() if where.parts}
        if "sliding" in terms:
            shifting = self.arm.each(link.shifting, AXES, QD)
            yield Compute("I.c.1.i", V_REL, shifting, parts["sliding"][1])
        if "precessing" in terms:
            yield self.arm.drift("I.c.1.ii", PRECESSION)
        if "drifting" in terms:
            yield self.arm.drift("I.c.1.iii", DRIFT, linear=True)
        swerve = port.velocity_product(*terms)
        yield Compute("I.c.1", SWERVE, swerve(last(MOTION, self.arm.n), TURNED, P_LINK, *terms.values()))

    def _loads(self) -> Lines:
        """I.c.2: the wrench that moves the link so, and its branches, which their torques drive."""
        moved, arm = last(MOTION, self.arm.n), self.arm
        load = port.wrench_of_link(SWERVE, moved, GRAVITY, S_OUTER, M, J)
        if not arm.branches:
            yield Compute("I.c.2", LOAD, load)
            return
        side = arm.side
        yield Compute("I.c.2.i", LINK_LOAD, load)
        operands = (moved, SWERVE, GRAVITY, *side.bodies, *side.axes)
        yield Compute("I.c.2.ii", side.wrenches, arm.lanes(branch.wrenches_beside, *operands))
        yield Compute("I.c.2.iii", SIDE_LOAD, arm.lanes(branch.load_beside, side.wrenches, side.c, side.p))
        yield Compute("I.c.2.iv", side.bias, arm.lanes(branch.side_bias, side.wrenches, *side.axes))
        yield from arm.holds(*(f"I.c.2.{x}" for x in ("v", "vi", "vii")))
        yield Compute("I.c.2", LOAD, plus(LINK_LOAD, SIDE_LOAD.or_zero, HELD.or_zero))

    def accelerations(self) -> Lines:
        """IV.4: those of the joints. IV.5: those of the joints of branches."""
        yield Compute("IV.4.i", JOINT_WRENCH, port.repaid(AFTER_LOAN, LOAN, A_BEFORE))
        rate = self._by_degrees(port.acceleration_of)
        yield Compute("IV.4", QDD, rate(self.drive, self.inside, self.gain, A_BEFORE, FORCE_BEYOND))
        arm = self.arm
        if arm.branches:
            side = arm.side
            at = self._by_degrees(port.driven)(C_NEXT, P_LINK, self.axes, A_BEFORE, QDD)
            yield Compute("IV.5.i", AT_LINK, at, arm.where)
            operands = (side.factor, side.c, side.p, AT_LINK, side.drives, *side.axes)
            yield Compute("IV.5.ii", side.qdd, arm.lanes(branch.side_accelerations, *operands, driven=True))

    def results(self) -> dict[str, Value]:
        of_branches = {BRANCH_QDD: self.arm.side.qdd} if self.arm.branches else {}
        return {**super().results(), **of_branches}


# ------------------------------------------------------------------------- blocks of links


class Serial(NamedTuple):
    """The kernels of a block of links, from its state and its number."""

    words: int  # Words of a state
    degrees: int  # Degrees of freedom of the largest block
    motion: Kernel  # [C; omega] of the block (4, 3)
    port: Kernel  # A (6, 6), J and C (21,), one after the other
    bias: Kernel
    """b and eta (12,), also from `motion` of the block and of all links up to it, and from gravity."""
    accelerations: Kernel  # qdd (degrees,), also from what `bias` takes, a_{i-1} and F_{i+1}


class BlockLinks(LeanLinks):
    """The steps for blocks of links, each made a two-port serially; nothing is lent to them."""

    def __init__(self, arm: Wide, serial: Serial) -> None:
        super().__init__(arm)
        self.serial, self.qdd = serial, value("Qdd", serial.degrees)
        self.state = (value("x", 1, serial.words), NUMBER)
        self.moving = (*self.state, MOTION[0], last(MOTION, arm.n), GRAVITY)

    def residents(self) -> Iterator[Resident]:
        return map(Resident, (*self.state, GRAVITY))

    def positions(self) -> Lines:
        yield Compute("I.a.1", MOTION[0], self.serial.motion(*self.state))
        yield Compute("I.a.2", PORT, self.serial.port(*self.state))
        for step, target, part in (("I.a.3", A_LINK, A_OF), ("I.a.4", J_LINK, J_OF), ("I.a.5", C_HELD, C_OF)):
            yield Compute(step, target, part(PORT))

    def motions(self, array: Array) -> Lines:
        yield from scan("I.b.2", MOTION, port.moved_on, self.arm.n, array, outward=True)
        yield Compute("I.c.1", BIAS_LINK, self.serial.bias(*self.moving))

    def accelerations(self) -> Lines:
        yield Compute("IV.4", self.qdd, self.serial.accelerations(*self.moving, A_BEFORE, FORCE_BEYOND))

    def results(self) -> dict[str, Value]:
        return {}


NUMBER, PORT = value("i"), value("A, J, C", 78)
A_OF = Kernel("A_of", "A of {0}", lambda x: x[..., :36].reshape(*x.shape[:-1], 6, 6).copy())
J_OF = Kernel("J_of", "J of {0}", lambda x: x[..., 36:57].copy())
C_OF = Kernel("C_of", "C of {0}", lambda x: x[..., 57:].copy())
