"""Side branches of a chain as small trees: which body hangs on which, and its constants in its own frame.

The frame of a body is its joint's frame (z on the joint) moving with the body, so that its constants do not
depend on q. The joint's frame at q = 0 is `rotation`, `position` in the frame of the body that it hangs on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from senn.algorithms.robots.chain import MOST_BRANCH_JOINTS, Chain, Limb
from senn.algorithms.robots.joints import JOINTS, Shares
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError

BRANCH_QDD, BRANCH_QDD_0, BRANCH_TAU = "qdd of branches", "qdd0 of branches", "tau of branches"
"""Results of a program with branches: a row per link that has any, as wide as the widest."""


class SideTree(NamedTuple):
    """All branches on link `at` of the main chain together: structure, no numbers."""

    at: int
    joints: tuple[str, ...]  # Types, in the order of q; none is welded
    parents: tuple[int, ...]
    """For each joint the body that it hangs on: 0 the link itself, k the body of joint k of this tree."""

    @property
    def size(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def coordinates(self) -> int:
        """Numbers of q."""
        return sum(JOINTS[joint].coordinates for joint in self.joints)

    @property
    def degrees(self) -> int:
        """Numbers of qd, tau and qdd."""
        return sum(JOINTS[joint].degrees for joint in self.joints)


@dataclass(frozen=True, eq=False)
class Bodies:
    """The bodies of a tree, a row each; one that others hang on comes before them."""

    rotation: Numbers  # (k, 3, 3): axes of the joint's frame in the frame of the body that it hangs on
    position: Numbers
    """(k, 3) m: the joint's frame at q = 0, from the origin of the body that it hangs on, in its frame."""
    mass: Numbers  # (k,) kg
    centre: Numbers  # (k, 3) m: from the body's origin, in its frame
    inertia: Numbers  # (k, 3, 3) kg m^2 about the centre of mass, in the body's frame
    parameters: Numbers  # (k,): of the joints, as `Chain` has them
    in_q: slice  # Where the numbers of the joints are in q
    in_qd: slice  # Where they are in qd, tau and qdd


def hanging(chain: Chain, at: int) -> Bodies:
    """The bodies that hang on link `at` beside the main chain; the tree hangs on its frame at+1."""
    sides = [limb for limb in chain.limbs if limb.at == at]
    before = sides[0].before
    rotation, position, centre, inertia = [], [], [], []  # rows are bodies
    outer: list[Numbers] = []  # axes of frame i+1 of each body in the body's own frame
    ends: list[Numbers] = []  # its origin, in frame i+1
    for side, _, on, _ in sides:
        turn = side.rotation
        base = side.base_rotation, side.base_position
        if on > before:
            place = on - before - 1
            base = outer[place] @ base[0], outer[place] @ (ends[place] + base[1])
        outer += [*turn]
        ends += [*side.position]
        rotation += [base[0], *turn[:-1]]
        position += [base[1], *map(np.matmul, turn[:-1], side.position[:-1])]
        centre += [*map(np.matmul, turn, side.centre)]
        inertia += [axes @ inner @ axes.T for axes, inner in zip(turn, side.inertia, strict=True)]
    return Bodies(
        rotation=np.array(rotation),
        position=np.array(position),
        mass=np.concatenate([limb.chain.mass for limb in sides]),
        centre=np.array(centre),
        inertia=np.array(inertia),
        parameters=np.concatenate([limb.chain.parameters for limb in sides]),
        in_q=_from_to(sides, chain.all_q_shares),
        in_qd=_from_to(sides, chain.all_qd_shares),
    )


def _from_to(sides: Sequence[Limb], shares: Shares) -> slice:
    return slice(sides[0].share(shares).start, sides[-1].share(shares).stop)


def structure(chain: Chain) -> tuple[SideTree, ...]:
    """The side trees of a chain, in the order of their links and of q."""
    trees = []
    for at, group in groupby(chain.limbs[1:], key=lambda limb: limb.at):
        sides = [*group]
        joints = tuple(joint for limb in sides for joint in limb.chain.joints)
        parents = (max(on - sides[0].before, 0) for limb in sides for on in limb.parents)
        trees.append(SideTree(at, joints, tuple(parents)))
    return tuple(trees)


def check_side_trees(trees: Sequence[SideTree], n: int) -> None:
    """`InputError` for what cannot be the side trees of a chain of n links."""
    movable = [name for name, joint in JOINTS.items() if joint.degrees]
    links = [tree.at for tree in trees]
    if links != sorted(set(links)) or not set(links) <= set(range(1, n + 1)):
        raise InputError(
            f"branches at the links {links}: one entry per link is needed, in ascending order, of 1..{n}"
        )
    for tree in trees:
        if not 1 <= tree.size <= MOST_BRANCH_JOINTS:
            raise InputError(
                f"branches at link {tree.at}: {tree.size} joints; a link takes 1 to {MOST_BRANCH_JOINTS}"
            )
        if not set(tree.joints) <= set(movable):
            raise InputError(f"branches at link {tree.at}: joints are {', '.join(movable)}")
        if len(tree.parents) != tree.size or not all(0 <= p <= k for k, p in enumerate(tree.parents)):
            raise InputError(
                f"branches at link {tree.at}: parents {tree.parents}; each joint hangs on the link (0) or on "
                "an earlier joint's body"
            )


def refuse(chain: Chain) -> None:
    """`InputError` for a chain with branches: for a solver of single chains."""
    if chain.branches:
        raise InputError(
            f"robot '{chain.name}' has side branches, which this solver does not take; use articulated "
            "bodies or the constraint force algorithm"
        )
