"""phi of a link at work: forces and inertias inward, motions outward (Jain Eqs. (3)-(4), Fijany II.A)."""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    cross,
    cross_component,
    full,
    shifted,
    symmetric_product,
    times,
    transposed,
    turned,
)
from senn.algorithms.family.arm import Link
from senn.algorithms.family.directions import product
from senn.algorithms.family.rigid import LOWER, Rigid, rigid_inward


def inward(link: Link, force: Blocks) -> Blocks:
    """phi F: [moment; force] at O_{i+1} in frame i+1, to O_i in frame i. 24 m 18 a a column.

    F is (6,) or (6, r).
    """
    columns = force if force.ndim == 2 else force[:, None]
    return turned(link.rotation, shifted(link.position, columns)).reshape(force.shape)


def outward(link: Link, motion: Blocks) -> Blocks:
    """phi' V: [angular; of the point] at O_i in frame i, to O_{i+1} in frame i+1. 24 m 18 a a column."""
    turn, move = outward_axes(link, motion[:3]), outward_axes(link, motion[3:])
    return np.concatenate([turn, move + _crossed(turn, link.position)])


def outward_axes(link: Link, vector: Blocks) -> Blocks:
    """C(i+1,i) v for (3,) or (3, r). 9 m 6 a a column."""
    return product(transposed(link.rotation), vector)


def inward_motion(link: Link, motion: Blocks) -> Blocks:
    """The inverse of `outward`, for (6,) or (6, r). 24 m 18 a a column."""
    turn, move = motion[:3], motion[3:] - _crossed(motion[:3], link.position)
    return np.concatenate([product(link.rotation, turn), product(link.rotation, move)])


def outward_force(link: Link, force: Blocks) -> Blocks:
    """The inverse of `inward`, for (6,). 24 m 18 a."""
    moment, push = outward_axes(link, force[:3]), outward_axes(link, force[3:])
    return np.concatenate([moment - cross(link.position, push), push])


def _crossed(columns: Blocks, position: Blocks) -> Blocks:
    """omega x P for (3,) or (3, r)."""
    return transposed(cross(transposed(columns), position)) if columns.ndim > 1 else cross(columns, position)


def composite_inward(link: Link, body: Rigid) -> Rigid:
    """phi M phi' of a rigid body: 72 m 59 a."""
    return rigid_inward(link.rotation, link.position, body)


def inertia_inward(link: Link, packed: Blocks) -> Blocks:
    """phi P phi' of any symmetric P = [A B; B' D] (21,), packed: 186 m 138 a.

    Shifted, B becomes B + P~ D and A becomes A + P~ B' + (B + P~ D) P~'; then all three are turned.
    """
    p, whole = link.position, full(packed)
    A, B, D = whole[:3, :3], whole[:3, 3:], whole[3:, 3:]
    far = B + transposed(cross(p[None], transposed(D)))
    near = np.array(
        [A[a, b] + (cross_component(p, B[b], a) + cross_component(p, far[a], b)) for a, b in LOWER],
        dtype=p.dtype,
    )
    C, Ct = link.rotation, transposed(link.rotation)
    first = symmetric_product(transposed(times(C, full(near))), Ct)
    last = symmetric_product(transposed(times(C, D)), Ct)
    across = times(times(C, far), Ct)
    entries = list(first)
    for r in range(3):
        entries += [*across[:, r], *last[r * (r + 1) // 2 : (r + 1) * (r + 2) // 2]]
    return np.array(entries, dtype=p.dtype)
