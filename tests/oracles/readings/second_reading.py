"""The arm of a chain, from what it was read from; from its arrays where it was made of arrays."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from senn.algorithms.certificate.pinocchio import stands
from senn.algorithms.robots.chain import Chain, Written
from tests.oracles.readings import links
from tests.oracles.readings.links import (
    BASE,
    COORDINATES,
    RATES,
    Arm,
    Array,
    Link,
    Links,
    joined,
    moves,
    rpy,
    stacked,
    unit,
)
from tests.oracles.readings.motion import turned


def arm_of(chain: Chain) -> Arm:
    """`ValueError` where what is read has other joints than the chain."""
    arm = _read(chain)
    kinds = tuple(arm.links.kind[arm.order].tolist())
    if kinds != chain.all_joints or sum(COORDINATES[kind] for kind in kinds) != chain.coordinates:
        raise ValueError(f"'{chain.name}' was read as {chain.all_joints}, and once more as {kinds}")
    return arm


def _read(chain: Chain) -> Arm:
    written = chain.written
    if written is None:
        return array_arm(chain)
    if written.form == "urdf":
        return urdf_arm(written, chain.all_joint_names, chain.n)
    text = written.text if isinstance(written.text, str) else written.text.decode()
    return file_arm(text) if written.form == "toml" else generated_arm(text)


@dataclass(frozen=True, eq=False)
class State:
    """The numbers of a problem beside those of the arm."""

    gravity: Array
    q: Array
    qd: Array
    tau: Array
    qdd: Array  # Of inverse dynamics
    x: Array  # (6,): what Lambda and its inverse are applied to
    contact: Mapping[str, Any]  # As it was written: the keys of a problem file


@dataclass(frozen=True, eq=False)
class Stacked:
    """The arrays of a chain, under the names that `senn.algorithms.robots.chain.Chain` has for them."""

    joints: tuple[str, ...]
    rotation: Array
    position: Array
    centre: Array
    mass: Array
    inertia: Array
    parameters: Array
    base_rotation: Array = field(default_factory=lambda: np.eye(3))
    base_position: Array = field(default_factory=lambda: np.zeros(3))
    branches: tuple[()] = ()


def array_arm(chain: Chain | Stacked) -> Arm:
    """The arm of the arrays: frame i+1 sits on link i."""
    first, *others = _links(chain, BASE, np.eye(3), np.zeros(3), 0)
    links = joined([first, *others]) if others else first
    main = len(chain.joints)
    turn = chain.rotation[-1]
    return Arm(links, np.arange(len(links.on)), main, main - 1, turn, turn @ chain.position[-1])


def _links(chain: Chain | Stacked, on: int, turn: Array, place: Array, first: int) -> Iterator[Links]:
    """Links of a chain whose base is at `turn`, `place` of link `on`, and of its branches, from number
    `first`."""
    count, outer, kinds = len(chain.joints), chain.rotation, np.array(chain.joints)
    place, turn = place + turn @ chain.base_position, turn @ chain.base_rotation
    origins = turned(outer, chain.position)  # of frame i+1, which is fixed in link i, in that of link i
    sine, cosine = np.sin(chain.parameters), np.cos(chain.parameters)
    yield Links(
        on=np.concatenate([[on], first + np.arange(count - 1)]),
        kind=kinds,
        turn=np.concatenate([turn[None], outer[:-1]]),
        place=np.concatenate([place[None], origins[:-1]]),
        axis=np.broadcast_to([0.0, 0.0, 1.0], (count, 3)),
        second=np.column_stack([sine, np.zeros(count), cosine]),
        pitch=np.where(kinds == "helical", chain.parameters, 0.0),
        mass=chain.mass,
        centre=turned(outer, chain.centre),
        inertia=outer @ chain.inertia @ outer.transpose(0, 2, 1),
        frame=np.broadcast_to(np.eye(3), (count, 3, 3)),
    )
    number = first + count
    for branch in chain.branches:
        at = branch.at - 1
        for part in _links(branch.chain, first + at, outer[at], origins[at], number):
            number += len(part.on)
            yield part


# -------- robot files

_PARALLEL = ("spherical", "free", "welded")
"""Types without an axis, whose frame is the joint's."""


def file_arm(text: str) -> Arm:
    """The arm of a robot file."""
    table = tomllib.loads(text)
    links = stacked(_file_links(table, BASE, 0))
    main, tip = len(table["link"]), table["tip"]
    turn, place = rpy(tip.get("rpy", _NONE)), _three(tip["origin"])
    return Arm(links, np.arange(len(links.on)), main, main - 1, turn, place)


_NONE = (0.0, 0.0, 0.0)


def _file_links(table: Mapping[str, Any], on: int, first: int) -> list[Link]:
    """Links of a table of links and branches that hangs on link `on`; the numbers up to `first` are taken."""
    links = []
    for i, entry in enumerate(table["link"]):
        xx, yy, zz, xy, xz, yz = (float(x) for x in entry["inertia"])
        second = entry.get("second_axis")
        links.append(
            Link(
                on=on if i == 0 else first + i - 1,
                kind=entry["type"],
                turn=rpy(entry.get("rpy", _NONE)),
                place=_three(entry["origin"]),
                axis=np.array([0.0, 0.0, 1.0]) if entry["type"] in _PARALLEL else unit(entry["axis"]),
                second=None if second is None else unit(second),
                pitch=float(entry.get("pitch", 0.0)),
                mass=float(entry["mass"]),
                centre=_three(entry["centre"]),
                inertia=np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
            )
        )
    for branch in sorted(table.get("branch", []), key=lambda entry: entry["at"]):
        links += _file_links(branch, first + branch["at"] - 1, first + len(links))
    return links


def _three(numbers: Any) -> Array:
    return np.array([float(x) for x in numbers])


# -------- generators

_TYPES = "revolute prismatic helical cylindrical universal planar spherical free welded"
_LETTERS = dict(zip("RPHCUESFX", _TYPES.split(), strict=True))


def generated_arm(text: str) -> Arm:
    """The arm of `random:16:prismatic=0.3:seed=1` and the like."""
    kind, *words = text.split(":")
    options = dict(word.split("=") for word in words if "=" in word)
    (size,) = (word for word in words if "=" not in word)
    rng = np.random.default_rng([int(options.get("seed", 0)), 0])
    n = len(size) if kind == "joints" else int(size)
    parameters = np.zeros(n)
    if kind in ("random", "joints"):
        rotation = _rotations(rng, n)
        position, centre = rng.uniform(-0.3, 0.3, (n, 3)), rng.uniform(-0.15, 0.15, (n, 3))
        mass = rng.uniform(0.5, 1.5, n)
        x, y, z = (mass[:, None] * rng.uniform(0.05, 0.15, (n, 3)) ** 2).T
        inertia = _about(_rotations(rng, n), np.column_stack([y + z, x + z, x + y]))
    else:
        if kind == "rods":
            rotation, along = _rotations(rng, n), rng.standard_normal((n, 3))
            along = along / np.sqrt((along * along).sum(axis=1, keepdims=True))
            length, whole = 0.3, 1.0
            radius = length * float(options.get("slenderness", 0.1))
        else:
            quarter = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
            rotation = np.array([quarter.T if k % 2 else quarter for k in range(n)])
            along, length, whole, radius = np.tile([1.0, 0.0, 0.0], (n, 1)), 0.94 / 16, 2.9 / 16, 0.025
        position, centre, mass = length * along, length * along / 2.0, np.full(n, whole)
        spread = along[:, :, None] * along[:, None, :]
        thick = whole * radius**2 / 4.0  # about a diameter of the disc
        inertia = 2.0 * thick * spread + (thick + whole * length**2 / 12.0) * (np.eye(3) - spread)
    joints = ("revolute",) * n
    if kind == "random":
        share = float(options.get("prismatic", 0.0))
        joints = tuple("prismatic" if x < share else "revolute" for x in rng.uniform(0.0, 1.0, n))
    if kind == "joints":
        drawn = rng.uniform(0.0, 1.0, n)
        joints = tuple(_LETTERS[letter] for letter in size)
        for k, letter in enumerate(size):
            if letter == "H":
                parameters[k] = 0.2 * drawn[k] - 0.1
            if letter == "U":
                parameters[k] = np.radians(60.0 + 60.0 * drawn[k])
    return array_arm(Stacked(joints, rotation, position, centre, mass, inertia, parameters))


def _rotations(rng: np.random.Generator, n: int) -> Array:
    drawn = rng.standard_normal((n, 4))
    return links.by_quaternion(drawn / np.sqrt((drawn * drawn).sum(axis=1, keepdims=True)))


def _about(axes: Array, moments: Array) -> Array:
    """With these principal moments (n, 3) about the columns of `axes`."""
    columns = [(moments[:, k], axes[:, :, k]) for k in range(3)]
    return np.asarray(sum(m[:, None, None] * (x[:, :, None] * x[:, None, :]) for m, x in columns))


# -------- the numbers of a problem file


def state(text: str, names: Sequence[str], kinds: Sequence[str], usual: State) -> State:
    """The numbers of the file; those that it leaves out are from `usual`.

    The joints of these names and types are those of q, in its order.
    """
    table = tomllib.loads(text)
    numbers: dict[str, Any] = {}
    for key, name in (("gravity", "gravity"), ("tip_vector", "x")):
        if key in table:
            numbers[name] = np.array(table[key], dtype=np.float64)
    for key in ("q", "qd", "tau", "qdd"):
        if key in table:
            counts = [(COORDINATES if key == "q" else RATES)[kind] for kind in kinds]
            numbers[key] = _numbers(table[key], names, counts, getattr(usual, key))
    contact = table.get("contact")
    if contact is not None:
        numbers["contact"] = {"kind": contact} if isinstance(contact, str) else contact
    return replace(usual, **numbers)


def _numbers(given: Any, names: Sequence[str], counts: Sequence[int], usual: Array) -> Array:
    if not isinstance(given, Mapping):
        return np.array(given, dtype=np.float64)
    numbers, start = np.array(usual), 0
    for name, count in zip(names, counts, strict=True):
        if name in given:
            numbers[start : start + count] = given[name]
        start += count
    return numbers


# -------- URDF
# Nothing is merged and no frame is changed: a fixed joint is a link that does not move against its parent,
# and a link without <inertial> has no mass.

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}


def urdf_arm(written: Written, names: Sequence[str], main: int) -> Arm:
    """The arm from the link that does not move to the frame of the tip.

    The joints of these names move, in this order of q; of them `main` are those of the main chain. All others
    stand where it is written, or where a file says that they follow another one, or at zero.
    """
    root = ElementTree.fromstring(written.text)
    bodies = {element.get("name", ""): element.find("inertial") for element in root.findall("link")}
    joints = {element.get("name", ""): element for element in root.findall("joint")}
    locked = {name for name in joints if any(re.fullmatch(pattern, name) for pattern in written.lock)}
    places = stands(written, names)
    links: list[Link] = []
    numbers, moved = {written.base: BASE}, dict[str, int]()
    waiting, used = [written.base], set[str]()
    while waiting:
        link = waiting.pop(0)
        for name, element in joints.items():
            parent, child = _end(element, "parent"), _end(element, "child")
            if name in used or link not in (parent, child):
                continue
            used.add(name)
            back = link == child
            if back and element.get("type") == "floating" and name not in locked:
                continue  # beyond a link that flies nothing is felt of this side
            next_link = parent if back else child
            steps = _steps(element, numbers[link], len(links), back, places.get(name))
            moved[name] = len(links)
            links += [*steps[:-1], _body(steps[-1], bodies[next_link])]
            numbers[next_link] = len(links) - 1
            waiting.append(next_link)
    order = np.array([moved[name] for name in names])
    return Arm(stacked(links), order, main, numbers[written.tip], np.eye(3), np.zeros(3))


def _end(element: Element, which: str) -> str:
    end = element.find(which)
    assert end is not None  # the file was read before
    return end.get("link", "")


def _steps(element: Element, on: int, number: int, back: bool, held: Sequence[float] | None) -> list[Link]:
    """The joint as a link without mass, the first of the numbers from `number`; or as two where it is gone
    through from its child to its parent. `held`: where a joint stands that does not move (() is zero)."""
    turn, place = _origin(element)
    kind = "welded" if held is not None and not len(held) else _KINDS.get(element.get("type", ""), "welded")
    joint = Link(on, kind, np.eye(3), np.zeros(3))
    if kind in ("revolute", "prismatic", "planar"):
        joint = replace(joint, axis=unit(_attribute(element.find("axis"), "xyz", (1.0, 0.0, 0.0))))
    if held is not None and len(held):
        at = moves(kind, stacked([joint]), np.array([held], dtype=float), np.zeros((1, RATES[kind])))
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
    return rpy(_attribute(origin, "rpy", none)), np.array(_attribute(origin, "xyz", none))


def _attribute(element: Element | None, key: str, usual: Sequence[float]) -> list[float]:
    text = None if element is None else element.get(key)
    return list(usual) if text is None else [float(word) for word in text.split()]
