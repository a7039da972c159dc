"""Step I of Fijany VI.D: A and its diagonalisation (I.a, I.b), and Lambda^-1 (I.c) in every form.

Form omega makes the rows of M^-1 J' too. On 8 arrays each of the last six takes one right-hand side of
Eq. (84).
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms import kernels as k
from senn.algorithms import link_kernels as link
from senn.algorithms import operator_kernels as op
from senn.algorithms import resident as held
from senn.algorithms.block_system import DIAGONALISE, RIGHT_HAND_SIDE, Names, at_last, solve_tip
from senn.algorithms.branches import steps as branches
from senn.algorithms.elimination import LDL, A, B, L
from senn.algorithms.inverse_mass import C_NEXT, INVERSE_I, P_LINK, joint_accelerations
from senn.algorithms.links import link_frames
from senn.algorithms.variant import Variant
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Remark,
    Send,
    Wait,
    by_process,
    i,
    value,
)

RZ = value("Rz", 2)
E = value("E", 5, 6)
PSI_E, E_E, H_E = Letter("Psi", (5, 6)), Letter("e.E", (5, 6)), Letter("h.E", (5, 6))
OMEGA_E, THETA = value("Omega", 5, 6), value("Theta", 21)
LAMBDA = value("Lambda^-1", 21)
Y_ROW = value("y", 6)
ROWS = Names(".w", 6)  # the application to six unit wrenches, form omega
E_COLUMN = tuple(value(f"E.{c}", 5) for c in range(1, 7))
OMEGA_COLUMN = tuple(value(f"Omega.{c}", 5) for c in range(1, 7))


def projection(v: Variant) -> Iterator[Instruction]:
    """Step I.a."""
    pr, joints = v.eliminating, v.joints
    yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in joints)(held.Q))
    inverse = by_process(link.INVERSE_INERTIA[x] for x in joints)
    own_inverse = inverse(RZ, held.Q, held.S_TURNED, held.INVERSE_J, held.INVERSE_M)
    yield Compute("I.a.2", branches.rigid(v, INVERSE_I), own_inverse)
    if v.branches:
        yield from branches.folded(v, RZ)
    if v.solving != pr:
        yield Send("I.a.3", INVERSE_I, v.solving[i])
    couple = by_process(link.coupling(x, 5) for x in joints)
    coupled = couple(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_NEXT)
    yield Compute("I.a.4", branches.rigid(v, B[0]), coupled)
    if v.branches:
        yield from branches.couplings(v)
    # Who needs the left block: the pivots of level 1, or all for strategy 1 and for the refinement.
    users = i > 1 if v.strategy == 1 or v.refine else v.how.pivots(1)
    yield Send("I.a.4'", B[0], pr[i + 1].only(users.shifted(-1)))
    yield Name("I.a.4'", L[0], B[0][i - 1], where=users)
    if v.closed and v.branched_tip:
        yield from branches.end_coupling(v, E)
    elif v.closed:
        tip = link.coupling(joints[-1], 6)
        yield Compute("I.a.4''", E, tip(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_TIP))
    for column, (one, array) in enumerate(zip(E_COLUMN, v.columns, strict=False), 1):
        yield Compute(f"I.a.4''.{column}", one, k.column(column)(E))
        yield Send(f"I.a.4''.{column}", one, array[i])
    diagonal = by_process(link.DIAGONAL[x] for x in joints)
    yield Compute("I.a.5", A[0], diagonal(INVERSE_I, branches.BEFORE if v.branches else held.BEFORE))
    if v.refine and v.solving != pr:
        yield Send("I.a.5'", (A[0], B[0], L[0]), v.solving[i])


def diagonalisation(v: Variant) -> Iterator[Instruction]:
    """Step I.b; who solves gets the factor of A_i^M instead of A_i^M, 15 words either way."""
    pr, factor = v.eliminating, LDL[v.levels]
    yield from DIAGONALISE[v.strategy](v.how)
    yield at_last(Compute("I.b.12''", factor, k.ldl(A[v.levels])), v.n)
    to = [v.solving[i]] if v.solving != pr else []
    to += [array[i].only(i == v.n) for array in reversed(v.columns)]  # the farthest first
    if v.closed and v.form != "paper":
        # Without the sweep I.c.2, process N makes Theta at home and takes the factor along (it moves if
        # N < 2^M).
        to.append(pr[i].only(i == v.n))
    if to:
        yield at_last(Send("I.b.13", factor, *to), v.n)


def end_effector(v: Variant) -> Iterator[Instruction]:
    """Step I.c, Lambda^-1, in the array that diagonalised A; form omega then has the rows of M^-1 J'."""
    if v.form != "paper":  # psi_N^M = E_N exactly, so Theta is local to process N
        yield Compute("I.c.3", THETA, k.theta(LDL[v.levels].delivered, E))
    elif v.columns:
        yield Compute("I.c.3.ii", THETA, k.inner_product_of_columns(E, *OMEGA_COLUMN))
    else:
        yield from _theta_by_sweep(v)
    if v.branched_tip:
        yield Compute("I.c.4", LAMBDA, k.difference(21)(branches.NEXT, THETA), i == v.n)
    else:
        yield Compute("I.c.4", LAMBDA, k.difference(21)(held.TIP, THETA))
    if v.contact.constrained and v.solving != v.eliminating:
        yield Send("I.c.5", LAMBDA, v.solving[i])
    if v.form == "paper":
        yield Remark("I.c.6", "wait (end of operation)")
    if v.form == "omega":
        yield from _rows(v)


def _theta_by_sweep(v: Variant) -> Iterator[Instruction]:
    """Step I.c as printed: A Omega = E for six right-hand sides; E_i = 0 and Theta = 0 but at process N."""
    m, n = v.levels, v.n
    yield Name("I.c.1", PSI_E[0], E, held.NO_E)
    yield from RIGHT_HAND_SIDE[v.strategy]("I.c.2", PSI_E, E_E, H_E, v.how, v.eliminating)
    yield at_last(Compute("I.c.3.i", OMEGA_E, k.solve_columns(6)(LDL[m], PSI_E[m])), n)
    yield at_last(Arrange("I.c.3.i'", OMEGA_E, m, 0), n)
    yield Compute("I.c.3.ii", THETA, k.inner_product(PSI_E[0], OMEGA_E))


def column_solution(v: Variant, number: int, array: Array) -> Iterator[Instruction]:
    """Steps I.c.1-3 for one right-hand side in an array of its own: column `number` (from 1) of Omega_N."""
    m, mark = v.levels, f".{number}"
    psi, e, h = (Letter(name + mark, (5,)) for name in ("Psi", "e.E", "h.E"))
    omega = OMEGA_COLUMN[number - 1]
    yield Name("I.c.1", psi[0], E_COLUMN[number - 1], held.NO_COLUMN)
    yield from RIGHT_HAND_SIDE[v.strategy]("I.c.2", psi, e, h, v.how, array)
    yield at_last(Compute("I.c.3.i", omega, k.solve_columns()(LDL[m], psi[m]), i == v.n), v.n)
    yield at_last(Send("I.c.3.i'", omega, v.eliminating[i]), v.n)
    yield at_last(Wait("I.c.6", psi[m]), v.n)  # psi^M of the others, which nobody needs


def _rows(v: Variant) -> Iterator[Instruction]:
    """Form omega: then Omega by the tip form, and the rows Y_i of M^-1 J' (X^1 is zero but at N)."""
    pr, names = v.eliminating, ROWS
    yield from link_frames("I.c.1'", "I.c.1'", v.joints, (P_LINK,))
    yield from solve_tip("I.c.2'.", E, names, v.how, pr)
    yield Compute("I.c.3'", names.x1, op.end_response(INVERSE_I, C_NEXT, P_LINK), i == v.n)
    yield from joint_accelerations("I.c.3'.", Y_ROW, names, v.joints, pr, tip=True)
    if v.solving != pr:
        yield Send("I.c.5'", Y_ROW, v.solving[i])
    if v.branches:
        yield from branches.rows(v, names)
