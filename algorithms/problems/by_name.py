"""Vectors of a state as users give them: all numbers in order, or those of some joints by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems import states
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.algorithms.robots.chain import Chain

Given: TypeAlias = "ArrayLike | Mapping[str, ArrayLike] | None"
"""A vector of the state: all its numbers, or by joint name those of some joints."""
_LISTED = 12  # joints that a message names


def overlaid(chain: Chain, key: str, below: ArrayLike, given: Given) -> ArrayLike:
    """The numbers `given` for q, qd, tau or qdd; where they are a mapping, the others are those `below`."""
    if not isinstance(given, Mapping):
        return below if given is None else given
    numbers = np.array(below, dtype=np.float64)
    for place, share in shares(chain, key, given):
        numbers[place] = share
    return numbers


def shares(chain: Chain, key: str, given: Mapping[str, ArrayLike]) -> list[tuple[slice, Numbers]]:
    """Where the numbers of each named joint are in the vector `key`, and the numbers."""
    where = places(chain, key)
    names, found = list(where), []
    for name, value in given.items():
        if name not in where:
            raise InputError(f"{key}: there is no joint '{name}' in {chain.name}; {_known(str(name), names)}")
        if (joints := chain.all_joint_names.count(name)) > 1:
            raise InputError(
                f"{key}: {joints} joints of {chain.name} are called '{name}'; give {key} as a list"
            )
        place = where[name]
        count = place.stop - place.start
        kind = chain.all_joints[chain.all_joint_names.index(name)]
        if not count:
            raise InputError(f"{key}: joint '{name}' is {kind} and has no number in {key}; leave it out")
        found.append((place, _share(value, count, f"{key} of joint '{name}'", kind)))
    return found


def _share(value: ArrayLike, count: int, where: str, kind: str) -> Numbers:
    return states.vector(np.atleast_1d(states.numbers(value, where)), count, where, kind)


def places(chain: Chain, key: str) -> dict[str, slice]:
    """Where in the vector `key`, q or one like qd, the numbers of each joint are, by the joint's name."""
    counts = _counts(chain, key)
    ends = np.cumsum(counts).tolist()
    starts = (end - count for end, count in zip(ends, counts, strict=True))
    return dict(zip(chain.all_joint_names, map(slice, starts, ends), strict=True))


def labels(chain: Chain) -> list[str]:
    """A name for every number of qd, tau and qdd: its joint's, and which of the joint's where it has more."""
    counts = zip(chain.all_joint_names, _counts(chain, "qd"), strict=True)
    return [
        name if count == 1 else f"{name}.{number}" for name, count in counts for number in range(1, count + 1)
    ]


def _counts(chain: Chain, key: str) -> list[int]:
    own = chain.q_shares if key == "q" else chain.qd_shares
    return [*own.counts.tolist(), *(n for one in chain.branches for n in _counts(one.chain, key))]


def _known(name: str, names: Sequence[str]) -> str:
    """The names that may have been meant."""
    near = get_close_matches(name, names, n=3) or [one for one in names if name.lower() == one.lower()]
    if near:
        return f"did you mean {' or '.join(repr(one) for one in near)}?"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"its joints are {', '.join(names[:_LISTED])}{more}"
