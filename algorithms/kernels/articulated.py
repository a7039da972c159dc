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
    full,
    symmetric_product,
    times,
    transposed,
)
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel

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


def _body(turn: Blocks, j: Blocks, s: Blocks, m: Blocks, z: Blocks, p: Blocks) -> Blocks:
    return np.concatenate([about_origin(turn, j, s, m), z, p], axis=-1)


body = Kernel("body", "body of {0}, {1}, {2}, {3}, {4}, {5}", _body)
"""J_i about O_i is T J T' + m (s's U - s s'), J about the centre of mass in frame i + 1."""


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


def _articulated(link: Blocks, beyond: Blocks, gain: Blocks) -> Blocks:
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
    out, own = inertia.copy(), rigid_inertia(link)
    for entry in (*range(6), 7, 8, 9, 10, 12, 14, 15, 16, 20):
        out[..., entry] = out[..., entry] + own[..., entry]
    return out


articulated = Kernel("articulated", "inertia of {0} + P^ ({1} - d K K' of {2}) P^'", _articulated)


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


def _farther(x: Blocks, transfer: Blocks | None, beyond: Blocks | None) -> Blocks:
    return x if transfer is None or beyond is None else x + apply(transfer, beyond)


affine = Kernel("affine", "{0} + {1} {2}", _farther)
"""x_i + Phi x_{i+h}; the two are absent together."""
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
"""What joint i would do if link i - 1 stood still: (F_T - H' P^ x_{i+1}) / d."""


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


def _acceleration(drive: Blocks, gain: Blocks, before: Blocks | None) -> Blocks:
    if before is None:
        return drive.copy()
    own: Blocks = drive - (dot(gain[..., :3], before[..., :3]) + dot(gain[..., 3:6], before[..., 3:]))
    return own


acceleration = Kernel("acceleration", "{0} - K of {1} . {2}", _acceleration, alone=True)
