"""One link as a two-port: its joint inside, O_{i+1} in frame i+1 outside.

With H the axis, I the inertia and IH, D = H'IH (all at O_{i+1} in frame i+1, and constant), X the motion
transform from frame i at O_i, c the velocity-product acceleration and p the gyroscopic wrench:

    A = (1 - H (IH)'/D) X,  J = X' (I - IH (IH)'/D) X,  C = H H'/D,  w = X' IH/D
    r = (tau - H'(I c + p))/D,  b = c + H r,  eta = X' (I c + p + IH r)

A, J and w are constants of the link in frame i', frame i at q_i = 0: a revolute joint turns them by Rz(q_i),
a prismatic one moves them by q_i along its axis.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, dot, full, shifted, times, transposed, turned
from senn.algorithms.kernels.link import spin, spin_symmetric
from senn.algorithms.kernels.newton_euler import times_vector
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel

# ------------------------------------------------------------------------------- kinematics

_ROWS, _BELOW = np.tril_indices(3)


def _moved_on(own: Blocks, before: Blocks | None) -> Blocks:
    """[C; omega] of two spans, one after the other."""
    if before is None:
        return own.copy()
    c, w = own[..., :3, :], own[..., 3, :]
    turned = apply(transposed(c), before[..., 3, :])
    return np.concatenate([times(before[..., :3, :], c), (turned + w)[..., None, :]], axis=-2)


moved_on = Kernel("moved_on", "{1} o {0}", _moved_on)
"""Rotation and angular velocity of a span in its outer frame, 12 words: C_x C_y, C_y' omega_x + omega_y."""


def _motion(joint: str) -> Kernel:
    def evaluate(c: Blocks, z: Blocks, rate: Blocks) -> Blocks:
        w = times_vector(z, rate) if joint == REVOLUTE else np.zeros_like(z)
        return np.concatenate([c, w[..., None, :]], axis=-2)

    return Kernel(f"motion.{joint}", "[{0}; {1} {2}]", evaluate)


MOTION = {joint: _motion(joint) for joint in (REVOLUTE, PRISMATIC)}
"""The same of one link."""

# ---------------------------------------------------------------- what velocity and torque do


def _swerve(joint: str) -> Kernel:
    def evaluate(motion: Blocks, z: Blocks, rate: Blocks, p: Blocks) -> Blocks:
        w = motion[..., 3, :]
        across, inward = cross(w, times_vector(z, rate)), cross(w, cross(w, p))
        if joint == REVOLUTE:
            return np.concatenate([across, cross(across, p) + inward], axis=-1)
        return np.concatenate([np.zeros_like(w), across + across + inward], axis=-1)

    return Kernel(f"swerve.{joint}", "c from {0}, {1}, {2}, {3}", evaluate)


SWERVE = {joint: _swerve(joint) for joint in (REVOLUTE, PRISMATIC)}
"""c: what velocities make of the acceleration of link i, at O_{i+1}."""


def _wrench(c: Blocks, motion: Blocks, g: Blocks, s: Blocks, m: Blocks, j: Blocks) -> Blocks:
    w, inertia = motion[..., 3, :], full(j)
    fall = apply(transposed(motion[..., :3, :]), g)
    centre = c[..., 3:] + cross(c[..., :3], s) + cross(w, cross(w, s)) - fall
    force = times_vector(centre, m)
    moment = apply(inertia, c[..., :3]) + cross(w, apply(inertia, w)) + cross(s, force)
    return np.concatenate([moment, force], axis=-1)


wrench = Kernel("wrench_of_link", "I {0} + p from {1}, {2}, {3}, {4}, {5}", _wrench)
"""I c + p with the weight in p: what it takes to move the link so, at O_{i+1}."""


def _drive(z: Blocks, tau: Blocks, axis: Blocks, inverse: Blocks) -> Blocks:
    along = dot(axis[..., :3], z[..., :3]) + dot(axis[..., 3:], z[..., 3:])
    rate: Blocks = (tau - along) * inverse
    return rate


drive = Kernel("drive_of_link", "({1} - {2}' {0}) {3}", _drive)
"""r, the acceleration that the torque gives the joint of the lone link."""
gained = Kernel("gained", "{0} + {1} {2}", lambda x, axis, r: x + times_vector(axis, r))
"""b, and what eta is turned of."""

to_joint = Kernel(
    "to_joint", "C6 P^ {2} from {0}, {1}", lambda c, p, x: turned(c, shifted(p, x[..., None]))[..., 0]
)
"""A wrench at O_{i+1} in frame i+1, at O_i in frame i."""

# ------------------------------------------------------------------------------- the span


def _spun(rz: Blocks, q: Blocks, x: Blocks) -> Blocks:
    """X Rz6' for rows of six-vectors (..., r, 6): 8 r multiplications, 4 r additions."""
    y = transposed(x)
    return transposed(np.concatenate([spin(rz, y[..., :3, :]), spin(rz, y[..., 3:, :])], axis=-2))


def _slid(rz: Blocks, q: Blocks, x: Blocks) -> Blocks:
    """X S for rows of six-vectors and S = [1 0; -q e_3~ 1]: 2 r multiplications, 2 r additions."""
    y = x.copy()
    y[..., 0] = y[..., 0] - x[..., 4] * q[..., None]
    y[..., 1] = y[..., 1] + x[..., 3] * q[..., None]
    return y


def _spun_both(rz: Blocks, q: Blocks, j: Blocks) -> Blocks:
    """Rz6 J Rz6' of a packed block: 40 multiplications, 28 additions."""
    entries = full(j)
    turning = spin_symmetric(rz, j[..., :6])
    moving = spin_symmetric(rz, entries[..., 3:, 3:][..., _ROWS, _BELOW])
    mixed = spin(rz, transposed(spin(rz, transposed(entries[..., 3:, :3]))))
    return _joined(turning, mixed, moving)


def _slid_both(rz: Blocks, q: Blocks, j: Blocks) -> Blocks:
    """S' J S of a packed block: 14 multiplications, 14 additions."""
    y, q = full(j).copy(), q[..., None]
    y[..., 2:, :] = _slid(rz, q[..., 0], y[..., 2:, :])
    # Rows 0 and 1: their columns, then the rows below that are moved already.
    corner = np.stack([y[..., 0, 0], y[..., 1, 0], y[..., 1, 1]], axis=-1)
    right = np.stack([-y[..., 0, 4], -y[..., 1, 4], y[..., 1, 3]], axis=-1)
    under = np.stack([-y[..., 4, 0], y[..., 3, 0], y[..., 3, 1]], axis=-1)
    corner = corner + right * q + under * q
    rows, columns = np.tril_indices(6)
    return np.concatenate([corner, y[..., rows, columns][..., 3:]], axis=-1)


def _joined(turning: Blocks, mixed: Blocks, moving: Blocks) -> Blocks:
    """A packed block of its three parts."""
    entries = [turning]
    for row in range(3):
        entries += [mixed[..., row, :], moving[..., row * (row + 1) // 2 : (row + 1) * (row + 2) // 2]]
    return np.concatenate(entries, axis=-1)


INERTIA = {
    REVOLUTE: Kernel("inertia.revolute", "{2} at {1}", _spun_both),
    PRISMATIC: Kernel("inertia.prismatic", "{2} at {1}", _slid_both),
}
"""J of the link."""
ACROSS = {
    REVOLUTE: Kernel("across.revolute", "{2} at {1}", _spun),
    PRISMATIC: Kernel("across.prismatic", "{2} at {1}", _slid),
}
"""A of the link."""
joined = Kernel("joined", "[{0}; {1}]", lambda b, eta: np.concatenate([b, eta], axis=-1))
"""(b, eta)."""

# ------------------------------------------------------------------------------- its joint


def _acceleration(joint: str) -> Kernel:
    rows = _spun if joint == REVOLUTE else _slid

    def evaluate(
        r: Blocks, rz: Blocks, q: Blocks, gain: Blocks, axis: Blocks, a: Blocks, f: Blocks
    ) -> Blocks:
        inside = rows(rz, q, gain[..., None, :])[..., 0, :]
        return r - apply(inside[..., None, :], a)[..., 0] - apply(axis[..., None, :], f)[..., 0]

    text = "{0} - (C6 {3})' {5} - {4}' {6}"
    return Kernel(f"acceleration.{joint}", text, evaluate)


ACCELERATION = {joint: _acceleration(joint) for joint in (REVOLUTE, PRISMATIC)}
"""qdd_i = r - w'a_{i-1} - (H/D)' f_{i+1}."""
