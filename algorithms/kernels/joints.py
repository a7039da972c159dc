"""One joint: its axes and its own words among those that every process has, and what q_i makes of it.

In an arm of revolute and prismatic joints a joint has one number, (n,), of a torque or an acceleration, and
its axis is z, (n, 3). In an arm with joints of any type it has k, (n, k), and H is (n, 6, k), where k is what
the freest joint of the arm needs; behind the own words and columns of a joint stand zeros. Kernels take both:
they compute with the own words, (n, d), and the own columns, (n, 6, d), in which zeros that the type of the
joint implies are `known`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.robots.joints import JOINTS, about_z, unturned
from senn.algorithms.spatial import PRISMATIC, REVOLUTE, Numbers
from senn.machine.program import kernel_family
from senn.machine.program.counting import known


def axes_of(joint: str, axes: Blocks) -> Blocks:
    """The columns of H_i, (n, 6, d), from z or from H."""
    if axes.ndim > 2:
        h = axes[..., : JOINTS[joint].degrees]
        return h if h.dtype != object else np.where(JOINTS[joint].halves, h, known(0, h))
    none = np.broadcast_to(known(0, axes), axes.shape)
    halves = [axes, none] if JOINTS[joint].turning else [none, axes]
    return np.concatenate(halves, axis=-1)[..., None]


def own_columns(fixed: Numbers, columns: Blocks) -> Blocks:
    """The joint's own columns of H_i or W_a in frame i, in which these entries are zeros and ones."""
    entries = columns[..., : fixed.shape[1]]
    counted = entries.dtype == object
    return np.where(np.isnan(fixed), entries, known(fixed == 1.0, entries)) if counted else entries


def words_of(joint: str, x: Blocks) -> Blocks:
    """The joint's own words, (n, d)."""
    return x[:, None] if x.ndim == 1 else x[..., : JOINTS[joint].degrees]


def filled(words: Blocks, like: Blocks) -> Blocks:
    """A joint's own words in the form of `like`: the number, or as many words with zeros behind the own."""
    return words[:, 0] if like.ndim == 1 else widened(words, like.shape[-1])


def is_lean(joint: str) -> bool:
    """Whether a joint is revolute or prismatic."""
    return joint in (REVOLUTE, PRISMATIC)


def along(joint: str, n: str = "n") -> str:
    """The product of the axes {0} of a joint with a wrench [n; f], in listings."""
    parts = {REVOLUTE: f"{{0}} . {n}", PRISMATIC: "{0} . f"}
    return parts.get(joint, f"{{0}}' [{n}; f]")


# ------------------------------------------------------- frames (Steps I.a.1, II.a.1)


def cosine_and_sine(q: Blocks) -> Blocks:
    return np.stack([np.cos(q), np.sin(q)], axis=-1)


def spin(rz: Blocks, v: Blocks) -> Blocks:
    """Rz V for columns (..., 3, r): 4 r multiplications, 2 r additions."""
    c, s = rz[..., 0, None], rz[..., 1, None]
    x, y, z = (v[..., k, :] for k in range(3))
    return np.stack([c * x - s * y, s * x + c * y, z], axis=-2)


@kernel_family("C(i,i+1) from {0}, {1}")
def rotation(q: Blocks, r: Blocks, parameter: Any = None, *, joint: str) -> Blocks:
    """C(i,i+1) = E(q_i) R_{i+1}."""
    kind, q = JOINTS[joint], q[..., None] if q.ndim == r.ndim - 2 else q
    if kind.turn is unturned:
        return r.copy()
    if kind.turn is about_z:
        return spin(cosine_and_sine(q[..., 0]), r)
    return times(kind.turn(q[..., : kind.coordinates], parameter), r)


@kernel_family(lambda joint: "{0} {1}" if joint == REVOLUTE else "{1}")
def turned_next(rz: Blocks, r: Blocks, *, joint: str) -> Blocks:
    """C(i,i+1) = Rz(q_i) R_{i+1} from cosine and sine."""
    return spin(rz, r) if joint == REVOLUTE else r.copy()


@kernel_family("{0} at {1}")
def moved(x: Blocks, q: Blocks, c: Blocks, parameter: Any = None, *, joint: str) -> Blocks:
    """P_i or S_i in frame i + 1, moved with O_i: C' d(q_i) added."""
    y, q = x.copy(), q[..., None] if q.ndim == x.ndim - 1 else q
    for number, row in JOINTS[joint].shifts:
        far = parameter * q[..., number] if joint == "helical" else q[..., number]
        y = y + far[..., None] * c[..., row, :]
    return y


# ------------------------------------------ H_i, W_a and W_i (frame i, at O_i), and Hdot qd
#
# Families by the type of the joint, so that a joint is charged for no other's work. They take q as long as
# the longest of the arm and the joint's parameter, and make as many columns as the arm needs.


@kernel_family("H from {0}")
def subspace(q: Blocks, parameter: Blocks, *, joint: str, columns: int) -> Blocks:
    """H_i; tau_i = H_i' F_i, and H_i qd_i is the velocity against link i - 1."""
    kind = JOINTS[joint]
    return widened(kind.subspace(q[..., : kind.coordinates], parameter), columns)


@kernel_family("W_a from {0}")
def dual(q: Blocks, parameter: Blocks, *, joint: str, columns: int) -> Blocks:
    """W_a = H (H'H)^-1."""
    kind = JOINTS[joint]
    return widened(kind.dual(q[..., : kind.coordinates], parameter), columns)


@kernel_family("tilt from {0}, {1}")
def tilt(q: Blocks, parameter: Blocks, *, joint: str) -> Blocks:
    """The column of W_i that has two entries (`JOINTS`); that of a screw is not of unit length, which would
    take a square root: A^-1 takes its scale."""
    of_joint = JOINTS[joint].tilt
    if joint == "helical":
        return np.stack([-parameter, np.ones_like(parameter)], axis=-1)
    return np.stack(of_joint(q, parameter), axis=-1) if of_joint else np.zeros((*q.shape[:-1], 2), q.dtype)


@kernel_family("{3} Hdot({0}) {1}")
def drift(q: Blocks, qd: Blocks, parameter: Blocks, turn: Blocks, *, joint: str, linear: bool) -> Blocks:
    """The angular or the linear part of Hdot_i qd_i in the common frame."""
    kind = JOINTS[joint]
    both = kind.drift(q[..., : kind.coordinates], qd[..., : kind.degrees], parameter)
    return apply(turn, both[..., 3:] if linear else both[..., :3])
