"""Kernels of divide and conquer: two articulated bodies joined by a joint (Featherstone 1999).

A body with two handles, at rest: a_1 = Phi_1 f_1 + Phi_12 f_2 + b_1 and a_2 = Phi_12' f_1 + Phi_2 f_2 + b_2,
Phi_1 and Phi_2 packed. The handles' frames are those of the joints there, so that nothing is turned. At the
joint H_i is one row of six and W_i the other five; *joint order* is W_i first, the row of H_i last.

In joint order Y = Phi_1 + Phi_2 of the two handles that meet is eliminated as far as W_i: its LDL' factor
stops after five pivots, and the last diagonal entry is the Schur complement, which is 1 / (H' Y^-1 H). With
that factor a joint is solved for what is not given: the force along W_i and the acceleration along H_i, from
the acceleration along W_i and the force (the torque) along H_i.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    factor,
    full,
    restricted,
    substitute,
    symmetric_product,
    times,
    transposed,
)
from senn.algorithms.spatial import AXIS_ROW, COMPLEMENT_ROWS, REVOLUTE
from senn.machine.program import Kernel, Operations

_PIVOTS = 5
_ORDER = {joint: (*COMPLEMENT_ROWS[joint], AXIS_ROW[joint]) for joint in COMPLEMENT_ROWS}
_BACK = {joint: tuple(np.argsort(order).tolist()) for joint, order in _ORDER.items()}

# ------------------------------------------------------------------ a joint's factor


def _joint_factor(joint: str) -> Kernel:
    def evaluate(after: Blocks, before: Blocks) -> Blocks:
        return factor(restricted(after + before, _ORDER[joint]), _PIVOTS)

    return Kernel(f"joint_factor.{joint}", "ldl({0} + {1})", evaluate, Operations(50, 56, 5))


def _base_factor(joint: str) -> Kernel:
    def evaluate(after: Blocks) -> Blocks:
        return factor(restricted(after, _ORDER[joint]), _PIVOTS)

    return Kernel(f"base_factor.{joint}", "ldl({0})", evaluate, Operations(50, 35, 5))


JOINT_FACTOR = {joint: _joint_factor(joint) for joint in _ORDER}
"""From Phi_1 of the outer body and Phi_2 of the inner one."""
BASE_FACTOR = {joint: _base_factor(joint) for joint in _ORDER}
"""The same where the inner body is the base, which does not move."""

# ------------------------------------------------------------------ the assembled body


def _through(joint: str, name: str, text: str, *, turned: bool) -> Kernel:
    def evaluate(ldl: Blocks, coupling: Blocks) -> Blocks:
        x = transposed(coupling) if turned else coupling
        return substitute(ldl, x[..., _ORDER[joint], :], _PIVOTS)

    return Kernel(f"{name}.{joint}", text, evaluate, Operations(180, 150))


THROUGH_OUTER = {j: _through(j, "through_outer", "{0}^-1 {1}", turned=False) for j in _ORDER}
"""K+, 6x6 in joint order: what a force on the far handle of the outer body does at the joint; from Phi_12."""
THROUGH_INNER = {j: _through(j, "through_inner", "{0}^-1 {1}'", turned=True) for j in _ORDER}
"""K-: the same of the inner body, from its Phi_12'."""


def _freed_outer(joint: str) -> Kernel:
    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        return symmetric_product(coupling[..., COMPLEMENT_ROWS[joint], :], k[..., :_PIVOTS, :])

    return Kernel(f"freed_outer.{joint}", "{0}' W {1}", evaluate, Operations(105, 84))


def _freed_inner(joint: str) -> Kernel:
    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        rows = transposed(coupling)[..., COMPLEMENT_ROWS[joint], :]
        return symmetric_product(rows, k[..., :_PIVOTS, :])

    return Kernel(f"freed_inner.{joint}", "{0} W {1}", evaluate, Operations(105, 84))


def _coupled(joint: str) -> Kernel:
    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        return times(coupling[..., COMPLEMENT_ROWS[joint]], k[..., :_PIVOTS, :])

    return Kernel(f"coupled.{joint}", "{0} W {1}", evaluate, Operations(180, 144))


FREED_OUTER = {joint: _freed_outer(joint) for joint in _ORDER}
"""What Phi_2 of the outer body loses as the inner body holds its joint: Phi_21 W (W'YW)^-1 W' Phi_12."""
FREED_INNER = {joint: _freed_inner(joint) for joint in _ORDER}
"""The same for Phi_1 of the inner body."""
COUPLED = {joint: _coupled(joint) for joint in _ORDER}
"""Phi_12 of the assembled body: Phi_12 of the inner one, W (W'YW)^-1 W', Phi_12 of the outer one."""

# -------------------------------------------- what the torques do, from the leaves to the root

gap = Kernel("gap", "{0} - {1}", lambda before, after: before - after[..., :6], Operations(add=6))
"""beta = b_2 of the inner body - b_1 of the outer one; b_1 has the joint's torque as a seventh word."""


def _given(joint: str, beta: Blocks, torque: Blocks) -> Blocks:
    """The acceleration along W and the torque, in joint order."""
    return np.concatenate([beta[..., COMPLEMENT_ROWS[joint]], torque[..., None]], axis=-1)


def _drive(joint: str, *, lone: bool = False) -> Kernel:
    def evaluate(ldl: Blocks, torque: Blocks, beta: Blocks | None = None) -> Blocks:
        lower = full(ldl)
        last = lower[..., _PIVOTS, :_PIVOTS]
        force = -(last * torque[..., None])
        rate = lower[..., _PIVOTS, _PIVOTS] * torque
        if beta is not None:
            z = beta[..., COMPLEMENT_ROWS[joint]]
            for k in range(_PIVOTS):
                for r in range(k + 1, _PIVOTS):
                    z[..., r] = z[..., r] - lower[..., r, k] * z[..., k]
                rate = rate + last[..., k] * z[..., k]
                force[..., k] = force[..., k] + lower[..., k, k] * z[..., k]
            rate = rate - beta[..., AXIS_ROW[joint]]
        for k in reversed(range(_PIVOTS)):
            for r in range(k):
                force[..., r] = force[..., r] - lower[..., k, r] * force[..., k]
        return np.concatenate([force, torque[..., None], rate[..., None]], axis=-1)

    if lone:
        return Kernel("lone_drive", "{0}^-1 from {1}", evaluate, Operations(16, 10))
    with_gap = (Operations(20, 21),)
    text = "{0}^-1 from {1}, {2}"
    return Kernel(f"drive.{joint}", text, evaluate, Operations(16, 10), with_gap, alone=True)


def _inner(joint: str) -> Kernel:
    def evaluate(k: Blocks, torque: Blocks, beta: Blocks, before: Blocks) -> Blocks:
        moved = before[..., :6] - apply(transposed(k), _given(joint, beta, torque))
        return np.concatenate([moved, before[..., 6:]], axis=-1)

    return Kernel(f"inner.{joint}", "{3} - {0}' [W' {2}; {1}]", evaluate, Operations(36, 36))


def _outer(joint: str, *, lone: bool = False) -> Kernel:
    def evaluate(k: Blocks, torque: Blocks, beta: Blocks | None = None) -> Blocks:
        if beta is not None:
            return apply(transposed(k), _given(joint, beta, torque))
        moved: Blocks = k[..., _PIVOTS, :] * torque[..., None]
        return moved

    if lone:
        return Kernel("lone_outer", "{0}' [0; {1}]", evaluate, Operations(6))
    with_gap = (Operations(30, 30),)
    text = "{0}' [W' {2}; {1}]"
    return Kernel(f"outer.{joint}", text, evaluate, Operations(6), with_gap, alone=True)


def _first_inner(k: Blocks, torque: Blocks, before: Blocks) -> Blocks:
    return np.concatenate([-(k[..., _PIVOTS, :] * torque[..., None]), before[..., None]], axis=-1)


DRIVE = {joint: _drive(joint) for joint in _ORDER}
"""What the joint does where nothing acts on the far handles: its force in joint order, and its acceleration.
"""
INNER = {joint: _inner(joint) for joint in _ORDER}
"""[b_1; torque] of the assembled body: the torque is that of its own inner joint."""
first_inner = Kernel("first_inner", "[-{0}' [0; {1}]; {2}]", _first_inner, Operations(6))
"""The same of two links."""
OUTER = {joint: _outer(joint) for joint in _ORDER}
"""What b_2 of the outer body gains."""
lone_drive, lone_outer = _drive(REVOLUTE, lone=True), _outer(REVOLUTE, lone=True)
"""The same at joint 1, for any type: nothing but its torque is given."""

end_bias = Kernel(
    "end_bias",
    "{0}' [{1}; {2}]",
    lambda c, dw, v: np.concatenate([apply(transposed(c), dw), apply(transposed(c), v)], axis=-1),
    Operations(18, 12),
)
"""Jdot Qdot, turned to frame N+1."""

# -------------------------------------------- the joints' forces and accelerations, back to the leaves


def _joint_force(joint: str, *, inner: bool) -> Kernel:
    back = list(_BACK[joint])

    def evaluate(
        driven: Blocks,
        k: Blocks,
        beyond: Blocks,
        k_before: Blocks | None = None,
        before: Blocks | None = None,
    ) -> Blocks:
        force = driven[..., :_PIVOTS] + apply(k[..., :_PIVOTS, :], beyond)
        if k_before is not None and before is not None:
            force = force + apply(k_before[..., :_PIVOTS, :], before[..., :6])
        return np.concatenate([force, driven[..., 5:6]], axis=-1)[..., back]

    if not inner:
        return Kernel(f"last_force.{joint}", "{0} + {1} {2}", evaluate, Operations(30, 30))
    each, text = (Operations(), Operations(30, 30)), "{0} + {1} {2} + {3} {4}"
    return Kernel(f"joint_force.{joint}", text, evaluate, Operations(30, 30), each, alone=True)


def _acceleration(
    driven: Blocks, k: Blocks, beyond: Blocks, k_before: Blocks | None = None, before: Blocks | None = None
) -> Blocks:
    rate: Blocks = driven[..., 6] - apply(k[..., 5:, :], beyond)[..., 0]
    if k_before is not None and before is not None:
        rate = rate - apply(k_before[..., 5:, :], before[..., :6])[..., 0]
    return rate


def _with_acceleration(force: Blocks, driven: Blocks, k: Blocks, beyond: Blocks, *inner: Blocks) -> Blocks:
    rate = _acceleration(driven, k, beyond, *inner)
    return np.concatenate([force, rate[..., None]], axis=-1)


JOINT_FORCE = {joint: _joint_force(joint, inner=True) for joint in _ORDER}
"""What the joint passes on to the outer body, in the joint's frame: from what the far handles pass on."""
LAST_FORCE = {joint: _joint_force(joint, inner=False) for joint in _ORDER}
"""The same where the inner body is on the base, at the root."""
with_acceleration = Kernel(
    "with_acceleration",
    "[{0}; H' ({1} - {2} {3} - {4} {5})]",
    _with_acceleration,
    Operations(6, 6),
    (Operations(), Operations(6, 6)),
    alone=True,
)
"""That force, and the joint's acceleration as the seventh word."""
with_last_acceleration = Kernel(
    "with_last_acceleration", "[{0}; H' ({1} - {2} {3})]", _with_acceleration, Operations(6, 6)
)
base_acceleration = Kernel("base_acceleration", "H' ({0} - {1} {2})", _acceleration, Operations(6, 6))
"""The acceleration of joint 1."""
seventh = Kernel("seventh", "word 7 of {0}", lambda x: x[..., 6].copy(), Operations())
"""The joint's torque, which comes with b_1, or its acceleration, which comes with its force."""
