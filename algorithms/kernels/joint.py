"""Kernels of one joint of any type, for wide arms (`senn.algorithms.arm.wide`): what q_i makes of it.

Each is chosen per process by the type of its joint, so that a joint is charged for no other's work, but for
the SIMD array's waiting: what is constant costs nothing. They take q (as long as the longest of the arm) and
the joint's parameter. What they make is as wide as the arm needs, with zeros behind the joint's own part.

H_i is not orthonormal for universal, helical, planar and free joints; its dual W_a = H (H'H)^-1 maps joint
torques to the force they make, and its transpose link accelerations to Qdd (Fijany-Featherstone). What the
joint forbids is in `senn.algorithms.kernels.complement`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, times, widened
from senn.algorithms.kernels.link import planar, spin
from senn.algorithms.robots.joints import JOINTS, Joint
from senn.machine.program import Kernel

ABOUT_Z = ("revolute", "helical", "cylindrical", "planar")
UNTURNED = ("prismatic", "welded")
# Which number of q moves O_i along which axis of frame i; a helical joint goes with its angle.
SHIFTS = {
    "prismatic": ((0, 2),),
    "helical": ((0, 2),),
    "cylindrical": ((1, 2),),
    "planar": ((1, 0), (2, 1)),
    "free": ((4, 0), (5, 1), (6, 2)),
}
SLIDING = tuple(SHIFTS)
"""Joints that move O_i: the point of link i that lies there has a velocity against link i - 1."""
SWERVING = ("planar", "free")
"""Of them, those whose Hdot qd has a linear part."""
PRECESSING = ("universal",)
"""Joints whose Hdot qd has an angular part."""


def _own(joint: Joint, q: Blocks) -> Blocks:
    return q[..., : joint.coordinates]


# ----------------------------------------------------------- frames (Steps I.a.1, II.a.1)


def _rotation(joint: Joint) -> Kernel:
    name, form = f"rotation.{joint.name}", "C(i,i+1) from {0}, {2}"
    if joint.name in UNTURNED:
        return Kernel(name, form, lambda q, parameter, r: r.copy())
    if joint.name in ABOUT_Z:
        return Kernel(name, form, lambda q, p, r: spin(planar(q[..., 0]), r))
    return Kernel(name, form, lambda q, parameter, r: times(joint.turn(_own(joint, q), parameter), r))


ROTATION = {name: _rotation(joint) for name, joint in JOINTS.items()}
"""C(i,i+1) = E(q_i) R_{i+1}."""


def _moved(joint: Joint) -> Kernel:
    shifts, helical = SHIFTS.get(joint.name, ()), joint.name == "helical"

    def evaluate(x: Blocks, q: Blocks, pitch: Blocks, c: Blocks) -> Blocks:
        y = x.copy()
        for number, row in shifts:
            far = pitch * q[..., number] if helical else q[..., number]
            y = y + far[..., None] * c[..., row, :]
        return y

    return Kernel(f"moved.{joint.name}", "{0} at {1}", evaluate)


MOVED = {name: _moved(joint) for name, joint in JOINTS.items()}
"""P_i or S_i in frame i + 1, with what the joint moves O_i: C' d(q_i) added."""

# ------------------------------------------------------------------ H_i, W_a (frame i, at O_i)


@cache
def subspace(name: str, columns: int) -> Kernel:
    """H_i; tau_i = H_i' F_i, and H_i qd_i is the velocity against link i - 1."""
    joint = JOINTS[name]
    return Kernel(
        f"subspace.{name}",
        "H from {0}",
        lambda q, parameter: widened(joint.subspace(_own(joint, q), parameter), columns),
    )


@cache
def dual(name: str, columns: int) -> Kernel:
    """W_a = H (H'H)^-1: the columns in the span of H_i with W_a' H = U."""
    evaluate = _DUAL.get(name, JOINTS[name].subspace)
    joint = JOINTS[name]
    return Kernel(
        f"dual.{name}",
        "W_a from {0}",
        lambda q, parameter: widened(evaluate(_own(joint, q), parameter), columns),
    )


def _dual_screw(q: Blocks, pitch: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 1), dtype=q.dtype)
    inverse = 1.0 / (1.0 + pitch * pitch)
    w[..., 2, 0], w[..., 5, 0] = inverse, pitch * inverse
    return w


def _dual_axes(q: Blocks, angle: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 2), dtype=q.dtype)
    inverse, cosine = 1.0 / np.sin(angle), np.cos(angle)
    x, y = np.cos(q[..., 0]) * inverse, np.sin(q[..., 0]) * inverse
    w[..., 0, 0], w[..., 1, 0], w[..., 2, 0] = -(cosine * x), -(cosine * y), 1.0
    w[..., 0, 1], w[..., 1, 1] = x, y
    return w


def _dual_plane(q: Blocks, parameter: Blocks) -> Blocks:
    w = np.zeros((*q.shape[:-1], 6, 3), dtype=q.dtype)
    w[..., (2, 3, 4), (0, 1, 2)] = 1.0
    w[..., 2, 1], w[..., 2, 2] = -q[..., 2], q[..., 1]
    return w


def _dual_free(q: Blocks, parameter: Blocks) -> Blocks:
    """The transposed inverse of H: [U, d~; 0, U], d~ as below the moments of H with the other sign."""
    h = JOINTS["free"].subspace(q, parameter)
    w = np.zeros_like(h)
    w[..., range(6), range(6)] = 1.0
    w[..., :3, 3:] = -np.swapaxes(h[..., 3:, :3], -1, -2)
    return w


_DUAL = {"helical": _dual_screw, "universal": _dual_axes, "planar": _dual_plane, "free": _dual_free}

# ------------------------------------------------------------- Hdot qd (Step II.b.1), turned by T_{i-1}


def _drift(name: str, rows: slice) -> Kernel:
    joint = JOINTS[name]

    def evaluate(q: Blocks, qd: Blocks, parameter: Blocks, turn: Blocks) -> Blocks:
        return apply(turn, joint.drift(_own(joint, q), qd[..., : joint.degrees], parameter)[..., rows])

    return Kernel(f"drift.{name}", "{3} Hdot({0}) {1}", evaluate)


DRIFTS = (*PRECESSING, *SWERVING)
"""Joints whose Hdot qd is not zero."""
PRECESSION = {name: _drift(name, slice(0, 3)) for name in PRECESSING}
"""The angular part of Hdot_i qd_i in the common frame."""
SWERVE = {name: _drift(name, slice(3, 6)) for name in SWERVING}
"""Its linear part."""
