"""The multilevel parallel O(log N) algorithm of Fijany VI.D, whole: Steps I-IV on two arrays.

Array 1 diagonalises A and computes Lambda^-1 (Step I); array 2 computes F_T, Qdd_0, the acceleration of
the end effector, the contact force and Qdd (Steps II-IV). Labels are the paper's; implied steps, which the
paper leaves out, carry the preceding number and a prime.

Forms: "paper" is Section VI.D as printed, errata corrected. "short" drops what is not needed: the sweep
I.c.2 (psi_N^M = E_N exactly), the recurrences (86) and (87), and sweeps of right-hand sides that are zero
but at process N. "omega" is short, with the rows of M^-1 J' made by array 1 while array 2 does Step II.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from senn.algorithms import kernels as k
from senn.algorithms import link_kernels as link
from senn.algorithms import newton_euler as ne
from senn.algorithms import operator_kernels as op
from senn.algorithms import resident as held
from senn.algorithms.elimination import LDL, A, B, L, diagonalise, right_hand_side
from senn.algorithms.inverse_mass import (
    C_NEXT,
    INVERSE_I,
    P_LINK,
    Names,
    at_last,
    joint_accelerations,
    solve_full,
    solve_tip,
    wrench_term,
)
from senn.algorithms.recurrence import broadcast, last, scan
from senn.algorithms.titles import TITLES
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Instruction,
    Letter,
    Name,
    Program,
    Remark,
    Send,
    Value,
    Wait,
    by_process,
    i,
    levels,
    value,
)
from senn.traces.errors import InputError

FORMS = ("paper", "short", "omega")

RZ = value("Rz", 2)
E = value("E", 5, 6)
PSI_E, E_E, H_E = Letter("Psi", (5, 6)), Letter("e.E", (5, 6)), Letter("h.E", (5, 6))
OMEGA_E, THETA = value("Omega", 5, 6), value("Theta", 21)
LAMBDA = value("Lambda^-1", 21)
Y_ROW = value("y", 6)

S_LINK = value("S", 3)
C_TO, G_TO = Letter("C(N+1,i)", (3, 3)), Letter("g", (3,))
C_FROM = Letter("C(1,i+1)", (3, 3))
STEP_II, STEP_IV = Names(), Names(".c")
QDD_0, QDD_C, QDD = value("Qdd_0"), value("Qdd_C"), value("Qdd")
DW, DV = Letter("dw", (3,)), Letter("dv", (3,))
V_END, V_0 = value("V''", 6), value("Vdot_0", 6)
K_C = "K_C"
FORCE = Letter("Force", (6,))
P_TIP = Letter("P_{N+1,i}", (3,))
REACTION = value("tau'")


def program(
    n: int, form: str = "paper", refine: int = 0, joints: Sequence[str] | None = None, contact: int = 6
) -> Program:
    """The program for n processes. Joint types ("revolute", "prismatic") and the number of constrained
    directions n_c = `contact` are structure, not data; `refine` steps of iterative refinement (0 or 1)
    follow every solution with A.

    >>> print(program(2).levels, len(program(2).streams))
    1 2
    """
    types = tuple(joints) if joints is not None else ("revolute",) * n
    _check(n, form, refine, types, contact)
    first = {"paper": _lambda_by_sweep, "short": _lambda_locally, "omega": _lambda_and_rows}[form]
    streams = (
        (*_projection(n, types, refine), *_diagonalisation(n, form), *first(n, types, refine, contact)),
        (
            *(_frames_at_tip(n, types) if form == "paper" else _frames_at_base(n, types)),
            *_open_chain(n, types, form, refine),
            *_contact(n, form, contact),
            *_closed_chain(n, types, form, refine),
        ),
    )
    results = {
        "qdd": (2, QDD),
        "force": (2, FORCE[0]),
        "lambda_inverse": (1, LAMBDA),
        "qdd0": (2, QDD_0),
        "acceleration0": (2, V_0),
    }
    return Program(
        name="closed chain",
        n=n,
        streams=streams,
        resident=held.resident(n, form, contact),
        results=results,
        titles=TITLES,
        form=form,
        refine=refine,
        joints=types,
        contact=contact,
    )


def _check(n: int, form: str, refine: int, joints: tuple[str, ...], contact: int) -> None:
    if n < 1:
        raise InputError(f"n = {n}: an arm has at least one link")
    if form not in FORMS:
        raise InputError(f'form "{form}" is not one of {", ".join(FORMS)}')
    if refine not in (0, 1):
        raise InputError(f"refine = {refine}: 0 or 1 (a second step gains nothing)")
    if len(joints) != n or not set(joints) <= {"revolute", "prismatic"}:
        raise InputError(f"joints: {n} joint types, each revolute or prismatic, are needed")
    if not 0 <= contact <= 6:
        raise InputError(f"contact = {contact}: the number of constrained directions is 0..6")


# ------------------------------------------------------------------ Step I: array 1


def _projection(n: int, joints: tuple[str, ...], refine: int) -> Iterator[Instruction]:
    """Step I.a."""
    yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in joints)(held.Q))
    inverse = by_process(link.INVERSE_INERTIA[x] for x in joints)
    yield Compute("I.a.2", INVERSE_I, inverse(RZ, held.Q, held.S_TURNED, held.INVERSE_J, held.INVERSE_M))
    yield Send("I.a.3", INVERSE_I, PR2[i])
    couple = by_process(link.coupling(x, 5) for x in joints)
    yield Compute("I.a.4", B[0], couple(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_NEXT))
    yield Send("I.a.4'", B[0], PR1[i + 1])
    yield Name("I.a.4'", L[0], B[0][i - 1])
    tip = link.coupling(joints[-1], 6)
    yield Compute("I.a.4''", E, tip(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_TIP))
    diagonal = by_process(link.DIAGONAL[x] for x in joints)
    yield Compute("I.a.5", A[0], diagonal(INVERSE_I, held.BEFORE))
    if refine:
        yield Send("I.a.5'", (A[0], B[0], L[0]), PR2[i])


def _diagonalisation(n: int, form: str) -> Iterator[Instruction]:
    """Step I.b; array 2 gets the factor of A_i^M instead of A_i^M, 15 words either way."""
    m = levels(n)
    yield from diagonalise(n)
    yield at_last(Compute("I.b.12''", LDL[m], k.ldl(A[m])), n)
    # Without the sweep I.c.2, PR_{1,N} makes Theta at home and takes the factor along (N moves if N < 2^M).
    home = () if form == "paper" else (PR1[i].only(i == n),)
    yield at_last(Send("I.b.13", LDL[m], PR2[i], *home), n)


def _lambda_by_sweep(n: int, joints: tuple[str, ...], refine: int, contact: int) -> Iterator[Instruction]:
    """Step I.c as printed: A Omega = E for six right-hand sides; E_i = 0 and Theta = 0 but at process N."""
    m = levels(n)
    yield Name("I.c.1", PSI_E[0], E, held.NO_E)
    yield from right_hand_side("I.c.2", PSI_E, E_E, H_E, n, PR1)
    yield at_last(Compute("I.c.3.i", OMEGA_E, k.solve_columns(6)(LDL[m], PSI_E[m])), n)
    yield at_last(Arrange("I.c.3.i'", OMEGA_E, m, 0), n)
    yield Compute("I.c.3.ii", THETA, k.inner_product(PSI_E[0], OMEGA_E))
    yield from _lambda(contact)
    yield Remark("I.c.6", "wait (end of operation)")


def _lambda_locally(n: int, joints: tuple[str, ...], refine: int, contact: int) -> Iterator[Instruction]:
    """Step I.c without a sweep: psi_N^M = E_N exactly, so Theta is local to PR_{1,N}."""
    yield Compute("I.c.3", THETA, k.theta(LDL[levels(n)].delivered, E))
    yield from _lambda(contact)


def _lambda(contact: int) -> Iterator[Instruction]:
    yield Compute("I.c.4", LAMBDA, k.difference(21)(held.TIP, THETA))
    if contact:
        yield Send("I.c.5", LAMBDA, PR2[i])


def _lambda_and_rows(n: int, joints: tuple[str, ...], refine: int, contact: int) -> Iterator[Instruction]:
    """Form omega: then Omega by the tip form, and the rows Y_i of M^-1 J' (X^1 is zero but at N)."""
    yield from _lambda_locally(n, joints, refine, contact)
    names = Names(".w", 6)
    yield Compute("I.c.1'", C_NEXT, by_process(link.ROTATION[x] for x in joints)(held.Q, held.R))
    yield from _moved("I.c.1'", joints, ((P_LINK, held.P_0),))
    yield from solve_tip("I.c.2'.", E, names, n, refine, PR1)
    yield Compute("I.c.3'", names.x1, op.end_response(INVERSE_I, C_NEXT, P_LINK), i == n)
    yield from joint_accelerations("I.c.3'.", Y_ROW, names, joints, PR1, tip=True)
    yield Send("I.c.5'", Y_ROW, PR2[i])


# -------------------------------------------------------------- Steps II-IV: array 2


def _moved(
    step: str, joints: tuple[str, ...], pairs: tuple[tuple[Value, Value], ...]
) -> Iterator[Instruction]:
    """P_i and S_i in frame i + 1: constants, moved along the axis by a prismatic joint."""
    for rank, (target, constant) in enumerate(pairs):
        if "prismatic" in joints:
            move = by_process(link.MOVED[x] for x in joints)
            yield Compute(f"{step}.{'i' * (rank + 1)}", target, move(constant, held.Q, held.R))
        else:
            yield Name(step, target, constant)


_LINK = ((P_LINK, held.P_0), (S_LINK, held.S_0))


def _frames_at_tip(n: int, joints: tuple[str, ...]) -> Iterator[Instruction]:
    """Step II.a: z_i, s_i, p_i and gravity in frame N+1."""
    yield Compute("II.a.1", C_NEXT, by_process(link.ROTATION[x] for x in joints)(held.Q, held.R))
    yield from _moved("II.a.1'", joints, _LINK)
    yield Compute("II.a.2", C_TO[0], link.transpose(C_NEXT))
    yield from scan("II.a.2", C_TO, link.premultiply, n, PR2, outward=False, absent="unit")
    turn = last(C_TO, n)
    yield Send("II.a.2'", turn, PR2[i - 1])
    yield Name("II.a.2'", ne.TURN, turn[i + 1], held.UNIT)
    yield Compute("II.a.3.i", ne.Z, link.third_column(turn))
    yield Compute("II.a.3.ii", ne.S, link.turn(ne.TURN, S_LINK))
    yield Compute("II.a.3.iii", ne.P, link.turn(ne.TURN, P_LINK))
    yield Compute("II.a.3'", G_TO[0], link.turn(turn, held.GRAVITY))
    yield from broadcast("II.a.3'", G_TO, n, PR2, outward=True)


def _frames_at_base(n: int, joints: tuple[str, ...]) -> Iterator[Instruction]:
    """Step II.a of the short forms: everything in frame 1, where gravity is known."""
    yield Compute("II.a.1", C_NEXT, by_process(link.ROTATION[x] for x in joints)(held.Q, held.R))
    yield from _moved("II.a.1'", joints, _LINK)
    yield Name("II.a.2", C_FROM[0], C_NEXT)
    yield from scan("II.a.2", C_FROM, link.premultiply, n, PR2, outward=True, absent="unit")
    yield Name("II.a.2", ne.TURN, last(C_FROM, n))
    yield Compute("II.a.3.i", ne.Z, link.turn(ne.TURN, held.Z_LINK))
    yield Compute("II.a.3.ii", ne.S, link.turn(ne.TURN, S_LINK))
    yield Compute("II.a.3.iii", ne.P, link.turn(ne.TURN, P_LINK))


def _open_chain(n: int, joints: tuple[str, ...], form: str, refine: int) -> Iterator[Instruction]:
    """Steps II.b-d: F_T, Qdd_0, Vdot_0 of the end effector."""
    f_g = value("F_G")
    yield from ne.motion(joints, last(G_TO, n) if form == "paper" else held.GRAVITY)
    yield from ne.forces(joints) if form == "paper" else ne.wrenches(joints)
    yield Compute("II.b.2", ne.F_T, k.difference(1)(held.TAU, ne.BIAS))
    yield Name("II.b.3", f_g, ne.F_T)
    yield from wrench_term("II.", f_g, STEP_II, joints)
    if form == "paper":
        yield at_last(Wait("II.b.6", LDL[levels(n)]), n)
        yield Remark("II.c.1", "receive A_i^M, as its factor LDL, from PR_{1,i}")
    yield from solve_full("II.", STEP_II.x2, STEP_II, n, refine, PR2)
    yield from joint_accelerations("II.", QDD_0, STEP_II, joints, PR2)
    yield Remark("II.c.8", "Qdd_0 = Qdd_G")
    if form == "paper":
        yield from _end_by_recurrence(n, joints)
    else:
        yield Compute("II.d.1", V_END, op.carried()(C_NEXT, P_LINK, STEP_II.x5), i == n)
        dw, dv = last(ne.WDOT, n), last(ne.V, n)
        yield Compute("II.d.2", V_0, link.end_acceleration_turned(V_END, ne.TURN, dw, dv), i == n)


def _end_by_recurrence(n: int, joints: tuple[str, ...]) -> Iterator[Instruction]:
    """II.d.1-2 as printed: J Qdd_0 by the recurrence (86), in frame N+1."""
    yield Compute("II.d.1.i", DW[0], by_process(link.RATE[x] for x in joints)(ne.Z, QDD_0))
    yield from scan("II.d.1.i", DW, k.plus(3), n, PR2, outward=True)
    rate = by_process(link.LEVER_RATE[x] for x in joints)
    yield Compute("II.d.1.ii", DV[0], rate(last(DW, n), ne.P, ne.Z, QDD_0))
    yield from scan("II.d.1.ii", DV, k.plus(3), n, PR2, outward=True)
    parts = (last(x, n) for x in (DW, DV, ne.WDOT, ne.V))
    yield Compute("II.d.2", V_0, link.end_acceleration(*parts))


def _contact(n: int, form: str, contact: int) -> Iterator[Instruction]:
    """Step III, by PR_{2,N}: Eqs. (29) and (24)."""
    w, h, g_c, k_f = held.contact_values(contact)
    k_c = Value(K_C, None, (contact,))
    if contact and form == "paper":
        yield Wait("II.d.3", LAMBDA, where=i == n)
        yield Remark("III.1", "receive Lambda^-1 from PR_{1,N}")
    if contact == 0:
        yield Compute("III.2", FORCE[0], op.given_force(h, k_f))
    elif contact == 6:
        yield Compute("III.2.i", k_c, op.constraint_force(6, 0)(LAMBDA, V_0, w, g_c))
        yield Compute("III.2.ii", FORCE[0], op.contact_force(6, 0)(w, k_c))
    else:
        free = 6 - contact
        yield Compute("III.2.i", k_c, op.constraint_force(contact, free)(LAMBDA, V_0, w, g_c, h, k_f))
        yield Compute("III.2.ii", FORCE[0], op.contact_force(contact, free)(w, k_c, h, k_f))


def _closed_chain(n: int, joints: tuple[str, ...], form: str, refine: int) -> Iterator[Instruction]:
    """Step IV: Qdd = Qdd_0 - M^-1 J' F."""
    if form == "omega":
        yield from broadcast("IV.a.1'", FORCE, n, PR2, outward=False)
        yield Compute("IV.b.2", QDD, op.response(QDD_0, Y_ROW, last(FORCE, n)))
        return
    if form == "paper":
        yield from broadcast("IV.a.1'", FORCE, n, PR2, outward=False)
        yield Name("IV.a.1", P_TIP[0], ne.P)
        yield from scan("IV.a.1", P_TIP, k.plus(3), n, PR2, outward=False)
        react = by_process(link.REACTION[x] for x in joints)
        yield Compute("IV.a.2", REACTION, react(ne.Z, last(P_TIP, n), last(FORCE, n)))
        yield from wrench_term("IV.b.1.", REACTION, STEP_IV, joints)
        yield from solve_full("IV.b.1.", STEP_IV.x2, STEP_IV, n, refine, PR2)
    else:
        x1, x2 = STEP_IV.x1, STEP_IV.x2
        yield Compute("IV.b.1.b.4", x1, op.end_wrench(INVERSE_I, C_NEXT, P_LINK, FORCE[0]))
        yield Compute("IV.b.1.b.5", x2, op.projected(joints[-1])(x1))
        yield from solve_tip("IV.b.1.", x2, STEP_IV, n, refine, PR2)
    yield from joint_accelerations("IV.b.1.", QDD_C, STEP_IV, joints, PR2, tip=form == "short")
    yield Compute("IV.b.2", QDD, k.difference(1)(QDD_0, QDD_C))
