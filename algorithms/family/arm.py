"""The arm as the serial family sees it: links, each with a few small arrays, and which hangs on which.

The main chain comes first, base to tip, then its side branches in the order of q; every link after the one
that it hangs on. A branch begins with a mount: a welded link without mass, which leads from the frame of the
link that it hangs on to its own frame 1.

Jain counts links from the tip and this project from the base: his phi(k+1,k) is `phi` of link i here, from
the link's outer point O_{i+1} (axes of frame i+1) to its inner one O_i (axes of frame i). Forces go inward by
phi, motions outward by its transpose. The joint's H_i (his H*(k)) is at O_i in frame i.

One departure: Jain has the inertia of a link about its inner point. Here it is about the outer one in frame
i+1, where it is constant whatever the joint, and it joins what comes from beyond before both go inward:
M(k) = phi M° phi', so all his sums are the same.

Every function runs on floats and on counted scalars: no comparison and no root depends on a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.robots.joints import JOINTS

Vectors = list[Blocks]
"""One small array per joint or link, in the order of the links."""
BASE = -1
"""What the first link hangs on."""
NOTHING_HELD = ContactShape("I", 0)
"""A free tip, or one that is pressed with a given force."""


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
    parents: tuple[int, ...]
    """Which entry of `links` each of them hangs on, or BASE."""
    last: int
    """Which entry is the last link of the main chain."""
    load: Blocks
    """(6,) the wrench that the end effector exerts whatever it does, frame n+1 at O_{n+1}."""

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the whole arm."""
        return sum(link.freedom.count for link in self.links)

    @property
    def main(self) -> range:
        """The entries of the main chain, base to tip."""
        return range(self.last + 1)

    @property
    def shares(self) -> list[slice]:
        """Which rows of a flat vector are those of which joint."""
        bounds = accumulate((link.freedom.count for link in self.links), initial=0)
        return [slice(start, stop) for start, stop in pairwise(bounds)]

    def split(self, x: Blocks) -> Vectors:
        """The joints' own rows of a flat vector or of a matrix."""
        return [x[share] for share in self.shares]


def arm_of(problem: Problem) -> Arm:
    """The arm of a problem at its state, the part of the contact force that is given with it."""
    chain, contact = problem.chain, problem.contact
    gravity = chain.base_rotation.T @ problem.gravity
    parents = tuple(_hung(chain))
    load = contact.H @ contact.K_F if contact.shape == NOTHING_HELD else np.zeros(6)
    return at_state(constants(chain), problem.q, problem.qd, gravity, parents, chain.n - 1, load)


def chain_of(problem: Problem) -> Arm:
    """The same, for who takes single chains; `InputError` for others."""
    side_tree.refuse(problem.chain)
    return arm_of(problem)


def constants(chain: Chain) -> list[Constants]:
    """Of all links: the main chain, then each branch behind its mount."""
    to_centre = chain.centre - chain.position  # from O_{i+1}, in frame i+1
    about = spatial.inertia(chain.mass, chain.inertia, to_centre)
    inverse = np.linalg.inv(chain.inertia)
    responses = spatial.inverse_inertia(chain.mass, inverse, to_centre)
    found = [
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
    for one in chain.branches:
        found += [_mount(one), *constants(one.chain)]
    return found


def _mount(of: Branch) -> Constants:
    """Frame 1 of a branch, from the frame of the link that it hangs on. Nothing has its inverse inertia."""
    place, nothing = of.chain.base_rotation.T @ of.chain.base_position, np.full(21, np.nan)
    return Constants(
        joint="welded",
        parameter=0.0,
        rotation=of.chain.base_rotation,
        position=place,
        centre=place,
        inertia=Rigid(0.0, np.zeros(3), np.zeros(6)),
        inverse_mass=np.nan,
        inverse_inertia=nothing[:6],
        tip_response=nothing,
    )


def _hung(chain: Chain, on: int = BASE, before: int = 0) -> Iterator[int]:
    """What each entry of `constants` hangs on; `before` entries come first."""
    yield from (on, *range(before, before + chain.n - 1))
    count = before + chain.n
    for one in chain.branches:
        hung = [before + one.at - 1, *_hung(one.chain, count, count + 1)]
        yield from hung
        count += len(hung)


def at_state(
    of: Sequence[Constants],
    q: Blocks,
    qd: Blocks,
    gravity: Blocks,
    parents: tuple[int, ...] = (),
    last: int = BASE,
    load: Blocks | None = None,
) -> Arm:
    """The arm of these links at q and qd, flat, in their order; gravity (3,) in frame 1. Without `parents`
    they are a chain, without a `load` its tip is free.

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
    parents = parents or tuple(range(BASE, len(links) - 1))
    last = len(links) - 1 if last == BASE else last
    return Arm(links, gravity, parents, last, np.zeros(6, dtype=gravity.dtype) if load is None else load)


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
