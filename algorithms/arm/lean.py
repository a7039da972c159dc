"""An arm of revolute and prismatic joints: H_i and W_i are rows of the unit matrix, blocks of A are 5x5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from senn.algorithms.arm.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import end_effector as end
from senn.algorithms.kernels import jets as jet
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.machine.program import *  # the words of a program


class Lean(Arm):
    """An arm of revolute and prismatic joints."""

    # ------------------------------------------------------------ Step I.a
    def inverse_inertia(self) -> Lines:
        """Constants turned to frame i' leave the planar rotation to do."""
        yield Compute("I.a.1", RZ, by_process(map(link.planar, self.joints))(Q))
        yield Compute("I.a.2", I_INVERSE, self._inverse_inertia())

    def _inverse_inertia(self) -> Expression:
        kernels = by_process(map(link.inverse_inertia, self.joints))
        return kernels(RZ, Q, S_TURNED, INVERSE_J, INVERSE_M)

    def coupling(self) -> Lines:
        yield Compute("I.a.4", B[0], self._coupling())

    def _coupling(self) -> Expression:
        return by_process(map(link.coupling, self.joints))(RZ, Q, I_INVERSE, P_TURNED, X_NEXT)

    def end_coupling(self) -> Lines:
        tip = link.coupling(self.joints[-1])
        yield Compute("I.a.4''", E, tip(RZ, Q, I_INVERSE, P_TURNED, X_TIP))

    def across_link(self, step: str, target: Value) -> Lines:
        couple = by_process(link.coupling(x, whole=True) for x in self.joints)
        yield Compute(step, target, couple(RZ, Q, I_INVERSE, P_TURNED, X_TIP))

    def diagonal(self, *, without_last: bool = False) -> Expression:
        kernels = [*map(link.diagonal, self.joints)]
        if without_last:
            kernels[-1] = end.BEFORE_ALONE
        return by_process(kernels)(I_INVERSE, self.before)

    def before_last(self, step: str, target: Value) -> Lines:
        yield Name(step, target, self.before, where=i == self.n)

    def reach(self, step: str, target: Value) -> Lines:
        yield from self.frames(f"{step}.i", P_LINK, moved=f"{step}.ii")
        tip = end.reach(self.joints[-1])
        yield Compute(f"{step}.iii", target, tip(C_NEXT, P_LINK), i == self.n)

    # ------------------------------------------------------------ Step II.a
    def _rotation(self) -> Expression:
        return by_process(map(link.rotation, self.joints))(Q, R)

    def _moved(self, at_rest: Value) -> Expression:
        return by_process(map(link.moved, self.joints))(at_rest, Q, R)

    def frames_of_response(self, step: str) -> Lines:
        return self.frames(step, P_LINK, moved=step)

    def own_axes(self, step: str, *wanted: Value) -> Lines:
        yield from ()  # they are constant

    def axes_from_tip(self, step: str, turn: Value) -> Lines:
        yield Compute(step, Z, link.third_column(turn))

    def axes_from_base(self, step: str) -> Lines:
        yield Compute(step, Z, link.turn(TURN, Z_LINK))

    # ------------------------------------------------------------ Step II.b.1
    def turning(self, rate: Value) -> Expression:
        return by_process(map(link.turning, self.joints))(Z, rate)

    def gyration(self, qdd: Value | None) -> Lines:
        before = last(OMEGA, self.n)[i - 1].or_zero
        if qdd is None:
            yield Compute("II.b.1.ii", WDOT[0], link.gyration(OMEGA[0], before))
        else:
            kernels = by_process(map(link.accelerated_gyration, self.joints))
            yield Compute("II.b.1.ii", WDOT[0], kernels(Z, OMEGA[0], qdd, before))

    def sliding(self, qdd: Value | None) -> Lines:
        if self.slides:
            omega = last(OMEGA, self.n)
            slide = link.coriolis(omega, Z, QD) if qdd is None else link.sliding(omega, Z, QD, qdd)
            yield Compute("II.b.1.iii'", SLIDING, slide, self.those("prismatic"))

    @cached_property
    def slides(self) -> tuple[Operand, ...]:
        return (SLIDING.or_zero,) if "prismatic" in self.joints else ()

    def jet(self, qdd: Value | None) -> Expression:
        extra = () if qdd is None else (qdd,)
        kernels = by_process(jet.lean_link_jet(x, bool(extra)) for x in self.joints)
        return kernels(C_NEXT, P_LINK, QD, *extra)

    def bias(self, moment: Value, force: Value) -> Expression:
        return by_process(map(link.bias, self.joints))(Z, moment, force)

    def bias_of_wrench(self, wrench: Value) -> Expression:
        return by_process(map(link.bias_of_wrench, self.joints))(Z, wrench)

    # ------------------------------------------------------------ Eq. (81)
    def driven(self, step: str, f_g: Value, target: Value, names: Names) -> Lines:
        yield Send(f"{step}.i", f_g, PR2[i - 1])
        kernels = by_process(op.joint_wrench(*pair) for pair in self.followed)
        wrench = kernels(f_g, C_NEXT, P_LINK, I_INVERSE, f_g[i + 1].or_zero)
        yield Compute(f"{step}.ii", target, wrench)

    def constrained(self, names: Names) -> Expression:
        return by_process(op.constrained(x) for x in self.joints)(names.x1, names.carried[i - 1].or_zero)

    def projected(self, x: Value) -> Expression:
        return op.projected(self.joints[-1])(x)

    def constraint_wrench(self, step: str, names: Names, array: Array = PR2) -> Lines:
        yield Send(f"{step}.i", names.phi, array[i - 1])
        kernels = by_process(op.constraint_wrench(*pair) for pair in self.followed)
        wrench = kernels(I_INVERSE, names.phi, C_NEXT, P_LINK, names.phi[i + 1].or_zero)
        yield Compute(f"{step}.ii", names.x4, wrench)

    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """A process makes the word that its neighbour needs."""
        passed = names.value("x")
        component = by_process(op.carried_component(then) for _, then in self.followed)
        yield Compute(f"{step}.i", passed, component(C_NEXT, P_LINK, names.x5), i < self.n)
        yield Send(f"{step}.ii", passed, array[i + 1])
        rate = by_process(op.joint_component(x) for x in self.joints)
        yield Compute(f"{step}.iii", target, rate(names.x5, passed[i - 1].or_zero))

    def lever_rate(self, dw: Value) -> Expression:
        return by_process(map(link.lever_rate, self.joints))(dw, P, Z, QDD_0)

    def reaction(self, p: Value, force: Value) -> Expression:
        return by_process(map(link.reaction, self.joints))(Z, p, force)

    def response(self, force: Value) -> Lines:
        yield Compute("IV.b.2", QDD, op.response(QDD_0, Y_ROW, force))

    # ------------------------------------------------------------ what it holds, and leaves
    def resident(self) -> Iterator[Resident]:
        n = self.n
        for x in (Q, S_TURNED, P_TURNED, INVERSE_J, INVERSE_M, BEFORE, S_0, R, P_0, Z_LINK, QD, TAU, M, J):
            yield Resident(x)
        yield Resident(X_NEXT, where=i < n)
        yield Resident(X_TIP, where=i == n)
        yield Resident(TIP, where=i == n)

    def along(self, names: Names, torque: Value) -> Value:
        return torque

    def across(self, names: Names) -> Value:
        return names.phi

    @property
    def sizes(self) -> Mapping[Size, int | None]:
        return _LEAN


_LEAN: Mapping[Size, int | None] = {
    ROWS: 5,
    PACKED: 15,
    REST: 15,
    FREEDOM: None,
    COORDINATES: None,
    INNER: None,
    WITH_INNER: 7,
    WITH_FREEDOM: 7,
}
