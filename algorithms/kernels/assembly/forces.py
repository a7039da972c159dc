"""Steps II to IV of divide and conquer: what the torques do, from the leaves to the root, and the forces and
accelerations of the joints, back to the leaves."""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, times, transposed, widened
from senn.algorithms.kernels.assembly.order import H_ROWS, W_ROWS, joint_order, pivots
from senn.machine.program import Kernel

# -------------------------------------------- what the torques do, from the leaves to the root

gap = Kernel("gap", "{0} - {1}", lambda before, after: before - after[..., :6])
"""beta = b_2 of the inner body - b_1 of the outer one, behind which is the torque of that one's joint."""


def words_of(torque: Blocks, freedom: int | None) -> Blocks:
    """A torque as words (n, freedom); where `freedom` is None, it is one number (n,)."""
    return torque[..., None] if freedom is None else torque


def _own(torque: Blocks, joint: str, freedom: int | None) -> Blocks:
    """A joint's own words of a torque."""
    return words_of(torque, freedom)[..., : len(H_ROWS[joint])]


def _padded(rates: Blocks, freedom: int | None) -> Blocks:
    """The words of a joint, with zeros behind them where others have more."""
    return widened(rates, freedom or 1)


def _given(joint: str, beta: Blocks, torque: Blocks, freedom: int | None) -> Blocks:
    """The acceleration along W and the torque, in joint order."""
    return np.concatenate([beta[..., W_ROWS[joint]], _own(torque, joint, freedom)], axis=-1)


def _made(matrix: Blocks, torque: Blocks) -> Blocks:
    """A block of rows of K or of the Schur complement, transposed, times the torque; no torque, no work."""
    return times(torque[..., None, :], matrix)[..., 0, :]


@cache
def drive(joint: str, *, freedom: int | None) -> Kernel:
    """What the joint does where nothing acts on the far handles, from its torque and, where there is one, the
    gap: its force in joint order, and its acceleration."""
    p, rows = pivots(joint), H_ROWS[joint]

    def evaluate(ldl: Blocks, torque: Blocks, beta: Blocks | None = None) -> Blocks:
        lower, given = full(ldl), _own(torque, joint, freedom)
        across = lower[..., p:, :p]
        force, rate = -_made(across, given), _made(lower[..., p:, p:], given)
        if beta is not None:
            z = beta[..., W_ROWS[joint]]
            for k in range(p):
                for r in range(k + 1, p):
                    z[..., r] = z[..., r] - lower[..., r, k] * z[..., k]
                rate = rate + across[..., k] * z[..., k, None]
                force[..., k] = force[..., k] + lower[..., k, k] * z[..., k]
            rate = rate - beta[..., rows]
        for k in reversed(range(p)):
            for r in range(k):
                force[..., r] = force[..., r] - lower[..., k, r] * force[..., k]
        return np.concatenate([force, given, _padded(rate, freedom)], axis=-1)

    text = "{0}^-1 from {1}, {2}"
    return Kernel(f"drive.{joint}", text, evaluate, alone=True)


@cache
def lone_drive(joint: str, *, freedom: int | None) -> Kernel:
    """The same where there is no gap, at joint 1."""
    whole = drive(joint, freedom=freedom)
    return Kernel(f"lone_drive.{joint}", "{0}^-1 from {1}", whole.evaluate)


@cache
def inner(joint: str, *, freedom: int | None) -> Kernel:
    """[b_1; torque] of the assembled body: the torque is that of its own inner joint."""

    def evaluate(k: Blocks, torque: Blocks, beta: Blocks, before: Blocks) -> Blocks:
        moved = before[..., :6] - apply(transposed(k), _given(joint, beta, torque, freedom))
        return np.concatenate([moved, before[..., 6:]], axis=-1)

    return Kernel(f"inner.{joint}", "{3} - {0}' [W' {2}; {1}]", evaluate)


@cache
def first_inner(joint: str, *, freedom: int | None) -> Kernel:
    """The same of two links on which nothing but their joints acts."""

    def evaluate(k: Blocks, torque: Blocks, before: Blocks) -> Blocks:
        moved = -_made(k[..., pivots(joint) :, :], _own(torque, joint, freedom))
        return np.concatenate([moved, words_of(before, freedom)], axis=-1)

    return Kernel(f"first_inner.{joint}", "[-{0}' [0; {1}]; {2}]", evaluate)


@cache
def outer(joint: str, *, freedom: int | None) -> Kernel:
    """What b_2 of the outer body gains."""

    def evaluate(k: Blocks, torque: Blocks, beta: Blocks | None = None) -> Blocks:
        if beta is not None:
            return apply(transposed(k), _given(joint, beta, torque, freedom))
        return _made(k[..., pivots(joint) :, :], _own(torque, joint, freedom))

    text = "{0}' [W' {2}; {1}]"
    return Kernel(f"outer.{joint}", text, evaluate, alone=True)


@cache
def lone_outer(joint: str, *, freedom: int | None) -> Kernel:
    """The same where there is no gap, at joint 1."""
    whole = outer(joint, freedom=freedom)
    return Kernel(f"lone_outer.{joint}", "{0}' [0; {1}]", whole.evaluate)


end_bias = Kernel(
    "end_bias",
    "{0}' [{1}; {2}]",
    lambda c, dw, v: np.concatenate([apply(transposed(c), dw), apply(transposed(c), v)], axis=-1),
)
"""Jdot Qdot, turned to frame N+1."""

# -------------------------------------------- the joints' forces and accelerations, back to the leaves


@cache
def joint_force(joint: str, *, last: bool) -> Kernel:
    """What the joint passes on to the outer body, in the joint's frame: from what the far handles pass on;
    `last`: the inner body is on the base, at the root."""
    p = pivots(joint)
    back = np.argsort(joint_order(joint)).tolist()

    def evaluate(
        driven: Blocks,
        k: Blocks,
        beyond: Blocks,
        k_before: Blocks | None = None,
        before: Blocks | None = None,
    ) -> Blocks:
        force = driven[..., :p] + apply(k[..., :p, :], beyond)
        if k_before is not None and before is not None:
            force = force + apply(k_before[..., :p, :], before[..., :6])
        return np.concatenate([force, driven[..., p:6]], axis=-1)[..., back]

    if last:
        return Kernel(f"last_force.{joint}", "{0} + {1} {2}", evaluate)
    text = "{0} + {1} {2} + {3} {4}"
    return Kernel(f"joint_force.{joint}", text, evaluate, alone=True)


def _acceleration(
    p: int,
    driven: Blocks,
    k: Blocks,
    beyond: Blocks,
    k_before: Blocks | None = None,
    before: Blocks | None = None,
) -> Blocks:
    rate: Blocks = driven[..., 6 : 12 - p] - apply(k[..., p:, :], beyond)
    if k_before is not None and before is not None:
        rate = rate - apply(k_before[..., p:, :], before[..., :6])
    return rate


@cache
def with_acceleration(joint: str, *, freedom: int | None, last: bool) -> Kernel:
    """That force, and behind it the joint's acceleration."""

    def evaluate(force: Blocks, driven: Blocks, k: Blocks, beyond: Blocks, *inner: Blocks) -> Blocks:
        rate = _acceleration(pivots(joint), driven, k, beyond, *inner)
        return np.concatenate([force, _padded(rate, freedom)], axis=-1)

    if last:
        text = "[{0}; H' ({1} - {2} {3})]"
        return Kernel(f"with_last_acceleration.{joint}", text, evaluate)
    text = "[{0}; H' ({1} - {2} {3} - {4} {5})]"
    return Kernel(f"with_acceleration.{joint}", text, evaluate, alone=True)


@cache
def base_acceleration(joint: str, *, freedom: int | None) -> Kernel:
    """The acceleration of joint 1."""

    def evaluate(driven: Blocks, k: Blocks, beyond: Blocks) -> Blocks:
        rate = _acceleration(pivots(joint), driven, k, beyond)
        return rate[..., 0] if freedom is None else _padded(rate, freedom)

    return Kernel(f"base_acceleration.{joint}", "H' ({0} - {1} {2})", evaluate)


@cache
def seventh(freedom: int | None) -> Kernel:
    """The joint's torque, which comes with b_1, or its acceleration, which comes with its force."""
    if freedom is None:
        return Kernel("seventh", "word 7 of {0}", lambda x: x[..., 6].copy())
    return Kernel("behind", "the words behind the six of {0}", lambda x: x[..., 6:].copy())
