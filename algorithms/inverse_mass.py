"""One application of M^-1 in array 2: Qdd_G = M^-1 F_G, Eq. (81), Steps II.b.4 to II.c.7.

The factor of A^M and the blocks C, F of every level come from array 1; I^-1 comes from there too. The
steps are used for Qdd_0 (Step II) and again for Qdd_C (Step IV.b.1), with values of other names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from senn.algorithms import kernels as k
from senn.algorithms import operator_kernels as op
from senn.algorithms.elimination import LDL, A, B, L, right_hand_side, tip_right_hand_side
from senn.machine.program import (
    PR2,
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Operand,
    Send,
    Value,
    by_process,
    i,
    levels,
    replace_place,
    value,
)

INVERSE_I = value("(I_i)^-1", 21)  # (iI_i)^-1, packed
C_NEXT = value("C(i,i+1)", 3, 3)
P_LINK = value("P", 3)  # P_i in frame i + 1


@dataclass(frozen=True)
class Names:
    """The values of one application; `mark` keeps those of several apart."""

    mark: str = ""
    columns: int | None = None

    def value(self, name: str, *shape: int) -> Value:
        return value(name + self.mark, *shape, *(() if self.columns is None else (self.columns,)))

    def letter(self, name: str) -> Letter:
        return Letter(name + self.mark, self.value(name, 5).shape)

    @property
    def x1(self) -> Value:
        return self.value("X^1", 6)

    @property
    def x2(self) -> Value:
        return self.value("X^2", 5)

    @property
    def phi(self) -> Value:
        return self.value("phi", 5)

    @property
    def x5(self) -> Value:
        return self.value("X^5", 6)


def at_last(instruction: Instruction, n: int) -> Instruction:
    """The same instruction after the loop: it executes at the places of level M."""
    return replace_place(instruction, level=None, at=levels(n))


def wrench_term(step: str, f_g: Value, names: Names, joints: tuple[str, ...]) -> Iterator[Instruction]:
    """b.4-5: X^1 = I^-1 R H F_G and X^2 = W' R' X^1."""
    n, after = len(joints), (*joints[1:], joints[-1])
    carried = names.value("Y", 6)
    form = by_process(op.joint_wrench(own, then) for own, then in zip(joints, after, strict=True))
    yield Send(f"{step}b.4.i", f_g, PR2[i - 1])
    yield Compute(f"{step}b.4.ii", names.x1, form(f_g, C_NEXT, P_LINK, INVERSE_I, f_g[i + 1].or_zero))
    yield Compute(f"{step}b.5.i", carried, op.carried()(C_NEXT, P_LINK, names.x1), i < n)
    yield Send(f"{step}b.5.ii", carried, PR2[i + 1])
    project = by_process(op.constrained(joint) for joint in joints)
    yield Compute(f"{step}b.5.iii", names.x2, project(names.x1, carried[i - 1].or_zero))


def solve_full(
    step: str, rhs: Value, names: Names, n: int, refine: int, array: Array
) -> Iterator[Instruction]:
    """c.2-4: A phi = rhs by the full sweep and the factor of A^M; rhs has a block at every process."""
    psi = names.letter("psi")
    yield Name(f"{step}c.2", psi[0], rhs)
    yield from right_hand_side(f"{step}c.3", psi, names.letter("e"), names.letter("h"), n, array)
    yield from _solution(step, psi, rhs[i], names, n, refine, array)


def solve_tip(
    step: str, rhs: Value, names: Names, n: int, refine: int, array: Array
) -> Iterator[Instruction]:
    """The same for a right-hand side that exists at process n only: the tip form of the sweep."""
    psi = names.letter("psi")
    yield Name(f"{step}c.2", psi[0], rhs)
    yield from tip_right_hand_side(f"{step}c.3", psi, names.letter("h"), n, array)
    yield from _solution(step, psi, rhs.or_zero, names, n, refine, array)


def _solution(
    step: str, psi: Letter, rhs: Operand, names: Names, n: int, refine: int, array: Array
) -> Iterator[Instruction]:
    m = levels(n)
    solve = k.solve_columns(names.columns)
    phi = names.value("phi~", 5) if refine else names.phi
    yield at_last(Compute(f"{step}c.4.i", phi, solve(LDL[m], psi[m])), n)
    yield at_last(Arrange(f"{step}c.4.ii", phi, m, 0), n)
    if refine:
        yield from _refinement(f"{step}c.4'", rhs, phi, names, n, array)


def _refinement(
    step: str, rhs: Operand, phi: Value, names: Names, n: int, array: Array
) -> Iterator[Instruction]:
    """c.4': one step of iterative refinement, with the blocks of level 0 and a full sweep.

    The residual is non-zero everywhere, also when the right-hand side is zero but at process n.
    """
    m = levels(n)
    psi, correction = names.letter("psi.r"), names.value("phi.r", 5)
    residual = names.value("r", 5)
    form = k.residual(names.columns)
    yield Send(f"{step}.i", phi, array[i - 1], array[i + 1])
    yield Compute(
        f"{step}.ii",
        residual,
        form(A[0], phi, rhs, B[0].or_zero, phi[i + 1].or_zero, L[0].or_zero, phi[i - 1].or_zero),
    )
    yield Name(f"{step}.iii", psi[0], residual)
    yield from right_hand_side(f"{step}.iii", psi, names.letter("e.r"), names.letter("h.r"), n, array)
    yield at_last(Compute(f"{step}.iv", correction, k.solve_columns(names.columns)(LDL[m], psi[m])), n)
    yield at_last(Arrange(f"{step}.iv'", correction, m, 0), n)
    yield Compute(f"{step}.v", names.phi, k.total(names.phi.words)(phi, correction))


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
