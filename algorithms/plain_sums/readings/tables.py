"""An arm from the tables of a robot file, link by link as they stand there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np

from senn.algorithms.plain_sums.links import BASE, Arm, Link
from senn.algorithms.plain_sums.turns import Array, rpy, unit

_PARALLEL = ("spherical", "free", "welded")
"""Types without an axis, whose frame is the joint's."""


def arm(text: str) -> Arm:
    """The arm of a robot file."""
    table = tomllib.loads(text)
    links = _links(table, BASE, 0)
    main = len(table["link"])
    tip = table["tip"]
    return Arm(links, range(len(links)), main, main - 1, rpy(tip.get("rpy", _NONE)), _three(tip["origin"]))


_NONE = (0.0, 0.0, 0.0)


def _links(table: Mapping[str, Any], on: int, first: int) -> list[Link]:
    """Of a table of links and branches that hangs on link `on`; the numbers up to `first` are taken."""
    found = []
    for i, one in enumerate(table["link"]):
        xx, yy, zz, xy, xz, yz = (float(x) for x in one["inertia"])
        second = one.get("second_axis")
        found.append(
            Link(
                on=on if i == 0 else first + i - 1,
                kind=one["type"],
                turn=rpy(one.get("rpy", _NONE)),
                place=_three(one["origin"]),
                axis=np.array([0.0, 0.0, 1.0]) if one["type"] in _PARALLEL else unit(one["axis"]),
                second=None if second is None else unit(second),
                pitch=float(one.get("pitch", 0.0)),
                mass=float(one["mass"]),
                centre=_three(one["centre"]),
                inertia=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
            )
        )
    for branch in sorted(table.get("branch", []), key=lambda one: one["at"]):
        found += _links(branch, first + branch["at"] - 1, first + len(found))
    return found


def _three(numbers: Any) -> Array:
    return np.array([float(x) for x in numbers])
