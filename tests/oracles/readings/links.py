"""An arm link by link, each with the joint that carries it, in the frames of whoever wrote it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

BASE = -1
"""What carries the first link."""

COORDINATES = {
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 4,
    "free": 7,
    "welded": 0,
}
"""Numbers of q, by type of joint."""
RATES = {**COORDINATES, "spherical": 3, "free": 6}
"""Numbers of qd."""


@dataclass(frozen=True, eq=False)
class Link:
    """A body, and the joint that carries it. Its frame is the joint's frame, moved by the joint."""

    on: int  # The number of the link that it hangs on, which comes before it; or BASE
    kind: str  # The type of its joint; "welded" also where a file says fixed
    turn: Array  # (3, 3): axes of the joint's frame in the frame of the link that it hangs on
    place: Array  # (3,) m: its origin there
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """(3,) of unit length, in the joint's frame."""
    second: Array | None = None  # (3,) of unit length, in the joint's frame at q = 0: of a universal joint
    pitch: float = 0.0  # m/rad
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))  # (3,) m: of mass, in the link's frame
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3) kg m^2 about the centre of mass, in the axes of the link's frame."""
    frame: Array | None = None
    """(3, 3): axes of the paper's frame of this joint in the joint's frame; None: from axis and second."""


@dataclass(frozen=True, eq=False)
class Links:
    """Links in arrays, a row each, a link after the one that it hangs on: what `Link` says of them."""

    on: Whole
    kind: NDArray[np.str_]
    turn: Array
    place: Array
    axis: Array
    second: Array  # Of other than universal joints, anything
    pitch: Array
    mass: Array
    centre: Array
    inertia: Array
    frame: Array

    def __getitem__(self, rows: Whole) -> Links:
        return Links(*(getattr(self, column.name)[rows] for column in fields(self)))


def stacked(links: Sequence[Link]) -> Links:
    """Links one by one as rows."""
    columns = {name: [getattr(link, name) for link in links] for name in Link.__dataclass_fields__}
    columns["second"] = [link.axis if link.second is None else link.second for link in links]
    columns["frame"] = [_frame(link) for link in links]
    return Links(**{name: np.array(column) for name, column in columns.items()})


def joined(parts: Sequence[Links]) -> Links:
    """Rows of several arrays, one after the other."""
    names = [column.name for column in fields(Links)]
    return Links(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _frame(link: Link) -> Array:
    if link.frame is not None:
        return link.frame
    return z_to(link.axis) if link.second is None else x_and_z(link.second, link.axis)


@dataclass(frozen=True, eq=False)
class Arm:
    """Links, and what the answers are counted in."""

    links: Links
    order: Whole
    """The links in the order of q: those that a joint of the robot moves, welded ones of it too."""
    main: int  # How many of these are the main chain's; they come first
    last: int  # The link that carries the end effector
    tip_turn: Array  # (3, 3): axes of the end effector's frame in that link's frame
    tip_place: Array  # (3,) m: its origin there

    def starts(self, counts: dict[str, int]) -> tuple[Whole, int]:
        """Which number of q (COORDINATES) or of qd (RATES) is the first of the joint of each link; and how
        many there are."""
        sizes = sum((count * (self.links.kind[self.order] == kind) for kind, count in counts.items()))
        starts = np.zeros(len(self.links.on), dtype=np.int64)
        starts[self.order] = np.cumsum(sizes) - sizes
        return starts, int(np.sum(sizes))


# -------- rotations, each from its definition

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Triple = Sequence[float]


def about(axis: Array, angle: Array) -> Array:
    """By an angle (k,) about unit axes (k, 3): what is along the axis stays, the rest turns; (k, 3, 3)."""
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    along = axis[:, :, None] * axis[:, None, :]
    # Column j is axis x e_j.
    across = np.cross(axis[:, None, :], np.eye(3)[None], axis=-1).transpose(0, 2, 1)
    turned: Array = c * np.eye(3) + (1.0 - c) * along + s * across
    return turned


def by_quaternion(quaternion: Array) -> Array:
    """By unit quaternions w x y z (k, 4): v + 2 w (u x v) + 2 u x (u x v), column by column; (k, 3, 3)."""
    w, u = quaternion[:, :1], quaternion[:, 1:]
    columns = []
    for k in range(3):
        v = np.eye(3)[k]
        once = np.cross(u, v)
        columns.append(v + 2.0 * w * once + 2.0 * np.cross(u, once))
    return np.stack(columns, axis=-1)


def rpy(angles: Triple) -> Array:
    """Roll about x, then pitch about y, then yaw about z, all of the fixed axes."""
    turned = np.eye(3)
    for k, angle in enumerate(angles):
        turned = about(np.eye(3)[k : k + 1], np.array([float(angle)]))[0] @ turned
    return turned


def unit(vector: Triple) -> Array:
    """The vector scaled to length 1."""
    size = math.hypot(*(float(x) for x in vector))
    return np.array([float(x) / size for x in vector])


def z_to(axis: Array) -> Array:
    """The smallest turn that takes z to the unit vector `axis`; of one that looks down, half a turn about x
    after the smallest turn to what that makes of it."""
    if axis[2] < 0.0:
        over = np.diag([1.0, -1.0, -1.0])
        return np.asarray(over @ z_to(over @ axis), dtype=np.float64)
    across = np.cross([0.0, 0.0, 1.0], axis)
    s = float(np.sqrt(across @ across))
    if s == 0.0:
        return np.eye(3)
    smallest: Array = about((across / s)[None], np.array([math.atan2(s, float(axis[2]))]))[0]
    return smallest


def x_and_z(x: Array, z: Array) -> Array:
    """Axes with z along the unit vector `z` and x in the plane of `x` and `z`, on the side of `x`."""
    y = np.cross(z, x)
    y = y / np.sqrt(y @ y)
    return np.asarray(np.column_stack([np.cross(y, z), y, z]), dtype=np.float64)


# -------- how each type of joint moves the origin of its link's frame


@dataclass(frozen=True, eq=False)
class Moves:
    """k joints of one type at their q: rows are joints, everything in the joint's frame."""

    turn: Array  # (k, 3, 3)
    shift: Array  # (k, 3) m
    spin: Array  # (k, rates, 3): the angular velocity of the link for each rate alone
    slide: Array  # (k, rates, 3): the velocity of its origin
    rate: Array  # (k, 3): the angular acceleration that the rates make without qdd


def moves(kind: str, links: Links, q: Array, qd: Array) -> Moves:
    """q (k, coordinates), qd (k, rates) of k joints of this type."""
    count, rates, axis = len(links.on), RATES[kind], links.axis
    turn, shift = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    spin, slide, rate = np.zeros((count, rates, 3)), np.zeros((count, rates, 3)), np.zeros((count, 3))
    if kind in ("revolute", "helical", "cylindrical"):
        turn, spin[:, 0] = about(axis, q[:, 0]), axis
    if kind == "prismatic":
        shift, slide[:, 0] = axis * q[:, :1], axis
    if kind == "helical":
        along = axis * links.pitch[:, None]
        shift, slide[:, 0] = along * q[:, :1], along
    if kind == "cylindrical":
        shift, slide[:, 1] = axis * q[:, 1:], axis
    if kind == "universal":
        first = about(axis, q[:, 0])
        turned = (first @ links.second[:, :, None])[:, :, 0]
        turn = first @ about(links.second, q[:, 1])
        spin[:, 0], spin[:, 1] = axis, turned
        rate = qd[:, :1] * qd[:, 1:] * np.cross(axis, turned)  # the first carries the axis of the second
    if kind == "planar":
        frames = np.array([z_to(each) for each in axis])
        x, y = frames[:, :, 0], frames[:, :, 1]
        turn, shift = about(axis, q[:, 0]), x * q[:, 1:2] + y * q[:, 2:]
        spin[:, 0], slide[:, 1], slide[:, 2] = axis, x, y
    if kind in ("spherical", "free"):
        quaternion = q[:, :4] / np.sqrt((q[:, :4] ** 2).sum(axis=1, keepdims=True))
        turn, spin[:, :3] = by_quaternion(quaternion), np.eye(3)
    if kind == "free":
        shift, slide[:, 3:] = q[:, 4:], np.eye(3)
    return Moves(turn, shift, spin, slide, rate)
