"""The table [contact] of a problem file: which keys each kind has, and the contact that they say."""

from collections.abc import Mapping
from typing import Any

import msgspec

from senn.algorithms.problems.contact import kinds
from senn.algorithms.problems.contact.contact import Contact
from senn.traces.errors import InputError

_STATE = ("fixed_in", "acceleration")
_KEYS = {
    "I": ("W", "H", "G_C", "K_F", *_STATE),
    "II": ("W", "H", "G_C", "phi", "d", *_STATE),
    "general": ("M1", "k1", "M2", "k2", *_STATE),
    "none": (),
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
    "none": {},
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


def contact(table: ContactTable) -> Contact:
    """The contact of a table; `InputError` names the key."""
    given = {
        name: value
        for name, value in msgspec.structs.asdict(table).items()
        if name != "kind" and value is not None
    }
    if table.kind not in _KEYS:
        known = ", ".join(f'"{kind}"' for kind in kinds.KINDS[:-1])
        raise InputError(f'contact.kind is "{table.kind}"; supported are {known} and "{kinds.KINDS[-1]}"')
    for key in given:
        if key not in _KEYS[table.kind]:
            other = next(kind for kind, keys in _KEYS.items() if key in keys)
            raise InputError(
                f'contact.{key}: kind = "{table.kind}" has no {key}; leave it out, or write kind = "{other}"'
            )
    for key, meaning in _NEEDED[table.kind].items():
        if key not in given:
            raise InputError(f"contact.{key} is missing: {meaning}")
    if table.kind == "I":
        return kinds.type_i(**given)
    if table.kind == "II":
        return kinds.type_ii(**{"H": None, **given})
    return kinds.general(**given) if table.kind == "general" else kinds.none()


def taken(given: str | Mapping[str, Any] | ContactTable | Contact) -> Contact:
    """A contact however it is given: as it is, or as the table of a file, also as a mapping of Python."""
    if isinstance(given, Contact):
        return given
    if isinstance(given, ContactTable):
        return contact(given)
    raise InputError(f"contact is {given!r}; give a table")
