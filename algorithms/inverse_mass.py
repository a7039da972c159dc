"""One application of M^-1: Qdd_G = M^-1 F_G, Eq. (81), Steps II.b.4 to II.c.7, around the system with A.

I^-1 comes from the array that diagonalises A. The steps are used for Qdd_0 (Step II) and again for Qdd_C
(Step IV.b.1), with values of other names.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms import kernels as k
from senn.algorithms import operator_kernels as op
from senn.algorithms.block_system import Names
from senn.machine.program import Array, Compute, Instruction, Send, Value, by_process, i, value

INVERSE_I = value("(I_i)^-1", 21)  # (iI_i)^-1, packed
C_NEXT = value("C(i,i+1)", 3, 3)
P_LINK = value("P", 3)  # P_i in frame i + 1


def wrench_term(
    step: str, f_g: Value, names: Names, joints: tuple[str, ...], array: Array, less: Value | None = None
) -> Iterator[Instruction]:
    """b.4-5: X^1 = I^-1 R H F_G, where there is any without `less`, and X^2 = W' R' X^1."""
    n, after = len(joints), (*joints[1:], joints[-1])
    carried = names.value("Y", 6)
    form = by_process(op.joint_wrench(own, then) for own, then in zip(joints, after, strict=True))
    yield Send(f"{step}b.4.i", f_g, array[i - 1])
    x1 = names.x1 if less is None else names.value("X^1~", 6)
    yield Compute(f"{step}b.4.ii", x1, form(f_g, C_NEXT, P_LINK, INVERSE_I, f_g[i + 1].or_zero))
    if less is not None:
        yield Compute(f"{step}b.4.iii", names.x1, op.less(x1, less.or_zero))
    yield Compute(f"{step}b.5.i", carried, op.carried()(C_NEXT, P_LINK, names.x1), i < n)
    yield Send(f"{step}b.5.ii", carried, array[i + 1])
    project = by_process(op.constrained(joint) for joint in joints)
    yield Compute(f"{step}b.5.iii", names.x2, project(names.x1, carried[i - 1].or_zero))


def joint_accelerations(
    step: str, target: Value, names: Names, joints: tuple[str, ...], array: Array, *, tip: bool = False
) -> Iterator[Instruction]:
    """c.5-7: X^4 = I^-1 R W phi, X^5 = X^1 - X^4, target = H' R' X^5. `tip`: X^1 exists at process n only."""
    n, r, after = len(joints), names.columns, (*joints[1:], joints[-1])
    x4, passed = names.value("X^4", 6), names.value("x")
    form = by_process(op.constraint_wrench(a, b, r) for a, b in zip(joints, after, strict=True))
    yield Send(f"{step}c.5.i", names.phi, array[i - 1])
    yield Compute(f"{step}c.5.ii", x4, form(INVERSE_I, names.phi, C_NEXT, P_LINK, names.phi[i + 1].or_zero))
    if tip:
        yield Compute(f"{step}c.6", names.x5, op.less_or_negative(x4.words)(x4, names.x1.or_zero))
    else:
        yield Compute(f"{step}c.6", names.x5, k.difference(x4.words)(names.x1, x4))
    component = by_process(op.carried_component(joint, r) for joint in after)
    yield Compute(f"{step}c.7.i", passed, component(C_NEXT, P_LINK, names.x5), i < n)
    yield Send(f"{step}c.7.ii", passed, array[i + 1])
    project = by_process(op.joint_component(joint, r) for joint in joints)
    yield Compute(f"{step}c.7.iii", target, project(names.x5, passed[i - 1].or_zero))
