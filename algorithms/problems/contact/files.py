"""The table [contact] of a problem file: which keys each kind has, and the contact that they say."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from senn.algorithms.problems.contact import kinds, words
from senn.algorithms.problems.contact.contact import Contact
from senn.algorithms.problems.contact.words import Touch
from senn.algorithms.robots import toml_files
from senn.traces.errors import InputError

_STATE = ("fixed_in", "acceleration")
_KEYS = {
    "I": ("W", "H", "G_C", "K_F", *_STATE),
    "II": ("W", "H", "G_C", "phi", "d", *_STATE),
    "general": ("M1", "k1", "M2", "k2", *_STATE),
    "none": (),
    "plane": ("normal", "position", "axes", "mu"),
    "line": ("direction", "position", "axes", "mu"),
    "point": ("position", "mu"),
    "face": ("normal", "position", "axes", "mu"),
    "weld": ("mu",),
    "free": ("mu",),
}
_NEEDED = {
    "I": {"W": "6 rows (omega x y z, v x y z) of n_c columns"},
    "II": {
        "W": "6 rows (omega x y z, v x y z) of n_c columns",
        "phi": "n_f rows of n_c numbers, K_F = phi K_C + d",
    },
    "general": {
        "M1": "6 rows of 6 numbers, Vdot = M1 Omega + k1",
        "k1": "6 numbers, Vdot = M1 Omega + k1",
        "M2": "6 rows of 6 numbers, F = M2 Omega + k2",
        "k2": "6 numbers, F = M2 Omega + k2",
    },
}


class ContactTable(msgspec.Struct, forbid_unknown_fields=True):
    """As written; which keys belong together is checked by `contact`."""

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


def contact(table: ContactTable) -> Contact | Touch:
    """The contact of a table; `InputError` names the key."""
    given = {
        name: value
        for name, value in msgspec.structs.asdict(table).items()
        if name != "kind" and value is not None
    }
    if table.kind not in _KEYS:
        *known, last = (f'"{kind}"' for kind in _KEYS)
        raise InputError(f'contact.kind is "{table.kind}"; supported are {", ".join(known)} and {last}')
    for key in given:
        if key not in _KEYS[table.kind]:
            other = next(kind for kind, keys in _KEYS.items() if key in keys)
            raise InputError(
                f'contact.{key}: kind = "{table.kind}" has no {key}; leave it out, or write kind = "{other}"'
            )
    for key, meaning in _NEEDED.get(table.kind, {}).items():
        if key not in given:
            raise InputError(f"contact.{key} is missing: {meaning}")
    if table.kind == "I":
        return kinds.type_i(**given)
    if table.kind == "II":
        return kinds.type_ii(**{"H": None, **given})
    if table.kind == "general":
        return kinds.general(**given)
    return kinds.none() if table.kind == "none" else _in_a_word(table.kind, given)


def _in_a_word(word: str, given: dict[str, Any]) -> Contact | Touch:
    friction = given.pop("mu", None)
    if word in ("weld", "free"):
        return (words.weld if word == "weld" else words.free)(friction)
    name = "direction" if word == "line" else "normal"
    return words.touch(word, given.get(name), given.get("position"), given.get("axes"), friction)


def taken(given: str | Mapping[str, Any] | ContactTable | Contact | Touch) -> Contact | Touch:
    """A contact however it is given: as it is, in a word, or as the table of a file, also as a mapping."""
    if isinstance(given, Contact | Touch):
        return given
    if isinstance(given, ContactTable):
        return contact(given)
    if isinstance(given, str):
        if given not in words.WORDS:
            raise InputError(
                f'contact is "{given}"; a word is one of {", ".join(words.WORDS)}; other contacts are tables'
            )
        return _in_a_word(given, {})
    if not isinstance(given, Mapping):
        raise InputError(f"contact is {given!r}; give a word ({', '.join(words.WORDS)}) or a table")
    if not all(isinstance(name, str) for name in given):
        raise InputError(f"contact is {given!r}; its keys are texts, as those of a file")
    plain = {name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in given.items()}
    return contact(toml_files.converted({"contact": plain}, _Whole).contact)


class _Whole(msgspec.Struct):
    """So that messages about a mapping name keys as those of a file do."""

    contact: ContactTable
