"""Contacts in words: common supports of a tip, without friction, and their constrained directions.

A point P of the end effector touches an object at rest in the world, as `TOUCHES` says; a weld holds all six
directions. P is at `position` from O_{n+1}; v_P = v + omega x position is its velocity, and the normal or the
direction is constant in the world.

A direction e of v_P is held by its column [position x e; e] of W, since e'v_P = e'v + (position x e)'omega;
one of omega by [e; 0]. That P keeps to the line or plane from now on is e'a_P = 0, its classical acceleration
a_P = a + alpha x position + omega x (omega x position): G_C has -e'(omega x (omega x position)) for such
a column, and 0 for a direction of omega. With the position 0, G_C = 0.

A welded tip is W = U with Featherstone's spatial acceleration zero, as `contact.welded` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import ROUNDED, Contact, Law, choice, vector
from senn.algorithms.robots import newton_euler, toml_files
from senn.algorithms.robots.chain import Chain, points
from senn.algorithms.spatial import Numbers, rotation_to, six
from senn.base.errors import InputError, suggestion
from senn.traces.naming import listed

AXES = ("end_effector", "world")
_FARTHEST = 1e6  # m


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact in a word, as it was given: one of TOUCHES. Its W and G_C are those of a state (`at`)."""

    word: str
    direction: Numbers
    """(3,), unit length: the normal of a plane or face, the direction of a line; without meaning of a point.
    """
    position: Numbers  # (3,) m: from O_{n+1} to P, end-effector axes
    axes: str = "end_effector"  # Of the direction: those of the end effector as it is now, or of the base
    friction: float | None = None  # A coefficient that was given, and is ignored


def in_a_word(
    word: str,
    direction: ArrayLike = (0.0, 0.0, 1.0),
    position: ArrayLike = (0.0, 0.0, 0.0),
    axes: str = "end_effector",
    friction: float | None = None,
) -> Contact | Touch:
    """A checked one of WORDS; its direction or normal may have any length."""
    if friction is not None and not (np.isfinite(friction) and friction >= 0.0):
        raise InputError(f"contact.mu is {friction}; a coefficient of friction is a number from 0")
    if word not in TOUCHES:
        return replace(contacts.welded() if word == "weld" else contacts.none(), word=word, friction=friction)
    name = "direction" if word == "line" else "normal"
    along = vector(direction, 3, f"contact.{name}", "x y z")
    length = float(np.linalg.norm(along / (np.abs(along).max() or 1.0)))
    if not length:
        raise InputError(f"contact.{name} is 0 0 0 and has no direction; one number at least is not 0")
    unit = along / np.abs(along).max() / length
    if abs(float(np.linalg.norm(along)) - 1.0) < ROUNDED:
        unit = along  # as it is, to the last bit, however often it is read
    place = vector(position, 3, "contact.position", "x y z, m, from O_{n+1} in end-effector axes")
    if np.abs(place).max() > _FARTHEST:
        raise InputError(
            f"contact.position is {np.abs(place).max():g} m away; it is on the end effector, in metres"
        )
    unit.setflags(write=False)
    return Touch(word, unit, place, choice(axes, AXES, "contact.axes"), friction)


def at(given: Touch, tip_rotation: Numbers, omega: Numbers) -> tuple[Contact, tuple[str, ...]]:
    """The contact at a state, in end-effector axes, and its notes.

    tip_rotation (3, 3): the end effector's axes in the base; omega (3,) rad/s, end-effector axes.
    """
    directions, sentence = TOUCHES[given.word]
    e = given.direction if given.axes == "end_effector" else tip_rotation.T @ given.direction
    moving, turning = directions(rotation_to(e))
    W = np.block(
        [[np.cross(given.position, moving, axisb=0, axisc=0), turning], [moving, np.zeros_like(turning)]]
    )
    centripetal = np.cross(omega, np.cross(omega, given.position))
    G_C = np.concatenate([-moving.T @ centripetal, np.zeros(turning.shape[1])])
    contact = replace(contacts.type_i(W, G_C=G_C), word=given.word, friction=given.friction)
    place = "O_{n+1}"
    if given.position.any():
        place = f"the point {_row(given.position)} m from O_{{n+1}}, in end-effector axes,"
    axes = {"end_effector": "end-effector axes", "world": "base axes"}[given.axes]
    text = sentence.format(P=place, e=f"{_row(given.direction)} in {axes}")
    return contact, (f"the contact is a {given.word}: {text}",)


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


def _row(numbers: Numbers) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)


# -------- a contact at a state of the arm: axes, accelerations, G_C
# With W constant in some axes and W'V = 0 in them, now and always, W holds dV/dt in these axes at zero.
# In end-effector axes that is Featherstone's spatial acceleration, the classical one less [0; omega x v]; in
# base axes, with V taken at O_{n+1}, it is the classical one itself.

_KEPT = "(the constraint stays satisfied)"
_KEPT_IN_WORLD = "(the constraint, fixed in the world, stays satisfied)"


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def settled(
    contact: Contact | Touch, chain: Chain, q: Numbers, qd: Numbers
) -> tuple[Contact, tuple[str, ...]]:
    """The contact in end-effector axes with a classical G_C (or k1), and what was taken for granted."""
    notes: list[str] = []
    if isinstance(contact, Touch):
        contact, sentences = at(contact, points(chain, q)[1][-1], _velocity(chain, q, qd)[:3])
        notes += sentences
    if contact.friction is not None:
        notes.append(
            f"mu = {contact.friction:g} was ignored: contacts in words are without friction (kind II has it)"
        )
    result, law = contact, contact.law
    if contact.fixed_in == "world":
        turn = six(points(chain, q)[1][-1].T)
        turned = law and Law(turn @ law.M1, turn @ law.k1, turn @ law.M2, turn @ law.k2)
        result = replace(contact, law=turned, W=turn @ contact.W, H=turn @ contact.H)
        notes.append(
            "the contact was given in base axes: its directions were turned to end-effector axes at q"
        )
    if contact.G_C is None and contact.fixed_in == "world":
        result = replace(result, G_C=np.zeros(contact.constrained))
        notes.append(f"G_C was left out: taken as 0 {_KEPT_IN_WORLD}")
    elif contact.G_C is None:
        result = replace(result, G_C=result.W.T @ _turning(chain, q, qd))
        notes.append(f"G_C was left out: taken as W'[0; omega x v] of the present state {_KEPT}")
    elif contact.acceleration == "spatial":
        turning = _turning(chain, q, qd)
        if result.law:
            result = replace(result, law=replace(result.law, k1=result.law.k1 + turning))
        else:
            result = replace(result, G_C=contact.G_C + result.W.T @ turning)
        names = ("k1", "[0; omega x v]") if law else ("G_C", "W'[0; omega x v]")
        notes.append(f"{names[0]} was given as a spatial acceleration: {names[1]} was added")
    return replace(result, fixed_in="end_effector", acceleration="classical"), tuple(notes)


def _turning(chain: Chain, q: Numbers, qd: Numbers) -> Numbers:
    """[0; omega x v] of the end effector, frame n+1."""
    velocity = _velocity(chain, q, qd)
    return np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])


def _velocity(chain: Chain, q: Numbers, qd: Numbers) -> Numbers:
    """[omega; v] of the end effector, frame n+1."""
    return newton_euler.end_effector(chain, q, qd, np.zeros_like(qd))[0]


# -------- the table [contact] of a problem file

_MAKERS: dict[str, Callable[..., Contact | Touch]] = {
    "I": contacts.type_i,
    "II": partial(contacts.type_ii, H=None),
    "general": contacts.general,
    "none": contacts.none,
}
_KEYS = {kind: tuple(signature(maker).parameters) for kind, maker in _MAKERS.items()}
_KEYS |= {
    "plane": ("normal", "position", "axes", "mu"),
    "line": ("direction", "position", "axes", "mu"),
    "point": ("position", "mu"),
    "face": ("normal", "position", "axes", "mu"),
    "weld": ("mu",),
    "free": ("mu",),
}
_MEANING = {
    "W": "6 rows (omega x y z, v x y z) of n_c columns",
    "phi": "n_f rows of n_c numbers, K_F = phi K_C + d",
    "M1": "6 rows of 6 numbers, Vdot = M1 Omega + k1",
    "k1": "6 numbers, Vdot = M1 Omega + k1",
    "M2": "6 rows of 6 numbers, F = M2 Omega + k2",
    "k2": "6 numbers, F = M2 Omega + k2",
}
"""Of the keys that no contact of their kinds can do without."""


class ContactTable(msgspec.Struct, forbid_unknown_fields=True):
    """The table as written; `of_table` checks which keys belong together."""

    kind: str
    W: list[list[float]] | None = None
    H: list[list[float]] | None = None
    G_C: list[float] | None = None
    K_F: list[float] | None = None
    phi: list[list[float]] | None = None
    d: list[float] | None = None
    M1: list[list[float]] | None = None
    k1: list[float] | None = None
    M2: list[list[float]] | None = None
    k2: list[float] | None = None
    fixed_in: str | None = None
    acceleration: str | None = None
    normal: list[float] | None = None
    direction: list[float] | None = None
    position: list[float] | None = None
    axes: str | None = None
    mu: float | None = None


def of_table(table: ContactTable) -> Contact | Touch:
    """The contact of a table; `InputError` names the key."""
    numbers = {
        name: value
        for name, value in msgspec.structs.asdict(table).items()
        if name != "kind" and value is not None
    }
    if table.kind not in _KEYS:
        kinds = listed(f'"{kind}"' for kind in _KEYS)
        raise InputError(f'contact.kind is "{table.kind}"; supported are {kinds}')
    for key in numbers:
        if key not in _KEYS[table.kind]:
            other = next(kind for kind, names in _KEYS.items() if key in names)
            raise InputError(
                f'contact.{key}: kind = "{table.kind}" has no {key}; leave it out, or write kind = "{other}"'
            )
    if (maker := _MAKERS.get(table.kind)) is None:
        names = {"normal": "direction", "mu": "friction"}
        return in_a_word(table.kind, **{names.get(key, key): value for key, value in numbers.items()})
    for key, parameter in signature(maker).parameters.items():
        if parameter.default is parameter.empty and key not in numbers:
            raise InputError(f"contact.{key} is missing: {_MEANING[key]}")
    return maker(**numbers)


def taken(given: str | Mapping[str, Any] | ContactTable | Contact | Touch) -> Contact | Touch:
    """A contact however it is given: as it is, in a word, or as the table of a file, also as a mapping."""
    if isinstance(given, Contact | Touch):
        return given
    if isinstance(given, ContactTable):
        return of_table(given)
    if isinstance(given, str):
        if given not in WORDS:
            near = suggestion(given, WORDS)
            raise InputError(f'contact is "{given}"; write one of {", ".join(WORDS)}{near}')
        return in_a_word(given)
    if not isinstance(given, Mapping):
        raise InputError(f"contact is {given!r}; write one of {', '.join(WORDS)}, or a table")
    if not all(isinstance(name, str) for name in given):
        raise InputError(f"contact is {given!r}; its keys are texts, as those of a file")
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in given.items()
    }
    return of_table(toml_files.converted({"contact": plain}, _Whole).contact)


class _Whole(msgspec.Struct):
    """A file with a contact alone: messages about a mapping then name keys as those of a file do."""

    contact: ContactTable
