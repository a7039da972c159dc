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

Kernels are families by the type of the joint and, in wide arms, by `freedom`: the words of a joint's torque
there, zeros behind those of the joint; None says that it is one number, as in lean arms.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    factor,
    full,
    restricted,
    substitute,
    symmetric_product,
    times,
    transposed,
    widened,
)
from senn.algorithms.kernels.operators import carried
from senn.algorithms.kernels.wide import FORBIDS
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family

W_ROWS = {joint: tuple(rows[0] for rows in columns) for joint, columns in FORBIDS.items()}
"""The rows of W_i; of a column that mixes two, the first, to which `handles` bring it."""
H_ROWS = {joint: tuple(row for row in range(6) if row not in kept) for joint, kept in W_ROWS.items()}
"""The rows of H_i."""
MIXED = {joint: next((rows for rows in columns if len(rows) > 1), None) for joint, columns in FORBIDS.items()}
"""The two rows that W_i mixes, if it does."""


def joint_order(joint: str) -> tuple[int, ...]:
    """All six rows in joint order."""
    return (*W_ROWS[joint], *H_ROWS[joint])


def pivots(joint: str) -> int:
    """The directions that a joint forbids."""
    return len(W_ROWS[joint])


# ----------------------------------------------------- Step I: the inertias of assembled bodies


@kernel_family("ldl({0} + {1})")
def joint_factor(after: Blocks, before: Blocks, *, joint: str) -> Blocks:
    """The factor of a joint, from Phi_1 of the outer body and Phi_2 of the inner one."""
    return factor(restricted(after + before, joint_order(joint)), pivots(joint))


@kernel_family("ldl({0})")
def base_factor(after: Blocks, *, joint: str) -> Blocks:
    """The factor of a joint whose inner body is the base, which does not move."""
    return factor(restricted(after, joint_order(joint)), pivots(joint))


@kernel_family("{0}^-1 {1}")
def through_outer(ldl: Blocks, coupling: Blocks, *, joint: str) -> Blocks:
    """K+, 6x6 in joint order: effect at the joint of a force on the far handle of the outer body; from its
    Phi_12."""
    return substitute(ldl, coupling[..., joint_order(joint), :], pivots(joint))


@kernel_family("{0}^-1 {1}'")
def through_inner(ldl: Blocks, coupling: Blocks, *, joint: str) -> Blocks:
    """K-: effect at the joint of a force on the far handle of the inner body; from its Phi_12'."""
    return substitute(ldl, transposed(coupling)[..., joint_order(joint), :], pivots(joint))


@kernel_family("{0}' W {1}")
def freed_outer(coupling: Blocks, k: Blocks, *, joint: str) -> Blocks:
    """Loss of Phi_2 of the outer body, whose joint the inner one holds: Phi_21 W (W'YW)^-1 W' Phi_12."""
    return symmetric_product(coupling[..., W_ROWS[joint], :], k[..., : pivots(joint), :])


@kernel_family("{0} W {1}")
def freed_inner(coupling: Blocks, k: Blocks, *, joint: str) -> Blocks:
    """Loss of Phi_1 of the inner body, whose joint the outer one holds."""
    return symmetric_product(transposed(coupling)[..., W_ROWS[joint], :], k[..., : pivots(joint), :])


@kernel_family("{0} W {1}")
def coupled(coupling: Blocks, k: Blocks, *, joint: str) -> Blocks:
    """Phi_12 of the assembled body: Phi_12 of the inner one, W (W'YW)^-1 W', Phi_12 of the outer one."""
    return times(coupling[..., W_ROWS[joint]], k[..., : pivots(joint), :])


# -------------------------------------------- what the torques do, from the leaves to the root

gap = Kernel("gap", "{0} - {1}", lambda before, after: before - after[..., :6])
"""beta = b_2 of the inner body - b_1 of the outer one, behind which is the torque of that one's joint."""


def words_of(torque: Blocks, freedom: int | None) -> Blocks:
    """A torque as words (n, freedom); where `freedom` is None, it is one number (n,)."""
    return torque[..., None] if freedom is None else torque


def _own(torque: Blocks, joint: str, freedom: int | None) -> Blocks:
    """A joint's own words of a torque."""
    return words_of(torque, freedom)[..., : len(H_ROWS[joint])]


def _given(joint: str, beta: Blocks, torque: Blocks, freedom: int | None) -> Blocks:
    """The acceleration along W and the torque, in joint order."""
    return np.concatenate([beta[..., W_ROWS[joint]], _own(torque, joint, freedom)], axis=-1)


def _made(matrix: Blocks, torque: Blocks) -> Blocks:
    """A block of rows of K or of the Schur complement, transposed, times the torque; no torque, no work."""
    return times(torque[..., None, :], matrix)[..., 0, :]


@kernel_family("{0}^-1 from {1}, {2}", alone=True)
def drive(
    ldl: Blocks, torque: Blocks, beta: Blocks | None = None, *, joint: str, freedom: int | None
) -> Blocks:
    """Force of the joint in joint order and its acceleration where nothing acts on the far handles, from its
    torque and, where there is one, the gap."""
    p, rows = pivots(joint), H_ROWS[joint]
    lower, along = full(ldl), _own(torque, joint, freedom)
    across = lower[..., p:, :p]
    force, rate = -_made(across, along), _made(lower[..., p:, p:], along)
    if beta is not None:
        z = beta[..., W_ROWS[joint]]
        for k in range(p):
            for r in range(k + 1, p):
                z[..., r] = z[..., r] - lower[..., r, k] * z[..., k]
            rate = rate + across[..., k] * z[..., k, None]
            force[..., k] = force[..., k] + lower[..., k, k] * z[..., k]
        rate = rate - beta[..., rows]
    for k in reversed(range(p)):
        for r in range(k):
            force[..., r] = force[..., r] - lower[..., k, r] * force[..., k]
    return np.concatenate([force, along, widened(rate, freedom or 1)], axis=-1)


@kernel_family("{0}^-1 from {1}")
def lone_drive(ldl: Blocks, torque: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """`drive` where there is no gap, at joint 1."""
    return drive(joint, freedom).evaluate(ldl, torque)


@kernel_family("{3} - {0}' [W' {2}; {1}]")
def inner(
    k: Blocks, torque: Blocks, beta: Blocks, before: Blocks, *, joint: str, freedom: int | None
) -> Blocks:
    """[b_1; torque] of the assembled body: the torque is that of its own inner joint."""
    moved = before[..., :6] - apply(transposed(k), _given(joint, beta, torque, freedom))
    return np.concatenate([moved, before[..., 6:]], axis=-1)


@kernel_family("[-{0}' [0; {1}]; {2}]")
def first_inner(k: Blocks, torque: Blocks, before: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """[b_1; torque] of two assembled links on which nothing but their joints acts."""
    moved = -_made(k[..., pivots(joint) :, :], _own(torque, joint, freedom))
    return np.concatenate([moved, words_of(before, freedom)], axis=-1)


@kernel_family("{0}' [W' {2}; {1}]", alone=True)
def outer(
    k: Blocks, torque: Blocks, beta: Blocks | None = None, *, joint: str, freedom: int | None
) -> Blocks:
    """Gain of b_2 of the outer body."""
    if beta is not None:
        return apply(transposed(k), _given(joint, beta, torque, freedom))
    return _made(k[..., pivots(joint) :, :], _own(torque, joint, freedom))


@kernel_family("{0}' [0; {1}]")
def lone_outer(k: Blocks, torque: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """`outer` where there is no gap, at joint 1."""
    return outer(joint, freedom).evaluate(k, torque)


end_bias = Kernel(
    "end_bias",
    "{0}' [{1}; {2}]",
    lambda c, dw, v: np.concatenate([apply(transposed(c), dw), apply(transposed(c), v)], axis=-1),
)
"""Jdot Qdot, turned to frame N+1."""

# -------------------------------------------- the joints' forces and accelerations, back to the leaves


@kernel_family(lambda joint, last: "{0} + {1} {2}" + " + {3} {4}" * (not last), alone=True)
def joint_force(
    driven: Blocks,
    k: Blocks,
    beyond: Blocks,
    k_before: Blocks | None = None,
    before: Blocks | None = None,
    *,
    joint: str,
    last: bool,
) -> Blocks:
    """Force of the joint on the outer body, in the joint's frame, from the forces at the far handles; `last`:
    the inner body is on the base, at the root."""
    p = pivots(joint)
    force = driven[..., :p] + apply(k[..., :p, :], beyond)
    if k_before is not None and before is not None:
        force = force + apply(k_before[..., :p, :], before[..., :6])
    whole: Blocks = np.concatenate([force, driven[..., p:6]], axis=-1)
    return whole[..., np.argsort(joint_order(joint))]


def _acceleration(
    p: int,
    driven: Blocks,
    k: Blocks,
    beyond: Blocks,
    k_before: Blocks | None = None,
    before: Blocks | None = None,
) -> Blocks:
    rate: Blocks = driven[..., 6 : 12 - p] - apply(k[..., p:, :], beyond)
    if k_before is not None and before is not None:
        rate = rate - apply(k_before[..., p:, :], before[..., :6])
    return rate


@kernel_family(
    lambda joint, freedom, last: f"[{{0}}; H' ({{1}} - {{2}} {{3}}{' - {4} {5}' * (not last)})]", alone=True
)
def with_acceleration(
    force: Blocks,
    driven: Blocks,
    k: Blocks,
    beyond: Blocks,
    *inner: Blocks,
    joint: str,
    freedom: int | None,
    last: bool,
) -> Blocks:
    """The force of `joint_force`, and behind it the acceleration of the joint."""
    rate = _acceleration(pivots(joint), driven, k, beyond, *inner)
    return np.concatenate([force, widened(rate, freedom or 1)], axis=-1)


@kernel_family("H' ({0} - {1} {2})")
def base_acceleration(
    driven: Blocks, k: Blocks, beyond: Blocks, *, joint: str, freedom: int | None
) -> Blocks:
    """The acceleration of joint 1."""
    rate = _acceleration(pivots(joint), driven, k, beyond)
    return rate[..., 0] if freedom is None else widened(rate, freedom or 1)


@kernel_family(lambda freedom: "word 7 of {0}" if freedom is None else "the words behind the six of {0}")
def seventh(x: Blocks, *, freedom: int | None) -> Blocks:
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

_STRAIGHT = ("revolute", "prismatic", "cylindrical", "spherical", "welded")
"""Joints whose H_i are rows of the unit matrix: V = H."""


def mixing(joint: str | None) -> str | None:
    """The type of a joint that mixes rows; None for all others, and for the tip."""
    return joint if joint and MIXED[joint] else None


def _mixed(joint: str | None, x: Blocks, tilt: Blocks | None) -> Blocks:
    """T X for columns (..., 6, r): 4 r multiplications and 2 r additions where the joint mixes rows."""
    rows = MIXED[joint] if joint else None
    if rows is None or tilt is None:
        return x.copy()
    a, b = rows
    first, second = tilt[..., 0, None], tilt[..., 1, None]
    y = x.copy()
    y[..., a, :] = first * x[..., a, :] + second * x[..., b, :]
    y[..., b, :] = second * x[..., a, :] - first * x[..., b, :]
    return y


def _both_sides(joint: str | None, packed: Blocks, tilt: Blocks | None) -> Blocks:
    if joint is None or tilt is None:
        return packed.copy()
    whole = _mixed(joint, transposed(_mixed(joint, full(packed), tilt)), tilt)
    rows, columns = np.tril_indices(6)
    return whole[..., rows, columns]


@kernel_family(lambda joint: "T {0} T" if joint else "{0}")
def inner_handle(packed: Blocks, tilt: Blocks, *, joint: str | None) -> Blocks:
    """Phi_1 at joint i, from the tilt of that joint (`mixing`)."""
    return _both_sides(joint, packed, tilt)


@kernel_family(lambda joint: "T {0} T" if joint else "{0}", alone=True)
def outer_handle(packed: Blocks, tilt: Blocks | None, *, joint: str | None) -> Blocks:
    """Phi_2 at joint i+1, from the tilt of that one."""
    return _both_sides(joint, packed, tilt)


@kernel_family(lambda joint, following: "T {0} T" if joint or following else "{0}", alone=True)
def between_handles(
    coupling: Blocks, tilt: Blocks, after: Blocks | None, *, joint: str | None, following: str | None
) -> Blocks:
    """Phi_12, from both."""
    return transposed(_mixed(following, transposed(_mixed(joint, coupling, tilt)), after))


@kernel_family(lambda joint: "T {0}" if joint else "{0}")
def at_inner(x: Blocks, tilt: Blocks | None = None, *, joint: str | None) -> Blocks:
    """T x of an acceleration at joint i, or of a force that is in its axes: of the first six words."""
    return _mixed(joint, x[..., :6, None], tilt)[..., 0]


@kernel_family(lambda joint: "T {0}" if joint else "{0}", alone=True)
def at_outer(x: Blocks, tilt: Blocks | None, *, joint: str | None) -> Blocks:
    """`at_inner` at joint i+1."""
    return _mixed(joint, x[..., :6, None], tilt)[..., 0]


# ------------------------------------------------------------------ a joint's own words


def _of_h(joint: str, w: Blocks) -> Blocks:
    """The rows of W_a in the span of H, those of the joint's own columns."""
    return w[..., H_ROWS[joint], : JOINTS[joint].degrees]


@kernel_family("V' {0} {1}")
def torque_along(w: Blocks, force: Blocks, tilt: Blocks | None = None, *, joint: str, freedom: int) -> Blocks:
    """The torque of a joint along V, `freedom` words; from W_a, tau less b, and the tilt, if the arm has
    any."""
    degrees = JOINTS[joint].degrees
    rate = force[..., :degrees]
    if joint == "helical":
        words = w[..., 2, :1] * rate
    elif joint == "universal":
        assert tilt is not None
        x = apply(w[..., :3, :2], rate)
        turned = tilt[..., 1] * x[..., 0] - tilt[..., 0] * x[..., 1]
        words = np.stack([turned, x[..., 2]], axis=-1)
    else:
        words = rate if joint in _STRAIGHT else apply(_of_h(joint, w), rate)
    return widened(words, freedom)


@kernel_family("{0}' V of {1}")
def rate_along(
    w: Blocks, x: Blocks, tilt: Blocks | None = None, *, joint: str, freedom: int, wide: int
) -> Blocks:
    """Qdd, `freedom` words, from W_a, the acceleration along V (the `wide` last of the words given), and the
    tilt."""
    degrees = JOINTS[joint].degrees
    rate = x[..., -wide:][..., :degrees]
    if joint == "helical":
        words = w[..., 2, :1] * rate
    elif joint == "universal":
        assert tilt is not None
        along = rate[..., :1]
        y = np.concatenate([tilt[..., 1:] * along, -(tilt[..., :1] * along), rate[..., 1:]], axis=-1)
        words = apply(transposed(w[..., :3, :2]), y)
    else:
        words = rate if joint in _STRAIGHT else apply(transposed(_of_h(joint, w)), rate)
    return widened(words, freedom)


# ------------------------------------------------------------------ links with side branches


@kernel_family("[-{1}; {0}]", alone=True)
def leaf_inner(torque: Blocks, held: Blocks | None, *, freedom: int | None) -> Blocks:
    """[b_1; torque] of a link: what its branches' torques do at O_i, with the other sign as it is given, and
    the torque of its own joint."""
    behind = words_of(torque, freedom)
    none = np.zeros((*behind.shape[:-1], 6), dtype=behind.dtype)
    return np.concatenate([none if held is None else -held, behind], axis=-1)


@kernel("-P^^' C6' {2}", alone=True)
def leaf_outer(c: Blocks, p: Blocks, held: Blocks | None) -> Blocks:
    """b_2 of a link: the same at O_{i+1}, as nothing else acts on it."""
    if held is None:
        return np.zeros((*p.shape[:-1], 6), dtype=p.dtype)
    return -carried.evaluate(c, p, held)
