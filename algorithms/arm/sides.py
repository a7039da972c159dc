"""Arms with side branches: implied steps of the processes of links with branches (Fijany VI.D).

All of it is local but (I_{i,i+1})^-1, which the next link needs for its block of A and cannot hold, as it
depends on q. Values with the mark .b are those of the branches, with .r those of links without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0, BRANCH_TAU, SideTree
from senn.machine.program import *  # the words of a program
from senn.machine.program.ready import minus, plus

Lines = Iterator[Instruction]

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
        # Parameters, and axes that depend on q, if a joint has them.
        self.parameter = (value("parameter.b", width),) if any(kind.parameter for kind in kinds) else ()
        self.axes = () if all(kind.straight("in_body") for kind in kinds) else (value("H.b", freedom, 6),)
        self.resident = (
            *(self.q, self.qd, self.tau, self.qdd_given, self.rotation, self.position),
            *(self.inertia, self.mass, self.centre, self.central, *self.parameter),
        )
        self.c, self.p = value("C.b", width, 3, 3), value("P_k.b", width, 3)
        self.bodies = (self.qd, self.c, self.p, self.mass, self.centre, self.central)
        self.articulated = value("I^A.b", freedom, 21 + 1)  # packed, and 1 / (h' I^A h)
        self.factor = value("LDL.b", freedom, 6 + 1)  # I^A h, and the same
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
BEFORE_OR_AFTER = value("(I_{i-1,i})^-1.w", REST)  # of the link before, with its branches if it has any


def folded(target: Value) -> Value:
    """`target` as computed on links with side branches."""
    return Value(f"{target.letter}.b", target.level, target.shape)


class Sides:
    """The side branches of an arm and what they add to its lines; in an arm without any, nothing."""

    joints: tuple[str, ...]
    branches: tuple[SideTree, ...]

    @property
    def n(self) -> int:
        """The links of the main chain."""
        return len(self.joints)

    @property
    def where(self) -> ProcessSet:
        """The processes whose link has side branches."""
        return ProcessSet.of(tree.at for tree in self.branches)

    @property
    def plain(self) -> ProcessSet:
        """The processes whose link has no side branches."""
        if not self.branches:
            return i > 0
        branched = {tree.at for tree in self.branches}
        return ProcessSet.of(process for process in range(1, self.n + 1) if process not in branched)

    @property
    def at_tip(self) -> bool:
        """Whether the last link has branches."""
        return bool(self.branches) and self.branches[-1].at == self.n

    @cached_property
    def side(self) -> SideValues:
        """The values of the branches, if there are any."""
        return SideValues(self.branches)

    def lanes(self, family: Callable[..., Kernel], *operands: Value, **more: object) -> Expression:
        """The kernel of each branched link; the others, where nothing is computed, get the first of them."""
        widths = (*self.side.mass.shape, *self.side.qd.shape)
        trees = {tree.at: branch.Tree(tree.joints, tree.parents, *widths) for tree in self.branches}
        kernels = {at: family(tree, **more) for at, tree in trees.items()}
        first = kernels[self.branches[0].at]
        return by_process(kernels.get(process, first) for process in range(1, self.n + 1))(*operands)

    def rigid(self, target: Value) -> Value:
        """`target` as computed on links without side branches."""
        letter = f"{target.letter}.r" if self.branches else target.letter
        return Value(letter, target.level, target.shape)

    def side_frames(self, step: str) -> Lines:
        """C_k, P_k and axes, in every array that goes through the branches."""
        side = self.side
        frames = self.lanes(branch.side_frames, side.q, side.rotation, *side.parameter)
        yield Compute(f"{step}.i", side.c, frames)
        moved = self.lanes(branch.side_offsets, side.q, side.rotation, side.position, *side.parameter)
        yield Compute(f"{step}.ii", side.p, moved)
        for axes in side.axes:
            turned = self.lanes(branch.side_axes, side.c, side.rotation, side.q, *side.parameter)
            yield Compute(f"{step}.ii'", axes, turned)

    def whole_bodies(self, step: str) -> Lines:
        """The articulated inertia of every body of the branches."""
        side = self.side
        whole = self.lanes(branch.articulated, side.c, side.p, side.inertia, *side.axes)
        yield Compute(step, side.articulated, whole)

    def with_link(self, family: Callable[..., Kernel]) -> Expression:
        """The articulated inertia of a link with its branches, or its inverse."""
        side = self.side
        return self.lanes(family, side.articulated, side.c, side.p, LINK_INERTIA, *side.axes)

    def factored(self, step: str) -> Lines:
        """The factor of the branches."""
        side = self.side
        yield Compute(step, side.factor, self.lanes(branch.side_factor, side.articulated, *side.axes))

    # ------------------------------------------------------------------------------ Step I
    def inverse_with_branches(self, pose: Sequence[Instruction], c: Value, p: Value) -> Lines:
        """I.a.2': (I_{i,i+1})^-1 of links with their branches; that about O_i, from C(i,i+1) and P_i that the
        lines of `pose` make; and the factor of the branches, which later steps need."""
        yield from self.side_frames("I.a.1'")
        yield from self.whole_bodies("I.a.2'.i")
        yield Compute("I.a.2'.ii", NEXT, self.with_link(branch.folded_inverse))
        yield from pose
        yield Compute("I.a.2'.v", ACROSS, op.across(NEXT, c, p))
        yield Compute("I.a.2'.vi", folded(I_INVERSE), op.at_joint(ACROSS, c, p))
        yield Name("I.a.2'", I_INVERSE, self.rigid(I_INVERSE), folded(I_INVERSE))
        yield from self.factored("I.a.2'.vii")
        yield Send("I.a.3'", self.side.factor, PR2[i])

    @property
    def before(self) -> Value:
        """(I_{i-1,i})^-1: restricted to W_i in an arm of revolute and prismatic joints, else whole."""
        return BEFORE_OR_AFTER if self.branches else BEFORE

    @property
    def tip_inertia(self) -> Operand:
        """(I_{N,N+1})^-1 at process N, Eq. (68)."""
        return NEXT[i] if self.at_tip else TIP[i]

    def tip_mass(self, step: str, target: Value) -> Lines:
        """I_{N,N+1} of the last link with its branches, if it has any."""
        if self.at_tip:
            yield Compute(step, target, self.with_link(branch.folded), i == self.n)

    def beyond_link(self, step: str) -> Lines:
        """(I_{i,i+1})^-1 of every link, where it is not constant."""
        if self.branches:
            yield Name(step, EACH, TIP, NEXT)

    @property
    def link_inertia(self) -> Value:
        """(I_{i,i+1})^-1 about O_{i+1} in frame i+1."""
        return EACH if self.branches else TIP

    # ------------------------------------------------------------------------------ Step II
    def loads(self, gravity: Value, qdd: Value | None = None, tip: Value | None = None) -> Lines:
        """II.b.1.v': what else acts on a link: its side branches, of which the accelerations are named like
        `qdd` (at rest without), and what the end effector exerts."""
        if self.branches:  # the wrenches through the joints of the branches, and that on the link
            side, n = self.side, self.n
            yield from self.side_frames("II.a.1''")
            motion = (last(OMEGA, n), last(WDOT, n), last(V, n), gravity)
            rates = {QDD_GIVEN: side.qdd_given, QDD_0: side.qdd_0, QDD: side.qdd}
            accelerations, how = ((), {}) if qdd is None else ((rates[qdd],), {"moving": True})
            operands = (TURN, *motion, *side.bodies, *accelerations, *side.axes)
            yield Compute("II.b.1.v'.i", side.wrenches, self.lanes(branch.side_wrenches, *operands, **how))
            load = self.lanes(branch.side_load, side.wrenches, side.c, side.p, TURN)
            yield Compute("II.b.1.v'.ii", LOAD, load)
            yield Compute("II.b.1.v'.iii", side.bias, self.lanes(branch.side_bias, side.wrenches, *side.axes))
        if tip is not None:
            yield Compute("II.b.1.v''", TIP_LOAD, link.turned_wrench(TURN, tip), i == self.n)
        if tip is not None and self.at_tip:
            yield Compute("II.b.1.v'''", LOADED, plus(LOAD, TIP_LOAD.or_zero))
        elif tip is not None and self.branches:
            yield Name("II.b.1.v'''", LOADED, LOAD, TIP_LOAD)

    def load(self, tip: Value | None = None) -> Value | None:
        """The wrench [n; f] of `loads`, about O_{i+1} in the common frame."""
        if self.branches:
            return LOAD if tip is None else LOADED
        return tip and TIP_LOAD

    def as_one(self, step: str) -> Lines:
        """I_{i,i+1} of links with their branches, where no Step I has made them, and the factor of these."""
        if self.branches:
            yield from self.whole_bodies(f"{step}.i")
            yield Compute(f"{step}.ii", TOGETHER, self.with_link(branch.folded))
            yield from self.factored(f"{step}.iii")

    def holds(self, *steps: str) -> Lines:
        """The accelerations that the torques of side branches give their joints, and p, the wrench with which
        their link holds them, at rest."""
        if self.branches:
            side, (first, second, third) = self.side, steps
            operands = (side.factor, side.tau, side.bias, side.c, side.p, *side.axes)
            yield Compute(first, side.drive, self.lanes(branch.side_drive, *operands))
            yield Compute(second, side.drives, branch.drives(side.drive))
            yield Compute(third, HELD, branch.held_wrench(side.drive))

    def drives(self, step: str) -> Lines:
        """The lines of `holds`, and I_i^-1 p: minus what p accelerates the link by, at O_i."""
        if self.branches:
            yield from self.holds(f"{step}.i", f"{step}.ii", f"{step}.iii")
            yield Compute(f"{step}.iv", HELD_X, op.end_wrench(I_INVERSE, C_NEXT, P_LINK, HELD))

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        """Joint accelerations of side branches from that of their link at O_i, frame i."""
        yield from self.respond(step, value("x.b", 6), at_origin, target, self.side.drives)

    def branch_rows(self) -> Lines:
        """I.c.3'' of form omega: the rows of M^-1 J' of side branches."""
        if self.branches:
            names, rows = UNIT_WRENCHES, self.side.rows
            yield from self.respond("I.c.3''", names.value("x.b", 6), names.x5, rows)
            yield Send("I.c.5''", rows, PR2[i])

    def respond(self, step: str, at_link: Value, at_origin: Value, target: Value, *drives: Value) -> Lines:
        """Accelerations of side branches that follow their link and, if there are any, their own drives."""
        side = self.side
        yield Compute(f"{step}.i", at_link, op.carried(C_NEXT, P_LINK, at_origin), self.where)
        operands = (side.factor, side.c, side.p, at_link, *drives, *side.axes)
        response = self.lanes(branch.side_accelerations, *operands, driven=bool(drives))
        yield Compute(f"{step}.ii", target, response)

    # ------------------------------------------------------------------------------ Step IV
    def response(self, force: Value) -> Lines:
        """IV.b.2 of form omega: Qdd = Qdd_0 - Y F."""
        yield Compute("IV.b.2", QDD, op.response(QDD_0, Y_ROW, force))
        if self.branches:
            side = self.side
            response = self.lanes(branch.side_rows_response, side.qdd_0, side.rows, force)
            yield Compute("IV.b.2'", side.qdd, response)

    def difference(self) -> Lines:
        """IV.b.2: Qdd = Qdd_0 - Qdd_C."""
        yield Compute("IV.b.2", QDD, minus(QDD_0, QDD_C))
        if self.branches:
            side = self.side
            yield Compute("IV.b.2'", side.qdd, self.lanes(branch.side_difference, side.qdd_0, side.qdd_c))

    # ------------------------------------------------------------------------------ held, and left
    def beside(self, constants: Iterator[Resident]) -> Iterator[Resident]:
        """Residents of an arm with branches: constants of Step I.a where they are constant, and branches."""
        plain, n = self.plain, self.n
        of_link = (S_TURNED, P_TURNED, INVERSE_J, INVERSE_J_LINK, INVERSE_M)
        only = dict.fromkeys(of_link, plain) | {BEFORE: plain.shifted(1) | (i == 1)}
        only |= {X_NEXT: plain & (i < n), X_TIP: plain & (i == n), TIP: plain & (i == n)}
        for resident in constants:
            yield Resident(resident.value, where=only.get(resident.value, resident.where))
        for x in (*self.side.resident, LINK_INERTIA):
            yield Resident(x, where=self.where)

    def results(self) -> dict[str, tuple[int, Value]]:
        """Results of side branches."""
        return {BRANCH_QDD: (2, self.side.qdd), BRANCH_QDD_0: (2, self.side.qdd_0)} if self.branches else {}

    def branch_torques(self) -> dict[str, Value]:
        """Results of `loads`: the forces along the joints of side branches."""
        return {BRANCH_TAU: self.side.bias} if self.branches else {}
