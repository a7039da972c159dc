"""The numbers of a state, as a user gives them: how many, finite, quaternions of unit length."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.problems.contacts import ROUNDED, numbers, vector
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS, UNIT_TOLERANCE, Shares
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError, listed

_TRIANGLE_TOLERANCE = 1e-6
_NAMED = 6  # joints that a message names


def shared(chain: Chain, value: ArrayLike, key: str) -> Numbers:
    """A flat vector of the state; the message names the joints whose share is not one number."""
    counts = _shares(chain, key).counts.tolist()
    others = [
        f"{count} for '{name}' ({kind})"
        for count, name, kind in zip(counts, chain.all_joint_names, chain.all_joints, strict=True)
        if count != 1
    ]
    meaning = f"one per moving joint of {chain.name}"
    if others:
        more = [f"and other numbers for {len(others) - _NAMED} more"] if len(others) > _NAMED else []
        meaning = f"one per joint of {chain.name}, but {', '.join(others[:_NAMED] + more)}"
    if chain.branches:
        main, beside = sum(counts[: chain.n]), sum(counts[chain.n :])
        meaning += f": {main} of the main chain, then {beside} of its branches"
    return vector(value, sum(counts), key, meaning, partial(labels, chain, key))


def unit_quaternions(chain: Chain, q: Numbers) -> Numbers:
    """q with its quaternions normalised to the last digit; a quaternion off by more than 1e-6 is refused."""
    if not chain.quaternions.size:
        return q
    lengths = np.linalg.norm(q[chain.quaternions], axis=1)
    for row in np.flatnonzero(np.abs(lengths - 1.0) > UNIT_TOLERANCE)[:1]:
        start = int(chain.quaternions[row, 0])
        turning = [k for k, joint in enumerate(chain.all_joints) if JOINTS[joint].quaternion][row]
        raise InputError(
            f"q: numbers {start + 1} to {start + 4}, the quaternion w x y z of joint "
            f"'{chain.all_joint_names[turning]}' ({chain.all_joints[turning]}), have length "
            f"{lengths[row]:g}, expected 1; divide them by it (1 0 0 0 is no turning)"
        )
    unit = q.copy()
    # What is of unit length already stays as it is, to the last bit, however often it comes by here.
    unit[chain.quaternions] /= np.where(np.abs(lengths - 1.0) > ROUNDED, lengths, 1.0)[:, None]
    unit.setflags(write=False)
    return unit


NO_BODY = "no body has such an inertia, whose largest principal moment exceeds the sum of the others"
NO_MASS = "no mass and no inertia of their own"
BEYOND = "beyond the limits of the robot"
IN_RADIANS = "positions are in rad, not in degrees"


def doubtful(chain: Chain, q: Numbers) -> tuple[str, ...]:
    """Sentences that name links that no body can be, with which computing is possible; joints beyond their
    limits; and joints that are turned more than once around."""
    notes = []
    for side in (limb.chain for limb in chain.limbs):
        moments = np.linalg.eigvalsh(side.inertia)
        unreal = moments[:, 2] > moments[:, :2].sum(axis=1) * (1.0 + _TRIANGLE_TOLERANCE)
        for finding, links in ((NO_BODY, unreal), (NO_MASS, side.mass == 0.0)):
            moved_by = [side.joint_names[link] for link in np.flatnonzero(links)]
            notes += [f"{finding}: links moved by {listed(moved_by)}"] if moved_by else []
    low, high = chain.all_limits.T
    around = np.abs(q) > 2 * np.pi
    out = np.flatnonzero((q < low) | (q > high))
    if not (out.size or around.any()):
        return tuple(notes)
    kinds = [JOINTS[joint] for joint in chain.all_joints]
    names = np.repeat(np.array(chain.all_joint_names, dtype=object), [kind.coordinates for kind in kinds])
    turning = np.concatenate([np.arange(kind.coordinates) < kind.turning for kind in kinds])
    beyond = [f"'{names[k]}' at {q[k]:g} ({low[k]:g} .. {high[k]:g})" for k in out]
    turned = [f"'{names[k]}' at {q[k]:g}" for k in np.flatnonzero(turning & around)]
    both = ((BEYOND, beyond), (IN_RADIANS, turned))
    return (*notes, *(f"{finding}: {listed(joints, _NAMED)}" for finding, joints in both if joints))


gravity = partial(vector, length=3, key="gravity", meaning="x, y, z in the base frame")
"""(3,) m/s^2, base frame."""
tip_vector = partial(vector, length=6, key="tip_vector", meaning="moment or angular, then force or linear")
"""(6,) a wrench or an acceleration, frame n+1."""


def drawn_in_words(draws: Mapping[str, bool]) -> str:
    """ "state, torque and contact were", of what was drawn, q, qd, tau or contact, and whether all of it."""
    parts = dict(draws)
    if parts.get("q") and parts.get("qd"):
        parts = {"state": True} | {name: all_ for name, all_ in parts.items() if name not in ("q", "qd")}
    words = {"tau": "torque"}
    names = [("" if all_ else "the rest of ") + words.get(key, key) for key, all_ in parts.items()]
    if not names:
        return ""
    *others, last = names
    return f"{', '.join(others)} and {last} were" if others else f"{last} was"


# -------- numbers of some joints, by name

Given: TypeAlias = "ArrayLike | Mapping[str, ArrayLike] | None"
"""A vector of the state: all its numbers, or the numbers of some joints by joint name."""


def overlaid(chain: Chain, key: str, *layers: Given) -> tuple[Numbers, NDArray[np.bool_]]:
    """q, qd, tau or qdd of several layers, a later one over an earlier; and whether one gives each number."""
    numbers = np.zeros(_shares(chain, key).total)
    filled = np.zeros(len(numbers), dtype=bool)
    for layer in layers:
        if isinstance(layer, Mapping):
            for place, share in shares(chain, key, layer):
                numbers[place], filled[place] = share, True
        elif layer is not None:
            numbers, filled = shared(chain, layer, key).copy(), np.ones(len(numbers), dtype=bool)
    return numbers, filled


def shares(
    chain: Chain, key: str, given: Mapping[str, ArrayLike], where: str = ""
) -> list[tuple[slice, Numbers]]:
    """Where the numbers of each named joint are in the vector `key`, and the numbers; messages call the
    mapping `where`, by default `key`."""
    where = where or key
    slices = places(chain, key) if given else {}
    names, shares_of = list(slices), []
    for name, value in given.items():
        if name not in slices:
            near = get_close_matches(str(name), names, n=3)
            near = near or [other for other in names if other.lower() == str(name).lower()]
            hint = (
                f"did you mean {' or '.join(map(repr, near))}?" if near else f"its joints are {listed(names)}"
            )
            raise InputError(f"{where}: there is no joint '{name}' in {chain.name}; {hint}")
        if (joints := chain.all_joint_names.count(name)) > 1:
            raise InputError(
                f"{where}: {joints} joints of {chain.name} are called '{name}'; give {key} as a list"
            )
        place = slices[name]
        count = place.stop - place.start
        kind = chain.all_joints[chain.all_joint_names.index(name)]
        if not count:
            raise InputError(f"{where}: joint '{name}' is {kind} and has no number in {key}; leave it out")
        share = f"{where} of joint '{name}'"
        shares_of.append((place, vector(np.atleast_1d(numbers(value, share)), count, share, kind)))
    return shares_of


def places(chain: Chain, key: str) -> dict[str, slice]:
    """Where in the vector `key`, q or one like qd, the numbers of each joint are, by the joint's name."""
    return dict(zip(chain.all_joint_names, _shares(chain, key).slices, strict=True))


def labels(chain: Chain, key: str = "qd") -> list[str]:
    """A name for every number of qd, tau and qdd, or of q: its joint's, numbered where the joint has more."""
    counts = zip(chain.all_joint_names, _shares(chain, key).counts, strict=True)
    return [
        name if count == 1 else f"{name}.{number}" for name, count in counts for number in range(1, count + 1)
    ]


def _shares(chain: Chain, key: str) -> Shares:
    return chain.all_q_shares if key == "q" else chain.all_qd_shares
