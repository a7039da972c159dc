"""An arm as programs know it: its joints, its side branches and the shape of the contact; no numbers.

The methods of an arm are the operators of the paper, as the lines that compute them; those of its side
branches are in `sides`. The methods of `Arm` are for revolute and prismatic joints: H_i and W_i are rows of
the unit matrix, blocks of A are 5x5. `wide.Wide` has those for joints of any type; `arm_of` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import ACROSS, BEFORE_OR_AFTER, HELD_X, NEXT, Lines, Sides, folded
from senn.algorithms.blocks import triangle
from senn.algorithms.kernels import jets as jet
from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.joints import JOINTS, Joint, unturned
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.variant import about, head
from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.program.ready import minus, plus
from senn.machine.rewrite.lines import with_values

C_OWN, P_OWN = value("C(i,i+1).b", 3, 3), value("P.b", 3)  # of links with branches, in the array of Step I
AFTER = value("(I_{i,i+1})^-1.w", 15)  # restricted to W_{i+1}, for the next link
_AT_REST = {P_LINK: P_0, S_LINK: S_0}


Family = Callable[..., Kernel]
"""Kernels by structure, the type of a joint first."""


@dataclass(frozen=True)
class Arm(Sides):
    """An arm of revolute and prismatic joints; structure, not data."""

    joints: tuple[str, ...]
    """The type of each joint, base to tip (`senn.algorithms.robots.joints`)."""
    contact: ContactShape
    branches: tuple[SideTree, ...] = ()
    lean: ClassVar[bool] = True
    """Whether all joints are revolute or prismatic, and what belongs to a joint is one number."""
    axes: ClassVar[Value] = Z
    """Axis of joint i, in the common frame."""
    state: ClassVar[tuple[Value, ...]] = ()
    """H_i and what it depends on, where it is not constant."""
    constants: ClassVar[tuple[Value, ...]] = (
        *(Q, S_TURNED, P_TURNED, INVERSE_J, INVERSE_M, BEFORE),
        *(S_0, R, P_0, Z_LINK, QD, TAU, M, J),
    )
    """Constants and state of every link i, in whatever array reads them."""

    @cached_property
    def freedom(self) -> int:
        """k: the most degrees of freedom of a joint."""
        return max(JOINTS[x].degrees for x in self.joints)

    @cached_property
    def inner_freedom(self) -> int:
        """`freedom` of the joints between two links: a free base counts in its process only."""
        return max((JOINTS[x].degrees for x in self.joints[1:]), default=1) or 1

    @property
    def following(self) -> tuple[str, ...]:
        """The joint that follows each; the last itself."""
        return (*self.joints[1:], self.joints[-1])

    def each(self, family: Family, *operands: Operand | Value, **structure: object) -> Expression:
        """The kernel of each joint."""
        return by_process(family(x, **structure) for x in self.joints)(*operands)

    def pairs(self, family: Family, *operands: Operand | Value, **structure: object) -> Expression:
        """The kernel of each joint and the one that follows."""
        kernels = (family(*pair, **structure) for pair in zip(self.joints, self.following, strict=True))
        return by_process(kernels)(*operands)

    def those(self, has: Callable[[Joint], object]) -> ProcessSet:
        """The processes with such a joint."""
        return ProcessSet.of(process for process, x in enumerate(self.joints, 1) if has(JOINTS[x]))

    @cached_property
    def rows(self) -> int:
        """s: the rows of a block of A, the most directions that a joint forbids; one if none forbids any."""
        return max(1, 6 - min(JOINTS[x].degrees for x in self.joints))

    # ------------------------------------------------------------ Step I.a
    def inverse_inertia(self) -> Lines:
        """I.a.1-2: (I_i)^-1 about O_i in frame i, Eq. (76)."""
        yield from self.poses()
        yield Compute("I.a.2", self.rigid(I_INVERSE), self._inverse_inertia())
        if self.branches:
            c, p = (C_OWN, P_OWN) if self.lean else (C_NEXT, P_LINK)
            pose = (
                Compute("I.a.2'.iii", c, self.each(joint.turned_next, RZ, R), self.where),
                Compute("I.a.2'.iv", p, self.each(joint.moved, P_0, Q, R), self.where),
            )
            yield from self.inverse_with_branches(pose if self.lean else (), c, p)

    def poses(self) -> Lines:
        """I.a.1: how joint i turns and moves link i; constants in frame i' leave Rz to do."""
        yield Compute("I.a.1", RZ, self.each(link.planar, Q))

    def _inverse_inertia(self) -> Expression:
        return self.each(link.inverse_inertia, RZ, Q, S_TURNED, INVERSE_J, INVERSE_M)

    def coupling(self) -> Lines:
        """I.a.4: B_i, Eqs. (74), (79)-(80); with branches also (I_{i,i+1})^-1 to the next link, which needs
        it for its block of A."""
        couple = self.each(link.coupling, RZ, Q, I_INVERSE, P_TURNED, X_NEXT)
        yield Compute("I.a.4", self.rigid(B[0]), couple)
        if self.branches:
            yield Compute("I.a.4.b", folded(B[0]), self.pairs(op.side_coupling, ACROSS), i < self.n)
            yield Name("I.a.4.b'", B[0], self.rigid(B[0]), folded(B[0]))
            restrict = by_process(map(op.side_before, self.following))
            yield Compute("I.a.4.b''", AFTER, restrict(NEXT), i < self.n)
            yield Send("I.a.4.b''", AFTER, PR1[i + 1])
            yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, AFTER[i - 1])

    def end_coupling(self) -> Lines:
        """I.a.4'': E_N, Eq. (83)."""
        if self.at_tip:
            yield Compute("I.a.4''", E, op.projected(self.joints[-1], self.rows)(ACROSS), i == self.n)
        else:
            tip = link.coupling(self.joints[-1])
            yield Compute("I.a.4''", E, tip(RZ, Q, I_INVERSE, P_TURNED, X_TIP))

    def across_link(self, step: str, target: Value) -> Lines:
        """I_i^-1 C6 P^_i, 6x6: what a wrench at O_{i+1}, frame i+1, does to link i at O_i, frame i."""
        yield Compute(step, self.rigid(target), self._across_link())
        if self.branches:
            yield Name(step, target, self.rigid(target), ACROSS)

    def _across_link(self) -> Expression:
        return self.each(link.coupling, RZ, Q, I_INVERSE, P_TURNED, X_TIP, whole=True)

    def diagonal(self, *, without_last: bool = False) -> Expression:
        """A_i, Eq. (75); `without_last`: at process N what link N adds is left out."""
        kernels = [op.diagonal(x, self.rows) for x in self.joints]
        if without_last:
            kernels[-1] = op.before_alone(self.joints[-1], self.rows)
        return by_process(kernels)(I_INVERSE, self.before, *self.tilt)

    def reach(self, step: str, target: Value) -> Lines:
        """R_N = W_N' C6(N,N+1) P^_N^-1' of the operational space."""
        yield from self.frames(f"{step}.i", P_LINK, moved=f"{step}.ii")
        tip = op.reach(self.joints[-1], self.rows)
        yield Compute(f"{step}.iii", target, tip(C_NEXT, P_LINK), i == self.n)

    @property
    def tilt(self) -> tuple[Value, ...]:
        """The tilt of W_i, an operand of the kernels with W_i; none if no joint has one."""
        return (TILT,) if any(JOINTS[x].mixed for x in self.joints) else ()

    @property
    def parameter(self) -> tuple[Value, ...]:
        """The parameter of a joint, if the type of one has any."""
        return (PARAMETER,) if any(JOINTS[x].parameter for x in self.joints) else ()

    # ------------------------------------------------------------ Step II.a: frames and axes
    def frames(self, step: str, *vectors: Value, moved: str = "") -> Lines:
        """C(i,i+1), and P_i or S_i in frame i+1: constants, moved by a joint that slides. `moved` labels the
        latter, by default the step with a prime."""
        moved = moved or f"{step}'"
        turned = any(JOINTS[x].shifts and JOINTS[x].turn is not unturned for x in self.joints)
        yield Compute(step, C_NEXT, self.each(joint.rotation, Q, R, *self.parameter))
        for rank, target in enumerate(vectors, 1):
            at_rest, turn = _AT_REST[target], C_NEXT if turned else R
            if self.slides:
                place = self.each(joint.moved, at_rest, Q, turn, *self.parameter)
                yield Compute(f"{moved}.{'i' * rank}", target, place)
            else:
                yield Name(moved, target, at_rest)

    def frames_of_response(self, step: str) -> Lines:
        """C(i,i+1), P_i and W_a in array 1, where Step I.a has not made them (form omega)."""
        return self.frames(step, P_LINK, moved=step)

    def own_axes(self, step: str, *wanted: Value) -> Lines:
        """H, W_a and the tilt of W in frame i, where they are not constant."""
        yield from ()  # they are constant

    def axes_from_tip(self, step: str, turn: Value) -> Lines:
        """The axes of joint i in frame N+1, from C(N+1,i), or the rotation that turns them."""
        yield Compute(step, Z, link.third_column(turn))

    def axes_from_base(self, step: str) -> Lines:
        """The axes of joint i in frame 1, from T_i = C(1,i+1), or the rotation that turns them."""
        yield Compute(step, Z, link.turn(TURN, Z_LINK))

    # ------------------------------------------------------------ Step II.b.1: Newton-Euler
    def gyration(self, qdd: Value | None) -> Lines:
        """II.b.1.ii: what joint i adds to wdot."""
        before = last(OMEGA, self.n)[i - 1].or_zero
        precesses = any(JOINTS[x].drifts[0] for x in self.joints)
        step, target = ("II.b.1.ii'.i", GYRATION) if precesses else ("II.b.1.ii", WDOT[0])
        if qdd is None:
            yield Compute(step, target, link.gyration(OMEGA[0], before))
        else:
            gyration = self.each(link.accelerated_gyration, self.axes, OMEGA[0], qdd, before)
            yield Compute(step, target, gyration)
        if precesses:
            yield self.drift("II.b.1.ii'.ii", PRECESSION)
            yield Compute("II.b.1.ii", WDOT[0], plus(GYRATION, PRECESSION.or_zero))

    def drift(self, step: str, target: Value, *, linear: bool = False) -> Instruction:
        """The angular or the linear part of Hdot_i qd_i where the joint has it."""
        some = next(x for x in self.joints if JOINTS[x].drifts[linear])  # where nothing is computed
        kernels = (joint.drift(x if JOINTS[x].drifts[linear] else some, linear) for x in self.joints)
        where = self.those(lambda x: x.drifts[linear])
        return Compute(step, target, by_process(kernels)(Q, QD, PARAMETER, TURN_BEFORE), where)

    def sliding(self, qdd: Value | None) -> Lines:
        """II.b.1.iii': the acceleration in a joint that slides."""
        if self.slides:
            omega = last(OMEGA, self.n)
            slide = link.coriolis(omega, Z, QD) if qdd is None else link.sliding(omega, Z, QD, qdd)
            yield Compute("II.b.1.iii'", SLIDING, slide, self.those(lambda x: x.shifts))

    @cached_property
    def slides(self) -> tuple[Operand, ...]:
        """The result of `sliding`, if a joint of the arm slides."""
        return (SLIDING.or_zero,) if any(JOINTS[x].shifts for x in self.joints) else ()

    def jet(self, qdd: Value | None) -> Expression:
        """Link i against link i - 1 to second order, in frame i (`senn.algorithms.kernels.jets`)."""
        rates = (QD,) if qdd is None else (QD, qdd)
        of_links = (C_NEXT, P_LINK, *rates, *self.state)
        return self.each(jet.link_jet, *of_links, accelerating=qdd is not None)

    # ------------------------------------------------------------ the operators of Eq. (81)
    def driven(self, step: str, f_g: Value, target: Value, names: Names) -> Lines:
        """I^-1 R H F_G as `target`."""
        yield Send(f"{step}.i", f_g, PR2[i - 1])
        wrench = self.pairs(op.joint_wrench, f_g, C_NEXT, P_LINK, I_INVERSE, f_g[i + 1].or_zero)
        yield Compute(f"{step}.ii", target, wrench)

    def wrench_of(self, step: str, f_g: Value, names: Names, *, less: Value | None = None) -> Lines:
        """b.4: X^1 = I^-1 R H F_G, less what is given, and in Step II less I^-1 p, what the drives of side
        branches take; J' F has no part of theirs."""
        with_drives = bool(self.branches) and names == STEP_II
        if with_drives:
            yield from self.drives(f"{step}'")
        rest = names.driven if with_drives or less is not None else names.x1
        yield from self.driven(step, f_g, rest, names)
        if less is not None:
            rest = names.value("X^1-", 6) if with_drives else names.x1
            yield Compute(f"{step}.iii" + "'" * with_drives, rest, minus(names.driven, less))
        if with_drives:
            yield Compute(f"{step}.iii", names.x1, minus(rest, HELD_X.or_zero))

    def constrained(self, names: Names) -> Expression:
        """b.5: X^2 = W' R' X^1."""
        before = names.carried[i - 1].or_zero
        return self.each(op.constrained, names.x1, before, *self.tilt, rows=self.rows)

    def projected(self, x: Value) -> Expression:
        """W_N' X of process N, to which nothing is carried."""
        return op.projected(self.joints[-1], self.rows)(x, *self.tilt)

    def constraint_wrench(self, step: str, names: Names, array: Array = PR2) -> Lines:
        """c.5: X^4 = I^-1 R W phi."""
        yield Send(f"{step}.i", names.phi, array[i - 1])
        own, after = (I_INVERSE, names.phi, C_NEXT, P_LINK), names.phi[i + 1].or_zero
        yield Compute(f"{step}.ii", names.x4, self.pairs(op.constraint_wrench, *own, after))

    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """c.7: H' R' X^5, and the accelerations of side branches."""
        yield from self._rates(step, target, names, array)
        if self.branches and names != UNIT_WRENCHES:  # of these, `branch_rows`
            targets = (self.side.qdd_0, self.side.drives) if names == STEP_II else (self.side.qdd_c,)
            yield from self.respond(f"{step}'", names.value("x.b", 6), names.x5, *targets)

    def _rates(self, step: str, target: Value, names: Names, array: Array) -> Lines:
        """A process makes the word that its neighbour needs."""
        passed = names.value("x")
        component = by_process(map(op.carried_component, self.following))
        yield Compute(f"{step}.i", passed, component(C_NEXT, P_LINK, names.x5), i < self.n)
        yield Send(f"{step}.ii", passed, array[i + 1])
        rate = self.each(op.joint_component, names.x5, passed[i - 1].or_zero)
        yield Compute(f"{step}.iii", target, rate)

    # ------------------------------------------------------------ what it holds, and leaves
    def resident(self) -> Iterator[Resident]:
        """`constants`, and those of the last link."""
        yield from map(Resident, self.constants)
        if self.lean:
            yield Resident(X_NEXT, where=i < self.n)
            yield Resident(X_TIP, where=i == self.n)
        yield Resident(TIP, where=i == self.n)

    def along(self, names: Names, torque: Value) -> Value:
        """The part of the joint wrenches that the joints drive."""
        return torque

    def across(self, names: Names) -> Value:
        """The part of the joint wrenches that the joints forbid."""
        return names.phi

    # ------------------------------------------------------------ a program for it
    @cached_property
    def sizes(self) -> Mapping[Size, int | None]:
        """The sizes that the arm decides; None: no axis at all."""
        coordinates = max(JOINTS[x].coordinates for x in self.joints)
        of_joint = {FREEDOM: self.freedom, COORDINATES: coordinates, INNER: self.inner_freedom}
        return {
            ROWS: self.rows,
            PACKED: triangle(self.rows),
            REST: 15 if self.lean else 21,
            WITH_INNER: 6 + self.inner_freedom,
            WITH_FREEDOM: 6 + self.freedom,
            **(dict.fromkeys(of_joint) if self.lean else of_joint),
        }

    def program(
        self,
        name: str,
        *streams: Iterable[Instruction],
        results: Mapping[str, tuple[int, Value]],
        parts: Mapping[str, str],
        also: Iterable[Resident] = (),
        **variant: Any,
    ) -> Program:
        """The program of these streams, one an array, with the arm's sizes and its resident values, each in
        the arrays that read it; `also`: residents beside those of the arm, or in their place."""
        sized = tuple(tuple(with_values(line, self.sized) for line in stream) for stream in streams)
        read = [{x.value for line in stream for x in operands_of(line)} for stream in sized]
        of_contact = (Resident(x, where=i == self.n) for x in contact_values(self.contact).values())
        residents_of_arm = self.beside(self.resident()) if self.branches else self.resident()
        residents = {x.value: x for x in (*residents_of_arm, *of_contact, *also)}
        needed = [
            replace(x, value=value, arrays=arrays)
            for x in residents.values()
            for value in (self.sized(x.value),)
            if (arrays := tuple(k for k, values in enumerate(read, 1) if value in values))
        ]
        return Program(
            name=name,
            n=self.n,
            streams=sized,
            resident=tuple(needed),
            results={key: (array, self.sized(x)) for key, (array, x) in results.items()},
            parts=parts,
            about={**about(self.contact, **variant), "branches": self.branches},
            head=head,
        )

    def sized(self, x: Value) -> Value:
        """A value with the sizes of this arm."""
        sizes = (self.sizes[d] if isinstance(d, Size) else d for d in x.shape)
        return Value(x.letter, x.level, tuple(d for d in sizes if d is not None))
