"""The kinds of contact, each made from its numbers, checked (Fijany III.B and III.D).

Six-vectors are [omega; v] and [moment; force] at O_{n+1}. The force is exerted BY the end effector ON the
environment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems.contact.checks import (
    ORTHONORMAL,
    SIX_ROWS,
    choice,
    matrix,
    refuse_columns,
    refuse_dependent,
    vector,
)
from senn.algorithms.problems.contact.contact import Contact, Law, as_written
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

KINDS = ("I", "II", "general", "none")
FIXED_IN = ("end_effector", "world")
ACCELERATIONS = ("classical", "spatial")


def type_i(
    W: ArrayLike,
    H: ArrayLike | None = None,
    G_C: ArrayLike | None = None,
    K_F: ArrayLike | None = None,
    where: str = "contact",
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked Type I contact: G_C and K_F are given; `where` names the contact in messages.

    The columns of W and H must be independent, and need not be orthonormal: those of W are made so, with G_C
    kept in its meaning. H may be left out when K_F is zero or left out.
    """
    basis = matrix(W, f"{where}.W")
    count = basis.shape[1]
    force = vector(K_F, 6 - count, f"{where}.K_F", "n_f = 6 - n_c")
    if H is None and force.any():
        raise InputError(
            f"{where}.K_F is not zero but {where}.H is missing; K_F is counted along the columns of H: give H"
        )
    found = _along_columns("I", basis, H, G_C, force, None, where, fixed_in, acceleration)
    given = {"W": W, "H": H, "G_C": G_C, "K_F": K_F}
    return as_written(found, {"kind": "I", **given, "fixed_in": fixed_in, "acceleration": acceleration})


def type_ii(
    W: ArrayLike,
    H: ArrayLike | None,
    phi: ArrayLike,
    d: ArrayLike | None = None,
    G_C: ArrayLike | None = None,
    where: str = "contact",
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked Type II contact: K_F = phi K_C + d (Eq. (25)), phi (n_f, n_c), d (n_f,), by default 0.

    K_C counts along the columns of W as they are given, K_F along those of H, which must be given (n_c < 6).
    """
    basis = matrix(W, f"{where}.W")
    count = basis.shape[1]
    if H is None and count < 6:
        raise InputError(f"{where}.H is missing; phi and d are counted along the columns of H: give H")
    friction = matrix(phi, f"{where}.phi", 6 - count, "n_f, the columns of H")
    if 0 < count < 6:
        refuse_columns(friction, count, f"{where}.phi", "n_c, the columns of W")
    friction = friction.reshape(6 - count, count)
    force = vector(d, 6 - count, f"{where}.d", "n_f = 6 - n_c")
    found = _along_columns("II", basis, H, G_C, force, friction, where, fixed_in, acceleration)
    given = {"W": W, "H": H, "phi": phi, "d": d, "G_C": G_C}
    return as_written(found, {"kind": "II", **given, "fixed_in": fixed_in, "acceleration": acceleration})


def general(
    M1: ArrayLike,
    k1: ArrayLike,
    M2: ArrayLike,
    k2: ArrayLike,
    where: str = "contact",
    *,
    fixed_in: str = "end_effector",
    acceleration: str = "classical",
) -> Contact:
    """A checked general contact, Vdot = M1 Omega + k1 and F = M2 Omega + k2 (Eqs. (37)-(38))."""
    maps = {}
    for name, value in (("M1", M1), ("M2", M2)):
        maps[name] = matrix(value, f"{where}.{name}")
        refuse_columns(maps[name], 6, f"{where}.{name}", "one for each unknown of Omega")
    refuse_dependent(
        np.vstack([maps["M1"], maps["M2"]]),
        f"{where}: M1 above M2",
        "each unknown of Omega must move or press in a way of its own",
    )
    one = vector(k1, 6, f"{where}.k1", SIX_ROWS)
    two = vector(k2, 6, f"{where}.k2", "moment x y z, force x y z")
    for array in (*maps.values(), one, two):
        array.setflags(write=False)
    law = Law(maps["M1"], one, maps["M2"], two)
    empty = np.zeros((6, 0))
    fixed_in, acceleration = _words(fixed_in, acceleration, where)
    nothing = np.zeros(0), np.zeros(0), np.zeros((0, 0))
    found = Contact("general", empty, empty, *nothing, law, fixed_in, acceleration)
    given = {"M1": M1, "k1": k1, "M2": M2, "k2": k2}
    return as_written(found, {"kind": "general", **given, "fixed_in": fixed_in, "acceleration": acceleration})


def welded() -> Contact:
    """All six directions held: W = U."""
    return type_i(np.eye(6))


def none() -> Contact:
    """No contact: the open chain, F = 0."""
    found = Contact("none", np.zeros((6, 0)), np.eye(6), np.zeros(0), np.zeros(6), np.zeros((6, 0)))
    return as_written(found, {"kind": "none"})


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
    kind: str,
    W: Numbers,
    H: ArrayLike | None,
    G_C: ArrayLike | None,
    force: Numbers,
    phi: Numbers | None,
    where: str,
    fixed_in: str,
    acceleration: str,
) -> Contact:
    """A contact of Type I (phi is None) or II from its checked numbers and the columns of H."""
    count = W.shape[1]
    refuse_dependent(W, f"{where}.W", "constrain each direction once")
    given = None if G_C is None else vector(G_C, count, f"{where}.G_C", "n_c, the columns of W")
    if np.abs(W.T @ W - np.eye(count)).max(initial=0.0) > ORTHONORMAL:
        # W = Q T: W'Vdot = G_C is Q'Vdot = T'^-1 G_C, and W K_C is Q (T K_C).
        W, upper = np.linalg.qr(W)
        inverse = np.linalg.inv(upper)
        given = None if given is None else inverse.T @ given
        phi = None if phi is None else phi @ inverse
    if H is None:
        H = np.linalg.qr(W, mode="complete")[0][:, count:] if count else np.eye(6)
    H = matrix(H, f"{where}.H")
    refuse_columns(H, 6 - count, f"{where}.H", f"H and W ({count}) make 6 together")
    refuse_dependent(
        np.hstack([W, H]), f"{where}: W and H together", "leave H out to get a complement (if K_F is zero)"
    )
    phi = np.zeros((6 - count, count)) if phi is None else phi
    for array in (W, H, given, force, phi):
        if array is not None:
            array.setflags(write=False)
    fixed_in, acceleration = _words(fixed_in, acceleration, where)
    return Contact(kind, W, H, given, force, phi, None, fixed_in, acceleration)


def _words(fixed_in: str, acceleration: str, where: str) -> tuple[str, str]:
    return (
        choice(fixed_in, FIXED_IN, f"{where}.fixed_in"),
        choice(acceleration, ACCELERATIONS, f"{where}.acceleration"),
    )
