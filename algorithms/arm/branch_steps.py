"""What the processes of links with branches do, as implied steps of the program (Fijany VI.D).

I.a.1', II.a.1''       where the bodies of the branches are
I.a.2', I.a.4.b        articulated inertia of the branches, the link's inverse inertia with them, B_i, E_N
II.b.1.v'              out through the branches and back; their wrench joins f* and n* of the link
II.b.4'                their drives, and the wrench p: X^1 = I^-1 (R H F_T - p)
II.c.7', IV.b.1.c.7'   their accelerations from that of the link; form omega has I.c.3'' and no IV.b.1

All of it is local but (I_{i,i+1})^-1, which the next link needs for its block of A and cannot hold, as it
depends on q. Values with the mark .b are those of the branches, with .r those of links without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from senn.algorithms.arm.branch_memory import LINK_INERTIA, Held
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels.branches import bias, inertia, lanes, response
from senn.algorithms.programs import memory as held
from senn.algorithms.programs import newton_euler as ne
from senn.algorithms.programs.recurrence import last
from senn.algorithms.programs.variant import Variant
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.system.block_system import Names
from senn.algorithms.system.inverse_mass import C_NEXT, INVERSE_I, P_LINK
from senn.machine.program import (
    Compute,
    Expression,
    Instruction,
    Kernel,
    Name,
    Send,
    Value,
    by_process,
    i,
    value,
)

C_OWN, P_OWN = value("C(i,i+1).b", 3, 3), value("P.b", 3)  # of the link, in the array of Step I
ACROSS = value("I^-1 C6 P^.b", 6, 6)
NEXT = value("(I_{i,i+1})^-1.b", 21)
AFTER = value("(I_{i,i+1})^-1.w", 15)  # restricted to W_{i+1}, for the next link
BEFORE = value("(I_{i-1,i})^-1.w", 15)
LOAD = value("nf.b", 6)  # of the branches on their link, common frame
HELD, HELD_X = value("p.b", 6), value("I^-1 p.b", 6)


class Lanes:
    """The values of the branches, which are as wide as the widest of the arm; and kernels by process."""

    def __init__(self, v: Variant) -> None:
        self.v, self.held, width = v, Held(v.width), v.width
        self.c, self.p = value("C.b", width, 3, 3), value("P_k.b", width, 3)
        self.articulated = value("I^A.b", width, inertia.PACKED + 1)
        self.factor = value("LDL.b", width, inertia.FACTOR)
        self.wrenches = value("F.b", width, 6)
        self.bias = value("b.b", width)
        self.drive = value("pu.b", 6 + width)
        self.drives = value("u.b", width)
        self.qdd_0, self.qdd_c, self.qdd = (value(x, width) for x in ("Qdd_0.b", "Qdd_C.b", "Qdd.b"))
        self.rows = value("y.b", width, 6)

    def each(self, make: Callable[[SideTree], Kernel]) -> Callable[..., Expression]:
        """The kernel of each branched link; the others, where nothing is computed, get the first of them."""
        made = {tree.at: make(tree) for tree in self.v.branches}
        first = made[self.v.branches[0].at]
        return by_process(made.get(process, first) for process in range(1, self.v.n + 1))

    def wide(
        self, factory: Callable[..., Kernel], *arguments: object, **more: object
    ) -> Callable[..., Expression]:
        """Kernels that know how wide their lanes are."""
        return self.each(lambda t: factory(t.joints, t.parents, self.v.width, *arguments, **more))

    def narrow(self, factory: Callable[..., Kernel]) -> Callable[..., Expression]:
        """Kernels that do not make lanes."""
        return self.each(lambda t: factory(t.joints, t.parents))


def rigid(v: Variant, target: Value) -> Value:
    """What a value is computed as where a link has no branches; the value itself if none has."""
    return Value(f"{target.letter}.r", target.level, target.shape) if v.branches else target


def frames(v: Variant, step: str) -> Iterator[Instruction]:
    """I.a.1', II.a.1'': C_k and P_k, in every array that goes through the branches."""
    own = Lanes(v)
    yield Compute(f"{step}.i", own.c, own.wide(lanes.side_frames)(own.held.q, own.held.rotation))
    moved = own.wide(lanes.side_offsets)(own.held.q, own.held.rotation, own.held.position)
    yield Compute(f"{step}.ii", own.p, moved)


# ------------------------------------------------------------------------------ Step I


def folded(v: Variant, rz: Value) -> Iterator[Instruction]:
    """I.a.2': the inverse inertia of links with their branches, at O_i as I_i^-1 and at O_{i+1} for the next
    link; and the factor of the branches, for who goes through them later."""
    own, pr, joints = Lanes(v), v.eliminating, v.joints
    yield from frames(v, "I.a.1'")
    whole = own.wide(inertia.articulated)(own.c, own.p, own.held.inertia)
    yield Compute("I.a.2'.i", own.articulated, whole)
    inverse = own.narrow(inertia.folded_inverse)
    yield Compute("I.a.2'.ii", NEXT, inverse(own.articulated, own.c, own.p, LINK_INERTIA))
    turned = by_process(inertia.TURNED_NEXT[x] for x in joints)
    yield Compute("I.a.2'.iii", C_OWN, turned(rz, held.R), v.branched)
    moved = by_process(link.MOVED[x] for x in joints)
    yield Compute("I.a.2'.iv", P_OWN, moved(held.P_0, held.Q, held.R), v.branched)
    yield Compute("I.a.2'.v", ACROSS, inertia.across(NEXT, C_OWN, P_OWN))
    branched = Value(f"{INVERSE_I.letter}.b", None, INVERSE_I.shape)
    yield Compute("I.a.2'.vi", branched, inertia.at_joint(ACROSS, C_OWN, P_OWN))
    yield Name("I.a.2'", INVERSE_I, rigid(v, INVERSE_I), branched)
    yield Compute("I.a.2'.vii", own.factor, own.wide(inertia.side_factor)(own.articulated))
    if v.solving != pr:
        yield Send("I.a.3'", own.factor, v.solving[i])


def couplings(v: Variant) -> Iterator[Instruction]:
    """I.a.4 and I.a.5 of links with branches: B_i, and (I_{i,i+1})^-1 to the next link."""
    joints, after = v.joints, (*v.joints[1:], v.joints[-1])
    coupling = v.how.B
    branched = Value(f"{coupling.name}.b", 0, coupling.shape)
    couple = by_process(inertia.side_coupling(a, b) for a, b in zip(joints, after, strict=True))
    yield Compute("I.a.4.b", branched, couple(ACROSS), i < v.n)
    yield Name("I.a.4.b'", coupling[0], rigid(v, coupling[0]), branched)
    restrict = by_process(inertia.side_before(x) for x in after)
    yield Compute("I.a.4.b''", AFTER, restrict(NEXT), i < v.n)
    yield Send("I.a.4.b''", AFTER, v.eliminating[i + 1])
    yield Name("I.a.4.b''", BEFORE, held.BEFORE, AFTER[i - 1])


def end_coupling(v: Variant, target: Value) -> Iterator[Instruction]:
    """I.a.4'' where the last link has branches: E_N."""
    yield Compute("I.a.4''", target, inertia.side_end_coupling(v.joints[-1])(ACROSS), i == v.n)


def rows(v: Variant, names: Names) -> Iterator[Instruction]:
    """I.c.3'' (form omega): the rows of M^-1 J' of the branches."""
    own, pr = Lanes(v), v.eliminating
    link_x = names.value("x.b", 6)
    yield Compute("I.c.3''.i", link_x, op.carried(6)(C_NEXT, P_LINK, names.x5), v.branched)
    respond = own.wide(response.side_accelerations, 6, driven=False)
    yield Compute("I.c.3''.ii", own.rows, respond(own.factor, own.c, own.p, link_x))
    if v.solving != pr:
        yield Send("I.c.5''", own.rows, v.solving[i])


# ------------------------------------------------------------------------------ Step II


def loads(v: Variant, gravity: Value) -> Iterator[Instruction]:
    """II.b.1.v': the wrenches through the joints of the branches at qdd = 0, and that on the link."""
    own, n = Lanes(v), v.n
    if v.moving != v.eliminating:
        yield from frames(v, "II.a.1''")
    motion = (last(ne.OMEGA, n), last(ne.WDOT, n), last(ne.V, n), gravity)
    bodies = (own.held.qd, own.c, own.p, own.held.mass, own.held.centre, own.held.central)
    wrenches = own.wide(bias.side_wrenches)(ne.TURN, *motion, *bodies)
    yield Compute("II.b.1.v'.i", own.wrenches, wrenches)
    yield Compute("II.b.1.v'.ii", LOAD, own.narrow(bias.side_load)(own.wrenches, own.c, own.p, ne.TURN))
    yield Compute("II.b.1.v'.iii", own.bias, own.wide(bias.side_bias)(own.wrenches))
    if v.moving != v.solving:
        yield Send("II.b.1.v'.iv", own.bias, v.solving[i])


def driven(v: Variant) -> Iterator[Instruction]:
    """II.b.4': the drives of the branches, and I^-1 p, which X^1 loses."""
    own = Lanes(v)
    if v.solving not in (v.eliminating, v.moving):
        yield from frames(v, "II.a.1''")
    drive = own.wide(response.side_drive)(own.factor, own.held.tau, own.bias, own.c, own.p)
    yield Compute("II.b.4'.i", own.drive, drive)
    yield Compute("II.b.4'.ii", own.drives, response.drives(own.drive))
    yield Compute("II.b.4'.iii", HELD, response.held_wrench(own.drive))
    yield Compute("II.b.4'.iv", HELD_X, op.end_wrench(INVERSE_I, C_NEXT, P_LINK, HELD))


def accelerations(v: Variant, names: Names) -> Iterator[Instruction]:
    """II.c.7': Qdd_0 of the branches."""
    own, link_x = Lanes(v), names.value("x.b", 6)
    yield Compute("II.c.7'.i", link_x, op.carried()(C_NEXT, P_LINK, names.x5), v.branched)
    respond = own.wide(response.side_accelerations)
    yield Compute("II.c.7'.ii", own.qdd_0, respond(own.factor, own.c, own.p, link_x, own.drives))


# ------------------------------------------------------------------------------ Step IV


def responses(v: Variant, names: Names) -> Iterator[Instruction]:
    """IV.b.1.c.7': Qdd_C of the branches, which have no part in J' F themselves."""
    own, link_x = Lanes(v), names.value("x.b", 6)
    yield Compute("IV.b.1.c.7'.i", link_x, op.carried()(C_NEXT, P_LINK, names.x5), v.branched)
    respond = own.wide(response.side_accelerations, driven=False)
    yield Compute("IV.b.1.c.7'.ii", own.qdd_c, respond(own.factor, own.c, own.p, link_x))


def less_responses(v: Variant) -> Iterator[Instruction]:
    """IV.b.2': Qdd = Qdd_0 - Qdd_C of the branches."""
    own = Lanes(v)
    yield Compute("IV.b.2'", own.qdd, own.wide(response.side_difference)(own.qdd_0, own.qdd_c))


def responses_of_rows(v: Variant, force: Value) -> Iterator[Instruction]:
    """IV.b.2' (form omega): Qdd = Qdd_0 - Y F of the branches."""
    own = Lanes(v)
    yield Compute("IV.b.2'", own.qdd, own.wide(response.side_rows_response)(own.qdd_0, own.rows, force))
