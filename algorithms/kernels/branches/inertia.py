"""Step I.a of a link with branches: its articulated inertia, inverted, and the blocks of A that follow.

The branches are eliminated at rest (Featherstone 1983) into an inertia that adds to the link's own, about
O_{i+1} in frame i+1. That sum is inverted by LDL' in place of Eq. (76); all else that Step I needs of the
link follows by shifts. Kernels as in `senn.algorithms.kernels.branches.lanes`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    cross,
    cross_component,
    dot,
    factor,
    full,
    layout,
    restricted,
    times,
    transposed,
)
from senn.algorithms.kernels import link
from senn.algorithms.kernels.branches.lanes import Joints, Parents, named, padded
from senn.algorithms.spatial import AXIS_ROW, COMPLEMENT_ROWS, PRISMATIC, REVOLUTE
from senn.machine.program import Kernel

PACKED = 21
"""Words of a symmetric 6x6."""
FACTOR = 7
"""Words of a joint's factor: the articulated inertia times H_k (6), and 1 / (H_k' of it)."""


def _entries(block: Blocks, other: Blocks) -> list[Blocks]:
    """The lower triangle of X Y' by rows, for 3x3 blocks: 18 multiplications, 12 additions."""
    return [dot(block[..., r, :], other[..., c, :]) for r in range(3) for c in range(r + 1)]


def inward_inertia(c: Blocks, p: Blocks, packed: Blocks) -> Blocks:
    """P^ C6 I C6' P^' of a packed 6x6: seen from the body that it hangs on, whose frame P is in."""
    whole = full(packed)
    rows = [times(c, whole[..., 3 * a : 3 * a + 3, 3 * b : 3 * b + 3]) for a, b in ((0, 0), (0, 1), (1, 1))]
    angular, linear = (
        full(np.stack(_entries(rows[0], c), axis=-1)),
        full(np.stack(_entries(rows[2], c), axis=-1)),
    )
    mixed = times(rows[1], transposed(c))
    across = mixed + transposed(cross(p[..., None, :], transposed(linear)))  # p x each column
    entries = [
        angular[..., r, s]
        + cross_component(p, mixed[..., s, :], r)
        + cross_component(p, across[..., r, :], s)
        for r in range(3)
        for s in range(r + 1)
    ]
    for r in range(3):
        entries += [across[..., s, r] for s in range(3)]
        entries += [linear[..., r, s] for s in range(r + 1)]
    return np.stack(entries, axis=-1)


def _eliminated(packed: Blocks, reciprocal: Blocks, row: int) -> Blocks:
    """I - (I H)(H' I H)^-1 (H' I), packed: zero in the joint's own row and column; 20 m, 15 a."""
    at, left = layout(6), packed.copy()
    kept = [r for r in range(6) if r != row]
    scaled = {r: packed[..., at[r, row]] * reciprocal for r in kept}
    for r in kept:
        for s in (s for s in kept if s <= r):
            left[..., at[r, s]] = packed[..., at[r, s]] - scaled[r] * packed[..., at[s, row]]
    for r in range(6):
        left[..., at[r, row]] = np.zeros_like(reciprocal)
    return left


@cache
def articulated(joints: Joints, parents: Parents, width: int) -> Kernel:
    """The articulated inertia of every body about its origin, packed, and the reciprocal of H' of it H: 22
    words a joint, from C, P and the bodies' own inertias (k, 21)."""

    def evaluate(c: Blocks, p: Blocks, inertia: Blocks) -> Blocks:
        whole = [inertia[..., k, :] for k in range(len(joints))]
        found: list[Blocks] = []
        for k in reversed(range(len(joints))):
            row = AXIS_ROW[joints[k]]
            reciprocal = 1.0 / whole[k][..., layout(6)[row, row]]
            found.insert(0, np.concatenate([whole[k], reciprocal[..., None]], axis=-1))
            if parents[k]:
                felt = inward_inertia(c[..., k, :, :], p[..., k, :], _eliminated(whole[k], reciprocal, row))
                whole[parents[k] - 1] = whole[parents[k] - 1] + felt
        return padded(found, width, 1)

    return Kernel(named("articulated", joints, parents), "I^A of the branches from {2}", evaluate)


def _inverse(packed: Blocks) -> Blocks:
    """The inverse of a packed 6x6 SPD block, packed: its LDL', and then L^-T D^-1 L^-1."""
    ldl, at = factor(packed), layout(6)
    below: dict[tuple[int, int], Blocks] = {}  # of L^-1, which has a unit diagonal
    for r in range(6):
        for c in range(r):
            entry = -ldl[..., at[r, c]]
            for k in range(c + 1, r):
                entry = entry - ldl[..., at[r, k]] * below[k, c]
            below[r, c] = entry
    scaled = {(r, c): ldl[..., at[r, r]] * x for (r, c), x in below.items()}
    entries = []
    for r in range(6):
        for c in range(r + 1):
            entry = scaled[r, c] if c < r else ldl[..., at[r, r]]
            for k in range(r + 1, 6):
                entry = entry + below[k, r] * scaled[k, c]
            entries.append(entry)
    return np.stack(entries, axis=-1)


@cache
def folded(joints: Joints, parents: Parents) -> Kernel:
    """I_{i,i+1}, packed: the link with its branches as one articulated body about O_{i+1}, frame i+1; from
    the articulated inertias, C, P and the link's own inertia."""
    roots = [k for k, parent in enumerate(parents) if parent == 0]

    def evaluate(whole: Blocks, c: Blocks, p: Blocks, own: Blocks) -> Blocks:
        total = own
        for k in roots:
            packed, reciprocal = whole[..., k, :21], whole[..., k, 21]
            left = _eliminated(packed, reciprocal, AXIS_ROW[joints[k]])
            total = total + inward_inertia(c[..., k, :, :], p[..., k, :], left)
        return total

    return Kernel(named("folded", joints, parents), "{3} + branches {0}", evaluate)


from_link = Kernel("from_link", "P^ C6 {2} C6' P^'", inward_inertia)
"""I_{i,i+1} about O_i in the frame that C and P are in."""


@cache
def folded_inverse(joints: Joints, parents: Parents) -> Kernel:
    """The inverse of `folded` by LDL', in place of Eq. (76)."""
    whole = folded(joints, parents)
    return Kernel(
        named("folded_inverse", joints, parents),
        "({3} + branches {0})^-1",
        lambda *given: _inverse(whole.evaluate(*given)),
    )


@cache
def side_factor(joints: Joints, parents: Parents, width: int) -> Kernel:
    """The factor of each joint: I^A H_k and 1 / (H_k' I^A H_k); words that are there, no operation."""

    def evaluate(whole: Blocks) -> Blocks:
        rows = [layout(6)[AXIS_ROW[joint]] for joint in joints]
        found = [whole[..., k, [*row, 21]] for k, row in enumerate(rows)]
        return padded(found, width, 1)

    return Kernel(named("side_factor", joints, parents), "factor of {0}", evaluate)


# ------------------------------------------- what follows from (I_{i,i+1})^-1 at O_i (I.a)


def _across(inverse: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """C6 P^'^-1 (I_{i,i+1})^-1 = I_i^-1 C6 P^, 6x6: rows in frame i at O_i, columns in frame i+1."""
    whole = full(inverse)
    upper, lower = whole[..., :3, :], whole[..., 3:, :]
    lower = lower + transposed(cross(p[..., None, :], transposed(upper)))
    return np.concatenate([times(c, upper), times(c, lower)], axis=-2)


across = Kernel("across", "I^-1 C6 P^ from {0}, {1}, {2}", _across)


def _at_joint(x: Blocks, c: Blocks, p: Blocks) -> Blocks:
    entries = _entries(x[..., :3, :3], c)
    mixed = times(x[..., 3:, :3], transposed(c))
    linear = _entries(x[..., 3:, 3:] + cross(p[..., None, :], x[..., 3:, :3]), c)
    for r in range(3):
        first = r * (r + 1) // 2
        entries += [*(mixed[..., r, s] for s in range(3)), *linear[first : first + r + 1]]
    return np.stack(entries, axis=-1)


at_joint = Kernel("at_joint", "{0} P^^-1 C6'", _at_joint)
"""(I_i)^-1 about O_i in frame i, packed, from I_i^-1 C6 P^."""

TURNED_NEXT = {
    REVOLUTE: Kernel("turned_next.revolute", "{0} {1}", lambda rz, r: link.spin(rz, r)),
    PRISMATIC: Kernel("turned_next.prismatic", "{1}", lambda rz, r: r.copy()),
}
"""C(i,i+1) = Rz(q_i) R_{i+1} from cosine and sine."""


@cache
def side_coupling(joint: str, following: str) -> Kernel:
    """B_i = -W_i' (I_i^-1 C6 P^) W_{i+1}: words that are there."""
    rows, columns = COMPLEMENT_ROWS[joint], COMPLEMENT_ROWS[following]

    def evaluate(x: Blocks) -> Blocks:
        return -x[..., rows, :][..., columns]

    return Kernel(f"side_coupling.{joint}.{following}", "-W' {0} W_{{i+1}}", evaluate)


@cache
def side_end_coupling(joint: str) -> Kernel:
    """E_N = W_N' (I_N^-1 C6 P^): words that are there."""
    rows = COMPLEMENT_ROWS[joint]
    return Kernel(f"side_end_coupling.{joint}", "W' {0}", lambda x: x[..., rows, :].copy())


@cache
def side_before(following: str) -> Kernel:
    """(I_{i,i+1})^-1 restricted to W_{i+1}: words that are there."""
    rows = COMPLEMENT_ROWS[following]
    return Kernel(f"side_before.{following}", "W_{{i+1}}' {0} W_{{i+1}}", lambda x: restricted(x, rows))
