"""Kernels of divide and conquer (Featherstone 1999): two articulated bodies joined by a joint of any type.

A body with two handles, at rest: a_1 = Phi_1 f_1 + Phi_12 f_2 + b_1 and a_2 = Phi_12' f_1 + Phi_2 f_2 + b_2,
Phi_1 and Phi_2 packed. The handles' frames are those of the joints there, so that nothing is turned. At the
joint H_i spans k of the six directions and W_i the other 6 - k; *joint order* is those of W_i first, those of
H_i last. They are rows of the unit matrix; universal and helical joints, whose W_i mixes two rows, have their
handles brought to such axes first.

In joint order Y = Phi_1 + Phi_2 of the two handles that meet is eliminated as far as W_i: its LDL' factor
stops after 6 - k pivots, and what is left is the Schur complement, (H' Y^-1 H)^-1. With that factor a joint
is solved for the force along W_i and the acceleration along H_i, from the acceleration along W_i and the
force (the torque) along H_i.

Torques and accelerations of a joint are one number or words (`senn.algorithms.kernels.joints`).
"""

from __future__ import annotations

from functools import reduce
from operator import sub

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import words_of
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known


def joint_order(joint: str) -> tuple[int, ...]:
    """All six rows in joint order."""
    return (*JOINTS[joint].held, *JOINTS[joint].allowed)


def pivots(joint: str) -> int:
    """The directions that a joint forbids."""
    return len(JOINTS[joint].held)


# ----------------------------------------------------- Step I: the inertias of assembled bodies


@kernel_family("ldl({0} + {1})")
def joint_factor(after: Blocks, before: Blocks | None = None, *, joint: str) -> Blocks:
    """The factor of a joint, from Phi_1 of the outer body and Phi_2 of the inner one; the base has none."""
    whole = after if before is None else after + before
    return factor(restricted(whole, joint_order(joint)), pivots(joint))


@kernel_family(lambda joint, inner: "{0}^-1 {1}" + "'" * inner)
def through(ldl: Blocks, coupling: Blocks, *, joint: str, inner: bool) -> Blocks:
    """K+ or K- of a body, 6x6 in joint order: effect at the joint of a force on its far handle."""
    across = transposed(coupling) if inner else coupling
    return substitute(ldl, across[..., joint_order(joint), :], pivots(joint))


@kernel_family(lambda joint, inner: "{0} W {1}" if inner else "{0}' W {1}")
def freed(coupling: Blocks, k: Blocks, *, joint: str, inner: bool) -> Blocks:
    """Loss of Phi_2 of the outer body, whose joint the inner one holds: Phi_21 W (W'YW)^-1 W' Phi_12; or of
    Phi_1 of the `inner` body."""
    across = transposed(coupling) if inner else coupling
    return symmetric_product(across[..., JOINTS[joint].held, :], k[..., : pivots(joint), :])


@kernel_family("{0} W {1}")
def coupled(coupling: Blocks, k: Blocks, *, joint: str) -> Blocks:
    """Phi_12 of the assembled body: Phi_12 of the inner one, W (W'YW)^-1 W', Phi_12 of the outer one."""
    return times(coupling[..., JOINTS[joint].held], k[..., : pivots(joint), :])


# -------------------------------------------- what the torques do, from the leaves to the root

gap = Kernel("gap", "{0} - {1}", lambda before, after: before - after[..., :6])
"""beta = b_2 of the inner body - b_1 of the outer one, behind which is the torque of that one's joint."""


def _given(joint: str, beta: Blocks | None, torque: Blocks) -> Blocks:
    """The acceleration along W, zero where there is no gap, and the torque, in joint order."""
    p = pivots(joint)
    across = known(np.zeros((len(torque), p)), torque) if beta is None else beta[..., JOINTS[joint].held]
    return np.concatenate([across, words_of(joint, torque)], axis=-1)


@kernel_family("{0}^-1 from {1}, {2}", runs_without_operands=True)
def drive(ldl: Blocks, torque: Blocks, beta: Blocks | None = None, *, joint: str) -> Blocks:
    """Force of the joint in joint order and its acceleration where nothing acts on the far handles, from its
    torque and, where there is one, the gap."""
    p, lower, input_words = pivots(joint), full(ldl), _given(joint, beta, torque)
    z, along, across = input_words[..., :p], input_words[..., p:], lower[..., p:, :p]
    force, rate = -apply(transposed(across), along), apply(lower[..., p:, p:], along)
    for k in range(p):
        for r in range(k + 1, p):
            z[..., r] = z[..., r] - lower[..., r, k] * z[..., k]
        rate = rate + across[..., k] * z[..., k, None]
        force[..., k] = force[..., k] + lower[..., k, k] * z[..., k]
    if beta is not None:
        rate = rate - beta[..., JOINTS[joint].allowed]
    for k in reversed(range(p)):
        for r in range(k):
            force[..., r] = force[..., r] - lower[..., k, r] * force[..., k]
    words = 1 if torque.ndim == 1 else torque.shape[-1]
    return np.concatenate([force, along, widened(rate, words)], axis=-1)


@kernel_family("{3} - {0}' [W' {2}; {1}]")
def inner(k: Blocks, torque: Blocks, beta: Blocks, before: Blocks, *, joint: str) -> Blocks:
    """[b_1; torque] of the assembled body: the torque is that of its own inner joint."""
    moved = before[..., :6] - outer(joint).evaluate(k, torque, beta)
    return np.concatenate([moved, before[..., 6:]], axis=-1)


@kernel_family("[-{0}' [0; {1}]; {2}]")
def first_inner(k: Blocks, torque: Blocks, before: Blocks, *, joint: str) -> Blocks:
    """[b_1; torque] of two assembled links on which nothing but their joints acts."""
    return np.concatenate([-outer(joint).evaluate(k, torque), before.reshape(len(before), -1)], axis=-1)


@kernel_family("{0}' [W' {2}; {1}]", runs_without_operands=True)
def outer(k: Blocks, torque: Blocks, beta: Blocks | None = None, *, joint: str) -> Blocks:
    """Gain of b_2 of the outer body."""
    return apply(transposed(k), _given(joint, beta, torque))


# -------------------------------------------- the joints' forces and accelerations, back to the leaves


@kernel_family(lambda joint, last: "{0} + {1} {2}" + " + {3} {4}" * (not last), runs_without_operands=True)
def joint_force(driven: Blocks, *forces: Blocks | None, joint: str, last: bool) -> Blocks:
    """Force of the joint on the outer body, in the joint's frame, from the forces at the far handles; `last`:
    the inner body is on the base, at the root."""
    p = pivots(joint)
    force = sum(_effects(slice(p), *forces), start=driven[..., :p])
    whole: Blocks = np.concatenate([force, driven[..., p:6]], axis=-1)
    return whole[..., np.argsort(joint_order(joint))]


def _effects(rows: slice, *forces: Blocks | None) -> list[Blocks]:
    """K f in these rows, of the outer body and of the inner one, if it is not on the base."""
    pairs = zip(forces[::2], forces[1::2], strict=True)
    return [apply(k[..., rows, :], f[..., :6]) for k, f in pairs if k is not None and f is not None]


def _acceleration(joint: str, driven: Blocks, *forces: Blocks | None) -> Blocks:
    p = pivots(joint)
    return reduce(sub, _effects(slice(p, None), *forces), driven[..., 6 : 12 - p])


@kernel_family(
    lambda joint, last: f"[{{0}}; H' ({{1}} - {{2}} {{3}}{' - {4} {5}' * (not last)})]",
    runs_without_operands=True,
)
def with_acceleration(
    force: Blocks, driven: Blocks, *forces: Blocks | None, joint: str, last: bool
) -> Blocks:
    """The force of `joint_force`, and behind it the acceleration of the joint."""
    rate = _acceleration(joint, driven, *forces)
    return np.concatenate([force, widened(rate, driven.shape[-1] - 6)], axis=-1)


@kernel_family("H' ({0} - {1} {2})")
def base_acceleration(driven: Blocks, *forces: Blocks, joint: str, freedom: int | None) -> Blocks:
    """The acceleration of joint 1."""
    rate = _acceleration(joint, driven, *forces)
    return rate[..., 0] if freedom is None else widened(rate, freedom)


@kernel_family(lambda freedom: "word 7 of {0}" if freedom is None else "the words behind the six of {0}")
def joint_word(x: Blocks, *, freedom: int | None) -> Blocks:
    """The joint's torque, which comes with b_1, or its acceleration, which comes with its force."""
    return x[..., 6].copy() if freedom is None else x[..., 6:].copy()


# -------------------------------------------------------------------- handles of links of wide arms
#
# Universal and helical joints forbid one direction that mixes two rows, t_0 e_a + t_1 e_b with t the tilt of
# the joint, and allow t_1 e_a - t_0 e_b. With T, which puts these two in the place of the rows a and b and is
# symmetric, a handle there has T Phi T and T b in place of Phi and b, and the force on it is T f; all other
# joints leave them as they are.
#
# The torque of a joint in the axes of H_i (`torque_along`) is (V'V)^-1 V' W_a tau and its acceleration
# (`rate_along`) W_a' V (V'V)^-1 of that along V, V being the columns of T that span H_i: V is H_i but for
# universal, helical, planar and free joints.


def mixing(joint: str | None) -> str | None:
    """The type of a joint that mixes rows; None for all others, and for the tip."""
    return joint if joint and JOINTS[joint].mixed else None


def _mixed(joint: str | None, x: Blocks, tilt: Blocks | None) -> Blocks:
    """T X for columns (..., 6, r): 4 r multiplications and 2 r additions where the joint mixes rows."""
    if joint is None or tilt is None:
        return x.copy()
    a, b = JOINTS[joint].mixed
    first, second = tilt[..., 0, None], tilt[..., 1, None]
    y = x.copy()
    y[..., a, :] = first * x[..., a, :] + second * x[..., b, :]
    y[..., b, :] = second * x[..., a, :] - first * x[..., b, :]
    return y


@kernel_family(lambda joint: "T {0} T" if joint else "{0}")
def inner_handle(packed: Blocks, tilt: Blocks, *, joint: str | None) -> Blocks:
    """Phi_1 at joint i, from the tilt of that joint (`mixing`)."""
    return outer_handle(joint).evaluate(packed, tilt)


@kernel_family(lambda joint: "T {0} T" if joint else "{0}", runs_without_operands=True)
def outer_handle(packed: Blocks, tilt: Blocks | None, *, joint: str | None) -> Blocks:
    """Phi_2 at joint i+1, from the tilt of that one."""
    if joint is None or tilt is None:
        return packed.copy()
    whole = _mixed(joint, transposed(_mixed(joint, full(packed), tilt)), tilt)
    return whole[..., *np.tril_indices(6)]


@kernel_family(
    lambda joint, following: "T {0} T" if joint or following else "{0}", runs_without_operands=True
)
def between_handles(
    coupling: Blocks, tilt: Blocks, after: Blocks | None, *, joint: str | None, following: str | None
) -> Blocks:
    """Phi_12, from both."""
    return transposed(_mixed(following, transposed(_mixed(joint, coupling, tilt)), after))


@kernel_family(lambda joint: "T {0}" if joint else "{0}")
def at_inner(x: Blocks, tilt: Blocks | None = None, *, joint: str | None) -> Blocks:
    """T x of an acceleration at joint i, or of a force that is in its axes: of the first six words."""
    return at_outer(joint).evaluate(x, tilt)


@kernel_family(lambda joint: "T {0}" if joint else "{0}", runs_without_operands=True)
def at_outer(x: Blocks, tilt: Blocks | None, *, joint: str | None) -> Blocks:
    """`at_inner` at joint i+1."""
    return _mixed(joint, x[..., :6, None], tilt)[..., 0]


# ------------------------------------------------------------------ a joint's own words


def _onto(joint: str, w: Blocks, tilt: Blocks | None) -> Blocks:
    """(V'V)^-1 V' W_a, square, from W_a and the tilt, if the arm has any."""
    kind = JOINTS[joint]
    if kind.straight():
        return np.broadcast_to(known(np.eye(kind.degrees), w), (len(w), kind.degrees, kind.degrees))
    if joint == "helical":
        return w[..., 2:3, :1]
    rows = w[..., kind.allowed, : kind.degrees]
    if kind.mixed and tilt is not None:
        before = w[..., kind.mixed[0], : kind.degrees]
        first = tilt[..., 1, None] * before - tilt[..., 0, None] * rows[..., 0, :]
        return np.concatenate([first[..., None, :], rows[..., 1:, :]], axis=-2)
    return rows


@kernel_family("V' {0} {1}")
def torque_along(w: Blocks, force: Blocks, tilt: Blocks | None = None, *, joint: str, freedom: int) -> Blocks:
    """The torque of a joint along V, `freedom` words; from W_a, tau less b, and the tilt."""
    return widened(apply(_onto(joint, w, tilt), words_of(joint, force)), freedom)


@kernel_family("{0}' V of {1}")
def rate_along(
    w: Blocks, x: Blocks, tilt: Blocks | None = None, *, joint: str, freedom: int, wide: int
) -> Blocks:
    """Qdd, `freedom` words, from W_a, the acceleration along V (the last `wide` words) and the tilt."""
    return widened(apply(transposed(_onto(joint, w, tilt)), words_of(joint, x[..., -wide:])), freedom)


# ------------------------------------------------------------------ links with side branches


@kernel("[-{1}; {0}]", runs_without_operands=True)
def leaf_inner(torque: Blocks, held: Blocks | None) -> Blocks:
    """[b_1; torque] of a link: what its branches' torques do at O_i, with the other sign as it is given, and
    the torque of its own joint."""
    behind = torque.reshape(len(torque), -1)
    none = np.zeros((*behind.shape[:-1], 6), dtype=behind.dtype)
    return np.concatenate([none if held is None else -held, behind], axis=-1)


@kernel("-P^^' C6' {2}", runs_without_operands=True)
def leaf_outer(c: Blocks, p: Blocks, held: Blocks | None) -> Blocks:
    """b_2 of a link: the same at O_{i+1}, as nothing else acts on it."""
    if held is None:
        return np.zeros((*p.shape[:-1], 6), dtype=p.dtype)
    return -as_given(transported(c, p, columns_of(held)), held)
