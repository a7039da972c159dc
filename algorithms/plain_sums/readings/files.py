"""The numbers of a problem file, as they stand there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from senn.algorithms.plain_sums.links import COORDINATES, RATES
from senn.algorithms.plain_sums.model import State
from senn.algorithms.plain_sums.turns import Array


def state(text: str, names: Sequence[str], kinds: Sequence[str], usual: State) -> State:
    """What the file says, and the rest, which has a default or was drawn, of `usual`.

    The joints of these names and types are those of q, in its order.
    """
    table = tomllib.loads(text)
    found: dict[str, Any] = {}
    for key, field in (("gravity", "gravity"), ("tip_vector", "x")):
        if key in table:
            found[field] = np.array(table[key], dtype=np.float64)
    for key in ("q", "qd", "tau", "qdd"):
        if key in table:
            counts = [(COORDINATES if key == "q" else RATES)[kind] for kind in kinds]
            found[key] = _numbers(table[key], names, counts, getattr(usual, key))
    contact = table.get("contact")
    if contact is not None:
        found["contact"] = {"kind": contact} if isinstance(contact, str) else contact
    return replace(usual, **found)


def _numbers(given: Any, names: Sequence[str], counts: Sequence[int], usual: Array) -> Array:
    if not isinstance(given, Mapping):
        return np.array(given, dtype=np.float64)
    found, start = np.array(usual), 0
    for name, count in zip(names, counts, strict=True):
        if name in given:
            found[start : start + count] = given[name]
        start += count
    return found
