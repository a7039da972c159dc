"""Side branches of a chain as small trees: which body hangs on which, and its constants in its own frame.

The frame of a body is its joint's frame (z on the joint) moving with the body, so that its constants do not
depend on q. The joint's frame at q = 0 is `rotation`, `position` in the frame of the body that it hangs on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from senn.algorithms.robots.chain import MOST_BRANCH_JOINTS, Chain
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError

BRANCH_QDD, BRANCH_QDD_0, BRANCH_TAU = "qdd of branches", "qdd0 of branches", "tau of branches"
"""Results of a program with branches: a row per link that has any, as wide as the widest."""


class Limb(NamedTuple):
    """The main chain of a tree, or one of its branches; bodies count in the order of q."""

    chain: Chain
    on: int  # The body that its first link hangs on, from 1; 0: what the whole tree hangs on
    before: int  # Bodies before its own

    @property
    def parents(self) -> tuple[int, ...]:
        """For each of its bodies the one that it hangs on."""
        return (self.on, *range(self.before + 1, self.before + self.chain.n))


def limbs(chain: Chain, on: int = 0, before: int = 0) -> Iterator[Limb]:
    """A chain, and after it all its branches, each before its own branches."""
    yield Limb(chain, on, before)
    count = before + chain.n
    for branch in chain.branches:
        for limb in limbs(branch.chain, before + branch.at, count):
            yield limb
            count += limb.chain.n


def limbs_at(chain: Chain, at: int) -> Iterator[Limb]:
    """The branches on link `at`, with their own, as a tree of their own."""
    count = 0
    for branch in chain.branches:
        if branch.at == at:
            for limb in limbs(branch.chain, 0, count):
                yield limb
                count += limb.chain.n


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


def hanging(chain: Chain, at: int) -> Bodies:
    """The bodies that hang on link `at` beside the main chain; the tree hangs on its frame at+1."""
    sides = [*limbs_at(chain, at)]
    rotation, position, centre, inertia = [], [], [], []  # rows are bodies
    outer: list[Numbers] = []  # axes of frame i+1 of each body in the body's own frame
    ends: list[Numbers] = []  # its origin, in frame i+1
    for side, on, _ in sides:
        turn = side.rotation
        base = side.base_rotation, side.base_position
        if on:
            base = outer[on - 1] @ base[0], outer[on - 1] @ (ends[on - 1] + base[1])
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
    )


def structure(chain: Chain) -> tuple[SideTree, ...]:
    """The side trees of a chain, in the order of their links and of q."""
    trees = []
    for at in dict.fromkeys(branch.at for branch in chain.branches):
        sides = [*limbs_at(chain, at)]
        joints = tuple(joint for limb in sides for joint in limb.chain.joints)
        trees.append(SideTree(at, joints, tuple(parent for limb in sides for parent in limb.parents)))
    return tuple(trees)


def places(chain: Chain, of_q: bool = False) -> dict[int, slice]:
    """Where the joints of each side tree are in qd, tau and qdd, or in q, by link: they follow one another
    after the main chain."""
    slices, start = {}, (chain.q_shares if of_q else chain.qd_shares).total
    for tree in structure(chain):
        stop = start + (tree.coordinates if of_q else tree.degrees)
        slices[tree.at], start = slice(start, stop), stop
    return slices


def joined(main: Numbers, lanes: Numbers, trees: Sequence[SideTree]) -> Numbers:
    """Joint accelerations of the main chain, then those of its branches, from the rows of a result."""
    return np.concatenate([main, *(row[: tree.degrees] for row, tree in zip(lanes, trees, strict=True))])


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
