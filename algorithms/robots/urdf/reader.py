"""URDF to `Chain`: links, inertials and the joints from the base to the tip; nothing else is read.

Links behind fixed joints are merged first, wherever they hang, into the link they are fixed to: a massless
link behind a fixed joint is fine, and the base needs no inertial. Revolute, continuous and prismatic joints
with any axis; planar joints, whose axis is the plane's normal; floating joints, of which one at the base
makes it a free base. What moves beside the path becomes branches (`senn.algorithms.robots.urdf.branches`);
everything else on or beside the path is refused by name.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots import chain_faults
from senn.algorithms.robots.bodies import Body, assemble
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.urdf.branches import branches
from senn.algorithms.robots.urdf.tree import Inertial, Joint, Tree, parse
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_MOVING = {
    "revolute": spatial.REVOLUTE,
    "continuous": spatial.REVOLUTE,
    "prismatic": spatial.PRISMATIC,
    "planar": "planar",
    "floating": "free",
}
_LISTED = 12  # links that a message lists


def read(path_or_text: str | Path, tip: str) -> Chain:
    """The chain from the base link to `tip`, whose frame is the end effector's (frame n+1).

    `InputError` names the link or joint that cannot be taken, and the way out.
    """
    tree = parse(path_or_text)
    if tip not in tree.inertials:
        raise InputError(f"{tree.name}: there is no link '{tip}' to be the tip; {_candidates(tree)}")
    path = _path(tree, tip)
    moving = [joint for joint in path if joint.type != "fixed"]
    if not moving:
        raise InputError(
            f"{tree.name}: no moving joint lies between the base and '{tip}'; {_candidates(tree)}"
        )
    _refuse_strays(tree, path[0].parent)
    way_out = "make joints fixed (their links are then merged), remove them, or choose another tip"
    way_out += f" ({_candidates(tree)})"
    sides, notes = branches(tree, path, _body, way_out)
    bodies: list[Body] = []
    rotation, position = np.eye(3), np.zeros(3)  # of the next joint's parent link, in the last body's frame
    for joint in path:
        position = position + rotation @ joint.position
        rotation = rotation @ joint.rotation
        if joint.type != "fixed":
            bodies.append(_body(tree, joint, rotation, position))
            rotation, position = np.eye(3), np.zeros(3)
    return assemble(tree.robot, bodies, rotation, position, sides, notes)


def candidates(path_or_text: str | Path) -> str:
    """A sentence that lists the links that can be the tip."""
    return _candidates(parse(path_or_text))


def _path(tree: Tree, tip: str) -> list[Joint]:
    path: list[Joint] = []
    seen, link = {tip}, tip
    while link in tree.above:
        joint = tree.above[link]
        path.append(joint)
        link = joint.parent
        if link in seen:
            raise InputError(
                f"{tree.name}: the joints above '{tip}' form a cycle at link '{link}'; a base is needed"
            )
        seen.add(link)
    path.reverse()
    for joint in path:
        if joint.mimic:
            raise InputError(
                f"{tree.name}: joint '{joint.name}' mimics another joint, which is not supported yet; "
                "remove <mimic>, or make the joint fixed"
            )
        _check_type(tree, joint)
    return path


def _check_type(tree: Tree, joint: Joint) -> None:
    if joint.type != "fixed" and joint.type not in _MOVING:
        raise InputError(
            f"{tree.name}: joint '{joint.name}' is of type '{joint.type}', which is not supported yet; "
            "supported are revolute, continuous, prismatic, planar, floating and fixed"
        )


def _refuse_strays(tree: Tree, base: str) -> None:
    reached = {base} | {joint.child for joint in _below(tree, base)}
    strays = [link for link in tree.inertials if link not in reached]
    if strays:
        raise InputError(
            f"{tree.name}: {', '.join(strays)} not connected to the base link '{base}'; join or remove"
        )


def _below(tree: Tree, link: str) -> Iterator[Joint]:
    stack = [link]
    while stack:
        for joint in tree.below[stack.pop()]:
            yield joint
            stack.append(joint.child)


def _body(tree: Tree, joint: Joint, rotation: Numbers, position: Numbers) -> Body:
    """The moving link below `joint` with everything fixed to it."""
    _check_type(tree, joint)
    axis = np.array([0.0, 0.0, 1.0]) if joint.type == "floating" else joint.axis
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise InputError(
            f"{tree.name}: joint '{joint.name}' has an axis of zero length; "
            'give <axis xyz="..."/> a direction'
        )
    merged = _merged(list(_fixed_to(tree, joint.child)))
    fault = chain_faults.inertial_fault(merged.mass, merged.inertia)
    if fault:
        raise InputError(f"{tree.name}: link '{joint.child}' (moved by joint '{joint.name}'): {fault}")
    return Body(
        joint_name=joint.name,
        joint=_MOVING[joint.type],
        axis=axis / length,
        rotation=rotation,
        position=position,
        mass=merged.mass,
        centre=merged.centre,
        inertia=merged.inertia,
    )


def _fixed_to(tree: Tree, link: str) -> Iterator[Inertial]:
    """Inertials of `link` and of all links fixed to it, in the frame of `link`."""
    stack = [(link, np.eye(3), np.zeros(3))]
    while stack:
        link, rotation, position = stack.pop()
        inertial = tree.inertials[link]
        if inertial is not None:
            yield Inertial(
                inertial.mass, position + rotation @ inertial.centre, rotation @ inertial.inertia @ rotation.T
            )
        stack += [
            (joint.child, rotation @ joint.rotation, position + rotation @ joint.position)
            for joint in tree.below[link]
            if joint.type == "fixed"
        ]


def _merged(parts: list[Inertial]) -> Inertial:
    if len(parts) == 1:
        return parts[0]
    mass = float(sum(part.mass for part in parts))
    if mass == 0.0:
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((part.mass * part.centre for part in parts), start=np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = spatial.tilde(part.centre - centre)
        inertia += part.inertia - part.mass * (arm @ arm)
    return Inertial(mass, centre, (inertia + inertia.T) / 2)


def _candidates(tree: Tree) -> str:
    leaves = [link for link in tree.inertials if not tree.below[link]]
    more = f" and {len(leaves) - _LISTED} more" if len(leaves) > _LISTED else ""
    return f"links at the end of a branch: {', '.join(leaves[:_LISTED]) or 'none'}{more}"
