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
from senn.algorithms.kernels.sums import plus
from senn.algorithms.programs.newton_euler import RECURRENCES, Lines, NewtonEuler, force, loaded
from senn.algorithms.programs.recurrence import scan
from senn.machine.program import Array, Compute, Value


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


NEWTON_EULER = {"recurrences": RECURRENCES, "jets": NewtonEuler(outward, inward)}
"""The ways by the names that users choose."""
