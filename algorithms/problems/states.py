"""The numbers of a state, as a user gives them: how many, finite, quaternions of unit length."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS, Shares
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_UNIT_TOLERANCE = 1e-6  # of the length of a quaternion
_ROUNDED = 8 * float(np.finfo(np.float64).eps)  # as far as making it of unit length may leave it off
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
    # What is of unit length already stays as it is, to the last bit, however often it comes by here.
    unit[chain.quaternions] /= np.where(np.abs(lengths - 1.0) > _ROUNDED, lengths, 1.0)[:, None]
    unit.setflags(write=False)
    return unit


def beyond_limits(chain: Chain, q: Numbers) -> tuple[str, ...]:
    """A sentence that names the joints that stand beyond their limits, if any does."""
    low, high = chain.all_limits.T
    counts = [JOINTS[joint].coordinates for joint in chain.all_joints]
    names = np.repeat(np.array(chain.all_joint_names, dtype=object), counts)
    out = np.flatnonzero((q < low) | (q > high))
    if not out.size:
        return ()
    told = [f"'{names[k]}' at {q[k]:g} ({low[k]:g} .. {high[k]:g})" for k in out[:_NAMED]]
    more = f" and {out.size - _NAMED} more" if out.size > _NAMED else ""
    return (f"beyond the limits of the robot: {', '.join(told)}{more}",)


def gravity(value: ArrayLike) -> Numbers:
    """(3,) m/s^2, base frame."""
    return vector(value, 3, "gravity", "x, y, z in the base frame")


def tip_vector(value: ArrayLike) -> Numbers:
    """(6,) a wrench or an acceleration, frame n+1."""
    return vector(value, 6, "tip_vector", "moment or angular, then force or linear")


def vector(value: ArrayLike, length: int, key: str, meaning: str) -> Numbers:
    """A read-only copy of numbers that are finite and as many as they must be."""
    found = numbers(value, key)
    if found.shape != (length,):
        if found.ndim > 1:
            raise InputError(f"{key} has shape {found.shape}, expected {length} numbers ({meaning})")
        raise InputError(f"{key} has {found.size} numbers, expected {length} ({meaning})")
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        raise InputError(f"{key}: number {bad[0] + 1} is {found[bad[0]]}; it must be finite")
    found.setflags(write=False)
    return found


def numbers(value: ArrayLike, key: str) -> Numbers:
    """A copy of real numbers; texts, complex numbers and ragged lists are refused."""
    if isinstance(value, Mapping):
        raise InputError(f"{key} is a mapping; give a list of numbers")
    try:
        found = np.array(value)
        if found.dtype.kind in "biuf" or (found.dtype.kind == "O" and _real(found)):
            return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{key} holds what is no number: {value!r}")


def _real(found: NDArray[Any]) -> bool:
    return all(isinstance(one, Real) for one in found.flat)


def drawn_in_words(draws: Mapping[str, bool]) -> str:
    """ "state, torque and contact were", of what was drawn, q, qd, tau or contact, and whether all of it."""
    parts = dict(draws)
    if parts.get("q") and parts.get("qd"):
        parts = {"state": True} | {name: all_ for name, all_ in parts.items() if name not in ("q", "qd")}
    words = {"tau": "torque"}
    names = [("" if all_ else "the rest of ") + words.get(one, one) for one, all_ in parts.items()]
    if not names:
        return ""
    *others, last = names
    return f"{', '.join(others)} and {last} were" if others else f"{last} was"
