"""Divide and conquer with articulated bodies (Featherstone 1999, Parts 1 and 2), for any arm.

The leaves are the links, each with two handles: joint i and joint i+1 (or the tip); a link with side branches
is a leaf with the articulated inertia of both. Level j of the way up joins the bodies of processes i-h and i,
h = 2^(j-1), at joint i-h+1; the body that results, of at most 2^j links, is process i's. Bodies are counted
from the tip, so the arm as a whole is process n's, where the end effector is: Phi_2 of it is Lambda^-1. Link
1 is joined to the base before the first level, and a body with link 1 in it has an outer handle only. On the
way down, level M to 1, the same process finds the joint's force and acceleration from the forces at the far
handles, which it knows by then.

Featherstone's W = V - V S (S'VS)^-1 S'V with V = Y^-1 is, for Fijany's H and W (S = H), W (W'YW)^-1 W': as
many pivots of one factor as the joint forbids directions, instead of an inverse 6x6. The arm is taken at rest
under F_T = tau - b (Fijany II.C), with b from Newton-Euler by recursive doubling; so the leaves have no
velocity terms. Step I, inertias, is one array's, Newton-Euler and the two sweeps of Steps II-IV another's, or
one array does both. The leaves are a page of their own (`handles`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import assembly
from senn.algorithms.kernels.jets import to_link
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs.closed_chain import contact_force
from senn.algorithms.programs.divide_and_conquer import handles
from senn.algorithms.programs.divide_and_conquer.handles import BASE_QDD, BASE_TORQUE
from senn.algorithms.programs.newton_euler import RECURRENCES
from senn.algorithms.robots.side_tree import BRANCH_QDD, SideTree
from senn.algorithms.system.solver import after_last_level
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite import on_arrays
from senn.machine.rewrite.on_arrays import Assignment

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
BASE_LDL, BASE_K, BASE_D = value("LDL.1", 21), value("K+.1", 6, 6), value("D+.1", 21)
BASE_DRIVEN = value("s.1", WITH_FREEDOM)
BASE_GAIN = value("u.1", 6)
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
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes. `arrays`: 1, or 2 (inertias apart), or an assignment of steps to arrays.

    >>> print(program(8).levels, len(program(8, arrays=1).streams))
    3 1
    """
    if not isinstance(arrays, Mapping) and arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: divide and conquer is written for 1, or 2 (articulated inertias apart)"
        )
    arm = arm_of(n, joints, contact, branches)
    at_root = (after_last_level(line, n) for line in contact_force(arm.contact))  # Step III
    whole_arm = arm.program(
        "divide and conquer",
        [*leaves(arm), *inertias(arm), *end_effector(arm)],
        [*RECURRENCES.at_base(arm, PR2), *biases(arm), *at_root, *way_down(arm)],
        also=[Resident(GRAVITY), *(Resident(x, where=arm.plain) for x in (X_TIP, TIP))],
        results={"qdd": (2, QDD), "force": (2, FORCE[0]), "lambda_inverse": (1, LAMBDA)}
        | {"acceleration0": (2, V_0)}
        | {name: x for name, x in arm.results().items() if name == BRANCH_QDD},
        parts=_TITLES,
    )
    if arrays == 2:
        return whole_arm
    return on_arrays(whole_arm, arrays if isinstance(arrays, Mapping) else {"": 1})


# --------------------------------------------------------------- who joins what, at which joint


def whole(arm: Arm, j: int) -> ProcessSet:
    """The processes that have a body after level j."""
    return every(2**j, arm.n)


def who_joins(arm: Arm, j: int) -> ProcessSet:
    """The processes that join two bodies at level j: those of the outer bodies."""
    h: int = 2 ** (j - 1)
    return every(2 * h, arm.n) & (i > h)


def at_joint(arm: Arm, h: int, make: Callable[..., Kernel], **how: object) -> Callable[..., Expression]:
    """The kernel of each process, of the type of joint i-h+1, where it joins bodies; below h of joint 2."""
    return by_process(make(arm.joints[max(process - h, 1)], **how) for process in range(1, arm.n + 1))


@cache  # one kernel for all programs, as other kernels are
def alone(kernel: Kernel, form: str) -> Kernel:
    """A kernel at joint 1, where there is nothing before: without its last operand, and printed so."""
    return replace(kernel, form=form, runs_without_operands=False)


# --------------------------------------------------------------------------- Step I: inertias


def leaves(arm: Arm) -> Lines:
    """I.a: the inverse inertias of the links at their handles; joint 1 makes link 1 a body with one."""
    first = arm.joints[0]
    yield from handles.inertias(arm)
    phi_1, phi_12, phi_2 = handles.AT_HANDLES if arm.tilt else (I_INVERSE, handles.ACROSS, arm.link_inertia)
    yield Name("I.a.4", PHI_1[0], phi_1, where=i > 1)
    yield Name("I.a.4", PHI_12[0], phi_12, where=i > 1)
    yield Compute("I.a.5", BASE_LDL, alone(assembly.joint_factor(first), "ldl({0})")(phi_1), i == 1)
    yield Compute("I.a.6", BASE_K, assembly.through(first, inner=False)(BASE_LDL, phi_12))
    yield Send("I.a.6'", (BASE_LDL, BASE_K), PR2[i])
    yield Compute("I.a.7", BASE_D, assembly.freed(first, inner=False)(phi_12, BASE_K))
    yield Compute("I.a.8", PHI_2[0], minus(phi_2, BASE_D.or_zero))


def inertias(arm: Arm) -> Lines:
    """I.b: at each joint the factor and K, and the inertias of the body that it makes of two."""

    def level(j: int, h: int) -> Lines:
        joining = who_joins(arm, j)
        inner = PR1[i + h].only(joining.shifted(-h))
        phi_1, phi_12, phi_2, ldl = PHI_1[j - 1], PHI_12[j - 1], PHI_2[j - 1], LDL[j - 1]
        k_outer, lost = K_OUTER[j - 1], D_OUTER[j - 1]

        yield Send("I.b.1", phi_2, inner)
        if j < levels(arm.n):
            yield Send("I.b.2", (phi_12, phi_1), inner)
        yield Compute("I.b.3", ldl, at_joint(arm, h, assembly.joint_factor)(phi_1, phi_2[i - h]), joining)
        yield Compute("I.b.4", k_outer, at_joint(arm, h, assembly.through, inner=False)(ldl, phi_12))
        yield Send("I.b.4'", (ldl, k_outer), PR2[i])
        yield Compute("I.b.5", lost, at_joint(arm, h, assembly.freed, inner=False)(phi_12, k_outer))
        yield Compute("I.b.6", PHI_2[j], minus(phi_2, lost.or_zero), whole(arm, j))
        yield from follow(arm, "I.b.6'", j, PHI_2[j])
        if j == levels(arm.n):
            return
        # Bodies without link 1 in them have an inner handle too; at the last level there is none.
        across, k_inner, freed = phi_12[i - h], K_INNER[j - 1], D_INNER[j - 1]
        yield Compute("I.b.7", k_inner, at_joint(arm, h, assembly.through, inner=True)(ldl, across))
        yield Send("I.b.7'", k_inner, PR2[i])
        yield Compute("I.b.8", PHI_12[j], at_joint(arm, h, assembly.coupled)(across, k_outer))
        yield from follow(arm, "I.b.8'", j, PHI_12[j])
        yield Compute("I.b.9", freed, at_joint(arm, h, assembly.freed, inner=True)(across, k_inner))
        yield Compute("I.b.10", PHI_1[j], minus(phi_1[i - h], freed))
        yield from follow(arm, "I.b.10'", j, PHI_1[j])

    yield from loop(arm.n, level)


def end_effector(arm: Arm) -> Lines:
    """I.c: the inverse inertia of the arm at its only handle."""
    yield after_last_level(Name("I.c.1", LAMBDA, PHI_2[levels(arm.n)]), arm.n)
    if arm.contact.constrained:
        yield after_last_level(Send("I.c.2", LAMBDA, PR2[i]), arm.n)


def follow(arm: Arm, step: str, j: int, of_body: Value) -> Lines:
    """A value of level j follows its process to the next level."""
    if j < levels(arm.n):
        yield Arrange(step, of_body, j, j + 1)


# ------------------------------------------------------- Step II: what the torques do, leaves to root


def biases(arm: Arm) -> Lines:
    """II.b.2 to II.d, after Newton-Euler in frame 1: F_T, b of all bodies, Vdot_0 at the root's place."""
    array, m = PR2, levels(arm.n)
    yield Compute("II.b.2", F_T, minus(TAU, BIAS))
    yield from handles.torques(arm, TORQUE[0])
    yield from handles.biases(arm, TORQUE[0], B_1[0])
    # To the place of the root, in good time: what the contact will read there.
    dw, dv = last(WDOT, arm.n), last(V, arm.n)
    yield Compute("II.c.1'", END_BIAS, to_link(TURN, dw, dv), i == arm.n)
    lines = [line for line in contact_force(arm.contact) if isinstance(line, Compute)]
    read = dict.fromkeys(operand.value for line in lines for operand in line.expression.operands)
    present = {LAMBDA, V_0, *(line.target for line in lines)}
    for carried in (END_BIAS, *(x for x in read if x not in present)):
        yield Arrange("II.c.1'", carried, 0, m)
    # Joint 1, and b_2 of link 1 on it, of all links where they have side branches.
    first = arm.joints[0]
    if arm.branches:
        back = handles.at_joint(arm).or_zero
        yield Compute("II.c.2", BASE_DRIVEN, assembly.drive(first)(BASE_LDL, BASE_TORQUE, back))
        yield Compute("II.c.3", BASE_GAIN, assembly.outer(first)(BASE_K, BASE_TORQUE, back))
        at_next = handles.OUTER_TURNED if arm.tilt else handles.LEAF_OUTER
        yield Compute("II.c.3'", B_2[0], plus(at_next, BASE_GAIN.or_zero))
    else:
        drive, outer = (
            alone(assembly.drive(first), "{0}^-1 from {1}"),
            alone(assembly.outer(first), "{0}' [0; {1}]"),
        )
        yield Compute("II.c.2", BASE_DRIVEN, drive(BASE_LDL, BASE_TORQUE))
        yield Compute("II.c.3", B_2[0], outer(BASE_K, BASE_TORQUE))

    def level(j: int, h: int) -> Lines:
        joining = who_joins(arm, j)
        inner = array[i + h].only(joining.shifted(-h))
        b_1, b_2, torque = B_1[j - 1], B_2[j - 1], TORQUE[j - 1]
        # Links have no b, but for link 1 on its base, and those with side branches.
        bare = j == 1 and not arm.branches
        beta = B_2[0][i - 1] if bare else BETA[j - 1][i]
        yield Send("II.c.4", (b_2, torque if bare else b_1), inner)
        if j > 1:
            yield Compute("II.c.5", torque, assembly.joint_word(arm.sizes[INNER])(b_1), joining)
        if not bare:
            yield Compute("II.c.6", BETA[j - 1], assembly.gap(b_2[i - h], b_1), joining)
        gain = at_joint(arm, h, assembly.outer)(K_OUTER[j - 1], torque, beta.or_zero)
        yield Compute("II.c.7", GAIN[j - 1], gain, joining)
        if bare:
            yield Name("II.c.8", B_2[1], GAIN[0], b_2, where=whole(arm, j))
        else:
            yield Compute("II.c.8", B_2[j], plus(b_2, GAIN[j - 1].or_zero), whole(arm, j))
        yield from follow(arm, "II.c.8'", j, B_2[j])
        if j < levels(arm.n):
            make = assembly.first_inner if bare else assembly.inner
            others = (torque[i - 1],) if bare else (beta, b_1[i - h])
            form = at_joint(arm, h, make)(K_INNER[j - 1], torque, *others)
            yield Compute("II.c.9", B_1[j], form)
            yield from follow(arm, "II.c.9'", j, B_1[j])
        driven = at_joint(arm, h, assembly.drive)(LDL[j - 1], torque, beta.or_zero)
        yield Compute("II.c.10", DRIVEN[j - 1], driven, joining)

    yield from loop(arm.n, level)
    yield after_last_level(Compute("II.d.1", V_0, plus(B_2[m], END_BIAS)), arm.n)


# --------------------------------------------- Step IV: forces and accelerations, root to leaves


def way_down(arm: Arm) -> Lines:
    """Step IV: at each joint its force and acceleration, from what acts on the handles of the whole."""
    array = PR2
    yield after_last_level(Name("IV.a.1", TO_OUTER[levels(arm.n)], FORCE[0]), arm.n)

    def level(j: int, h: int) -> Lines:
        passed, driven, k_outer = PASSED[j - 1], DRIVEN[j - 1], K_OUTER[j - 1]
        inside = j < levels(arm.n)  # at the last level the inner body has link 1 in it
        from_inner = (FROM_INNER[j],) if inside else ()
        if inside:
            for carried in (TO_OUTER[j], FROM_INNER[j]):
                yield changed(Arrange("IV.a.1'", carried, j + 1, j), level=j, at=j + 1)
        if inside and j > 1:
            yield Send("IV.a.2", FROM_INNER[j], array[i - h])
        inner = (K_INNER[j - 1].or_zero, FROM_INNER[j].or_zero) if inside else ()
        force = at_joint(arm, h, assembly.joint_force, last=not inside)
        yield Compute("IV.a.3", passed, force(driven, k_outer, TO_OUTER[j], *inner), who_joins(arm, j))
        if j > 1:
            yield Send("IV.a.4", passed, array[i - h])
        else:  # of the links, only link 1 and those with side branches have joints to solve still
            yield Name("IV.a.4", ON_FIRST, passed, where=(i == 2) | arm.where.shifted(1))
            yield Send("IV.a.4", (*from_inner, ON_FIRST), array[i - 1])
        rate = at_joint(arm, h, assembly.with_acceleration, last=not inside)
        yield Compute("IV.a.5", MADE[j - 1], rate(passed, driven, k_outer, TO_OUTER[j], *inner))
        yield Name("IV.a.6", FROM_INNER[j - 1], MADE[j - 1], *(x[i + h] for x in from_inner))
        yield Name("IV.a.7", TO_OUTER[j - 1], TO_OUTER[j], (passed if j > 1 else ON_FIRST)[i + h])

    yield from loop(arm.n, level, downward=True)
    # IV.b: Qdd at every process, where level 1 left the forces
    rate = assembly.base_acceleration(arm.joints[0], freedom=arm.sizes[FREEDOM])
    accelerations = [
        Compute("IV.b.1", BASE_QDD, rate(BASE_DRIVEN, BASE_K, TO_OUTER[0])),
        *handles.accelerations(arm, FROM_INNER[0]),
        *handles.side_accelerations(arm, (BASE_DRIVEN, BASE_K), FROM_INNER[0], TO_OUTER[0]),
    ]
    for line in accelerations:
        yield changed(line, level=None, at=min(1, levels(arm.n)))
