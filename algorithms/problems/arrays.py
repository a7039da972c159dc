"""An arm in a problem file as its arrays: the fields of a `Chain`, in the paper's frames.

For arms that were made or altered in Python, which no other file says to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from senn.algorithms.robots.chain import Branch, Chain
from senn.traces.errors import InputError

_KEYS = tuple(one.name for one in fields(Chain) if one.init)
_TEXTS = ("joints", "joint_names", "notes")


def table(chain: Chain) -> dict[str, Any]:
    """The arm as the table of a file."""
    found = {name: getattr(chain, name) for name in _KEYS if name != "branches"}
    sides = [{"at": one.at, "chain": table(one.chain)} for one in chain.branches]
    return {**found, **({"branches": sides} if sides else {})}


def chain(given: Mapping[str, Any], where: str = "robot") -> Chain:
    """The arm of such a table; `InputError` names the key."""
    for key in given:
        if key not in _KEYS:
            raise InputError(f"{where}.{key} is not known; the keys are {', '.join(_KEYS)}")
    read = {key: _field(where, key, value) for key, value in given.items()}
    missing = [key for key in _KEYS[:9] if key not in read]
    if missing:
        raise InputError(f"{where}.{missing[0]} is missing; the keys are {', '.join(_KEYS)}")
    return Chain(**read)


def _field(where: str, key: str, value: Any) -> Any:
    if key == "name":
        if not isinstance(value, str):
            raise InputError(f"{where}.name is no text; write a text in quotes")
        return value
    if not isinstance(value, list):
        raise InputError(f"{where}.{key} is no list; write a list")
    if key in _TEXTS:
        if not all(isinstance(one, str) for one in value):
            raise InputError(f"{where}.{key} is no list of texts; write texts in quotes")
        return tuple(value)
    if key == "branches":
        return tuple(_branch(f"{where}.branches {number}", one) for number, one in enumerate(value, 1))
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{where}.{key} is no array of numbers; write rows of as many numbers each"
        ) from None


def _branch(where: str, given: Any) -> Branch:
    if not isinstance(given, Mapping) or set(given) != {"at", "chain"} or type(given["at"]) is not int:
        raise InputError(f"{where} has at, the number of a link, and chain, a table; and nothing else")
    if not isinstance(given["chain"], Mapping):
        raise InputError(f"{where}.chain is no table; write the keys of the robot")
    return Branch(given["at"], chain(given["chain"], f"{where}.chain"))
