"""Newton-Euler of a link with branches (Step II.b): out through the branches and back, in their process.

The motion of the link comes from the scans; the wrench of the branches joins the link's own inertial force
and moment. Kernels as in `senn.algorithms.kernels.branches.lanes`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, full, transposed
from senn.algorithms.kernels import newton_euler as ne_kernels
from senn.algorithms.kernels.branches.lanes import Joints, Parents, inward_wrench, named, padded
from senn.algorithms.spatial import AXIS_ROW, REVOLUTE
from senn.machine.program import Kernel


@cache
def side_wrenches(joints: Joints, parents: Parents, width: int, *, moving: bool = False) -> Kernel:
    """The wrenches [n; f] through the joints of the branches, each in its body's frame, at qdd = 0; or, where
    joints are `moving`, at the qdd that comes as the last operand.

    From T = C(common frame, i+1), omega, wdot, v (of O_{i+1}, without gravity) and g in the common frame; qd,
    C, P; m, S, J of the bodies.
    """

    def evaluate(
        turn: Blocks, omega: Blocks, wdot: Blocks, v: Blocks, g: Blocks, qd: Blocks, *bodies: Blocks
    ) -> Blocks:
        back = transposed(turn)
        moved = apply(back, omega), apply(back, wdot), apply(back, v - g)
        return _wrenches(joints, parents, width, moved, qd, *bodies)

    name = named("side_moving" if moving else "side_wrenches", joints, parents)
    form = "wrenches of the branches at {1}, {2}, {3}" + (", {11}" if moving else "")
    return Kernel(name, form, evaluate)


@cache
def wrenches_beside(joints: Joints, parents: Parents, width: int) -> Kernel:
    """The same at qdd = 0, from the motion of the link in frame i+1: [C(1,i+1); omega] and its acceleration
    [wdot; v], and g in frame 1."""

    def evaluate(motion: Blocks, swerve: Blocks, g: Blocks, qd: Blocks, *bodies: Blocks) -> Blocks:
        falling = swerve[..., 3:] - apply(transposed(motion[..., :3, :]), g)
        return _wrenches(joints, parents, width, (motion[..., 3, :], swerve[..., :3], falling), qd, *bodies)

    name = named("wrenches_beside", joints, parents)
    return Kernel(name, "wrenches of the branches at {0}, {1}", evaluate)


def _wrenches(
    joints: Joints,
    parents: Parents,
    width: int,
    link: tuple[Blocks, Blocks, Blocks],
    qd: Blocks,
    c: Blocks,
    p: Blocks,
    m: Blocks,
    s: Blocks,
    j: Blocks,
    qdd: Blocks | None = None,
) -> Blocks:
    """From omega, wdot and v - g of the link in frame i+1."""
    w, dw, a = ([x] for x in link)
    u = [ne_kernels.spin_matrix.evaluate(w[0], dw[0])]
    found: list[Blocks] = []
    for k, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
        inward, rate = transposed(c[..., k, :, :]), qd[..., k]
        own, change = apply(inward, w[parent]), apply(inward, dw[parent])
        moved = apply(inward, a[parent] + apply(u[parent], p[..., k, :]))
        if joint == REVOLUTE:
            change = _beside(change, own, rate)
            own = np.concatenate([own[..., :2], (own[..., 2] + rate)[..., None]], axis=-1)
        else:
            moved = _beside(moved, own, rate + rate)
        if qdd is not None:
            changed = change if joint == REVOLUTE else moved
            changed[..., 2] = changed[..., 2] + qdd[..., k]
        w, dw, a = [*w, own], [*dw, change], [*a, moved]
        u.append(ne_kernels.spin_matrix.evaluate(own, change))
        force = (moved + apply(u[-1], s[..., k, :])) * m[..., k, None]
        inertia = full(j[..., k, :])
        moment = apply(inertia, change) + cross(own, apply(inertia, own))
        found.append(np.concatenate([moment + cross(s[..., k, :], force), force], axis=-1))
    for k in reversed(range(len(joints))):
        if parents[k]:
            outer = parents[k] - 1
            found[outer] = found[outer] + inward_wrench(c, p, found[k], k)
    return padded(found, width, 1)


def _beside(x: Blocks, w: Blocks, rate: Blocks) -> Blocks:
    """x + w x z rate: 2 multiplications, 2 additions."""
    return np.stack([x[..., 0] + w[..., 1] * rate, x[..., 1] - w[..., 0] * rate, x[..., 2]], axis=-1)


@cache
def side_load(joints: Joints, parents: Parents) -> Kernel:
    """The wrench [n; f] of all branches on their link, about O_{i+1} in the common frame."""

    def evaluate(wrenches: Blocks, c: Blocks, p: Blocks, turn: Blocks) -> Blocks:
        total = _loaded(parents, wrenches, c, p)
        return np.concatenate([apply(turn, total[..., :3]), apply(turn, total[..., 3:])], axis=-1)

    return Kernel(named("side_load", joints, parents), "{3} {0} at the link", evaluate)


@cache
def load_beside(joints: Joints, parents: Parents) -> Kernel:
    """The same in frame i+1."""
    return Kernel(
        named("load_beside", joints, parents),
        "{0} at the link",
        lambda wrenches, c, p: _loaded(parents, wrenches, c, p),
    )


def _loaded(parents: Parents, wrenches: Blocks, c: Blocks, p: Blocks) -> Blocks:
    seen = [inward_wrench(c, p, wrenches[..., k, :], k) for k, parent in enumerate(parents) if parent == 0]
    return sum(seen[1:], start=seen[0])


@cache
def side_bias(joints: Joints, parents: Parents, width: int) -> Kernel:
    """b of the branches, H_k' of the wrench of each joint: words that are there."""

    def evaluate(wrenches: Blocks) -> Blocks:
        return padded([wrenches[..., k, AXIS_ROW[joint]] for k, joint in enumerate(joints)], width, 0)

    return Kernel(named("side_bias", joints, parents), "H' {0}", evaluate)
