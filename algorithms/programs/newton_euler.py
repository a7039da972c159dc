"""The parallel Newton-Euler pass of Step II.b by recursive doubling: b(theta, Qdot), or tau for some Qddot.

All vectors are in one frame: N+1 in the paper's form; 1 in the forms short and omega, where gravity needs
no broadcast. T_i = C(that frame, i+1). omega_i and wdot_i are those of link i; v_i is the acceleration
of O_{i+1} without gravity, so that at process N they are Jdot Qdot.

A joint of any type (wide arms, `senn.algorithms.arm.padding`) gives link i the velocity H_i qd_i against link
i - 1, [w_rel; v_rel] of its point at O_i. With Hdot_i qd_i the terms of its joint are

    wdot:  omega_{i-1} x w_rel + (Hdot qd)_w + (H qdd)_w
    c:     (omega_{i-1} + omega_i) x v_rel + (Hdot qd)_v + (H qdd)_v

which at qdd = 0 are omega_{i-1} x z qd of a revolute joint, and 2 omega_i x z qd of a prismatic one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from senn.algorithms.arm.padding import is_wide, of_joint, subspace
from senn.algorithms.kernels import joint, link
from senn.algorithms.kernels import system as k
from senn.algorithms.kernels import wide as wk
from senn.algorithms.programs.memory import PARAMETER, QD, J, M, positions
from senn.algorithms.programs.recurrence import last, scan
from senn.machine.program import (
    Array,
    Compute,
    Expression,
    Instruction,
    Kernel,
    Letter,
    Name,
    Send,
    Value,
    Wait,
    Where,
    by_process,
    i,
    value,
)

# Of link i, in the common frame
TURN = value("T", 3, 3)
TURN_BEFORE = value("T_{i-1}", 3, 3)  # C(that frame, i), wide arms only
Z, P, S = value("z", 3), value("p", 3), value("s", 3)
OMEGA, WDOT, V = Letter("omega", (3,)), Letter("wdot", (3,)), Letter("v", (3,))
U = value("U", 3, 3)
SLIDING = value("c", 3)  # acceleration in the joint, joints that slide only
# What it is made of, wide arms only
GYRATION, PRECESSION, TURNED = value("omega x w", 3), value("(Hdot qd)_w", 3), value("(H qdd)_w", 3)
V_REL, CORIOLIS = value("v_rel", 3), value("c'", 3)
SWERVE, SLID = value("(Hdot qd)_v", 3), value("(H qdd)_v", 3)
V_OWN, A_AT_REST, A_CENTRE = value("v'", 3), value("a'", 3), value("a", 3)
F_STAR, N_STAR, N_JOINT = value("f*", 3), value("n*", 3), value("n'", 3)
F_LOADED, N_OWN = value("f*'", 3), value("n*'", 3)  # with what else acts on a link; n' without it
FORCE, MOMENT = Letter("f", (3,)), Letter("n", (3,))
WRENCH = Letter("pfn", (3, 3))  # rows p, f, n
BIAS, F_T = value("b"), value("F_T")


def those(joints: tuple[str, ...], *kinds: str) -> Where:
    """The processes whose joint is of these kinds."""
    return Where(tuple((process, process) for process, kind in enumerate(joints, 1) if kind in kinds))


def motion(
    joints: tuple[str, ...],
    gravity: Value,
    array: Array,
    *,
    ahead: bool = False,
    closed: bool = True,
    qdd: Value | None = None,
) -> Iterator[Instruction]:
    """II.b.1.i-v: velocities and accelerations outward, then the inertial force and moment of each link.

    Only a `closed` chain reads v_N, the acceleration of the end effector. Without `qdd` the joints do not
    accelerate.
    """
    n = len(joints)
    sliding = not set(joints).isdisjoint(joint.SLIDING)
    coriolis = (SLIDING.or_zero,) if sliding else ()

    yield Compute("II.b.1.i", OMEGA[0], turning(joints, QD))
    yield from scan("II.b.1.i", OMEGA, k.plus(3), n, array, outward=True, ahead=ahead)
    omega = last(OMEGA, n)
    yield Send("II.b.1.i.iii", omega, array[i + 1])

    yield from _gyration(joints, omega, qdd)
    yield from scan("II.b.1.ii", WDOT, k.plus(3), n, array, outward=True, ahead=ahead)
    yield Compute("II.b.1.iii", U, link.spin_matrix(omega, last(WDOT, n)))
    if sliding:
        yield from _coriolis(joints, omega, qdd)
        yield Compute("II.b.1.iv'", V_OWN, link.turn(U, P))
        yield Compute("II.b.1.iv", V[0], k.plus(3)(V_OWN, *coriolis))
    else:
        yield Compute("II.b.1.iv", V[0], link.turn(U, P))
    yield from scan("II.b.1.iv", V, k.plus(3), n, array, outward=True, ahead=ahead)
    yield Send("II.b.1.iv.iii", last(V, n), array[i + 1])
    if not closed:
        yield Wait("II.b.1.iv.iii'", last(V, n), where=i == n)  # it came home with the others

    yield Compute("II.b.1.v.i", A_AT_REST, link.gravity_free(U, S, gravity))
    yield Compute(
        "II.b.1.v.ii",
        A_CENTRE,
        k.plus(3, 1 + len(coriolis))(A_AT_REST, last(V, n)[i - 1].or_zero, *coriolis),
    )
    yield Compute("II.b.1.v.iii", F_STAR, link.scaled(M, A_CENTRE))
    yield Compute("II.b.1.v.iv", N_STAR, link.inertial_moment(TURN, J, omega, last(WDOT, n)))


def turning(joints: tuple[str, ...], rate: Value) -> Expression:
    """The angular velocity (or acceleration) that joint i makes of its rate."""
    if is_wide(joints):
        return wk.angular(subspace(joints), of_joint(rate, joints), TURN_BEFORE)
    return by_process(link.RATE[x] for x in joints)(Z, rate)


def _gyration(joints: tuple[str, ...], omega: Value, qdd: Value | None) -> Iterator[Instruction]:
    """What joint i adds to wdot."""
    before, wide = omega[i - 1].or_zero, is_wide(joints)
    precessing = not set(joints).isdisjoint(joint.PRECESSING)
    if qdd is not None and not wide:
        kernels = by_process(link.TURNING[x] for x in joints)
        yield Compute("II.b.1.ii", WDOT[0], kernels(Z, OMEGA[0], qdd, before))
        return
    if qdd is None and not precessing:
        yield Compute("II.b.1.ii", WDOT[0], link.gyration(OMEGA[0], before))
        return
    yield Compute("II.b.1.ii'.i", GYRATION, link.gyration(OMEGA[0], before))
    others = []
    if precessing:
        yield _drift("II.b.1.ii'.ii", PRECESSION, joints, joint.PRECESSION)
        others.append(PRECESSION.or_zero)
    if qdd is not None:
        yield Compute("II.b.1.ii'.iii", TURNED, turning(joints, qdd))
        others.append(TURNED.or_zero)
    yield Compute("II.b.1.ii", WDOT[0], k.plus(3, len(others))(GYRATION, *others))


def _coriolis(joints: tuple[str, ...], omega: Value, qdd: Value | None) -> Iterator[Instruction]:
    """c_i, where a joint slides."""
    where = those(joints, *joint.SLIDING)
    if not is_wide(joints):
        slide = link.coriolis(omega, Z, QD) if qdd is None else link.sliding(omega, Z, QD, qdd)
        yield Compute("II.b.1.iii'", SLIDING, slide, where)
        return
    swerving = not set(joints).isdisjoint(joint.SWERVING)
    plain = qdd is None and not swerving
    yield Compute("II.b.1.iii'.i", V_REL, _linear(joints, QD), where)
    both = wk.coriolis(omega, V_REL, omega[i - 1].or_zero)
    yield Compute("II.b.1.iii'.ii", SLIDING if plain else CORIOLIS, both, where)
    others = []
    if swerving:
        yield _drift("II.b.1.iii'.iii", SWERVE, joints, joint.SWERVE)
        others.append(SWERVE.or_zero)
    if qdd is not None:
        yield Compute("II.b.1.iii'.iv", SLID, _linear(joints, qdd), where)
        others.append(SLID.or_zero)
    if others:
        yield Compute("II.b.1.iii'.v", SLIDING, k.plus(3, len(others))(CORIOLIS, *others))


def _linear(joints: tuple[str, ...], rate: Value) -> Expression:
    """The linear part of H_i times a rate."""
    return wk.linear(subspace(joints), of_joint(rate, joints), TURN_BEFORE)


def _drift(step: str, target: Value, joints: tuple[str, ...], kernels: Mapping[str, Kernel]) -> Instruction:
    """A part of Hdot_i qd_i where the joint has it."""
    some = next(kernel for x, kernel in kernels.items() if x in joints)  # stands in where nothing is computed
    form = by_process(kernels.get(x, some) for x in joints)
    expression = form(positions(joints), of_joint(QD, joints), PARAMETER, TURN_BEFORE)
    return Compute(step, target, expression, those(joints, *kernels))


def forces(
    joints: tuple[str, ...], array: Array, beside: Value | None = None, *, ahead: bool = False
) -> Iterator[Instruction]:
    """II.b.1.vi-viii in the paper's form: forces and moments from tip to base, as two recurrences. `beside`:
    what else acts on a link, [n; f] about O_{i+1}, where there is any."""
    n = len(joints)
    if beside is not None:
        yield from _loaded_force(beside)
    yield Name("II.b.1.vi", FORCE[0], F_STAR if beside is None else F_LOADED)
    yield from scan("II.b.1.vi", FORCE, k.plus(3), n, array, outward=False, ahead=ahead)
    force = last(FORCE, n)
    yield Send("II.b.1.vi.iii", force, array[i - 1])
    yield from _moment("II.b.1.vii.i'", beside)
    yield Compute("II.b.1.vii", MOMENT[0], link.lever(N_JOINT, P, force[i + 1].or_zero))
    yield from scan("II.b.1.vii", MOMENT, k.plus(3), n, array, outward=False, ahead=ahead)
    yield Compute("II.b.1.viii", of_joint(BIAS, joints), _bias(joints, last(MOMENT, n), force))


def wrenches(
    joints: tuple[str, ...],
    array: Array,
    beside: Value | None = None,
    *,
    ahead: bool = False,
    load: Value = BIAS,
) -> Iterator[Instruction]:
    """The same in the forms short and omega: one recurrence on (p, f, n), 9 words; `load` is what the joints
    bear."""
    n = len(joints)
    if beside is not None:
        yield from _loaded_force(beside)
    yield from _moment("II.b.1.vi.i'", beside)
    yield Compute("II.b.1.vi", WRENCH[0], link.wrench(P, F_STAR if beside is None else F_LOADED, N_JOINT))
    yield from scan("II.b.1.vi", WRENCH, link.farther, n, array, outward=False, ahead=ahead)
    yield Compute("II.b.1.viii", of_joint(load, joints), _bias_of_wrench(joints, last(WRENCH, n)))


def _loaded_force(beside: Value) -> Iterator[Instruction]:
    yield Compute("II.b.1.vi'", F_LOADED, link.with_force(F_STAR, beside.or_zero))


def _moment(step: str, beside: Value | None) -> Iterator[Instruction]:
    """n* about O_i, with what else acts on the link."""
    yield Compute(step, N_JOINT if beside is None else N_OWN, link.add_moment(N_STAR, S, F_STAR))
    if beside is not None:
        yield Compute(f"{step}'", N_JOINT, link.with_moment(N_OWN, P, beside.or_zero))


def _bias(joints: tuple[str, ...], moment: Value, force: Value) -> Expression:
    if is_wide(joints):
        return wk.bias(subspace(joints), TURN_BEFORE, moment, force)
    return by_process(link.BIAS[x] for x in joints)(Z, moment, force)


def _bias_of_wrench(joints: tuple[str, ...], wrench: Value) -> Expression:
    if is_wide(joints):
        return wk.bias_of_wrench(subspace(joints), TURN_BEFORE, wrench)
    return by_process(link.BIAS_OF_WRENCH[x] for x in joints)(Z, wrench)
