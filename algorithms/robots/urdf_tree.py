"""The XML of a URDF as a tree of links and joints, every number checked; nothing about robots is decided
here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from senn.algorithms import spatial
from senn.algorithms.spatial import Numbers
from senn.base import files
from senn.base.errors import InputError, within

MOVING = {
    "revolute": spatial.REVOLUTE,
    "continuous": spatial.REVOLUTE,
    "prismatic": spatial.PRISMATIC,
    "planar": "planar",
    "floating": "free",
}
"""The types of URDF's joints that move, and what they are called here."""
NO_LIMITS = (-np.inf, np.inf)


@dataclass(frozen=True)
class Mimic:
    """A joint stands at `multiplier` times the position of `joint`, plus `offset`."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint:
    name: str
    type: str
    parent: str
    child: str
    rotation: Numbers
    position: Numbers
    axis: Numbers
    limits: tuple[float, float] = NO_LIMITS  # rad or m; infinite where there is none
    mimic: Mimic | None = None

    @property
    def limited(self) -> bool:
        """Whether a limit says where it may stand."""
        return self.type != "fixed" and self.limits != NO_LIMITS


@dataclass(frozen=True, eq=False)
class Inertial:
    mass: float
    centre: Numbers
    inertia: Numbers


@dataclass
class LinkTree:
    name: str  # How messages name the file
    robot: str
    inertials: dict[str, Inertial | None] = field(default_factory=dict)
    above: dict[str, Joint] = field(default_factory=dict)  # The joint whose child is this link
    below: dict[str, list[Joint]] = field(default_factory=dict)
    content: bytes = field(default=b"", repr=False)  # What it was parsed from

    def with_joints(self, joints: Iterable[Joint], more: Iterable[str] = ()) -> LinkTree:
        """A tree of these links, and `more` of no mass, joined by `joints`."""
        links = {**self.inertials, **dict.fromkeys(more)}
        other = LinkTree(self.name, self.robot, links, {}, {link: [] for link in links})
        for joint in joints:
            other.above[joint.child] = joint
            other.below[joint.parent].append(joint)
        return other


def parse(path_or_text: str | Path) -> LinkTree:
    if isinstance(path_or_text, str) and "<" in path_or_text:
        name, content = "URDF text", path_or_text.encode("utf-8", "replace")
    else:
        name, content = str(path_or_text), files.content(path_or_text)
    try:
        root = ElementTree.fromstring(content)
    except ParseError as error:
        raise InputError(f"{name}: not well-formed XML ({error})") from None
    except DefusedXmlException as error:
        raise InputError(f"{name}: XML entities and external references are refused ({error})") from None
    except (LookupError, ValueError) as error:  # an encoding that the parser has not got
        raise InputError(f"{name}: cannot be read ({error}); save it in UTF-8") from None
    if root.tag != "robot":
        raise InputError(f"{name}: the outermost element is <{root.tag}>, expected <robot>")
    tree = LinkTree(name, root.get("name") or Path(name).stem, content=content)
    with within(name):
        for element in root.findall("link"):
            link = _attribute(element, "name", "a <link>")
            if link in tree.inertials:
                raise InputError(f"two links are named '{link}'")
            tree.inertials[link], tree.below[link] = _inertial(element.find("inertial"), link), []
        names: set[str] = set()
        for joint in map(_joint, root.findall("joint")):
            if joint.name in names:
                raise InputError(f"two joints are named '{joint.name}'")
            names.add(joint.name)
            for link in (joint.parent, joint.child):
                if link not in tree.inertials:
                    raise InputError(f"joint '{joint.name}' names link '{link}', which does not exist")
            if joint.child in tree.above:
                raise InputError(
                    f"link '{joint.child}' is the child of two joints, '{tree.above[joint.child].name}' and "
                    f"'{joint.name}'; loops are not supported, remove one of them"
                )
            tree.above[joint.child] = joint
            tree.below[joint.parent].append(joint)
    return tree


def _joint(element: Any) -> Joint:
    name = _attribute(element, "name", "a <joint>")
    where = f"joint '{name}'"
    type_, ends = _attribute(element, "type", where), {}
    for end in ("parent", "child"):
        if (end_element := element.find(end)) is None:
            raise InputError(f'{where} has no <{end} link="..."/>')
        ends[end] = _attribute(end_element, "link", f"<{end}> of {where}")
    rotation, position = _origin(element, where)
    axis, limits, mimic = np.array([1.0, 0.0, 0.0]), NO_LIMITS, None  # the axis is URDF's default
    if (along := element.find("axis")) is not None:
        axis = _numbers(along, "xyz", where, tuple(axis))
    if type_ in ("revolute", "prismatic") and (limit := element.find("limit")) is not None:
        # One end left out is 0, as in URDF. Limits that leave no room count as none.
        low, high = (_number(limit, key, where, 0.0, endless=True) for key in ("lower", "upper"))
        limits = (low, high) if low < high else NO_LIMITS
    if (follower := element.find("mimic")) is not None:
        multiplier, offset = (
            _number(follower, key, where, usual) for key, usual in (("multiplier", 1.0), ("offset", 0.0))
        )
        mimic = Mimic(follower.get("joint") or "", multiplier, offset)
    return Joint(name, type_, ends["parent"], ends["child"], rotation, position, axis, limits, mimic)


def _inertial(inertial: Any, link: str) -> Inertial | None:
    if inertial is None:
        return None
    where = f"<inertial> of link '{link}'"
    rotation, position = _origin(inertial, where)
    mass_element, tensor_element = inertial.find("mass"), inertial.find("inertia")
    if mass_element is None or tensor_element is None:
        raise InputError(f'{where} needs <mass value="..."/> and <inertia ixx="..." .../>')
    mass = _number(mass_element, "value", where)
    ixx, iyy, izz = (_number(tensor_element, key, where) for key in ("ixx", "iyy", "izz"))
    ixy, ixz, iyz = (_number(tensor_element, key, where, 0.0) for key in ("ixy", "ixz", "iyz"))
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if mass < 0.0:
        raise InputError(f"link '{link}': mass is {mass:g} kg; a mass is not negative")
    return Inertial(mass, position, rotation @ tensor @ rotation.T)


def _origin(element: Any, where: str) -> tuple[Numbers, Numbers]:
    origin = element.find("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    rpy, xyz = (_numbers(origin, key, where, (0.0, 0.0, 0.0)) for key in ("rpy", "xyz"))
    return spatial.rotation_rpy(rpy), xyz


def _attribute(element: Any, key: str, where: str) -> str:
    value = element.get(key)
    if not value:
        raise InputError(f'{where} has no {key}="..."')
    return str(value)


def _number(
    element: Any, key: str, where: str, usual: float | None = None, *, endless: bool = False
) -> float:
    """The number of an attribute; `usual` where it is left out."""
    return float(_numbers(element, key, where, None if usual is None else (usual,), endless)[0])


def _numbers(
    element: Any, key: str, where: str, usual: tuple[float, ...] | None, endless: bool = False
) -> Numbers:
    """The numbers of an attribute, as many as the usual ones, or one; infinite ones only where they mean that
    something has no end."""
    where, count, text = f"<{element.tag} {key}> of {where}", len(usual or (0.0,)), element.get(key)
    if text is None:
        if usual is None:
            raise InputError(f"{where} is missing")
        return np.array(usual)
    try:
        numbers = np.array([float(word) for word in text.split()])
    except ValueError:
        numbers = np.zeros(0)
    if numbers.shape != (count,):
        raise InputError(f"{where} is '{text}', expected {count} number(s)")
    if not np.isfinite(numbers).all() and not (endless and not np.isnan(numbers).any()):
        raise InputError(f"{where} is '{text}', and numbers must be finite")
    return numbers
