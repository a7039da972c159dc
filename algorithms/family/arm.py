"""The arm as the serial family sees it: links, the tree that they form, and the two ways through it.

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
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.blocks import Blocks, apply, times, transposed
from senn.algorithms.family.link import Constants, Rigid, SerialLink, directions, fixed
from senn.algorithms.kernels.joints import rotation as link_rotation
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.robots.joints import JOINTS

Vectors = list[Blocks]  # One small array per joint or link, in the order of the links
BASE = -1  # The parent of the first link
NOTHING_HELD = ContactShape("I", 0)  # A free tip, or one that is pressed with a given force


@dataclass(frozen=True, eq=False)
class SerialArm:
    """All links at one state."""

    links: list[SerialLink]
    gravity: Blocks  # (3,) in frame 1
    parents: tuple[int, ...]  # Parent of each link: an entry of `links`, or BASE
    last: int  # Entry of the last link of the main chain
    load: Blocks  # (6,) the given wrench that the end effector exerts, frame n+1 at O_{n+1}
    turning: Blocks | None = None
    """(3,) the angular velocity of the base, in frame 1; None: it rests."""

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the whole arm."""
        return sum(link.freedom.count for link in self.links)

    @property
    def weight(self) -> Blocks:
        """[0; -g] (6,) in frame 1, the acceleration of the base that stands for weight."""
        return np.concatenate([zeros(self, 3), -self.gravity])

    @property
    def main(self) -> range:
        """The entries of the main chain, base to tip."""
        return range(self.last + 1)

    @property
    def shares(self) -> list[slice]:
        """The rows of each joint in a flat vector."""
        bounds = accumulate((link.freedom.count for link in self.links), initial=0)
        return [slice(start, stop) for start, stop in pairwise(bounds)]

    def split(self, x: Blocks) -> Vectors:
        """The rows of each joint of a flat vector or of a matrix."""
        return [x[share] for share in self.shares]


def arm_of(problem: Problem, *, branched: bool = True) -> SerialArm:
    """The arm of a problem at its state, with the given part of the contact force; not `branched`:
    `InputError` if the robot has side branches."""
    chain, contact = problem.chain, problem.contact
    if not branched:
        side_tree.refuse(chain)
    gravity = chain.base_rotation.T @ problem.gravity
    parents = tuple(_parents(chain))
    load = contact.H @ contact.K_F if contact.shape == NOTHING_HELD else np.zeros(6)
    return at_state(constants(chain), problem.q, problem.qd, gravity, parents, chain.n - 1, load)


def constants(chain: Chain) -> list[Constants]:
    """Constants of all links: the main chain, then each branch behind its mount."""
    to_centre = chain.centre - chain.position  # from O_{i+1}, in frame i+1
    about = spatial.inertia(chain.mass, chain.inertia, to_centre)
    # A link without mass is beside the main chain, where no inverse is used.
    inverse = np.linalg.inv(np.where(chain.mass[:, None, None] > 0.0, chain.inertia, np.nan))
    responses = spatial.inverse_inertia(chain.mass, inverse, to_centre)
    links = [
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
    for branch in chain.branches:
        links += [_mount(branch), *constants(branch.chain)]
    return links


def _mount(branch: Branch) -> Constants:
    """Frame 1 of a branch, from the frame of its parent link. A mount has no mass and no inverse inertia."""
    place, undefined = branch.chain.base_rotation.T @ branch.chain.base_position, np.full(21, np.nan)
    nothing = Rigid(0.0, np.zeros(3), np.zeros(6))
    rotation = branch.chain.base_rotation
    return Constants("welded", 0.0, rotation, place, place, nothing, np.nan, undefined[:6], undefined)


def _parents(chain: Chain, parent: int = BASE, first: int = 0) -> Iterator[int]:
    """Parent of each entry of `constants`, numbered from `first`."""
    yield from (parent, *range(first, first + chain.n - 1))
    count = first + chain.n
    for branch in chain.branches:
        parents = [first + branch.at - 1, *_parents(branch.chain, count, count + 1)]
        yield from parents
        count += len(parents)


def at_state(
    of: Sequence[Constants],
    q: Blocks,
    qd: Blocks,
    gravity: Blocks,
    parents: tuple[int, ...] = (),
    last: int = BASE,
    load: Blocks | None = None,
    turning: Blocks | None = None,
) -> SerialArm:
    """The arm of these links at q and qd, flat, in their order; gravity (3,) in frame 1. Without `parents`
    they are a chain, without a `load` its tip is free.

    Per revolute joint: a sine, a cosine, 12 multiplications and 6 additions for C(i,i+1) = Rz(q_i) R_{i+1}.
    """
    links, first, first_rate = [], 0, 0
    for each in of:
        joint = JOINTS[each.joint]
        at, rate = q[first : first + joint.coordinates], qd[first_rate : first_rate + joint.degrees]
        first, first_rate = first + joint.coordinates, first_rate + joint.degrees
        if each.joint in (spatial.REVOLUTE, spatial.PRISMATIC):  # a turn about z leaves the third row alone
            rotation: Blocks = link_rotation(each.joint).evaluate(at, each.rotation)
        else:
            rotation = times(joint.turn(at, each.parameter), each.rotation)
        moved = None
        if fixed(joint.shift, joint.coordinates) is None:
            moved = apply(transposed(rotation), joint.shift(at, each.parameter))
        freedom = directions(joint.subspace, at, each.parameter)
        links.append(
            SerialLink(
                constants=each,
                rotation=rotation,
                position=each.position if moved is None else each.position + moved,
                moved=moved,
                freedom=freedom,
                complement=directions(joint.complement, at, each.parameter),
                rate=rate,
                drift=None if freedom.rows is not None else joint.drift(at, rate, each.parameter),
            )
        )
    parents = parents or tuple(range(BASE, len(links) - 1))
    last = len(links) - 1 if last == BASE else last
    load = np.zeros(6, dtype=gravity.dtype) if load is None else load
    return SerialArm(links, gravity, parents, last, load, turning)


def zeros(arm: SerialArm, *shape: int) -> Blocks:
    """Zeros of the number type of the arm."""
    return np.zeros(shape, dtype=arm.gravity.dtype)


def joined(parts: Sequence[ArrayLike]) -> Blocks:
    """One flat vector (or matrix) of the joints' shares."""
    return np.concatenate([np.asarray(part) for part in parts])


# ------------------------------------------------------- outward and inward through the tree


class ChildSums(dict[int, Any]):
    """For each link the sum of a quantity over its children, added up inward.

    On a chain that is one value handed on, and no addition.
    """

    def __init__(self, arm: SerialArm, nothing: Any, tip: Any = None) -> None:
        """Sums are `nothing` without children; that of the last link of the main chain starts with `tip`."""
        super().__init__({} if tip is None else {arm.last: tip})
        self._parents, self._nothing = arm.parents, nothing

    def __missing__(self, link: int) -> Any:
        return self._nothing

    def add(self, link: int, quantity: Any) -> None:
        """Add the quantity of a link at its parent."""
        parent = self._parents[link]
        self[parent] = self[parent] + quantity if parent in self else quantity


def inwards(arm: SerialArm) -> range:
    """The entries of all links, children before their parent."""
    return range(len(arm.links) - 1, -1, -1)


def ancestors(arm: SerialArm, link: int) -> list[int]:
    """The entries between a link and the base, its parent first."""
    entries = []
    while (link := arm.parents[link]) != BASE:
        entries.append(link)
    return entries


def from_link(arm: SerialArm, link: int) -> tuple[SerialArm, list[int]]:
    """The arm that begins with this link, and its entries in the whole arm."""
    places = {link: 0}
    for k in range(link + 1, len(arm.links)):
        if arm.parents[k] in places:
            places[k] = len(places)
    parents = tuple(places.get(arm.parents[entry], BASE) for entry in places)
    links = [arm.links[entry] for entry in places]
    return replace(arm, links=links, parents=parents, last=places.get(arm.last, BASE)), [*places]
