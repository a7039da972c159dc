"""One application of M^-1: Qdd_G = M^-1 F_G, Eq. (81), Steps II.b.4 to II.c.7, around the system with A.

I^-1 comes from the array that diagonalises A. The steps are used for Qdd_0 (Step II) and again for Qdd_C
(Step IV.b.1), with values of other names.

In a wide arm (`senn.algorithms.arm.padding`) each process multiplies with its own W_a and W: forces at
O_{i+1} come as six words, f_T = W_a F_G and f_W = W phi in place of F_G and phi, and what link i carries to
O_{i+1} goes out as six words, of which the receiver takes its components.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import padding
from senn.algorithms.arm.padding import dual, is_wide, tilt_of
from senn.algorithms.kernels import complement as across
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels import system as k
from senn.algorithms.kernels import wide as wk
from senn.algorithms.system.block_system import Names
from senn.machine.program import Array, Compute, Expression, Instruction, Send, Value, by_process, i, value

INVERSE_I = value("(I_i)^-1", 21)  # (iI_i)^-1, packed
C_NEXT = value("C(i,i+1)", 3, 3)
P_LINK = value("P", 3)  # P_i in frame i + 1


def force_of_torque(names: Names) -> Value:
    """f_T = W_a F_G at O_i in frame i, wide arms only."""
    return names.value("f_T", 6)


def constraint_force(names: Names) -> Value:
    """f_W = W phi at O_i in frame i, wide arms only."""
    return names.value("f_W", 6)


def wrench_term(
    step: str, f_g: Value, names: Names, joints: tuple[str, ...], array: Array, less: Value | None = None
) -> Iterator[Instruction]:
    """b.4-5: X^1 = I^-1 R H F_G, where there is any without `less`, and X^2 = W' R' X^1."""
    n, carried, force = len(joints), names.value("Y", 6), f_g
    if is_wide(joints):
        force = force_of_torque(names)
        yield Compute(f"{step}b.4.i'", force, wk.force_of_torque(dual(joints), f_g))
    yield Send(f"{step}b.4.i", force, array[i - 1])
    x1 = names.x1 if less is None else names.value("X^1~", 6)
    yield Compute(f"{step}b.4.ii", x1, _joint_wrench(joints, force))
    if less is not None:
        yield Compute(f"{step}b.4.iii", names.x1, op.less(x1, less.or_zero))
    yield Compute(f"{step}b.5.i", carried, op.carried()(C_NEXT, P_LINK, names.x1), i < n)
    yield Send(f"{step}b.5.ii", carried, array[i + 1])
    yield Compute(f"{step}b.5.iii", names.x2, _constrained(joints, names.x1, carried))


def _joint_wrench(joints: tuple[str, ...], force: Value) -> Expression:
    if is_wide(joints):
        return wk.accelerations()(INVERSE_I, force, C_NEXT, P_LINK, force[i + 1].or_zero)
    form = by_process(op.joint_wrench(own, then) for own, then in neighbours(joints))
    return form(force, C_NEXT, P_LINK, INVERSE_I, force[i + 1].or_zero)


def _constrained(joints: tuple[str, ...], x: Value, carried: Value) -> Expression:
    if is_wide(joints):
        kernels = by_process(across.constrained(joint, padding.rows(joints)) for joint in joints)
        return kernels(x, carried[i - 1].or_zero, *tilt_of(joints))
    return by_process(op.constrained(joint) for joint in joints)(x, carried[i - 1].or_zero)


def neighbours(joints: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each joint with the one that follows; the last with itself."""
    return zip(joints, (*joints[1:], joints[-1]), strict=True)


def joint_accelerations(
    step: str, target: Value, names: Names, joints: tuple[str, ...], array: Array, *, tip: bool = False
) -> Iterator[Instruction]:
    """c.5-7: X^4 = I^-1 R W phi, X^5 = X^1 - X^4, target = H' R' X^5. `tip`: X^1 exists at process n only."""
    x4, force = names.value("X^4", 6), names.phi
    if is_wide(joints):
        force = constraint_force(names)
        kernels = by_process(across.constraint_force(joint, names.columns) for joint in joints)
        yield Compute(f"{step}c.5.i'", force, kernels(names.phi, *tilt_of(joints)))
    yield Send(f"{step}c.5.i", force, array[i - 1])
    yield Compute(f"{step}c.5.ii", x4, _constraint_wrench(joints, force, names.columns))
    if tip:
        yield Compute(f"{step}c.6", names.x5, op.less_or_negative(x4.words)(x4, names.x1.or_zero))
    else:
        yield Compute(f"{step}c.6", names.x5, k.difference(x4.words)(names.x1, x4))
    yield from _components(f"{step}c.7", target, names, joints, array)


def _constraint_wrench(joints: tuple[str, ...], force: Value, columns: int | None) -> Expression:
    if is_wide(joints):
        return wk.accelerations(columns)(INVERSE_I, force, C_NEXT, P_LINK, force[i + 1].or_zero)
    form = by_process(op.constraint_wrench(own, then, columns) for own, then in neighbours(joints))
    return form(INVERSE_I, force, C_NEXT, P_LINK, force[i + 1].or_zero)


def _components(
    step: str, target: Value, names: Names, joints: tuple[str, ...], array: Array
) -> Iterator[Instruction]:
    """c.7: H' R' X^5; a lean process makes the word that its neighbour needs, a wide one sends all six."""
    n, r, wide = len(joints), names.columns, is_wide(joints)
    passed = names.value("x", *((6,) if wide else ()))
    component = by_process(
        op.carried(r) if wide else op.carried_component(x, r) for _, x in neighbours(joints)
    )
    yield Compute(f"{step}.i", passed, component(C_NEXT, P_LINK, names.x5), i < n)
    yield Send(f"{step}.ii", passed, array[i + 1])
    if wide:
        own = wk.joint_component(r)(dual(joints), names.x5, passed[i - 1].or_zero)
    else:
        own = by_process(op.joint_component(joint, r) for joint in joints)(names.x5, passed[i - 1].or_zero)
    yield Compute(f"{step}.iii", target, own)
