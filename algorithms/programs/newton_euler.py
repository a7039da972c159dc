"""The parallel Newton-Euler pass of Step II.b by recursive doubling: b(theta, Qdot), or tau for some Qddot.

All vectors are in one frame: N+1 in the paper's form; 1 in the forms short and omega, where gravity needs
no broadcast. T_i = C(that frame, i+1). omega_i and wdot_i are those of link i; v_i is the acceleration
of O_{i+1} without gravity, so that at process N they are Jdot Qdot. What a joint adds to them is the arm's.

A pass by jets, with one scan outward and one inward, follows below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import jets as jet_kernels
from senn.algorithms.kernels import link
from senn.algorithms.kernels.operators import end_wrench
from senn.algorithms.programs.recurrence import scan
from senn.machine.program import Array, Compute, Name, Send, Value, i, plus


@dataclass(frozen=True)
class NewtonEuler:
    """A way to do Steps II.a and II.b.1 in frame 1."""

    outward: Callable[[Arm, Array, Value | None], Lines]
    """II.a to II.b.1.v: places, motions and inertial forces of links; of joints that accelerate, or not."""
    inward: Callable[[Arm, Array, Value, Value | None], Lines]  # II.b.1.vi-viii: the joint torques
    whole: bool = True
    """Whether b is needed; if not, see `alone`, the pass inward is only for joints that accelerate."""

    def at_base(
        self, arm: Arm, array: Array, qdd: Value | None = None, tip: Value | None = None, torque: Value = BIAS
    ) -> Lines:
        """All of it: `torque` is b, or M qdd + b where joints accelerate, and J'F with the wrench `tip`."""
        yield from self.outward(arm, array, qdd)
        yield from arm.loads(GRAVITY, qdd, tip)
        if self.whole or qdd is not None:
            yield from self.inward(arm, array, torque, arm.load(tip))

    def parts(self, arm: Arm, refine: int) -> dict[str, tuple[int, Value]]:
        """The wrench of the pass inward, frame 1, among interbody forces; without a pass, phi includes it."""
        wrench = {"forces.turn": (2, TURN), "forces.pfn": (2, last(WRENCH, arm.n))}
        return wrench if self.whole or refine else {}


def outward(arm: Arm, array: Array, qdd: Value | None = None) -> Lines:
    """Four recurrences, one after the other."""
    yield from frames_at_base(arm, array)
    yield from motion(arm, GRAVITY, array, qdd=qdd)


def frames_at_base(arm: Arm, array: Array) -> Lines:
    """Step II.a of the short forms: z_i, s_i and p_i in frame 1, where gravity is known."""
    n = arm.n
    yield from arm.frames("II.a.1", P_LINK, S_LINK)
    yield from arm.own_axes("II.a.1''", H)
    yield Name("II.a.2", C_FROM[0], C_NEXT)
    yield from scan("II.a.2", C_FROM, link.premultiply, n, array, outward=True, absent="unit")
    yield Name("II.a.2", TURN, last(C_FROM, n))
    yield from arm.axes_from_base("II.a.3.i")
    yield Compute("II.a.3.ii", S, link.turn(TURN, S_LINK))
    yield Compute("II.a.3.iii", P, link.turn(TURN, P_LINK))


def motion(arm: Arm, gravity: Value, array: Array, *, qdd: Value | None = None) -> Lines:
    """II.b.1.i-v: velocities and accelerations outward, then the inertial force and moment of each link.

    Without `qdd` the joints do not accelerate.
    """
    n = arm.n
    omega, wdot, v = (last(x, n) for x in (OMEGA, WDOT, V))
    yield Compute("II.b.1.i", OMEGA[0], arm.each(link.turning, arm.axes, QD))
    yield from scan("II.b.1.i", OMEGA, plus, n, array, outward=True)
    yield Send("II.b.1.i.iii", omega, array[i + 1])
    yield from arm.gyration(qdd)
    yield from scan("II.b.1.ii", WDOT, plus, n, array, outward=True)
    yield Compute("II.b.1.iii", U, link.spin_matrix(omega, wdot))
    yield from arm.sliding(qdd)
    if arm.slides:
        yield Compute("II.b.1.iv'", V_OWN, link.turn(U, P))
        yield Compute("II.b.1.iv", V[0], plus(V_OWN, *arm.slides))
    else:
        yield Compute("II.b.1.iv", V[0], link.turn(U, P))
    yield from scan("II.b.1.iv", V, plus, n, array, outward=True)
    yield Send("II.b.1.iv.iii", v, array[i + 1])
    yield Compute("II.b.1.v.i", A_AT_REST, link.gravity_free(U, S, gravity))
    yield Compute("II.b.1.v.ii", A_CENTRE, plus(A_AT_REST, v[i - 1].or_zero, *arm.slides))
    yield Compute("II.b.1.v.iii", F_STAR, link.scaled(M, A_CENTRE))
    yield Compute("II.b.1.v.iv", N_STAR, link.inertial_moment(TURN, J, omega, wdot))


def forces(arm: Arm, array: Array, load: Value | None) -> Lines:
    """II.b.1.vi-viii as printed: forces and moments from tip to base, as two recurrences."""
    n = arm.n
    f, moment = last(FORCES, n), last(MOMENTS, n)
    yield from _loaded_force(load)
    yield Name("II.b.1.vi", FORCES[0], force(load))
    yield from scan("II.b.1.vi", FORCES, plus, n, array, outward=False)
    yield Send("II.b.1.vi.iii", f, array[i - 1])
    yield from _moment("II.b.1.vii.i'", load, S, P)
    yield Compute("II.b.1.vii", MOMENTS[0], link.lever(N_JOINT, P, f[i + 1].or_zero))
    yield from scan("II.b.1.vii", MOMENTS, plus, n, array, outward=False)
    yield Compute("II.b.1.viii", BIAS, arm.each(link.bias, arm.axes, moment, f))


def wrenches(arm: Arm, array: Array, torque: Value, load: Value | None) -> Lines:
    """II.b.1.vi-viii in the forms short and omega: one recurrence on (p, f, n), 9 words."""
    n = arm.n
    yield from loaded(load, "II.b.1.vi.i'", S, P)
    yield Compute("II.b.1.vi", WRENCH[0], link.wrench(P, force(load), N_JOINT))
    yield from scan("II.b.1.vi", WRENCH, link.farther, n, array, outward=False)
    yield Compute("II.b.1.viii", torque, arm.each(link.bias_of_wrench, arm.axes, last(WRENCH, n)))


RECURRENCES = NewtonEuler(outward, wrenches)  # As printed, but in frame 1


def loaded(load: Value | None, step: str, s: Value, p: Value) -> Lines:
    """The force on a link and its moment about a point, from which s leads to its centre of mass and p to
    O_{i+1}; with what else acts on it."""
    yield from _loaded_force(load)
    yield from _moment(step, load, s, p)


def force(load: Value | None) -> Value:
    """The former of the two."""
    return F_STAR if load is None else F_LOADED


def _loaded_force(load: Value | None) -> Lines:
    if load is not None:
        yield Compute("II.b.1.vi'", F_LOADED, link.with_force(F_STAR, load.or_zero))


def _moment(step: str, load: Value | None, s: Value, p: Value) -> Lines:
    if load is None:
        yield Compute(step, N_JOINT, link.lever(N_STAR, s, F_STAR))
    else:
        yield Compute(step, N_OWN, link.lever(N_STAR, s, F_STAR))
        yield Compute(f"{step}'", N_JOINT, link.with_moment(N_OWN, p, load.or_zero))


# ------------------------------------------------------------------------- by jets
#
# One scan outward and one inward in place of five (II.a and II.b.1 of the short forms). The pose of a link
# relative to another, its rate and its acceleration are a curve of poses to second order, its jet (24 words),
# and curves compose: one scan of jets has frames, velocities and accelerations of all links in frame 1. A
# link's own motion is all in its jet, so nothing comes from a neighbour. Wrenches about one point, O_1, are a
# sum (6 words); each process takes the moment back to its own O_i, which costs as many digits as that is far
# away in lengths of links.


def outward_by_jets(arm: Arm, array: Array, qdd: Value | None = None) -> Lines:
    """II.a to II.b.1.v by one scan."""
    n = arm.n
    jet, omega, wdot, v = (last(x, n) for x in (JET, OMEGA, WDOT, V))
    yield from arm.frames("II.a.1", P_LINK, S_LINK)
    yield from arm.own_axes("II.a.1''", H)
    yield Compute("II.a.2", JET[0], arm.jet(qdd))
    yield from scan("II.a.2", JET, jet_kernels.outward, n, array, outward=True)
    yield Compute("II.a.3", TURN, jet_kernels.rotation(jet))
    yield from arm.axes_from_base("II.a.3.i")
    yield Compute("II.a.3.ii", CENTRE, jet_kernels.centre(jet, S_LINK, P_LINK))
    yield Compute("II.a.3.iii", PLACE, jet_kernels.place(jet))
    yield Compute("II.b.1.i", omega, jet_kernels.omega(jet))
    yield Compute("II.b.1.ii", wdot, jet_kernels.wdot(jet))
    yield Compute("II.b.1.iv", v, jet_kernels.acceleration(jet))
    yield Compute("II.b.1.v.ii", A_CENTRE, jet_kernels.at_centre(jet, CENTRE, GRAVITY))
    yield Compute("II.b.1.v.iii", F_STAR, link.scaled(M, A_CENTRE))
    yield Compute("II.b.1.v.iv", N_STAR, link.inertial_moment(TURN, J, omega, wdot))


def inward_by_sum(arm: Arm, array: Array, torque: Value, load: Value | None) -> Lines:
    """II.b.1.vi-viii by one sum."""
    n = arm.n
    yield from loaded(load, "II.b.1.vi.i'", CENTRE, PLACE)
    yield Compute("II.b.1.vi", WRENCH_AT_BASE[0], jet_kernels.wrench(force(load), N_JOINT))
    yield from scan("II.b.1.vi", WRENCH_AT_BASE, plus, n, array, outward=False)
    at_joint = jet_kernels.at_joint(last(JET, n), P_LINK, last(WRENCH_AT_BASE, n))
    yield Compute("II.b.1.vii", last(WRENCH, n), at_joint)
    yield Compute("II.b.1.viii", torque, arm.each(link.bias_of_wrench, arm.axes, last(WRENCH, n)))


def alone(arm: Arm) -> Lines:
    """In place of the pass inward: I^-1 times the inertial wrench of each link alone.

    K P H H' P^-1 = K, as K P W = 0 (Eqs. (64)-(66)), and b = H' P^-1 f*: so M^-1 b = H' P' K f*, and the
    forces that constrain carry f* inward, as A^-1 does it anyway. phi has them too then, and F_T is tau.
    """
    yield Compute("II.b.1.vi", ARM_OF_CENTRE, jet_kernels.arm_of_centre(TURN, S_LINK, P_LINK))
    yield Compute("II.b.1.vi'", N_JOINT, link.lever(N_STAR, ARM_OF_CENTRE, F_STAR))
    load = arm.load()
    if load is None:
        yield Compute("II.b.1.vii", INERTIAL, jet_kernels.to_link(TURN, N_JOINT, F_STAR))
    else:
        turned = jet_kernels.loaded_to_link(TURN, N_JOINT, F_STAR, load.or_zero)
        yield Compute("II.b.1.vii", INERTIAL, turned)
    yield Compute("II.b.1.viii", INERTIAL_X, end_wrench(I_INVERSE, C_NEXT, P_LINK, INERTIAL))
    yield Name("II.b.2", F_T, TAU)


NEWTON_EULER = {
    "recurrences": RECURRENCES,
    "jets": NewtonEuler(outward_by_jets, inward_by_sum),
    "outward": NewtonEuler(outward_by_jets, inward_by_sum, whole=False),
}
"""Newton-Euler passes by the names that users choose."""
