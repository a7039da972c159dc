"""An arm as scalars: two screws per link and the constants of its mass, in axes that turn with the link."""

from dataclasses import dataclass

import numpy as np

from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers
from tests.oracles.economical.screws import Matrix, Scalar, Screw, Vector, X


@dataclass(frozen=True, eq=False)
class Link:
    """Link i in its own axes at O_i, z along joint i. From here to O_{i+1}: along and about x, then z."""

    across: Screw
    """About x by the twist, along x by the common normal: constants."""
    offset: Scalar
    """Along the next joint's axis."""
    position: Vector
    """P_i."""
    mass: Scalar
    moment: Vector
    """Mass times S_i."""
    second: Matrix
    """Second moments about O_i, the integral of r r'."""
    inertia: Matrix
    """About O_i: trace(second) U - second."""


def links_of(chain: Chain) -> list[Link]:
    """The links of an arm of revolute joints in Denavit-Hartenberg frames: x along the common normals."""
    return [_link(chain, i) for i in range(chain.n)]


def _link(chain: Chain, i: int) -> Link:
    rotation, position = chain.rotation[i], chain.position[i]
    cosine, sine = rotation[1, 1], rotation[2, 1]
    centre = rotation @ chain.centre[i]
    about_centre: Numbers = rotation @ chain.inertia[i] @ rotation.T
    second = np.trace(about_centre) / 2 * np.eye(3) - about_centre
    second = second + chain.mass[i] * np.outer(centre, centre)
    return Link(
        across=Screw(X, float(cosine), float(sine), float(position[0])),
        offset=float(position[2]),
        position=(rotation @ position).tolist(),
        mass=float(chain.mass[i]),
        moment=(chain.mass[i] * centre).tolist(),
        second=second.tolist(),
        inertia=(np.trace(second) * np.eye(3) - second).tolist(),
    )
