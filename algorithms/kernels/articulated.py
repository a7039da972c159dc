"""Kernels of the hybrid of Yang, Wu and Pan: articulated inertias on one node, and the systems that are left.

All vectors are in frame 1, so that link i is seen from its neighbours without a rotation; six-vectors have
the moment (or omega) first, at O_i. A *body* is what a process tells of its link, and a *gain* what it gets
back:

    inertia about O_i (21, packed) | H_i (6 k) | p_i (3)
    K_i = U_i D_i^-1 (6 k) | D_i = H_i' U_i (packed), with U_i = I^_i H_i, I^_i the articulated inertia

The inertia is that of the link with its branches, if there are any, and k the most degrees of freedom of a
joint (`senn.algorithms.kernels.joints`). In an arm of revolute and prismatic joints without branches a body
has 16 words: J_i about O_i (6, packed) | m_i s_i (3) | m_i | z_i (3) | p_i (3).
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import axes_of, filled, words_of
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known

RIGID = 16
"""Words of a body that is a rigid link with one axis."""


def body_words(freedom: int | None) -> int:
    """Number of words of a body; `freedom` is k, or None where a joint has one number."""
    return RIGID if freedom is None else 21 + 6 * freedom + 3


def gain_words(freedom: int) -> int:
    """Number of words of a gain."""
    return 6 * freedom + triangle(freedom)


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


def rigid_inertia(link: Blocks, zero: Blocks | float = 0.0) -> Blocks:
    """[J, m s~; -m s~, m U], packed: no operation; `zero` stands in the entries that are zero."""
    j, first, m = link[..., :6], link[..., 6:9], link[..., 9]
    x, y, z = (first[..., k] for k in range(3))
    none = np.full(m.shape, zero, dtype=m.dtype)
    rows = [none, z, -y, m, -z, none, x, none, m, y, -x, none, none, none, m]
    return np.concatenate([j, np.stack(rows, axis=-1)], axis=-1)


@kernel("inertia of {0}, {1}, {2}, {3}")
def rigid_body(turn: Blocks, j: Blocks, s: Blocks, m: Blocks) -> Blocks:
    """The inertia of a link about O_i."""
    return rigid_inertia(about_origin(turn, j, s, m))


loaded = Kernel("loaded", "{0} - {1}' {2}", lambda force, h, held: force - apply(transposed(h), held))
"""F_T, less what the torques of side branches do about the joint."""


@kernel("body of {0}, {1}, {2}")
def body_of(inertia: Blocks, h: Blocks, p: Blocks) -> Blocks:
    return np.concatenate([inertia, h.reshape(*h.shape[:-2], -1), p], axis=-1)


# ------------------------------------------------------- the recursion, on one node


def _inertia(link: Blocks) -> Blocks:
    """The inertia in a body, packed."""
    return rigid_inertia(link, known(0, link)) if link.shape[-1] == RIGID else link[..., :21]


def _gained(gain: Blocks, joint: str) -> tuple[Blocks, Blocks]:
    """K_i, the joint's own columns, and D_i, packed."""
    freedom = next(k for k in range(1, 7) if gain_words(k) == gain.shape[-1])
    k, degrees = gain[..., : 6 * freedom].reshape(*gain.shape[:-1], 6, freedom), JOINTS[joint].degrees
    return k[..., :degrees], gain[..., 6 * freedom :][..., : triangle(degrees)]


outermost = Kernel("outermost", "inertia of {0}", lambda link: _inertia(link).copy())
"""The last link: nothing lies beyond it."""


@kernel_family("inertia of {0} + P^ ({1} - K D K' of {2}) P^'")
def articulated(link: Blocks, beyond: Blocks, gain: Blocks, *, following: str) -> Blocks:
    """I_i + P^ (I^ - K D K')_{i+1} P^', of joint i+1: P^ = [U p~; 0 U] takes wrenches from O_{i+1} to O_i."""
    k, d = _gained(gain, following)
    felt = beyond - symmetric_product(transposed(times(k, full(d))), transposed(k))
    return shifted_inertia(link[..., -3:], felt) + _inertia(link)


@kernel_family("[K; D] of {1} along {0}")
def gain(link: Blocks, inertia: Blocks, *, joint: str) -> Blocks:
    """[K; D] of a joint."""
    if link.shape[-1] == RIGID:
        freedom, axes = 1, link[..., 10:13]
    else:
        freedom = (link.shape[-1] - 24) // 6
        axes = link[..., 21:-3].reshape(*link.shape[:-1], 6, freedom)
    h = axes_of(joint, axes)
    u = times(full(inertia), h)
    d = symmetric_product(h, u)
    k = widened(transposed(substitute(factor(d), transposed(u))), freedom)
    return np.concatenate([k.reshape(*k.shape[:-2], -1), widened(d, triangle(freedom))], axis=-1)


# --------------------------------------------- the two bi-diagonal systems, by processes


@kernel_family("(1 - K H') P^ of {0}, {1}, {2}")
def transfer(gain: Blocks, axes: Blocks, p: Blocks, *, joint: str) -> Blocks:
    """Phi_i = (1 - K_i H_i') P^_i: what joint i lets through of a wrench at O_{i+1}."""
    k, _ = _gained(gain, joint)
    rows = transposed(axes_of(joint, axes))
    seen = np.concatenate([rows[..., :3], rows[..., 3:] + cross(rows[..., :3], p[..., None, :])], axis=-1)
    y = -times(k, seen)
    y[..., range(6), range(6)] += 1.0
    y[..., range(3), (4, 5, 3)] -= p[..., (2, 0, 1)]  # p~, above and right
    y[..., range(3), (5, 3, 4)] += p[..., (1, 2, 0)]
    return y


@kernel_family("K of {0} {1}")
def push(gain: Blocks, force: Blocks, *, joint: str) -> Blocks:
    """K F_T."""
    return apply(_gained(gain, joint)[0], words_of(joint, force))


product = Kernel("product", "{0} {1}", times)


affine = Kernel("affine", "{0} + {1} {2}", lambda x, transfer, beyond: x + apply(transfer, beyond))
"""x_i + Phi x_{i+h}; the two are absent together."""


@kernel_family("D^-1 ({0} - H' P^ {4}) of {1}", runs_without_operands=True)
def drive(
    force: Blocks, gain: Blocks, axes: Blocks, p: Blocks, beyond: Blocks | None, *, joint: str
) -> Blocks:
    """Accelerations of joint i if link i - 1 stood still: D^-1 (F_T - H' P^ x_{i+1})."""
    rate, (_, d) = words_of(joint, force), _gained(gain, joint)
    if beyond is not None:
        rate = rate - apply(transposed(axes_of(joint, axes)), shifted(p, beyond[..., None])[..., 0])
    solved = rate / d if JOINTS[joint].degrees == 1 else substitute(factor(d), rate[..., None])[..., 0]
    return filled(solved, force)


@kernel_family("P^' H {2}")
def carried(axes: Blocks, p: Blocks, drive: Blocks, *, joint: str) -> Blocks:
    """P^_i' H_i drive: what that does to O_{i+1}."""
    x = apply(axes_of(joint, axes), words_of(joint, drive))
    return np.concatenate([x[..., :3], x[..., 3:] + cross(x[..., :3], p)], axis=-1)


@kernel_family("{0} - K' of {1} {2}", runs_without_operands=True)
def acceleration(drive: Blocks, gain: Blocks, before: Blocks | None, *, joint: str) -> Blocks:
    """Qdd_i: the drive less K' of the acceleration of link i - 1 at O_i."""
    if before is None:
        return drive.copy()
    k = transposed(_gained(gain, joint)[0])
    moved = apply(k[..., :3], before[..., :3]) + apply(k[..., 3:], before[..., 3:])
    return filled(words_of(joint, drive) - moved, drive)


@kernel("{0} {1} + {2}' {3}", runs_without_operands=True)
def at_origin(h: Blocks, qdd: Blocks, turn: Blocks, before: Blocks | None) -> Blocks:
    """The acceleration of link i at O_i in frame i, where that of O_i on link i - 1 is known in frame 1."""
    x = apply(h, qdd)
    return x if before is None else x + turned(transposed(turn), before[..., None])[..., 0]
