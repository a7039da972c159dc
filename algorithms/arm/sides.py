"""Arms with side branches: implied steps of the processes of links with branches (Fijany VI.D).

I.a.1', II.a.1''       where the bodies of the branches are
I.a.2'                 articulated inertia of the branches, the link's inverse inertia with them
I.a.4.b                B_i and E_N of it, and (I_{i,i+1})^-1 to the next process
II.b.1.v'              out through the branches and back; their wrench joins f* and n* of the link
II.b.4'                their drives, and the wrench p: X^1 = I^-1 (R H F_T - p)
II.c.7', IV.b.1.c.7'   their accelerations from that of the link; form omega has I.c.3'' and no IV.b.1

All of it is local but (I_{i,i+1})^-1, which the next link needs for its block of A and cannot hold, as it
depends on q. Values with the mark .b are those of the branches, with .r those of links without any.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from senn.algorithms.arm.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.wide import Wide
from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link, sums
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0, BRANCH_TAU, SideTree
from senn.machine.program import *  # the words of a program

LINK_INERTIA = value("I_{i,i+1}.b", 21)  # of the link alone, about O_{i+1} in frame i+1


class SideValues:
    """The values of side branches: of bodies a row for each joint, of vectors one for each axis
    (`senn.algorithms.kernels.branches`), as many as the widest link needs; zeros behind a link's own.

    Rows and frames are those of `senn.algorithms.robots.side_tree`.
    """

    def __init__(self, trees: Sequence[SideTree]) -> None:
        width, freedom = max(tree.size for tree in trees), max(tree.degrees for tree in trees)
        kinds = [JOINTS[joint] for tree in trees for joint in tree.joints]
        # Constants and state. `inertia` is about the body's origin, `central` about its centre of mass, both
        # packed; `qdd_given` is an input of inverse dynamics.
        self.q = value("q.b", max(tree.coordinates for tree in trees))
        self.qd, self.tau, self.qdd_given = (value(f"{x}.b", freedom) for x in ("qd", "tau", "qdd"))
        self.mass = value("m.b", width)
        self.rotation, self.position = value("R.b", width, 3, 3), value("P_0.b", width, 3)
        self.inertia, self.central = value("I.b", width, 21), value("J.b", width, 6)
        self.centre = value("S.b", width, 3)
        self.resident = (
            *(self.q, self.qd, self.tau, self.qdd_given, self.rotation, self.position),
            *(self.inertia, self.mass, self.centre, self.central),
        )
        # Parameters, and axes that depend on q, if a joint has them.
        self.parameter = (value("parameter.b", width),) if any(kind.parameter for kind in kinds) else ()
        self.axes = () if all(kind.steady for kind in kinds) else (value("H.b", freedom, 6),)
        self.resident = (*self.resident, *self.parameter)
        self.c, self.p = value("C.b", width, 3, 3), value("P_k.b", width, 3)
        self.articulated = value("I^A.b", freedom, branch.PACKED + 1)
        self.factor = value("LDL.b", freedom, branch.FACTOR)
        self.wrenches, self.bias = value("F.b", width, 6), value("b.b", freedom)
        self.drive, self.drives = value("pu.b", 6 + freedom), value("u.b", freedom)
        self.qdd_0, self.qdd_c, self.qdd = (value(x, freedom) for x in ("Qdd_0.b", "Qdd_C.b", "Qdd.b"))
        self.rows = value("y.b", freedom, 6)


ACROSS = value("I^-1 C6 P^.b", 6, 6)
NEXT = value("(I_{i,i+1})^-1.b", 21)
EACH = value("(I_{i,i+1})^-1.e", 21)  # of every link, with its branches if it has any
TOGETHER = value("I_{i,i+1}.s", 21)  # of links with branches
LOAD, LOADED = value("nf.b", 6), value("nf.s", 6)  # of the branches on their link, common frame; of all
HELD, HELD_X = value("p.b", 6), value("I^-1 p.b", 6)


def rigid(target: Value) -> Value:
    """`target` as computed on links without side branches."""
    return Value(f"{target.letter}.r", target.level, target.shape)


def folded(target: Value) -> Value:
    """`target` as computed on links with side branches."""
    return Value(f"{target.letter}.b", target.level, target.shape)


class Sides(Arm):
    """Side branches of an arm: of `Arm`, or mixed into `Wide`, before it."""

    @property
    @abstractmethod
    def of_plain(self) -> Iterable[Value]:
        """The constants that a link with branches has no use for."""

    @property
    def before(self) -> Value:
        return BEFORE_OR_AFTER

    @property
    def plain(self) -> ProcessSet:
        branched = {tree.at for tree in self.branches}
        return ProcessSet.of(process for process in range(1, self.n + 1) if process not in branched)

    @property
    def at_tip(self) -> bool:
        return self.branches[-1].at == self.n

    @cached_property
    def side(self) -> SideValues:
        return SideValues(self.branches)

    def each(self, make: Callable[[SideTree], Kernel]) -> Callable[..., Expression]:
        """The kernel of each branched link; the others, where nothing is computed, get the first of them."""
        kernels = {tree.at: make(tree) for tree in self.branches}
        first = kernels[self.branches[0].at]
        return by_process(kernels.get(process, first) for process in range(1, self.n + 1))

    def lanes(self, factory: Callable[..., Kernel], **more: object) -> Callable[..., Expression]:
        """Kernels that know how wide their lanes are."""
        (width,), (freedom,) = self.side.mass.shape, self.side.qd.shape
        lanes = (width,) if freedom == width else (width, freedom)
        return self.each(lambda t: factory(branch.Tree(t.joints, t.parents, *lanes), **more))

    def narrow(self, factory: Callable[..., Kernel]) -> Callable[..., Expression]:
        """Kernels that do not make lanes."""
        return self.each(lambda t: factory(branch.Tree(t.joints, t.parents)))

    def side_frames(self, step: str) -> Lines:
        """C_k, P_k and axes, in every array that goes through the branches."""
        side = self.side
        frames = self.lanes(branch.side_frames)(side.q, side.rotation, *side.parameter)
        yield Compute(f"{step}.i", side.c, frames)
        moved = self.lanes(branch.side_offsets)(side.q, side.rotation, side.position, *side.parameter)
        yield Compute(f"{step}.ii", side.p, moved)
        for axes in side.axes:
            turned = self.lanes(branch.side_axes)(side.c, side.rotation, side.q, *side.parameter)
            yield Compute(f"{step}.ii'", axes, turned)

    # ------------------------------------------------------------------------------ Step I
    def folded(self) -> Lines:
        """I.a.2': (I_{i,i+1})^-1 of links with their branches; their C(i,i+1) and P_i follow."""
        side = self.side
        yield from self.side_frames("I.a.1'")
        whole = self.lanes(branch.articulated)(side.c, side.p, side.inertia, *side.axes)
        yield Compute("I.a.2'.i", side.articulated, whole)
        inverse = self.narrow(branch.folded_inverse)
        yield Compute("I.a.2'.ii", NEXT, inverse(side.articulated, side.c, side.p, LINK_INERTIA, *side.axes))

    def inverse_with_branches(self, c: Value, p: Value) -> Lines:
        """The inverse inertia of links with their branches at O_i, from C(i,i+1) and P_i, and the factor of
        the branches, which later steps need."""
        side = self.side
        yield Compute("I.a.2'.v", ACROSS, op.across(NEXT, c, p))
        yield Compute("I.a.2'.vi", folded(I_INVERSE), op.at_joint(ACROSS, c, p))
        yield Name("I.a.2'", I_INVERSE, rigid(I_INVERSE), folded(I_INVERSE))
        yield Compute("I.a.2'.vii", side.factor, self.lanes(branch.side_factor)(side.articulated, *side.axes))
        yield Send("I.a.3'", side.factor, PR2[i])

    @property
    def tip_inertia(self) -> Operand:
        return NEXT[i] if self.at_tip else TIP[i]

    def tip_mass(self, step: str, target: Value) -> Lines:
        side = self.side
        whole = self.narrow(branch.folded)(side.articulated, side.c, side.p, LINK_INERTIA, *side.axes)
        if self.at_tip:
            yield Compute(step, target, whole, i == self.n)

    def beyond_link(self, step: str) -> Lines:
        yield Name(step, EACH, TIP, NEXT)

    @property
    def link_inertia(self) -> Value:
        return EACH

    # ------------------------------------------------------------------------------ Step II
    def loads(self, gravity: Value, qdd: Value | None = None, tip: Value | None = None) -> Lines:
        """The wrenches through the joints of the branches at qdd = 0, or as it is given, and that on the
        link."""
        side, n = self.side, self.n
        yield from self.side_frames("II.a.1''")
        motion = (last(OMEGA, n), last(WDOT, n), last(V, n), gravity)
        bodies = (side.qd, side.c, side.p, side.mass, side.centre, side.central)
        given = {QDD_GIVEN: side.qdd_given, QDD_0: side.qdd_0, QDD: side.qdd}
        accelerations, how = ((), {}) if qdd is None else ((given[qdd],), {"moving": True})
        wrenches = self.lanes(branch.side_wrenches, **how)(TURN, *motion, *bodies, *accelerations, *side.axes)
        yield Compute("II.b.1.v'.i", side.wrenches, wrenches)
        yield Compute(
            "II.b.1.v'.ii", LOAD, self.narrow(branch.side_load)(side.wrenches, side.c, side.p, TURN)
        )
        yield Compute("II.b.1.v'.iii", side.bias, self.lanes(branch.side_bias)(side.wrenches, *side.axes))

        if tip is not None:
            yield from super().loads(gravity, tip=tip)
            if self.at_tip:
                yield Compute("II.b.1.v'''", LOADED, sums.plus(LOAD, TIP_LOAD.or_zero))
            else:
                yield Name("II.b.1.v'''", LOADED, LOAD, TIP_LOAD)

    def load(self, tip: Value | None = None) -> Value:
        return LOAD if tip is None else LOADED

    def wrench_of(self, step: str, f_g: Value, names: Names, *, less: Value | None = None) -> Lines:
        """In Step II less I^-1 p, what the drives of the branches take; J' F has no part of theirs."""
        if names != STEP_II:
            yield from self.driven(step, f_g, names.x1, names)
            return
        yield from self.drives(f"{step}'")
        yield from self.driven(step, f_g, names.driven, names)
        rest = names.driven
        if less is not None:
            rest = names.value("X^1-", 6)
            yield Compute(f"{step}.iii'", rest, sums.difference(names.driven, less))
        yield Compute(f"{step}.iii", names.x1, op.less(rest, HELD_X.or_zero))

    def as_one(self, step: str) -> Lines:
        """I_{i,i+1} of links with their branches, where no Step I has made them, and the factor of these."""
        side = self.side
        whole = self.lanes(branch.articulated)(side.c, side.p, side.inertia, *side.axes)
        yield Compute(f"{step}.i", side.articulated, whole)
        together = self.narrow(branch.folded)(side.articulated, side.c, side.p, LINK_INERTIA, *side.axes)
        yield Compute(f"{step}.ii", TOGETHER, together)
        yield Compute(
            f"{step}.iii", side.factor, self.lanes(branch.side_factor)(side.articulated, *side.axes)
        )

    @property
    def together(self) -> tuple[Value, ...]:
        return (TOGETHER,)

    @property
    def held_wrench(self) -> tuple[Value, ...]:
        return (HELD,)

    def drives(self, step: str) -> Lines:
        yield from self.holds(step)
        yield Compute(f"{step}.iv", HELD_X, op.end_wrench(I_INVERSE, C_NEXT, P_LINK, HELD))

    def holds(self, step: str) -> Lines:
        side = self.side
        drive = self.lanes(branch.side_drive)(side.factor, side.tau, side.bias, side.c, side.p, *side.axes)
        yield Compute(f"{step}.i", side.drive, drive)
        yield Compute(f"{step}.ii", side.drives, branch.drives(side.drive))
        yield Compute(f"{step}.iii", HELD, branch.held_wrench(side.drive))

    @property
    def branch_acceleration(self) -> Value:
        return HELD_X

    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """Accelerations of the main chain, and Qdd_0 or Qdd_C of the branches."""
        yield from super().joint_accelerations(step, target, names, array)
        if names == UNIT_WRENCHES:
            return  # `branch_rows`
        if names == STEP_II:
            yield from self.follow(f"{step}'", names.x5, self.side.qdd_0)
            return
        side, at_link = self.side, names.value("x.b", 6)
        yield Compute(f"{step}'.i", at_link, op.carried(C_NEXT, P_LINK, names.x5), self.where)
        respond = self.lanes(branch.side_accelerations, driven=False)
        yield Compute(f"{step}'.ii", side.qdd_c, respond(side.factor, side.c, side.p, at_link, *side.axes))

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        side, at_link = self.side, value("x.b", 6)
        yield Compute(f"{step}.i", at_link, op.carried(C_NEXT, P_LINK, at_origin), self.where)
        respond = self.lanes(branch.side_accelerations)
        yield Compute(
            f"{step}.ii", target, respond(side.factor, side.c, side.p, at_link, side.drives, *side.axes)
        )

    def branch_rows(self) -> Lines:
        side, at_link = self.side, UNIT_WRENCHES.value("x.b", 6)
        carried = op.carried(C_NEXT, P_LINK, UNIT_WRENCHES.x5)
        yield Compute("I.c.3''.i", at_link, carried, self.where)
        respond = self.lanes(branch.side_accelerations, driven=False)
        yield Compute("I.c.3''.ii", side.rows, respond(side.factor, side.c, side.p, at_link, *side.axes))
        yield Send("I.c.5''", side.rows, PR2[i])

    # ------------------------------------------------------------------------------ Step IV
    def response(self, force: Value) -> Lines:
        yield from super().response(force)
        side = self.side
        yield Compute(
            "IV.b.2'", side.qdd, self.lanes(branch.side_rows_response)(side.qdd_0, side.rows, force)
        )

    def difference(self) -> Lines:
        side = self.side
        yield Compute("IV.b.2'", side.qdd, self.lanes(branch.side_difference)(side.qdd_0, side.qdd_c))

    # ------------------------------------------------------------------------------ held, and left
    def resident(self) -> Iterator[Resident]:
        """Constants of Step I.a where they are constants, and the branches."""
        plain, n = self.plain, self.n
        only = dict.fromkeys(self.of_plain, plain)
        only |= {BEFORE: plain.shifted(1) | (i == 1), X_NEXT: plain & (i < n)}
        only |= {X_TIP: plain & (i == n), TIP: plain & (i == n)}
        for resident in super().resident():
            yield Resident(resident.value, where=only.get(resident.value, resident.where))
        for x in (*self.side.resident, LINK_INERTIA):
            yield Resident(x, where=self.where)

    def results(self) -> dict[str, tuple[int, Value]]:
        return {BRANCH_QDD: (2, self.side.qdd), BRANCH_QDD_0: (2, self.side.qdd_0)}

    def branch_torques(self) -> dict[str, Value]:
        return {BRANCH_TAU: self.side.bias}


C_OWN, P_OWN = value("C(i,i+1).b", 3, 3), value("P.b", 3)  # of the link, in the array of Step I
AFTER = value("(I_{i,i+1})^-1.w", 15)  # restricted to W_{i+1}, for the next link
BEFORE_OR_AFTER = value("(I_{i-1,i})^-1.w", REST)


class BranchedLean(Sides):
    """An arm of revolute and prismatic joints with side branches."""

    of_plain: Iterable[Value] = (S_TURNED, P_TURNED, INVERSE_J, INVERSE_M)

    def inverse_inertia(self) -> Lines:
        joints = self.joints
        yield Compute("I.a.1", RZ, by_process(map(link.planar, joints))(Q))
        yield Compute("I.a.2", rigid(I_INVERSE), self._inverse_inertia())
        yield from self.folded()
        turned = by_process(map(joint.turned_next, joints))
        yield Compute("I.a.2'.iii", C_OWN, turned(RZ, R), self.where)
        moved = by_process(map(joint.moved, joints))
        yield Compute("I.a.2'.iv", P_OWN, moved(P_0, Q, R), self.where)
        yield from self.inverse_with_branches(C_OWN, P_OWN)

    def coupling(self) -> Lines:
        """B_i, and (I_{i,i+1})^-1 to the next link."""
        yield Compute("I.a.4", rigid(B[0]), self._coupling())
        couple = by_process(op.side_coupling(a, b) for a, b in self.followed)
        yield Compute("I.a.4.b", folded(B[0]), couple(ACROSS), i < self.n)
        yield Name("I.a.4.b'", B[0], rigid(B[0]), folded(B[0]))
        restrict = by_process(op.side_before(after) for _, after in self.followed)
        yield Compute("I.a.4.b''", AFTER, restrict(NEXT), i < self.n)
        yield Send("I.a.4.b''", AFTER, PR1[i + 1])
        yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, AFTER[i - 1])

    def end_coupling(self) -> Lines:
        if self.at_tip:
            tip = op.projected(self.joints[-1], self.rows)
            yield Compute("I.a.4''", E, tip(ACROSS), i == self.n)
        else:
            yield from super().end_coupling()

    def across_link(self, step: str, target: Value) -> Lines:
        yield from super().across_link(step, rigid(target))
        yield Name(step, target, rigid(target), ACROSS)


class BranchedWide(Sides, Wide):
    """An arm of joints of any type with side branches: B_i and E_N are made of (I_i)^-1 as they always are,
    and (I_{i,i+1})^-1 goes to the next link whole."""

    of_plain: Iterable[Value] = (INVERSE_J_LINK, INVERSE_M)

    def inverse_inertia(self) -> Lines:
        yield from self._poses()
        yield Compute("I.a.2", rigid(I_INVERSE), self._inverse_inertia())
        yield from self.folded()
        yield from self.inverse_with_branches(C_NEXT, P_LINK)

    def coupling(self) -> Lines:
        yield from super().coupling()
        yield Send("I.a.4.b''", NEXT, PR1[i + 1])
        yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, NEXT[i - 1])

    def across_link(self, step: str, target: Value) -> Lines:
        yield Compute(step, rigid(target), op.end_response(rigid(I_INVERSE), C_NEXT, P_LINK))
        yield Name(step, target, rigid(target), ACROSS)
