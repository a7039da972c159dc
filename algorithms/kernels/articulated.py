"""Kernels of the hybrid of Yang, Wu and Pan: articulated inertias on one node, and the systems that are left.

All vectors are in frame 1, so that link i is seen from its neighbours without a rotation; six-vectors have
the moment (or omega) first, at O_i. A *body* is what a process tells of its link, and a *gain* what it gets
back. In lean arms they have 16 words and 7:

    J_i about O_i (6, packed) | m_i s_i (3) | m_i | z_i (3) | p_i (3)
    K_i = U_i / d_i (6) | d_i, with U_i = I^_i H_i and d_i = H_i' U_i, I^_i the articulated inertia

In wide arms H_i is k columns, k being the most that a joint of the arm allows (`freedom`), zeros behind those
of the joint, and the inertia is that of the link with its branches, if there are any:

    inertia about O_i (21, packed) | H_i (6 k) | p_i (3)
    K_i = U_i D_i^-1 (6 k) | D_i = H_i' U_i, packed

Kernels are families by the type of the joint and by `freedom`, which is None for a lean arm.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    cross,
    dot,
    factor,
    full,
    shifted,
    shifted_inertia,
    substitute,
    symmetric_product,
    times,
    transposed,
    triangle,
    turned,
    widened,
)
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family


def body_words(freedom: int | None) -> int:
    """Number of words of a body."""
    return 16 if freedom is None else 21 + 6 * freedom + 3


def gain_words(freedom: int | None) -> int:
    """Number of words of a gain."""
    return 7 if freedom is None else 6 * freedom + triangle(freedom)


# ------------------------------------------------------------------ of one link


def about_origin(turn: Blocks, j: Blocks, s: Blocks, m: Blocks) -> Blocks:
    """J_i about O_i, m_i s_i, m_i."""
    central = symmetric_product(transposed(turn), times(full(j), transposed(turn)))
    first = m[..., None] * s
    xx, yy, zz = (first[..., k] * s[..., k] for k in range(3))
    yx, zx, zy = (first[..., r] * s[..., c] for r, c in ((1, 0), (2, 0), (2, 1)))
    moved = np.stack([yy + zz, -yx, xx + zz, -zx, -zy, xx + yy], axis=-1)
    return np.concatenate([central + moved, first, m[..., None]], axis=-1)


@kernel("body of {0}, {1}, {2}, {3}, {4}, {5}")
def body(turn: Blocks, j: Blocks, s: Blocks, m: Blocks, z: Blocks, p: Blocks) -> Blocks:
    """J_i about O_i is T J T' + m (s's U - s s'), J about the centre of mass in frame i + 1."""
    return np.concatenate([about_origin(turn, j, s, m), z, p], axis=-1)


def rigid_inertia(link: Blocks) -> Blocks:
    """[J, m s~; -m s~, m U], packed: no operation."""
    j, first, m = link[..., :6], link[..., 6:9], link[..., 9]
    x, y, z = (first[..., k] for k in range(3))
    none = np.zeros_like(m)
    rows = [none, z, -y, m, -z, none, x, none, m, y, -x, none, none, none, m]
    return np.concatenate([j, np.stack(rows, axis=-1)], axis=-1)


axes = Kernel("axes", "{1} {0}", lambda h, turn: turned(turn, h))
"""H_i, turned."""


@kernel("inertia of {0}, {1}, {2}, {3}")
def rigid_body(turn: Blocks, j: Blocks, s: Blocks, m: Blocks) -> Blocks:
    """The inertia of a link about O_i."""
    return rigid_inertia(about_origin(turn, j, s, m))


@kernel("{0} - {1}' {2}")
def loaded(force: Blocks, h: Blocks, held: Blocks | None) -> Blocks:
    """F_T, less what the torques of side branches do about the joint."""
    return force if held is None else force - apply(transposed(h), held)


@kernel("P^ {0} {2}")
def held_at_origin(turn: Blocks, p: Blocks, held: Blocks) -> Blocks:
    """The wrench with which a link holds its branches, at O_{i+1} in frame i+1, seen from O_i in frame 1."""
    return shifted(p, turned(turn, held[..., None]))[..., 0]


@kernel("body of {0}, {1}, {2}")
def body_of(inertia: Blocks, h: Blocks, p: Blocks) -> Blocks:
    return np.concatenate([inertia, h.reshape(*h.shape[:-2], -1), p], axis=-1)


# ------------------------------------------------------- the recursion, on one node


@kernel_family("inertia of {0}")
def outermost(link: Blocks, *, freedom: int | None) -> Blocks:
    """The last link: nothing lies beyond it."""
    return rigid_inertia(link) if freedom is None else link[..., :21].copy()


@kernel_family("inertia of {0} + P^ ({1} - K D K' of {2}) P^'")
def articulated(link: Blocks, beyond: Blocks, gain: Blocks, *, following: str, freedom: int | None) -> Blocks:
    """I_i + P^ (I^ - K D K')_{i+1} P^', of joint i+1: P^ = [U p~; 0 U] takes wrenches from O_{i+1} to O_i."""
    k, d = _gained(gain, following, freedom)
    if freedom is None:
        rows, columns = np.tril_indices(6)
        felt = beyond - (d * k[..., 0])[..., rows] * k[..., columns, 0]
        return _plus_rigid(shifted_inertia(link[..., -3:], felt), link)
    if JOINTS[following].degrees:
        beyond = beyond - symmetric_product(transposed(times(k, full(d))), transposed(k))
    return shifted_inertia(link[..., -3:], beyond) + link[..., :21]


def _plus_rigid(inertia: Blocks, link: Blocks) -> Blocks:
    """The inertia of a link added to a packed one, without its zeros: 15 additions."""
    out, rigid = inertia.copy(), rigid_inertia(link)
    for entry in (*range(6), 7, 8, 9, 10, 12, 14, 15, 16, 20):
        out[..., entry] = out[..., entry] + rigid[..., entry]
    return out


@kernel_family("[K; D] of {1} along {0}")
def gain(link: Blocks, inertia: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """[K; D] of a joint."""
    if freedom is None:
        half, z = slice(0, 3) if joint == REVOLUTE else slice(3, 6), link[..., 10:13]
        u = apply(full(inertia)[..., :, half], z)
        d = dot(z, u[..., half])
        return np.concatenate([u * (1.0 / d)[..., None], d[..., None]], axis=-1)
    degrees = JOINTS[joint].degrees
    words = np.zeros((*link.shape[:-1], gain_words(freedom)), dtype=link.dtype)
    if degrees:
        h = link[..., 21:-3].reshape(*link.shape[:-1], 6, freedom)[..., :degrees]
        u = times(full(inertia), h)
        d = symmetric_product(h, u)
        k = transposed(substitute(factor(d), transposed(u)))
        words[..., : 6 * freedom] = widened(k, freedom).reshape(*k.shape[:-2], -1)
        words[..., 6 * freedom : 6 * freedom + triangle(degrees)] = d
    return words


def _gained(gain: Blocks, joint: str, freedom: int | None) -> tuple[Blocks, Blocks]:
    """K_i, the joint's own columns, and D_i, packed."""
    columns, degrees = freedom or 1, JOINTS[joint].degrees
    k = gain[..., : 6 * columns].reshape(*gain.shape[:-1], 6, columns)
    return k[..., :degrees], gain[..., 6 * columns : 6 * columns + triangle(degrees)]


# --------------------------------------------- the two bi-diagonal systems, by processes


@kernel_family("(1 - K H') P^ of {0}, {1}, {2}")
def transfer(gain: Blocks, h: Blocks, p: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """Phi_i = (1 - K_i H_i') P^_i: what joint i lets through of a wrench at O_{i+1}; in a lean arm `h` is z,
    and H'P^ is [z; z x p]' or [0; z]'."""
    k, _ = _gained(gain, joint, freedom)
    if freedom is None and joint == REVOLUTE:
        return plus_hat(-times(k, np.concatenate([h, cross(h, p)], axis=-1)[..., None, :]), p)
    if freedom is None:
        right = -times(k, h[..., None, :])
        left = np.broadcast_to(np.eye(6, dtype=right.dtype)[:, :3], (*right.shape[:-2], 6, 3))
        whole = np.concatenate([np.zeros_like(right), right], axis=-1)
        return np.concatenate([left, plus_hat(whole, p, columns=(3, 4, 5))[..., 3:]], axis=-1)
    degrees = JOINTS[joint].degrees
    if not degrees:
        return _hat(p)
    rows = transposed(h[..., :degrees])
    seen = np.concatenate([rows[..., :3], rows[..., 3:] + cross(rows[..., :3], p[..., None, :])], axis=-1)
    return plus_hat(-times(k, seen), p)


def _hat(p: Blocks) -> Blocks:
    """P^: words that are there."""
    y = np.zeros((*p.shape[:-1], 6, 6), dtype=p.dtype)
    y[..., range(6), range(6)] = 1.0
    for r in range(3):
        after, before = (r + 1) % 3, (r + 2) % 3
        y[..., r, 3 + after], y[..., r, 3 + before] = -p[..., before], p[..., after]
    return y


def plus_hat(x: Blocks, p: Blocks, columns: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Blocks:
    """X + P^, in some columns: an addition for each one on the diagonal, and 6 for p~."""
    y = x.copy()
    for k in columns:
        y[..., k, k] = y[..., k, k] + 1.0
    for r in range(3):
        after, before = (r + 1) % 3, (r + 2) % 3
        y[..., r, 3 + after] = y[..., r, 3 + after] - p[..., before]
        y[..., r, 3 + before] = y[..., r, 3 + before] + p[..., after]
    return y


@kernel_family("K of {0} {1}")
def push(gain: Blocks, force: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """K F_T."""
    if freedom is None:
        return gain[..., :6] * force[..., None]
    return apply(_gained(gain, joint, freedom)[0], force[..., : JOINTS[joint].degrees])


product = Kernel("product", "{0} {1}", times)


@kernel("{0} + {1} {2}")
def affine(x: Blocks, transfer: Blocks | None, beyond: Blocks | None) -> Blocks:
    """x_i + Phi x_{i+h}; the two are absent together."""
    return x if transfer is None or beyond is None else x + apply(transfer, beyond)


passed_on = Kernel("passed_on", "{0}' {1}", lambda x, w: apply(transposed(x), w))


@kernel_family("D^-1 ({0} - H' P^ {4}) of {1}", alone=True)
def drive(
    force: Blocks,
    gain: Blocks,
    h: Blocks,
    p: Blocks,
    beyond: Blocks | None,
    *,
    joint: str,
    freedom: int | None,
) -> Blocks:
    """Accelerations of joint i if link i - 1 stood still: D^-1 (F_T - H' P^ x_{i+1})."""
    if freedom is None:
        if beyond is not None:
            felt = beyond[..., 3:]
            if joint == REVOLUTE:
                felt = beyond[..., :3] + cross(p, felt)
            force = force - dot(h, felt)
        return force / gain[..., 6]
    degrees = JOINTS[joint].degrees
    rate = force[..., :degrees]
    if degrees and beyond is not None:
        rate = rate - apply(transposed(h[..., :degrees]), shifted(p, beyond[..., None])[..., 0])
    if degrees:
        d = _gained(gain, joint, freedom)[1]
        rate = substitute(factor(d), rate[..., None])[..., 0]
    return widened(rate, freedom)


@kernel_family("P^' H {2}")
def carried(h: Blocks, p: Blocks, drive: Blocks, *, joint: str, freedom: int | None) -> Blocks:
    """P^_i' H_i drive: what that does to O_{i+1}."""
    if freedom is None:
        along = h * drive[..., None]
        halves = [along, cross(along, p)] if joint == REVOLUTE else [np.zeros_like(along), along]
        return np.concatenate(halves, axis=-1)
    x = apply(h, drive)
    return np.concatenate([x[..., :3], x[..., 3:] + cross(x[..., :3], p)], axis=-1)


@kernel_family("{0} - K' of {1} {2}", alone=True)
def acceleration(
    drive: Blocks, gain: Blocks, before: Blocks | None, *, joint: str, freedom: int | None
) -> Blocks:
    """Qdd_i: the drive less K' of the acceleration of link i - 1 at O_i."""
    degrees = JOINTS[joint].degrees
    if before is None or not degrees:
        return drive.copy()
    if freedom is None:
        rate: Blocks = drive - (dot(gain[..., :3], before[..., :3]) + dot(gain[..., 3:6], before[..., 3:]))
        return rate
    k, _ = _gained(gain, joint, freedom)
    return widened(drive[..., :degrees] - apply(transposed(k), before), freedom)


@kernel("{0} {1} + {2}' {3}", alone=True)
def at_origin(h: Blocks, qdd: Blocks, turn: Blocks, before: Blocks | None) -> Blocks:
    """The acceleration of link i at O_i in frame i, where that of O_i on link i - 1 is known in frame 1."""
    x = apply(h, qdd)
    return x if before is None else x + turned(transposed(turn), before[..., None])[..., 0]
