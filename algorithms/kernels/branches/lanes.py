"""What the kernels of side branches share, and where the bodies of branches are.

A kernel is made for the structure of all branches of one link - `joints`, and `parents`, the body that each
hangs on, 0 being the link (`senn.algorithms.robots.side_tree`) - and for lanes of `width` joints, the most
that hang on any link of the arm; rows beyond the own joints are zero and cost nothing. The frame of body k
turns, or slides, with it; C_k and P_k say where it is in the frame of the body that it hangs on; for the link
that is frame i+1.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel

Joints = tuple[str, ...]
Parents = tuple[int, ...]


def named(what: str, joints: Joints, parents: Parents) -> str:
    """Which branches a kernel is for: "r0.p1" is a prismatic joint on a revolute one on the link."""
    return f"{what}.{'.'.join(f'{joint[0]}{parent}' for joint, parent in zip(joints, parents, strict=True))}"


def padded(rows: list[Blocks], width: int, rank: int) -> Blocks:
    """One block of `width` rows, each of `rank` axes; those that are missing are zero."""
    return np.stack(rows + [np.zeros_like(rows[0])] * (width - len(rows)), axis=-(rank + 1))


def inward_wrench(c: Blocks, p: Blocks, wrench: Blocks, k: int) -> Blocks:
    """[n; f] of body k (from 0), seen from the body that it hangs on: 24 multiplications, 18 additions."""
    turn = c[..., k, :, :]
    force = apply(turn, wrench[..., 3:])
    moment = apply(turn, wrench[..., :3]) + cross(p[..., k, :], force)
    return np.concatenate([moment, force], axis=-1)


@cache
def side_frames(joints: Joints, parents: Parents, width: int) -> Kernel:
    """C_k = R_k Rz(q_k) of a revolute joint, R_k of a prismatic one, from q (k,) and R (k, 3, 3)."""

    def evaluate(q: Blocks, r: Blocks) -> Blocks:
        found = []
        for k, joint in enumerate(joints):
            own = r[..., k, :, :]
            if joint == REVOLUTE:
                c, s = np.cos(q[..., k, None]), np.sin(q[..., k, None])
                x, y, z = (own[..., column] for column in range(3))
                own = np.stack([c * x + s * y, c * y - s * x, z], axis=-1)
            found.append(own)
        return padded(found, width, 2)

    return Kernel(named("side_frames", joints, parents), "C of the branches from {0}, {1}", evaluate)


@cache
def side_offsets(joints: Joints, parents: Parents, width: int) -> Kernel:
    """P_k, moved by q_k along the axis of a prismatic joint, from q (k,), R (k, 3, 3) and P (k, 3)."""

    def evaluate(q: Blocks, r: Blocks, p: Blocks) -> Blocks:
        moved = [p[..., k, :] for k in range(len(joints))]
        for k, joint in enumerate(joints):
            if joint == PRISMATIC:
                moved[k] = moved[k] + q[..., k, None] * r[..., k, :, 2]
        return padded(moved, width, 1)

    return Kernel(named("side_offsets", joints, parents), "P of the branches from {0}, {2}", evaluate)
