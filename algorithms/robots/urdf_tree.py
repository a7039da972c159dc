"""The XML of a URDF as a tree of links and joints, every number checked; nothing about robots is decided
here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from senn.base.errors import InputError

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

    @property
    def joints(self) -> Iterator[Joint]:
        """All joints, in the order of the file."""
        yield from self.above.values()

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
    for element in root.findall("link"):
        link = _attribute(name, element, "name", "a <link>")
        if link in tree.inertials:
            raise InputError(f"{name}: two links are named '{link}'")
        tree.inertials[link] = _inertial(name, element, link)
        tree.below[link] = []
    names: set[str] = set()
    for element in root.findall("joint"):
        joint = _joint(name, element)
        if joint.name in names:
            raise InputError(f"{name}: two joints are named '{joint.name}'")
        names.add(joint.name)
        for link in (joint.parent, joint.child):
            if link not in tree.inertials:
                raise InputError(f"{name}: joint '{joint.name}' names link '{link}', which does not exist")
        if joint.child in tree.above:
            raise InputError(
                f"{name}: link '{joint.child}' is the child of two joints, "
                f"'{tree.above[joint.child].name}' and '{joint.name}'; "
                "loops are not supported, remove one of them"
            )
        tree.above[joint.child] = joint
        tree.below[joint.parent].append(joint)
    return tree


def _joint(name: str, element: Any) -> Joint:
    joint = _attribute(name, element, "name", "a <joint>")
    where = f"joint '{joint}'"
    type_ = _attribute(name, element, "type", where)
    ends = {}
    for end in ("parent", "child"):
        end_element = element.find(end)
        if end_element is None:
            raise InputError(f'{name}: {where} has no <{end} link="..."/>')
        ends[end] = _attribute(name, end_element, "link", f"<{end}> of {where}")
    rotation, position = _origin(name, element, where)
    axis_element = element.find("axis")
    axis = np.array([1.0, 0.0, 0.0])  # URDF's default
    if axis_element is not None:
        axis = _numbers(name, axis_element.get("xyz"), 3, axis, f"<axis xyz> of {where}")
    limits, mimic = _limits(name, element, where, type_), None
    if (follower := element.find("mimic")) is not None:
        multiplier = _number(name, follower, "multiplier", 1.0, where)
        mimic = Mimic(follower.get("joint") or "", multiplier, _number(name, follower, "offset", 0.0, where))
    return Joint(joint, type_, ends["parent"], ends["child"], rotation, position, axis, limits, mimic)


def _limits(name: str, element: Any, where: str, type_: str) -> tuple[float, float]:
    """Limits of a revolute or prismatic joint.

    An end left out is 0 if the other one is given, as in URDF. Limits that leave no room count as none.
    """
    limit = element.find("limit")
    if type_ not in ("revolute", "prismatic") or limit is None:
        return NO_LIMITS
    if limit.get("lower") is None and limit.get("upper") is None:
        return NO_LIMITS
    low, high = (_number(name, limit, key, 0.0, where, endless=True) for key in ("lower", "upper"))
    return (low, high) if low < high else NO_LIMITS


def _inertial(name: str, element: Any, link: str) -> Inertial | None:
    inertial = element.find("inertial")
    if inertial is None:
        return None
    where = f"<inertial> of link '{link}'"
    rotation, position = _origin(name, inertial, where)
    mass_element, tensor_element = inertial.find("mass"), inertial.find("inertia")
    if mass_element is None or tensor_element is None:
        raise InputError(f'{name}: {where} needs <mass value="..."/> and <inertia ixx="..." .../>')
    mass = _number(name, mass_element, "value", None, where)
    ixx, iyy, izz = (_number(name, tensor_element, key, None, where) for key in ("ixx", "iyy", "izz"))
    ixy, ixz, iyz = (_number(name, tensor_element, key, 0.0, where) for key in ("ixy", "ixz", "iyz"))
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if mass < 0.0:
        raise InputError(f"{name}: link '{link}': mass is {mass:g} kg; a mass is not negative")
    return Inertial(mass, position, rotation @ tensor @ rotation.T)


def _origin(name: str, element: Any, where: str) -> tuple[Numbers, Numbers]:
    origin = element.find("origin")
    if origin is None:
        return np.eye(3), np.zeros(3)
    rpy = _numbers(name, origin.get("rpy"), 3, np.zeros(3), f"<origin rpy> of {where}")
    xyz = _numbers(name, origin.get("xyz"), 3, np.zeros(3), f"<origin xyz> of {where}")
    return spatial.rotation_rpy(rpy), xyz


def _attribute(name: str, element: Any, key: str, where: str) -> str:
    value = element.get(key)
    if not value:
        raise InputError(f'{name}: {where} has no {key}="..."')
    return str(value)


def _number(
    name: str, element: Any, key: str, usual: float | None, where: str, endless: bool = False
) -> float:
    """The number of an attribute; `usual` where it is left out."""
    default = None if usual is None else np.array([usual])
    return float(
        _numbers(name, element.get(key), 1, default, f"<{element.tag} {key}> of {where}", endless)[0]
    )


def _numbers(
    name: str, text: str | None, count: int, default: Numbers | None, where: str, endless: bool = False
) -> Numbers:
    """The numbers of an attribute; infinite ones only where they mean that something has no end."""
    if text is None:
        if default is None:
            raise InputError(f"{name}: {where} is missing")
        return default
    try:
        numbers = np.array([float(word) for word in text.split()])
    except ValueError:
        raise InputError(f"{name}: {where} is '{text}', expected {count} number(s)") from None
    if numbers.shape != (count,):
        raise InputError(f"{name}: {where} is '{text}', expected {count} number(s)")
    if not np.isfinite(numbers).all() and not (endless and not np.isnan(numbers).any()):
        raise InputError(f"{name}: {where} is '{text}', and numbers must be finite")
    return numbers
