"""M^-1 around a link with branches (Steps II.b.4 to II.c.7, IV): drives, and what the link makes of them.

X^1 = I^-1 (R H F_T - p): p is the wrench with which the link, at rest, holds the branches that their own
torques drive. Once the links' accelerations are known, those of the branches follow outward. Kernels as in
`senn.algorithms.kernels.branches.lanes`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, as_given, columns_of, cross, dot, times, transposed
from senn.algorithms.kernels.branches.lanes import Joints, Parents, inward_wrench, named, padded
from senn.algorithms.spatial import AXIS_ROW
from senn.machine.program import Kernel


@cache
def side_drive(joints: Joints, parents: Parents, width: int) -> Kernel:
    """[p (6); the drives]: p, the wrench about O_{i+1} with which the link holds its branches at rest, and
    what the joints do then; from the factor, tau and b (k,), C, P."""
    count = len(joints)

    def evaluate(ldl: Blocks, tau: Blocks, b: Blocks, c: Blocks, p: Blocks) -> Blocks:
        held: dict[int, Blocks] = {}
        drives: list[Blocks] = []
        for k in reversed(range(count)):
            force = tau[..., k] - b[..., k]
            if k + 1 in held:
                force = force - held[k + 1][..., AXIS_ROW[joints[k]]]
            drive = force * ldl[..., k, 6]
            drives.insert(0, drive)
            wrench = ldl[..., k, :6] * drive[..., None]
            if k + 1 in held:
                wrench = held[k + 1] + wrench
            seen = inward_wrench(c, p, wrench, k)
            held[parents[k]] = held[parents[k]] + seen if parents[k] in held else seen
        return np.concatenate([held[0], padded(drives, width, 0)], axis=-1)

    return Kernel(named("side_drive", joints, parents), "p, drives from {1} - {2}", evaluate)


held_wrench = Kernel("held_wrench", "p of {0}", lambda x: x[..., :6].copy())
drives = Kernel("drives", "drives of {0}", lambda x: x[..., 6:].copy())


@cache
def side_accelerations(joints: Joints, parents: Parents, width: int, *, driven: bool = True) -> Kernel:
    """Joint accelerations of the branches from the drives and the acceleration of O_{i+1} in frame i+1; not
    `driven`, what the link's acceleration alone makes of them (minus the response, as Qdd_C)."""
    has_children = [any(parent == k + 1 for parent in parents) for k in range(len(joints))]

    def evaluate(ldl: Blocks, c: Blocks, p: Blocks, x: Blocks, drive: Blocks | None = None) -> Blocks:
        moved = [columns_of(x)]
        found: list[Blocks] = []
        for k, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
            turn, at = transposed(c[..., k, :, :]), moved[parent]
            angular, linear = at[..., :3, :], at[..., 3:, :]
            linear = linear - transposed(cross(p[..., k, None, :], transposed(angular)))
            own = np.concatenate([times(turn, angular), times(turn, linear)], axis=-2)
            response = times(ldl[..., k, None, :6], own)[..., 0, :] * ldl[..., k, 6, None]
            qdd = -response if drive is None else drive[..., k, None] - response
            found.append(qdd)
            if has_children[k]:
                row = AXIS_ROW[joint]
                changed = (own[..., row, :] + qdd)[..., None, :]
                own = np.concatenate([own[..., :row, :], changed, own[..., row + 1 :, :]], axis=-2)
            moved.append(own)
        return as_given(padded(found, width, 1), x)

    name = named("side_accelerations" if driven else "side_response", joints, parents)
    form = "qdd of the branches from {4} at {3}" if driven else "qdd of the branches at {3}"
    return Kernel(name, form, evaluate)


@cache
def side_difference(joints: Joints, parents: Parents, width: int) -> Kernel:
    """x - y for the joints that there are."""
    count = len(joints)

    def evaluate(x: Blocks, y: Blocks) -> Blocks:
        return padded([x[..., k] - y[..., k] for k in range(count)], width, 0)

    return Kernel(named("side_difference", joints, parents), "{0} - {1}", evaluate)


@cache
def side_rows_response(joints: Joints, parents: Parents, width: int) -> Kernel:
    """qdd - Y F with the rows of M^-1 J' of the branches (form omega)."""

    def evaluate(qdd: Blocks, y: Blocks, f: Blocks) -> Blocks:
        found = [
            qdd[..., k] - dot(y[..., k, :3], f[..., :3]) - dot(y[..., k, 3:], f[..., 3:])
            for k in range(len(joints))
        ]
        return padded(found, width, 0)

    return Kernel(named("side_rows_response", joints, parents), "{0} - {1} {2}", evaluate)
