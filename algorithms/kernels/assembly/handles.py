"""Links of wide arms as leaves: their handles in axes in which W and H are rows, and the joints' own words.

Universal and helical joints forbid one direction that mixes two rows, t_0 e_a + t_1 e_b with t the tilt of
the joint, and allow t_1 e_a - t_0 e_b. With T, which puts these two in the place of the rows a and b and is
symmetric, a handle there has T Phi T and T b in place of Phi and b, and the force on it is T f; all other
joints leave them as they are.

The torque of a joint in the axes of H_i (`torque_along`) is (V'V)^-1 V' W_a tau and its acceleration
(`rate_along`) W_a' V (V'V)^-1 of what is found along V, V being the columns of T that span H_i: V is H_i but
for universal, helical, planar and free joints.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, transposed, widened
from senn.algorithms.kernels.assembly.forces import words_of
from senn.algorithms.kernels.assembly.order import H_ROWS, MIXED
from senn.algorithms.kernels.operators import carried
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel

_STRAIGHT = ("revolute", "prismatic", "cylindrical", "spherical", "welded")
"""Joints whose H_i are rows of the unit matrix: V = H."""


def mixing(joint: str | None) -> str | None:
    """The type of a joint that mixes rows; None for all others, and for the tip."""
    return joint if joint and MIXED[joint] else None


def _mixed(joint: str | None, x: Blocks, tilt: Blocks | None) -> Blocks:
    """T X for columns (..., 6, r): 4 r multiplications and 2 r additions where the joint mixes rows."""
    rows = MIXED[joint] if joint else None
    if rows is None or tilt is None:
        return x.copy()
    a, b = rows
    first, second = tilt[..., 0, None], tilt[..., 1, None]
    y = x.copy()
    y[..., a, :] = first * x[..., a, :] + second * x[..., b, :]
    y[..., b, :] = second * x[..., a, :] - first * x[..., b, :]
    return y


def _both_sides(joint: str | None, packed: Blocks, tilt: Blocks | None) -> Blocks:
    if joint is None or tilt is None:
        return packed.copy()
    whole = _mixed(joint, transposed(_mixed(joint, full(packed), tilt)), tilt)
    rows, columns = np.tril_indices(6)
    return whole[..., rows, columns]


@cache
def inner_handle(joint: str | None) -> Kernel:
    """Phi_1 at joint i, from the tilt of that joint (`mixing`)."""

    def evaluate(packed: Blocks, tilt: Blocks) -> Blocks:
        return _both_sides(joint, packed, tilt)

    return Kernel(f"inner_handle.{joint}", _TURNED[joint is None], evaluate)


@cache
def outer_handle(following: str | None) -> Kernel:
    """Phi_2 at joint i+1, from the tilt of that one."""

    def evaluate(packed: Blocks, tilt: Blocks | None) -> Blocks:
        return _both_sides(following, packed, tilt)

    text = _TURNED[following is None]
    return Kernel(f"outer_handle.{following}", text, evaluate, alone=True)


@cache
def between_handles(joint: str | None, following: str | None) -> Kernel:
    """Phi_12, from both."""

    def evaluate(coupling: Blocks, tilt: Blocks, after: Blocks | None) -> Blocks:
        return transposed(_mixed(following, transposed(_mixed(joint, coupling, tilt)), after))

    name, text = f"between_handles.{joint}.{following}", _TURNED[joint is None and following is None]
    return Kernel(name, text, evaluate, alone=True)


@cache
def at_inner(joint: str | None) -> Kernel:
    """T x of an acceleration at joint i, or of a force that is in its axes: of the first six words."""

    def evaluate(x: Blocks, tilt: Blocks | None = None) -> Blocks:
        return _vector(joint, x, tilt)

    return Kernel(f"at_inner.{joint}", "T {0}" if joint else "{0}", evaluate)


@cache
def at_outer(following: str | None) -> Kernel:
    """The same at joint i+1."""

    def evaluate(x: Blocks, tilt: Blocks | None) -> Blocks:
        return _vector(following, x, tilt)

    text = "T {0}" if following else "{0}"
    return Kernel(f"at_outer.{following}", text, evaluate, alone=True)


_TURNED = ("T {0} T", "{0}")


def _vector(joint: str | None, x: Blocks, tilt: Blocks | None) -> Blocks:
    return _mixed(joint, x[..., :6, None], tilt)[..., 0]


# ------------------------------------------------------------------ a joint's own words


def _of_h(joint: str, w: Blocks) -> Blocks:
    """The rows of W_a in the span of H, those of the joint's own columns."""
    return w[..., H_ROWS[joint], : JOINTS[joint].degrees]


@cache
def torque_along(joint: str, freedom: int) -> Kernel:
    """The torque of a joint along V, `freedom` words; from W_a, tau less b, and the tilt, if the arm has
    any."""
    own = JOINTS[joint].degrees

    def evaluate(w: Blocks, force: Blocks, tilt: Blocks | None = None) -> Blocks:
        given = force[..., :own]
        if joint == "helical":
            found = w[..., 2, :1] * given
        elif joint == "universal":
            assert tilt is not None
            x = apply(w[..., :3, :2], given)
            turned = tilt[..., 1] * x[..., 0] - tilt[..., 0] * x[..., 1]
            found = np.stack([turned, x[..., 2]], axis=-1)
        else:
            found = given if joint in _STRAIGHT else apply(_of_h(joint, w), given)
        return widened(found, freedom)

    return Kernel(f"torque_along.{joint}", "V' {0} {1}", evaluate)


@cache
def rate_along(joint: str, freedom: int, wide: int) -> Kernel:
    """Qdd, `freedom` words, from W_a, the acceleration along V (the `wide` last of the words given), and the
    tilt."""
    own = JOINTS[joint].degrees

    def evaluate(w: Blocks, x: Blocks, tilt: Blocks | None = None) -> Blocks:
        given = x[..., -wide:][..., :own]
        if joint == "helical":
            found = w[..., 2, :1] * given
        elif joint == "universal":
            assert tilt is not None
            along = given[..., :1]
            y = np.concatenate([tilt[..., 1:] * along, -(tilt[..., :1] * along), given[..., 1:]], axis=-1)
            found = apply(transposed(w[..., :3, :2]), y)
        else:
            found = given if joint in _STRAIGHT else apply(transposed(_of_h(joint, w)), given)
        return widened(found, freedom)

    return Kernel(f"rate_along.{joint}", "{0}' V of {1}", evaluate)


# ------------------------------------------------------------------ links with side branches


@cache
def leaf_inner(freedom: int | None) -> Kernel:
    """[b_1; torque] of a link: what its branches' torques do at O_i, with the other sign as it is given, and
    the torque of its own joint."""

    def evaluate(torque: Blocks, held: Blocks | None) -> Blocks:
        behind = words_of(torque, freedom)
        none = np.zeros((*behind.shape[:-1], 6), dtype=behind.dtype)
        return np.concatenate([none if held is None else -held, behind], axis=-1)

    return Kernel("leaf_inner", "[-{1}; {0}]", evaluate, alone=True)


def _leaf_outer(c: Blocks, p: Blocks, held: Blocks | None) -> Blocks:
    if held is None:
        return np.zeros((*p.shape[:-1], 6), dtype=p.dtype)
    return -carried.evaluate(c, p, held)


leaf_outer = Kernel("leaf_outer", "-P^^' C6' {2}", _leaf_outer, alone=True)
"""b_2 of a link: the same at O_{i+1}, as nothing else acts on it."""
