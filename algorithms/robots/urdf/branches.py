"""What moves beside the path from the base to the tip of a URDF, as branches of the chain."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from senn.algorithms.robots.bodies import Body, assemble
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.robots.chain_faults import MOST_BRANCH_JOINTS
from senn.algorithms.robots.urdf.paths import reached
from senn.algorithms.robots.urdf.tree import Joint, Tree
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_MOVING = ("revolute", "continuous", "prismatic")
_LISTED = 12  # joints that a note or a message lists
BodyOf = Callable[[Tree, Joint, Numbers, Numbers], Body]


def branches(
    tree: Tree, base: str, path: Sequence[Joint], body: BodyOf
) -> tuple[tuple[Branch, ...], tuple[str, ...]]:
    """The branches of the chain along `path`, placed in its links' own frames, and notes: what hangs on the
    base and is left out, and which joints mimic others. `body` makes a body of a joint."""
    on_path = {joint.name for joint in path}
    moving = [joint for joint in path if joint.type != "fixed"]
    notes = _left_out(tree, base, on_path)
    found = []
    for at, joint in enumerate(moving, 1):
        beyond = list(_beyond(tree, joint.child, on_path))
        for one in beyond:
            if one.type not in _MOVING:
                raise InputError(
                    f"{tree.name}: joint '{one.name}' is of type '{one.type}' and branches off the chain to "
                    f"the tip, where joints are {', '.join(_MOVING)} or fixed; --lock '{one.name}' fixes it"
                )
        if len(beyond) > MOST_BRANCH_JOINTS:
            raise InputError(
                f"{tree.name}: {len(beyond)} joints ({_some(beyond)}) branch off the "
                f"chain to the tip at link '{joint.child}', and a link takes at most {MOST_BRANCH_JOINTS}; "
                "--lock some of them, as a pattern for their names, or choose another --tip or --base"
            )
        for root, rotation, position in _hanging(tree, joint.child, on_path):
            found.append(Branch(at, _chain(tree, root, rotation, position, body)))
        notes += [_mimics(one) for one in beyond if one.mimic]
    return tuple(found), tuple(notes)


def _left_out(tree: Tree, base: str, on_path: set[str]) -> list[str]:
    """What moves on the base, which does not, is a robot of its own; and so is what is not joined to it."""
    roots = [joint for joint, _, _ in _hanging(tree, base, on_path)]
    notes = []
    if roots:
        notes.append(
            f"left out, as it hangs on the base '{base}', which does not move, and so does not act on the "
            f"chain: what is beyond {_some(roots)}"
        )
    joined = reached(tree, base)
    strays = [link for link in tree.inertials if link not in joined and link not in tree.above]
    if strays:
        notes.append(f"left out, as not joined to the base '{base}': {', '.join(strays[:_LISTED])}")
    return notes


def _some(joints: Sequence[Joint]) -> str:
    more = f" and {len(joints) - _LISTED} more" if len(joints) > _LISTED else ""
    return f"{', '.join(joint.name for joint in joints[:_LISTED])}{more}"


def _mimics(joint: Joint) -> str:
    return (
        f"joint '{joint.name}' mimics another joint in the URDF; here it moves by itself, with a torque or "
        "force of its own"
    )


def _chain(tree: Tree, root: Joint, rotation: Numbers, position: Numbers, body: BodyOf) -> Chain:
    """The chain that begins with `root`: always on with the first joint that hangs on the last body, the
    others being branches of it."""
    bodies, sides = [body(tree, root, rotation, position)], []
    last = root
    while following := list(_hanging(tree, last.child, set())):
        (last, turn, shift), *others = following
        sides += [Branch(len(bodies), _chain(tree, *one, body)) for one in others]
        bodies.append(body(tree, last, turn, shift))
    return assemble(root.name, bodies, np.eye(3), np.zeros(3), sides)


def _hanging(tree: Tree, link: str, without: set[str]) -> Iterator[tuple[Joint, Numbers, Numbers]]:
    """The moving joints that hang on `link` or what is fixed to it, with the joint's frame in that of
    `link`."""
    stack = [(link, np.eye(3), np.zeros(3))]
    while stack:
        link, rotation, position = stack.pop(0)
        for joint in tree.below[link]:
            place = rotation @ joint.rotation, position + rotation @ joint.position
            if joint.type == "fixed":
                stack.append((joint.child, *place))
            elif joint.name not in without:
                yield joint, *place


def _beyond(tree: Tree, link: str, without: set[str]) -> Iterator[Joint]:
    """All moving joints beyond a link, but those `without` and what follows them."""
    for joint, _, _ in _hanging(tree, link, without):
        yield joint
        yield from _beyond(tree, joint.child, without)
