"""URDF to `Chain`: links, inertials and the joints from the base to the tip; nothing else is read.

Links behind fixed joints are merged first, wherever they hang, into the link they are fixed to: a massless
link behind a fixed joint is fine, and the base needs no inertial. Revolute, continuous and prismatic joints
with any axis; planar joints, whose axis is the plane's normal; floating joints, of which one at the base
makes it a free base. What moves beside the path becomes branches (`senn.algorithms.robots.urdf`);
what hangs on the base, which does not move, is left out, with a note. A `Part` says which link is the base,
which the tip, and what is locked and where; everything else is refused by name, with the option that helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots.bodies import Body, assemble
from senn.algorithms.robots.chain import MOST_BRANCH_JOINTS, Branch, Chain, Written, inertial_fault
from senn.algorithms.robots.urdf_part import WHOLE, Part, locked, path_to, reached, rooted, the_base, the_tip
from senn.algorithms.robots.urdf_tree import MOVING, Inertial, Joint, LinkTree, parse
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError, listed, within

__all__ = ["WHOLE", "Part", "links", "read"]

_HERE = np.eye(3), np.zeros(3)  # the axes and the origin of a frame in itself
_Hanging: TypeAlias = tuple[Joint, Numbers, Numbers]
"""A moving joint, and the axes and the origin of its frame in that of the link it hangs on."""


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def read(path_or_text: str | Path, part: Part | str = WHOLE) -> Chain:
    """The chain from the base to the tip, whose frame is the end effector's (frame n+1).

    A text in place of a `Part` is the tip. The base's frame is that of the link it is. `InputError` names the
    link or joint that cannot be taken, and the way out.
    """
    part = Part(tip=part) if isinstance(part, str) else part
    file = parse(path_or_text)
    with within(file.name):
        tree, notes = locked(file, part)
        base = the_base(tree, part)
        if part.base is not None:
            notes += (f"the base is link '{base}': gravity and the base frame are in its axes",)
        tree = rooted(tree, base)
        tip, tip_notes = the_tip(tree, base, part.tip)
        path = [joint for joint in path_to(tree, base, tip) if joint.type != "fixed"]
        for joint in path:
            if joint.mimic:
                raise InputError(
                    f"joint '{joint.name}' mimics joint '{joint.mimic.joint}', and on the path to "
                    f"the tip that is not supported; --lock '{joint.name}' fixes it where it stands"
                )
        branch_notes = _beside(tree, base, path)
        names = [joint.name for joint in path]
        first = next(hanging for hanging in _hanging(tree, base) if hanging[0].name == names[0])
        chain = _chain(tree, first, names, tip)
        idle = [name for name in part.at if not part.locks(name) and name not in chain.all_joint_names]
        if idle:
            branch_notes += (f"where {listed(idle)} stands changes nothing, as that is left out",)
        chain = replace(chain, notes=(*notes, *tip_notes, *branch_notes))
        return chain.as_written(Written("urdf", file.content, tip, base, part.lock, part.at))


def links(path_or_text: str | Path, part: Part = WHOLE) -> list[tuple[str, Joint | None, int, bool]]:
    """Every link that the base carries: its name, the joint above it, how many joints move it, and whether
    nothing hangs on it; the base first, in the order of the file. What the part locks is fixed."""
    whole = parse(path_or_text)
    with within(whole.name):
        file, _ = locked(whole, part)
        base = the_base(file, part)
        tree = rooted(file, base)
    moved = reached(tree, base)
    names = [base, *(link for link in file.inertials if link in moved and link != base)]
    rows = []
    for link in names:
        above = tree.above.get(link)
        if above and above.parent not in file.inertials:  # the place of a joint in reverse
            above = tree.above[above.parent]
        rows.append((link, above, moved[link], not tree.below[link]))
    return rows


def _body(tree: LinkTree, joint: Joint, rotation: Numbers, position: Numbers, beside: bool) -> Body:
    """The moving link below `joint` with everything fixed to it."""
    if joint.type not in MOVING:
        raise InputError(
            f"joint '{joint.name}' is of type '{joint.type}', which is not supported yet; "
            "supported are revolute, continuous, prismatic, planar, floating and fixed; "
            f"--lock '{joint.name}' fixes it"
        )
    axis = np.array([0.0, 0.0, 1.0]) if joint.type == "floating" else joint.axis
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise InputError(
            f"joint '{joint.name}' has an axis of zero length, and moves nothing; "
            f"--lock '{joint.name}' fixes it"
        )
    merged = _merged(tree, joint.child)
    beyond = [f"'{outer.name}'" for outer in tree.below[joint.child] if outer.type != "fixed"]
    way_out = f"--lock '{joint.name}' makes it a part of '{joint.parent}'"
    way_out += f", or lock what it carries ({', '.join(beyond)})" if beyond else ""
    fault = inertial_fault(merged.mass, merged.inertia, way_out)
    if fault and not (beside and beyond and merged.mass == 0.0 and not merged.inertia.any()):
        raise InputError(f"link '{joint.child}' (moved by joint '{joint.name}'): {fault}")
    return Body(
        joint_name=joint.name,
        joint=MOVING[joint.type],
        axis=axis / length,
        rotation=rotation,
        position=position,
        mass=merged.mass,
        centre=merged.centre,
        inertia=merged.inertia,
        limits=joint.limits,
    )


def _merged(tree: LinkTree, link: str) -> Inertial:
    """The inertial of `link` and of all links fixed to it together, in the frame of `link`."""
    parts: list[Inertial] = []
    stack = [(link, np.eye(3), np.zeros(3))]
    while stack:
        link, rotation, position = stack.pop()
        if (inertial := tree.inertials[link]) is not None:
            centre, inertia = position + rotation @ inertial.centre, rotation @ inertial.inertia @ rotation.T
            parts.append(Inertial(inertial.mass, centre, inertia))
        stack += [
            (joint.child, rotation @ joint.rotation, position + rotation @ joint.position)
            for joint in tree.below[link]
            if joint.type == "fixed"
        ]
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


# -------- the path from the base to the tip, and branches: what moves beside it


def _beside(tree: LinkTree, base: str, path: Sequence[Joint]) -> tuple[str, ...]:
    """Notes: what hangs on the base and is left out, and which joints of branches mimic others. A link that
    carries too many joints beside the path is refused."""
    on_path = {joint.name for joint in path}
    roots = [joint.name for joint, _, _ in _hanging(tree, base) if joint.name not in on_path]
    notes = []
    if roots:
        notes.append(
            f"left out, as it hangs on the base '{base}', which does not move, and so does not act on the "
            f"chain: what is beyond {listed(roots)}"
        )
    joined = reached(tree, base)
    strays = [link for link in tree.inertials if link not in joined and link not in tree.above]
    if strays:
        notes.append(f"left out, as not joined to the base '{base}': {listed(strays)}")
    for joint in path:
        beyond: list[Joint] = []
        links = [joint.child]
        while links:
            below = [outer for outer in tree.below[links.pop()] if outer.name not in on_path]
            links += [outer.child for outer in reversed(below)]
            beyond += [outer for outer in below if outer.type != "fixed"]
        if len(beyond) > MOST_BRANCH_JOINTS:
            raise InputError(
                f"{len(beyond)} joints ({listed([outer.name for outer in beyond])}) branch off the "
                f"chain to the tip at link '{joint.child}', and a link takes at most {MOST_BRANCH_JOINTS}; "
                "--lock some of them, as a pattern for their names, or choose another --tip or --base"
            )
        notes += [
            f"joint '{outer.name}' mimics another joint in the URDF; here it moves by itself, with a torque "
            "or force of its own"
            for outer in beyond
            if outer.mimic
        ]
    return tuple(notes)


def _chain(tree: LinkTree, root: _Hanging, path: Sequence[str] = (), tip: str = "") -> Chain:
    """The chain that begins with `root`, the joint and its place: on along the joints of a path to the tip,
    or, of a branch, always with the first joint that hangs on the last body; the others begin branches."""
    bodies: list[Body] = []
    sides: list[Branch] = []
    following: _Hanging | None = root
    while following:
        bodies.append(_body(tree, *following, beside=not path))
        last, hanging = following[0].child, [*_hanging(tree, following[0].child)]
        following = next((one for one in hanging if not path or one[0].name in path), None)
        sides += [Branch(len(bodies), _chain(tree, one)) for one in hanging if one is not following]
    end = next(((turn, place) for link, turn, place in _rigid(tree, last) if link == tip), _HERE)
    return assemble(tree.robot if path else root[0].name, bodies, *end, sides)


def _hanging(tree: LinkTree, link: str) -> Iterator[_Hanging]:
    """The moving joints on `link` or what is fixed to it, with the joint's frame in that of `link`."""
    for carrier, rotation, position in _rigid(tree, link):
        for joint in tree.below[carrier]:
            if joint.type != "fixed":
                yield joint, rotation @ joint.rotation, position + rotation @ joint.position


def _rigid(tree: LinkTree, link: str) -> Iterator[tuple[str, Numbers, Numbers]]:
    """A link and all links fixed to it, with their frames in its own."""
    links = [(link, *_HERE)]
    for inner, rotation, position in links:
        yield inner, rotation, position
        links += [
            (joint.child, rotation @ joint.rotation, position + rotation @ joint.position)
            for joint in tree.below[inner]
            if joint.type == "fixed"
        ]
