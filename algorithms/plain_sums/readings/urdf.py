"""An arm from the elements of a URDF: every link of the file that moves, fixed joints and all.

Nothing is merged and no frame is changed: a fixed joint is a link that does not move against the one that it
hangs on, and a link without <inertial> has no mass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from senn.algorithms.plain_sums.joints import moves
from senn.algorithms.plain_sums.links import BASE, RATES, Arm, Link
from senn.algorithms.plain_sums.turns import Array, rpy, unit
from senn.algorithms.plain_sums.written import Written

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}


def arm(written: Written, names: Sequence[str], main: int) -> Arm:
    """The arm from the link that does not move to the frame of the tip.

    The joints of these names move, in this order of q; of them `main` are those of the main chain. All others
    stand where it is written, or where a file says that they follow another one, or at zero.
    """
    root = ElementTree.fromstring(written.text)
    bodies = {element.get("name", ""): element.find("inertial") for element in root.findall("link")}
    joints = {element.get("name", ""): element for element in root.findall("joint")}
    still = _locked(joints, written)
    links: list[Link] = []
    numbers, moved = {written.base: BASE}, dict[str, int]()
    waiting, used = [written.base], set[str]()
    while waiting:
        here = waiting.pop(0)
        for name, element in joints.items():
            parent, child = _end(element, "parent"), _end(element, "child")
            if name in used or here not in (parent, child):
                continue
            used.add(name)
            back = here == child
            if back and element.get("type") == "floating" and name not in still:
                continue  # beyond a link that flies nothing is felt of this side
            there = parent if back else child
            held = None if name in names else _stands(joints, name, still, written.at)
            steps = _steps(element, numbers[here], len(links), back, held)
            moved[name] = len(links)
            links += [*steps[:-1], _body(steps[-1], bodies[there])]
            numbers[there] = len(links) - 1
            waiting.append(there)
    order = [moved[name] for name in names]
    return Arm(links, order, main, numbers[written.tip], np.eye(3), np.zeros(3))


def stands(written: Written, names: Sequence[str]) -> dict[str, Sequence[float]]:
    """Where every joint stands that is not of these names; () is zero, or not turned and not moved."""
    joints = {one.get("name", ""): one for one in ElementTree.fromstring(written.text).findall("joint")}
    still = _locked(joints, written)
    return {name: _stands(joints, name, still, written.at) for name in joints if name not in names}


def _locked(joints: Mapping[str, Element], written: Written) -> set[str]:
    return {name for name in joints if any(re.fullmatch(one, name) for one in written.lock)}


def _stands(
    joints: Mapping[str, Element], name: str, still: set[str], at: Mapping[str, Sequence[float]]
) -> Sequence[float]:
    """Where a joint stands that does not move; () is zero."""
    if name in at:
        return at[name]
    mimic = joints[name].find("mimic")
    leader = "" if mimic is None else mimic.get("joint", "")
    if mimic is not None and leader in still:
        led = _stands(joints, leader, still - {name}, at)
        factor, offset = (
            float(mimic.get(key, usual)) for key, usual in (("multiplier", "1"), ("offset", "0"))
        )
        return [factor * (led[0] if len(led) else 0.0) + offset]
    limit = joints[name].find("limit")
    if limit is None or joints[name].get("type") not in ("revolute", "prismatic"):
        return ()
    low, high = (float(limit.get(key, "0")) for key in ("lower", "upper"))
    return [min(max(0.0, low), high)] if low < high else ()


def _end(element: Element, which: str) -> str:
    found = element.find(which)
    assert found is not None  # the file was read before
    return found.get("link", "")


def _steps(element: Element, on: int, number: int, back: bool, held: Sequence[float] | None) -> list[Link]:
    """The joint as a link without mass, the first of the numbers from `number`; or as two where it is gone
    through from its child to its parent. `held`: where a joint stands that does not move (() is zero)."""
    turn, place = _origin(element)
    kind = "welded" if held is not None and not len(held) else _KINDS.get(element.get("type", ""), "welded")
    joint = Link(on, kind, np.eye(3), np.zeros(3))
    if kind in ("revolute", "prismatic", "planar"):
        joint = replace(joint, axis=unit(_numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0))))
    if held is not None and len(held):
        at = moves(kind, [joint], np.array([held], dtype=float), np.zeros((1, RATES[kind])))
        joint = Link(on, "welded", at.turn[0], at.shift[0])
    if not back:
        return [replace(joint, turn=turn @ joint.turn, place=place + turn @ joint.place)]
    if joint.kind in ("planar", "free"):
        raise ValueError(f"a {joint.kind} joint is not gone through from its child")
    turned = joint.turn.T
    joint = replace(joint, axis=-joint.axis, turn=turned, place=-(turned @ joint.place))
    return [joint, Link(number, "welded", turn.T, -(turn.T @ place))]


def _body(link: Link, inertial: Element | None) -> Link:
    """The link with what <inertial> says of it."""
    if inertial is None:
        return link
    turn, centre = _origin(inertial)
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    assert mass is not None  # the file was read before
    assert tensor is not None
    xx, yy, zz, xy, xz, yz = (
        float(tensor.get(key, "0")) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return replace(link, mass=float(mass.get("value", "0")), centre=centre, inertia=inertia)


def _origin(element: Element) -> tuple[Array, Array]:
    origin = element.find("origin")
    none = (0.0, 0.0, 0.0)
    return rpy(_numbers(origin, "rpy", none)), np.array(_numbers(origin, "xyz", none))


def _numbers(element: Element | None, key: str, usual: Sequence[float]) -> list[float]:
    text = None if element is None else element.get(key)
    return list(usual) if text is None else [float(word) for word in text.split()]
