"""Steps II to IV of Fijany VI.D: F_T and Qdd_0 (II), the contact force (III), Qdd (IV).

Newton-Euler (II.a, II.b.1) may have an array of its own; what the solving array then needs of it is sent at
its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import branch_steps as branches
from senn.algorithms.arm.links import S_LINK, joint_axes, link_frames, tilts
from senn.algorithms.arm.padding import dual, is_wide, of_joint, subspace, tilt_of
from senn.algorithms.kernels import complement as across
from senn.algorithms.kernels import contact as touch
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.algorithms.kernels import system as k
from senn.algorithms.kernels import wide as wk
from senn.algorithms.programs import memory as held
from senn.algorithms.programs import newton_euler as ne
from senn.algorithms.programs.recurrence import broadcast, last, scan
from senn.algorithms.programs.step_i import LAMBDA, Y_ROW
from senn.algorithms.programs.variant import Variant
from senn.algorithms.system.block_system import Names, at_last, solve_full, solve_tip
from senn.algorithms.system.inverse_mass import C_NEXT, INVERSE_I, P_LINK, joint_accelerations, wrench_term
from senn.machine.program import (
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

C_TO, G_TO = Letter("C(N+1,i)", (3, 3)), Letter("g", (3,))
C_FROM = Letter("C(1,i+1)", (3, 3))
STEP_II, STEP_IV = Names(), Names(".c")
QDD_0, QDD_C, QDD = value("Qdd_0"), value("Qdd_C"), value("Qdd")
DW, DV = Letter("dw", (3,)), Letter("dv", (3,))
V_END, V_0 = value("V''", 6), value("Vdot_0", 6)
K_C, OMEGA = "K_C", Value("Omega.c", None, (6,))
FORCE = Letter("Force", (6,))
P_TIP = Letter("P_{N+1,i}", (3,))
REACTION = value("tau'")


# ------------------------------------------------------------------ Newton-Euler


def newton_euler_at_base(
    joints: tuple[str, ...],
    array: Array,
    *,
    qdd: Value | None = None,
    load: Value = ne.BIAS,
    ahead: bool = False,
) -> Iterator[Instruction]:
    """Steps II.a and II.b.1 of an open chain in frame 1: b, or M qdd + b where joints accelerate."""
    yield from link_frames("II.a.1", "II.a.1'", joints, (P_LINK, S_LINK))
    if is_wide(joints):
        yield from joint_axes("II.a.1''", joints, subspace(joints))
    yield from _frames_at_base(joints, array, ahead=ahead)
    yield from ne.motion(joints, held.GRAVITY, array, ahead=ahead, closed=False, qdd=qdd)
    yield from ne.wrenches(joints, array, ahead=ahead, load=load)


def motion(v: Variant) -> Iterator[Instruction]:
    """Steps II.a and II.b.1: b(q, qd), and what the end effector's acceleration has of it."""
    if v.wide:
        if v.moving != v.eliminating:  # which has them from I.a.1
            yield from link_frames("II.a.1", "II.a.1'", v.joints, (P_LINK, S_LINK))
        yield from joint_axes("II.a.1''", v.joints, subspace(v.joints))
    else:
        rows_did_it = v.form == "omega" and v.moving == v.eliminating  # I.c.1'
        vectors = (S_LINK,) if rows_did_it else (P_LINK, S_LINK)
        yield from link_frames("II.a.1", "II.a.1'", v.joints, vectors, turned=rows_did_it)
    paper = v.form == "paper"
    yield from _frames_at_tip(v) if paper else _frames_at_base(v.joints, v.moving, ahead=v.ahead)
    gravity = last(G_TO, v.n) if paper else held.GRAVITY
    yield from ne.motion(v.joints, gravity, v.moving, ahead=v.ahead, closed=v.closed)
    if v.branches:
        yield from branches.loads(v, gravity)
    beside = branches.LOAD if v.branches else None
    yield from (ne.forces if paper else ne.wrenches)(v.joints, v.moving, beside, ahead=v.ahead)
    if v.moving != v.solving:
        yield Send("II.b.1.viii'", of_joint(ne.BIAS, v.joints), v.solving[i])
        bias = (last(ne.WDOT, v.n), last(ne.V, v.n))  # of the end effector: used at process N only
        if paper:  # where II.d.2 is everybody's, as printed
            yield Send("II.b.1.viii''", (*bias, _axes(v), ne.P), v.solving[i])
        else:
            yield Send("II.b.1.viii''", (*bias, ne.TURN), v.solving[i].only(i == v.n))


def _frames_at_tip(v: Variant) -> Iterator[Instruction]:
    """Step II.a: z_i, s_i, p_i and gravity in frame N+1."""
    n, array = v.n, v.moving
    yield Compute("II.a.2", C_TO[0], link.transpose(C_NEXT))
    yield from scan("II.a.2", C_TO, link.premultiply, n, array, outward=False, absent="unit", ahead=v.ahead)
    turn = last(C_TO, n)
    yield Send("II.a.2'", turn, array[i - 1])
    yield Name("II.a.2'", ne.TURN, turn[i + 1], held.UNIT)
    if v.wide:
        yield Name("II.a.3.i", ne.TURN_BEFORE, turn)
    else:
        yield Compute("II.a.3.i", ne.Z, link.third_column(turn))
    yield Compute("II.a.3.ii", ne.S, link.turn(ne.TURN, S_LINK))
    yield Compute("II.a.3.iii", ne.P, link.turn(ne.TURN, P_LINK))
    yield Compute("II.a.3'", G_TO[0], link.turn(turn, held.GRAVITY))
    yield from broadcast("II.a.3'", G_TO, n, array, outward=True, ahead=v.ahead)


def _frames_at_base(joints: tuple[str, ...], array: Array, *, ahead: bool) -> Iterator[Instruction]:
    """Step II.a of the short forms: everything in frame 1, where gravity is known."""
    n = len(joints)
    yield Name("II.a.2", C_FROM[0], C_NEXT)
    yield from scan("II.a.2", C_FROM, link.premultiply, n, array, outward=True, absent="unit", ahead=ahead)
    yield Name("II.a.2", ne.TURN, last(C_FROM, n))
    if is_wide(joints):
        yield Compute("II.a.3.i", ne.TURN_BEFORE, wk.turned_back(ne.TURN, C_NEXT))
    else:
        yield Compute("II.a.3.i", ne.Z, link.turn(ne.TURN, held.Z_LINK))
    yield Compute("II.a.3.ii", ne.S, link.turn(ne.TURN, S_LINK))
    yield Compute("II.a.3.iii", ne.P, link.turn(ne.TURN, P_LINK))


def _axes(v: Variant) -> Value:
    """What turns the axes of joint i to the common frame."""
    return ne.TURN_BEFORE if v.wide else ne.Z


# ---------------------------------------------------------------------- Qdd_0 and Vdot_0


def open_chain(v: Variant) -> Iterator[Instruction]:
    """Steps II.b.2 to II.d: F_T, Qdd_0, Vdot_0 of the end effector."""
    n, array, names = v.n, v.solving, STEP_II.of_size(v.size)
    f_g, f_t, tau, bias, qdd_0 = (
        of_joint(x, v.joints) for x in (value("F_G"), ne.F_T, held.TAU, ne.BIAS, QDD_0)
    )
    if v.moving != array:
        yield from link_frames("II.a.1", "II.a.1'", v.joints, (P_LINK,))
    if v.wide:
        if array != v.eliminating:
            yield from tilts("II.b.1'", v.joints)
        yield from joint_axes("II.b.1''", v.joints, *_axes_left(v))
    yield Compute("II.b.2", f_t, k.difference(f_t.words)(tau, bias))
    yield Name("II.b.3", f_g, f_t)
    if v.branches:
        yield from branches.driven(v)
    yield from wrench_term("II.", f_g, names, v.joints, array, branches.HELD_X if v.branches else None)
    if v.form == "paper" and array != v.eliminating:
        yield at_last(Wait("II.b.6", v.how.LDL[v.levels]), n)
        yield Remark("II.c.1", "receive A_i^M, as its factor LDL, from PR_{1,i}", v.how.LDL[v.levels])
    yield from solve_full("II.", names.x2, names, v.how, array)
    yield from joint_accelerations("II.", qdd_0, names, v.joints, array)
    if v.branches:
        yield from branches.accelerations(v, names)
    yield Remark("II.c.8", "Qdd_0 = Qdd_G")
    if v.closed:
        yield from _end_effector(v)


def _end_effector(v: Variant) -> Iterator[Instruction]:
    """Step II.d: Vdot_0."""
    n = v.n
    if v.form == "paper":
        yield from _end_by_recurrence(v)
    else:
        yield Compute("II.d.1", V_END, op.carried()(C_NEXT, P_LINK, STEP_II.of_size(v.size).x5), i == n)
        dw, dv = last(ne.WDOT, n), last(ne.V, n)
        yield Compute("II.d.2", V_0, link.end_acceleration_turned(V_END, ne.TURN, dw, dv), i == n)


def _axes_left(v: Variant) -> Iterator[Value]:
    """What the solving array needs of the joints of a wide arm and has not got from parts before."""
    if v.solving != v.eliminating or v.form != "omega":
        yield dual(v.joints)
    if v.solving != v.moving and v.form == "paper":
        yield subspace(v.joints)


def _end_by_recurrence(v: Variant) -> Iterator[Instruction]:
    """II.d.1-2 as printed: J Qdd_0 by the recurrence (86), in frame N+1."""
    n, array = v.n, v.solving
    yield Compute("II.d.1.i", DW[0], ne.turning(v.joints, QDD_0))
    yield from scan("II.d.1.i", DW, k.plus(3), n, array, outward=True, ahead=v.ahead)
    yield Compute("II.d.1.ii", DV[0], _lever_rate(v))
    yield from scan("II.d.1.ii", DV, k.plus(3), n, array, outward=True, ahead=v.ahead)
    parts = (last(x, n) for x in (DW, DV, ne.WDOT, ne.V))
    yield Compute("II.d.2", V_0, link.end_acceleration(*parts))


def _lever_rate(v: Variant) -> Expression:
    if v.wide:
        own = (subspace(v.joints), of_joint(QDD_0, v.joints), ne.TURN_BEFORE)
        return wk.lever_rate(last(DW, v.n), ne.P, *own)
    rate = by_process(link.LEVER_RATE[x] for x in v.joints)
    return rate(last(DW, v.n), ne.P, ne.Z, QDD_0)


# -------------------------------------------------------------------- the contact, and Qdd


def contact_force(v: Variant) -> Iterator[Instruction]:
    """Step III, by process N: Eqs. (29), (25) and (24), or Eqs. (39) and (38)."""
    c, f = v.contact.constrained, v.contact.free
    if c and v.form == "paper" and v.solving != v.eliminating:
        yield Wait("II.d.3", LAMBDA, where=i == v.n)
        yield Remark("III.1", "receive Lambda^-1 from PR_{1,N}", LAMBDA)
    held_tip = held.contact_values(v.contact)
    given = tuple(held_tip.values())
    if v.contact.kind == "general":
        yield Compute("III.2.i", OMEGA, touch.unknowns(LAMBDA, V_0, *given))
        yield Compute("III.2.ii", FORCE[0], touch.general_force(held_tip["M2"], OMEGA, held_tip["k2"]))
        return
    if c == 0:
        yield Compute("III.2", FORCE[0], touch.given_force(*given))
        return
    k_c, k_f = Value(K_C, None, (c,)), Value("K_F", None, (f,))
    if v.contact.kind == "II":
        yield Compute("III.2.i", k_c, touch.oblique_force(c, f)(LAMBDA, V_0, *given))
        yield Compute("III.2.i'", k_f, touch.coupled_force(c, f)(held_tip["phi"], k_c, held_tip["d"]))
    else:
        yield Compute("III.2.i", k_c, touch.constraint_force(c, f)(LAMBDA, V_0, *given))
    free = (held_tip["H"], k_f) if f else ()
    yield Compute("III.2.ii", FORCE[0], touch.contact_force(c, f)(held_tip["W"], k_c, *free))


def closed_chain(v: Variant) -> Iterator[Instruction]:
    """Step IV: Qdd = Qdd_0 - M^-1 J' F."""
    n, array, joints, names = v.n, v.solving, v.joints, STEP_IV.of_size(v.size)
    qdd_0, qdd_c, qdd, y, reaction = (of_joint(x, joints) for x in (QDD_0, QDD_C, QDD, Y_ROW, REACTION))
    if v.form == "omega":
        yield from broadcast("IV.a.1'", FORCE, n, array, outward=False, ahead=v.ahead)
        response = wk.response_rows if v.wide else op.response
        yield Compute("IV.b.2", qdd, response(qdd_0, y, last(FORCE, n)))
        if v.branches:
            yield from branches.responses_of_rows(v, last(FORCE, n))
        return
    if v.form == "paper":
        yield from broadcast("IV.a.1'", FORCE, n, array, outward=False, ahead=v.ahead)
        yield Name("IV.a.1", P_TIP[0], ne.P)
        yield from scan("IV.a.1", P_TIP, k.plus(3), n, array, outward=False, ahead=v.ahead)
        yield Compute("IV.a.2", reaction, _reaction(v))
        yield from wrench_term("IV.b.1.", reaction, names, joints, array)
        yield from solve_full("IV.b.1.", names.x2, names, v.how, array)
    else:
        x1, x2 = names.x1, names.x2
        yield Compute("IV.b.1.b.4", x1, op.end_wrench(INVERSE_I, C_NEXT, P_LINK, FORCE[0]))
        yield Compute("IV.b.1.b.5", x2, _projected(v, x1))
        yield from solve_tip("IV.b.1.", x2, names, v.how, array)
    yield from joint_accelerations("IV.b.1.", qdd_c, names, joints, array, tip=v.form == "short")
    if v.branches:
        yield from branches.responses(v, names)
    yield Compute("IV.b.2", qdd, k.difference(qdd.words)(qdd_0, qdd_c))
    if v.branches:
        yield from branches.less_responses(v)


def _reaction(v: Variant) -> Expression:
    p, force = last(P_TIP, v.n), last(FORCE, v.n)
    if v.wide:
        return wk.reaction(subspace(v.joints), ne.TURN_BEFORE, p, force)
    return by_process(link.REACTION[x] for x in v.joints)(ne.Z, p, force)


def _projected(v: Variant, x: Value) -> Expression:
    if v.wide:
        return across.projected(v.joints[-1], v.size)(x, *tilt_of(v.joints))
    return op.projected(v.joints[-1])(x)
