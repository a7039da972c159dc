"""The hybrid articulated-body algorithm of Yang, Wu and Pan (II.C): one serial recursion, the rest by scans.

Their processor makes the articulated inertias, a nonlinear recursion that no scan can do, and their GPU the
rest. Here the recursion is done by one node, that of process N, to which every process sends 16 words about
its link and from which it gets 7 back; all others wait for it. The rest is done by all: Newton-Euler as in
Fijany VI.D (Steps II.a, II.b.1), and with Eq. (8) two block bi-diagonal systems,

    x_i = Phi_i x_{i+1} + K_i F_T,i          wrenches, from tip to base
    w_i = Phi_i' w_{i-1} + P^_i' H_i drive_i  accelerations, from base to tip

with Phi_i = (1 - K_i H_i') P^_i, by recursive doubling of affine maps. Both have the same matrices: process i
keeps the products Phi_{i+1} ... Phi_{i+h} that the first scan makes, and multiplies with their transposes in
the second, which sends 6 words instead of 42. All vectors are in frame 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.choice import joint_types, refuse_wide
from senn.algorithms.arm.letters import F_T, GRAVITY, TURN, J, M, P, S, Z, last
from senn.algorithms.kernels import articulated as arm
from senn.algorithms.kernels import sums
from senn.algorithms.programs.free.free_arm import answers, bias, memory
from senn.algorithms.programs.recurrence import following
from senn.machine.program import (
    PR1,
    Arrange,
    Compute,
    Instruction,
    Letter,
    Name,
    Program,
    Resident,
    Send,
    Value,
    by_process,
    i,
    levels,
    loop,
    value,
)
from senn.machine.rewrite import keep

__all__ = ["answers", "memory", "program"]

BODY, GAIN = value("body", arm.BODY), value("gain", arm.GAIN)
TRANSFER, PUSH, DRIVE = value("Phi", 6, 6), value("K F_T", 6), value("drive")
PHI = Letter("Phi", (6, 6))  # Phi_{i+1} ... Phi_{i+h}
X, W = Letter("x", (6,)), Letter("w", (6,))  # x_{i+1} and w_i, at process i
PASSED = Letter("Phi' w", (6,))
QDD = value("Qdd_0")


def program(n: int, joints: Sequence[str] | None = None) -> Program:
    """The program for n processes on one array. What cannot be is refused (InputError).

    >>> [len(stream) for stream in program(4).streams]
    [93]
    """
    types = joint_types(n, joints)
    refuse_wide(types, "the hybrid of articulated bodies")
    parts = (bias(arm_of(n, types, 0), PR1), _recursion(types), _systems(types))
    whole = arm_of(n, types, 0).program(
        "hybrid articulated bodies",
        (line for part in parts for line in part),
        also=[Resident(GRAVITY)],
        results={"qdd0": (1, QDD)},
        titles={
            "II": "Newton-Euler by Processor {arrays}",
            "II.a": "a. Projection",
            "II.b": "b. Compute F_T",
            "III": "Articulated inertias by Processor {last}",
            "IV": "Bi-diagonal systems by Processor {arrays}",
            "IV.a": "a. Transfers",
            "IV.b": "b. Wrenches, from tip to base",
            "IV.c": "c. Accelerations, from base to tip",
        },
    )
    return keep(whole, *whole.results)


def _inertia(link: int) -> Value:
    """I^ of a link, at process N."""
    return value(f"I^.{link}", 21)


def _gain(link: int) -> Value:
    """K and d of a link, at process N."""
    return value(f"gain.{link}", arm.GAIN)


def _recursion(joints: tuple[str, ...]) -> Iterator[Instruction]:
    """Links to process N, the recursion from tip to base, and each gain back as soon as it is there."""
    n, at_tip = len(joints), i == len(joints)
    yield Compute("III.1", BODY, arm.body(TURN, J, S, M, Z, P))
    if n > 1:
        yield Send("III.2", BODY, *(PR1[i + (n - link)].only(i == link) for link in range(1, n)))
    for link in range(n, 0, -1):
        here = BODY[i - (n - link)]
        inertia = arm.rigid(here) if link == n else arm.articulated(here, _inertia(link + 1), _gain(link + 1))
        yield Compute("III.3", _inertia(link), inertia, at_tip)
        yield Compute("III.4", _gain(link), arm.GAIN_OF[joints[link - 1]](here, _inertia(link)), at_tip)
        if link < n:
            yield Send("III.5", _gain(link), PR1[i - (n - link)].only(at_tip))
    yield Name("III.5", GAIN, *(_gain(link)[i + (n - link)] for link in range(1, n + 1)))


def _systems(joints: tuple[str, ...]) -> Iterator[Instruction]:
    """F_T to qdd."""
    n = len(joints)
    yield Compute("IV.a.1", PUSH, arm.push(GAIN, F_T), i > 1)
    yield Send("IV.a.2", PUSH, PR1[i - 1])
    yield Name("IV.a.2", X[0], PUSH[i + 1])
    transfer = by_process(arm.TRANSFER[joint] for joint in joints)
    yield Compute("IV.a.3", TRANSFER, transfer(GAIN, Z, P), (i > 1) & (i < n))
    yield Send("IV.a.4", TRANSFER, PR1[i - 1])
    yield Name("IV.a.4", PHI[0], TRANSFER[i + 1])
    yield from _inward(n)
    drive = by_process(arm.DRIVE[joint] for joint in joints)
    yield Compute("IV.b.3", DRIVE, drive(F_T, GAIN, Z, P, last(X, n).or_zero))
    carried = by_process(arm.CARRIED[joint] for joint in joints)
    yield Compute("IV.c.1", W[0], carried(Z, P, DRIVE), i < n)
    yield from _outward(n)
    yield Send("IV.c.3", last(W, n), PR1[i + 1])
    yield Compute("IV.c.4", QDD, arm.acceleration(DRIVE, GAIN, last(W, n)[i - 1].or_zero))


def _inward(n: int) -> Iterator[Instruction]:
    """x_{i+1} at every process, and the products of transfers that the way out needs as well."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        phi, x, then = PHI[j - 1], X[j - 1], following(j, n)
        more = j < levels(n)
        yield Send("IV.b.1.i", (phi, x) if more else x, PR1[i - h])
        yield Compute("IV.b.1.ii", X[j], arm.affine(x, phi.or_zero, x[i + h].or_zero))
        yield Arrange("IV.b.1.ii'", X[j], j, then)
        if more:
            yield Compute("IV.b.2", PHI[j], arm.product(phi, phi[i + h]))
            yield Arrange("IV.b.2'", PHI[j], j, then)

    yield from loop(n, level)


def _outward(n: int) -> Iterator[Instruction]:
    """w_i at every process but the last; process i has the product that takes w_i to i + h."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        passed, w = PASSED[j - 1], W[j - 1]
        yield Compute("IV.c.2.i", passed, arm.passed_on(PHI[j - 1], w))
        yield Send("IV.c.2.ii", passed, PR1[i + h])
        yield Compute("IV.c.2.iii", W[j], sums.plus(w, passed[i - h].or_zero))
        yield Arrange("IV.c.2.iii'", W[j], j, following(j, n))

    yield from loop(n, level)
