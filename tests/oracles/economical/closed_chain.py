"""The best serial algorithms we know, in scalars: for counting operations, and checked to be right.

The matrices of `senn.algorithms.references` are easy to read and waste operations. Here every multiplication
and addition is written out, so that running on counting scalars gives what a careful programmer would pay on
one node: planar rotations by the two screws of a link's Denavit-Hartenberg parameters, symmetric matrices by
halves, zeros left out. Any arm of revolute joints has such frames (x along the common normal of two axes).

Forward dynamics by articulated bodies, O(n), and by the mass matrix, O(n^3). The closed chain ends with the
contact force as the parallel program does (Fijany Table I), for a tip held in six directions; or takes the
contact along, by Popov and Vereshchagin. State and
constants are floats or counting scalars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.algorithms.kernels.end_effector import constraint_force, contact_force
from tests.oracles.economical import articulated, dense, popov_vereshchagin
from tests.oracles.economical.bias import Bias, bias, fall
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import Scalar, Screw, Vector, Z
from tests.oracles.economical.vectors import dot, plus


@dataclass(frozen=True, eq=False)
class State:
    """What a solver is given besides the links."""

    q: Any
    """(n,) an array, so that NumPy's cosine and sine serve floats and counting scalars."""
    qd: list[Scalar]
    tau: list[Scalar]
    gravity: Vector
    """In frame 1."""
    prescribed: Any
    """G_C (6,), an array; W = U."""


def open_chain(links: list[Link], state: State) -> list[Scalar]:
    """qdd (n,) with the tip free, by articulated bodies."""
    joints = turned(links, state.q)
    own = bias(links, joints, state.qd, state.gravity)
    hinges = articulated.factor(links, joints)
    alone = articulated.drive(links, joints, hinges, _drive(state, own), None)
    return articulated.accelerate(links, joints, hinges, alone)[0]


def by_articulated_bodies(links: list[Link], state: State) -> tuple[list[Scalar], Any]:
    """(qdd (n,), force (6,)) with the tip held."""
    joints = turned(links, state.q)
    own = bias(links, joints, state.qd, state.gravity)
    hinges = articulated.factor(links, joints)
    alone = articulated.drive(links, joints, hinges, _drive(state, own), None)
    qdd0, angular, linear = articulated.accelerate(links, joints, hinges, alone)
    response = articulated.lambda_inverse(links, joints, hinges)
    end = [*plus(angular, own.angular), *plus(linear, own.linear)]
    force = _welded(response, _fallen(end, links, joints, state), state)
    alone = articulated.drive(links, joints, hinges, None, (list(force[:3]), list(force[3:])))
    return plus(qdd0, articulated.accelerate(links, joints, hinges, alone)[0]), force


def by_popov_vereshchagin(
    links: list[Link], state: State, directions: list[Vector], solved_after: int
) -> tuple[list[Scalar], list[Scalar]]:
    """The same with the tip held along these directions, W' (m, 6) by rows; the contact is solved after so
    many joints from the tip, at least m: n of them is PV, fewer PV-early."""
    joints = turned(links, state.q)
    own = bias(links, joints, state.qd, state.gravity)
    end = _fallen([*own.angular, *own.linear], links, joints, state)
    rate = [dot(one, end) - wanted for one, wanted in zip(directions, state.prescribed, strict=True)]
    contact = popov_vereshchagin.Contact(popov_vereshchagin.from_tip(directions, links[-1]), None, rate)
    drive = _drive(state, own)
    qdd, found = popov_vereshchagin.closed_chain(links, joints, drive, contact, solved_after)
    across = [list(row) for row in zip(*directions, strict=True)]
    return qdd, [dot(row, found) for row in across]


def by_mass_matrix(links: list[Link], state: State) -> tuple[list[Scalar], Any]:
    """The same, with M and J."""
    joints = turned(links, state.q)
    own = bias(links, joints, state.qd, state.gravity)
    found = dense.factor(links, joints)
    half = dense.forward(found.lower, _drive(state, own))
    half = [d * x for d, x in zip(found.inverse, half, strict=True)]
    end = [dot([row[c] for row in found.reach], half) for c in range(6)]
    end = plus(end, [*own.angular, *own.linear])
    force = _welded(dense.lambda_inverse(found), _fallen(end, links, joints, state), state)
    less = [x - dot(row, list(force)) for x, row in zip(half, found.weighted, strict=True)]
    return dense.backward(found.lower, less), force


def turned(links: list[Link], q: Any) -> list[Screw]:
    """About and along every joint's axis, to the links' own axes; O_1 is the origin of frame 1."""
    offsets = [0.0, *(link.offset for link in links[:-1])]
    return [Screw(Z, *turn) for turn in zip(np.cos(q), np.sin(q), offsets, strict=True)]


def _drive(state: State, own: Bias) -> list[Scalar]:
    return [t - b for t, b in zip(state.tau, own.forces, strict=True)]


def _fallen(end: Vector, links: list[Link], joints: list[Screw], state: State) -> Vector:
    """The end effector's acceleration without the gravity that was put in."""
    return [*end[:3], *plus(end[3:], fall(links, joints, state.gravity))]


def _welded(inverse: list[Scalar], end: Vector, state: State) -> Any:
    """The contact force by the kernels of Step III: Eqs. (29) and (24) for any W of six columns."""
    kind = state.prescribed.dtype
    packed, acceleration = (np.array(x, dtype=kind)[None] for x in (inverse, end))
    w = np.eye(6)[None]
    bound = constraint_force.evaluate(packed, acceleration, w, state.prescribed[None])
    return contact_force(0).evaluate(w, bound)[0]
