"""The leaves of the tree: every link at its two handles, in the axes of the joints there.

Where a joint mixes two rows in W_i (universal and helical ones), the handles there are brought to axes in
which it does not; torque and acceleration of the joint are turned to the axes of H_i, and back. A link with
side branches is a leaf with the articulated inertia of both, driven by the torques of the branches.
"""

from __future__ import annotations

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import HELD_X
from senn.algorithms.kernels import assembly
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.side_tree import BRANCH_QDD
from senn.machine.program import *  # the words of a program

ACROSS = value("Phi12'", 6, 6)
BASE_TORQUE, BASE_QDD = value("t.1", FREEDOM), value("Qdd.1", FREEDOM)
OWN_QDD, FIRST_QDD = value("Qdd'", FREEDOM), value("Qdd.1'", FREEDOM)
# In axes that no joint mixes, of arms with such joints
AT_HANDLES = value("Phi1.t", 21), value("Phi12.t", 6, 6), value("Phi2.t", 21)
TILT_NEXT = value("tilt+", 2)  # of joint i+1
HELD_TURNED, OUTER_TURNED = value("I^-1 p.t", 6), value("b2.t", 6)
# Of links with side branches
LEAF_OUTER = value("b2.l", 6)
BASE_FORCE, OWN_FORCE, FIRST_FORCE, BEYOND = (value(x, 6) for x in ("f.1", "F.o", "F.1", "F.n"))
RIGID_X, LINK_X = value("X.r", 6), value("X.l", 6)


def _mixing(arm: Arm) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """The joint before each link and that behind it, where they mix rows."""
    before = tuple(map(assembly.mixing, arm.joints))
    return before, (*before[1:], None)


def _inner(arm: Arm) -> tuple[str, ...]:
    """The joint of every link, with joint 2 in the place of joint 1, which is the base's."""
    return (*arm.joints[1:2], *arm.joints[1:])


# ------------------------------------------------------------------------------ Step I


def inertias(arm: Arm) -> Lines:
    """I.a.1-3: (I_i)^-1, I_i^-1 C6 P^ and (I_{i,i+1})^-1 of every link."""
    yield from arm.inverse_inertia()
    if arm.branches:
        yield Send("I.a.2''", I_INVERSE, PR2[i].only(arm.where))
        for tilt in arm.tilt:
            yield Name("I.a.2''", TILT_NEXT, tilt[i + 1])
            yield Send("I.a.2''", TILT_NEXT, PR2[i])
    yield from arm.across_link("I.a.3", ACROSS)
    yield from arm.beyond_link("I.a.3'")
    for tilt in arm.tilt:
        tilt_before, tilt_behind = tilt[i], tilt[i + 1].or_zero
        before, behind = _mixing(arm)
        kernels = by_process(map(assembly.inner_handle, before))
        yield Compute("I.a.3''.i", AT_HANDLES[0], kernels(I_INVERSE, tilt_before))
        both = by_process(map(assembly.between_handles, before, behind))
        yield Compute("I.a.3''.ii", AT_HANDLES[1], both(ACROSS, tilt_before, tilt_behind))
        kernels = by_process(map(assembly.outer_handle, behind))
        yield Compute("I.a.3''.iii", AT_HANDLES[2], kernels(arm.link_inertia, tilt_behind))


# ------------------------------------------------------------------------------ Step II


def torques(arm: Arm, target: Value) -> Lines:
    """II.c.1: F_T in the axes of H_i; joint 1 is the base's."""
    if arm.lean:
        yield Name("II.c.1", target, F_T, where=i > 1)
        yield Name("II.c.1", BASE_TORQUE, F_T, where=i == 1)
        return
    yield from arm.own_axes("II.b.1'", TILT)
    yield from arm.own_axes("II.b.1''", W_A)
    inner, base = (arm.sizes[x] or 1 for x in (INNER, FREEDOM))
    if arm.n > 1:
        along = by_process(assembly.torque_along(x, inner) for x in _inner(arm))
        yield Compute("II.c.1", target, along(W_A, F_T, *arm.tilt), i > 1)
    first = assembly.torque_along(arm.joints[0], base)
    yield Compute("II.c.1", BASE_TORQUE, first(W_A, F_T, *arm.tilt), i == 1)


def biases(arm: Arm, torque: Value, target: Value) -> Lines:
    """II.c.1': b_1 with the torque of joint i behind it, and b_2, of links with side branches; else zero."""
    if not arm.branches:
        return
    yield from arm.drives("II.c.1'")
    yield Compute("II.c.1'.v", LEAF_OUTER, assembly.leaf_outer(C_NEXT, P_LINK, HELD_X.or_zero))
    for tilt in arm.tilt:
        before, behind = _mixing(arm)
        turned = by_process(map(assembly.at_inner, before))
        yield Compute("II.c.1'.vi", HELD_TURNED, turned(HELD_X, tilt))
        turned = by_process(map(assembly.at_outer, behind))
        yield Compute("II.c.1'.vii", OUTER_TURNED, turned(LEAF_OUTER, TILT_NEXT.or_zero))
    if arm.n == 1:
        return  # its joint is the base's
    yield Compute("II.c.1'.viii", target, assembly.leaf_inner(torque, at_joint(arm).or_zero))


def at_joint(arm: Arm) -> Value:
    """I_i^-1 p in the axes of joint i."""
    return HELD_TURNED if arm.tilt else HELD_X


# ------------------------------------------------------------------------------ Step IV


def accelerations(arm: Arm, from_inner: Value) -> Lines:
    """IV.b.2-3: Qdd at every process, from what its own joint passes on."""
    several = arm.n > 1
    if arm.lean:
        if several:
            yield Compute("IV.b.2", OWN_QDD, assembly.joint_word(None)(from_inner))
        yield Name("IV.b.3", QDD, BASE_QDD, *((OWN_QDD,) if several else ()))
        return
    inner, freedom = (arm.sizes[x] or 1 for x in (INNER, FREEDOM))
    first = assembly.rate_along(arm.joints[0], freedom, freedom)
    yield Compute("IV.b.2", FIRST_QDD, first(W_A, BASE_QDD, *arm.tilt))
    if several:
        rates = by_process(assembly.rate_along(x, freedom, inner) for x in _inner(arm))
        yield Compute("IV.b.2'", OWN_QDD, rates(W_A, from_inner, *arm.tilt))
    yield Name("IV.b.3", QDD, FIRST_QDD, *((OWN_QDD,) if several else ()))


def side_accelerations(arm: Arm, base: tuple[Value, Value], from_inner: Value, beyond: Value) -> Lines:
    """IV.b.4: joints of side branches, by the forces at both handles of their link; `base` solves joint 1."""
    where = arm.where
    if not arm.branches:
        return
    first = assembly.joint_force(arm.joints[0], last=True)
    yield Compute("IV.b.4.i", BASE_FORCE, first(*base, beyond), where & (i == 1))
    before, behind = _mixing(arm)
    inner = by_process(map(assembly.at_inner, before))
    yield Compute("IV.b.4.ii", FIRST_FORCE, inner(BASE_FORCE, *arm.tilt))
    if arm.n > 1:
        yield Compute("IV.b.4.iii", OWN_FORCE, inner(from_inner, *arm.tilt), where & (i > 1))
    force = value("F.l", 6)
    yield Name("IV.b.4.iii", force, FIRST_FORCE, *((OWN_FORCE,) if arm.n > 1 else ()))
    if arm.tilt:
        turned = by_process(map(assembly.at_outer, behind))
        yield Compute("IV.b.4.iv", BEYOND, turned(beyond, TILT_NEXT.or_zero), where)
    passed = BEYOND if arm.tilt else beyond
    rigid = op.accelerations(I_INVERSE, force, C_NEXT, P_LINK, passed.or_zero)
    yield Compute("IV.b.4.v", RIGID_X, rigid, where)
    yield Compute("IV.b.4.vi", LINK_X, minus(RIGID_X, HELD_X))
    yield from arm.follow("IV.b.5", LINK_X, arm.results()[BRANCH_QDD][1])
