"""Step I of Fijany VI.D: A and its diagonalisation (I.a, I.b), and Lambda^-1 (I.c) in every form.

Form omega makes the rows of M^-1 J' too. On 8 arrays each of the last six takes one right-hand side of
Eq. (84).
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import branch_steps as branches
from senn.algorithms.arm.links import S_LINK, joint_axes, link_frames, tilts
from senn.algorithms.arm.padding import dual, of_joint, tilt_of
from senn.algorithms.kernels import complement as across
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels import system as k
from senn.algorithms.kernels import wide as wk
from senn.algorithms.programs import memory as held
from senn.algorithms.programs.variant import Variant
from senn.algorithms.system.block_system import DIAGONALISE, RIGHT_HAND_SIDE, Names, at_last, solve_tip
from senn.algorithms.system.inverse_mass import C_NEXT, INVERSE_I, P_LINK, joint_accelerations, neighbours
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Expression,
    Instruction,
    Letter,
    Name,
    Remark,
    Send,
    Value,
    Wait,
    by_process,
    i,
    value,
)

RZ = value("Rz", 2)
THETA, LAMBDA = value("Theta", 21), value("Lambda^-1", 21)
Y_ROW = value("y", 6)
ROWS = Names(".w", 6)  # the application to six unit wrenches, form omega


def _e(v: Variant) -> Value:
    """E_N, the block of process N that belongs to the end effector."""
    return value("E", v.size, 6)


def _columns(v: Variant, name: str) -> tuple[Value, ...]:
    """The columns of E or Omega, one for each array of its own."""
    return tuple(value(f"{name}.{c}", v.size) for c in range(1, 7))


def projection(v: Variant) -> Iterator[Instruction]:
    """Step I.a."""
    pr = v.eliminating
    A, B, L, E = v.how.A, v.how.B, v.how.L, _e(v)
    yield from _wide_inertia(v) if v.wide else _inertia(v)
    if v.solving != pr:
        yield Send("I.a.3", INVERSE_I, v.solving[i])
    yield _coupling(v)
    if v.branches:
        yield from branches.couplings(v)
    # Who needs the left block: the pivots of level 1, or all for strategy 1 and for the refinement.
    users = i > 1 if v.strategy == 1 or v.refine else v.how.pivots(1)
    yield Send("I.a.4'", B[0], pr[i + 1].only(users.shifted(-1)))
    yield Name("I.a.4'", L[0], B[0][i - 1], where=users)
    if v.closed and v.branched_tip:
        yield from branches.end_coupling(v, E)
    elif v.closed:
        yield _tip_coupling(v)
    for column, (one, array) in enumerate(zip(_columns(v, "E"), v.columns, strict=False), 1):
        yield Compute(f"I.a.4''.{column}", one, k.column(column)(E))
        yield Send(f"I.a.4''.{column}", one, array[i])
    yield Compute("I.a.5", A[0], _diagonal(v))
    if v.refine and v.solving != pr:
        yield Send("I.a.5'", (A[0], B[0], L[0]), v.solving[i])


def _inertia(v: Variant) -> Iterator[Instruction]:
    """I.a.1-2: constants turned to frame i' leave the planar rotation to do."""
    yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in v.joints)(held.Q))
    inverse = by_process(link.INVERSE_INERTIA[x] for x in v.joints)
    own = inverse(RZ, held.Q, held.S_TURNED, held.INVERSE_J, held.INVERSE_M)
    yield Compute("I.a.2", branches.rigid(v, INVERSE_I), own)
    if v.branches:
        yield from branches.folded(v, RZ)


def _wide_inertia(v: Variant) -> Iterator[Instruction]:
    """The same with C(i,i+1) of any joint, and the tilt of W_i, which process i - 1 needs for B_{i-1}."""
    yield from link_frames("I.a.1", "I.a.1'", v.joints, (P_LINK, S_LINK))
    yield from tilts("I.a.1''", v.joints)
    for tilt in tilt_of(v.joints):
        yield Send("I.a.1''", tilt, v.eliminating[i - 1])
    form = wk.inverse_inertia(C_NEXT, S_LINK, held.INVERSE_J_LINK, held.INVERSE_M)
    yield Compute("I.a.2", INVERSE_I, form)


def _coupling(v: Variant) -> Compute:
    """B_i."""
    if v.wide:
        kernels = by_process(across.coupling(own, then, v.size) for own, then in neighbours(v.joints))
        tilts_ = tilt_of(v.joints)
        form = kernels(INVERSE_I, C_NEXT, P_LINK, *tilts_, *(tilt[i + 1] for tilt in tilts_))
        return Compute("I.a.4", v.how.B[0], form, i < v.n)
    couple = by_process(link.coupling(x, 5) for x in v.joints)
    form = couple(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_NEXT)
    return Compute("I.a.4", branches.rigid(v, v.how.B[0]), form)


def _tip_coupling(v: Variant) -> Compute:
    """E_N."""
    if v.wide:
        tip = across.coupling(v.joints[-1], None, v.size)
        return Compute("I.a.4''", _e(v), tip(INVERSE_I, C_NEXT, P_LINK, *tilt_of(v.joints)), i == v.n)
    form = link.coupling(v.joints[-1], 6)(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_TIP)
    return Compute("I.a.4''", _e(v), form)


def _diagonal(v: Variant) -> Expression:
    """A_i."""
    if v.wide:
        kernels = by_process(across.diagonal(x, v.size) for x in v.joints)
        return kernels(INVERSE_I, held.before(v.joints), *tilt_of(v.joints))
    before = branches.BEFORE if v.branches else held.BEFORE
    return by_process(link.DIAGONAL[x] for x in v.joints)(INVERSE_I, before)


def diagonalisation(v: Variant) -> Iterator[Instruction]:
    """Step I.b; who solves gets the factor of A_i^M instead of A_i^M, 15 words either way."""
    pr, factor = v.eliminating, v.how.LDL[v.levels]
    yield from DIAGONALISE[v.strategy](v.how)
    yield at_last(Compute("I.b.12''", factor, k.ldl(v.how.A[v.levels])), v.n)
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
        yield Compute("I.c.3", THETA, k.theta(v.how.LDL[v.levels].delivered, _e(v)))
    elif v.columns:
        yield Compute("I.c.3.ii", THETA, k.inner_product_of_columns(_e(v), *_columns(v, "Omega")))
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
    m, n, omega = v.levels, v.n, value("Omega", v.size, 6)
    psi, e, h = (Letter(name, omega.shape) for name in ("Psi", "e.E", "h.E"))
    yield Name("I.c.1", psi[0], _e(v), held.no_e(v))
    yield from RIGHT_HAND_SIDE[v.strategy]("I.c.2", psi, e, h, v.how, v.eliminating)
    yield at_last(Compute("I.c.3.i", omega, k.solve_columns(6)(v.how.LDL[m], psi[m])), n)
    yield at_last(Arrange("I.c.3.i'", omega, m, 0), n)
    yield Compute("I.c.3.ii", THETA, k.inner_product(psi[0], omega))


def column_solution(v: Variant, number: int, array: Array) -> Iterator[Instruction]:
    """Steps I.c.1-3 for one right-hand side in an array of its own: column `number` (from 1) of Omega_N."""
    m, mark = v.levels, f".{number}"
    psi, e, h = (Letter(name + mark, (v.size,)) for name in ("Psi", "e.E", "h.E"))
    omega = _columns(v, "Omega")[number - 1]
    yield Name("I.c.1", psi[0], _columns(v, "E")[number - 1], held.no_column(v))
    yield from RIGHT_HAND_SIDE[v.strategy]("I.c.2", psi, e, h, v.how, array)
    yield at_last(Compute("I.c.3.i", omega, k.solve_columns()(v.how.LDL[m], psi[m]), i == v.n), v.n)
    yield at_last(Send("I.c.3.i'", omega, v.eliminating[i]), v.n)
    yield at_last(Wait("I.c.6", psi[m]), v.n)  # psi^M of the others, which nobody needs


def _rows(v: Variant) -> Iterator[Instruction]:
    """Form omega: then Omega by the tip form, and the rows Y_i of M^-1 J' (X^1 is zero but at N)."""
    pr, names = v.eliminating, ROWS.of_size(v.size)
    if v.wide:  # whose frames are there from I.a.1
        yield from joint_axes("I.c.1'", v.joints, dual(v.joints))
    else:
        yield from link_frames("I.c.1'", "I.c.1'", v.joints, (P_LINK,))
    yield from solve_tip("I.c.2'.", _e(v), names, v.how, pr)
    yield Compute("I.c.3'", names.x1, op.end_response(INVERSE_I, C_NEXT, P_LINK), i == v.n)
    yield from joint_accelerations("I.c.3'.", of_joint(Y_ROW, v.joints), names, v.joints, pr, tip=True)
    if v.solving != pr:
        yield Send("I.c.5'", of_joint(Y_ROW, v.joints), v.solving[i])
    if v.branches:
        yield from branches.rows(v, names)
