"""A tree whose locked joints are fixed where they stand."""

from dataclasses import replace

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.urdf.part import Part
from senn.algorithms.robots.urdf.tree import MOVING, Joint, Tree
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_LISTED = 12  # joints that a message or a note lists
_UNIT_TOLERANCE = 1e-6  # of the length of a quaternion


def locked(tree: Tree, part: Part) -> tuple[Tree, tuple[str, ...]]:
    """The tree in which the joints that the part locks are fixed, and a sentence that says so.

    A joint stands where the part says; where it follows another one (mimic) that is locked too, there; or at
    0, or the limit next to it.
    """
    joints = {joint.name: joint for joint in tree.above.values()}
    for name in part.at:
        if name not in joints or joints[name].type == "fixed":
            there = f"joint '{name}' is fixed" if name in joints else f"there is no joint '{name}'"
            raise InputError(f"{tree.name}: at: {there}; {_moving(joints)}")
    for pattern in part.lock:
        alone = Part(lock=(pattern,))
        if not any(alone.locks(name) for name, joint in joints.items() if joint.type != "fixed"):
            raise InputError(
                f'{tree.name}: lock: "{pattern}" is the whole name of no joint that moves; write .* for what '
                f"may be anything; {_moving(joints)}"
            )
    chosen = {name: joint for name, joint in joints.items() if joint.type != "fixed" and part.locks(name)}
    if not chosen:
        return tree, ()
    stands = {name: _standing(tree, name, joints, chosen, part) for name in chosen}
    fixed = {name: _fixed(tree, joint, stands[name]) for name, joint in chosen.items()}
    return tree.with_joints(fixed.get(joint.name, joint) for joint in tree.above.values()), (_note(stands),)


def _standing(
    tree: Tree, name: str, joints: dict[str, Joint], chosen: dict[str, Joint], part: Part
) -> tuple[float, ...]:
    """Coordinates of a locked joint."""
    joint, seen = joints[name], {name}
    if name in part.at:
        return part.at[name]
    factor, offset = 1.0, 0.0
    while joint.mimic is not None and joint.mimic.joint in chosen and joint.mimic.joint not in seen:
        offset += factor * joint.mimic.offset
        factor *= joint.mimic.multiplier
        joint = joints[joint.mimic.joint]
        seen.add(joint.name)
        if joint.name in part.at:
            break
    if joint.type not in MOVING:
        return ()
    kind = JOINTS[MOVING[joint.type]]
    if kind.coordinates > 1:
        return (1.0,) * kind.quaternion + (0.0,) * (kind.coordinates - kind.quaternion)
    low, high = joint.limits
    value = part.at[joint.name][0] if joint.name in part.at else min(max(0.0, low), high)
    return (factor * value + offset,)


def _fixed(tree: Tree, joint: Joint, stands: tuple[float, ...]) -> Joint:
    """The joint with its motion made part of its place."""
    if joint.type not in MOVING:
        if stands:
            raise InputError(
                f"{tree.name}: at: joint '{joint.name}' is of type '{joint.type}', which is not known here; "
                "lock it where it is drawn, at no value"
            )
        return replace(joint, type="fixed")
    kind = JOINTS[MOVING[joint.type]]
    q = np.array(stands)
    if len(q) != kind.coordinates:
        raise InputError(
            f"{tree.name}: at: joint '{joint.name}' has {len(q)} numbers, and a {kind.name} joint stands at "
            f"{kind.coordinates}"
        )
    if kind.quaternion and abs(np.linalg.norm(q[:4]) - 1.0) > _UNIT_TOLERANCE:
        raise InputError(
            f"{tree.name}: at: the quaternion w x y z of joint '{joint.name}' has length "
            f"{np.linalg.norm(q[:4]):g}, expected 1; divide it by that"
        )
    length = float(np.linalg.norm(joint.axis))
    frame: Numbers = np.eye(3)
    if length and joint.type != "floating":
        frame = spatial.rotation_to(joint.axis / length)
    none = np.zeros(())
    turn, shift = kind.turn(q, none), kind.shift(q, none)
    return replace(
        joint,
        type="fixed",
        rotation=joint.rotation @ (frame @ turn @ frame.T),
        position=joint.position + joint.rotation @ (frame @ shift),
    )


def _note(stands: dict[str, tuple[float, ...]]) -> str:
    moved = [f"'{name}' at {' '.join(f'{x:g}' for x in q)}" for name, q in stands.items() if any(q)]
    still = [f"'{name}'" for name, q in stands.items() if not any(q)]
    shown = [*moved, *still][:_LISTED]
    more = f" and {len(stands) - len(shown)} more" if len(stands) > len(shown) else ""
    others = " (where no place is said: at 0)" if still else ""
    return f"locked, and their links one with what they hang on: {', '.join(shown)}{more}{others}"


def _moving(joints: dict[str, Joint]) -> str:
    names = [name for name, joint in joints.items() if joint.type != "fixed"]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"joints that move: {', '.join(names[:_LISTED]) or 'none'}{more}"
