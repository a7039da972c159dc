"""Which part of a robot is the arm: between which links, what is locked, and where joints stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots.joints import JOINTS, UNIT_TOLERANCE
from senn.algorithms.robots.urdf_tree import MOVING, Joint, LinkTree
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError, listed

Standing = Mapping[str, tuple[float, ...]]
"""By the name of a joint its coordinates, as many as its type has: rad or m, quaternions w x y z."""


@dataclass(frozen=True)
class Part:
    """The part of a robot that is the arm; `Part.of` makes it from what a user writes."""

    tip: str | None = None
    """The link whose frame is the end effector's; None: the only link at the end of a chain."""
    base: str | None = None  # The link that does not move; None: the root of the file
    lock: tuple[str, ...] = ()  # Regular expressions for whole names of joints: those do not move
    at: Standing = field(default_factory=dict)
    """Where joints stand, be they locked or not."""

    @classmethod
    def of(
        cls,
        tip: str | None = None,
        base: str | None = None,
        lock: str | Sequence[str] | None = None,
        at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None = None,
    ) -> Part:
        """From what a user writes.

        `lock` is a pattern or several; `at` a mapping from joints to a number, or to several of a joint of
        several coordinates, or texts "JOINT=VALUE". One text may hold several of those, parted by commas;
        the numbers of one joint are parted by spaces. `InputError` says what is wrong.
        """
        patterns = tuple(lock) if isinstance(lock, list | tuple) else () if lock is None else (lock,)
        for pattern in patterns:
            _refuse_pattern(pattern)
        return cls(tip, base, patterns, _standing(at))

    def locks(self, joint: str) -> bool:
        """Whether the joint of this name is locked."""
        return any(re.fullmatch(pattern, joint) for pattern in self.lock)

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the fields that are set."""
        return tuple(name for name in ("tip", "base", "lock", "at") if getattr(self, name))


WHOLE = Part()
"""Nothing chosen."""


_REPEAT = re.compile(r"(?<!\()[*+?{]")
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_MOST_REPEATS, _MOST_GROUPS = 4, 8
"""Of a pattern: the time of a search grows with powers of these, and exponentially with a repeated group."""


def _refuse_pattern(pattern: object) -> None:
    if not isinstance(pattern, str):
        raise InputError(f"lock: {pattern!r} is no text; write the name of a joint, or a pattern for names")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f'lock: "{pattern}" is no regular expression ({error}); write a joint\'s name, or a pattern such '
            'as "left_.*"'
        ) from None
    groups = pattern.count("(")
    alternatives = [pattern] if groups else pattern.split("|")  # without groups their times add up
    repeats = max(len(_REPEAT.findall(text)) for text in alternatives)
    if repeats > _MOST_REPEATS or groups > _MOST_GROUPS or _REPEATED_GROUP.search(pattern):
        raise InputError(
            f'lock: "{pattern}" repeats a group, or has more than {_MOST_REPEATS} repeats or {_MOST_GROUPS} '
            "groups: a search may never end; write it more simply, or give several patterns"
        )


def _standing(
    at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None,
) -> dict[str, tuple[float, ...]]:
    if isinstance(at, Mapping):
        return {name: _values(name, value) for name, value in at.items()}
    positions: dict[str, tuple[float, ...]] = {}
    texts = (at,) if isinstance(at, str) else at or ()
    for word in (word for text in texts for word in str(text).split(",")):
        name, _, value = (part.strip() for part in word.rpartition("="))
        try:
            numbers = [float(number) for number in value.split()]
        except ValueError:
            numbers = []
        if not (name and numbers):
            raise InputError(
                f'at: "{word.strip()}" is not JOINT=VALUE; write a number of rad or m, as elbow=0.5, or all '
                'numbers of the joint, as "root=1 0 0 0 0 0 0.5"'
            )
        if name in positions:
            raise InputError(f'at: joint "{name}" is given twice; drop one')
        positions[name] = _values(name, numbers)
    return positions


def _values(name: object, value: object) -> tuple[float, ...]:
    numbers = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Real) or not isfinite(number):
            raise InputError(f'at: joint "{name}" stands at {number!r}; write a finite number of rad or m')
    return tuple(map(float, numbers))


# -------- locked joints

_MANY = 12  # links at ends of chains


def locked(tree: LinkTree, part: Part) -> tuple[LinkTree, tuple[str, ...]]:
    """The tree in which the joints that the part locks are fixed, and a sentence that says so.

    A joint stands where the part says; where it follows another one (mimic) that is locked too, there; or at
    0, or the limit next to it.
    """
    joints = {joint.name: joint for joint in tree.above.values()}
    moving = {name: joint for name, joint in joints.items() if joint.type != "fixed"}
    choice = f"joints that move: {listed([*moving])}"
    for name in part.at:
        if name not in moving:
            fault = f"joint '{name}' is fixed" if name in joints else f"there is no joint '{name}'"
            raise InputError(f"at: {fault}; {choice}")
    for pattern in part.lock:
        if not any(map(Part(lock=(pattern,)).locks, moving)):
            raise InputError(
                f'lock: "{pattern}" is the whole name of no joint that moves; write .* for what '
                f"may be anything; {choice}"
            )
    stopped = {name: joint for name, joint in moving.items() if part.locks(name)}
    if not stopped:
        return tree, ()
    stands = {name: _place(name, joints, stopped, part) for name in stopped}
    fixed = {name: _fixed(joint, stands[name]) for name, joint in stopped.items()}
    moved = [f"'{name}' at {' '.join(f'{x:g}' for x in q)}" for name, q in stands.items() if any(q)]
    still = [f"'{name}'" for name, q in stands.items() if not any(q)]
    others = " (where no place is said: at 0)" if still else ""
    note = f"locked, and their links one with what they hang on: {listed([*moved, *still])}{others}"
    return tree.with_joints(fixed.get(joint.name, joint) for joint in tree.above.values()), (note,)


def _place(name: str, joints: dict[str, Joint], chosen: dict[str, Joint], part: Part) -> tuple[float, ...]:
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


def _fixed(joint: Joint, stands: tuple[float, ...]) -> Joint:
    """The joint with its motion made part of its place."""
    if joint.type not in MOVING:
        if stands:
            raise InputError(
                f"at: joint '{joint.name}' is of type '{joint.type}', which is not known here; "
                "lock it where it is drawn, at no value"
            )
        return replace(joint, type="fixed")
    kind = JOINTS[MOVING[joint.type]]
    q = np.array(stands)
    if len(q) != kind.coordinates:
        counts = f"{len(q)} numbers, and a {kind.name} joint stands at {kind.coordinates}"
        raise InputError(f"at: joint '{joint.name}' has {counts}")
    if kind.quaternion and abs(np.linalg.norm(q[:4]) - 1.0) > UNIT_TOLERANCE:
        raise InputError(
            f"at: the quaternion w x y z of joint '{joint.name}' has length "
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


# -------- another root

REVERSED_PLANE = "planar, in reverse"
"""The type of a planar joint traversed in reverse, which is no planar joint."""


def root(tree: LinkTree, link: str) -> str:
    """The link at the top of the joints above `link`."""
    seen = {link}
    while link in tree.above:
        link = tree.above[link].parent
        if link in seen:
            raise InputError(f"the joints above '{link}' form a cycle; a tree needs a root")
        seen.add(link)
    return link


def rooted(tree: LinkTree, base: str) -> LinkTree:
    """The tree with `base` as the root: same links, joints and motions.

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
    joints: list[Joint] = []
    for joint in tree.above.values():
        if joint.child not in reverse:
            joints.append(joint)
        elif joint.type != "floating":
            # The joint is at the child, at its motion's outer end; from there a fixed one leads back to the
            # parent's frame.
            outer, inner, inward = joint.child, joint.parent, joint.rotation.T
            turned = replace(joint, parent=outer, child=inner)
            back = replace(turned, rotation=inward, position=-(inward @ joint.position))
            if joint.type != "fixed":
                between = f"{inner}, at joint {joint.name}"
                kind = REVERSED_PLANE if joint.type == "planar" else joint.type
                turned = replace(turned, type=kind, child=between, axis=-joint.axis)
                joints.append(replace(turned, rotation=np.eye(3), position=np.zeros(3)))
                back = replace(back, name=between, type="fixed", parent=between)
            joints.append(back)
    return tree.with_joints(
        joints, more=(joint.child for joint in joints if joint.child not in tree.inertials)
    )


# -------- the way from the base to the tip


def the_base(tree: LinkTree, part: Part) -> str:
    """The link that does not move."""
    if part.base is not None:
        if part.base not in tree.inertials:
            links = listed(list(tree.inertials))
            raise InputError(f"there is no link '{part.base}' to be the base; the links are {links}")
        return part.base
    if part.tip in tree.inertials:
        return root(tree, part.tip)
    roots = [link for link in tree.inertials if link not in tree.above]
    if not tree.inertials:
        raise InputError("there is no link in it, so there is no robot")
    if not roots:
        raise InputError("every link is below another, in a cycle; a tree needs a root")
    if len(roots) > 1 and part.tip is None:
        raise InputError(
            f"{len(roots)} robots stand beside each other, on the links {listed(roots)}; choose "
            "one with --base or --tip"
        )
    return roots[0]


def the_tip(tree: LinkTree, base: str, tip: str | None) -> tuple[str, tuple[str, ...]]:
    """The link of the end effector, and a sentence if it was not chosen."""
    if tip is not None:
        if tip not in tree.inertials:
            raise InputError(f"there is no link '{tip}' to be the tip; {candidates(tree, base)}")
        return tip, ()
    moved = [link for link, joints in _leaves(tree, base) if joints]
    if not moved:
        raise InputError(f"no joint moves on the base '{base}'; choose another --base")
    if len(moved) != 1:
        raise InputError(
            f"a URDF needs a tip, the link of the end effector; choose one with --tip "
            f"({candidates(tree, base)})"
        )
    return moved[0], (f"the tip is link '{moved[0]}', the only one at the end of a chain",)


def path_to(tree: LinkTree, base: str, tip: str) -> list[Joint]:
    """The joints from the base to the tip, of which one moves."""
    if tip not in reached(tree, base):
        raise InputError(
            f"no way leads from the base '{base}' to the tip '{tip}' (none goes through a "
            f"floating joint in reverse); choose --base on the tip's side, or --lock that joint; "
            f"{candidates(tree, base)}"
        )
    path: list[Joint] = []
    link = tip
    while link != base:
        path.insert(0, tree.above[link])
        link = path[0].parent
    if all(joint.type == "fixed" for joint in path):
        raise InputError(
            f"no moving joint lies between the base '{base}' and '{tip}'; choose another tip or "
            f"--base; {candidates(tree, base)}"
        )
    return path


def _leaves(tree: LinkTree, base: str) -> list[tuple[str, int]]:
    """The links at the ends of the chains that go out from the base, in the order of the file, and how many
    joints move each."""
    joints = reached(tree, base)
    return [(link, joints[link]) for link in tree.inertials if link in joints and not tree.below[link]]


def candidates(tree: LinkTree, base: str) -> str:
    """The links that can be the tip, in words; the longest chains first, if not all are said."""
    ends = _leaves(tree, base)
    if len(ends) > _MANY:
        ends.sort(key=lambda one: -one[1])
    texts = [f"{link} ({joints} joint{'s' * (joints != 1)})" for link, joints in ends]
    return f"links at the end of a chain from '{base}': {listed(texts)}"


def reached(tree: LinkTree, base: str) -> dict[str, int]:
    """How many joints move each link, of those that can be reached from the base."""
    counts: dict[str, int] = {}
    stack = [(base, 0)]
    while stack:
        link, joints = stack.pop()
        counts[link] = joints
        stack += [(joint.child, joints + (joint.type != "fixed")) for joint in tree.below[link]]
    return counts
