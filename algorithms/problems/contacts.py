"""A contact of the end effector with the environment: what it prescribes (Fijany III.B and III.D).

Six-vectors are [omega; v] and [moment; force] at O_{n+1}. The force is exerted BY the end effector ON the
environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError


@dataclass(frozen=True, eq=False)
class Law:
    """The general contact: Vdot = M1 Omega + k1 and F = M2 Omega + k2, Omega unknown (Eqs. (37)-(38))."""

    M1: Numbers  # (6, 6)
    k1: Numbers  # (6,)
    M2: Numbers  # (6, 6)
    k2: Numbers  # (6,)


class Equations(NamedTuple):
    """Any contact as linear equations: F = press Omega + load, and along Vdot - move Omega = prescribed."""

    along: NDArray[Any]  # (c, 6)
    move: NDArray[Any]  # (c, c)
    prescribed: NDArray[Any]  # (c,)
    press: NDArray[Any]  # (6, c)
    load: NDArray[Any]  # (6,)


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact prescribes W' Vdot = G_C, and F = H K_F + W K_C with K_C unknown (Eqs. (22)-(25)).

    Made by `type_i`, `type_ii`, `general`, `welded` and `none`. A solver takes one in
    end-effector axes, with a classical acceleration, and nothing left to the state.
    """

    kind: str  # One of KINDS
    W: Numbers  # (6, n_c) orthonormal columns: constrained directions. None of a general contact.
    H: Numbers  # (6, n_f) columns, independent of each other and of W: the directions in which K_F counts
    G_C: Numbers | None
    """(n_c,) acceleration along W, m/s^2 and rad/s^2; None: what keeps the constraint satisfied."""
    K_F: Numbers  # (n_f,) force along H, N and N m; of Type II the part of it that is given, d
    phi: Numbers  # (n_f, n_c): Type II adds phi K_C to K_F; zero otherwise
    law: Law | None = None  # Of the general contact
    fixed_in: str = "end_effector"
    """Where the directions are constant, and the axes they are given in: of frame n+1, or of the base."""
    acceleration: str = "classical"
    """What G_C and k1 are: "classical", of the material point at O_{n+1}, or "spatial" (Featherstone's), less
    by [0; omega x v]."""
    word: str = ""  # Of a contact that was given in a word (`words`)
    friction: float | None = None
    """A coefficient of friction that was given with the word, and is ignored: words hold without friction."""
    written: Mapping[str, Any] | None = field(init=False, default=None, repr=False)
    """As it was given, under the keys of a problem file, to be written again;
    None of one that was altered since."""

    @property
    def constrained(self) -> int:
        """n_c, the number of constrained directions; 6 of a general contact, for its unknowns."""
        return 6 if self.law else int(self.W.shape[1])

    @property
    def called(self) -> str:
        """The word that it was given in, or else its kind."""
        return self.word or self.kind

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

    def equations(self, kind: type[np.floating[Any]]) -> Equations:
        """Equations of a settled contact in numbers of this kind; of a free end c = 0."""
        assert self.G_C is not None  # it is settled
        if self.law:
            M1, k1, M2, k2 = (array.astype(kind) for array in vars(self.law).values())
            return Equations(np.eye(6, dtype=kind), M1, k1, M2, k2)
        W, H, G, K_F = (array.astype(kind) for array in (self.W, self.H, self.G_C, self.K_F))
        press = W + H @ self.phi if self.kind == "II" else W
        return Equations(W.T, np.zeros((len(G), len(G)), kind), G, press, H @ K_F)

    @property
    def numbers(self) -> dict[str, Numbers | None]:
        """The numbers that this kind has, under the keys of a problem file."""
        if self.law:
            return dict(vars(self.law))
        force = {"phi": self.phi, "d": self.K_F} if self.kind == "II" else {"K_F": self.K_F}
        return {"W": self.W, "H": self.H, "G_C": self.G_C, **force}

    def described(self) -> dict[str, Any]:
        """The kind and its numbers, as plain lists."""
        numbers = {name: None if block is None else block.tolist() for name, block in self.numbers.items()}
        return {"kind": self.kind, **({"word": self.word} if self.word else {}), **numbers}


# -------- structure


@dataclass(frozen=True)
class ContactShape:
    """The structure of a contact, on which programs depend; no numbers."""

    kind: str = "I"  # "I" (also no contact: nothing constrained), "II" or "general"
    constrained: int = 6  # n_c, 0..6; the six unknowns of a general contact count as 6

    def __post_init__(self) -> None:
        if self.kind not in ("I", "II", "general"):
            raise InputError(f'contact of kind "{self.kind}": a program is made for I, II and general')
        if not 0 <= self.constrained <= 6:
            raise InputError(f"contact = {self.constrained}: the number of constrained directions is 0..6")
        if self.kind == "II" and self.constrained in (0, 6):
            raise InputError(
                f"contact of kind II, {self.constrained} constrained directions: phi is empty; take kind I"
            )
        if self.kind == "general" and self.constrained != 6:
            raise InputError(f"contact of kind general: it has 6 unknowns, not {self.constrained}")

    @staticmethod
    def of(contact: int | ContactShape) -> ContactShape:
        """A shape as it is; a number n_c means Type I."""
        return contact if isinstance(contact, ContactShape) else ContactShape("I", contact)

    @property
    def free(self) -> int:
        """n_f = 6 - n_c."""
        return 6 - self.constrained


# -------- kinds of contact, made from numbers

KINDS = ("I", "II", "general", "none")
FIXED_IN = ("end_effector", "world")
ACCELERATIONS = ("classical", "spatial")


def type_i(
    W: ArrayLike,
    H: ArrayLike | None = None,
    G_C: ArrayLike | None = None,
    K_F: ArrayLike | None = None,
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked Type I contact: G_C and K_F are given.

    The columns of W and H must be independent, and need not be orthonormal: those of W are made so, with G_C
    kept in its meaning. H may be left out when K_F is zero or left out.
    """
    basis = matrix(W, "contact.W")
    count = basis.shape[1]
    force = vector(np.zeros(6 - count) if K_F is None else K_F, 6 - count, "contact.K_F", "n_f = 6 - n_c")
    if H is None and force.any():
        raise InputError(
            "contact.K_F is not zero but contact.H is missing; K_F is counted along the columns of H: give H"
        )
    contact = _along_columns("I", basis, H, G_C, force, None)
    return _as_given(contact, fixed_in, acceleration, W=W, H=H, G_C=G_C, K_F=K_F)


def type_ii(
    W: ArrayLike,
    H: ArrayLike | None,
    phi: ArrayLike,
    d: ArrayLike | None = None,
    G_C: ArrayLike | None = None,
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked Type II contact: K_F = phi K_C + d (Eq. (25)), phi (n_f, n_c), d (n_f,), by default 0.

    K_C counts along the columns of W as they are given, K_F along those of H, which must be given (n_c < 6).
    """
    basis = matrix(W, "contact.W")
    count = basis.shape[1]
    if H is None and count < 6:
        raise InputError("contact.H is missing; phi and d are counted along the columns of H: give H")
    friction = matrix(phi, "contact.phi", 6 - count, "n_f, the columns of H")
    if 0 < count < 6:
        refuse_columns(friction, count, "contact.phi", "n_c, the columns of W")
    friction = friction.reshape(6 - count, count)
    force = vector(np.zeros(6 - count) if d is None else d, 6 - count, "contact.d", "n_f = 6 - n_c")
    contact = _along_columns("II", basis, H, G_C, force, friction)
    return _as_given(contact, fixed_in, acceleration, W=W, H=H, phi=phi, d=d, G_C=G_C)


def general(
    M1: ArrayLike,
    k1: ArrayLike,
    M2: ArrayLike,
    k2: ArrayLike,
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked general contact, Vdot = M1 Omega + k1 and F = M2 Omega + k2 (Eqs. (37)-(38))."""
    maps = {}
    for name, value in (("M1", M1), ("M2", M2)):
        maps[name] = matrix(value, f"contact.{name}")
        refuse_columns(maps[name], 6, f"contact.{name}", "one for each unknown of Omega")
    refuse_dependent(
        np.vstack([maps["M1"], maps["M2"]]),
        "contact: M1 above M2",
        "each unknown of Omega must move or press in a way of its own",
    )
    offset = vector(k1, 6, "contact.k1", SIX_ROWS)
    force = vector(k2, 6, "contact.k2", "moment x y z, force x y z")
    for array in maps.values():
        array.setflags(write=False)
    law = Law(maps["M1"], offset, maps["M2"], force)
    empty = np.zeros((6, 0))
    contact = Contact("general", empty, empty, np.zeros(0), np.zeros(0), np.zeros((0, 0)), law)
    return _as_given(contact, fixed_in, acceleration, M1=M1, k1=k1, M2=M2, k2=k2)


def welded() -> Contact:
    """All six directions held: W = U."""
    return type_i(np.eye(6))


def none() -> Contact:
    """No contact: the open chain, F = 0."""
    return Contact("none", np.zeros((6, 0)), np.eye(6), np.zeros(0), np.zeros(6), np.zeros((6, 0)))


def draw(chain: Chain, seed: int) -> Contact:
    """A contact for this chain, drawn from the seed.

    With n the degrees of freedom of the main chain, n >= 7: welded tip. n < 7, where a welded tip is
    singular: W is the first max(1, n-1) columns of a random orthogonal 6x6 matrix, H the rest, K_F standard
    normal. G_C is left to the state. The stream is `default_rng([seed, 2])`: first the 6x6 matrix, then K_F.
    """
    moving = chain.main.degrees
    if moving >= 7:
        return welded()
    rng = np.random.default_rng([seed, 2])
    basis, upper = np.linalg.qr(rng.standard_normal((6, 6)))
    basis = basis * np.sign(np.diag(upper))  # the factorisation's signs are arbitrary
    count = max(1, moving - 1)
    return type_i(basis[:, :count], basis[:, count:], None, rng.standard_normal(6 - count))


def _along_columns(
    kind: str, W: Numbers, H: ArrayLike | None, G_C: ArrayLike | None, force: Numbers, phi: Numbers | None
) -> Contact:
    """A contact of Type I (phi is None) or II from its checked numbers and the columns of H."""
    count = W.shape[1]
    refuse_dependent(W, "contact.W", "constrain each direction once")
    acceleration_along = None if G_C is None else vector(G_C, count, "contact.G_C", "n_c, the columns of W")
    if np.abs(W.T @ W - np.eye(count)).max(initial=0.0) > ORTHONORMAL:
        # W = Q T: W'Vdot = G_C is Q'Vdot = T'^-1 G_C, and W K_C is Q (T K_C).
        W, upper = np.linalg.qr(W)
        inverse = np.linalg.inv(upper)
        acceleration_along = None if acceleration_along is None else inverse.T @ acceleration_along
        phi = None if phi is None else phi @ inverse
    if H is None:
        H = np.linalg.qr(W, mode="complete")[0][:, count:] if count else np.eye(6)
    H = matrix(H, "contact.H")
    refuse_columns(H, 6 - count, "contact.H", f"H and W ({count}) make 6 together")
    refuse_dependent(
        np.hstack([W, H]), "contact: W and H together", "leave H out to get a complement (if K_F is zero)"
    )
    phi = np.zeros((6 - count, count)) if phi is None else phi
    for array in (W, H, acceleration_along, force, phi):
        if array is not None:
            array.setflags(write=False)
    return Contact(kind, W, H, acceleration_along, force, phi)


def _as_given(contact: Contact, fixed_in: str, acceleration: str, **numbers: ArrayLike | None) -> Contact:
    """With the words for its axes and accelerations, and with the numbers that it was made of."""
    words = {
        "fixed_in": choice(fixed_in, FIXED_IN, "contact.fixed_in"),
        "acceleration": choice(acceleration, ACCELERATIONS, "contact.acceleration"),
    }
    contact = replace(contact, **words)  # type: ignore[arg-type]
    given = {key: deepcopy(value) for key, value in numbers.items() if value is not None}
    object.__setattr__(contact, "written", {"kind": contact.kind, **given, **words})
    return contact


# -------- checks of numbers

ORTHONORMAL = 1e-9
INDEPENDENT = 1e-8
ROUNDED = 8 * float(np.finfo(np.float64).eps)  # as far as making a length 1 may leave it off
SIX_ROWS = "omega x y z, v x y z"


def matrix(value: ArrayLike, where: str, rows: int = 6, meaning: str = SIX_ROWS) -> Numbers:
    """A finite matrix with so many rows and at most six columns, (rows, columns).

    Also from nested lists; an empty list has no columns. `meaning` names the rows in errors.
    """
    lines = [numbers(row, where) for row in np.atleast_1d(np.array(value, dtype=object))]
    if not lines:
        return np.zeros((rows, 0))
    if len(lines) != rows:
        raise InputError(f"{where} has {len(lines)} rows, expected {rows}: {meaning}")
    for number, row in enumerate(lines, 1):
        if row.shape != lines[0].shape:
            raise InputError(
                f"{where}: row {number} has {row.size} numbers, row 1 has {lines[0].size}; "
                "all rows need as many"
            )
    result = np.array(lines).reshape(rows, -1)
    if not np.isfinite(result).all():
        raise InputError(f"{where} holds a number that is not finite")
    if result.shape[1] > 6:
        raise InputError(f"{where} has {result.shape[1]} columns, at most 6 are possible")
    return result


def vector(
    value: ArrayLike, length: int, key: str, meaning: str, names: Callable[[], list[str]] | None = None
) -> Numbers:
    """A read-only copy of numbers, checked to be finite and of the right count; a message names them."""
    array = numbers(value, key)
    if array.shape != (length,):
        if array.ndim > 1:
            raise InputError(f"{key} has shape {array.shape}, expected {length} numbers ({meaning})")
        raise InputError(f"{key} has {array.size} numbers, expected {length} ({meaning})")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        name = f" ({names()[bad[0]]})" if names else ""
        raise InputError(f"{key}: number {bad[0] + 1}{name} is {array[bad[0]]}; it must be finite")
    array.setflags(write=False)
    return array


def numbers(value: ArrayLike, key: str) -> Numbers:
    """A copy of real numbers; texts, complex numbers and ragged lists are refused."""
    if isinstance(value, Mapping):
        raise InputError(f"{key} is a mapping; give a list of numbers")
    try:
        array = np.array(value)
        real = array.dtype.kind == "O" and all(isinstance(number, Real) for number in array.flat)
        if array.dtype.kind in "biuf" or real:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{key} holds what is no number: {value!r}")


def refuse_columns(value: Numbers, columns: int, where: str, meaning: str) -> None:
    """`InputError` unless there are so many columns; `meaning` says why."""
    if value.shape[1] != columns:
        raise InputError(f"{where} has {value.shape[1]} columns, expected {columns}: {meaning}")


def refuse_dependent(columns: Numbers, where: str, way_out: str) -> None:
    """`InputError` unless the columns are independent beyond rounding, each measured in its own length."""
    lengths = np.linalg.norm(columns, axis=0)
    if not lengths.all():
        raise InputError(f"{where}: column {int(lengths.argmin()) + 1} is zero; {way_out}")
    smallest = float(np.linalg.svd(columns / lengths, compute_uv=False).min(initial=1.0))
    if smallest < INDEPENDENT:
        raise InputError(
            f"{where}: the columns are not independent (of unit length, their smallest singular value is "
            f"{smallest:.1g}, at least {INDEPENDENT:.0e} is needed); {way_out}"
        )


def choice(value: str, allowed: tuple[str, str], where: str) -> str:
    """One of two words."""
    if value not in allowed:
        raise InputError(f'{where} is "{value}"; write "{allowed[0]}" or "{allowed[1]}"')
    return value
