"""An arm from the arrays of a chain: of one that was made of arrays, and of no text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from senn.algorithms.plain_sums.links import BASE, Arm, Link
from senn.algorithms.plain_sums.turns import Array

if TYPE_CHECKING:
    from senn.algorithms.robots.chain import Chain


@dataclass(frozen=True, eq=False)
class Stacked:
    """The arrays of a chain, under the names that `senn.algorithms.robots.chain.Chain` has for them."""

    joints: tuple[str, ...]
    rotation: Array
    position: Array
    centre: Array
    mass: Array
    inertia: Array
    parameters: Array
    base_rotation: Array = field(default_factory=lambda: np.eye(3))
    base_position: Array = field(default_factory=lambda: np.zeros(3))
    branches: tuple[()] = ()


def arm(chain: Chain | Stacked) -> Arm:
    """The arm of the arrays: frame i+1 sits on link i."""
    links = _links(chain, BASE, np.eye(3), np.zeros(3), 0)
    main = len(chain.joints)
    turn = chain.rotation[-1]
    return Arm(links, range(len(links)), main, main - 1, turn, turn @ chain.position[-1])


def _links(chain: Chain | Stacked, on: int, turn: Array, place: Array, first: int) -> list[Link]:
    """Of a chain whose base is at `turn`, `place` of link `on`; the numbers up to `first` are taken."""
    found = []
    place, turn = place + turn @ chain.base_position, turn @ chain.base_rotation
    for i, kind in enumerate(chain.joints):
        outer, parameter = chain.rotation[i], float(chain.parameters[i])  # frame i+1 in that of link i
        second = np.array([np.sin(parameter), 0.0, np.cos(parameter)])
        found.append(
            Link(
                on=on if i == 0 else first + i - 1,
                kind=kind,
                turn=turn,
                place=place,
                second=second if kind == "universal" else None,
                pitch=parameter if kind == "helical" else 0.0,
                mass=float(chain.mass[i]),
                centre=outer @ chain.centre[i],
                inertia=outer @ chain.inertia[i] @ outer.T,
                frame=np.eye(3),
            )
        )
        turn, place = outer, outer @ chain.position[i]
    for branch in chain.branches:
        outer = chain.rotation[branch.at - 1]
        origin = outer @ chain.position[branch.at - 1]
        found += _links(branch.chain, first + branch.at - 1, outer, origin, first + len(found))
    return found
