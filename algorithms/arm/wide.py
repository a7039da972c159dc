"""An arm with joints of any type: several types in blocks of one size, as a SIMD array has to hold them.

Every process has H_i, 6 x k, and blocks of s rows, as W_i is 6 x s, where k and s are the most that a joint
needs. Columns that its own joint has not got are zero, and A_i has ones on its diagonal there: every block of
the elimination then keeps its padding, and the padded entries of phi and Qdd come out exactly zero. Forces at
O_{i+1} come as six words, f_T = W_a F_G and f_W = W phi in place of F_G and phi, and what link i carries to
O_{i+1} goes out as six words, of which the receiver takes its components.

A joint of any type gives link i the velocity H_i qd_i against link i - 1, [w_rel; v_rel] of its point at O_i.
With Hdot_i qd_i the terms of its joint in Newton-Euler are

    wdot:  omega_{i-1} x w_rel + (Hdot qd)_w + (H qdd)_w
    c:     (omega_{i-1} + omega_i) x v_rel + (Hdot qd)_v + (H qdd)_v

which at qdd = 0 are omega_{i-1} x z qd of a revolute joint, and 2 omega_i x z qd of a prismatic one.
"""

from __future__ import annotations

from senn.algorithms.arm.arm import Arm
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import BEFORE_OR_AFTER, NEXT, Lines
from senn.algorithms.kernels import joints as joint
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import *  # the words of a program
from senn.machine.program.ready import plus


class Wide(Arm):
    """An arm with joints of any type."""

    lean = False
    axes = AXES
    state = (H, Q, PARAMETER)
    constants = (Q, INVERSE_J_LINK, INVERSE_M, BEFORE, S_0, PARAMETER, R, P_0, QD, TAU, M, J)

    # ------------------------------------------------------------ Step I.a
    def poses(self) -> Lines:
        """C(i,i+1) of any joint, and the tilt of W_i, which process i - 1 needs for B_{i-1}."""
        yield from self.frames("I.a.1", P_LINK, S_LINK)
        yield from self.own_axes("I.a.1''", TILT)
        for tilt in self.tilt:
            yield Send("I.a.1''", tilt, PR1[i - 1])

    def _inverse_inertia(self) -> Expression:
        return link.inverse_inertia_in_pose(C_NEXT, S_LINK, INVERSE_J_LINK, INVERSE_M)

    def coupling(self) -> Lines:
        """B_i of (I_i)^-1, with branches or without; with them (I_{i,i+1})^-1 goes to the next link whole."""
        tilts: list[Operand | Value] = [*self.tilt, *(tilt[i + 1] for tilt in self.tilt)]
        couple = self.pairs(op.coupling, I_INVERSE, C_NEXT, P_LINK, *tilts, rows=self.rows)
        yield Compute("I.a.4", B[0], couple, i < self.n)
        if self.branches:
            yield Send("I.a.4.b''", NEXT, PR1[i + 1])
            yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, NEXT[i - 1])

    def end_coupling(self) -> Lines:
        tip = op.coupling(self.joints[-1], None, self.rows)
        yield Compute("I.a.4''", E, tip(I_INVERSE, C_NEXT, P_LINK, *self.tilt), i == self.n)

    def _across_link(self) -> Expression:
        return op.end_response(self.rigid(I_INVERSE), C_NEXT, P_LINK)

    def reach(self, step: str, target: Value) -> Lines:
        tip = op.reach(self.joints[-1], self.rows)
        yield Compute(step, target, tip(C_NEXT, P_LINK, *self.tilt), i == self.n)

    # ------------------------------------------------------------ Step II.a
    def frames_of_response(self, step: str) -> Lines:
        return self.own_axes(step, W_A)

    def own_axes(self, step: str, *wanted: Value) -> Lines:
        for rank, target in enumerate((x for x in wanted if x != TILT), 1):
            axes = self.each(_AXES[target], Q, PARAMETER, columns=self.freedom)
            yield Compute(f"{step}.{'i' * rank}", target, axes)
        for tilt in self.tilt if TILT in wanted else ():
            yield Compute(step, tilt, self.each(joint.tilt, Q, PARAMETER))

    def axes_from_tip(self, step: str, turn: Value) -> Lines:
        yield Name(step, TURN_BEFORE, turn)
        yield self.turned_axes(f"{step}'")

    def axes_from_base(self, step: str) -> Lines:
        yield Compute(step, TURN_BEFORE, link.turned_back(TURN, C_NEXT))
        yield self.turned_axes(f"{step}'")

    def turned_axes(self, step: str) -> Instruction:
        """H_i in the common frame."""
        return Compute(step, AXES, self.each(link.axes, H, TURN_BEFORE))

    # ------------------------------------------------------------ Step II.b.1
    def sliding(self, qdd: Value | None) -> Lines:
        if not self.slides:
            return
        omega, where = last(OMEGA, self.n), self.those(lambda x: x.shifts)
        swerving = any(JOINTS[x].drifts[1] for x in self.joints)
        plain = qdd is None and not swerving
        yield Compute("II.b.1.iii'.i", V_REL, self.each(link.shifting, AXES, QD), where)
        both = link.coriolis_of_both(omega, V_REL, omega[i - 1].or_zero)
        yield Compute("II.b.1.iii'.ii", SLIDING if plain else CORIOLIS, both, where)
        others = []
        if swerving:
            yield self.drift("II.b.1.iii'.iii", SWERVE, linear=True)
            others.append(SWERVE.or_zero)
        if qdd is not None:
            yield Compute("II.b.1.iii'.iv", SLID, self.each(link.shifting, AXES, qdd), where)
            others.append(SLID.or_zero)
        if others:
            yield Compute("II.b.1.iii'.v", SLIDING, plus(CORIOLIS, *others))

    # ------------------------------------------------------------ Eq. (81)
    def driven(self, step: str, f_g: Value, target: Value, names: Names) -> Lines:
        force = self.each(op.force_of_torque, W_A, f_g)
        return self._moved(step, self.along(names, f_g), force, target, PR2)

    def constraint_wrench(self, step: str, names: Names, array: Array = PR2) -> Lines:
        force = self.each(op.constraint_force, names.phi, *self.tilt)
        return self._moved(step, self.across(names), force, names.x4, array)

    def _moved(self, step: str, force: Value, made: Expression, target: Value, array: Array) -> Lines:
        """I^-1 R F, from the forces of the joints, each sent to the link before."""
        yield Compute(f"{step}.i'", force, made)
        yield Send(f"{step}.i", force, array[i - 1])
        wrench = op.accelerations(I_INVERSE, force, C_NEXT, P_LINK, force[i + 1].or_zero)
        yield Compute(f"{step}.ii", target, wrench)

    def _rates(self, step: str, target: Value, names: Names, array: Array) -> Lines:
        passed = names.value("x", 6)
        yield Compute(f"{step}.i", passed, op.carried(C_NEXT, P_LINK, names.x5), i < self.n)
        yield Send(f"{step}.ii", passed, array[i + 1])
        rate = self.each(op.joint_components, W_A, names.x5, passed[i - 1].or_zero)
        yield Compute(f"{step}.iii", target, rate)

    # ------------------------------------------------------------ what it holds, and leaves
    def along(self, names: Names, torque: Value) -> Value:
        return names.value("f_T", 6)

    def across(self, names: Names) -> Value:
        return names.value("f_W", 6)


_AXES = {H: joint.subspace, W_A: joint.dual}
