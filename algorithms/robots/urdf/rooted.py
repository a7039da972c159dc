"""A tree that stands on another of its links: joints on the way to it are traversed in reverse."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from senn.algorithms.robots.urdf.tree import Joint, Tree
from senn.traces.errors import InputError

REVERSED_PLANE = "planar, in reverse"
"""The type of a planar joint traversed in reverse, which is no planar joint."""


def root(tree: Tree, link: str) -> str:
    """The link at the top of the joints above `link`."""
    seen = {link}
    while link in tree.above:
        link = tree.above[link].parent
        if link in seen:
            raise InputError(f"{tree.name}: the joints above '{link}' form a cycle; a tree needs a root")
        seen.add(link)
    return link


def rooted(tree: Tree, base: str) -> Tree:
    """The same links, joints and motions, with `base` as the root.

    A joint above the base has its child as its parent then. It turns by its q about its axis reversed, so q
    keeps the sign of the URDF. What lies beyond a floating joint that would be reversed feels nothing of this
    side and is not joined to it any more.
    """
    if base not in tree.above:
        return tree
    root(tree, base)  # refuses a cycle
    reverse, link = {}, base
    while link in tree.above:
        reverse[link] = tree.above[link]
        link = tree.above[link].parent
    joints = [one for joint in tree.joints for one in _joined(joint, joint.child in reverse)]
    return tree.with_joints(joints, more=(one.child for one in joints if one.child not in tree.inertials))


def _joined(joint: Joint, in_reverse: bool) -> Iterator[Joint]:
    """The joints in the place of one: in reverse a joint at the child, where it has been at its motion's
    outer end, and from there the way back to the parent's frame, which is fixed."""
    if not in_reverse:
        yield joint
        return
    inward = joint.rotation.T
    back = replace(
        joint, parent=joint.child, child=joint.parent, rotation=inward, position=-(inward @ joint.position)
    )
    if joint.type == "floating":
        return
    if joint.type == "fixed":
        yield back
        return
    between = f"{joint.parent}, at joint {joint.name}"
    yield replace(
        joint,
        type=REVERSED_PLANE if joint.type == "planar" else joint.type,
        parent=joint.child,
        child=between,
        rotation=np.eye(3),
        position=np.zeros(3),
        axis=-joint.axis,
    )
    yield replace(back, name=between, type="fixed", parent=between)
