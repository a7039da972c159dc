"""The numbers of side branches: constants and state, a row per joint of a process's tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.arm.branch_values import LINK_INERTIA, Held
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.spatial import Numbers, pack


def memory(problem: Problem) -> Mapping[str, Numbers]:
    """The values by letter, each with a row per process; empty for a chain without branches."""
    chain = problem.chain
    trees = side_tree.structure(chain)
    if not trees:
        return {}
    held = Held(max(tree.size for tree in trees))
    found = {x: np.zeros((chain.n, *x.shape)) for x in (*held.all, LINK_INERTIA)}
    places, in_q = side_tree.places(chain), side_tree.places(chain, of_q=True)
    own = spatial.inertia(chain.mass, chain.inertia, chain.centre - chain.position)
    for tree in trees:
        bodies, place = side_tree.hanging(chain, tree.at), places[tree.at]
        rows = {
            held.q: problem.q[in_q[tree.at]],
            held.qd: problem.qd[place],
            held.tau: problem.tau[place],
            held.qdd: problem.qdd[place],
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
