"""A contact of the end effector with the environment: what it prescribes (Fijany III.B and III.D).

Six-vectors are [omega; v] and [moment; force] at O_{n+1}. The force is exerted BY the end effector ON the
environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any

from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.spatial import Numbers


@dataclass(frozen=True, eq=False)
class Law:
    """The general contact: Vdot = M1 Omega + k1 and F = M2 Omega + k2, Omega unknown (Eqs. (37)-(38))."""

    M1: Numbers
    """(6, 6)."""
    k1: Numbers
    """(6,)."""
    M2: Numbers
    """(6, 6)."""
    k2: Numbers
    """(6,)."""


@dataclass(frozen=True, eq=False)
class Contact:
    """What the contact prescribes: W' Vdot = G_C, and F = H K_F + W K_C with K_C unknown (Eqs. (22)-(25)).

    Made by `type_i`, `type_ii`, `general`, `welded` and `none`. A solver takes one that is `settled`.
    """

    kind: str
    """One of KINDS."""
    W: Numbers
    """(6, n_c) orthonormal columns: constrained directions. None of a general contact."""
    H: Numbers
    """(6, n_f) columns, independent of each other and of W: the directions in which K_F counts."""
    G_C: Numbers | None
    """(n_c,) acceleration along W, m/s^2 and rad/s^2; None: what keeps the constraint satisfied."""
    K_F: Numbers
    """(n_f,) force along H, N and N m; of Type II the part of it that is given, d."""
    phi: Numbers
    """(n_f, n_c): Type II adds phi K_C to K_F; zero otherwise."""
    law: Law | None = None
    """Of the general contact."""
    fixed_in: str = "end_effector"
    """Where the directions are constant, and the axes they are given in: of frame n+1, or of the base."""
    acceleration: str = "classical"
    """What G_C and k1 are: "classical", of the material point at O_{n+1}, or "spatial" (Featherstone's), less
    by [0; omega x v]."""
    word: str = ""
    """Of a contact that was given in a word (`words`)."""
    friction: float | None = None
    """A coefficient of friction that was given with the word, and is ignored: words hold without friction."""
    written: Mapping[str, Any] | None = field(init=False, default=None, repr=False)
    """As it was given, under the keys of a problem file, for who reads it once more
    (`senn.algorithms.plain_sums`); None of one that was altered since."""

    @property
    def constrained(self) -> int:
        """n_c, the number of constrained directions; 6 of a general contact, for its unknowns."""
        return 6 if self.law else int(self.W.shape[1])

    @property
    def called(self) -> str:
        """The word that it was given in, or else its kind."""
        return self.word or self.kind

    @property
    def settled(self) -> bool:
        """Whether it is in end-effector axes, with a classical acceleration, nothing left to the state."""
        found = (self.fixed_in, self.acceleration) == ("end_effector", "classical")
        return found and self.G_C is not None

    @property
    def shape(self) -> ContactShape:
        """For the program. Type II with n_c = 0 or 6 is Type I: phi has no entry."""
        if self.law:
            return ContactShape("general")
        return ContactShape("II" if self.phi.size and self.kind == "II" else "I", self.constrained)

    @property
    def bearing(self) -> Numbers:
        """(6, n_c): the force that a unit of K_C is, W + H phi."""
        return self.W + self.H @ self.phi if self.kind == "II" else self.W

    def described(self) -> dict[str, Any]:
        """Its kind, and by name the numbers that this kind has, as plain lists."""
        if self.law:
            blocks: dict[str, Numbers | None] = dict(vars(self.law))
        else:
            given = {"phi": self.phi, "d": self.K_F} if self.kind == "II" else {"K_F": self.K_F}
            blocks = {"W": self.W, "H": self.H, "G_C": self.G_C, **given}
        numbers = {name: None if block is None else block.tolist() for name, block in blocks.items()}
        return {"kind": self.kind, **({"word": self.word} if self.word else {}), **numbers}


def as_written(contact: Contact, written: Mapping[str, Any]) -> Contact:
    """The contact with what it was made of, before anything was made of that."""
    found, kept = copy(contact), {key: deepcopy(value) for key, value in written.items() if value is not None}
    object.__setattr__(found, "written", kept)
    return found
