"""Kernels of the hybrid of Yang, Wu and Pan: articulated inertias on one node, and the systems that are left.

All vectors are in frame 1, so that link i is seen from its neighbours without a rotation; six-vectors have
the moment (or omega) first, at O_i. A *body* is what a process tells of its link, 16 words:

    J_i about O_i (6, packed) | m_i s_i (3) | m_i | z_i (3) | p_i (3)

and a *gain* what it gets back, 7 words: K_i = U_i / d_i (6), then d_i, with U_i = I^_i H_i and
d_i = H_i' U_i, I^_i the articulated inertia. Kernels that depend on the type of a joint are tables by type.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    cross,
    cross_component,
    dot,
    factor,
    full,
    shifted,
    substitute,
    symmetric_product,
    times,
    transposed,
    triangle,
    turned,
    widened,
)
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family

BODY, GAIN = 16, 7

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


def _parts(link: Blocks) -> tuple[Blocks, Blocks, Blocks, Blocks, Blocks]:
    """J, m s, m, z, p of a body."""
    return link[..., :6], link[..., 6:9], link[..., 9], link[..., 10:13], link[..., 13:]


def rigid_inertia(link: Blocks) -> Blocks:
    """[J, m s~; -m s~, m U], packed: no operation."""
    j, first, m = link[..., :6], link[..., 6:9], link[..., 9]
    x, y, z = (first[..., k] for k in range(3))
    none = np.zeros_like(m)
    rows = [none, z, -y, m, -z, none, x, none, m, y, -x, none, none, none, m]
    return np.concatenate([j, np.stack(rows, axis=-1)], axis=-1)


rigid = Kernel("rigid", "inertia of {0}", rigid_inertia)
"""The last link: nothing lies beyond it."""

# ------------------------------------------------------- the recursion, on one node


@kernel("inertia of {0} + P^ ({1} - d K K' of {2}) P^'")
def articulated(link: Blocks, beyond: Blocks, gain: Blocks) -> Blocks:
    """I_i + P^ (I^ - d K K')_{i+1} P^': P^ = [U p~; 0 U] takes wrenches from O_{i+1} to O_i."""
    k = gain[..., :6]
    rows, columns = np.tril_indices(6)
    u = gain[..., 6, None] * k
    felt = full(beyond - u[..., rows] * k[..., columns])
    return _plus_rigid(shifted_inertia(_parts(link)[4], felt), link)


def shifted_inertia(p: Blocks, felt: Blocks) -> Blocks:
    """P^ X P^' of a symmetric 6x6 X, packed: 42 multiplications, 42 additions."""
    a, b, d = felt[..., :3, :3], felt[..., :3, 3:], felt[..., 3:, 3:]
    upper = b + transposed(cross(p[..., None, :], d))  # b + p~ d, as d is symmetric
    corner = [  # of a + p~ b' - upper p~, which is symmetric
        a[..., r, c] + (cross_component(p, b[..., c, :], r) + cross_component(p, upper[..., r, :], c))
        for r in range(3)
        for c in range(r + 1)
    ]
    below = [
        entry
        for r in range(3)
        for entry in (*(upper[..., k, r] for k in range(3)), *(d[..., r, c] for c in range(r + 1)))
    ]
    return np.stack([*corner, *below], axis=-1)


def _plus_rigid(inertia: Blocks, link: Blocks) -> Blocks:
    """The inertia of a link added to a packed one, without its zeros: 15 additions."""
    out, rigid = inertia.copy(), rigid_inertia(link)
    for entry in (*range(6), 7, 8, 9, 10, 12, 14, 15, 16, 20):
        out[..., entry] = out[..., entry] + rigid[..., entry]
    return out


def _gain(joint: str) -> Kernel:
    half = slice(0, 3) if joint == REVOLUTE else slice(3, 6)

    def evaluate(link: Blocks, inertia: Blocks) -> Blocks:
        z = _parts(link)[3]
        u = apply(full(inertia)[..., :, half], z)
        d = dot(z, u[..., half])
        return np.concatenate([u * (1.0 / d)[..., None], d[..., None]], axis=-1)

    return Kernel(f"gain.{joint}", "[K; d] of {1} along z of {0}", evaluate)


GAIN_OF = {joint: _gain(joint) for joint in (REVOLUTE, PRISMATIC)}

# --------------------------------------------- the two bi-diagonal systems, by processes


def _transfer_revolute(gain: Blocks, z: Blocks, p: Blocks) -> Blocks:
    return plus_hat(-times(gain[..., :6, None], np.concatenate([z, cross(z, p)], axis=-1)[..., None, :]), p)


def _transfer_prismatic(gain: Blocks, z: Blocks, p: Blocks) -> Blocks:
    right = -times(gain[..., :6, None], z[..., None, :])
    left = np.broadcast_to(np.eye(6, dtype=right.dtype)[:, :3], (*right.shape[:-2], 6, 3))
    whole = np.concatenate([np.zeros_like(right), right], axis=-1)
    return np.concatenate([left, plus_hat(whole, p, columns=(3, 4, 5))[..., 3:]], axis=-1)


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


TRANSFER = {
    REVOLUTE: Kernel("transfer.revolute", "(1 - K H') P^ of {0}, {1}, {2}", _transfer_revolute),
    PRISMATIC: Kernel("transfer.prismatic", "(1 - K H') P^ of {0}, {1}, {2}", _transfer_prismatic),
}
"""Phi_i = (1 - K_i H_i') P^_i: what joint i lets through of a wrench at O_{i+1}; H'P^ is [z; z x p]' or
[0; z]'."""

push = Kernel("push", "K of {0} {1}", lambda gain, f: gain[..., :6] * f[..., None])
product = Kernel("product", "{0} {1}", times)


@kernel("{0} + {1} {2}")
def affine(x: Blocks, transfer: Blocks | None, beyond: Blocks | None) -> Blocks:
    """x_i + Phi x_{i+h}; the two are absent together."""
    return x if transfer is None or beyond is None else x + apply(transfer, beyond)


passed_on = Kernel("passed_on", "{0}' {1}", lambda x, w: apply(transposed(x), w))


def _drive(joint: str) -> Kernel:
    def evaluate(force: Blocks, gain: Blocks, z: Blocks, p: Blocks, beyond: Blocks | None) -> Blocks:
        if beyond is not None:
            felt = beyond[..., 3:]
            if joint == REVOLUTE:
                felt = beyond[..., :3] + cross(p, felt)
            force = force - dot(z, felt)
        return force / gain[..., 6]

    form = "({0} - H' P^ {4}) / d of {1}"
    return Kernel(f"drive.{joint}", form, evaluate, alone=True)


DRIVE = {joint: _drive(joint) for joint in (REVOLUTE, PRISMATIC)}
"""Acceleration of joint i if link i - 1 stood still: (F_T - H' P^ x_{i+1}) / d."""


def _swing(z: Blocks, p: Blocks, drive: Blocks) -> Blocks:
    angular = z * drive[..., None]
    return np.concatenate([angular, cross(angular, p)], axis=-1)


def _slide(z: Blocks, p: Blocks, drive: Blocks) -> Blocks:
    linear = z * drive[..., None]
    return np.concatenate([np.zeros_like(linear), linear], axis=-1)


CARRIED = {
    REVOLUTE: Kernel("carried.revolute", "P^' H {2}", _swing),
    PRISMATIC: Kernel("carried.prismatic", "P^' H {2}", _slide),
}
"""P^_i' H_i drive: what that does to O_{i+1}."""


@kernel("{0} - K of {1} . {2}", alone=True)
def acceleration(drive: Blocks, gain: Blocks, before: Blocks | None) -> Blocks:
    if before is None:
        return drive.copy()
    rate: Blocks = drive - (dot(gain[..., :3], before[..., :3]) + dot(gain[..., 3:6], before[..., 3:]))
    return rate


# ------------------------------------- joints of any type, links with side branches: of one link
#
# H_i is k columns, k being the most that a joint of the arm allows (`freedom`), zeros behind those of the
# joint. A *body* is the inertia about O_i, with the branches if there are any (21, packed) | H_i (6 k) | p_i
# (3); a *gain* is K_i = U_i D_i^-1 (6 k), then D_i = H_i' U_i, packed, with U_i = I^_i H_i.


def body_words(freedom: int) -> int:
    """Number of words of a body."""
    return 21 + 6 * freedom + 3


def gain_words(freedom: int) -> int:
    """Number of words of a gain."""
    return 6 * freedom + triangle(freedom)


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


def _axes(link: Blocks, degrees: int) -> Blocks:
    """H_i of a body, its own columns."""
    columns = (link.shape[-1] - 24) // 6
    return link[..., 21:-3].reshape(*link.shape[:-1], 6, columns)[..., :degrees]


def _gained(gain: Blocks, degrees: int, freedom: int) -> tuple[Blocks, Blocks]:
    """K_i, its own columns, and D_i, packed."""
    k = gain[..., : 6 * freedom].reshape(*gain.shape[:-1], 6, freedom)
    return k[..., :degrees], gain[..., 6 * freedom : 6 * freedom + triangle(degrees)]


# ------------------------------------------------------- the recursion, on one node

outermost = Kernel("outermost", "inertia of {0}", lambda link: link[..., :21].copy())
"""The last link: nothing lies beyond it."""


@kernel_family("inertia of {0} + P^ ({1} - K D K' of {2}) P^'")
def articulated_of(link: Blocks, beyond: Blocks, gain: Blocks, *, following: str, freedom: int) -> Blocks:
    """I_i + P^ (I^ - K D K')_{i+1} P^': of joint i+1."""
    degrees = JOINTS[following].degrees
    k, d = _gained(gain, degrees, freedom)
    if degrees:
        beyond = beyond - symmetric_product(transposed(times(k, full(d))), transposed(k))
    return shifted_inertia(link[..., -3:], full(beyond)) + link[..., :21]


@kernel_family("[K; D] of {1} along {0}")
def gain_of(link: Blocks, inertia: Blocks, *, joint: str, freedom: int) -> Blocks:
    """[K; D] of a joint."""
    degrees = JOINTS[joint].degrees
    words = np.zeros((*link.shape[:-1], gain_words(freedom)), dtype=link.dtype)
    if degrees:
        h = _axes(link, degrees)
        u = times(full(inertia), h)
        d = symmetric_product(h, u)
        k = transposed(substitute(factor(d), transposed(u)))
        words[..., : 6 * freedom] = widened(k, freedom).reshape(*k.shape[:-2], -1)
        words[..., 6 * freedom : 6 * freedom + triangle(degrees)] = d
    return words


# --------------------------------------------- the two bi-diagonal systems, by processes


def _hat(p: Blocks) -> Blocks:
    """P^: words that are there."""
    y = np.zeros((*p.shape[:-1], 6, 6), dtype=p.dtype)
    y[..., range(6), range(6)] = 1.0
    for r in range(3):
        after, before = (r + 1) % 3, (r + 2) % 3
        y[..., r, 3 + after], y[..., r, 3 + before] = -p[..., before], p[..., after]
    return y


@kernel_family("(1 - K H') P^ of {0}, {1}, {2}")
def transfer_of(gain: Blocks, h: Blocks, p: Blocks, *, joint: str, freedom: int) -> Blocks:
    """Phi_i = (1 - K_i H_i') P^_i: what joint i lets through of a wrench at O_{i+1}."""
    degrees = JOINTS[joint].degrees
    if not degrees:
        return _hat(p)
    k, _ = _gained(gain, degrees, freedom)
    rows = transposed(h[..., :degrees])
    seen = np.concatenate([rows[..., :3], rows[..., 3:] + cross(rows[..., :3], p[..., None, :])], axis=-1)
    return plus_hat(-times(k, seen), p)


@kernel_family("K of {0} {1}")
def push_of(gain: Blocks, force: Blocks, *, joint: str, freedom: int) -> Blocks:
    """K F_T."""
    degrees = JOINTS[joint].degrees
    return apply(_gained(gain, degrees, freedom)[0], force[..., :degrees])


@kernel_family("D^-1 ({0} - H' P^ {4}) of {1}", alone=True)
def drive_of(
    force: Blocks, gain: Blocks, h: Blocks, p: Blocks, beyond: Blocks | None, *, joint: str, freedom: int
) -> Blocks:
    """Accelerations of joint i if link i - 1 stood still: D^-1 (F_T - H' P^ x_{i+1})."""
    degrees = JOINTS[joint].degrees
    rate = force[..., :degrees]
    if degrees and beyond is not None:
        rate = rate - apply(transposed(h[..., :degrees]), shifted(p, beyond[..., None])[..., 0])
    if degrees:
        d = _gained(gain, degrees, freedom)[1]
        rate = substitute(factor(d), rate[..., None])[..., 0]
    return widened(rate, freedom)


@kernel("P^' {0} {2}")
def carried_on(h: Blocks, p: Blocks, drive: Blocks) -> Blocks:
    """P^_i' H_i drive: what that does to O_{i+1}."""
    x = apply(h, drive)
    return np.concatenate([x[..., :3], x[..., 3:] + cross(x[..., :3], p)], axis=-1)


@kernel_family("{0} - K' of {1} {2}", alone=True)
def acceleration_of(
    drive: Blocks, gain: Blocks, before: Blocks | None, *, joint: str, freedom: int
) -> Blocks:
    """Qdd_i: the drive less K' of the acceleration of link i - 1 at O_i."""
    degrees = JOINTS[joint].degrees
    if before is None or not degrees:
        return drive.copy()
    rate = drive[..., :degrees] - apply(transposed(_gained(gain, degrees, freedom)[0]), before)
    return widened(rate, freedom)


@kernel("{0} {1} + {2}' {3}", alone=True)
def at_origin(h: Blocks, qdd: Blocks, turn: Blocks, before: Blocks | None) -> Blocks:
    """The acceleration of link i at O_i in frame i, where that of O_i on link i - 1 is known in frame 1."""
    x = apply(h, qdd)
    return x if before is None else x + turned(transposed(turn), before[..., None])[..., 0]
