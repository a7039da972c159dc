"""A link of an arm as the serial family sees it: joint directions, rigid-body inertia, and phi, which carries
forces and inertias inward and motions outward (Jain Eqs. (3)-(4), (10), Fijany II.A).

For most joints the allowed and the forbidden directions are columns of the unit matrix: then a product with
them is a choice of rows, and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.articulated import rigid_inertia


@dataclass(frozen=True, eq=False)
class Constants:
    """Constants of link i and its joint."""

    joint: str
    parameter: Any
    rotation: Blocks  # (3, 3): R_{i+1}
    position: Blocks  # (3,): P_i in frame i+1, before the joint moves O_i
    centre: Blocks  # (3,): S_i in frame i+1, before the joint moves O_i
    inertia: Rigid  # About O_{i+1}, frame i+1
    inverse_mass: Any
    inverse_inertia: Blocks  # J_i^-1 (6,), packed, about the centre of mass, frame i+1
    tip_response: Blocks  # I_{i,i+1}^-1 (21,), packed: the inverse of `inertia` as a 6x6 matrix


@dataclass(frozen=True, eq=False)
class SerialLink:
    """Link i and its joint at one state."""

    constants: Constants
    rotation: Blocks  # (3, 3): C(i,i+1)
    position: Blocks  # (3,): P_i in frame i+1
    moved: Blocks | None
    """(3,): shift of P_i and S_i by the joint, frame i+1; None for a joint that never shifts them."""
    freedom: Directions  # H_i, frame i at O_i
    complement: Directions  # W_i, frame i at O_i
    rate: Blocks  # qd_i (n_i,)
    drift: Blocks | None  # Hdot_i qd_i (6,); None: H_i is constant

    @property
    def inertia(self) -> Rigid:
        return self.constants.inertia


# ------------------------------------------------------------------ directions of a joint


@dataclass(frozen=True, eq=False)
class Directions:
    """The columns H_i that a joint allows or W_i that it forbids, frame i at O_i: a six-row matrix S."""

    columns: Blocks  # (6, k)
    rows: tuple[int, ...] | None
    """The rows of the ones, if S has columns of the unit matrix for every q; otherwise None."""

    @property
    def count(self) -> int:
        """k."""
        return int(self.columns.shape[1])

    @property
    def turns(self) -> bool:
        """Whether S reaches the upper three rows, for whatever q."""
        return self.rows is None or min(self.rows, default=3) < 3

    @property
    def slides(self) -> bool:
        """Whether S reaches the lower three rows."""
        return self.rows is None or max(self.rows, default=0) >= 3

    def along(self, x: Blocks) -> Blocks:
        """S'x (k,) or (k, r) for x (6,) or (6, r)."""
        if self.rows is not None:
            return x[list(self.rows)]
        return product(transposed(self.columns), x)

    def spread(self, y: Blocks) -> Blocks:
        """S y (6,) or (6, r) for y (k,) or (k, r)."""
        if self.rows is None:
            return product(self.columns, y)
        x = np.zeros((6, *y.shape[1:]), dtype=y.dtype)
        x[list(self.rows)] = y
        return x

    def added(self, x: Blocks, y: Blocks) -> Blocks:
        """x + S y."""
        if self.rows is None:
            return x + self.spread(y)
        total = x.copy()
        for row, entry in zip(self.rows, y, strict=True):
            total[row] = total[row] + entry
        return total

    def reach(self, packed: Blocks) -> Blocks:
        """P S (6, k) for a symmetric P (21,), packed."""
        if self.rows is not None:
            return full(packed)[:, list(self.rows)]
        return times(full(packed), self.columns)

    def dual(self) -> Directions:
        """S (S'S)^-1; S itself where its columns are those of the unit matrix.

        A joint force F with H'F = tau is dual(H) tau + W F_S (Fijany and Featherstone 2013 call it W_a).
        """
        if self.rows is not None:
            return self
        inverse = factor(symmetric_product(self.columns, self.columns))
        return Directions(transposed(substitute(inverse, transposed(self.columns))), None)

    def seen(self, packed: Blocks) -> Blocks:
        """S'P S, packed."""
        if self.rows is not None:
            return restricted(packed, self.rows)
        return symmetric_product(self.columns, self.reach(packed))


def product(x: Blocks, y: Blocks) -> Blocks:
    """X y for a vector y (q,) or for columns (q, r)."""
    return apply(x, y) if y.ndim == 1 else times(x, y)


def divided(ldl: Blocks, x: Blocks) -> Blocks:
    """A^-1 x from the factor of A, for a vector (k,) or for columns (k, r)."""
    return substitute(ldl, x if x.ndim == 2 else x[:, None]).reshape(x.shape)


Formula = Callable[[Blocks, Blocks], Blocks]  # of q_i and the parameter, in the table of joints


def directions(formula: Formula, q: Blocks, parameter: Any) -> Directions:
    """The columns of a joint at q_i, as rows where they are columns of the unit matrix for every q."""
    constant = fixed(formula, len(q))
    if constant is None or not set(constant.ravel()) <= {0.0, 1.0}:
        return Directions(formula(q, parameter), None)
    return Directions(constant, tuple(int(row) for row in constant.argmax(axis=0)))


@cache
def fixed(formula: Formula, coordinates: int) -> Blocks | None:
    """The value of a formula that depends neither on q nor on the parameter; else None."""
    value = formula(np.full(coordinates, np.nan), np.array(np.nan))
    return None if np.isnan(value).any() else value


# ------------------------------------------------------------------------ rigid bodies


LOWER = tuple((row, column) for row in range(3) for column in range(row + 1))
"""Row and column of the six entries of a packed 3x3 block."""


@dataclass(frozen=True, eq=False)
class Rigid:
    """The inertia of a rigid body about a point: ten numbers for [J h~; -h~ m] (Jain Eq. (10)).

    J is about the point, h the mass times the vector to the centre of mass. Several bodies that move as one
    are one rigid body.
    """

    mass: Any
    moment: Blocks  # h (3,)
    inertia: Blocks  # J (6,), packed

    def applied(self, motion: Blocks) -> Blocks:
        """M x (6,), the momentum of a velocity or the force of an acceleration: 24 m 18 a."""
        turn, move = motion[:3], motion[3:]
        moment = apply(full(self.inertia), turn) + cross(self.moment, move)
        return np.concatenate([moment, move * self.mass - cross(self.moment, turn)])

    def gyroscopic(self, omega: Blocks, across: Blocks) -> Blocks:
        """The force on a turning body besides M alpha (Jain Eq. (11)): 36 m 24 a.

        alpha is counted at another point of the body, against which this one has the centripetal
        acceleration c = `across`: [omega x J omega + h x c; m c + omega x (omega x h)].
        """
        spin = cross(omega, apply(full(self.inertia), omega)) + cross(self.moment, across)
        return np.concatenate([spin, across * self.mass + cross(omega, cross(omega, self.moment))])

    def packed(self) -> Blocks:
        """The 6x6 matrix, packed (21,), at no cost."""
        return rigid_inertia(np.concatenate([self.inertia, self.moment, [self.mass]]))

    def __add__(self, other: Rigid) -> Rigid:
        """Both as one body: 10 a."""
        return Rigid(self.mass + other.mass, self.moment + other.moment, self.inertia + other.inertia)


def composite_inward(link: SerialLink, body: Rigid) -> Rigid:
    """phi M phi' of a rigid body: about O_i, in axes turned by C: 72 m 59 a.

    With h' = h + m P: J' = J - P~ h~ - h'~ P~, then turned (the parallel axis theorem, Jain Eq. (10)).
    """
    near, p, rotation = body.moment, link.position, link.rotation
    far = near + p * body.mass
    along = dot(p, near + far)
    entries = []
    for k, (a, b) in enumerate(LOWER):
        entry = body.inertia[k] - (near[a] * p[b] + p[a] * far[b])
        entries.append(entry + along if a == b else entry)
    moved = np.array(entries, dtype=p.dtype)
    half = transposed(times(rotation, full(moved)))
    return Rigid(body.mass, apply(rotation, far), symmetric_product(half, transposed(rotation)))


# ------------------------------------------------------------------------ phi at work


def inward(link: SerialLink, force: Blocks) -> Blocks:
    """phi F: [moment; force] at O_{i+1} in frame i+1, to O_i in frame i. 24 m 18 a a column."""
    columns = force if force.ndim == 2 else force[:, None]
    return turned(link.rotation, shifted(link.position, columns)).reshape(force.shape)


def outward(link: SerialLink, motion: Blocks) -> Blocks:
    """phi' V: [angular; of the point] at O_i in frame i, to O_{i+1} in frame i+1. 24 m 18 a a column."""
    turn, move = outward_axes(link, motion[:3]), outward_axes(link, motion[3:])
    return np.concatenate([turn, move + _crossed(turn, link.position)])


def outward_axes(link: SerialLink, vector: Blocks) -> Blocks:
    """C(i+1,i) v for (3,) or (3, r). 9 m 6 a a column."""
    return product(transposed(link.rotation), vector)


def inward_motion(link: SerialLink, motion: Blocks) -> Blocks:
    """The inverse of `outward`, for (6,) or (6, r). 24 m 18 a a column."""
    turn, move = motion[:3], motion[3:] - _crossed(motion[:3], link.position)
    return np.concatenate([product(link.rotation, turn), product(link.rotation, move)])


def outward_force(link: SerialLink, force: Blocks) -> Blocks:
    """The inverse of `inward`, for (6,) or (6, r). 24 m 18 a a column."""
    moment, push = outward_axes(link, force[:3]), outward_axes(link, force[3:])
    return np.concatenate([moment + _crossed(push, link.position), push])


def _crossed(columns: Blocks, position: Blocks) -> Blocks:
    """omega x P for (3,) or (3, r)."""
    return transposed(cross(transposed(columns), position)) if columns.ndim > 1 else cross(columns, position)


def inertia_inward(link: SerialLink, packed: Blocks) -> Blocks:
    """phi P phi' of any symmetric P (21,), packed: 186 m 138 a."""
    return turned_inertia(link.rotation, shifted_inertia(link.position, packed))


def inertia_outward(link: SerialLink, packed: Blocks) -> Blocks:
    """The inverse of `inertia_inward`: 186 m 138 a."""
    return shifted_inertia(-link.position, turned_inertia(transposed(link.rotation), packed))
