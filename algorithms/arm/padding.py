"""Joints of several types in blocks of one size, as a SIMD array has to hold them.

An arm of revolute and prismatic joints only is *lean*: H_i and W_i are rows of the unit matrix, blocks of A
are 5x5, and what belongs to a joint is one number. With a joint of any other type the arm is *wide*: every
process has H_i, 6 x k, and blocks of s rows, as W_i is 6 x s, where k and s are the most that a joint needs.
Columns that its own joint has not got are zero, and A_i has ones on its diagonal there: every block of the
elimination then keeps its padding, and the padded entries of phi and Qdd come out exactly zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.kernels.complement import TILTED
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import AXIS_ROW
from senn.machine.program import Value, value


def is_wide(joints: Sequence[str]) -> bool:
    """Whether a joint is neither revolute nor prismatic."""
    return not set(joints) <= set(AXIS_ROW)


def freedom(joints: Sequence[str]) -> int:
    """k: the most degrees of freedom of a joint."""
    return max(JOINTS[joint].degrees for joint in joints)


def rows(joints: Sequence[str]) -> int:
    """s: the rows of a block of A, the most directions that a joint forbids; one if none forbids any."""
    return max(1, 6 - min(JOINTS[joint].degrees for joint in joints))


def coordinates(joints: Sequence[str]) -> int:
    """The most numbers of q of a joint."""
    return max(JOINTS[joint].coordinates for joint in joints)


def of_joint(one: Value, joints: Sequence[str]) -> Value:
    """A value of which a lean arm has one number a joint (and column), as this arm has it: k of them."""
    if not is_wide(joints):
        return one
    return Value(one.letter, one.level, (freedom(joints), *one.shape))


def subspace(joints: Sequence[str]) -> Value:
    """H_i of a wide arm, frame i at O_i."""
    return value("H(q)", 6, freedom(joints))


def tilt_of(joints: Sequence[str]) -> tuple[Value, ...]:
    """What q_i does to W_i, an operand of the kernels with W_i; none, if it does nothing to any."""
    return () if set(joints).isdisjoint(TILTED) else (value("tilt", 2),)


def dual(joints: Sequence[str]) -> Value:
    """W_a = H (H'H)^-1 of joint i."""
    return value("W_a(q)", 6, freedom(joints))
