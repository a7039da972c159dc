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

from senn.algorithms.arm.contact import about, contact_values
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import ACROSS, BEFORE_OR_AFTER, HELD_X, NEXT, Lines, Sides, folded
from senn.algorithms.kernels import jets as jet
from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link, sums
from senn.algorithms.kernels import operators as op
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.joints import JOINTS, Joint, unturned
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.variant import head
from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.rewrite.lines import with_values

C_OWN, P_OWN = value("C(i,i+1).b", 3, 3), value("P.b", 3)  # of links with branches, in the array of Step I
AFTER = value("(I_{i,i+1})^-1.w", 15)  # restricted to W_{i+1}, for the next link
_AT_REST = {P_LINK: P_0, S_LINK: S_0}
_SIZES: Mapping[Size, int | None] = {
    ROWS: 5,
    PACKED: 15,
    REST: 15,
    **dict.fromkeys((FREEDOM, COORDINATES, INNER)),
    **dict.fromkeys((WITH_INNER, WITH_FREEDOM), 7),
}


@dataclass(frozen=True)
class Arm(Sides):
    """An arm of revolute and prismatic joints; structure, not data."""

    joints: tuple[str, ...]
    """The type of each joint, base to tip (`senn.algorithms.robots.joints`)."""
    contact: ContactShape
    branches: tuple[SideTree, ...] = ()
    lean: ClassVar[bool] = True
    """Whether all joints are revolute or prismatic, and what belongs to a joint is one number."""

    @cached_property
    def freedom(self) -> int:
        """k: the most degrees of freedom of a joint."""
        return max(JOINTS[x].degrees for x in self.joints)

    @property
    def followed(self) -> Iterator[tuple[str, str]]:
        """Each joint with the one that follows; the last with itself."""
        return zip(self.joints, (*self.joints[1:], self.joints[-1]), strict=True)

    def those(self, has: Callable[[Joint], object]) -> ProcessSet:
        """The processes with such a joint."""
        return ProcessSet.of(process for process, x in enumerate(self.joints, 1) if has(JOINTS[x]))

    @cached_property
    def rows(self) -> int:
        """s: the rows of a block of A, the most directions that a joint forbids; one if none forbids any."""
        return max(1, 6 - min(JOINTS[x].degrees for x in self.joints))

    def by_rows(self, family: Callable[..., Kernel]) -> Callable[..., Expression]:
        """The kernel of each joint with W_i."""
        return by_process(family(x, rows=self.rows) for x in self.joints)

    # ------------------------------------------------------------ Step I.a
    def inverse_inertia(self) -> Lines:
        """I.a.1-2: (I_i)^-1 about O_i in frame i, Eq. (76)."""
        yield from self.poses()
        yield Compute("I.a.2", self.rigid(I_INVERSE), self._inverse_inertia())
        if self.branches:
            yield from self.folded()
            yield from self.pose_with_branches()
            yield from self.inverse_with_branches(*self.branched_pose)

    def poses(self) -> Lines:
        """I.a.1: how joint i turns and moves link i; constants in frame i' leave Rz to do."""
        yield Compute("I.a.1", RZ, by_process(map(link.planar, self.joints))(Q))

    def _inverse_inertia(self) -> Expression:
        kernels = by_process(map(link.inverse_inertia, self.joints))
        return kernels(RZ, Q, S_TURNED, INVERSE_J, INVERSE_M)

    def pose_with_branches(self) -> Lines:
        """I.a.2'.iii-iv: C(i,i+1) and P_i of links with branches, as `branched_pose`."""
        turned = by_process(map(joint.turned_next, self.joints))
        yield Compute("I.a.2'.iii", C_OWN, turned(RZ, R), self.where)
        moved = by_process(map(joint.moved, self.joints))
        yield Compute("I.a.2'.iv", P_OWN, moved(P_0, Q, R), self.where)

    @property
    def branched_pose(self) -> tuple[Value, Value]:
        """C(i,i+1) and P_i of links with branches in Step I."""
        return C_OWN, P_OWN

    def coupling(self) -> Lines:
        """I.a.4: B_i, Eqs. (74), (79)-(80); with branches also (I_{i,i+1})^-1 to the next link, which needs
        it for its block of A."""
        yield Compute("I.a.4", self.rigid(B[0]), self._coupling())
        if self.branches:
            couple = by_process(op.side_coupling(a, b) for a, b in self.followed)
            yield Compute("I.a.4.b", folded(B[0]), couple(ACROSS), i < self.n)
            yield Name("I.a.4.b'", B[0], self.rigid(B[0]), folded(B[0]))
            restrict = by_process(op.side_before(after) for _, after in self.followed)
            yield Compute("I.a.4.b''", AFTER, restrict(NEXT), i < self.n)
            yield Send("I.a.4.b''", AFTER, PR1[i + 1])
            yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, AFTER[i - 1])

    def _coupling(self) -> Expression:
        return by_process(map(link.coupling, self.joints))(RZ, Q, I_INVERSE, P_TURNED, X_NEXT)

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
        couple = by_process(link.coupling(x, whole=True) for x in self.joints)
        return couple(RZ, Q, I_INVERSE, P_TURNED, X_TIP)

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
        yield Compute(step, C_NEXT, self._rotation())
        for rank, target in enumerate(vectors, 1):
            if self.slides:
                yield Compute(f"{moved}.{'i' * rank}", target, self._moved(_AT_REST[target]))
            else:
                yield Name(moved, target, _AT_REST[target])

    def _rotation(self) -> Expression:
        """C(i,i+1)."""
        return by_process(map(joint.rotation, self.joints))(Q, R, *self.parameter)

    def _moved(self, at_rest: Value) -> Expression:
        """P_i or S_i, from where it is at q_i = 0."""
        turned = any(JOINTS[x].shifts and JOINTS[x].turn is not unturned for x in self.joints)
        kernels = by_process(map(joint.moved, self.joints))
        return kernels(at_rest, Q, C_NEXT if turned else R, *self.parameter)

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
    @property
    def axes(self) -> Value:
        """Axis of joint i, in the common frame."""
        return Z

    def turning(self, rate: Value) -> Expression:
        """The angular velocity (or acceleration) that joint i makes of its rate."""
        return by_process(map(link.turning, self.joints))(self.axes, rate)

    def gyration(self, qdd: Value | None) -> Lines:
        """II.b.1.ii: what joint i adds to wdot."""
        before = last(OMEGA, self.n)[i - 1].or_zero
        precesses = any(JOINTS[x].drifts[0] for x in self.joints)
        step, target = ("II.b.1.ii'.i", GYRATION) if precesses else ("II.b.1.ii", WDOT[0])
        if qdd is None:
            yield Compute(step, target, link.gyration(OMEGA[0], before))
        else:
            kernels = by_process(map(link.accelerated_gyration, self.joints))
            yield Compute(step, target, kernels(self.axes, OMEGA[0], qdd, before))
        if precesses:
            yield self.drift("II.b.1.ii'.ii", PRECESSION)
            yield Compute("II.b.1.ii", WDOT[0], sums.plus(GYRATION, PRECESSION.or_zero))

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
        kernels = by_process(jet.link_jet(x, qdd is not None) for x in self.joints)
        return kernels(C_NEXT, P_LINK, QD, *(() if qdd is None else (qdd,)), *self.state)

    @property
    def state(self) -> tuple[Value, ...]:
        """H_i and what it depends on, where it is not constant."""
        return ()

    def bias(self, moment: Value, force: Value) -> Expression:
        """b_i = H_i' F_i of II.b.1.viii."""
        return by_process(map(link.bias, self.joints))(self.axes, moment, force)

    def bias_of_wrench(self, wrench: Value) -> Expression:
        """b_i = H_i' F_i, from (p, f, n)."""
        return by_process(map(link.bias_of_wrench, self.joints))(self.axes, wrench)

    # ------------------------------------------------------------ the operators of Eq. (81)
    def driven(self, step: str, f_g: Value, target: Value, names: Names) -> Lines:
        """I^-1 R H F_G as `target`."""
        yield Send(f"{step}.i", f_g, PR2[i - 1])
        kernels = by_process(op.joint_wrench(*pair) for pair in self.followed)
        wrench = kernels(f_g, C_NEXT, P_LINK, I_INVERSE, f_g[i + 1].or_zero)
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
            yield Compute(f"{step}.iii" + "'" * with_drives, rest, sums.difference(names.driven, less))
        if with_drives:
            yield Compute(f"{step}.iii", names.x1, sums.minus(rest, HELD_X.or_zero))

    def constrained(self, names: Names) -> Expression:
        """b.5: X^2 = W' R' X^1."""
        return self.by_rows(op.constrained)(names.x1, names.carried[i - 1].or_zero, *self.tilt)

    def projected(self, x: Value) -> Expression:
        """W_N' X of process N, to which nothing is carried."""
        return op.projected(self.joints[-1], self.rows)(x, *self.tilt)

    def constraint_wrench(self, step: str, names: Names, array: Array = PR2) -> Lines:
        """c.5: X^4 = I^-1 R W phi."""
        yield Send(f"{step}.i", names.phi, array[i - 1])
        kernels = by_process(op.constraint_wrench(*pair) for pair in self.followed)
        wrench = kernels(I_INVERSE, names.phi, C_NEXT, P_LINK, names.phi[i + 1].or_zero)
        yield Compute(f"{step}.ii", names.x4, wrench)

    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """c.7: H' R' X^5, and the accelerations of side branches."""
        yield from self._rates(step, target, names, array)
        yield from self.branch_accelerations(f"{step}'", names)

    def _rates(self, step: str, target: Value, names: Names, array: Array) -> Lines:
        """A process makes the word that its neighbour needs."""
        passed = names.value("x")
        component = by_process(op.carried_component(then) for _, then in self.followed)
        yield Compute(f"{step}.i", passed, component(C_NEXT, P_LINK, names.x5), i < self.n)
        yield Send(f"{step}.ii", passed, array[i + 1])
        rate = by_process(op.joint_component(x) for x in self.joints)
        yield Compute(f"{step}.iii", target, rate(names.x5, passed[i - 1].or_zero))

    def lever_rate(self, dw: Value) -> Expression:
        """II.d.1, Eq. (86)."""
        return by_process(map(link.lever_rate, self.joints))(dw, P, self.axes, QDD_0)

    def reaction(self, p: Value, force: Value) -> Expression:
        """IV.a.2, Eq. (88): tau'_i = H_i' F_i."""
        return by_process(map(link.reaction, self.joints))(self.axes, p, force)

    def response(self, force: Value) -> Lines:
        """IV.b.2 of form omega: Qdd = Qdd_0 - Y F."""
        yield Compute("IV.b.2", QDD, op.response(QDD_0, Y_ROW, force))
        yield from self.branch_response(force)

    # ------------------------------------------------------------ what it holds, and leaves
    def resident(self) -> Iterator[Resident]:
        """Constants and state of link i, in whatever array reads them."""
        n = self.n
        for x in (Q, S_TURNED, P_TURNED, INVERSE_J, INVERSE_M, BEFORE, S_0, R, P_0, Z_LINK, QD, TAU, M, J):
            yield Resident(x)
        yield Resident(X_NEXT, where=i < n)
        yield Resident(X_TIP, where=i == n)
        yield Resident(TIP, where=i == n)

    def along(self, names: Names, torque: Value) -> Value:
        """The part of the joint wrenches that the joints drive."""
        return torque

    def across(self, names: Names) -> Value:
        """The part of the joint wrenches that the joints forbid."""
        return names.phi

    # ------------------------------------------------------------ a program for it
    @property
    def sizes(self) -> Mapping[Size, int | None]:
        """The sizes that the arm decides; None: no axis at all."""
        return _SIZES

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
        return Value(x.letter, x.level, self.shape(x.shape))

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = [self.sizes[d] if isinstance(d, Size) else d for d in shape]
        return tuple(d for d in sizes if d is not None)
