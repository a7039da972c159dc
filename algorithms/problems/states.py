"""The numbers of a state, as a user gives them: how many, finite, quaternions of unit length."""

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.shares import Shares
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_UNIT_TOLERANCE = 1e-6  # of the length of a quaternion
_NAMED = 6  # joints that a message names


def shared(chain: Chain, shares: Shares, value: ArrayLike, key: str) -> Numbers:
    """A flat vector of the state; the message names the joints whose share is not one number."""
    others = [
        f"{shares.counts[k]} for '{chain.joint_names[k]}' ({chain.joints[k]})"
        for k in np.flatnonzero(shares.counts != 1)
    ]
    meaning = f"one per moving joint of {chain.name}"
    if others:
        more = [f"and other numbers for {len(others) - _NAMED} more"] if len(others) > _NAMED else []
        meaning = f"one per joint of {chain.name}, but {', '.join(others[:_NAMED] + more)}"
    beside = chain.degrees - chain.main.degrees  # each joint of a branch has one number
    if beside:
        meaning += f": {shares.total} of the main chain, then {beside} of its branches"
    return vector(value, shares.total + beside, key, meaning)


def unit_quaternions(chain: Chain, q: Numbers) -> Numbers:
    """q with its quaternions made of unit length to the last digit; what is not nearly so is refused."""
    if not chain.quaternions.size:
        return q
    lengths = np.linalg.norm(q[chain.quaternions], axis=1)
    for row in np.flatnonzero(np.abs(lengths - 1.0) > _UNIT_TOLERANCE)[:1]:
        start = int(chain.quaternions[row, 0])
        joint = int(np.searchsorted(chain.q_shares.first, start, side="right")) - 1
        raise InputError(
            f"q: numbers {start + 1} to {start + 4}, the quaternion w x y z of joint "
            f"'{chain.joint_names[joint]}' ({chain.joints[joint]}), have length {lengths[row]:g}, "
            "expected 1; divide them by it (1 0 0 0 is no turning)"
        )
    unit = q.copy()
    unit[chain.quaternions] /= lengths[:, None]
    unit.setflags(write=False)
    return unit


def vector(value: ArrayLike, length: int, key: str, meaning: str) -> Numbers:
    """A read-only copy of numbers that are finite and as many as they must be."""
    vector = np.array(value, dtype=np.float64)
    if vector.shape != (length,):
        raise InputError(f"{key} has {vector.size} numbers, expected {length} ({meaning})")
    bad = np.flatnonzero(~np.isfinite(vector))
    if bad.size:
        raise InputError(f"{key}: number {bad[0] + 1} is {vector[bad[0]]}; it must be finite")
    vector.setflags(write=False)
    return vector
