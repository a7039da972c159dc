"""Contacts in words: what the tip of an arm commonly touches, without friction, and the directions it holds.

A point P of the end effector touches something that stands still in the world. P is at `position` from
O_{n+1}; v_P = v + omega x position is its velocity, and n and d are constant in the world.

    weld     all six directions of the end effector are held
    face     the end effector lies flat on a plane of normal n: n'v_P, and omega across n
    point    P is held, the end effector turns freely about it: v_P
    line     P slides along a straight line of direction d: v_P across d
    plane    P slides on a plane of normal n: n'v_P
    free     nothing is held

A direction e of v_P is held by its column [position x e; e] of W, since e'v_P = e'v + (position x e)'omega;
one of omega by [e; 0]. That P keeps to the line or plane from now on is e'a_P = 0, its classical acceleration
a_P = a + alpha x position + omega x (omega x position): G_C has -e'(omega x (omega x position)) for such
a column, and 0 for a direction of omega. With the position 0, G_C = 0.

A welded tip is W = U with Featherstone's spatial acceleration zero, as `kinds.welded` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems.contact import kinds
from senn.algorithms.problems.contact.checks import choice, vector
from senn.algorithms.problems.contact.contact import Contact
from senn.algorithms.spatial import Numbers, rotation_to
from senn.traces.errors import InputError

AXES = ("end_effector", "world")
_Z = (0.0, 0.0, 1.0)
_FARTHEST = 1e6  # m
_ROUNDED = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact in a word, as it was given: one of TOUCHES. Its W and G_C are those of a state (`at`)."""

    word: str
    direction: Numbers
    """(3,), unit length: the normal of a plane or face, the direction of a line; without meaning of a point.
    """
    position: Numbers
    """(3,) m: from O_{n+1} to P, end-effector axes."""
    axes: str = "end_effector"
    """Of the direction: those of the end effector as it is now, or of the base."""
    friction: float | None = None
    """A coefficient that was given, and is ignored."""


def free(friction: float | None = None) -> Contact:
    """Nothing held."""
    return replace(kinds.none(), word="free", friction=_coefficient(friction))


def weld(friction: float | None = None) -> Contact:
    """All six directions held."""
    return replace(kinds.welded(), word="weld", friction=_coefficient(friction))


def touch(
    word: str,
    direction: ArrayLike | None = None,
    position: ArrayLike | None = None,
    axes: str | None = None,
    friction: float | None = None,
) -> Touch:
    """A checked one of TOUCHES; the direction, by default z, may have any length; the position is 0 if left
    out."""
    name = "direction" if word == "line" else "normal"
    along = vector(_Z if direction is None else direction, 3, f"contact.{name}", "x y z")
    length = float(np.linalg.norm(along / (np.abs(along).max() or 1.0)))
    if not length:
        raise InputError(f"contact.{name} is 0 0 0 and has no direction; one number at least is not 0")
    unit = along / np.abs(along).max() / length
    if abs(float(np.linalg.norm(along)) - 1.0) < _ROUNDED:
        unit = along  # as it is, to the last bit, however often it is read
    place = vector(position, 3, "contact.position", "x y z, m, from O_{n+1} in end-effector axes")
    if np.abs(place).max() > _FARTHEST:
        raise InputError(
            f"contact.position is {np.abs(place).max():g} m away; it is on the end effector, in metres"
        )
    for array in (unit, place):
        array.setflags(write=False)
    where = choice(AXES[0] if axes is None else axes, AXES, "contact.axes")
    return Touch(word, unit, place, where, _coefficient(friction))


def at(given: Touch, tip_rotation: Numbers, omega: Numbers) -> tuple[Contact, tuple[str, ...]]:
    """The contact at a state, in end-effector axes, and what is to be said of it.

    tip_rotation (3, 3): the end effector's axes in the base; omega (3,) rad/s, end-effector axes.
    """
    held, sentence = TOUCHES[given.word]
    e = given.direction if given.axes == "end_effector" else tip_rotation.T @ given.direction
    moving, turning = held(rotation_to(e))
    W = np.block(
        [[np.cross(given.position, moving, axisb=0, axisc=0), turning], [moving, np.zeros_like(turning)]]
    )
    centripetal = np.cross(omega, np.cross(omega, given.position))
    G_C = np.concatenate([-moving.T @ centripetal, np.zeros(turning.shape[1])])
    found = replace(kinds.type_i(W, G_C=G_C), word=given.word, friction=given.friction)
    place = "O_{n+1}"
    if given.position.any():
        place = f"the point {_row(given.position)} m from O_{{n+1}}, in end-effector axes,"
    axes = {"end_effector": "end-effector axes", "world": "base axes"}[given.axes]
    text = sentence.format(P=place, e=f"{_row(given.direction)} in {axes}")
    return found, (f"the contact is a {given.word}: {text}",)


_Directions = tuple[Numbers, Numbers]
_NONE = np.zeros((3, 0))
TOUCHES: dict[str, tuple[Callable[[Numbers], _Directions], str]] = {
    "point": (lambda frame: (np.eye(3), _NONE), "{P} is held, and the end effector turns freely about it"),
    "line": (lambda frame: (frame[:, :2], _NONE), "{P} slides along a line fixed in the world, {e}"),
    "plane": (
        lambda frame: (frame[:, 2:], _NONE),
        "{P} slides without friction on a plane fixed in the world, its normal {e}",
    ),
    "face": (
        lambda frame: (frame[:, 2:], frame[:, :2]),
        "the end effector lies flat, at {P}, on a plane without friction fixed in the world, its normal {e}",
    ),
}
"""By word: the directions of v_P and of omega that are held, (3, k) each, from a frame whose z is the normal
or the direction, in end-effector axes; and a sentence."""
WORDS = ("weld", "plane", "point", "line", "face", "free")


def _coefficient(friction: float | None) -> float | None:
    if friction is not None and not (np.isfinite(friction) and friction >= 0.0):
        raise InputError(f"contact.mu is {friction}; a coefficient of friction is a number from 0")
    return friction


def _row(numbers: Numbers) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)
