"""The hybrid articulated-body algorithm of Yang, Wu and Pan (II.C): one serial recursion, the rest by scans.

Their processor makes the articulated inertias, a nonlinear recursion that no scan can do, and their GPU the
rest. Here the recursion is done by one node, that of process N, to which every process sends 16 words about
its link and from which it gets 7 back; all others wait for it. All processes do the rest: Newton-Euler as in
Fijany VI.D (Steps II.a, II.b.1), and with Eq. (8) two block bi-diagonal systems,

    x_i = Phi_i x_{i+1} + K_i F_T,i          wrenches, from tip to base
    w_i = Phi_i' w_{i-1} + P^_i' H_i drive_i  accelerations, from base to tip

with Phi_i = (1 - K_i H_i') P^_i, by recursive doubling of affine maps. Both have the same matrices: process i
keeps the products Phi_{i+1} ... Phi_{i+h} that the first scan makes, and multiplies with their transposes in
the second, which sends 6 words instead of 42. All vectors are in frame 1.

Joints of any type: K_i and H_i have as many columns as the freest joint of the arm, and d_i is a matrix. A
link with side branches is one body, whose articulated inertia its process makes; what the torques of the
branches do to it, p, goes into the first system.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import articulated
from senn.algorithms.kernels.system import transposed_times
from senn.algorithms.programs.free import HEADINGS, HELD_1, INERTIA, bias, inertias, side_accelerations
from senn.algorithms.programs.recurrence import following
from senn.algorithms.robots.side_tree import SideTree
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite import keep

TRANSFER, PUSH, PUSHED = value("Phi", 6, 6), value("K F_T", 6), value("K F_T'", 6)
DRIVE, TORQUE = value("drive", FREEDOM), value("F_T'", FREEDOM)
PHI = Letter("Phi", (6, 6))  # Phi_{i+1} ... Phi_{i+h}
X, W = Letter("x", (6,)), Letter("w", (6,))  # x_{i+1} and w_i, at process i
PASSED = Letter("Phi' w", (6,))
QDD = value("Qdd_0", FREEDOM)
AT_ORIGIN = value("X.l", 6)  # of links with side branches


def program(n: int, joints: Sequence[str] | None = None, *, branches: Sequence[SideTree] = ()) -> Program:
    """The program for n processes on one array. `InputError` for arguments that cannot be.

    >>> [len(stream) for stream in program(4).streams]
    [93]
    """
    arm = arm_of(n, joints, 0, branches, wide=bool(branches))
    parts = (bias(arm, PR1), _recursion(arm), _systems(arm))
    whole = arm.program(
        "hybrid articulated bodies",
        (line for part in parts for line in part),
        also=[Resident(GRAVITY)],
        results={"qdd0": (1, QDD)} | side_accelerations(arm),
        parts={
            **HEADINGS,
            "III": "Articulated inertias by Processor {last}",
            "IV": "Bi-diagonal systems by Processor {arrays}",
            "IV.a": "a. Transfers",
            "IV.b": "b. Wrenches, from tip to base",
            "IV.c": "c. Accelerations, from base to tip",
        },
    )
    return keep(whole, *whole.results)


def _body_and_gain(arm: Arm) -> tuple[Value, Value]:
    freedom = arm.sizes[FREEDOM]
    return value("body", articulated.body_words(freedom)), value("gain", articulated.gain_words(freedom or 1))


def _recursion(arm: Arm) -> Lines:
    """III: words about every link to process N, the recursion from tip to base, each gain back at once."""
    joints, n, at_tip = arm.joints, arm.n, i == arm.n
    body, gain_back = _body_and_gain(arm)
    if arm.lean:
        yield Compute("III.1", body, articulated.body(TURN, J, S, M, Z, P))
    else:
        yield from inertias(arm)
        yield Compute("III.1.iii", body, articulated.body_of(INERTIA, AXES, P))
    if n > 1:
        yield Send("III.2", body, *(PR1[i + (n - link)].only(i == link) for link in range(1, n)))
    inertia, gain = (
        [Value(f"{letter}.{link}", None, shape) for link in range(n + 1)]
        for letter, shape in (("I^", INERTIA.shape), ("gain", gain_back.shape))
    )
    for link in range(n, 0, -1):
        here = body[i - (n - link)]
        whole = articulated.outermost(here)
        if link < n:
            beyond = articulated.articulated(joints[link])
            whole = beyond(here, inertia[link + 1], gain[link + 1])
        yield Compute("III.3", inertia[link], whole, at_tip)
        gain_of = articulated.gain(joints[link - 1])
        yield Compute("III.4", gain[link], gain_of(here, inertia[link]), at_tip)
        if link < n:
            yield Send("III.5", gain[link], PR1[i - (n - link)].only(at_tip))
    yield Name("III.5", gain_back, *(gain[link][i + (n - link)] for link in range(1, n + 1)))


def _systems(arm: Arm) -> Lines:
    """IV: from F_T to qdd."""
    n, (_, gain) = arm.n, _body_and_gain(arm)

    torque, pushed = F_T, PUSH
    if arm.branches:
        yield Compute("IV.a.0", TORQUE, articulated.loaded(F_T, AXES, HELD_1.or_zero))
        torque, pushed = TORQUE, PUSHED
    yield Compute("IV.a.1", PUSH, arm.each(articulated.push, gain, torque), i > 1)
    if arm.branches:
        yield Compute("IV.a.1'", PUSHED, plus(PUSH, HELD_1.or_zero))
    yield Send("IV.a.2", pushed, PR1[i - 1])
    yield Name("IV.a.2", X[0], pushed[i + 1])
    yield Compute("IV.a.3", TRANSFER, arm.each(articulated.transfer, gain, arm.axes, P), (i > 1) & (i < n))
    yield Send("IV.a.4", TRANSFER, PR1[i - 1])
    yield Name("IV.a.4", PHI[0], TRANSFER[i + 1])
    yield from _inward(n)
    driven = arm.each(articulated.drive, torque, gain, arm.axes, P, last(X, n).or_zero)
    yield Compute("IV.b.3", DRIVE, driven)
    yield Compute("IV.c.1", W[0], arm.each(articulated.carried, arm.axes, P, DRIVE), i < n)
    yield from _outward(n)
    yield Send("IV.c.3", last(W, n), PR1[i + 1])
    before = last(W, n)[i - 1].or_zero
    yield Compute("IV.c.4", QDD, arm.each(articulated.acceleration, DRIVE, gain, before))
    for _, side_qdd in side_accelerations(arm).values():
        yield Compute("IV.c.5", AT_ORIGIN, articulated.at_origin(H, QDD, TURN_BEFORE, before))
        yield from arm.follow("IV.c.6", AT_ORIGIN, side_qdd)


def _inward(n: int) -> Lines:
    """IV.b.1-2: x_{i+1} at every process, and the products of transfers, which the way out needs as well."""

    def level(j: int, h: int) -> Lines:
        phi, x, then = PHI[j - 1], X[j - 1], following(j, n)
        more = j < levels(n)
        yield Send("IV.b.1.i", (phi, x) if more else x, PR1[i - h])
        yield Compute("IV.b.1.ii", X[j], articulated.affine(x, phi.or_zero, x[i + h].or_zero))
        yield Arrange("IV.b.1.ii'", X[j], j, then)
        if more:
            yield Compute("IV.b.2", PHI[j], articulated.product(phi, phi[i + h]))
            yield Arrange("IV.b.2'", PHI[j], j, then)

    yield from loop(n, level)


def _outward(n: int) -> Lines:
    """IV.c.2: w_i at every process but the last; process i has the product that takes w_i to i + h."""

    def level(j: int, h: int) -> Lines:
        passed, w = PASSED[j - 1], W[j - 1]
        yield Compute("IV.c.2.i", passed, transposed_times(PHI[j - 1], w))
        yield Send("IV.c.2.ii", passed, PR1[i + h])
        yield Compute("IV.c.2.iii", W[j], plus(w, passed[i - h].or_zero))
        yield Arrange("IV.c.2.iii'", W[j], j, following(j, n))

    yield from loop(n, level)
