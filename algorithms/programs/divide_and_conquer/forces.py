"""Steps II to IV of divide and conquer: what the torques do, leaves to root; forces and accelerations, root
to leaves."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import (
    BIAS,
    F_T,
    FORCE,
    FREEDOM,
    INNER,
    LAMBDA,
    TAU,
    TURN,
    V_0,
    WDOT,
    V,
    last,
)
from senn.algorithms.kernels import sums
from senn.algorithms.kernels.assembly import forces
from senn.algorithms.programs.contact_force import contact_force
from senn.algorithms.programs.divide_and_conquer import handles
from senn.algorithms.programs.divide_and_conquer.handles import BASE_QDD, BASE_TORQUE
from senn.algorithms.programs.divide_and_conquer.inertias import *
from senn.algorithms.programs.newton_euler import RECURRENCES
from senn.algorithms.system.solver import at_last
from senn.machine.program import (
    PR2,
    Arrange,
    Compute,
    Instruction,
    Name,
    Send,
    Value,
    i,
    levels,
    loop,
    replace_place,
)

# ------------------------------------------------------------- Step II: what the torques do


def bias(arm: Arm) -> Iterator[Instruction]:
    """II.a and II.b.1, in frame 1."""
    yield from RECURRENCES.at_base(arm, PR2)


def biases(arm: Arm) -> Iterator[Instruction]:
    """II.b.2 to II.d: F_T; b of all bodies; Vdot_0 at the place of the root."""
    array, m = PR2, levels(arm.n)
    yield Compute("II.b.2", F_T, sums.difference(TAU, BIAS))
    yield from handles.torques(arm, TORQUE[0])
    yield from handles.biases(arm, TORQUE[0], B_1[0])
    # To the place of the root, in good time: what the contact will read there.
    dw, dv = last(WDOT, arm.n), last(V, arm.n)
    yield Compute("II.c.1'", END_BIAS, forces.end_bias(TURN, dw, dv), i == arm.n)
    for carried in (END_BIAS, *_read_by_contact(arm)):
        yield Arrange("II.c.1'", carried, 0, m)
    yield from _on_base(arm)
    own = {"freedom": arm.sizes[INNER]}

    def level(j: int, h: int) -> Iterator[Instruction]:
        joining, inner = who_joins(arm, j), array[i + h].only(given_away(arm, j))
        b_1, b_2, torque = B_1[j - 1], B_2[j - 1], TORQUE[j - 1]
        # Links have no b, but for link 1 on its base, and those with side branches.
        bare = j == 1 and not arm.branches
        beta = B_2[0][i - 1] if bare else BETA[j - 1][i]
        yield Send("II.c.4", (b_2, torque if bare else b_1), inner)
        if j > 1:
            yield Compute("II.c.5", torque, forces.seventh(arm.sizes[INNER])(b_1), joining)
        if not bare:
            yield Compute("II.c.6", BETA[j - 1], forces.gap(b_2[i - h], b_1), joining)
        gain = at_joint(arm, h, forces.outer, **own)(K_OUTER[j - 1], torque, beta.or_zero)
        yield Compute("II.c.7", GAIN[j - 1], gain, joining)
        if bare:
            yield Name("II.c.8", B_2[1], GAIN[0], b_2, where=whole(arm, j))
        else:
            yield Compute("II.c.8", B_2[j], sums.plus(b_2, GAIN[j - 1].or_zero), whole(arm, j))
        yield from follow(arm, "II.c.8'", j, B_2[j])
        if j < levels(arm.n):
            make = forces.first_inner if bare else forces.inner
            others = (torque[i - 1],) if bare else (beta, b_1[i - h])
            form = at_joint(arm, h, make, **own)(K_INNER[j - 1], torque, *others)
            yield Compute("II.c.9", B_1[j], form)
            yield from follow(arm, "II.c.9'", j, B_1[j])
        driven = at_joint(arm, h, forces.drive, **own)(LDL[j - 1], torque, beta.or_zero)
        yield Compute("II.c.10", DRIVEN[j - 1], driven, joining)

    yield from loop(arm.n, level)
    yield at_last(Compute("II.d.1", V_0, sums.total(B_2[m], END_BIAS)), arm.n)


def _on_base(arm: Arm) -> Iterator[Instruction]:
    """II.c.2-3: joint 1, and b_2 of link 1 on it, of all links where they have side branches."""
    first, base = arm.joints[0], arm.sizes[FREEDOM]
    if not arm.branches:
        yield Compute("II.c.2", BASE_DRIVEN, forces.lone_drive(first, freedom=base)(BASE_LDL, BASE_TORQUE))
        yield Compute("II.c.3", B_2[0], forces.lone_outer(first, freedom=base)(BASE_K, BASE_TORQUE))
        return
    held = handles.at_joint(arm).or_zero
    yield Compute("II.c.2", BASE_DRIVEN, forces.drive(first, freedom=base)(BASE_LDL, BASE_TORQUE, held))
    yield Compute("II.c.3", BASE_GAIN, forces.outer(first, freedom=base)(BASE_K, BASE_TORQUE, held))
    yield Compute("II.c.3'", B_2[0], sums.plus(handles.at_next(arm), BASE_GAIN.or_zero))


def _read_by_contact(arm: Arm) -> tuple[Value, ...]:
    """The resident values of the contact, at process n."""
    lines = [line for line in contact_force(arm.contact) if isinstance(line, Compute)]
    read = dict.fromkeys(operand.value for line in lines for operand in line.expression.operands)
    return tuple(x for x in read if x not in (LAMBDA, V_0, *(line.target for line in lines)))


def contact_at_root(arm: Arm) -> Iterator[Instruction]:
    """Step III, by process n at the place of the root."""
    for line in contact_force(arm.contact):
        yield at_last(line, arm.n)


# --------------------------------------------------------------- Step IV: the way down


def way_down(arm: Arm) -> Iterator[Instruction]:
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
        force = at_joint(arm, h, forces.joint_force, last=not inside)
        yield Compute("IV.a.3", passed, force(driven, k_outer, TO_OUTER[j], *inner), who_joins(arm, j))
        if j > 1:
            yield Send("IV.a.4", passed, array[i - h])
        else:  # of the links, only link 1 and those with side branches have joints to solve still
            yield Name("IV.a.4", ON_FIRST, passed, where=(i == 2) | handles.branched(arm).shifted(1))
            yield Send("IV.a.4", (*held_inner, ON_FIRST), array[i - 1])
        rate = at_joint(arm, h, forces.with_acceleration, freedom=arm.sizes[INNER], last=not inside)
        yield Compute("IV.a.5", MADE[j - 1], rate(passed, driven, k_outer, TO_OUTER[j], *inner))
        yield Name("IV.a.6", FROM_INNER[j - 1], MADE[j - 1], *(x[i + h] for x in held_inner))
        yield Name("IV.a.7", TO_OUTER[j - 1], TO_OUTER[j], (passed if j > 1 else ON_FIRST)[i + h])

    yield from loop(arm.n, level, downward=True)
    for line in _accelerations(arm):  # where level 1 left them
        yield replace_place(line, level=None, at=min(1, levels(arm.n)))


def _accelerations(arm: Arm) -> Iterator[Instruction]:
    """IV.b: Qdd at every process."""
    rate = forces.base_acceleration(arm.joints[0], freedom=arm.sizes[FREEDOM])
    yield Compute("IV.b.1", BASE_QDD, rate(BASE_DRIVEN, BASE_K, TO_OUTER[0]))
    yield from handles.accelerations(arm, FROM_INNER[0])
    yield from handles.side_accelerations(arm, (BASE_DRIVEN, BASE_K), FROM_INNER[0], TO_OUTER[0])
