"""The arm as the serial family sees it: a list of links, base to tip, each with a few small arrays.

Jain counts links from the tip and this project from the base: his phi(k+1,k) is `phi` of link i here, from
the link's outer point O_{i+1} (axes of frame i+1) to its inner one O_i (axes of frame i). Forces go inward by
phi, motions outward by its transpose. The joint's H_i (his H*(k)) is at O_i in frame i.

One departure: Jain has the inertia of a link about its inner point. Here it is about the outer one in frame
i+1, where it is constant whatever the joint, and it joins what comes from beyond before both go inward:
M(k) = phi M° phi', so all his sums are the same.

Every function runs on floats and on counted scalars: no comparison and no root depends on a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.blocks import Blocks, apply, times, transposed
from senn.algorithms.family.directions import Directions, directions, fixed
from senn.algorithms.family.rigid import Rigid
from senn.algorithms.kernels.link import ROTATION
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS

Vectors = list[Blocks]
"""One small array per joint or link, base to tip."""


@dataclass(frozen=True, eq=False)
class Constants:
    """Link i and its joint, apart from their state."""

    joint: str
    parameter: Any
    rotation: Blocks
    """(3, 3): R_{i+1}."""
    position: Blocks
    """(3,): P_i in frame i+1, before the joint moves O_i."""
    centre: Blocks
    """(3,): S_i, likewise."""
    inertia: Rigid
    """About O_{i+1}, frame i+1."""
    inverse_mass: Any
    inverse_inertia: Blocks
    """J_i^-1 (6,), packed, about the centre of mass, frame i+1."""
    tip_response: Blocks
    """I_{i,i+1}^-1 (21,), packed: the inverse of `inertia` as a 6x6 matrix."""


@dataclass(frozen=True, eq=False)
class Link:
    """Link i and its joint at one state."""

    constants: Constants
    rotation: Blocks
    """(3, 3): C(i,i+1)."""
    position: Blocks
    """(3,): P_i in frame i+1."""
    moved: Blocks | None
    """(3,): what the joint adds to P_i and S_i, frame i+1; None: nothing, ever."""
    freedom: Directions
    """H_i, frame i at O_i."""
    complement: Directions
    """W_i, likewise."""
    rate: Blocks
    """qd_i (n_i,)."""
    drift: Blocks | None
    """Hdot_i qd_i (6,); None: H_i is constant."""

    @property
    def inertia(self) -> Rigid:
        return self.constants.inertia


@dataclass(frozen=True, eq=False)
class Arm:
    """All links at one state."""

    links: list[Link]
    gravity: Blocks
    """(3,) in frame 1."""

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the whole arm."""
        return sum(link.freedom.count for link in self.links)

    @property
    def shares(self) -> list[slice]:
        """Which rows of a flat vector are those of which joint."""
        bounds = accumulate((link.freedom.count for link in self.links), initial=0)
        return [slice(start, stop) for start, stop in pairwise(bounds)]

    def split(self, x: Blocks) -> Vectors:
        """The joints' own rows of a flat vector or of a matrix."""
        return [x[share] for share in self.shares]


def arm_of(problem: Problem) -> Arm:
    """The arm of a problem at its state."""
    gravity = problem.chain.base_rotation.T @ problem.gravity
    return at_state(constants(problem.chain), problem.q, problem.qd, gravity)


def constants(chain: Chain) -> list[Constants]:
    """Of all links, base to tip."""
    side_tree.refuse(chain)
    to_centre = chain.centre - chain.position  # from O_{i+1}, in frame i+1
    about = spatial.inertia(chain.mass, chain.inertia, to_centre)
    inverse = np.linalg.inv(chain.inertia)
    responses = spatial.inverse_inertia(chain.mass, inverse, to_centre)
    return [
        Constants(
            joint=joint,
            parameter=chain.parameters[i],
            rotation=chain.rotation[i],
            position=chain.position[i],
            centre=chain.centre[i],
            inertia=Rigid(chain.mass[i], chain.mass[i] * to_centre[i], spatial.pack(about[i, :3, :3])),
            inverse_mass=1.0 / chain.mass[i],
            inverse_inertia=spatial.pack(inverse[i]),
            tip_response=spatial.pack(responses[i]),
        )
        for i, joint in enumerate(chain.joints)
    ]


def at_state(of: Sequence[Constants], q: Blocks, qd: Blocks, gravity: Blocks) -> Arm:
    """The arm of these links at q and qd, flat, base to tip; gravity (3,) in frame 1.

    Per revolute joint: a sine, a cosine, 12 multiplications and 6 additions for C(i,i+1) = Rz(q_i) R_{i+1}.
    """
    links, first, first_rate = [], 0, 0
    for each in of:
        joint = JOINTS[each.joint]
        own, rate = q[first : first + joint.coordinates], qd[first_rate : first_rate + joint.degrees]
        first, first_rate = first + joint.coordinates, first_rate + joint.degrees
        rotation = _rotation(each, own)
        moved = None
        if fixed(joint.shift, joint.coordinates) is None:
            moved = apply(transposed(rotation), joint.shift(own, each.parameter))
        freedom = directions(joint.subspace, own, each.parameter)
        links.append(
            Link(
                constants=each,
                rotation=rotation,
                position=each.position if moved is None else each.position + moved,
                moved=moved,
                freedom=freedom,
                complement=directions(joint.complement, own, each.parameter),
                rate=rate,
                drift=None if freedom.rows is not None else joint.drift(own, rate, each.parameter),
            )
        )
    return Arm(links, gravity)


def _rotation(of: Constants, q: Blocks) -> Blocks:
    """C(i,i+1) = E(q_i) R_{i+1}; the turn about z of a revolute joint leaves the third row alone."""
    if of.joint in (spatial.REVOLUTE, spatial.PRISMATIC):
        rotation: Blocks = ROTATION[of.joint].evaluate(q[0], of.rotation)
        return rotation
    return times(JOINTS[of.joint].turn(q, of.parameter), of.rotation)


def zeros(arm: Arm, *shape: int) -> Blocks:
    """Zeros of the kind of number the arm is made of."""
    return np.zeros(shape, dtype=arm.gravity.dtype)


def joined(parts: Sequence[ArrayLike]) -> Blocks:
    """One flat vector (or matrix) of the joints' shares."""
    return np.concatenate([np.asarray(part) for part in parts])
