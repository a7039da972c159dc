"""Newton-Euler by one scan outward and one inward, in place of five (II.a and II.b.1 of the short forms).

Where a link is against another, how fast that changes and how fast that does is a curve of poses to second
order, its jet (24 words), and curves compose: one scan of jets has frames, velocities and accelerations of
all links in frame 1. A link's own motion is all in its jet, so nothing is asked of a neighbour. Wrenches
about one point, O_1, are a sum (6 words); each process takes the moment back to its own O_i, which costs as
many digits as that is far away in lengths of links.
"""

from __future__ import annotations

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import newton_euler as ne_kernels
from senn.algorithms.kernels.jets import span
from senn.algorithms.kernels.operators import end_wrench
from senn.algorithms.kernels.sums import plus
from senn.algorithms.programs.newton_euler import RECURRENCES, Lines, NewtonEuler, force, loaded
from senn.algorithms.programs.recurrence import scan
from senn.machine.program import Array, Compute, Name, Value


def outward(arm: Arm, array: Array, qdd: Value | None = None) -> Lines:
    """II.a to II.b.1.v by one scan."""
    n = arm.n
    jet, omega, wdot, v = (last(x, n) for x in (JET, OMEGA, WDOT, V))
    yield from arm.frames("II.a.1", P_LINK, S_LINK)
    yield from arm.own_axes("II.a.1''", H)
    yield Compute("II.a.2", JET[0], arm.jet(qdd))
    yield from scan("II.a.2", JET, span.outward, n, array, outward=True)
    yield Compute("II.a.3", TURN, span.rotation(jet))
    yield from arm.axes_from_base("II.a.3.i")
    yield Compute("II.a.3.ii", CENTRE, span.centre(jet, S_LINK, P_LINK))
    yield Compute("II.a.3.iii", PLACE, span.place(jet))
    yield Compute("II.b.1.i", omega, span.omega(jet))
    yield Compute("II.b.1.ii", wdot, span.wdot(jet))
    yield Compute("II.b.1.iv", v, span.acceleration(jet))
    yield Compute("II.b.1.v.ii", A_CENTRE, span.at_centre(jet, CENTRE, GRAVITY))
    yield Compute("II.b.1.v.iii", F_STAR, ne_kernels.scaled(M, A_CENTRE))
    yield Compute("II.b.1.v.iv", N_STAR, ne_kernels.inertial_moment(TURN, J, omega, wdot))


def inward(arm: Arm, array: Array, load: Value = BIAS) -> Lines:
    """II.b.1.vi-viii by one sum."""
    n = arm.n
    yield from loaded(arm, "II.b.1.vi.i'", CENTRE, PLACE)
    yield Compute("II.b.1.vi", WRENCH_AT_BASE[0], span.wrench(force(arm), N_JOINT))
    yield from scan("II.b.1.vi", WRENCH_AT_BASE, plus, n, array, outward=False)
    at_joint = span.at_joint(last(JET, n), P_LINK, last(WRENCH_AT_BASE, n))
    yield Compute("II.b.1.vii", last(WRENCH, n), at_joint)
    yield Compute("II.b.1.viii", load, arm.bias_of_wrench(last(WRENCH, n)))


def alone(arm: Arm) -> Lines:
    """In place of all that goes inward: I^-1 times the inertial wrench of each link alone.

    K P H H' P^-1 = K, as K P W = 0 (Eqs. (64)-(66)), and b = H' P^-1 f*: so M^-1 b = H' P' K f*, and the
    forces that constrain carry f* inward, as A^-1 does it anyway. phi has them too then, and F_T is tau.
    """
    yield Compute("II.b.1.vi", ARM_OF_CENTRE, span.arm_of_centre(TURN, S_LINK, P_LINK))
    yield Compute("II.b.1.vi'", N_JOINT, ne_kernels.add_moment(N_STAR, ARM_OF_CENTRE, F_STAR))
    if arm.load is None:
        yield Compute("II.b.1.vii", INERTIAL, span.to_link(TURN, N_JOINT, F_STAR))
    else:
        turned = span.loaded_to_link(TURN, N_JOINT, F_STAR, arm.load.or_zero)
        yield Compute("II.b.1.vii", INERTIAL, turned)
    yield Compute("II.b.1.viii", INERTIAL_X, end_wrench(I_INVERSE, C_NEXT, P_LINK, INERTIAL))
    yield Name("II.b.2", F_T, TAU)


NEWTON_EULER = {
    "recurrences": RECURRENCES,
    "jets": NewtonEuler(outward, inward),
    "outward": NewtonEuler(outward, None),
}
"""The ways by the names that users choose."""
