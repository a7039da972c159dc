"""Step I of divide and conquer: the letters, who joins what, and the inertias, leaves to root."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import INNER, LAMBDA, WITH_FREEDOM, WITH_INNER
from senn.algorithms.kernels import sums
from senn.algorithms.kernels.assembly import inertias as join
from senn.algorithms.programs.divide_and_conquer import handles
from senn.algorithms.system.solver import at_last
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Expression,
    Instruction,
    Kernel,
    Letter,
    Name,
    Send,
    Value,
    Where,
    by_process,
    every,
    i,
    levels,
    loop,
    value,
)

# A body: a_1 = Phi1 f_1 + Phi12 f_2 + b1 and a_2 = Phi12' f_1 + Phi2 f_2 + b2
PHI_1, PHI_12, PHI_2 = Letter("Phi1", (21,)), Letter("Phi12", (6, 6)), Letter("Phi2", (21,))
B_1, B_2 = Letter("b1", (WITH_INNER,)), Letter("b2", (6,))  # b1 with the torque of the inner joint
# A joint, where two bodies meet
LDL = Letter("LDL", (21,))
K_INNER, K_OUTER = Letter("K-", (6, 6)), Letter("K+", (6, 6))
D_INNER, D_OUTER = Letter("D-", (21,)), Letter("D+", (21,))
TORQUE, BETA, GAIN = Letter("t", (INNER,)), Letter("beta", (6,)), Letter("u", (6,))
DRIVEN = Letter("s", (WITH_INNER,))
# What joints pass on, on the way down: at the inner handle with the joint's acceleration, at the outer one
FROM_INNER, MADE, TO_OUTER = Letter("f1", (WITH_INNER,)), Letter("f1*", (WITH_INNER,)), Letter("f2", (6,))
PASSED, ON_FIRST = Letter("f", (6,)), value("f.b", 6)
# Joint 1, between the base and link 1
BASE_LDL, BASE_K, BASE_D = value("LDL.b", 21), value("K+.b", 6, 6), value("D+.b", 21)
BASE_DRIVEN = value("s.b", WITH_FREEDOM)
BASE_GAIN = value("u.1", 6)
END_BIAS = value("Jdot Qdot", 6)


# --------------------------------------------------------------- who joins what, at which joint


def whole(arm: Arm, j: int) -> Where:
    """The processes that have a body after level j."""
    return every(2**j, arm.n)


def who_joins(arm: Arm, j: int) -> Where:
    """The processes that join two bodies at level j: those of the outer ones."""
    h: int = 2 ** (j - 1)
    return every(2 * h, arm.n) & (i > h)


def given_away(arm: Arm, j: int) -> Where:
    """The processes of the inner ones."""
    h = 2 ** (j - 1)
    return every(2 * h, arm.n - h)


def at_joint(arm: Arm, h: int, make: Callable[..., Kernel], **how: object) -> Callable[..., Expression]:
    """For each process the kernel of the type of joint i-h+1, at which it joins (below: that of joint 2)."""
    return by_process(make(arm.joints[max(process - h, 1)], **how) for process in range(1, arm.n + 1))


# --------------------------------------------------------------------------- Step I: inertias


def leaves(arm: Arm) -> Iterator[Instruction]:
    """I.a: the inverse inertias of the links at their handles; joint 1 makes link 1 a body with one."""
    first = arm.joints[0]
    yield from handles.inertias(arm)
    phi_1, phi_12, phi_2 = handles.at_handles(arm)
    yield Name("I.a.4", PHI_1[0], phi_1, where=i > 1)
    yield Name("I.a.4", PHI_12[0], phi_12, where=i > 1)
    yield Compute("I.a.5", BASE_LDL, join.base_factor(first)(phi_1), i == 1)
    yield Compute("I.a.6", BASE_K, join.through_outer(first)(BASE_LDL, phi_12))
    yield Send("I.a.6'", (BASE_LDL, BASE_K), PR2[i])
    yield Compute("I.a.7", BASE_D, join.freed_outer(first)(phi_12, BASE_K))
    yield Compute("I.a.8", PHI_2[0], sums.minus(phi_2, BASE_D.or_zero))


def inertias(arm: Arm) -> Iterator[Instruction]:
    """I.b: at each joint the factor and K, and the inertias of the body that it makes of two."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        joining, inner = who_joins(arm, j), PR1[i + h].only(given_away(arm, j))
        phi_1, phi_12, phi_2, ldl = PHI_1[j - 1], PHI_12[j - 1], PHI_2[j - 1], LDL[j - 1]

        yield Send("I.b.1", phi_2, inner)
        if j < levels(arm.n):
            yield Send("I.b.2", (phi_12, phi_1), inner)
        yield Compute("I.b.3", ldl, at_joint(arm, h, join.joint_factor)(phi_1, phi_2[i - h]), joining)
        yield Compute("I.b.4", K_OUTER[j - 1], at_joint(arm, h, join.through_outer)(ldl, phi_12))
        yield from deliver(arm, "I.b.4'", ldl, K_OUTER[j - 1])
        yield Compute("I.b.5", D_OUTER[j - 1], at_joint(arm, h, join.freed_outer)(phi_12, K_OUTER[j - 1]))
        yield Compute("I.b.6", PHI_2[j], sums.minus(phi_2, D_OUTER[j - 1].or_zero), whole(arm, j))
        yield from follow(arm, "I.b.6'", j, PHI_2[j])
        if j < levels(arm.n):
            yield from _inner_handle(arm, j, h)

    yield from loop(arm.n, level)


def _inner_handle(arm: Arm, j: int, h: int) -> Iterator[Instruction]:
    """The part of level j that is for bodies without link 1 in them; at the last level there is none."""
    ldl, phi_12 = LDL[j - 1], PHI_12[j - 1][i - h]
    k_inner, freed = K_INNER[j - 1], D_INNER[j - 1]
    yield Compute("I.b.7", k_inner, at_joint(arm, h, join.through_inner)(ldl, phi_12))
    yield from deliver(arm, "I.b.7'", k_inner)
    yield Compute("I.b.8", PHI_12[j], at_joint(arm, h, join.coupled)(phi_12, K_OUTER[j - 1]))
    yield from follow(arm, "I.b.8'", j, PHI_12[j])
    yield Compute("I.b.9", freed, at_joint(arm, h, join.freed_inner)(phi_12, k_inner))
    yield Compute("I.b.10", PHI_1[j], sums.difference(PHI_1[j - 1][i - h], freed))
    yield from follow(arm, "I.b.10'", j, PHI_1[j])


def end_effector(arm: Arm) -> Iterator[Instruction]:
    """I.c: the inverse inertia of the arm at its only handle."""
    yield at_last(Name("I.c.1", LAMBDA, PHI_2[levels(arm.n)]), arm.n)
    if arm.contact.constrained:
        yield at_last(Send("I.c.2", LAMBDA, PR2[i]), arm.n)


def deliver(arm: Arm, step: str, *values: Value) -> Iterator[Instruction]:
    """To the array that does the sweeps."""
    yield Send(step, values, PR2[i])


def follow(arm: Arm, step: str, j: int, of_body: Value) -> Iterator[Instruction]:
    """What level j made follows its process to the next level."""
    if j < levels(arm.n):
        yield Arrange(step, of_body, j, j + 1)
