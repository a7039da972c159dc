"""Divide and conquer with articulated bodies (Featherstone 1999, Parts 1 and 2) for a serial chain.

The leaves are the links, each with two handles: joint i and joint i+1 (or the tip). Level j of the way up
joins the bodies of processes i-h and i, h = 2^(j-1), at joint i-h+1; the body that results, of at most 2^j
links, is process i's. Bodies are counted from the tip, so the arm as a whole is process n's, where the end
effector is: Phi_2 of it is Lambda^-1. Link 1 is joined to the base before the first level, and a body with
link 1 in it has an outer handle only. On the way down, level M to 1, the same process finds the joint's
force and acceleration from the forces at the far handles, which it knows by then.

Featherstone's W = V - V S (S'VS)^-1 S'V with V = Y^-1 is, for Fijany's H and W (S = H), W (W'YW)^-1 W': five
pivots of one factor instead of an inverse 6x6. The arm is taken at rest under
F_T = tau - b (Fijany II.C), with b from Newton-Euler by recursive doubling; so the leaves have no velocity
terms. Step I, inertias, is one array's, Newton-Euler and the two sweeps of Steps II-IV another's, or the
same one's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from senn.algorithms.arm import Arm, arm_of
from senn.algorithms.arm.choice import joint_types, refuse_wide
from senn.algorithms.arm.letters import (
    BIAS,
    F_T,
    FORCE,
    GRAVITY,
    I_INVERSE,
    INVERSE_J,
    INVERSE_M,
    LAMBDA,
    P_TURNED,
    QDD,
    RZ,
    S_TURNED,
    TAU,
    TIP,
    TURN,
    V_0,
    WDOT,
    X_TIP,
    Q,
    V,
    last,
)
from senn.algorithms.kernels import assembly as join
from senn.algorithms.kernels import link
from senn.algorithms.kernels import system as k
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import memory as held
from senn.algorithms.programs import newton_euler as ne
from senn.algorithms.programs.contact_force import contact_force
from senn.algorithms.robots import side_tree
from senn.algorithms.spatial import Numbers, inverse_inertia, pack, unpack
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
    Program,
    Resident,
    Send,
    Value,
    Where,
    by_process,
    every,
    i,
    levels,
    loop,
    replace_place,
    value,
)
from senn.machine.rewrite import on_arrays
from senn.machine.rewrite.on_arrays import Assignment
from senn.traces.errors import InputError

__all__ = ["answers", "memory", "program"]

# A body: a_1 = Phi1 f_1 + Phi12 f_2 + b1 and a_2 = Phi12' f_1 + Phi2 f_2 + b2
PHI_1, PHI_12, PHI_2 = Letter("Phi1", (21,)), Letter("Phi12", (6, 6)), Letter("Phi2", (21,))
B_1, B_2 = Letter("b1", (7,)), Letter("b2", (6,))  # b1 with the torque of the inner joint
# A joint, where two bodies meet
LDL = Letter("LDL", (21,))
K_INNER, K_OUTER = Letter("K-", (6, 6)), Letter("K+", (6, 6))
D_INNER, D_OUTER = Letter("D-", (21,)), Letter("D+", (21,))
TORQUE, BETA, GAIN = Letter("t", ()), Letter("beta", (6,)), Letter("u", (6,))
DRIVEN = Letter("s", (7,))
# What joints pass on, on the way down: at the inner handle with the joint's acceleration, at the outer one
FROM_INNER, MADE, TO_OUTER = Letter("f1", (7,)), Letter("f1*", (7,)), Letter("f2", (6,))
PASSED, ON_FIRST = Letter("f", (6,)), value("f.b", 6)
# Joint 1, between the base and link 1
BASE_LDL, BASE_K, BASE_D = value("LDL.b", 21), value("K+.b", 6, 6), value("D+.b", 21)
BASE_TORQUE, BASE_DRIVEN, BASE_QDD = value("t.b"), value("s.b", 7), value("Qdd.b")
OWN_QDD = value("Qdd'")
END_BIAS = value("Jdot Qdot", 6)

_TITLES = {
    "I": "Step I: Articulated Inertias and Lambda^-1 by Processor {arrays}",
    "I.a": "a. Links, and Link 1 on the Base",
    "I.b": "b. Join Bodies, Leaves to Root",
    "I.c": "c. Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor {arrays}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. What the Torques Do, Leaves to Root",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{N+1} by Processor {last}",
    "IV": "Step IV: Forces and Accelerations of the Joints, Root to Leaves, by Processor {arrays}",
}


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    arrays: int | Assignment = 2,
) -> Program:
    """The program for n processes. Joint types ("revolute", "prismatic") and the shape of the contact are
    structure, not data; a number n_c = `contact` means Type I. `arrays`: 1, or 2 (inertias apart), or
    which array does which step.

    >>> print(program(8).levels, len(program(8, arrays=1).streams))
    3 1
    """
    if isinstance(arrays, int) and arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: divide and conquer is written for 1, or 2 (articulated inertias apart)"
        )
    refuse_wide(joint_types(n, joints), "divide and conquer")
    arm = arm_of(n, joints, contact)
    found = arm.program(
        "divide and conquer",
        [*_leaves(arm), *_inertias(arm), *_end_effector(arm)],
        [*_bias(arm), *_biases(arm), *_contact(arm), *_way_down(arm)],
        also=[Resident(GRAVITY), Resident(X_TIP), Resident(TIP)],
        results={"qdd": (2, QDD), "force": (2, FORCE[0]), "lambda_inverse": (1, LAMBDA)}
        | {"acceleration0": (2, V_0)},
        titles=_TITLES,
    )
    if arrays == 2:
        return found
    return on_arrays(found, {"": 1} if isinstance(arrays, int) else arrays)


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process."""
    chain = problem.chain
    side_tree.refuse(chain)
    beyond = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    return {**held.memory(problem), TIP.letter: pack(beyond)}


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (n,), force (6,), lambda_inverse (6, 6) and acceleration0 (6,), as `Solution` has them; and qdd0,
    which is qdd, if nothing touches the end effector."""
    open_chain = {"qdd0": result["qdd"]} if problem.contact.kind == "none" else {}
    return {
        "qdd": result["qdd"],
        **open_chain,
        "force": result["force"][-1],
        "lambda_inverse": unpack(result["lambda_inverse"][-1]),
        "acceleration0": result["acceleration0"][-1],
    }


# --------------------------------------------------------------- who joins what, at which joint


def _whole(arm: Arm, j: int) -> Where:
    """The processes that have a body after level j."""
    return every(2**j, arm.n)


def _joining(arm: Arm, j: int) -> Where:
    """The processes that join two bodies at level j: those of the outer ones."""
    h: int = 2 ** (j - 1)
    return every(2 * h, arm.n) & (i > h)


def _given_away(arm: Arm, j: int) -> Where:
    """The processes of the inner ones."""
    h = 2 ** (j - 1)
    return every(2 * h, arm.n - h)


def _at_joint(arm: Arm, h: int, table: Mapping[str, Kernel]) -> Callable[..., Expression]:
    """For each process the kernel of the type of joint i-h+1, at which it joins (below: any)."""
    return by_process(table[arm.joints[max(process - h, 0)]] for process in range(1, arm.n + 1))


# --------------------------------------------------------------------------- Step I: inertias


def _leaves(arm: Arm) -> Iterator[Instruction]:
    """I.a: the inverse inertias of the links at their handles; joint 1 makes link 1 a body with one."""
    joints, first = arm.joints, arm.joints[0]
    yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in joints)(Q))
    inverse = by_process(link.INVERSE_INERTIA[x] for x in joints)
    yield Compute("I.a.2", I_INVERSE, inverse(RZ, Q, S_TURNED, INVERSE_J, INVERSE_M))
    couple = by_process(link.coupling(x, 6, whole=True) for x in joints)
    across = value("Phi12'", 6, 6)
    yield Compute("I.a.3", across, couple(RZ, Q, I_INVERSE, P_TURNED, X_TIP))
    yield Name("I.a.4", PHI_1[0], I_INVERSE, where=i > 1)
    yield Name("I.a.4", PHI_12[0], across, where=i > 1)
    yield Compute("I.a.5", BASE_LDL, join.BASE_FACTOR[first](I_INVERSE), i == 1)
    yield Compute("I.a.6", BASE_K, join.THROUGH_OUTER[first](BASE_LDL, across))
    yield Send("I.a.6'", (BASE_LDL, BASE_K), PR2[i])
    yield Compute("I.a.7", BASE_D, join.FREED_OUTER[first](across, BASE_K))
    yield Compute("I.a.8", PHI_2[0], k.minus(TIP, BASE_D.or_zero))


def _inertias(arm: Arm) -> Iterator[Instruction]:
    """I.b: at each joint the factor and K, and the inertias of the body that it makes of two."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        joining, inner = _joining(arm, j), PR1[i + h].only(_given_away(arm, j))
        phi_1, phi_12, phi_2, ldl = PHI_1[j - 1], PHI_12[j - 1], PHI_2[j - 1], LDL[j - 1]

        yield Send("I.b.1", phi_2, inner)
        if j < levels(arm.n):
            yield Send("I.b.2", (phi_12, phi_1), inner)
        yield Compute("I.b.3", ldl, _at_joint(arm, h, join.JOINT_FACTOR)(phi_1, phi_2[i - h]), joining)
        yield Compute("I.b.4", K_OUTER[j - 1], _at_joint(arm, h, join.THROUGH_OUTER)(ldl, phi_12))
        yield from _deliver(arm, "I.b.4'", ldl, K_OUTER[j - 1])
        yield Compute("I.b.5", D_OUTER[j - 1], _at_joint(arm, h, join.FREED_OUTER)(phi_12, K_OUTER[j - 1]))
        yield Compute("I.b.6", PHI_2[j], k.minus(phi_2, D_OUTER[j - 1].or_zero), _whole(arm, j))
        yield from _follow(arm, "I.b.6'", j, PHI_2[j])
        if j < levels(arm.n):
            yield from _inner_handle(arm, j, h)

    yield from loop(arm.n, level)


def _inner_handle(arm: Arm, j: int, h: int) -> Iterator[Instruction]:
    """The part of level j that is for bodies without link 1 in them; at the last level there is none."""
    ldl, phi_12 = LDL[j - 1], PHI_12[j - 1][i - h]
    k_inner, freed = K_INNER[j - 1], D_INNER[j - 1]
    yield Compute("I.b.7", k_inner, _at_joint(arm, h, join.THROUGH_INNER)(ldl, phi_12))
    yield from _deliver(arm, "I.b.7'", k_inner)
    yield Compute("I.b.8", PHI_12[j], _at_joint(arm, h, join.COUPLED)(phi_12, K_OUTER[j - 1]))
    yield from _follow(arm, "I.b.8'", j, PHI_12[j])
    yield Compute("I.b.9", freed, _at_joint(arm, h, join.FREED_INNER)(phi_12, k_inner))
    yield Compute("I.b.10", PHI_1[j], k.difference(PHI_1[j - 1][i - h], freed))
    yield from _follow(arm, "I.b.10'", j, PHI_1[j])


def _end_effector(arm: Arm) -> Iterator[Instruction]:
    """I.c: the inverse inertia of the arm at its only handle."""
    yield at_last(Name("I.c.1", LAMBDA, PHI_2[levels(arm.n)]), arm.n)
    if arm.contact.constrained:
        yield at_last(Send("I.c.2", LAMBDA, PR2[i]), arm.n)


def _deliver(arm: Arm, step: str, *values: Value) -> Iterator[Instruction]:
    """To the array that does the sweeps."""
    yield Send(step, values, PR2[i])


def _follow(arm: Arm, step: str, j: int, of_body: Value) -> Iterator[Instruction]:
    """What level j made follows its process to the next level."""
    if j < levels(arm.n):
        yield Arrange(step, of_body, j, j + 1)


# ------------------------------------------------------------- Step II: what the torques do


def _bias(arm: Arm) -> Iterator[Instruction]:
    """II.a and II.b.1, in frame 1."""
    yield from ne.at_base(arm, PR2)


def _biases(arm: Arm) -> Iterator[Instruction]:
    """II.b.2 to II.d: F_T; b of all bodies; Vdot_0 at the place of the root."""
    array, m = PR2, levels(arm.n)
    yield Compute("II.b.2", F_T, k.difference(TAU, BIAS))
    yield Name("II.c.1", TORQUE[0], F_T, where=i > 1)
    yield Name("II.c.1", BASE_TORQUE, F_T, where=i == 1)
    # To the place of the root, in good time: what the contact will read there.
    dw, dv = last(WDOT, arm.n), last(V, arm.n)
    yield Compute("II.c.1'", END_BIAS, join.end_bias(TURN, dw, dv), i == arm.n)
    for carried in (END_BIAS, *_read_by_contact(arm)):
        yield Arrange("II.c.1'", carried, 0, m)
    yield Compute("II.c.2", BASE_DRIVEN, join.lone_drive(BASE_LDL, BASE_TORQUE))
    yield Compute("II.c.3", B_2[0], join.lone_outer(BASE_K, BASE_TORQUE))

    def level(j: int, h: int) -> Iterator[Instruction]:
        joining, inner = _joining(arm, j), array[i + h].only(_given_away(arm, j))
        b_1, b_2, torque = B_1[j - 1], B_2[j - 1], TORQUE[j - 1]
        # Links have no b, but for link 1 on its base.
        beta = B_2[0][i - 1] if j == 1 else BETA[j - 1][i]
        yield Send("II.c.4", (b_2, torque if j == 1 else b_1), inner)
        if j > 1:
            yield Compute("II.c.5", torque, join.seventh(b_1), joining)
            yield Compute("II.c.6", BETA[j - 1], join.gap(b_2[i - h], b_1), joining)
        gain = _at_joint(arm, h, join.OUTER)(K_OUTER[j - 1], torque, beta.or_zero)
        yield Compute("II.c.7", GAIN[j - 1], gain, joining)
        if j == 1:
            yield Name("II.c.8", B_2[1], GAIN[0], b_2, where=_whole(arm, j))
        else:
            yield Compute("II.c.8", B_2[j], k.plus(b_2, GAIN[j - 1].or_zero), _whole(arm, j))
        yield from _follow(arm, "II.c.8'", j, B_2[j])
        if j < levels(arm.n):
            two = (K_INNER[0], torque, torque[i - 1])
            more = (K_INNER[j - 1], torque, beta, b_1[i - h])
            form = join.first_inner(*two) if j == 1 else _at_joint(arm, h, join.INNER)(*more)
            yield Compute("II.c.9", B_1[j], form)
            yield from _follow(arm, "II.c.9'", j, B_1[j])
        driven = _at_joint(arm, h, join.DRIVE)(LDL[j - 1], torque, beta.or_zero)
        yield Compute("II.c.10", DRIVEN[j - 1], driven, joining)

    yield from loop(arm.n, level)
    yield at_last(Compute("II.d.1", V_0, k.total(B_2[m], END_BIAS)), arm.n)


def _read_by_contact(arm: Arm) -> tuple[Value, ...]:
    """The resident values of the contact, at process n."""
    lines = [line for line in contact_force(arm.contact) if isinstance(line, Compute)]
    read = dict.fromkeys(operand.value for line in lines for operand in line.expression.operands)
    return tuple(x for x in read if x not in (LAMBDA, V_0, *(line.target for line in lines)))


def _contact(arm: Arm) -> Iterator[Instruction]:
    """Step III, by process n at the place of the root."""
    for line in contact_force(arm.contact):
        yield at_last(line, arm.n)


# --------------------------------------------------------------- Step IV: the way down


def _way_down(arm: Arm) -> Iterator[Instruction]:
    """Step IV: at each joint its force and acceleration, from what acts on the handles of the whole."""
    array = PR2
    yield at_last(Name("IV.a.1", TO_OUTER[levels(arm.n)], FORCE[0]), arm.n)

    def level(j: int, h: int) -> Iterator[Instruction]:
        passed, driven, k_outer = PASSED[j - 1], DRIVEN[j - 1], K_OUTER[j - 1]
        inside = j < levels(arm.n)  # at the last level the inner body has link 1 in it
        held_inner = (FROM_INNER[j],) if inside else ()
        if inside:
            for carried in (TO_OUTER[j], FROM_INNER[j]):
                yield replace_place(Arrange("IV.a.1'", carried, j + 1, j), level=j, at=j + 1)
        if inside and j > 1:
            yield Send("IV.a.2", FROM_INNER[j], array[i - h])
        inner = (K_INNER[j - 1].or_zero, FROM_INNER[j].or_zero) if inside else ()
        force = _at_joint(arm, h, join.JOINT_FORCE if inside else join.LAST_FORCE)
        yield Compute("IV.a.3", passed, force(driven, k_outer, TO_OUTER[j], *inner), _joining(arm, j))
        if j > 1:
            yield Send("IV.a.4", passed, array[i - h])
        else:  # of the links, link 1 alone has a joint to solve still
            yield Name("IV.a.4", ON_FIRST, passed, where=i == 2)
            yield Send("IV.a.4", (*held_inner, ON_FIRST), array[i - 1])
        rate = join.with_acceleration if inside else join.with_last_acceleration
        yield Compute("IV.a.5", MADE[j - 1], rate(passed, driven, k_outer, TO_OUTER[j], *inner))
        yield Name("IV.a.6", FROM_INNER[j - 1], MADE[j - 1], *(x[i + h] for x in held_inner))
        yield Name("IV.a.7", TO_OUTER[j - 1], TO_OUTER[j], (passed if j > 1 else ON_FIRST)[i + h])

    yield from loop(arm.n, level, downward=True)
    for line in _accelerations(arm):  # where level 1 left them
        yield replace_place(line, level=None, at=min(1, levels(arm.n)))


def _accelerations(arm: Arm) -> Iterator[Instruction]:
    """IV.b: Qdd at every process, from what its own joint passes on."""
    yield Compute("IV.b.1", BASE_QDD, join.base_acceleration(BASE_DRIVEN, BASE_K, TO_OUTER[0]))
    if arm.n > 1:
        yield Compute("IV.b.2", OWN_QDD, join.seventh(FROM_INNER[0]))
    yield Name("IV.b.3", QDD, BASE_QDD, *((OWN_QDD,) if arm.n > 1 else ()))
