"""What the processes of links with branches hold of them: constants and state, a row per joint.

Rows and frames are those of `senn.algorithms.robots.side_tree`; a process whose link has fewer joints than
the widest has rows of zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.spatial import Numbers, pack
from senn.machine.program import Resident, Value, Where, value

LINK_INERTIA = value("I_{i,i+1}.b", 21)  # of the link alone, about O_{i+1} in frame i+1


@dataclass(frozen=True)
class Held:
    """The values, for lanes of `width` joints."""

    width: int

    def _rows(self, letter: str, *shape: int) -> Value:
        return value(f"{letter}.b", self.width, *shape)

    @property
    def q(self) -> Value:
        return self._rows("q")

    @property
    def qd(self) -> Value:
        return self._rows("qd")

    @property
    def tau(self) -> Value:
        return self._rows("tau")

    @property
    def rotation(self) -> Value:
        return self._rows("R", 3, 3)

    @property
    def position(self) -> Value:
        return self._rows("P_0", 3)

    @property
    def inertia(self) -> Value:
        """About the body's origin, packed."""
        return self._rows("I", 21)

    @property
    def mass(self) -> Value:
        return self._rows("m")

    @property
    def centre(self) -> Value:
        return self._rows("S", 3)

    @property
    def central(self) -> Value:
        """J, about the centre of mass, packed."""
        return self._rows("J", 6)


def resident(width: int, where: Where, eliminating: int, moving: int, solving: int) -> tuple[Resident, ...]:
    """Who holds what; the arrays by the part of the work that they do."""
    held = Held(width)
    every = tuple(sorted({eliminating, moving, solving}))
    return (
        *(Resident(x, every, where) for x in (held.q, held.rotation, held.position)),
        *(Resident(x, (eliminating,), where) for x in (held.inertia, LINK_INERTIA)),
        *(Resident(x, (moving,), where) for x in (held.qd, held.mass, held.centre, held.central)),
        Resident(held.tau, (solving,), where),
    )


def memory(problem: Problem) -> Mapping[str, Numbers]:
    """The values by letter, each with a row per process; empty for a chain without branches."""
    chain = problem.chain
    trees = side_tree.structure(chain)
    if not trees:
        return {}
    held = Held(max(tree.size for tree in trees))
    values = (
        *(held.q, held.qd, held.tau, held.rotation, held.position),
        *(held.inertia, held.mass, held.centre, held.central, LINK_INERTIA),
    )
    found = {x: np.zeros((chain.n, *x.shape)) for x in values}
    places = side_tree.places(chain)
    own = spatial.inertia(chain.mass, chain.inertia, chain.centre - chain.position)
    for tree in trees:
        bodies, place = side_tree.hanging(chain, tree.at), places[tree.at]
        rows = {
            held.q: problem.q[place],
            held.qd: problem.qd[place],
            held.tau: problem.tau[place],
            held.rotation: bodies.rotation,
            held.position: bodies.position,
            held.inertia: pack(spatial.inertia(bodies.mass, bodies.inertia, bodies.centre)),
            held.mass: bodies.mass,
            held.centre: bodies.centre,
            held.central: pack(bodies.inertia),
        }
        for x, numbers in rows.items():
            found[x][tree.at - 1, : tree.size] = numbers
        found[LINK_INERTIA][tree.at - 1] = pack(own[tree.at - 1])
    return {x.letter: numbers for x, numbers in found.items()}
