"""An arm as programs know it: its joints, its side branches and the shape of the contact; no numbers.

The methods of an arm are the operators of the paper, as the lines that compute them. Those of `Arm` are for
revolute and prismatic joints: H_i and W_i are rows of the unit matrix, blocks of A are 5x5. `wide.Wide`
(joints of any type) and the classes of `sides` (both, with side branches) differ; `arm_of` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from senn.algorithms.arm.contact import about, contact_values
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import jets as jet
from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link, sums
from senn.algorithms.kernels import operators as op
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.joints import JOINTS, Joint
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.variant import head
from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.rewrite.lines import with_values

Lines = Iterator[Instruction]
_AT_REST = {P_LINK: P_0, S_LINK: S_0}
_SIZES: Mapping[Size, int | None] = {
    ROWS: 5,
    PACKED: 15,
    REST: 15,
    **dict.fromkeys((FREEDOM, COORDINATES, INNER)),
    **dict.fromkeys((WITH_INNER, WITH_FREEDOM), 7),
}


@dataclass(frozen=True)
class Arm:
    """An arm of revolute and prismatic joints; structure, not data."""

    joints: tuple[str, ...]
    """The type of each joint, base to tip (`senn.algorithms.robots.joints`)."""
    contact: ContactShape
    branches: tuple[SideTree, ...] = ()

    @property
    def n(self) -> int:
        """The links of the main chain."""
        return len(self.joints)

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
        """I.a.1-2: (I_i)^-1 about O_i in frame i, Eq. (76); constants in frame i' leave Rz to do."""
        yield Compute("I.a.1", RZ, by_process(map(link.planar, self.joints))(Q))
        yield Compute("I.a.2", I_INVERSE, self._inverse_inertia())

    def _inverse_inertia(self) -> Expression:
        kernels = by_process(map(link.inverse_inertia, self.joints))
        return kernels(RZ, Q, S_TURNED, INVERSE_J, INVERSE_M)

    def coupling(self) -> Lines:
        """I.a.4: B_i, Eqs. (74), (79)-(80)."""
        yield Compute("I.a.4", B[0], self._coupling())

    def _coupling(self) -> Expression:
        return by_process(map(link.coupling, self.joints))(RZ, Q, I_INVERSE, P_TURNED, X_NEXT)

    def end_coupling(self) -> Lines:
        """I.a.4'': E_N, Eq. (83)."""
        tip = link.coupling(self.joints[-1])
        yield Compute("I.a.4''", E, tip(RZ, Q, I_INVERSE, P_TURNED, X_TIP))

    def across_link(self, step: str, target: Value) -> Lines:
        """I_i^-1 C6 P^_i, 6x6: what a wrench at O_{i+1}, frame i+1, does to link i at O_i, frame i."""
        couple = by_process(link.coupling(x, whole=True) for x in self.joints)
        yield Compute(step, target, couple(RZ, Q, I_INVERSE, P_TURNED, X_TIP))

    def diagonal(self, *, without_last: bool = False) -> Expression:
        """A_i, Eq. (75); `without_last`: at process N what link N adds is left out."""
        kernels = [op.diagonal(x, self.rows) for x in self.joints]
        if without_last:
            kernels[-1] = op.before_alone(self.joints[-1], self.rows)
        return by_process(kernels)(I_INVERSE, self.before, *self.tilt)

    @property
    def before(self) -> Value:
        """(I_{i-1,i})^-1: restricted to W_i in an arm of revolute and prismatic joints, else whole."""
        return BEFORE

    def reach(self, step: str, target: Value) -> Lines:
        """R_N = W_N' C6(N,N+1) P^_N^-1' of the operational space."""
        yield from self.frames(f"{step}.i", P_LINK, moved=f"{step}.ii")
        tip = op.reach(self.joints[-1], self.rows)
        yield Compute(f"{step}.iii", target, tip(C_NEXT, P_LINK), i == self.n)

    @property
    def tip_inertia(self) -> Operand:
        """(I_{N,N+1})^-1 at process N, Eq. (68)."""
        return TIP[i]

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
        turned = any(JOINTS[x].shifts and not JOINTS[x].unturned for x in self.joints)
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
        extra = () if qdd is None else (qdd,)
        kernels = by_process(jet.lean_link_jet(x, bool(extra)) for x in self.joints)
        return kernels(C_NEXT, P_LINK, QD, *extra)

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
        """b.4: X^1 = I^-1 R H F_G, less what is given."""
        yield from self.driven(step, f_g, names.x1 if less is None else names.driven, names)
        if less is not None:
            yield Compute(f"{step}.iii", names.x1, sums.difference(names.driven, less))

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
        """c.7: H' R' X^5; a process makes the word that its neighbour needs."""
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

    # ------------------------------------------------------------ side branches; without any, nothing
    @property
    def where(self) -> ProcessSet:
        """The processes whose link has side branches."""
        return ProcessSet.of(tree.at for tree in self.branches)

    @property
    def plain(self) -> ProcessSet:
        """The processes whose link has no side branches."""
        return i > 0

    def beyond_link(self, step: str) -> Lines:
        """(I_{i,i+1})^-1 of every link, where it is not constant."""
        yield from ()

    @property
    def link_inertia(self) -> Value:
        """(I_{i,i+1})^-1 about O_{i+1} in frame i+1."""
        return TIP

    @property
    def at_tip(self) -> bool:
        """Whether the last link has branches."""
        return False

    def tip_mass(self, step: str, target: Value) -> Lines:
        """I_{N,N+1} of the last link with its branches, if it has any."""
        yield from ()

    def loads(self, gravity: Value, qdd: Value | None = None, tip: Value | None = None) -> Lines:
        """II.b.1.v': what else acts on a link: its side branches, of which the accelerations are named like
        `qdd`, and what the end effector exerts."""
        if tip is not None:
            yield Compute("II.b.1.v''", TIP_LOAD, link.turned_wrench(TURN, tip), i == self.n)

    def load(self, tip: Value | None = None) -> Value | None:
        """The wrench [n; f] of `loads`, about O_{i+1} in the common frame."""
        return tip and TIP_LOAD

    def as_one(self, step: str) -> Lines:
        """Inertias of links with their side branches, without any Step I."""
        yield from ()

    @property
    def together(self) -> tuple[Value, ...]:
        """I_{i,i+1} in frame i+1, of `as_one`, if a link has branches."""
        return ()

    @property
    def held_wrench(self) -> tuple[Value, ...]:
        """The wrench of `holds`, about O_{i+1} in frame i+1."""
        return ()

    def holds(self, step: str) -> Lines:
        """The accelerations that the torques of side branches give their joints, and p, the wrench with which
        their link holds them, at rest."""
        yield from ()

    def drives(self, step: str) -> Lines:
        """The lines of `holds`, and I_i^-1 p, which p does to the link."""
        yield from ()

    @property
    def branch_acceleration(self) -> Value | None:
        """I_i^-1 p of `drives`: the acceleration of the link at O_i, with the other sign."""
        return None

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        """Joint accelerations of side branches from that of their link at O_i, frame i."""
        yield from ()

    def branch_rows(self) -> Lines:
        """I.c.3'' of form omega: the rows of M^-1 J' of side branches."""
        yield from ()

    def difference(self) -> Lines:
        """IV.b.2': Qdd = Qdd_0 - Qdd_C of side branches."""
        yield from ()

    def results(self) -> dict[str, tuple[int, Value]]:
        """Results of side branches."""
        return {}

    def branch_torques(self) -> dict[str, Value]:
        """Results of `loads`: the forces along the joints of side branches."""
        return {}

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
        residents = {x.value: x for x in (*self.resident(), *of_contact, *also)}
        needed = [
            replace(x, value=value, arrays=arrays)
            for x in residents.values()
            if (value := self.sized(x.value))
            and (arrays := tuple(k for k, values in enumerate(read, 1) if value in values))
        ]
        return Program(
            name=name,
            n=self.n,
            streams=sized,
            resident=tuple(needed),
            results={key: (array, self.sized(x)) for key, (array, x) in results.items()},
            parts=parts,
            about={
                **about(**variant, contact=self.contact.constrained, contact_kind=self.contact.kind),
                "branches": self.branches,
            },
            head=head,
        )

    def sized(self, x: Value) -> Value:
        """A value with the sizes of this arm."""
        return Value(x.letter, x.level, self.shape(x.shape))

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = [self.sizes[d] if isinstance(d, Size) else d for d in shape]
        return tuple(d for d in sizes if d is not None)
