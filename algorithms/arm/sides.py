"""What side branches are to an arm of whatever joints: what the processes of links with branches do, as
implied steps (Fijany VI.D).

I.a.1', II.a.1''       where the bodies of the branches are
I.a.2'                 articulated inertia of the branches, the link's inverse inertia with them
II.b.1.v'              out through the branches and back; their wrench joins f* and n* of the link
II.b.4'                their drives, and the wrench p: X^1 = I^-1 (R H F_T - p)
II.c.7', IV.b.1.c.7'   their accelerations from that of the link; form omega has I.c.3'' and no IV.b.1

All of it is local but (I_{i,i+1})^-1, which the next link needs for its block of A and cannot hold, as it
depends on q (`senn.algorithms.arm.branched`). Values with the mark .b are those of the branches, with .r
those of links without any.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from senn.algorithms.arm.arm import Arm, Lines
from senn.algorithms.arm.branch_values import LINK_INERTIA, Held
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels import sums
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0, BRANCH_TAU, SideTree
from senn.machine.program import (
    PR2,
    Array,
    Compute,
    Expression,
    Kernel,
    Name,
    Operand,
    ProcessSet,
    Resident,
    Send,
    Value,
    by_process,
    i,
    value,
)

ACROSS = value("I^-1 C6 P^.b", 6, 6)
NEXT = value("(I_{i,i+1})^-1.b", 21)
EACH = value("(I_{i,i+1})^-1.e", 21)  # of every link, with its branches if it has any
TOGETHER = value("I_{i,i+1}.s", 21)  # of links with branches
LOAD = value("nf.b", 6)  # of the branches on their link, common frame
HELD, HELD_X = value("p.b", 6), value("I^-1 p.b", 6)


def rigid(target: Value) -> Value:
    """What a value is computed as where a link has no branches."""
    return Value(f"{target.letter}.r", target.level, target.shape)


def folded(target: Value) -> Value:
    """And where it has."""
    return Value(f"{target.letter}.b", target.level, target.shape)


class Sides(Arm):
    """What an arm with side branches has beside the class of arm that it is mixed into, and stands before.
    Its values are as wide as the widest tree of branches."""

    @property
    @abstractmethod
    def of_plain(self) -> Iterable[Value]:
        """The constants that a link with branches has no use for."""

    @abstractmethod
    def driven(self, step: str, f_g: Value, target: Value, names: Names, array: Array) -> Lines:
        """I^-1 R H F_G in a value of one's own."""

    @cached_property
    def where(self) -> ProcessSet:
        """The processes whose link has branches."""
        return ProcessSet(tuple((tree.at, tree.at) for tree in self.branches))

    @property
    def plain(self) -> ProcessSet:
        ends = [0, *(tree.at for tree in self.branches), self.n + 1]
        between = ((a + 1, b - 1) for a, b in itertools.pairwise(ends))
        return ProcessSet(tuple((a, b) for a, b in between if a <= b))

    @property
    def at_tip(self) -> bool:
        return self.branches[-1].at == self.n

    @property
    def width(self) -> int:
        """The most joints that hang on one link."""
        return max(tree.size for tree in self.branches)

    @cached_property
    def held(self) -> Held:
        return Held(self.width)

    @cached_property
    def own(self) -> _Own:
        return _Own(self.width)

    def each(self, make: Callable[[SideTree], Kernel]) -> Callable[..., Expression]:
        """The kernel of each branched link; the others, where nothing is computed, get the first of them."""
        made = {tree.at: make(tree) for tree in self.branches}
        first = made[self.branches[0].at]
        return by_process(made.get(process, first) for process in range(1, self.n + 1))

    def lanes(
        self, factory: Callable[..., Kernel], *arguments: object, **more: object
    ) -> Callable[..., Expression]:
        """Kernels that know how wide their lanes are."""
        return self.each(lambda t: factory(t.joints, t.parents, self.width, *arguments, **more))

    def narrow(self, factory: Callable[..., Kernel]) -> Callable[..., Expression]:
        """Kernels that do not make lanes."""
        return self.each(lambda t: factory(t.joints, t.parents))

    def side_frames(self, step: str) -> Lines:
        """C_k and P_k, in every array that goes through the branches."""
        held, own = self.held, self.own
        yield Compute(f"{step}.i", own.c, self.lanes(branch.side_frames)(held.q, held.rotation))
        moved = self.lanes(branch.side_offsets)(held.q, held.rotation, held.position)
        yield Compute(f"{step}.ii", own.p, moved)

    # ------------------------------------------------------------------------------ Step I
    def folded(self) -> Lines:
        """I.a.2': (I_{i,i+1})^-1 of links with their branches; their C(i,i+1) and P_i follow."""
        own = self.own
        yield from self.side_frames("I.a.1'")
        whole = self.lanes(branch.articulated)(own.c, own.p, self.held.inertia)
        yield Compute("I.a.2'.i", own.articulated, whole)
        inverse = self.narrow(branch.folded_inverse)
        yield Compute("I.a.2'.ii", NEXT, inverse(own.articulated, own.c, own.p, LINK_INERTIA))

    def inverse_with_branches(self, c: Value, p: Value) -> Lines:
        """And their inverse inertia at O_i, from C(i,i+1) and P_i; and the factor of the branches, for who
        goes through them later."""
        own = self.own
        yield Compute("I.a.2'.v", ACROSS, branch.across(NEXT, c, p))
        yield Compute("I.a.2'.vi", folded(I_INVERSE), branch.at_joint(ACROSS, c, p))
        yield Name("I.a.2'", I_INVERSE, rigid(I_INVERSE), folded(I_INVERSE))
        yield Compute("I.a.2'.vii", own.factor, self.lanes(branch.side_factor)(own.articulated))
        yield Send("I.a.3'", own.factor, PR2[i])

    @property
    def tip_inertia(self) -> Operand:
        return NEXT[i] if self.at_tip else TIP[i]

    def tip_mass(self, step: str, target: Value) -> Lines:
        own = self.own
        whole = self.narrow(branch.folded)(own.articulated, own.c, own.p, LINK_INERTIA)
        if self.at_tip:
            yield Compute(step, target, whole, i == self.n)

    def beyond_link(self, step: str) -> Lines:
        yield Name(step, EACH, TIP, NEXT)

    @property
    def link_inertia(self) -> Value:
        return EACH

    # ------------------------------------------------------------------------------ Step II
    def loads(self, gravity: Value, *, moving: bool = False) -> Lines:
        """The wrenches through the joints of the branches at qdd = 0, or as it is given, and that on the
        link."""
        own, held, n = self.own, self.held, self.n
        yield from self.side_frames("II.a.1''")
        motion = (last(OMEGA, n), last(WDOT, n), last(V, n), gravity)
        bodies = (held.qd, own.c, own.p, held.mass, held.centre, held.central)
        given, how = ((held.qdd,), {"moving": True}) if moving else ((), {})
        wrenches = self.lanes(branch.side_wrenches, **how)(TURN, *motion, *bodies, *given)
        yield Compute("II.b.1.v'.i", own.wrenches, wrenches)
        yield Compute("II.b.1.v'.ii", LOAD, self.narrow(branch.side_load)(own.wrenches, own.c, own.p, TURN))
        yield Compute("II.b.1.v'.iii", own.bias, self.lanes(branch.side_bias)(own.wrenches))

    @property
    def load(self) -> Value:
        return LOAD

    def wrench_of(
        self, step: str, f_g: Value, names: Names, array: Array = PR2, *, less: Value | None = None
    ) -> Lines:
        """In Step II less I^-1 p, what the drives of the branches take; J' F has no part of theirs."""
        if names != STEP_II:
            yield from self.driven(step, f_g, names.x1, names, array)
            return
        yield from self.drives(f"{step}'")
        yield from self.driven(step, f_g, names.driven, names, array)
        rest = names.driven
        if less is not None:
            rest = names.value("X^1-", 6)
            yield Compute(f"{step}.iii'", rest, sums.difference(names.driven, less))
        yield Compute(f"{step}.iii", names.x1, op.less(rest, HELD_X.or_zero))

    def as_one(self, step: str) -> Lines:
        """I_{i,i+1} of links with their branches, where no Step I has made them, and the factor of these."""
        own = self.own
        whole = self.lanes(branch.articulated)(own.c, own.p, self.held.inertia)
        yield Compute(f"{step}.i", own.articulated, whole)
        together = self.narrow(branch.folded)(own.articulated, own.c, own.p, LINK_INERTIA)
        yield Compute(f"{step}.ii", TOGETHER, together)
        yield Compute(f"{step}.iii", own.factor, self.lanes(branch.side_factor)(own.articulated))

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
        own = self.own
        drive = self.lanes(branch.side_drive)(own.factor, self.held.tau, own.bias, own.c, own.p)
        yield Compute(f"{step}.i", own.drive, drive)
        yield Compute(f"{step}.ii", own.drives, branch.drives(own.drive))
        yield Compute(f"{step}.iii", HELD, branch.held_wrench(own.drive))

    @property
    def driven_back(self) -> Value:
        return HELD_X

    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """And of the branches, Qdd_0 or Qdd_C."""
        yield from super().joint_accelerations(step, target, names, array)  # type: ignore[safe-super]
        if names == UNIT_WRENCHES:
            return  # `branch_rows`
        if names == STEP_II:
            yield from self.follow(f"{step}'", names.x5, self.own.qdd_0)
            return
        own, at_link = self.own, names.value("x.b", 6)
        yield Compute(f"{step}'.i", at_link, op.carried(C_NEXT, P_LINK, names.x5), self.where)
        respond = self.lanes(branch.side_accelerations, driven=False)
        yield Compute(f"{step}'.ii", own.qdd_c, respond(own.factor, own.c, own.p, at_link))

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        own, at_link = self.own, value("x.b", 6)
        yield Compute(f"{step}.i", at_link, op.carried(C_NEXT, P_LINK, at_origin), self.where)
        respond = self.lanes(branch.side_accelerations)
        yield Compute(f"{step}.ii", target, respond(own.factor, own.c, own.p, at_link, own.drives))

    def branch_rows(self) -> Lines:
        own, at_link = self.own, UNIT_WRENCHES.value("x.b", 6)
        carried = op.carried(C_NEXT, P_LINK, UNIT_WRENCHES.x5)
        yield Compute("I.c.3''.i", at_link, carried, self.where)
        respond = self.lanes(branch.side_accelerations, driven=False)
        yield Compute("I.c.3''.ii", own.rows, respond(own.factor, own.c, own.p, at_link))
        yield Send("I.c.5''", own.rows, PR2[i])

    # ------------------------------------------------------------------------------ Step IV
    def response(self, force: Value) -> Lines:
        yield from super().response(force)  # type: ignore[safe-super]
        own = self.own
        yield Compute("IV.b.2'", own.qdd, self.lanes(branch.side_rows_response)(own.qdd_0, own.rows, force))

    def difference(self) -> Lines:
        own = self.own
        yield Compute("IV.b.2'", own.qdd, self.lanes(branch.side_difference)(own.qdd_0, own.qdd_c))

    # ------------------------------------------------------------------------------ held, and left
    def resident(self) -> Iterator[Resident]:
        """Constants of Step I.a where they are constants, and the branches."""
        plain, n = self.plain, self.n
        only = dict.fromkeys(self.of_plain, plain)
        only |= {BEFORE: plain.shifted(1) | (i == 1), X_NEXT: plain & (i < n)}
        only |= {X_TIP: plain & (i == n), TIP: plain & (i == n)}
        for one in super().resident():  # type: ignore[safe-super]
            yield Resident(one.value, where=only.get(one.value, one.where))
        for x in (*self.held.all, LINK_INERTIA):
            yield Resident(x, where=self.where)

    def results(self) -> dict[str, tuple[int, Value]]:
        return {BRANCH_QDD: (2, self.own.qdd), BRANCH_QDD_0: (2, self.own.qdd_0)}

    def borne(self) -> dict[str, Value]:
        return {BRANCH_TAU: self.own.bias}


class _Own:
    """The values of the branches, for lanes of `width` joints."""

    def __init__(self, width: int) -> None:
        self.c, self.p = value("C.b", width, 3, 3), value("P_k.b", width, 3)
        self.articulated = value("I^A.b", width, branch.PACKED + 1)
        self.factor = value("LDL.b", width, branch.FACTOR)
        self.wrenches = value("F.b", width, 6)
        self.bias = value("b.b", width)
        self.drive = value("pu.b", 6 + width)
        self.drives = value("u.b", width)
        self.qdd_0, self.qdd_c, self.qdd = (value(x, width) for x in ("Qdd_0.b", "Qdd_C.b", "Qdd.b"))
        self.rows = value("y.b", width, 6)
